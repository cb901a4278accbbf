"""`tf.contrib.slim.learning`, `model_analyzer`, and the projector's file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf

SLIM: Any = tf.contrib.slim
TRAINING: Any = tf.contrib.training
PROJECTOR: Any = tf.contrib.tensorboard.plugins.projector
X = np.random.RandomState(1).randn(32, 4).astype(np.float32)
Y = X @ np.array([[1.0], [-2.0], [0.5], [3.0]], np.float32)


def loss_of_line() -> Any:
    return tf.losses.mean_squared_error(Y, SLIM.fully_connected(X, 1, activation_fn=None, scope="line"))


def test_a_step_gives_the_loss_and_runs_all_updates() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.set_random_seed(1)
        x = SLIM.batch_norm(X, decay=0.5, scope="norm")
        loss = tf.losses.mean_squared_error(Y, SLIM.fully_connected(x, 1, activation_fn=None))
        step = SLIM.learning.create_train_op(loss, tf.train.GradientDescentOptimizer(0.1), summarize_gradients=True)
        assert graph.get_collection(tf.GraphKeys.TRAIN_OP)[-1] is step
        assert len(graph.get_collection(tf.GraphKeys.SUMMARIES)) == 2 * len(tf.trainable_variables())
        session.run(tf.global_variables_initializer())
        losses = [session.run(step) for _ in range(5)]
        assert losses == sorted(losses, reverse=True) and session.run(tf.train.get_global_step()) == 5
        mean = SLIM.get_unique_variable("norm/moving_mean")
        assert np.allclose(session.run(mean), X.mean(0) * (1 - 0.5**5), atol=1e-5)


def test_gradients_are_clipped_and_multiplied() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        a, b, rows = tf.Variable([3.0, 4.0]), tf.Variable([1.0]), tf.Variable(np.eye(3, dtype=np.float32))
        loss = tf.reduce_sum(a * a) + tf.reduce_sum(b) + tf.reduce_sum(tf.gather(rows, [1]))
        step = SLIM.learning.create_train_op(
            loss, tf.train.GradientDescentOptimizer(1.0), None, clip_gradient_norm=5.0,
            gradient_multipliers={a: 0.25, b.op.name: 0.5, rows: 2.0},
        )  # fmt: skip
        session.run(tf.global_variables_initializer())
        session.run(step)
        assert np.allclose(session.run(a), [1.5, 2.0]) and session.run(b).tolist() == [0.5]
        assert session.run(rows)[1].tolist() == [-2.0, -1.0, -2.0]
        clipped = SLIM.learning.clip_gradient_norms([(tf.constant([6.0, 8.0]), a), (None, b)], 5.0)
        assert np.allclose(session.run(clipped[0][0]), [3.0, 4.0]) and clipped[1][0] is None
        with pytest.raises(ValueError, match="Requested multiple of `None` gradient: Variable_1 has none"):
            SLIM.learning.multiply_gradients([(None, b)], {b: 2.0})
        half = TRAINING.create_train_op(
            loss, tf.train.GradientDescentOptimizer(1.0), None, variables_to_train=[b],
            transform_grads_fn=lambda pairs: [(g * 0.5, v) for g, v in pairs], summarize_gradients=True,
        )  # fmt: skip
        session.run(half)
        assert session.run(b).tolist() == [0.0]


def test_a_loss_that_is_not_finite_is_an_error() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.Variable(0.0)
        step = SLIM.learning.create_train_op(tf.log(w), tf.train.GradientDescentOptimizer(1.0))
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match="LossTensor is inf or nan"):
            session.run(step)


def test_the_loop_trains_saves_and_goes_on(tmp_path: Path) -> None:
    def run(steps: int, **options: Any) -> float:
        with tf.Graph().as_default():
            tf.set_random_seed(1)
            step = SLIM.learning.create_train_op(loss_of_line(), tf.train.GradientDescentOptimizer(0.1))
            return float(SLIM.learning.train(step, str(tmp_path), number_of_steps=steps, **options))

    started: list[Any] = []
    first = run(3, init_fn=started.append, save_summaries_secs=60, log_every_n_steps=10)
    assert tf.train.latest_checkpoint(str(tmp_path)) == str(tmp_path / "model.ckpt-3") and len(started) == 1
    assert run(8) < first and tf.train.latest_checkpoint(str(tmp_path)) == str(tmp_path / "model.ckpt-8")
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="train_op cannot be None"):
            SLIM.learning.train(None, None)
        with pytest.raises(ValueError, match=r"train_step_fn=...\) is not supported"):
            SLIM.learning.train(tf.constant(1.0), None, train_step_fn=print)
        with pytest.raises(ValueError, match="no global step"):
            SLIM.learning.train(tf.constant(1.0), None)


def test_the_size_of_a_model_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with tf.Graph().as_default():
        loss_of_line()
        assert SLIM.model_analyzer.analyze_vars(tf.trainable_variables(), print_info=True) == (5, 20)
        assert capsys.readouterr().out.splitlines()[3:] == [
            "line/weights:0 (float32 4x1) [4, bytes: 16]", "line/biases:0 (float32 1) [1, bytes: 4]",
            "Total size of variables: 5", "Total bytes of variables: 20",
        ]  # fmt: skip
        assert SLIM.model_analyzer.analyze_vars([]) == (0, 0) and not capsys.readouterr().out


def test_the_projector_finds_its_embeddings(tmp_path: Path) -> None:
    config = PROJECTOR.ProjectorConfig()
    words, images = config.embeddings.add(), config.embeddings.add()
    words.tensor_name, words.metadata_path = "words:0", 'a "b".tsv'
    images.tensor_name, images.sprite.image_path = "images:0", "sprite.png"
    images.sprite.single_image_dim.extend([28, 32])
    with tf.summary.FileWriter(str(tmp_path / "log")) as writer:
        PROJECTOR.visualize_embeddings(writer, config)
    assert (tmp_path / "log" / "projector_config.pbtxt").read_text() == (
        'embeddings {\n  tensor_name: "words:0"\n  metadata_path: "a \\"b\\".tsv"\n}\n'
        'embeddings {\n  tensor_name: "images:0"\n  sprite {\n    image_path: "sprite.png"\n'
        "    single_image_dim: 28\n    single_image_dim: 32\n  }\n}\n"
    )


def test_variables_come_from_a_checkpoint(tmp_path: Path) -> None:
    path = str(tmp_path / "model")
    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable([1.0, 2.0], name="net/w")
        tf.Variable([3.0], name="net/b")
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, path)
    with tf.Graph().as_default(), tf.Session() as session:
        w, top = tf.Variable([0.0, 0.0], name="net/w"), tf.Variable([9.0], name="net/top")
        session.run(tf.global_variables_initializer())
        SLIM.assign_from_checkpoint_fn(path, [w, top], ignore_missing_vars=True)(session)
        assert session.run(w).tolist() == [1.0, 2.0] and session.run(top).tolist() == [9.0]
        SLIM.assign_from_checkpoint_fn(path, {"net/b": top})(session)
        assert session.run(top).tolist() == [3.0]
        assert SLIM.filter_variables([w, top], ["^net"], ["top"]) == [w]
        assert SLIM.filter_variables([w, top], ["top"], reg_search=False) == []
        with pytest.raises(ValueError, match="has none of the variables; it has net/b, net/w"):
            SLIM.assign_from_checkpoint_fn(path, [tf.Variable(1.0, name="x")], ignore_missing_vars=True)
        with pytest.raises(ValueError, match="cannot be empty"):
            SLIM.assign_from_checkpoint_fn(path, [])


def test_losses_and_metrics_of_slim_take_the_predictions_first() -> None:
    """They are those of tf.contrib.losses and tf.contrib.metrics, as in TensorFlow 1.15."""
    slim = tf.contrib.slim
    logits, labels = [[2.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 0.0]]
    with tf.Graph().as_default(), tf.Session() as session:
        found = slim.losses.softmax_cross_entropy(tf.constant(logits), tf.constant(labels))
        expect = tf.losses.softmax_cross_entropy(tf.constant(labels), tf.constant(logits))
        assert session.run(found) == session.run(expect)
        values, updates = slim.metrics.aggregate_metric_map(
            {"accuracy": slim.metrics.streaming_accuracy(tf.constant([0, 1]), tf.constant([0, 0]))}
        )
        session.run(tf.local_variables_initializer())
        session.run(list(updates.values()))
        assert session.run(values["accuracy"]) == 0.5


@pytest.mark.parametrize("given", [list, dict])
def test_batches_are_prefetched_for_towers(given: type) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        number, text = tf.train.limit_epochs(tf.constant([1, 2]), 3), tf.constant(["a", "b"])
        session.run(tf.local_variables_initializer())
        tensors = [number, text] if given is list else {"n": number, "t": text}
        queue = tf.contrib.slim.prefetch_queue.prefetch_queue(tensors, capacity=4, num_threads=2)
        element = queue.dequeue()
        numbers = element[0] if given is list else element["n"]
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord)
        assert [session.run(numbers).tolist() for _ in range(3)] == [[1, 2]] * 3
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(element)
        coord.request_stop()
        coord.join(threads)
        assert numbers.shape == [2] and queue.name.startswith("prefetch_queue/")


def test_values_of_a_checkpoint_are_fed(tmp_path: Path) -> None:
    framework = tf.contrib.framework
    with tf.Graph().as_default(), tf.Session() as session:
        v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable(3, name="w")
        session.run(tf.global_variables_initializer())
        path = str(tf.train.Saver([v]).save(session, str(tmp_path / "m")))
        session.run([v.assign([0.0, 0.0]), w.assign(0)])
        with pytest.raises(ValueError, match=r"missing variable \[w\]"):
            framework.assign_from_checkpoint(path, [v, w])
        session.run(*framework.assign_from_checkpoint(path, [v, w], ignore_missing_vars=True))
        assert session.run([v, w])[0].tolist() == [1.0, 2.0] and session.run(w) == 0
        with pytest.raises(ValueError, match="has shape"):
            framework.assign_from_checkpoint(path, {"v": w})
        assert session.run(framework.zero_initializer(v)).tolist() == [0.0, 0.0]
