"""Models of Keras and tf2onnx load, have onnxruntime's values and TensorFlow's gradients, and are trained."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf

from .test_models_of_others import near, part

FOLDER = Path(__file__).with_name("keras_models")
NAMES = sorted(path.stem for path in FOLDER.glob("*.onnx"))
OF_KERAS = [name for name in NAMES if name.startswith("keras_")]


def recorded(name: str) -> dict[str, Any]:
    with np.load(FOLDER / f"{name}.npz") as file:
        return {key: file[key] for key in file.files}


def loaded(name: str, trainable: bool = False) -> tuple[Any, dict[Any, Any], Any, Any]:
    """The model, what is fed, its one output and the value of that."""
    arrays = recorded(name)
    model = tf.load_onnx(FOLDER / f"{name}.onnx", trainable=trainable)
    ((key, value),) = part(arrays, "out_").items()
    return model, {model.inputs[key]: v for key, v in part(arrays, "in_").items()}, model.outputs[key], value


def test_there_is_a_model_of_each_kind() -> None:
    kinds = ("cnn", "gru", "lstm", "mlp", "simplernn", "transformer", "two_way", "words")
    wanted = sorted([*[f"keras_{kind}" for kind in kinds], "tf_branch", "tf_loop", "tf_scan"])
    assert wanted == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_model_has_the_values_of_onnxruntime(name: str) -> None:
    with tf.Graph().as_default() as graph:
        _, feeds, y, want = loaded(name)
        got = tf.Session(graph=graph).run(y, feeds)
    assert near(got, want)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "keras_words"])
def test_a_model_has_the_gradient_of_tensorflow(name: str) -> None:
    with tf.Graph().as_default() as graph:
        model, feeds, y, _ = loaded(name)
        slopes = tf.gradients(tf.reduce_sum(y * y), [next(iter(model.inputs.values()))])
        got = tf.Session(graph=graph).run(tf.convert_to_tensor(slopes[0]), feeds)
    want = recorded(name)["gradient"]
    assert got.shape == want.shape
    assert np.allclose(got, want, 1e-3, 1e-5)


@pytest.mark.share(2)
@pytest.mark.parametrize("name", OF_KERAS)
def test_a_model_is_trained_further_and_saved_back(name: str, tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        _, feeds, y, _ = loaded(name, trainable=True)
        loss = tf.reduce_mean(tf.square(y))
        step = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
        with tf.Session(graph=graph) as session:
            session.run(tf.global_variables_initializer())
            losses = []
            for _ in range(3):
                losses.append(session.run(loss, feeds))
                session.run(step, feeds)
            want = session.run(y, feeds)
            graph.export(tmp_path / "trained.onnx", fetches={"y": y}, feeds=list(feeds), session=session)
    assert losses[0] > losses[1] > losses[2]
    with tf.Graph().as_default() as graph:
        again = tf.load_onnx(tmp_path / "trained.onnx")
        fed = dict(zip(again.inputs.values(), feeds.values(), strict=True))
        got = tf.Session(graph=graph).run(again.outputs["y"], fed)
    assert near(got, want)
