"""Strings, and counts of sequences of words."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....derivatives import rule_namespace as ops
from ....graph.model.nodes import Tensor
from ....graph.shapes.dtypes import float32, int32, int64, string
from ....ops.text.simple_patterns import static_regex_full_match
from ..onnx_errors import UnsupportedOnnx, known_size
from ..onnx_node import OnnxNode
from .onnx_row import OnnxOp
from .values import broadcast, common_shape, constant, rank_of, shape64, sizes, take


def _string_concat(n: OnnxNode) -> Tensor:
    x, y = n.tensor(0), n.tensor(1)
    shape = common_shape(x, y)
    return ops.string_join([broadcast(x, shape), broadcast(y, shape)])


def _grams(n: OnnxNode) -> list[tuple[int, list[Any], int]]:
    """The sequences to count: how long each is, its words, and where its count stands."""
    pool: list[Any] = n.strings("pool_strings", []) or n.ints("pool_int64s", [])
    starts, places = n.ints("ngram_counts"), n.ints("ngram_indexes")
    found: list[tuple[int, list[Any], int]] = []
    for size, start in enumerate(starts, 1):
        end = starts[size] if size < len(starts) else len(pool)
        for at in range(start, end, size):
            found.append((size, pool[at : at + size], places[len(found)]))
    return found


def _tf_idf(n: OnnxNode) -> Tensor:
    """How often each sequence of the pool occurs, its words up to `max_skip_count` apart."""
    x = n.tensor(0)
    flat = rank_of(x) == 1
    rows = ops.expand_dims(x, 0) if flat else x
    length = known_size(sizes(rows)[1], "the length of its sequences is")
    low, high, skips = n.int("min_gram_length"), n.int("max_gram_length"), n.int("max_skip_count")
    grams = _grams(n)
    width = max(place for _, _, place in grams) + 1
    counts: list[Tensor | None] = [None] * width
    for size, words, place in grams:
        if not low <= size <= high:
            continue
        for skip in range(1, (1 if size == 1 else skips + 1) + 1):
            starts = length - skip * (size - 1)
            if starts <= 0:
                break
            hit: Tensor | None = None
            for i, word in enumerate(words):
                part = take(rows, constant(np.arange(starts) + i * skip), 1)
                target = ops.constant(word) if x.dtype is string else constant(word, x.dtype)
                same = ops.equal(part, target)
                hit = same if hit is None else ops.logical_and(hit, same)
            assert hit is not None
            total = ops.reduce_sum(ops.cast(hit, float32), [1])
            before = counts[place]
            counts[place] = total if before is None else before + total
    zero = ops.reduce_sum(ops.cast(ops.equal(rows[:, :0], rows[:, :0]), float32), [1])
    made = ops.stack([zero if each is None else each for each in counts], axis=1)
    mode, weights = n.text("mode"), n.floats("weights", None)
    if mode in ("IDF", "TFIDF"):
        factors = ops.constant(np.array(weights if weights else np.ones(width), np.float32)[None, :width])
        made = (ops.cast(made > constant(0.0, float32), float32) if mode == "IDF" else made) * factors
    return ops.squeeze(made, [0]) if flat else made


def _string_split(n: OnnxNode) -> list[Tensor]:
    """Parts of strings, each row filled up with empty ones, and how many there are. No delimiter is any whitespace."""
    x, delimiter = n.tensor(0), n.text("delimiter", "")
    if n.int("maxsplit", None) is not None or len(delimiter.encode()) > 1:
        raise UnsupportedOnnx("it splits at most so many times, or at more than one letter")
    flat = ops.reshape(x, [-1])
    parts = ops.string_split(flat, delimiter or " \t\n\r\f\v", skip_empty=not delimiter)
    rows, width = ops.expand_dims(ops.size(flat), 0), parts.dense_shape[1:]
    ones = ops.ones_like(parts.indices[:, 0])
    counts = ops.unsorted_segment_sum(ones, parts.indices[:, 0], ops.size(flat))
    if delimiter:  # an empty string has one part, which is empty
        counts = ops.maximum(counts, constant(1))
        width = ops.maximum(width, ops.minimum(ops.cast(rows, int64), constant(1)))
    empty = ops.fill(ops.concat(0, [ops.cast(rows, int64), width]), ops.constant(b""))
    made = ops.tensor_scatter_nd_update(empty, parts.indices, parts.values)
    shape = shape64(x)
    return [ops.reshape(made, ops.concat(0, [shape, width])), ops.reshape(counts, shape)]


def _string_normalizer(n: OnnxNode) -> Tensor:
    """The strings without those to leave out; one empty string if none is left."""
    x = n.tensor(0)
    words = n.strings("stopwords", [])
    if n.text("case_change_action", "NONE") != "NONE" or (words and not n.int("is_case_sensitive", 0)):
        raise UnsupportedOnnx("it changes or ignores the case of letters")
    flat = ops.reshape(x, [-1])
    kept: Tensor | None = None
    for word in words:
        other = ops.not_equal(flat, ops.constant(word))
        kept = other if kept is None else ops.logical_and(kept, other)
    found = flat if kept is None else ops.boolean_mask(flat, kept)
    is_empty = ops.cast(ops.equal(ops.size(found), constant(0, int32)), int32)
    none = ops.fill(ops.expand_dims(is_empty, 0), ops.constant(b""))
    found = ops.concat(0, [found, none])
    return ops.expand_dims(found, 0) if rank_of(x) == 2 else found


def _regex(n: OnnxNode) -> Tensor:
    return static_regex_full_match(n.tensor(0), n.text("pattern"))


TEXTS = (
    OnnxOp("RegexFullMatch", _regex, 20, differs="patterns are plain text with at most one `.*`"),
    OnnxOp("StringConcat", _string_concat, 20),
    OnnxOp("StringNormalizer", _string_normalizer, 10, differs="the case of letters is neither changed nor ignored"),
    OnnxOp("StringSplit", _string_split, 20, differs="delimiters of one letter, without `maxsplit`"),
    OnnxOp("TfIdfVectorizer", _tf_idf, 9),
)
