"""Nodes and tensors: what they tell about themselves, and what a claimed shape does."""

from __future__ import annotations

import numpy as np
import pytest

import penstock as tf


def test_an_operation_tells_what_it_is_made_of() -> None:
    with tf.Graph().as_default() as g, tf.device("/cpu:0"):
        x = tf.placeholder(tf.float32, ["n", 4], name="x")
        parts = tf.split(1, 2, x, name="halves")
    op = parts[0].op
    assert (op.name, op.type, op.graph, op.device) == ("halves", "Split", g, "/device:CPU:0")
    assert [t.name for t in op.inputs] == ["halves/split_dim:0", "x:0"]
    assert op.outputs == tuple(parts)
    assert op.values() == op.outputs
    assert op.control_inputs == ()
    assert repr(op) == "<Operation 'halves' Split>"


def test_attributes_are_read_by_the_names_of_the_signature() -> None:
    with tf.Graph().as_default():
        op = tf.split(0, 3, tf.zeros([6]))[0].op
        made = tf.placeholder("half", [2, None]).op
    assert op.get_attr("num_split") == 3
    assert op.attrs == {"num_split": 3}
    assert made.get_attr("dtype") is tf.float16
    assert str(made.get_attr("shape")) == "(2, ?)"
    with pytest.raises(ValueError, match=r"Split has no attribute of that name; it has T, num_split"):
        op.get_attr("U")
    assert op.get_attr("T") is tf.float32  # as TensorFlow's node has it


def test_a_tensor_tells_where_it_comes_from() -> None:
    with tf.Graph().as_default() as g:
        parts = tf.split(1, 2, tf.placeholder(tf.float32, ["n", 4]), name="halves")
    t = parts[1]
    assert (t.name, t.value_index, t.graph, t.device) == ("halves:1", 1, g, "")
    assert t.dtype is tf.float32
    assert t.shape is t.get_shape()
    assert repr(t) == "<Tensor 'halves:1' float32 (n, 2)>"


def test_tensors_are_compared_by_identity_and_serve_as_keys() -> None:
    with tf.Graph().as_default():
        x, y = tf.constant(1), tf.constant(1)
    with pytest.warns(tf.MistakeWarning, match=r"tf\.(not_)?equal"):
        assert (x == x, x == y, x != y) == (True, False, True)
    assert {x: "x", y: "y"}[x] == "x"
    assert x in [y, x]


def test_a_call_returns_what_its_signature_promises() -> None:
    with tf.Graph().as_default():
        assert isinstance(tf.add(1, 2), tf.Tensor)
        assert isinstance(tf.split(0, 2, [1, 2]), list)
        assert isinstance(tf.unique([1, 1]), tuple)
        assert isinstance(tf.no_op(), tf.Operation)


# ---- set_shape --------------------------------------------------------------------------------------


def test_a_claimed_shape_adds_to_what_is_known() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, None, 3])
        x.set_shape([2, None, None])
        assert str(x.shape) == "(2, ?, 3)"
        assert str(tf.add(x, x).shape) == "(2, ?, 3)"
        x.set_shape(tf.TensorShape(None))
        assert str(x.shape) == "(2, ?, 3)"


def test_a_claim_that_contradicts_is_refused_and_changes_nothing() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2, None], name="x")
        with pytest.raises(ValueError, match=r"set_shape\(\(3, 4\)\): x:0 has shape \(2, \?\).*Dimension 0"):
            x.set_shape([3, 4])
        assert str(x.shape) == "(2, ?)"


def test_values_known_through_a_shape_are_worked_out_anew_after_a_claim() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None])
        rows = tf.shape(x)
        assert str(tf.zeros(rows).shape) == "(?,)"
        x.set_shape([5])
        assert str(tf.zeros(rows).shape) == "(5,)"


def test_a_run_checks_a_claim() -> None:
    with tf.Graph().as_default() as g:
        x = tf.placeholder(tf.float32, name="x")
        y = tf.add(x, x, name="y")
        y.set_shape([None, 3])
        z = tf.add(y, 1.0)
    assert z.shape == [None, 3]
    with tf.Session(graph=g) as session:
        assert session.run(z, {x: np.zeros((2, 3))}).shape == (2, 3)
        words = r"set_shape said that y:0 has shape \(\?, 3\).*\(2, 4\)"
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            session.run(z, {x: np.zeros((2, 4))})


def test_a_claim_about_a_placeholder_is_checked_when_it_is_fed() -> None:
    with tf.Graph().as_default() as g:
        x = tf.placeholder(tf.float32, name="x")
        x.set_shape([3])
    with tf.Session(graph=g) as session, pytest.raises(ValueError, match=r"shape \(4,\) for Tensor x:0.*\(3,\)"):
        session.run(x, {x: np.zeros(4)})
