"""`tf.contrib.predictor.from_saved_model`: signatures, names of tensors, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf

TF: Any = tf
from_saved_model = TF.contrib.predictor.from_saved_model


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with two signatures: y = w x + b, and twice that."""
    place = tmp_path_factory.mktemp("predictor") / "model"
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x, b = tf.placeholder(tf.float32, [None], "x"), tf.placeholder_with_default(1.0, [], "b")
        w = tf.get_variable("w", initializer=3.0)
        y = tf.add(w * x, b, name="y")
        session.run(tf.global_variables_initializer())
        utils = TF.saved_model.signature_def_utils
        builder = TF.saved_model.builder.SavedModelBuilder(str(place))
        builder.add_meta_graph_and_variables(session, [TF.saved_model.tag_constants.SERVING], {
            "serving_default": utils.predict_signature_def({"x": x, "b": b}, {"y": y}),
            "double": utils.predict_signature_def({"x": x}, {"twice": y * 2.0}),
        })  # fmt: skip
        builder.save()
    return place


def test_inputs_and_results_have_the_names_of_the_signature(folder: Path) -> None:
    predict = from_saved_model(folder)
    assert sorted(predict.feed_tensors) == ["b", "x"] and sorted(predict.fetch_tensors) == ["y"]
    assert predict.graph is predict.session.graph
    for _ in range(2):
        assert predict({"x": [1.0, 2.0]})["y"].tolist() == [4.0, 7.0]
    assert predict({"x": np.array([1.0]), "b": 0.0})["y"].tolist() == [3.0]
    assert from_saved_model(str(folder), "double")({"x": [1.0]}) == {"twice": [8.0]}
    graph = tf.Graph()
    named = from_saved_model(folder, input_names={"in": "x:0"}, output_names={"out": "y:0"}, tags="serve", graph=graph)
    assert named({"in": [2.0]}) == {"out": [7.0]} and named.graph is graph


def test_what_it_refuses(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"unexpected keys in input_dict: 'z'. The model takes 'b', 'x'"):
        from_saved_model(folder)({"z": 1.0})
    with pytest.raises(ValueError, match=r"'other'. Available signatures are 'double', 'serving_default'"):
        from_saved_model(folder, "other")
    with pytest.raises(ValueError, match="must both be given"):
        from_saved_model(folder, input_names={"in": "x:0"})
    with pytest.raises(ValueError, match="give one of signature_def_key"):
        from_saved_model(folder, "double", input_names={"in": "x:0"}, output_names={"out": "y:0"})
    with pytest.raises(tf.errors.NotFoundError):
        from_saved_model(tmp_path / "nothing")
    with pytest.raises((ValueError, RuntimeError), match="train"):
        from_saved_model(folder, tags=["train"])
