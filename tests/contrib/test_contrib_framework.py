"""Normalizing layers, optimize_loss, arg_scope, lists of variables of `tf.contrib`; templates; initial checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf
from penstock.contrib import framework, layers, slim

TF: Any = tf  # what tests of wrong arguments call
LAYERS: Any = layers
SLIM: Any = slim
X = np.random.RandomState(3).randn(6, 5, 4, 3).astype(np.float32)


def test_batch_norm_trains_and_then_uses_its_averages() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        training = tf.placeholder(tf.bool, [])
        y = layers.batch_norm(X, decay=0.5, scale=True, is_training=training, activation_fn=tf.nn.relu)
        updates = graph.get_collection(tf.GraphKeys.UPDATE_OPS)
        session.run(tf.global_variables_initializer())
        names = [v.op.name for v in tf.global_variables()]
        assert sorted(names) == [f"BatchNorm/{each}" for each in ("beta", "gamma", "moving_mean", "moving_variance")]
        got, *_ = session.run([y, *updates], {training: True})
        mean, variance = X.mean((0, 1, 2)), X.var((0, 1, 2))
        assert np.allclose(got, np.maximum((X - mean) / np.sqrt(variance + 0.001), 0), atol=1e-4)
        assert np.allclose(session.run(framework.get_unique_variable("BatchNorm/moving_mean")), 0.5 * mean, atol=1e-6)
        later = session.run(y, {training: False})
        moved = session.run(framework.get_unique_variable("BatchNorm/moving_variance"))
        assert np.allclose(later, np.maximum((X - 0.5 * mean) / np.sqrt(moved + 0.001), 0), atol=1e-4)


def test_batch_norm_without_a_collection_updates_itself() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        y = layers.batch_norm(X, decay=0.0, updates_collections=None)
        assert graph.get_collection(tf.GraphKeys.UPDATE_OPS) == []
        session.run(tf.global_variables_initializer())
        session.run(y)
        moved = session.run(framework.get_unique_variable("BatchNorm/moving_mean"))
        assert np.allclose(moved, X.mean((0, 1, 2)), atol=1e-6)


def test_layer_norm_is_of_each_example() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        y = layers.layer_norm(X)
        session.run(tf.global_variables_initializer())
        mean, deviation = X.mean((1, 2, 3), keepdims=True), X.std((1, 2, 3), keepdims=True)
        assert np.allclose(session.run(y), (X - mean) / deviation, atol=1e-4)
        assert [v.shape.as_list() for v in tf.trainable_variables()] == [[3], [3]]


def test_small_layers() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        most = layers.max_pool2d(X, [2, 2], outputs_collections="ends")
        mean = layers.avg_pool2d(X, 2, stride=1, padding="SAME")
        same = layers.dropout(X, is_training=False)
        half = layers.dropout(tf.ones([1000]), 0.5, seed=1)
        rows = layers.embed_sequence([[0, 2], [2, 2]], 3, 4, scope="e")
        again = layers.embed_sequence([[0, 2], [2, 2]], 3, 4, scope="e", reuse=True, unique=True)
        session.run(tf.global_variables_initializer())
        assert graph.get_collection("ends") == [most] and most.shape == [6, 2, 2, 3] and mean.shape == [6, 5, 4, 3]
        assert np.array_equal(session.run(same), X)
        assert set(session.run(half)) == {0.0, 2.0} and 400 < (session.run(half) > 0).sum() < 600
        assert np.array_equal(*session.run([rows, again])) and len(tf.trainable_variables()) == 1


@pytest.mark.parametrize("optimizer", ["Adagrad", "Adam", "Ftrl", "Momentum", "RMSProp", "SGD", tf.train.AdamOptimizer,
                                       lambda rate: tf.train.GradientDescentOptimizer(rate)])  # fmt: skip
def test_optimize_loss_makes_steps(optimizer: Any) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.create_global_step()
        w = tf.get_variable("w", initializer=[3.0, -2.0])
        loss = tf.reduce_sum(tf.square(w))
        step = layers.optimize_loss(
            loss, None, 0.05, optimizer, clip_gradients=1.0, gradient_multipliers={w: 2.0},
            learning_rate_decay_fn=lambda rate, count: tf.train.exponential_decay(rate, count, 10, 0.9),
            summaries=["loss", "gradients", "gradient_norm", "global_gradient_norm", "learning_rate"],
        )  # fmt: skip
        session.run(tf.global_variables_initializer())
        losses = [session.run(step) for _ in range(5)]
        assert losses[0] == 13.0 and losses == sorted(losses, reverse=True) and losses[-1] < 13
        assert session.run(tf.train.get_global_step()) == 5
        assert len(tf.get_collection(tf.GraphKeys.SUMMARIES)) == 5


def test_scopes_set_arguments_and_nest() -> None:
    with tf.Graph().as_default():
        with slim.arg_scope([slim.conv2d, slim.fully_connected], activation_fn=None, biases_initializer=None):
            with slim.arg_scope([slim.conv2d], stride=2) as inner:
                y = slim.conv2d(X, 4, 3, scope="a")
            z = slim.conv2d(X, 4, 3, stride=1, activation_fn=tf.nn.relu, scope="b")
        with slim.arg_scope(inner):
            again = slim.conv2d(X, 4, 3, scope="c")
        plain = slim.conv2d(X, 4, 3, scope="d")
        assert y.shape == [6, 3, 2, 4] == again.shape and z.shape == [6, 5, 4, 4] == plain.shape
        assert (y.op.type, z.op.type, plain.op.type) == ("Conv2D", "Relu", "Relu")
        assert [v.op.name for v in slim.get_variables_by_name("biases")] == ["d/biases"]


def test_repeat_and_stack_name_their_layers() -> None:
    with tf.Graph().as_default():
        slim.repeat(X, 2, slim.conv2d, 8, [3, 3], scope="conv1")
        slim.stack(tf.zeros([2, 3]), slim.fully_connected, [4, 5], scope="fc")
        names = [v.op.name for v in slim.get_variables_by_name("weights")]
        assert names == ["conv1/conv1_1/weights", "conv1/conv1_2/weights", "fc/fc_1/weights", "fc/fc_2/weights"]


def test_lists_of_variables() -> None:
    with tf.Graph().as_default():
        slim.fully_connected(tf.zeros([2, 3]), 4, scope="a")
        slim.fully_connected(tf.zeros([2, 3]), 4, scope="b")
        tf.Variable(0.0, trainable=False, name="count")
        assert len(slim.get_variables()) == 5 and len(slim.get_model_variables("a")) == 2
        assert len(slim.get_trainable_variables(suffix="weights")) == 2
        restored = slim.get_variables_to_restore(["a", "count"], ["a/weights"])
        assert [v.op.name for v in restored] == ["a/biases", "count"]


def test_templates_share_their_variables() -> None:
    with tf.Graph().as_default(), tf.Session() as session:

        def line(x: Any, scale: float) -> Any:
            return x * tf.get_variable("w", [], initializer=tf.constant_initializer(3.0)) * scale

        first, second = tf.make_template("line", line, scale=2.0), tf.make_template("line", line, True, scale=1.0)
        results = [first(1.0), first(2.0), second(1.0)]
        session.run(tf.global_variables_initializer())
        assert session.run(results) == [6.0, 12.0, 3.0]
        assert sorted(v.name for v in tf.global_variables()) == ["line/w:0", "line_1/w:0"]
        assert [v.name for v in first.trainable_variables] in (["line/w:0"], ["line_1/w:0"])


def test_variables_begin_with_a_checkpoint(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("net/a", initializer=[1.0, 2.0])
        tf.get_variable("net/b", initializer=5.0)
        session.run(tf.global_variables_initializer())
        path = str(tf.train.Saver().save(session, str(tmp_path / "model")))
    with tf.Graph().as_default(), tf.Session() as session:
        a, b, c = (tf.get_variable(name, shape) for name, shape in (("x/a", [2]), ("x/b", []), ("c", [])))
        tf.train.init_from_checkpoint(path, {"net/": "x/", "net/b": c})
        session.run(tf.global_variables_initializer())
        assert [value.tolist() for value in session.run([a, b, c])] == [[1.0, 2.0], 5.0, 5.0]
        d = tf.get_variable("d", [2])
        tf.train.init_from_checkpoint(str(tmp_path), {"net/a": "d"})
        session.run(d.initializer)
        assert session.run(d).tolist() == [1.0, 2.0]
        for mapping, words in (
            ({"net/c": c}, "Tensor net/c is not found"),
            ({"net/a": c}, "doesn't match with shape of tensor net/a"),
            ({"net/a": "e"}, "'e' is no variable"),
            ({"net/": "x"}, "should map to scope only"),
            ({"net/a": 3}, "mapped to 3"),
            ({"net/": "none/"}, "below the scope 'none/'"),
        ):
            with pytest.raises(ValueError, match=words):
                tf.train.init_from_checkpoint(path, mapping)
        with pytest.raises(tf.errors.NotFoundError, match="there is no checkpoint"):
            tf.train.init_from_checkpoint(str(tmp_path / "other"), {})


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: LAYERS.optimize_loss(tf.constant(1.0), None, 0.1, "Sgd"), ValueError, "Optimizer name should"),
        (lambda: LAYERS.optimize_loss(tf.constant(1.0), None, None, "SGD"), ValueError, "Learning rate is None"),
        (lambda: LAYERS.optimize_loss(tf.constant(1.0), None, 0.1, 3), ValueError, "Unrecognized optimizer: 3"),
        (lambda: LAYERS.optimize_loss(tf.constant(1.0), None, 0.1, "SGD", summaries=["x"]), ValueError, "Summaries"),
        (lambda: LAYERS.embed_sequence([[1]]), ValueError, "Must specify vocab size"),
        (lambda: LAYERS.batch_norm(X, batch_weights=[1.0]), tf.errors.UnimplementedError, "batch_weights="),
        (lambda: LAYERS.layer_norm(X, begin_norm_axis=5), ValueError, "must be dimensions of inputs"),
        (lambda: SLIM.repeat(X, 0, SLIM.conv2d, 3, 3), ValueError, "repetitions=0"),
        (lambda: SLIM.stack(X, SLIM.conv2d, []), ValueError, "stack_args is empty"),
        (lambda: SLIM.arg_scope([tf.layers.dense], units=3), tf.errors.UseError, "dense takes no arguments from"),
        (lambda: SLIM.arg_scope(SLIM.conv2d, stride=3).__enter__(), tf.errors.UseError, "the functions are a list"),
        (lambda: SLIM.arg_scope({}, stride=3).__enter__(), tf.errors.UseError, "a scope is given, and arguments"),
        (lambda: framework.get_unique_variable("no"), ValueError, "Variable no not found"),
        (lambda: framework.get_variables_to_restore("abc"), TypeError, "must be a list of scopes"),
        (lambda: TF.make_template("a", 3), ValueError, "func_ must be a function"),
        (lambda: TF.make_template(lambda: 3, "a"), ValueError, "name_ must be a text"),
    ],
)
def test_wrong_arguments(call: Any, kind: type[Exception], words: str) -> None:
    with tf.Graph().as_default(), pytest.raises(kind, match=words):
        call()


def test_variables_get_the_values_of_arrays() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v, w = tf.Variable(tf.zeros([2, 2]), name="a/v"), tf.Variable(0, name="w")
        framework.assign_from_values_fn({"a/v": np.arange(4), "w": 7})(session)
        assert session.run(v).tolist() == [[0, 1], [2, 3]] and session.run(w) == 7
        before = len(tf.get_default_graph().get_operations())
        with pytest.raises(ValueError, match=r"the variable a/v has shape \(2, 2\), and its value \[3\]"):
            framework.assign_from_values({"w": 1, "a/v": [1, 2, 3]})
        with pytest.raises(ValueError, match="Variable x not found"):
            framework.assign_from_values({"w": 1, "x": 1})
        assert len(tf.get_default_graph().get_operations()) == before


def test_tasks_take_turns_and_variables_stand_on_their_device() -> None:
    with tf.Graph().as_default():
        chooser = tf.contrib.slim.VariableDeviceChooser(
            num_tasks=2, job_name="keeper", device_type="GPU", device_index=1
        )
        places = [tf.contrib.slim.model_variable(name, [1], device=chooser).device for name in "abc"]
        assert places == [f"/job:keeper/task:{task}/device:GPU:1" for task in (0, 1, 0)]
        assert framework.VariableDeviceChooser()(None) == "/device:CPU:0"
        assert framework.model_variable("d", [1], device="/cpu:0").device == "/device:CPU:0"
        assert framework.model_variable("e", [1]).device == ""
        steps = framework.global_variable(0)
        assert steps in tf.global_variables() and steps not in tf.trainable_variables()
        framework.add_model_variable(steps)
        framework.add_model_variable(steps)
        assert [v for v in tf.model_variables() if v is steps] == [steps]
        parts = tf.get_variable("w", [4], partitioner=tf.fixed_size_partitioner(2))
        assert {framework.get_variable_full_name(each) for each in [*parts, steps]} == {"w", steps.op.name}
