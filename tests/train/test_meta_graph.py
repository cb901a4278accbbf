"""MetaGraphs: exported for TensorFlow, imported from it and from files of our own."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import GraphFormatError, NotFoundError

train = tf.train
RECORDED = Path(__file__).parents[1] / "golden_extra" / "models"
PYTHON = os.environ.get("PENSTOCK_TF_PYTHON", "")


@pytest.fixture
def session() -> Iterator[tf.Session]:
    with tf.Graph().as_default(), tf.Session() as opened:
        yield opened


def build() -> Any:
    """A model with every kind of write that a MetaGraph holds, and its Saver."""
    x = tf.constant([[1.0, 2.0]], name="x")
    w = tf.Variable([[0.5], [-1.0]], name="layer/w")
    step = tf.Variable(7, name="step", trainable=False)
    copied = tf.Variable(w.initialized_value() * 2.0, name="copied", trainable=False)
    out = tf.identity(tf.matmul(x, w) + copied, name="out")
    tf.add_to_collection("outputs", out)
    tf.add_to_collection("numbers", 3)
    with tf.control_dependencies([w.assign_add([[0.5], [0.5]])]):
        after = tf.identity(w.read_value(), name="after")
    with tf.control_dependencies([after]):
        tf.group(tf.assign_add(step, 1), tf.scatter_update(w, [0], [[9.0]]), copied.assign_sub([[1.0], [1.0]]),
                 name="train")  # fmt: skip
    tf.global_variables_initializer()
    return train.Saver()


def save(session: tf.Session, folder: Path) -> str:
    saver = build()
    session.run("init")
    path = saver.save(session, folder / "model")
    assert path is not None
    return str(path)


# ---- TensorFlow's ---------------------------------------------------------------------------------


def test_a_model_of_tensorflow_restores_and_runs(session: tf.Session, tmp_path: Path) -> None:
    told = json.loads((RECORDED / "linear.json").read_text())
    saver = train.import_meta_graph(RECORDED / "linear.meta")
    assert saver is not None
    saver.restore(session, RECORDED / "linear")
    assert session.run("out:0").tolist() == told["out"]
    assert [v.name for v in tf.global_variables()] == ["layer/w:0", "layer/b:0", "step:0"]
    assert [v.name for v in tf.trainable_variables()] == ["layer/w:0", "layer/b:0"]
    assert [session.run(v).tolist() for v in tf.global_variables()] == told["variables"]
    assert [value.tolist() for value in session.run(["after:0", "also:0"])] == [told["after"], told["also"]]
    assert [t.name for t in session.graph.get_collection("outputs")] == ["out:0"]
    session.run("init")
    assert session.run("layer/b:0").tolist() == [0.25]
    session.run("train")
    assert session.run(tf.global_variables()[0]).tolist() == [[9.0], [-0.5]]
    path = saver.save(session, tmp_path / "again", global_step=tf.global_variables()[2])
    assert path == str(tmp_path / "again-8")
    assert train.list_variables(path) == [("layer/b", [1]), ("layer/w", [2, 1]), ("step", [])]
    with pytest.raises(NotFoundError, match="not there: layer/b, layer/w, step"):
        with tf.Graph().as_default(), tf.Session() as other:
            other_variable = tf.Variable(1, name="v")
            other.run(other_variable.initializer)
            elsewhere = train.Saver().save(other, tmp_path / "elsewhere")
        saver.restore(session, elsewhere)


@pytest.mark.skipif(not PYTHON, reason="PENSTOCK_TF_PYTHON names no interpreter with tensorflow")
def test_tensorflow_restores_runs_and_saves_ours(session: tf.Session, tmp_path: Path) -> None:
    path = save(session, tmp_path)
    script = Path(__file__).with_name("saver_tensorflow_side.py")
    ran = subprocess.run([PYTHON, str(script), path], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-3000:]
    before, after, names, values, fresh, trainable, other = json.loads(ran.stdout.splitlines()[-1])
    assert before == session.run("out:0").tolist()
    session.run("train")
    assert after == session.run("out:0").tolist()
    assert names == [v.name for v in tf.global_variables()]
    assert values == [session.run(v).tolist() for v in tf.global_variables()]
    assert fresh == before and trainable == ["layer/w:0"] and other == ["out:0", 3]
    session.run("init")
    train.Saver().restore(session, path + "-theirs")
    assert values == [session.run(v).tolist() for v in tf.global_variables()]
    with tf.Graph().as_default(), tf.Session() as second:
        again = train.import_meta_graph(path + "-theirs.meta", allow_missing=True)
        assert again is not None
        again.restore(second, path + "-theirs")
        assert second.run("out:0").tolist() == after


# ---- our own --------------------------------------------------------------------------------------


def test_ours_comes_back_whole(session: tf.Session, tmp_path: Path) -> None:
    path = save(session, tmp_path)
    session.run("train")
    want = [v.tolist() for v in session.run(["out:0", *tf.global_variables()])]
    with tf.Graph().as_default() as graph, tf.Session() as second:
        saver = train.import_meta_graph(path + ".meta")
        assert saver is not None and str(session.graph.diff(graph)) == "no difference"
        saver.restore(second, path)
        second.run("train")
        assert [v.tolist() for v in second.run(["out:0", *tf.global_variables()])] == want
        assert graph.get_collection("numbers") == [3]


@pytest.mark.parametrize("as_text", [False, True])
def test_an_exported_graph_is_imported_below_a_scope(as_text: bool, session: tf.Session, tmp_path: Path) -> None:
    saver = build()
    session.run("init")
    saver.save(session, tmp_path / "model", write_meta_graph=False)
    meta = saver.export_meta_graph(tmp_path / "m.meta", as_text=as_text, collection_list=["variables"])
    assert meta.collections() == ["variables"] and meta.saver_def.restore_op_name == "save/restore_all"
    with tf.Graph().as_default(), tf.Session() as second:
        for scope in ("a", "b"):
            again = train.import_meta_graph(tmp_path / "m.meta", import_scope=scope)
            assert again is not None
            again.restore(second, tmp_path / "model")
        second.run("a/train")
        assert second.run("a/out:0").tolist() != second.run("b/out:0").tolist() == session.run("out:0").tolist()
        assert [v.name for v in tf.global_variables()][::3] == ["a/layer/w:0", "b/layer/w:0"]


def test_a_metagraph_is_bytes_and_back(session: tf.Session) -> None:
    build()
    meta = train.export_meta_graph()
    again = train.MetaGraphDef.FromString(meta.SerializeToString())
    assert str(again) == str(meta) and not again.HasField("saver_def")
    with tf.Graph().as_default():
        saver = train.import_meta_graph(again)
        assert saver is not None and saver.as_saver_def().save_tensor_name == "save_1/control_dependency:0"


def test_a_graph_without_variables_has_no_saver() -> None:
    with tf.Graph().as_default():
        tf.constant(1.0, name="c")
        meta = train.export_meta_graph()
    with tf.Graph().as_default() as graph:
        assert train.import_meta_graph(meta) is None
        assert [op.name for op in graph.get_operations()] == ["c"]


def test_what_cannot_be_imported_adds_nothing(session: tf.Session, tmp_path: Path) -> None:
    path = save(session, tmp_path)
    before = len(session.graph.get_operations())
    with pytest.raises(GraphFormatError, match=r"has .* of its names already, such as"):
        train.import_meta_graph(path + ".meta")
    assert len(session.graph.get_operations()) == before
    (tmp_path / "bad.meta").write_bytes(b"\xff\xff\xff")
    with pytest.raises(GraphFormatError, match="damaged or no MetaGraphDef"):
        train.import_meta_graph(tmp_path / "bad.meta")
    with pytest.raises(NotFoundError, match="cannot be read: No such file"):
        train.import_meta_graph(tmp_path / "none.meta")
    content = Path(path + ".meta").read_bytes().replace(b"MatMul", b"MutMal")
    with tf.Graph().as_default() as graph:
        with pytest.raises(GraphFormatError, match=r"missing: MutMal x1.*Nothing was added"):
            train.import_meta_graph(train.MetaGraphDef.FromString(content))
        assert not graph.get_operations()
        saver = train.import_meta_graph(train.MetaGraphDef.FromString(content), allow_missing=True)
        assert saver is not None
        with tf.Session() as second:
            saver.restore(second, path)
            assert np.array_equal(second.run("layer/w:0"), session.run("layer/w:0"))


def test_a_graph_that_tensorflow_cannot_hold_is_left_out_beside_a_checkpoint_and_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable([[1.0, 2.0]], name="v")
        tf.py_func(lambda x: x, [v], tf.float32, name="python")
        session.run(v.initializer)
        saver = tf.train.Saver()
        for step in range(3):
            prefix = saver.save(session, tmp_path / "m", step)
            assert Path(f"{prefix}.index").exists() and not Path(f"{prefix}.meta").exists()
    (told,) = [record.getMessage() for record in caplog.records if record.name == "penstock"]
    assert told.startswith("Saver.save: the checkpoint is written without its graph, ")
    assert "m-0.meta" in told and "write_meta_graph=False" in told


def test_a_meta_graph_whose_saver_is_incomplete_adds_nothing(tmp_path: Path) -> None:
    from penstock.interchange.checkpoints.meta_graph_messages import MetaGraphProto
    from penstock.interchange.wire.wire_format import decode, encode

    with tf.Graph().as_default():
        tf.Variable(1.0, name="v")
        tf.train.export_meta_graph(tmp_path / "good.meta", saver_def=tf.train.Saver().as_saver_def())
    proto = decode(MetaGraphProto, (tmp_path / "good.meta").read_bytes())
    proto.saver_def.save_tensor_name = ""
    (tmp_path / "bad.meta").write_bytes(encode(proto))
    with tf.Graph().as_default() as graph:
        with pytest.raises(ValueError,
                           match=r"import_meta_graph\('.*bad.meta'\): its saver is incomplete"):  # fmt: skip
            tf.train.import_meta_graph(tmp_path / "bad.meta")
        assert not graph.get_operations() and not graph.get_all_collection_keys()
