"""Models that TensorFlow saved: they load, run and train with its values, in every form, and are saved again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import GraphFormatError
from penstock.interchange.tensorflow.graphdef_reader import read_graphdef_file
from tests.golden_cases import decode

from ...helpers import some_nightly

FOLDER = Path(__file__).resolve().parents[2] / "golden_extra" / "foreign_models"
RECORDED: dict[str, Any] = json.loads((FOLDER / "cases.json").read_text())
CASES: list[dict[str, Any]] = RECORDED["cases"]
MODULES = [(case["name"], call) for case in RECORDED["modules"] for call in case["calls"]]
STEPS = 2
SERVING = [tf.saved_model.tag_constants.SERVING]


def named(case: Any) -> str:
    return str(case["name"])


def fed(recorded: dict[str, Any]) -> dict[str, Any]:
    return {name: decode(value) for name, value in recorded.items()}


def same(found: dict[str, Any], recorded: dict[str, Any]) -> None:
    assert found.keys() == recorded.keys()
    for name, value in found.items():
        wanted = decode(recorded[name])
        array = np.asarray(value)
        assert array.shape == wanted.shape, name
        if wanted.dtype == object:
            assert np.asarray(array, object).tolist() == wanted.tolist(), name
        else:
            np.testing.assert_allclose(array, wanted, rtol=3e-5, atol=2e-6, err_msg=name)


def trained(session: Any, case: dict[str, Any], outputs: dict[str, str], feeds: dict[str, Any]) -> None:
    """The values before and after the recorded steps are TensorFlow's."""
    same({key: session.run(name, feeds) for key, name in outputs.items()}, case["before"])
    for _ in range(STEPS):
        session.run(case["train"], fed(case["feeds_of_training"]))
    same({key: session.run(name, feeds) for key, name in outputs.items()}, case["after"])


@pytest.mark.share(2)
@pytest.mark.parametrize("case", some_nightly(CASES, CASES[1::2]), ids=named)
def test_a_saved_model_runs_and_trains_as_in_tensorflow(case: dict[str, Any]) -> None:
    with tf.Session(graph=tf.Graph()) as session:
        model = tf.saved_model.loader.load(session, SERVING, FOLDER / case["name"] / "saved")
        signature = model.signature_def["serving_default"]
        assert {key: info.name for key, info in signature.inputs.items()} == case["inputs"]
        trained(session, case, {key: info.name for key, info in signature.outputs.items()}, fed(case["feeds"]))


@pytest.mark.share(2)
@pytest.mark.parametrize("case", some_nightly(CASES, CASES[::2]), ids=named)
def test_a_meta_graph_runs_and_trains_as_in_tensorflow(case: dict[str, Any], tmp_path: Path) -> None:
    place_vocabulary(case, tmp_path)
    prefix = str(FOLDER / case["name"] / "model")
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        saver = tf.train.import_meta_graph(prefix + ".meta")
        assert saver is not None
        saver.restore(session, prefix)
        if case["start"] is not None:
            session.run(case["start"], vocabulary_of(case, session.graph, tmp_path))
        trained(session, case, case["outputs"], fed(case["feeds"]))


def place_vocabulary(case: dict[str, Any], folder: Path) -> None:
    if case["name"].startswith("embeddings"):
        shutil.copy(FOLDER / case["name"] / "saved" / "assets" / "words.txt", folder)


def vocabulary_of(case: dict[str, Any], graph: tf.Graph, folder: Path) -> dict[str, Any]:
    """The path of the file with words, which was another one where the graph was made."""
    return {"vocabulary:0": str(folder / "words.txt")} if case["name"].startswith("embeddings") else {}


@pytest.mark.share(2)
@pytest.mark.parametrize("case", [case for case in CASES if (FOLDER / case["name"] / "frozen.pb").exists()], ids=named)
def test_a_frozen_graph_runs_as_in_tensorflow(case: dict[str, Any]) -> None:
    loaded = read_graphdef_file(FOLDER / case["name"] / "frozen.pb")
    assert (loaded.missing, loaded.left_out) == ({}, ())
    outputs = case["outputs"]
    if case["name"].startswith("embeddings"):  # its tables are not filled in frozen graphs
        outputs = {}
    with tf.Session(graph=loaded.graph) as session:
        found = {key: session.run(name, fed(case["feeds"])) for key, name in outputs.items()}
    same(found, {key: case["before"][key] for key in outputs})


@pytest.mark.parametrize(("name", "call"), MODULES, ids=[f"{name}-{call['signature']}" for name, call in MODULES])
def test_a_module_of_tensorflow_2_answers_by_its_signatures(name: str, call: dict[str, Any]) -> None:
    with tf.Session(graph=tf.Graph()) as session:
        model = tf.saved_model.loader.load(session, SERVING, FOLDER / name)
        signature = model.signature_def[call["signature"]]
        feeds = {signature.inputs[key].name: value for key, value in fed(call["feeds"]).items()}
        names = sorted(signature.outputs)
        found = session.run([signature.outputs[key].name for key in names], feeds)
    same(dict(zip(names, found, strict=True)), call["results"])


UNWRITTEN = ("branches", "loops", "recurrent")
"""Models whose training has variables inside of branches or loops, or TensorArrays of gradients: no GraphDef of ours
holds these."""


NOT_WRITTEN = [case for case in CASES if case["name"].startswith(UNWRITTEN)]
WRITTEN = [case for case in CASES if not case["name"].startswith(UNWRITTEN)]


@pytest.mark.share(2)
@pytest.mark.parametrize("case", some_nightly(NOT_WRITTEN, NOT_WRITTEN[::2]), ids=named)
def test_what_no_file_can_hold_is_named(case: dict[str, Any], tmp_path: Path) -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default() as graph:
        tf.saved_model.loader.load(session, SERVING, FOLDER / case["name"] / "saved")
        x = {"x": graph.get_tensor_by_name("x:0")}
        with pytest.raises(GraphFormatError, match=r"the node '.*' (inside|is a)"):
            tf.saved_model.simple_save(session, str(tmp_path / "saved"), x, x)


@pytest.mark.share(2)
@pytest.mark.parametrize("case", some_nightly(WRITTEN, WRITTEN[::4]), ids=named)
def test_a_model_that_was_loaded_is_saved_again(case: dict[str, Any], tmp_path: Path) -> None:
    """What was trained is saved, and is loaded with the values it had."""
    feeds = fed(case["feeds"])
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default() as graph:
        tf.saved_model.loader.load(session, SERVING, FOLDER / case["name"] / "saved")
        inputs = {key: graph.get_tensor_by_name(name) for key, name in case["inputs"].items()}
        outputs = {key: graph.get_tensor_by_name(name) for key, name in case["outputs"].items()}
        tf.saved_model.simple_save(session, str(tmp_path / "saved"), inputs, outputs)
    with tf.Session(graph=tf.Graph()) as session:
        tf.saved_model.loader.load(session, SERVING, tmp_path / "saved")
        if case["start"] is not None:
            feed = vocabulary_of(case, session.graph, tmp_path)
            place_vocabulary(case, tmp_path)
            session.run(case["start"], feed)
        trained(session, case, case["outputs"], feeds)
