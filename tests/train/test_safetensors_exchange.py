"""Variables to and from files of safetensors."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import penstock as tf
from penstock.errors import DataLossError, InvalidArgumentError, NotFoundError

train = tf.train
needs_it = pytest.mark.skipif(not importlib.util.find_spec("safetensors"), reason="safetensors is not installed")


@pytest.fixture
def session() -> Iterator[tf.Session]:
    with tf.Graph().as_default(), tf.Session() as opened:
        yield opened


@needs_it
def test_variables_of_every_dtype_come_back(session: tf.Session, tmp_path: Path) -> None:
    names = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
             "complex64")  # fmt: skip
    values = [np.array([[1, 0, 1]]).astype(tf.as_dtype(name).np) for name in names]
    variables = [tf.Variable(value, name=f"scope/{name}") for name, value in zip(names, values, strict=True)]
    variables.append(tf.Variable(1.5, name="scalar"))
    session.run(tf.global_variables_initializer())
    path = train.save_safetensors(session, tmp_path / "m.safetensors")
    with tf.Session(graph=session.graph) as other:
        train.restore_safetensors(other, path)
        got = other.run(variables)
    assert all(g.dtype == v.dtype and g.tobytes() == v.tobytes() for g, v in zip(got, values, strict=False))
    assert got[-1] == 1.5


@needs_it
def test_what_does_not_match_is_listed_and_nothing_changes(session: tf.Session, tmp_path: Path) -> None:
    a, b = tf.Variable([1.0], name="a"), tf.Variable([2.0], name="b")
    text = tf.Variable(["x"], name="text")
    session.run(tf.global_variables_initializer())
    path = train.save_safetensors(session, tmp_path / "m", [a])
    with pytest.raises(NotFoundError, match=r"restore: 1 of 2 variables match(?s:.*)not in the checkpoint: b"):
        train.restore_safetensors(session, path, [a, b])
    with pytest.raises(InvalidArgumentError, match="'text' is string"):
        train.save_safetensors(session, tmp_path / "m", [text])
    content = Path(path).read_bytes()
    Path(path).write_bytes(content[:-1])
    with pytest.raises(DataLossError, match="damaged"):
        train.restore_safetensors(session, path, [a])
    with pytest.raises(NotFoundError, match="cannot be read"):
        train.restore_safetensors(session, tmp_path / "none", [a])
    assert session.run([a, b])[1].tolist() == [2.0]


def test_without_the_extra_one_line_says_what_to_install(
    session: tf.Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    v = tf.Variable([1.0], name="v")
    session.run(v.initializer)
    for name in ("safetensors", "safetensors.numpy"):
        monkeypatch.setitem(sys.modules, name, None)
        monkeypatch.setattr("penstock.graph.common.lazy_import._loaded", set())
    for call in (train.save_safetensors, train.restore_safetensors):
        with pytest.raises(ImportError, match=r"pip install penstock\[safetensors\]"):
            call(session, tmp_path / "m")
