"""Checkpoints of partitioned variables: TensorFlow's files, byte for byte, and restored in other parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.compat import v1
from penstock.errors import InvalidArgumentError, NotFoundError

from ..golden_extra.record_partitioned import FOLDER, build, write

THEIRS = str(FOLDER / "model")
TABLE = np.load(FOLDER / "table.npy")


def test_the_files_are_those_of_tensorflow(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        np.testing.assert_array_equal(write(v1, str(tmp_path / "model")), TABLE)
    for ending in ("index", "data-00000-of-00001"):
        assert (tmp_path / f"model.{ending}").read_bytes() == (FOLDER / f"model.{ending}").read_bytes()


@pytest.mark.parametrize("parts", [1, 2, 3, 6])
@pytest.mark.parametrize("axis", [0, 1])
def test_a_checkpoint_of_tensorflow_is_restored_in_any_parts(parts: int, axis: int) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v, _ = build(v1, parts, axis)
        v1.train.Saver().restore(session, THEIRS)
        np.testing.assert_array_equal(session.run(v.as_tensor()), TABLE)
        first = session.run("emb/table/part_0/Adagrad:0")
        np.testing.assert_allclose(first[0, 0], 0.1)


def test_parts_are_restored_as_a_whole_and_the_whole_in_parts(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        whole = tf.get_variable("w", [6, 4])
        tf.train.Saver({"emb/table": whole}).restore(session, THEIRS)
        np.testing.assert_array_equal(session.run(whole), TABLE)
        path = tf.train.Saver({"emb/table": whole}).save(session, tmp_path / "whole")
    with tf.Graph().as_default(), tf.Session() as session:
        with tf.variable_scope("emb"):
            parts = tf.get_variable("table", [6, 4], partitioner=tf.fixed_size_partitioner(4))
        tf.train.Saver([parts]).restore(session, path)
        np.testing.assert_array_equal(session.run(parts), TABLE)


@pytest.mark.parametrize("version", [tf.train.SaverDef.V1, tf.train.SaverDef.V2])
def test_both_versions_hold_the_whole_under_one_name(tmp_path: Path, version: int) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", initializer=tf.constant(TABLE), partitioner=tf.fixed_size_partitioner(3))
        session.run(tf.global_variables_initializer())
        saver = tf.train.Saver({"other": v}, write_version=version)
        path = saver.save(session, tmp_path / "model")
        assert path is not None
        assert tf.train.list_variables(path) == [("other", [6, 4])]
        np.testing.assert_array_equal(tf.train.load_variable(path, "other"), TABLE)
        session.run(v.assign(np.zeros((6, 4), "f4")))
        saver.restore(session, path)
        np.testing.assert_array_equal(session.run(v), TABLE)


def test_the_nodes_of_a_saver_do_the_same(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", initializer=tf.constant(TABLE), partitioner=tf.fixed_size_partitioner(3))
        session.run(tf.global_variables_initializer())
        definition = tf.train.Saver().as_saver_def()
        feeds = {definition.filename_tensor_name: str(tmp_path / "model")}
        session.run(definition.save_tensor_name, feeds)
        session.run(v.assign(np.zeros((6, 4), "f4")))
        session.run(definition.restore_op_name, feeds)
        np.testing.assert_array_equal(session.run(v), TABLE)
        assert tf.train.list_variables(str(tmp_path / "model")) == [("v", [6, 4])]


def test_an_imported_graph_knows_the_parts(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", initializer=tf.constant(TABLE), partitioner=tf.fixed_size_partitioner(3))
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(session, tmp_path / "model")
        specs = [part.save_slice_info.spec for part in v]
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph(f"{path}.meta")
        assert saver is not None
        saver.restore(session, path)
        variables = tf.global_variables()
        assert [each.save_slice_info.spec for each in variables] == specs
        np.testing.assert_array_equal(np.concatenate(session.run(variables)), TABLE)
        tf.train.Saver().restore(session, path)


def refusal(parts: Any, shape: list[int], dtype: Any = tf.float32, name: str = "emb/table") -> str:
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable(name, shape, dtype, partitioner=tf.fixed_size_partitioner(parts))
        with pytest.raises((InvalidArgumentError, NotFoundError)) as error:
            tf.train.Saver().restore(session, THEIRS)
        return str(error.value)


def test_a_whole_of_another_shape_or_name_is_refused_in_words() -> None:
    assert "float32 [6, 4] there, float32 [7, 4] in parts here" in refusal(2, [7, 4])
    assert "float32 [6, 4] there, float64" in refusal(2, [6, 4], tf.float64)
    assert "not in the checkpoint: other/part_0" in refusal(2, [6, 4], name="other")


def test_a_whole_and_parts_of_one_name_are_two_variables() -> None:
    with tf.Graph().as_default():
        tf.Variable([1.0], name="v")
        with tf.variable_scope("", reuse=False):
            tf.get_variable("w", [4], partitioner=tf.fixed_size_partitioner(2))
        for part in tf.global_variables()[1:]:
            part._set_save_slice_info(tf.Variable.SaveSliceInfo("v", [4], [0], [2]))
        with pytest.raises(ValueError, match="same name: v"):
            tf.train.Saver()
