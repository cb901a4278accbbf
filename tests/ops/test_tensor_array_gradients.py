"""Gradients through TensorArrays are those of the same program with tensors, of first and second order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.model.nodes import Tensor
from penstock.ops.tensor_array.variant_sums import add_element, add_variants

ROWS = np.arange(12, dtype=np.float64).reshape(4, 3) / 7 - 0.5
Program = Callable[[Any], Any]


def array(size: int = 4, **facts: Any) -> tf.TensorArray:
    return tf.TensorArray(tf.float64, size, **{"clear_after_read": False, **facts})


def weighted(tensor: Any) -> Any:
    """A scalar on which every element has another influence, twice over."""
    flat = tf.reshape(tensor, [-1])
    return tf.reduce_sum(flat * flat * tf.to_double(tf.range(1, tf.size(flat) + 1)))


def slope(y: Any, x: Any) -> Tensor:
    return tf.convert_to_tensor(tf.gradients(y, x)[0])


def parts(x: Any) -> list[Any]:
    return [x[0:1], x[1:1], x[1:4]]


PAIRS: dict[str, tuple[Program, Program]] = {
    "write and stack": (
        lambda x: array().write(2, x[0]).write(0, x[1] * x[2]).write(1, x[3]).write(3, x[0]).stack(),
        lambda x: tf.stack([x[1] * x[2], x[3], x[0], x[0]]),
    ),
    "elements that are not written": (
        lambda x: array().write(2, x[0]).stack(),
        lambda x: tf.stack([x[0] * 0.0, x[0] * 0.0, x[0], x[0] * 0.0]),
    ),
    "unstack and read": (
        lambda x: array().unstack(x).read(1) * array().unstack(x * x).read(3),
        lambda x: x[1] * x[3] * x[3],
    ),
    "several reads of one array": (
        lambda x: (lambda a: a.read(0) * a.read(0) + a.read(2) * a.read(0))(array().unstack(x)),
        lambda x: x[0] * x[0] + x[2] * x[0],
    ),
    "a read and a stack of one array": (
        lambda x: (lambda a: a.stack() * a.read(1))(array().unstack(x)),
        lambda x: x * x[1],
    ),
    "scatter and gather": (
        lambda x: array(9).scatter([8, 0, 3, 5], x).gather([3, 3, 8]),
        lambda x: tf.gather(x, [2, 2, 0]),
    ),
    "split and concat": (
        lambda x: array(3, infer_shape=False).split(x, [1, 0, 3]).concat() * 2.0,
        lambda x: tf.concat(0, parts(x)) * 2.0,
    ),
    "split and read": (
        lambda x: array(3, infer_shape=False).split(x, [1, 0, 3]).read(2),
        lambda x: x[1:4],
    ),
    "write and concat": (
        lambda x: array(2, infer_shape=False).write(0, x[2:]).write(1, x[:1]).concat(),
        lambda x: tf.concat(0, [x[2:], x[:1]]),
    ),
    "an array that grows": (
        lambda x: array(0, dynamic_size=True).write(0, x[0]).write(3, x[1]).stack(),
        lambda x: tf.stack([x[0], x[0] * 0.0, x[0] * 0.0, x[1]]),
    ),
    "an array that is used twice": (
        lambda x: (lambda a: a.write(1, x[1]).stack() * a.write(1, x[2]).stack())(array(2).write(0, x[0])),
        lambda x: tf.stack([x[0], x[1]]) * tf.stack([x[0], x[2]]),
    ),
    "identity": (
        lambda x: array().unstack(x).identity().read(2),
        lambda x: x[2],
    ),
}


@pytest.mark.share(2)
@pytest.mark.parametrize("name", PAIRS)
def test_gradients_are_those_of_the_program_with_tensors(name: str) -> None:
    with_arrays, with_tensors = PAIRS[name]
    for static in ([4, 3], [None, 3], None):
        with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
            x = tf.placeholder(tf.float64, static)
            found = []
            for program in (with_arrays, with_tensors):
                y = program(x)
                loss = weighted(y)
                first = slope(loss, x)
                second = slope(weighted(first), x)
                found.append(session.run([y, first, second], {x: ROWS}))
            for got, want in zip(*found, strict=True):
                assert np.allclose(got, want, rtol=1e-12, atol=1e-12)


def test_what_does_not_reach_the_result_has_no_gradient() -> None:
    with tf.Graph().as_default():
        x = tf.constant(ROWS)
        ints = tf.TensorArray(tf.int32, 1).write(0, tf.cast(x, tf.int32)).read(0)
        assert tf.gradients(tf.to_double(ints), x) == [None]
        assert tf.gradients(array().write(0, x).stack(), tf.constant(1.0)) == [None]
        assert tf.gradients(array(1).write(0, tf.stop_gradient(x)).stack(), x) == [None]


def test_an_array_of_gradients_can_be_asked_for_and_given() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        start = array(2).write(0, [1.0, 2.0])
        y = tf.reduce_sum(start.write(1, [3.0, 4.0]).stack() * [[1.0, 2.0], [3.0, 4.0]])
        (slope,) = tf.gradients(y, start.flow)
        assert slope.dtype is tf.variant
        (through,) = tf.gradients(start.flow, start.flow, grad_ys=slope)
        x = tf.constant([5.0, 6.0], tf.float64)
        (of_x,) = tf.gradients(array(2).write(0, x).flow, x, grad_ys=through)
        assert session.run(of_x).tolist() == [1.0, 2.0]
        with pytest.raises(TypeError, match=r"give a tensor that is computed from it, such as array.stack\(\)"):
            tf.gradients(start.flow, start.flow)


def test_n_reads_of_an_array_are_summed_element_by_element() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(np.arange(20.0))
        source = array(20).unstack(x)
        (slope,) = tf.gradients(tf.add_n([source.read(i) * float(i) for i in range(20)]), x)
    sums = [op for op in graph.get_operations() if op.opdef in (add_element, add_variants)]
    assert [op.opdef for op in sums] == [add_element] * 19
    with tf.Session(graph=graph) as session:
        assert session.run(slope).tolist() == list(range(20))
        assert str(session.plan(slope)).count("in place of") >= 18


def test_jvps_and_hessians_go_through_arrays() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.constant([1.0, 2.0, 3.0], tf.float64)
        stacked = array(3).unstack(x).stack()
        y = tf.reduce_sum(stacked * stacked * stacked)
        assert session.run(tf.hessians(y, x)[0]).tolist() == np.diag([6.0, 12.0, 18.0]).tolist()
        (along,) = tf.jvp([stacked * 2.0], [x], [tf.constant([1.0, 0.0, 5.0], tf.float64)])
        assert session.run(along).tolist() == [2.0, 0.0, 10.0]


def through_a_loop(x: Any) -> Any:
    """Row k of the result: the product of rows 0 to k of x, read from one array and written to another."""
    rows = tf.TensorArray(tf.float64, tf.shape(x)[0]).unstack(x)

    def body(i: Tensor, product: Tensor, out: tf.TensorArray) -> Any:
        product = product * rows.read(i)
        return i + 1, product, out.write(i, product)

    start = [0, tf.ones([3], tf.float64), tf.TensorArray(tf.float64, tf.shape(x)[0])]
    return tf.while_loop(lambda i, *_: i < tf.shape(x)[0], body, start)[2].stack()


def backwards_in_place(x: Any) -> Any:
    """The rows in reverse order, each plus the one read before."""
    given = array(4).unstack(x)

    def body(i: Tensor, source: tf.TensorArray, out: tf.TensorArray) -> Any:
        return i + 1, source, out.write(3 - i, source.read(i) + source.read((i + 1) % 4))

    return tf.while_loop(lambda i, *_: i < 4, body, [0, given, array(4)])[2].stack()


def in_branches(x: Any) -> Any:
    start = array(3).write(0, x[0])
    chosen = tf.cond(x[0, 0] < 0.0, lambda: start.write(1, x[1] * x[2]), lambda: start.write(2, x[3]))
    return chosen.stack()


LOOPS: dict[str, tuple[Program, Program]] = {
    "a loop that reads and writes": (through_a_loop, lambda x: tf.cumprod(x)),
    "two reads of a loop variable": (
        backwards_in_place, lambda x: tf.reverse(x + tf.concat(0, [x[1:], x[:1]]), [True, False]),
    ),
    "branches": (in_branches, lambda x: tf.stack([x[0], x[1] * x[2], x[0] * 0.0])),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
def test_gradients_inside_loops_are_those_of_the_program_without(name: str) -> None:
    with_arrays, with_tensors = LOOPS[name]
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.placeholder(tf.float64, [4, 3])
        found = []
        for program in (with_arrays, with_tensors):
            y = program(x)
            first = slope(weighted(y), x)
            second = slope(weighted(first), x)
            found.append(session.run([y, first, second], {x: ROWS}))
        for got, want in zip(*found, strict=True):
            assert np.allclose(got, want, rtol=1e-10, atol=1e-10)
