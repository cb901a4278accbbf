"""Folders of runs that are damaged or made to do harm: one error that names the file and the field."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import GraphFormatError
from penstock.repro import load_repro


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.placeholder(tf.float32, [None], name="x")
        v = tf.Variable(np.arange(400, dtype="f4"), name="v")
        session.run(v.initializer)
        with pytest.raises(tf.errors.OpError):
            session.run(tf.gather(x + tf.random_normal([]) + v[0], 900), {x: np.zeros(400, "f4")})
        return session.repro(tmp_path / "run")


def changed(folder: Path, path: tuple[Any, ...], value: Any, file: str = "run.json") -> None:
    document = json.loads((folder / file).read_text())
    part = document
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    (folder / file).write_text(json.dumps(document))


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("notes",), 5, r'run.json: "notes" is 5; it must be a list of texts'),
        (("notes",), [5], r'run.json: "notes" is a list; it must be a list of texts'),
        (("expected", "notes"), 5, r'run.json: "expected.notes" is 5; it must be a list of texts'),
        (("notes",), ["a", "\ud800"], r"run.json: notes\[1\] is '\\ud800', which is not valid Unicode"),
        (("expected", "message"), "\udfff", r"run.json: expected.message is '\\udfff', which is not valid Unicode"),
        (("made", "a\udc00"), "x", r"run.json: a key of made is 'a\\udc00', which is not valid Unicode"),
        (("made",), {"penstock": 1}, r"run.json: 'penstock' of \"made\" is 1; it must be a text"),
        (("feeds",), None, r'run.json: "feeds" is None; it must be an object'),
        (("feeds", "x:0"), [1], r"run.json: 'x:0' of \"feeds\": a constant is not an object"),
        (("feeds", "x:0", "npz"), ["c0"], r"run.json: 'x:0' of \"feeds\": \"npz\" of a constant is a list"),
        (("feeds", "x:0", "npz"), {"c0": 1}, r"\"npz\" of a constant is a dict"),
        (("variables", "v", "npz"), 7, r"run.json: 'v' of \"variables\": \"npz\" of a constant is 7"),
        (("fetches",), "y:0", r"run.json: \"fetches\" is 'y:0'; it must be a list of texts"),
        (("random",), {"x": [1, 2, 1 << 200]}, r'run.json: "random" is a dict'),
        (("expected",), "no", r"run.json: \"expected\" is 'no'; it must be an error"),
        (("config",), {"threads": [[]]}, r"the choices of a SessionConfig"),
    ],
    ids=str,
)
def test_a_field_of_another_kind_is_named(folder: Path, path: tuple[Any, ...], value: Any, says: str) -> None:
    changed(folder, path, value)
    with pytest.raises(GraphFormatError, match=says):
        load_repro(folder)


def test_constants_of_a_graph_name_their_arrays_by_texts(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        tf.constant(np.arange(600.0), name="c")
        tf.constant([b"letters" * 40] * 20, name="s")
    path = tf.save_graph(graph, tmp_path / "graph.json")
    for number in (0, 1):
        for wanted in (["c0"], [], 3, True):
            document = json.loads(path.read_text())
            document["nodes"][number]["attrs"]["value"]["array"]["npz"] = wanted
            other = tmp_path / "other.json"
            other.write_text(json.dumps(document))
            (tmp_path / "other.npz").write_bytes((tmp_path / "graph.npz").read_bytes())
            with pytest.raises(GraphFormatError, match='"npz" of a constant is'):
                tf.load_graph(other)


def test_an_archive_that_belongs_to_the_folder_is_checked_as_the_document_is(folder: Path) -> None:
    buffer = io.BytesIO()
    np.savez(buffer, c0=np.arange(400.0))  # float64, not float32
    (folder / "run.npz").write_bytes(buffer.getvalue())
    digest = hashlib.sha256(buffer.getvalue()).hexdigest()
    changed(folder, ("constants",), {"bytes": len(buffer.getvalue()), "sha256": digest})
    with pytest.raises(GraphFormatError, match=r"of \"(feeds|variables)\": 'c[01]' in the npz file"):
        load_repro(folder)
