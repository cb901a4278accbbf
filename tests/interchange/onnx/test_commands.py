"""The commands of the terminal take ONNX models."""

from __future__ import annotations

from pathlib import Path

import pytest

import penstock as tf
from penstock.cli import main
from penstock.errors import GraphFormatError

MODEL = str(Path(__file__).with_name("models") / "mlp.onnx")
FEED = "x0=[[1, 2, 3, 4, 5, 6, 7, 8]]"


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main([*arguments]) == 0
    return capsys.readouterr().out


def test_a_model_is_inspected(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "inspect", MODEL)
    assert "ONNX model, opset 18, written by pytorch" in text
    assert "x0:0  float32 (batch, 8)" in text
    assert "y:0  float32 (batch, 4)" in text
    assert "node_tanh/Tanh" in text


def test_a_model_is_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert "y:0  float32 (1, 4)" in shown(capsys, "run", MODEL, "--feed", FEED, "--fetch", "y")


def test_the_cost_of_a_model_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert "peak of live memory" in shown(capsys, "explain", MODEL, "--cost", "--size", "batch=64")


def test_a_model_is_drawn_played_and_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    shown(capsys, "export", MODEL, "-o", str(tmp_path / "m.svg"))
    shown(capsys, "play", MODEL, "--feed", FEED, "-o", str(tmp_path / "m.html"))
    shown(capsys, "export", MODEL, "-o", str(tmp_path / "again.onnx"), "--fetch", "y")
    shown(capsys, "export", MODEL, "-o", str(tmp_path / "usual.onnx"))
    with tf.Graph().as_default():
        assert str(tf.load_onnx(tmp_path / "again.onnx").outputs["y"].shape) == "(batch, 4)"
    assert (tmp_path / "usual.onnx").read_bytes() == (tmp_path / "again.onnx").read_bytes()
    assert "<svg" in (tmp_path / "m.svg").read_text("utf-8")
    assert (tmp_path / "m.html").stat().st_size > 100_000


def test_an_operation_without_a_form_is_told_by_its_line_and_nothing_is_written(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        q, _ = tf.qr(tf.placeholder(tf.float32, [3, 3], name="x"), name="factors")  # here
        v = tf.Variable(1.0, name="v")
        fetches = [q * 2.0, v.assign_add(2.0) + 1.0]
        with pytest.raises(GraphFormatError) as caught:
            graph.export(tmp_path / "m.onnx", fetches=fetches)
    text = str(caught.value)
    assert "2 operations have no ONNX form; nothing was written" in text
    assert "'factors' (Qr) made at test_commands.py:" in text
    assert "# here" in text
    assert "ONNX has no factorisations" in text
    assert "it writes a variable" in text
    assert list(tmp_path.iterdir()) == []


def test_options_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        y = tf.exp(x, name="y")
        with pytest.raises(ValueError, match="opsets 17 to 26 are written"):
            graph.export(tmp_path / "m.onnx", fetches=y, opset=3)
        with pytest.raises(ValueError, match=r"only \.onnx files have an opset"):
            graph.export(tmp_path / "m.svg", opset=21)
        with pytest.raises(ValueError, match="is fetched, which is no tensor"):
            tf.save_onnx(None, 3)
        with pytest.raises(ValueError, match="it is not among the feeds"):
            tf.save_onnx(None, y, feeds=[])
        made = graph.export(tmp_path / "m.onnx", fetches={"e": y}, feeds={x: None}, opset=17)
    with tf.Graph().as_default():
        assert tf.load_onnx(made).opset == 17


def test_variables_have_the_values_of_the_session(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable([1.0, 2.0], name="v")
        y = tf.identity(v * 2.0, name="y")
        first = tf.save_onnx(None, y)
        with pytest.raises(GraphFormatError, match="uninitialized value v; run its initializer"):
            tf.save_onnx(None, y, session=tf.Session(graph=graph))
        with tf.Session(graph=graph) as session:
            session.run(tf.global_variables_initializer())
            session.run(v.assign([5.0, 6.0]))
            second = tf.save_onnx(None, y)
            third = tf.save_onnx(None, y, session=session)
    assert second == third
    for content, want in ((first, [2.0, 4.0]), (second, [10.0, 12.0])):
        with tf.Graph().as_default() as graph:
            assert tf.Session(graph=graph).run(tf.load_onnx(content).outputs["y"]).tolist() == want
