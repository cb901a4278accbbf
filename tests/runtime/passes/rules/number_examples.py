"""Examples of the rules on numbers, casts and changes of shape."""

from collections.abc import Iterator
from typing import Any

import numpy as np

import penstock as tf
from penstock.graph.model.append import append_operation
from penstock.runtime.passes.rules.arithmetic_identities import (
    CastCast,
    CastToSame,
    Identity,
    IdentityOfMany,
    Involution,
    KnownNumber,
    NeutralElement,
    NonzeroDivisor,
    ReduceFewerAxes,
    ReduceNothing,
    SelectKnown,
    SumOfFew,
    SumOfOne,
)
from penstock.runtime.passes.rules.movement import (
    ReshapeReshape,
    ReshapeRoundTrip,
    SameShape,
)

from .rule_examples import Example, example, example_of, near_misses_of

# ---- casts and numbers -------------------------------------------------------------------------


@example_of(CastCast)
def _() -> Example:
    x, i = tf.placeholder("float32", ["n"]), tf.placeholder("int32", ["n"])
    back, narrow = tf.cast(tf.cast(x, "float64"), "float32"), tf.cast(tf.cast(i, "int16"), "uint8")
    return example([back, narrow], {x: [1.5, np.nan, -0.0], i: [70000, -1, 255]})


@near_misses_of(CastCast)
def _() -> Iterator[Example]:
    x, i = tf.placeholder("float32", ["n"]), tf.placeholder("int16", ["n"])
    yield example(tf.cast(tf.cast(x, "int32"), "float32"), {x: [1.5]}, "int32 does not represent every float32")
    clamped = tf.cast(tf.cast(i, "float32"), "uint8")
    yield example(clamped, {i: [-1, 300]}, "int16 wraps into uint8, but float32 saturates")


@example_of(CastToSame)
def _() -> Example:
    x = tf.placeholder("float32", ["n"])
    # `cast` returns x itself here: only imported graphs contain such a node.
    graph = x.op.graph
    outputs = [(x.dtype, x.shape)]
    op = append_operation(graph, tf.cast, (x, x.dtype), (x,), outputs, graph.claim("same"), x.op.origins)
    return example(op.outputs[0], {x: [1.0, 2.0]})


@example_of(Identity)
def _() -> Example:
    x = tf.placeholder("float32", ["n"])
    return example(tf.identity(tf.stop_gradient(x)), {x: [1.0, 2.0]})


@example_of(Involution)
def _() -> Example:
    x, b, i = tf.placeholder("float32", ["n"]), tf.placeholder("bool", ["n"]), tf.placeholder("int8", ["n"])
    ints = [tf.invert(tf.invert(i)), tf.negative(tf.negative(i))]
    twice = [tf.negative(tf.negative(x)), tf.logical_not(tf.logical_not(b)), *ints]
    return example(twice, {x: [0.0, -0.0, np.nan], b: [True, False, True], i: [-128, 0, 127]})


@example_of(NeutralElement)
def _() -> Example:
    x, i = tf.placeholder("float32", ["n"]), tf.placeholder("int32", ["n"])
    results = [1.0 * x, x / 1.0, x - 0.0, x + -0.0, i + 0, i * 1, i // 1]
    return example(results, {x: [-0.0, np.inf, np.nan], i: [-(2**31), 0, 7]})


@near_misses_of(NeutralElement)
def _() -> Iterator[Example]:
    x, c = tf.placeholder("float32", ["n"]), tf.placeholder("complex64", ["n"])
    yield example(x + 0.0, {x: [-0.0]}, "-0.0 + 0.0 is 0.0")
    yield example(c * 1, {c: [complex(np.inf, 0)]}, "infinite")
    larger = x * tf.constant([[1.0], [1.0]])
    yield example(larger, {x: [1.0]}, "the constant may give the result another shape")


@example_of(NonzeroDivisor)
def _() -> Example:
    x, z = tf.placeholder("float32", ["n"]), tf.placeholder("complex64", [2])
    quotients = [tf.div_no_nan(x, 3.0), tf.div_no_nan(x, [[2.0], [np.inf]]), tf.div_no_nan(z, [1j, 2.0])]
    return example(quotients, {x: [1.0, -0.0, np.nan, np.inf], z: [1 + 2j, np.inf]})


@near_misses_of(NonzeroDivisor)
def _() -> Iterator[Example]:
    x = tf.placeholder("float32", [2])
    yield example(tf.div_no_nan(x, [2.0, -0.0]), {x: [1.0, np.nan]}, "the constant has a zero")


@example_of(SelectKnown)
def _() -> Example:
    x = tf.placeholder("float32", [2])
    return example(tf.select(tf.constant([True, True]), x, tf.constant([0.0, 0.0])), {x: [1.0, 2.0]})


@near_misses_of(SelectKnown)
def _() -> Iterator[Example]:
    x, y = tf.placeholder("float32", [2]), tf.placeholder("float32", [None])
    chosen = tf.select(tf.constant(True), x, y)
    yield example(chosen, {x: [1.0, 2.0], y: [3.0, 4.0]}, "whether both sides have one shape is not known")


@example_of(KnownNumber)
def _() -> Example:
    x = tf.placeholder("float32", ["batch", 3])
    return example(tf.shape(x)[1] + 1, {x: np.ones((2, 3))})


# ---- changes of shape --------------------------------------------------------------------------


@example_of(ReshapeReshape)
def _() -> Example:
    x = tf.placeholder("float32", ["n", 6])
    return example(tf.reshape(tf.reshape(x, [-1, 3]), [-1, 2]), {x: np.arange(12).reshape(2, 6)})


@near_misses_of(ReshapeReshape)
def _() -> Iterator[Example]:
    x = tf.placeholder("float32", ["n", 2])
    feeds = {x: np.arange(6).reshape(3, 2)}
    twice = tf.reshape(tf.reshape(x, [2, 3]), [-1])
    yield example(twice, feeds, "whether the first shape fits is not known before the run")


@example_of(SameShape)
def _() -> Example:
    x = tf.placeholder("float32", ["n", 3])
    two = tf.placeholder("float32", [2, 4])
    return example([tf.reshape(x, [-1, 3]), tf.squeeze(two)], {x: np.ones((2, 3)), two: np.ones((2, 4))})


@example_of(ReshapeRoundTrip)
def _() -> Example:
    x = tf.placeholder("float32", ["n", 3])
    row = tf.placeholder("float32", [1, "n"])
    pairs: list[Any] = [tf.squeeze(tf.expand_dims(x, 1), [1]), tf.expand_dims(tf.squeeze(row, [0]), 0)]
    return example(pairs, {x: np.ones((2, 3)), row: np.ones((1, 2))})


@near_misses_of(ReshapeRoundTrip)
def _() -> Iterator[Example]:
    x, at = tf.placeholder("float32", [3]), tf.placeholder("int32", [])
    back = tf.reshape(tf.expand_dims(x, at), [3])
    yield example(back, {x: [1.0, 2.0, 3.0], at: 0}, "a value or a shape is not known before the run")


@example_of(IdentityOfMany)
def _() -> Example:
    x, y = tf.placeholder("float32", ["n"]), tf.placeholder("int32", ["n"])
    both = tf.identity_n([tf.negative(x), y])
    return example([both[0] + 1.0, both[1]], {x: [1.0, 2.0], y: [1, 2]})


# ---- reductions ---------------------------------------------------------------------------------


@example_of(ReduceNothing)
def _() -> Example:
    x, y = tf.placeholder("float32", ["n"]), tf.placeholder("float32", [])
    nothing = [tf.reduce_sum(x, []), tf.reduce_mean(x, []), tf.reduce_max(x, [], keepdims=True), tf.reduce_sum(y)]
    return example(nothing, {x: [1.5, np.nan, -0.0], y: -0.0})


@near_misses_of(ReduceNothing)
def _() -> Iterator[Example]:
    x, axes = tf.placeholder("float32", ["n"]), tf.placeholder("int32", [None])
    how_many = "how many axes are reduced is not known before the run"
    yield example(tf.reduce_sum(x, axes), {x: [1.5, -0.0], axes: np.zeros(0, np.int32)}, how_many)


@example_of(ReduceFewerAxes)
def _() -> Example:
    x, y = tf.placeholder("float32", [1, 33]), tf.placeholder("float64", [4, 1, "n"])
    pairs = [tf.reduce_sum(x, keepdims=True), tf.reduce_mean(y, [-1, 1], keepdims=True)]
    rng = np.random.default_rng(0)
    return example(pairs, {x: rng.standard_normal((1, 33)) * 1e3, y: rng.standard_normal((4, 1, 19))})


@example_of(SumOfOne)
def _() -> Example:
    x, i, z = tf.placeholder("float32", [1, "n"]), tf.placeholder("int32", [2, 1]), tf.placeholder("complex64", [1, 1])
    sums = [tf.reduce_sum(x, 0, True), tf.reduce_sum(i, [-1], True), tf.reduce_sum(z, keepdims=True)]
    return example(sums, {x: [[-0.0, np.nan, -3.0]], i: [[5], [-2147483648]], z: [[complex(-0.0, -0.0)]]})


@example_of(SumOfFew)
def _() -> Example:
    x, i = tf.placeholder("float32", ["n", 3]), tf.placeholder("int32", [2])
    sums = [tf.add_n([x, x]), tf.add_n([i, i]), tf.add_n([tf.exp(x), -x])]
    values = np.array([[1.5, np.nan, -0.0], [np.inf, -np.inf, 3e38]], np.float32)
    return example(sums, {x: values, i: np.array([2147483647, -5], np.int32)})


@near_misses_of(SumOfFew)
def _() -> Iterator[Example]:
    x, y = tf.placeholder("float32", [None, 3]), tf.placeholder("float32", [None, 3])
    row = np.array([[1.0, 2.0, 3.0]], np.float32)
    yield example(tf.add_n([x, y]), {x: row, y: row}, "whether the summands have one shape is not known")
    parts = [tf.add_n([x, x, x, -x, x]), tf.add_n([tf.add_n([x, x, -x, x, -x]), x])]
    yield example(parts, {x: row}, "there are many summands")
