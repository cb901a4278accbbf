"""Values passed on, and operations that only say what runs first."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given

import penstock as tf
from penstock.graph.model.nodes import Operation
from penstock.graph.shapes.dtypes import ALL

from .elementwise import arrays, of_dtypes, run, same


@given(of_dtypes(arrays, ALL))
def test_identity_and_stop_gradient_pass_any_value_on(x: Any) -> None:
    assert same(run(tf.identity, x), x)
    assert same(run(tf.stop_gradient, x), x)


def test_identity_keeps_what_is_known() -> None:
    with tf.Graph().as_default():
        sizes = tf.shape(tf.placeholder(tf.float32, ["n", 3]))
        for same_again in (tf.identity, tf.stop_gradient):
            assert str(tf.zeros(same_again(sizes)).shape) == "(n, 3)"


def test_a_fetched_identity_shares_nothing_with_what_was_fed() -> None:
    fed = np.ones(3)
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x = tf.placeholder(tf.float64)
        got = session.run(tf.identity(x), {x: fed})
    assert not np.shares_memory(got, fed)
    assert got.flags.writeable


def test_a_no_op_has_no_output_and_runs() -> None:
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        nothing = tf.no_op()
        assert isinstance(nothing, Operation)
        assert (nothing.name, nothing.type, nothing.outputs) == ("NoOp", "NoOp", ())
        assert session.run(nothing) is None


def test_a_group_waits_for_everything_it_is_given() -> None:
    with tf.Graph().as_default() as graph:
        a, b, c = (tf.constant(i, name=n) for i, n in enumerate("abc"))
        sparse = tf.SparseTensor([[0]], [1], [1])
        made = tf.group(a, [b.op, (c,)], sparse, name="all")
        assert (made.name, made.type) == ("all", "NoOp")
        parts = (sparse.indices.op, sparse.values.op, sparse.dense_shape.op)
        assert made.control_inputs == (a.op, b.op, c.op, *parts)
        assert tf.group().control_inputs == ()
        with tf.Session(graph=graph) as session:
            assert session.run(made) is None


def test_a_group_runs_what_must_be_fed() -> None:
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x = tf.placeholder(tf.float32, name="x")
        with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value for placeholder tensor 'x'"):
            session.run(tf.group(x + 1.0))


def test_a_group_is_in_the_graph_of_its_inputs() -> None:
    with tf.Graph().as_default() as inner:
        a = tf.constant(1)
    with tf.Graph().as_default():
        b = tf.constant(2)
        with inner.as_default():
            assert tf.group(a).graph is inner
            with pytest.raises(ValueError, match="belongs to"):
                tf.group(a, b)


@pytest.mark.parametrize("bad", [1, "a", None, np.ones(2)])
def test_a_group_of_values_is_a_type_error(bad: Any) -> None:
    with tf.Graph().as_default() as graph, pytest.raises(TypeError, match="inputs are operations, tensors"):
        tf.group(bad)
    assert len(graph) == 0
