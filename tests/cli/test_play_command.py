"""`penstock play`: pages that compute, of saved graphs and of runs of programs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import penstock as tf
from penstock.cli import main

from ..show.test_page_document import data_of

PROGRAM = """
import sys
import penstock as tf
x = tf.placeholder(tf.float32, [None], name="x")
v = tf.Variable(1.0, name="v")
up = v.assign_add(1.0, name="up")
y = tf.multiply(x, v, name="y")
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for number in range(3):
        session.run(up.op)
        print(session.run(y, {x: [float(number)] * (1 + len(sys.argv))}))
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "program.py"
    path.write_text(PROGRAM, "utf-8")
    return path


def played(path: Path) -> tuple[dict[str, object], dict[str, object]]:
    """The fed values and the variables of a page."""
    data = data_of(path.read_text("utf-8"))["play"]
    feeds = {name: made["data"] for name, made in data["feeds"]}
    return feeds, {name: made and made["data"] for name, made in data["variables"]}


def test_the_first_run_that_fetches_a_value_is_taken_and_the_program_ends_there(
    program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with tf.Graph().as_default():
        assert main(["play", "program.py"]) == 0
    assert capsys.readouterr().out == "program.html\n"
    assert played(program.with_suffix(".html")) == ({"x:0": [0, 0]}, {"v": [2]})


def test_a_run_can_be_chosen_and_the_program_has_a_command_line(program: Path) -> None:
    with tf.Graph().as_default():
        assert main(["play", "program.py", "--run", "5", "--args", "--a b", "-o", "five.html"]) == 0
        assert main(["play", "program.py", "--fetch", "u*", "-o", "up.html"]) == 2
    assert played(program.with_name("five.html")) == ({"x:0": [1, 1, 1, 1]}, {"v": [3]})


def test_a_saved_graph_is_fed_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None], name="x")
        tf.add(x, 1.0, name="y")
    tf.save_graph(graph, tmp_path / "g.json")
    np.save(tmp_path / "x.npy", np.array([4.0]))
    assert main(["play", "g.json", "--feed", "x=[1, 2]"]) == 0
    assert played(tmp_path / "g.html")[0]["x:0"] == [1, 2]
    assert main(["play", "g.json", "--feed", "x=x.npy", "--fetch", "y", "-o", "h.html", "--title", "mine"]) == 0
    assert played(tmp_path / "h.html")[0]["x:0"] == [4]
    assert data_of((tmp_path / "h.html").read_text("utf-8"))["title"] == "mine"
    capsys.readouterr()
    for arguments, told in [
        (["g.json"], "x:0 float32 (?,) must be fed; write --feed NAME=VALUE"),
        (["g.json", "--run", "2"], "a saved graph has no command line and no runs"),
        (["g.json", "-o", "a.svg"], "--out a.svg: a page that computes is written as .html"),
        (["g.json", "--feed", "x=[[1]]"], "Cannot feed value of shape (1, 1) for Tensor x:0"),
        (["none.json"], "none.json: No such file or directory"),
    ]:
        assert main(["play", *arguments]) == 2
        assert f"penstock play: {told}" in capsys.readouterr().err.replace("g.json: ", "")


def test_programs_without_the_run_are_told(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, told in [
        (["--run", "9"], "--run 9: the program has made 7 runs"),
        (["--fetch", "zz"], "program.py: the program has made 7 runs; none has fetched zz"),
        (["--feed", "x=1"], "--feed: a program feeds its runs itself; leave it out"),
    ]:
        with tf.Graph().as_default():
            assert main(["play", "program.py", *arguments]) == 2
        assert f"penstock play: {told}" in capsys.readouterr().err
    program.write_text("raise ValueError('mine')", "utf-8")
    assert main(["play", "program.py"]) == 1
    assert "ValueError: mine" in capsys.readouterr().err
