"""What a Saver leaves in a folder: paths saved twice, saves that fail, large values."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import penstock as tf
from penstock.errors import DataLossError, FailedPreconditionError

train = tf.train


@pytest.fixture
def session() -> Iterator[tf.Session]:
    with tf.Graph().as_default(), tf.Session() as opened:
        yield opened


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_path_saved_twice_counts_once_among_those_that_are_kept(session: tf.Session, tmp_path: Path) -> None:
    v = tf.Variable(0, name="v")
    saver = train.Saver(max_to_keep=2)
    for value, name in ((1, "a"), (2, "b"), (3, "a"), (4, "a"), (5, "b")):
        session.run(v.assign(value))
        saver.save(session, tmp_path / name)
        assert train.latest_checkpoint(tmp_path) == str(tmp_path / name)
    assert saver.last_checkpoints == [str(tmp_path / "a"), str(tmp_path / "b")]
    assert [train.load_variable(str(tmp_path / name), "v") for name in ("a", "b")] == [4, 5]
    session.run(v.assign(6))
    saver.save(session, tmp_path / "c")  # now the one that was saved first, not the one that was first
    assert saver.last_checkpoints == [str(tmp_path / "b"), str(tmp_path / "c")]
    assert sorted({name.partition(".")[0] for name in os.listdir(tmp_path)}) == ["b", "c", "checkpoint"]


@pytest.mark.parametrize("links", [True, False])
def test_a_failed_save_over_a_checkpoint_keeps_its_graph(
    links: bool, session: tf.Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not links:

        def no_links(*_: object) -> None:
            raise OSError(95, "Operation not supported")

        monkeypatch.setattr(os, "link", no_links)
    v = tf.Variable([1.0, 2.0], name="v")
    session.run(v.initializer)
    train.Saver([v]).save(session, tmp_path / "model")
    before = contents(tmp_path)
    assert "model.meta" in before
    missing = tf.Variable(1.0, name="missing")  # the graph is another one now, and the save will fail
    with pytest.raises(FailedPreconditionError, match="uninitialized value missing"):
        train.Saver([v, missing]).save(session, tmp_path / "model")
    assert contents(tmp_path) == before
    with pytest.raises(FailedPreconditionError):
        train.Saver([v, missing]).save(session, tmp_path / "new")
    assert contents(tmp_path) == before
    session.run(missing.initializer)
    train.Saver([v, missing]).save(session, tmp_path / "model")
    after = contents(tmp_path)
    assert after["model.meta"] != before["model.meta"] and not [name for name in after if name.endswith(".old")]


def test_a_checkpoint_that_is_listed_already_becomes_the_latest(tmp_path: Path) -> None:
    folder = str(tmp_path)
    paths = [f"{folder}/m-{step}" for step in (1, 2, 3)]
    train.update_checkpoint_state(folder, paths[0], paths)
    state = train.get_checkpoint_state(folder)
    assert state is not None and state.model_checkpoint_path == paths[0]
    assert state.all_model_checkpoint_paths == [*paths, paths[0]]  # as TensorFlow: the latest is the last one
    train.update_checkpoint_state(folder, paths[2], paths)
    state = train.get_checkpoint_state(folder)
    assert state is not None and state.all_model_checkpoint_paths == paths


PIECE = 512 << 10
"""Files are written and read in pieces of so many bytes."""


@pytest.mark.parametrize("version", [train.SaverDef.V1, train.SaverDef.V2])
@pytest.mark.parametrize("size", [PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 3 * PIECE + 7])
def test_values_of_several_pieces_are_saved_and_restored(
    version: int, size: int, session: tf.Session, tmp_path: Path
) -> None:
    rng = np.random.default_rng(size)
    values = {"bytes": rng.integers(0, 256, size).astype("u1"), "floats": rng.standard_normal((size // 40, 5))}
    variables = {name: tf.get_variable(name, initializer=value) for name, value in values.items()}
    session.run(tf.global_variables_initializer())
    saver = train.Saver(write_version=version)
    prefix = saver.save(session, tmp_path / "m")
    session.run([v.assign(tf.zeros_like(v)) for v in variables.values()])
    saver.restore(session, prefix)
    for name, value in values.items():
        assert np.array_equal(session.run(variables[name]), value), name


@pytest.mark.parametrize("at", [10, PIECE + 10, 2 * PIECE + 10])
def test_a_byte_changed_in_any_piece_is_found(at: int, session: tf.Session, tmp_path: Path) -> None:
    v = tf.Variable(np.zeros(3 * PIECE, "u1"), name="v")
    session.run(v.initializer)
    saver = train.Saver()
    prefix = saver.save(session, tmp_path / "m")
    data = tmp_path / "m.data-00000-of-00001"
    content = bytearray(data.read_bytes())
    content[at] ^= 1
    data.write_bytes(content)
    with pytest.raises(DataLossError, match="checksum"):
        saver.restore(session, prefix)


def test_a_scalar_is_read_as_a_number(session: tf.Session, tmp_path: Path) -> None:
    tf.get_variable("step", initializer=np.int64(7))
    session.run(tf.global_variables_initializer())
    train.Saver().save(session, tmp_path / "m")
    reader = train.NewCheckpointReader(tmp_path / "m")
    found = reader.get_tensor("step")
    assert isinstance(found, np.int64) and found == 7
