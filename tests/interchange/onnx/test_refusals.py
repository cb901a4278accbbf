"""What has no ONNX form is told with its true reason, and the cure that is named works."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import penstock as tf
from penstock.errors import GraphFormatError

EFFECTS: dict[str, tuple[Callable[[tf.Tensor], tf.Tensor], str]] = {
    "py_func": (lambda y: tf.py_func(np.negative, [y], tf.float32), "it calls the program or touches files"),
    "read_file": (lambda y: tf.read_file("there/is/none"), "read files in the program that runs the model"),
    "queue": (lambda y: tf.FIFOQueue(1, tf.float32, shapes=[[]]).dequeue(), "it uses a queue, an iterator or a reader"),
    "variable": (lambda y: tf.Variable(1.0).assign_add(1.0), "it writes a variable"),
}


@pytest.mark.parametrize("what", EFFECTS)
def test_an_operation_with_an_effect_is_refused_for_what_it_does(what: str, tmp_path: Path) -> None:
    build, words = EFFECTS[what]
    with tf.Graph().as_default() as graph:
        fetched = build(tf.constant([1.0]))
    with pytest.raises(GraphFormatError, match=words) as caught:
        graph.export(tmp_path / "m.onnx", fetches=fetched)
    assert "test_refusals.py" in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_the_result_of_such_an_operation_can_be_an_input_of_the_model() -> None:
    with tf.Graph().as_default():
        called = tf.py_func(np.negative, [tf.constant([1.0])], tf.float32)
        called.set_shape([1])
        model = tf.load_onnx(tf.save_onnx(None, {"y": called * 2.0}, [called]))
    with tf.Session(graph=model.graph) as session:
        assert session.run(model.outputs["y"], {next(iter(model.inputs.values())): [3.0]}).tolist() == [6.0]
