"""Walks, choices and copies of `tf.contrib.graph_editor`, and the staging area."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

import penstock as tf

GE: Any = tf.contrib.graph_editor


def network() -> tuple[Any, Any, Any]:
    """A placeholder, a hidden layer and a loss."""
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    with tf.variable_scope("net"):
        w = tf.get_variable("w", [3, 2], initializer=tf.ones_initializer())
        y = tf.nn.relu(tf.matmul(x, w, name="product"), name="y")
    return x, y, tf.reduce_sum(tf.square(y, name="sq"), name="loss")


def names(ops: Any) -> list[str]:
    return [op.name for op in ops]


def test_walks_follow_the_edges() -> None:
    with tf.Graph().as_default() as graph:
        x, y, loss = network()
        back = GE.get_backward_walk_ops(loss)
        assert names(back)[0] == "loss" and set(names(back)) >= {"sq", "net/y", "net/product", "x"}
        assert "x" not in names(GE.get_backward_walk_ops([loss.op], stop_at_ts=[x]))
        assert "loss" not in names(GE.get_backward_walk_ops([loss.op], inclusive=False))
        forward = GE.get_forward_walk_ops([x], within_ops=back)
        assert names(forward) == ["net/product", "net/y", "sq", "loss"]
        assert names(GE.get_forward_walk_ops(x.op, within_ops_fn=lambda op: op.type != "Square")) == [
            "x", "net/product", "net/y"]  # fmt: skip
        assert names(GE.get_walks_intersection_ops([x], [y])) == ["net/product", "net/y"]
        assert set(names(GE.get_walks_union_ops([y], [y]))) >= {"net/y", "sq", "loss", "x"}
        assert names(GE.get_within_boundary_ops(graph, [y.op], [loss.op, x.op, graph.get_operation_by_name("net/w")]))


def test_control_dependencies_are_followed_if_asked() -> None:
    with tf.Graph().as_default():
        first = tf.no_op(name="first")
        with tf.control_dependencies([first]):
            t = tf.constant(1.0, name="t")
        assert names(GE.get_backward_walk_ops([t.op])) == ["t"]
        assert names(GE.get_backward_walk_ops([t.op], control_inputs=True)) == ["t", "first"]
        assert names(GE.get_forward_walk_ops([first], control_outputs=True)) == ["first", "t"]


def test_choices_by_name() -> None:
    with tf.Graph().as_default() as graph:
        x, y, loss = network()
        assert set(names(GE.select_ops("net/.*", graph=graph))) >= {"net/y", "net/product"}
        assert [t.name for t in GE.select_ts("net/y", graph=graph)] == ["net/y:0"]
        assert names(GE.get_name_scope_ops(graph, "net/"))[-1] == "net/y"
        assert names(GE.filter_ops(graph, lambda op: op.type == "Relu")) == ["net/y"]
        assert GE.filter_ts([y.op, loss.op], "^loss") == [loss]
        assert GE.make_list_of_t([y, [loss]]) == [y, loss] and GE.get_generating_ops([y]) == [y.op]
        assert names(GE.get_consuming_ops([x])) == ["net/product"]
        assert y in GE.get_tensors(graph)
        view = GE.sgv_scope("net", graph=graph)
        assert x in view.inputs and y in view.outputs and view.find_op_by_name("net/y") is y.op
        with pytest.raises(TypeError, match=r"is no operation; t[.]op is that of a tensor"):
            GE.make_list_of_op([y])


def test_a_replaced_variable_is_a_step_of_training() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, _, loss = network()
        (w,) = tf.trainable_variables()
        after = w - 0.1 * tf.gradients(loss, w)[0]
        unrolled, twice = GE.graph_replace(loss, {w: after}), GE.graph_replace([loss], {w: after * 2.0}, "later")
        assert twice[0].name.startswith("later/") and tf.gradients(unrolled, w)[0] is not None
        session.run(tf.global_variables_initializer())
        feed = {x: np.random.RandomState(0).rand(4, 3)}
        wanted, value = session.run([unrolled, after], feed)
        w.load(value, session)
        np.testing.assert_allclose(session.run(loss, feed), wanted, 1e-5)


def test_copies_read_what_they_are_told_to() -> None:
    with tf.Graph().as_default(), tf.Session() as session, tf.name_scope("around"):
        x = tf.placeholder(tf.float32, [2], name="x")
        y = tf.tuple([tf.exp(x), x * 2.0], name="y")[1]
        part = GE.sgv(GE.get_forward_walk_ops([x], control_outputs=True))
        again, info = GE.copy_with_input_replacements(part, {x: tf.constant([5.0, 6.0])}, dst_scope="twin",
                                                      src_scope="around")  # fmt: skip
        assert info.transformed(y).name.startswith("around/twin/y") and len(again) == len(part)
        assert session.run(info.transformed(y)).tolist() == [10.0, 12.0]
        same, _ = GE.copy(y.op)
        assert same.ops[0].inputs == y.op.inputs


def test_copies_of_lists_of_operands_and_of_what_waits() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, total = tf.placeholder(tf.float32, [2], name="x"), tf.Variable(0.0)
        with tf.control_dependencies([tf.assign_add(total, tf.reduce_sum(x), name="counts")]):
            y = tf.stack([tf.exp(x), x * 2.0, x], name="y")
        part = GE.sgv([op for op in GE.get_backward_walk_ops([y.op], control_inputs=True) if op is not x.op])
        _, info = GE.copy_with_input_replacements(part, {x: tf.constant([1.0, 2.0], name="new")}, dst_scope="twin")
        twin = info.transformed(y)
        assert [each.name for each in twin.op.inputs] == ["twin/Exp:0", "twin/mul:0", "new:0"]
        session.run(total.initializer)
        np.testing.assert_allclose(session.run(twin), np.array([np.exp([1.0, 2.0]), [2.0, 4.0], [1.0, 2.0]]), 1e-6)
        assert session.run(total) == 3.0  # the copy of what counts has counted


def test_what_copies_refuse() -> None:
    with tf.Graph().as_default():
        x, _, loss = network()
        with pytest.raises(ValueError, match="not connected"):
            GE.graph_replace(loss, {tf.constant(1.0): x})
        with pytest.raises(TypeError, match=r"float32"):
            GE.graph_replace(loss, {x: tf.zeros([2, 3], tf.int32)})
        with pytest.raises(TypeError, match="dst_graph is another graph"):
            GE.copy(loss.op, dst_graph=tf.Graph())
    with tf.tensorflow_stand_in():
        editor: Any = importlib.import_module("tensorflow.contrib.graph_editor")
        with pytest.raises(AttributeError, match="graph_replace or copy_with_input_replacements"):
            _ = editor.reroute_ts


def test_a_staging_area() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        area: Any = tf.contrib.staging.StagingArea([tf.float32, tf.int32], [[2], []], ["a", "b"])
        put = area.put({"a": tf.ones([2]), "b": tf.constant(3)})
        element = area.get()
        assert (area.names, area.dtypes[0], element["a"].shape.as_list()) == (["a", "b"], tf.float32, [2])
        for _ in range(3):
            session.run(put)
        value, _ = session.run([element, put])
        assert (value["a"].tolist(), value["b"], session.run(area.size())) == ([1.0, 1.0], 3, 3)
        session.run(area.clear())
        assert session.run(area.size()) == 0
        plain: Any = tf.contrib.staging.StagingArea([tf.float32])
        session.run(plain.put([tf.constant([1.0])]))
        (taken,) = plain.get()
        assert session.run(taken).tolist() == [1.0]
        with pytest.raises(TypeError, match=r"write StagingArea\(\[tf.float32\]\)"):
            tf.contrib.staging.StagingArea(tf.float32)  # type: ignore[arg-type]


def test_a_name_below_a_scope_is_the_nearest() -> None:
    with tf.Graph().as_default(), tf.name_scope("import"):
        tf.placeholder(tf.float32, name="x")
        with tf.Session() as session, pytest.raises(TypeError, match="did you mean 'import/x'"):
            session.run([], {"x:0": 1.0})
