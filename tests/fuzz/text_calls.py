"""Random calls on strings and sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from .call_operands import Operands
from .elementwise_calls import with_gradients

WORDS = (
    b"",
    b"a",
    b"abc",
    b" two words ",
    b"A-b_C",
    b"\xc3\xa4\xe2\x82\xac",
    b"x,y,,z",
    b"12",
    b"-3.5",
    b"1e3",
    b"nan",
    b"0x1F",
    b"\xff\x00q",
    b"aaa",
)


def words(o: Operands, sizes: list[int]) -> Any:
    """An array of words."""
    array = np.empty(sizes, object)
    for place in range(array.size):
        array.flat[place] = WORDS[o.rng.randint(len(WORDS))]
    return array


def text(o: Operands, sizes: list[int]) -> Any:
    """An operand of words."""
    array = words(o, sizes)
    if array.ndim == 0 or not array.size or o.chance(0.5):
        return o.tf.constant(array.tolist(), o.tf.string, sizes)
    place = o.tf.placeholder(o.tf.string, o.pick(None, sizes, [None] * len(sizes)))
    o.feeds[place] = o.pick(array, array.tolist(), array[::-1].copy()[::-1])
    return place


def strings(o: Operands) -> list[Any]:
    """Parts, joins, splits, expressions, numbers as text and text as numbers, hashes, base64."""
    tf, rng = o.tf, o.rng
    sizes = o.sizes()
    x = text(o, sizes)
    kind = rng.randint(13)
    if kind == 0:
        unit = o.pick("BYTE", "BYTE", "UTF8_CHAR")
        return [
            tf.strings.substr(
                x, o.operand(np.int32(rng.randint(-4, 4))), o.operand(np.int32(rng.randint(0, 4))), unit=unit
            )
        ]
    if kind == 1:
        pattern = o.pick("a", "[a-z]+", r"(\w)(\w)", "^", "$", "", r"\s", "(a|b)*", r"\d+")
        return [
            tf.strings.regex_replace(x, pattern, o.pick("", r"<\0>", "-"), o.chance(0.6)),
            tf.strings.regex_full_match(x, pattern),
        ]
    if kind == 2:
        one = text(o, o.sizes(1, 1))
        pieces = tf.string_split(one, o.pick(" ", "", ",", ", ", "a"), o.chance(0.6))
        return [pieces.indices, pieces.values, pieces.dense_shape]
    if kind == 4:
        axis = o.pick(None, o.axis(len(sizes)), [o.axis(len(sizes))]) if sizes else None
        return [tf.reduce_join(x, axis, keep_dims=o.chance(0.4), separator=o.pick("", "+"))]
    if kind == 5:
        parts = [x, text(o, o.pick(sizes, [])), text(o, sizes)]
        return [tf.strings.join(parts, o.pick("", "--"))]
    if kind == 6:
        number = text(o, o.sizes(0, 1, 0))
        return [tf.string_to_number(number, o.pick(tf.float32, tf.float64, tf.int32, tf.int64))]
    if kind == 7:
        y = o.draw(sizes, o.pick("float32", "float64", "int32", "int64", "bool", "uint8", "complex64"), unusual=0.3)
        if "float" in str(getattr(y, "dtype", "")):
            return [
                tf.as_string(
                    y,
                    int(rng.randint(-1, 5)),
                    o.chance(0.2),
                    o.chance(0.2),
                    int(rng.randint(-1, 9)),
                    o.pick("", " ", "0"),
                )
            ]
        return [tf.as_string(y, width=int(rng.randint(-1, 9)), fill=o.pick("", " ", "0"))]
    if kind == 8:
        return [
            tf.strings.to_hash_bucket_fast(x, 1000),
            tf.strings.to_hash_bucket_fast(x, 7),
        ]
    if kind == 9:
        return [tf.strings.lower(x), tf.strings.upper(x), tf.strings.strip(x), tf.strings.length(x)]
    if kind == 10:
        coded = tf.encode_base64(x, o.chance(0.5))
        return [coded, tf.decode_base64(coded if o.chance(0.7) else x)]
    if kind == 11:
        width = int(rng.randint(0, 9))
        raw = np.empty(3, object)
        raw[:] = [rng.bytes(width) for _ in range(3)]
        return [
            tf.decode_raw(
                tf.constant(raw.tolist()), o.pick(tf.uint8, tf.int16, tf.float32, tf.int64, tf.float16), o.chance(0.5)
            )
        ]
    return [tf.equal(x, text(o, o.pick(sizes, [])))]


def sparse_operand(o: Operands, dense: Any, unusual: bool = False) -> Any:
    """A sparse tensor of what is not zero in an array; if `unusual`, now and then out of order."""
    places = np.argwhere(dense != 0).astype("i8").reshape(-1, dense.ndim)
    values = dense[tuple(places.T)]
    if unusual and o.chance(0.1):
        order = o.rng.permutation(len(places))
        places, values = places[order], values[order]
    return o.tf.SparseTensor(places, values, dense.shape)


def parts(sparse: Any) -> list[Any]:
    """The three tensors of a sparse one."""
    return [sparse.indices, sparse.values, sparse.dense_shape]


def sparse_tensors(o: Operands) -> list[Any]:
    """Sums, products, slices, joins, rows that are filled, softmax, and what turns sparse into dense."""
    tf, rng = o.tf, o.rng
    dtype = o.pick("float32", "float64", "int32", "int64")
    sizes = [max(1, size) for size in o.sizes(2, 3)] if o.chance(0.9) else o.sizes(2, 3)
    dense = o.array(sizes, dtype) * (rng.rand(*sizes) < 0.5)
    dense = dense.astype(dtype)
    x = sparse_operand(o, dense, True)
    floating = dtype.startswith("float")
    kind = rng.randint(16)
    if kind == 0:
        axis = o.pick(None, o.axis(len(sizes)), [0, -1])
        name = o.pick("sparse_reduce_sum", "sparse_reduce_max")
        return [getattr(tf, name)(x, axis, o.chance(0.4))]
    if kind == 1:
        return parts(
            getattr(tf, o.pick("sparse_reduce_sum_sparse", "sparse_reduce_max_sparse"))(
                x, o.pick(None, -1, [0]), o.chance(0.4)
            )
        )
    if kind == 2:
        x = sparse_operand(o, dense.reshape(sizes[0], -1))
        filled, empty = tf.sparse_fill_empty_rows(x, o.pick(np.array(7, dtype)))
        return [*parts(filled), empty]
    if kind == 3:
        start = [int(rng.randint(0, size + 1)) for size in sizes]
        return parts(tf.sparse_slice(x, start, [int(rng.randint(0, 4)) for _ in sizes]))
    if kind == 4:
        x = sparse_operand(o, dense)  # the order of what is out of order differs
        y = sparse_operand(o, np.where(rng.rand(*sizes) < 0.4, dense, 0).astype(dtype))
        return parts(tf.sparse_concat(o.axis(len(sizes)), [x, y, x]))
    if kind == 5:
        axis = int(rng.randint(len(sizes)))
        return [
            each
            for part in tf.sparse_split(sp_input=x, num_split=int(rng.randint(1, 4)), axis=axis)
            for each in parts(part)
        ]
    if kind == 6 and floating:
        return parts(tf.sparse_softmax(x))
    if kind == 7:
        y = sparse_operand(o, np.where(rng.rand(*sizes) < 0.5, o.array(sizes, dtype), 0).astype(dtype))
        return (
            parts(o.pick(tf.sparse_maximum, tf.sparse_minimum)(x, y))
            if o.chance(0.5)
            else parts(tf.sparse_add(x, y, o.pick(0, 1)))
        )
    if kind == 8:
        return parts(tf.sparse_reorder(x))
    if kind == 9:
        return parts(tf.sparse_reset_shape(x, None if o.chance(0.5) else [size + 1 for size in sizes]))
    if kind == 10:
        return parts(tf.sparse_retain(x, o.operand(rng.rand(int(np.count_nonzero(dense))) < 0.5)))
    if kind == 11:
        return [tf.sparse_tensor_to_dense(x, o.pick(0, 3), o.chance(0.6)), *parts(tf.sparse_transpose(x))]
    if kind == 12:
        flat = sparse_operand(o, dense.reshape(sizes[0], -1))
        y = o.draw([flat.dense_shape.shape[0] and dense.reshape(sizes[0], -1).shape[1], 2], dtype)
        return [tf.sparse_tensor_dense_matmul(flat, y)]
    if kind == 13:
        return parts(tf.sparse_reshape(x, [-1] if o.chance(0.5) else [int(np.prod(sizes)), 1]))
    if kind == 14:
        packed = tf.serialize_sparse(x)
        return parts(tf.deserialize_many_sparse(tf.expand_dims(packed, 0), x.dtype))
    ids = rng.randint(0, 4 + o.chance(0.1), [3, 2])
    keys = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant(ids.flat[:3].astype("i8")), [3, 2])
    return [tf.sparse_to_indicator(keys, 5), tf.sparse_to_dense([[0], [2]], [4], o.draw([2], dtype), 1)]


def edits(o: Operands) -> list[Any]:
    """Distances of edits between rows."""
    tf, rng = o.tf, o.rng
    rows = int(rng.randint(1, 4))
    one, two = (sparse_operand(o, rng.randint(1, 4, [rows, int(rng.randint(1, 4))])) for _ in range(2))
    two = tf.SparseTensor(two.indices, two.values, two.dense_shape)
    return with_gradients(o, tf.edit_distance(one, two, o.chance(0.5)), [])
