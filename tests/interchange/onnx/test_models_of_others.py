"""Models that PyTorch and scikit-learn exported load, have onnxruntime's values, are differentiated and trained."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf

FOLDER = Path(__file__).with_name("models")
NETWORKS = ("cnn", "depthwise_block", "gru", "lstm", "mlp", "resnet_block", "text_classifier", "transformer_block",
            "vae_decoder")  # fmt: skip
OTHERS = ("boosted_classes", "pipeline", "tree_ensemble")


def recorded(name: str) -> dict[str, Any]:
    with np.load(FOLDER / f"{name}.npz") as file:
        return {key: file[key] for key in file.files}


def part(arrays: dict[str, Any], prefix: str) -> dict[str, Any]:
    return {key[len(prefix) :]: value for key, value in arrays.items() if key.startswith(prefix)}


def near(got: Any, want: Any) -> bool:
    return got.dtype == want.dtype and got.shape == want.shape and np.allclose(got, want, 1e-4, 1e-5)


def test_every_model_that_was_recorded_is_tested() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.onnx")) == sorted((*NETWORKS, *OTHERS))


@pytest.mark.parametrize("name", (*NETWORKS, *OTHERS))
def test_a_model_has_the_values_of_onnxruntime(name: str) -> None:
    arrays = recorded(name)
    with tf.Graph().as_default() as graph:
        model = tf.load_onnx(FOLDER / f"{name}.onnx")
        wanted = part(arrays, "out_")
        assert model.outputs.keys() >= wanted.keys()
        feeds = {model.inputs[key]: value for key, value in part(arrays, "in_").items()}
        got = tf.Session(graph=graph).run([model.outputs[key] for key in wanted], feeds)
    assert all(near(a, b) for a, b in zip(got, wanted.values(), strict=True))


@pytest.mark.parametrize("name", [name for name in NETWORKS if name != "text_classifier"])
def test_a_network_has_the_gradient_of_pytorch(name: str) -> None:
    arrays = recorded(name)
    with tf.Graph().as_default() as graph:
        model = tf.load_onnx(FOLDER / f"{name}.onnx")
        x, y = next(iter(model.inputs.values())), model.outputs["y"]
        (slope,) = tf.gradients(tf.reduce_sum(y * y), [x])
        got = tf.Session(graph=graph).run(slope, {x: arrays["in_x0"]})
    assert near(got, arrays["gradient"])


@pytest.mark.share(2)
@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_is_trained_further_and_saved_back(name: str, tmp_path: Path) -> None:
    arrays = recorded(name)
    with tf.Graph().as_default() as graph:
        model = tf.load_onnx(FOLDER / f"{name}.onnx", trainable=True)
        x, y = next(iter(model.inputs.values())), model.outputs["y"]
        target = np.zeros_like(arrays["out_y"])
        loss = tf.reduce_mean(tf.square(y - target))
        step = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
        with tf.Session(graph=graph) as session:
            session.run(tf.global_variables_initializer())
            losses = []
            for _ in range(3):
                losses.append(session.run(loss, {x: arrays["in_x0"]}))
                session.run(step, {x: arrays["in_x0"]})
            want = session.run(y, {x: arrays["in_x0"]})
            graph.export(tmp_path / "trained.onnx", fetches={"y": y}, feeds=[x], session=session)
    assert losses[0] > losses[1] > losses[2]
    with tf.Graph().as_default() as graph:
        again = tf.load_onnx(tmp_path / "trained.onnx")
        got = tf.Session(graph=graph).run(again.outputs["y"], {next(iter(again.inputs.values())): arrays["in_x0"]})
    assert near(got, want)


def test_names_and_metadata_are_kept() -> None:
    with tf.Graph().as_default():
        model = tf.load_onnx(FOLDER / "mlp.onnx")
    assert model.opset == 18
    assert model.producer.startswith("pytorch")
    assert [str(value.shape) for value in model.inputs.values()] == ["(batch, 8)"]
