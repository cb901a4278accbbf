"""Examples of the rules on data movement: transposes and slices, joins and splits."""

from collections.abc import Iterator

import numpy as np

import penstock as tf
from penstock.runtime.passes.rules.join_split import (
    ConcatConcat,
    ConcatSplit,
    PackUnpack,
    SplitConcat,
    UnpackPack,
)
from penstock.runtime.passes.rules.movement import (
    IndexOfAll,
    KeptAxes,
    PadByZero,
    ReshapeAround,
    ReverseReverse,
    SliceOfAll,
    TileOnce,
    TransposeInOrder,
    TransposeTranspose,
)

from .rule_examples import Example, example, example_of, near_misses_of

# ---- transposes, reverses, slices --------------------------------------------------------------


@example_of(TransposeTranspose)
def _() -> Example:
    x = tf.placeholder("float32", [2, 3, "n"])
    value = np.arange(12, dtype="f4").reshape(2, 3, 2)
    return example([tf.transpose(tf.transpose(x, [1, 2, 0]), [0, 2, 1]), tf.transpose(tf.transpose(x))], {x: value})


@near_misses_of(TransposeTranspose)
def _() -> Iterator[Example]:
    x, p = tf.placeholder("float32", [2, 3]), tf.placeholder("int32", [2])
    feeds = {x: np.ones((2, 3)), p: [1, 0]}
    yield example(tf.transpose(tf.transpose(x, p), [1, 0]), feeds, "a permutation is not known before the run")


@example_of(TransposeInOrder)
def _() -> Example:
    x = tf.placeholder("float32", ["n", 2])
    return example(tf.transpose(x, [0, -1]), {x: np.ones((3, 2))})


@example_of(ReverseReverse)
def _() -> Example:
    x = tf.placeholder("int32", ["n", 2])
    twice = tf.reverse(tf.reverse(x, [True, False]), [True, False])
    return example([twice, tf.reverse(tf.reverse(x, [True, True]), [True, False])], {x: [[1, 2], [3, 4]]})


@near_misses_of(ReverseReverse)
def _() -> Iterator[Example]:
    x = tf.placeholder("int32")
    again = tf.reverse(tf.reverse(x, [True]), [True])
    yield example(again, {x: [1, 2]}, "the rank of what is reversed is not known")


@example_of(SliceOfAll)
def _() -> Example:
    x = tf.placeholder("float32", ["n", 2])
    return example(tf.slice(x, [0, 0], [-1, 2]), {x: np.ones((3, 2))})


@near_misses_of(SliceOfAll)
def _() -> Iterator[Example]:
    x = tf.placeholder("float32")
    yield example(tf.slice(x, [0], [-1]), {x: [1.0]}, "the rank of what is cut is not known")


@example_of(IndexOfAll)
def _() -> Example:
    x = tf.placeholder("float32", ["n", 2])
    return example([x[:, 0:], x[...]], {x: np.ones((3, 2))})


@near_misses_of(IndexOfAll)
def _() -> Iterator[Example]:
    x = tf.placeholder("float32")
    yield example(x[:], {x: [1.0]}, "the rank of what is indexed is not known")


@example_of(PadByZero)
def _() -> Example:
    x = tf.placeholder("float32", ["n", 2])
    return example(tf.pad(x, [[0, 0], [0, 0]]), {x: np.ones((3, 2))})


@near_misses_of(PadByZero)
def _() -> Iterator[Example]:
    x = tf.placeholder("float32")
    yield example(tf.pad(x, [[0, 0]]), {x: [1.0]}, "the rank of what is padded is not known")


@example_of(TileOnce)
def _() -> Example:
    x = tf.placeholder("float32", ["n", 2])
    return example(tf.tile(x, [1, 1]), {x: np.ones((3, 2))})


@near_misses_of(TileOnce)
def _() -> Iterator[Example]:
    x = tf.placeholder("float32")
    yield example(tf.tile(x, [1]), {x: [1.0]}, "the rank of what is repeated is not known")


# ---- joins and splits --------------------------------------------------------------------------


@example_of(PackUnpack)
def _() -> Example:
    x = tf.placeholder("float32", [2, "n"])
    return example(tf.pack(tf.unpack(x)), {x: np.ones((2, 3))})


@near_misses_of(PackUnpack)
def _() -> Iterator[Example]:
    x, y = tf.placeholder("float32", [2]), tf.placeholder("float32", ["n"])
    a, b = tf.unpack(x)
    yield example(tf.pack([b, a]), {x: [1.0, 2.0]}, "not all parts in their order")
    yield example(tf.pack(tf.unpack(y, 2)), {y: [1.0, 2.0]}, "how many rows there are is not known")


@example_of(UnpackPack)
def _() -> Example:
    x, y = tf.placeholder("float32", ["n"]), tf.placeholder("float32", ["n"])
    return example(tf.unpack(tf.pack([x, y])), {x: [1.0, 2.0], y: [3.0, 4.0]})


@near_misses_of(UnpackPack)
def _() -> Iterator[Example]:
    x, y = tf.placeholder("float32", [None]), tf.placeholder("float32", [None])
    feeds = {x: [1.0], y: [2.0]}
    yield example(tf.unpack(tf.pack([x, y])), feeds, "whether the values have one shape is not known")


@example_of(ConcatSplit)
def _() -> Example:
    x = tf.placeholder("float32", ["n", 4])
    return example(tf.concat(-1, tf.split(1, 2, x)), {x: np.ones((3, 4))})


@near_misses_of(ConcatSplit)
def _() -> Iterator[Example]:
    x, y = tf.placeholder("float32", [4, 4]), tf.placeholder("float32", ["n"])
    value = np.arange(16).reshape(4, 4)
    yield example(tf.concat(0, tf.split(1, 2, x)), {x: value}, "along one dimension and joined along another")
    yield example(tf.concat(0, tf.split(0, 2, x)[::-1]), {x: value}, "not all parts in their order")
    yield example(tf.concat(0, tf.split(0, 2, y)), {y: [1.0, 2.0]}, "whether the size can be divided evenly")


@example_of(SplitConcat)
def _() -> Example:
    x, y = tf.placeholder("float32", ["n", 2]), tf.placeholder("float32", ["n", 2])
    return example(tf.split(1, 2, tf.concat(1, [x, y])), {x: np.ones((3, 2)), y: np.zeros((3, 2))})


@near_misses_of(SplitConcat)
def _() -> Iterator[Example]:
    x, y = tf.placeholder("float32", [1]), tf.placeholder("float32", [3])
    feeds = {x: [1.0], y: [2.0, 3.0, 4.0]}
    yield example(tf.split(0, 2, tf.concat(0, [x, y])), feeds, "whether the values have one shape")
    yield example(tf.split(0, 4, tf.concat(0, [x, y])), feeds, "2 values are joined and split into 4")


@example_of(ConcatConcat)
def _() -> Example:
    x, y, z = (tf.placeholder("float32", [name, 2]) for name in "abc")
    feeds = {x: np.ones((1, 2)), y: np.ones((2, 2)), z: np.zeros((1, 2))}
    return example(tf.concat(0, [x, tf.concat(-2, [y, z])]), feeds)


@near_misses_of(ConcatConcat)
def _() -> Iterator[Example]:
    x, y = tf.placeholder("float32", [2, 2]), tf.placeholder("float32", [None, 2])
    feeds = {x: np.ones((2, 2)), y: np.ones((1, 2))}
    mixed = tf.concat(0, [tf.concat(1, [x, x]), tf.concat(1, [y, y])])
    yield example(mixed, feeds, "joined along different dimensions")


# ---- shapes that reductions keep ----------------------------------------------------------------


@example_of(KeptAxes)
def _() -> Example:
    x, one = tf.placeholder("float32", ["n", 3]), tf.placeholder("float32", ["n", 1])
    pairs = [tf.expand_dims(tf.reduce_mean(x, 1), 1), tf.reshape(tf.reduce_sum(one, [1]), tf.shape(one)),
             tf.reshape(tf.reduce_max(x, 0), [1, 3]), tf.reshape(tf.reduce_prod(tf.exp(x)), [1, 1])]  # fmt: skip
    return example(pairs, {x: np.array([[-0.0, 3.0, np.nan], [np.inf, 2.0, 1.0]]), one: [[-0.0], [5.0]]})


@example_of(ReshapeAround)
def _() -> Example:
    x, n = tf.placeholder("float32", ["n", 1]), tf.placeholder("float32", [])
    pairs = [tf.expand_dims(tf.reshape(x, [-1]) / n, 1), tf.reshape(tf.exp(tf.squeeze(x, [1])), tf.shape(x))]
    return example(pairs, {x: [[1.0], [-0.0], [np.nan]], n: 3.0})


@near_misses_of(KeptAxes)
def _() -> Iterator[Example]:
    sizes = tf.placeholder("int32", [2])
    x = tf.placeholder("float32", [2, 3])
    back = tf.reshape(tf.reduce_sum(x, 1), sizes)
    back.set_shape([2, 1])
    yield example(back, {x: np.ones((2, 3)), sizes: [2, 1]}, "a shape is not known before the run")
