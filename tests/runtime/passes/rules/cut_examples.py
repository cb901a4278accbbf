"""Examples of the rules on cuts, pads, joins of given sizes, and on movements that are undone."""

from collections.abc import Iterator

import numpy as np

import penstock as tf
from penstock.ops.move.getitem import Index, Span
from penstock.ops.move.getitem_gradient import placed_at_index
from penstock.ops.move.split_sizes import split_sizes
from penstock.runtime.passes.rules.cuts import ConcatOfCuts, CutOfConcat, CutOfPlaced
from penstock.runtime.passes.rules.join_split import ConcatSplitSizes, SplitSizesConcat
from penstock.runtime.passes.rules.movement import DiagonalOfDiagonal, ReverseSequenceTwice, RollBack

from .rule_examples import Example, example, example_of, near_misses_of

NUMBERS = np.arange(12, dtype="f4").reshape(4, 3)


@example_of(CutOfPlaced)
def _() -> Example:
    x = tf.placeholder("float32", ["n", 3])
    padded = tf.pad(x, [[0, 0], [1, 2]])
    placed = placed_at_index(tf.pack([tf.shape(x)[0], 5]), x, Index((..., Span(1, 4, None))))
    cuts = [tf.slice(padded, [0, 1], tf.shape(x)), padded[:, 1:4], tf.slice(placed, [0, 1], tf.shape(x))]
    return example(cuts, {x: NUMBERS})


@near_misses_of(CutOfPlaced)
def _() -> Iterator[Example]:
    x, begin = tf.placeholder("float32", [4, 3]), tf.placeholder("int32", [2])
    padded = tf.pad(x, [[0, 0], [1, 2]])
    yield example(tf.slice(padded, [0, 0], [4, 3]), {x: NUMBERS}, "what is cut out is not what was put in")
    yield example(tf.slice(padded, [0, 1], [4, 2]), {x: NUMBERS}, "what is cut out is not what was put in")
    yield example(tf.slice(padded, begin, [4, 3]), {x: NUMBERS, begin: [0, 1]}, "is not known before the run")
    open_ = tf.placeholder("float32", ["n", 3])
    placed = placed_at_index(tf.pack([tf.shape(open_)[0] + 1, 3]), open_, Index((Span(1, None, None),)))
    yield example(tf.slice(placed, [1, 0], tf.shape(open_)), {open_: NUMBERS}, "whether the block fits its place")


@example_of(CutOfConcat)
def _() -> Example:
    x, y = tf.placeholder("float32", ["n", 3]), tf.placeholder("float32", ["n", 2])
    both = tf.concat(1, [x, y])
    return example([both[:, :3], tf.slice(both, [0, 3], [-1, 2])], {x: NUMBERS, y: NUMBERS[:, :2]})


@near_misses_of(CutOfConcat)
def _() -> Iterator[Example]:
    x, y = tf.placeholder("float32", ["n", 3]), tf.placeholder("float32", ["n", 2])
    feeds = {x: NUMBERS, y: NUMBERS[:, :2]}
    both = tf.concat(1, [x, y])
    yield example(both[:, 1:4], feeds, "what is cut out is not one of the values")
    yield example(both[:, ::2], feeds, "which elements are cut out is not known")
    z = tf.placeholder("float32", ["m", 3])
    yield example(tf.concat(1, [x, z])[:, :3], {x: NUMBERS, z: NUMBERS}, "whether the shapes fit is not known")


@example_of(ConcatOfCuts)
def _() -> Example:
    x = tf.placeholder("float32", ["n", 3])
    joined = [tf.concat(1, [x[:, :1], x[:, 1:]]), tf.concat(-1, [tf.slice(x, [0, 0], [-1, 2]), x[..., 2:]])]
    return example(joined, {x: NUMBERS})


@near_misses_of(ConcatOfCuts)
def _() -> Iterator[Example]:
    x = tf.placeholder("float32", ["n", 3])
    yield example(tf.concat(1, [x[:, 1:], x[:, :1]]), {x: NUMBERS}, "the cuts do not follow each other")
    yield example(tf.concat(1, [x[:, :1], x[:, 1:2]]), {x: NUMBERS}, "the cuts are not all of the tensor")
    yield example(tf.concat(1, [x[:, :1], x[:, ::2]]), {x: NUMBERS}, "which elements are cut out is not known")


@example_of(ConcatSplitSizes)
def _() -> Example:
    x = tf.placeholder("float32", ["n", 3])
    return example(tf.concat(1, split_sizes(x, [1, 2], 1, 2)), {x: NUMBERS})


@near_misses_of(ConcatSplitSizes)
def _() -> Iterator[Example]:
    x, sizes = tf.placeholder("float32", [4, 4]), tf.placeholder("int32", [2])
    value = np.arange(16, dtype="f4").reshape(4, 4)
    yield example(tf.concat(0, split_sizes(x, [2, 2], 1, 2)), {x: value}, "joined along another")
    yield example(tf.concat(1, split_sizes(x, [2, 2], 1, 2)[::-1]), {x: value}, "not all parts in their order")
    yield example(tf.concat(1, split_sizes(x, sizes, 1, 2)), {x: value, sizes: [1, 3]}, "whether the sizes add up")


@example_of(SplitSizesConcat)
def _() -> Example:
    x, y = tf.placeholder("float32", ["n", 3]), tf.placeholder("float32", ["n", 2])
    return example(split_sizes(tf.concat(1, [x, y]), [3, 2], 1, 2), {x: NUMBERS, y: NUMBERS[:, :2]})


@near_misses_of(SplitSizesConcat)
def _() -> Iterator[Example]:
    x, y = tf.placeholder("float32", ["n", 3]), tf.placeholder("float32", ["n", 2])
    feeds, both = {x: NUMBERS, y: NUMBERS[:, :2]}, tf.concat(1, [x, y])
    yield example(split_sizes(both, [2, 3], 1, 2), feeds, "whether the sizes are those of the values")
    yield example(split_sizes(both, [1, 2, 2], 1, 3), feeds, "2 values are joined and split into 3")


@example_of(ReverseSequenceTwice)
def _() -> Example:
    x, lengths = tf.placeholder("float32", [4, 3]), tf.constant([1, 2, 3, 0])
    return example(tf.reverse_sequence(tf.reverse_sequence(x, lengths, 1), lengths, 1), {x: NUMBERS})


@near_misses_of(ReverseSequenceTwice)
def _() -> Iterator[Example]:
    x, lengths = tf.placeholder("float32", [4, 3]), tf.placeholder("int64", [4])
    twice = tf.reverse_sequence(tf.reverse_sequence(x, lengths, 1), lengths, 1)
    yield example(twice, {x: NUMBERS, lengths: [1, 2, 3, 0]}, "not known before the run")


@example_of(RollBack)
def _() -> Example:
    x = tf.placeholder("float32", ["n", 3])
    return example(tf.roll(tf.roll(x, [1, 2], [0, 1]), [-1, -2], [0, 1]), {x: NUMBERS})


@near_misses_of(RollBack)
def _() -> Iterator[Example]:
    x, shift = tf.placeholder("float32", ["n", 3]), tf.placeholder("int32", [])
    yield example(tf.roll(tf.roll(x, 1, 0), -1, 1), {x: NUMBERS}, "it is not rolled back")
    yield example(tf.roll(tf.roll(x, shift, 0), -shift, 0), {x: NUMBERS, shift: 2}, "how far it is rolled is not known")


@example_of(DiagonalOfDiagonal)
def _() -> Example:
    x = tf.placeholder("float32", ["n"])
    return example(tf.diag_part(tf.diag(x)), {x: [1.0, 2.0]})


@near_misses_of(DiagonalOfDiagonal)
def _() -> Iterator[Example]:
    x = tf.placeholder("float32")
    yield example(tf.diag_part(tf.diag(x)), {x: [1.0, 2.0]}, "whether it is a scalar is not known")
