"""Gradients of operands of any shapes that fit together: repeated either way, empty, of one element, unknown rank."""

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penstock as tf
from penstock.graph.model.nodes import Tensor
from penstock.ops.declare.elementwise_gradient import repeated_axes

from ..helpers import at_most, shares
from ..op_samples import Call, Place
from .differences import slopes
from .test_every_gradient import by_op, samples

Shape = tuple[int, ...]

PAIRS: dict[str, Callable[[Any, Any], Tensor]] = {
    "add": tf.add, "subtract": tf.subtract, "multiply": tf.multiply, "divide": tf.divide,
    "squared_difference": tf.squared_difference, "atan2": tf.atan2, "maximum": tf.maximum, "minimum": tf.minimum,
    "pow": lambda x, y: tf.pow(tf.exp(x), y), "where": lambda x, y: tf.where(x > y, x * y, x + y),
    "floormod": lambda x, y: tf.floormod(x, tf.square(y) + 7.5),
}  # fmt: skip


@st.composite
def shapes_that_fit(draw: st.DrawFn) -> tuple[Shape, Shape]:
    """Two shapes that broadcast: each of some axes of a common shape, some of them of size 1."""
    common = draw(st.lists(st.sampled_from([0, 1, 2, 3]), max_size=3))
    sides = []
    for _ in range(2):
        kept = common[draw(st.integers(0, len(common))) :]
        sides.append(tuple(1 if draw(st.booleans()) and draw(st.booleans()) else size for size in kept))
    return sides[0], sides[1]


def static(draw: st.DataObject, shape: Shape) -> list[int | None] | None:
    """What a placeholder knows of a shape: all, some sizes, or not even the rank."""
    if draw.draw(st.integers(0, 3)) == 0:
        return None
    return [size if draw.draw(st.booleans()) else None for size in shape]


@pytest.mark.parametrize("name", PAIRS)
@given(shapes=shapes_that_fit(), data=st.data())
@settings(deadline=None)
def test_the_gradient_of_each_operand_has_its_shape_and_equals_differences(
    name: str, shapes: tuple[Shape, Shape], data: st.DataObject
) -> None:
    rng = np.random.default_rng(len(shapes[0]) * 7 + len(shapes[1]))
    with tf.Graph().as_default():
        # no two are equal: at ties there is no derivative
        values = [np.asarray(rng.normal(size=shape) + place * 0.125) for place, shape in enumerate(shapes)]
        x, y = (tf.placeholder(tf.float64, static(data, shape)) for shape in shapes)
        found = slopes([PAIRS[name](x, y)], [x, y], {x: values[0], y: values[1]})
        for slope in found:
            assert slope.symbolic is not None and slope.symbolic.shape == slope.numeric.shape
            assert np.allclose(slope.symbolic, slope.numeric, rtol=1e-4, atol=1e-5)


@given(shapes=shapes_that_fit())
def test_static_shapes_show_which_axes_were_repeated(shapes: tuple[Shape, Shape]) -> None:
    target = np.broadcast_shapes(*shapes)
    for shape in shapes:
        axes = repeated_axes(shape, target)
        assert axes is not None
        counts = np.ones(target).sum(tuple(axes)).reshape(shape)
        assert not counts.size or (counts == int(np.prod(target)) // counts.size).all()


REDUCTIONS = ("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod", "reduce_logsumexp")


@pytest.mark.parametrize("name", REDUCTIONS)
@given(shape=st.lists(st.sampled_from([1, 2, 3]), min_size=1, max_size=3), data=st.data())
@settings(deadline=None)
def test_the_gradient_of_a_reduction_over_any_axes_equals_differences(
    name: str, shape: list[int], data: st.DataObject
) -> None:
    axes = data.draw(st.none() | st.lists(st.integers(-len(shape), len(shape) - 1), unique_by=lambda a: a % len(shape)))
    with tf.Graph().as_default():
        value = np.random.default_rng(3).permutation(np.arange(1.0, np.prod(shape) + 1)).reshape(shape) / 4
        x = tf.placeholder(tf.float64, static(data, tuple(shape)))
        keep = data.draw(st.booleans())
        (slope,) = slopes([getattr(tf, name)(x, axes, keep)], [x], {x: value})
        assert slope.symbolic is not None and slope.symbolic.shape == value.shape
        assert np.allclose(slope.symbolic, slope.numeric, rtol=1e-4, atol=1e-5)


def places_in(call: Call, dtype: tf.DType) -> list[Place]:
    """The operands of a sample that are of a dtype and may vary."""
    return [place for place in call.free if tf.as_dtype(call.array(place).dtype) is dtype]


@pytest.mark.share(2)
@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.complex64], ids=str)
@shares(1)
def test_gradients_keep_the_dtype_of_their_operands(dtype: tf.DType, most: int) -> None:
    tried = 0
    of_dtype = by_op(call for call in samples() if places_in(call, dtype))
    for call in chain.from_iterable(at_most(each, most) for each in of_dtype.values()):
        for place in places_in(call, dtype):
            array = call.array(place)
            with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
                x = tf.placeholder(dtype, array.shape)
                outputs = [t for t in call.build({place: x}) if t.dtype.is_floating or t.dtype.is_complex]
                if not outputs:
                    continue
                (slope,) = tf.gradients(outputs, x, grad_ys=[tf.ones_like(t) for t in outputs])
                if slope is None:
                    continue
                value = session.run(tf.convert_to_tensor(slope), {x: array})
                assert tf.as_dtype(np.asarray(value).dtype) is dtype and np.shape(value) == array.shape
                tried += 1
    assert tried > 2
