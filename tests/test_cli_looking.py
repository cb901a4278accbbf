"""`penstock explain` and `penstock run` show shapes, costs, intermediate values, times and bad values."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import penstock as tf
from penstock import cli

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def model(tmp_path: Path) -> str:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        with tf.name_scope("tower"):
            tf.add(tf.log(x, name="log"), 1.0, name="y")
        tf.reduce_sum(x, name="total")
    return str(tf.save_graph(graph, tmp_path / "model.json"))


def test_explain_shows_where_dimensions_come_from_and_what_a_run_costs(model: str, capsys: Capture) -> None:
    assert cli.main(["explain", model, "--size", "n=10"]) == 0
    out = capsys.readouterr().out
    assert "plan: 2 steps" in out
    assert "tower/y:0 (n,), made by Add" in out and "x:0 is a placeholder: its declaration says n." in out
    assert "cost of tower/y:0, total:0 with n=10: 220 operations" in out


def test_explain_tells_of_one_shape_alone(model: str, capsys: Capture) -> None:
    assert cli.main(["explain", model, "--shape", "tower/log"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("tower/log:0 (n,), made by Log") and "plan:" not in out


def test_explain_tells_the_cost_alone_with_sizes_or_shapes(model: str, capsys: Capture) -> None:
    assert cli.main(["explain", model, "--cost", "--fetch", "total:0", "--size", "x:0=[7]"]) == 0
    assert capsys.readouterr().out.startswith("cost of total:0 with x:0 (7,): 7 operations")
    assert cli.main(["explain", model, "--cost"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("cost of tower/y:0, total:0: it depends on n\n")
    assert "not known: n of x:0: its size is not given. Write --size n=64 for a size of 64.\n" in out


def test_explain_says_on_the_command_line_how_sizes_without_a_name_are_given(tmp_path: Path, capsys: Capture) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        tf.negative(tf.boolean_mask(x, tf.placeholder(tf.bool, [None], name="mask"), name="rows"), name="y")
    model = str(tf.save_graph(graph, tmp_path / "model.json"))
    assert cli.main(["explain", model, "--cost"]) == 0
    out = capsys.readouterr().out
    assert "Write --size 'x:0=[...]'.\n" in out
    assert "Write --size 'rows:0=[...]' with the shape that you expect; only a run knows it." in " ".join(out.split())
    assert "cost(" not in out


def test_a_feed_that_loses_numbers_or_is_missing_is_told_in_words_of_the_command_line(
    tmp_path: Path, capsys: Capture
) -> None:
    with tf.Graph().as_default() as graph:
        tf.add(tf.placeholder(tf.int32, [1], name="x"), 1, name="y")
    model = str(tf.save_graph(graph, tmp_path / "model.json"))
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        assert cli.main(["run", model, "--feed", "x=[1.5]"]) == 0
    found = capsys.readouterr()
    assert found.out == "y:0  int32 (1,)\n[2]\n"
    assert found.err.startswith("penstock run: Feeding Tensor x:0, which has dtype int32: element [0] is 1.5 and bec")
    assert found.err.count("Feeding") == 1
    assert cli.main(["run", model, "--fetch", "y"]) == 2
    assert capsys.readouterr().err == (
        "penstock run: You must feed a value for placeholder tensor 'x' with dtype int32 and shape [1]; write --feed "
        "x=FILE.npy, or --fetch results that do not need it\n"
    )


def test_run_shows_every_value_on_the_way(model: str, capsys: Capture, tmp_path: Path) -> None:
    assert cli.main(["run", model, "--feed", "x=[1, 2]", "--trace"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = ["x:0", "tower/log:0", "tower/y/y:0", "tower/y:0", "total:0"]
    assert [line.split()[0] for line in lines] == ["tensor", *names]
    out = tmp_path / "all.npz"
    assert cli.main(["run", model, "--feed", "x=[1, 2]", "--trace", "-o", str(out)]) == 0
    with np.load(out) as found:
        assert found["tower/log:0"].shape == (2,) and found["total:0"] == 3.0


def test_run_times_many_runs(model: str, capsys: Capture) -> None:
    assert cli.main(["run", model, "--feed", "x=[1, 2]", "--profile", "3"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("3 runs of 2 steps: median ") and "total:0  float32 ()" in out


def test_a_watched_run_ends_with_1_at_a_bad_value(model: str, capsys: Capture) -> None:
    assert cli.main(["run", model, "--feed", "x=[1, -2]", "--watch"]) == 1
    found = capsys.readouterr()
    assert found.out == "" and found.err.startswith("watch: tower/log:0 float32 [2] had NaN values")
    assert cli.main(["run", model, "--feed", "x=[1, -2]", "--watch", "--exclude", "tower/*"]) == 0
    assert "nan" in capsys.readouterr().out
    assert cli.main(["run", model, "--feed", "x=[1, -2]", "--watch", "--trace"]) == 1
    found = capsys.readouterr()
    assert "tower/log:0" in found.out and "tower/y:0" not in found.out and "had NaN" in found.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["explain", "MODEL", "--shape", "nobody"], "nobody"),
        (["explain", "MODEL", "--cost", "--size", "n"], "there is no `=`"),
        (["explain", "MODEL", "--cost", "--size", "n=many"], "neither a number nor a list"),
        (["explain", "MODEL", "--cost", "--size", "m=3"], "--size m=3: the graph has no dimension of that name"),
        (["explain", "MODEL", "--cost", "--size", "n=-3"], "--size n=-3: the dimension 'n' has -3; a size must be"),
        (["explain", "MODEL", "--cost", "--size", "x:0=[[1]]"], "a size is an int"),
        (["run", "MODEL", "--feed", "x=[1]", "--profile", "0"], "must be in [1, 1000000]"),
        (["run", "MODEL", "--feed", "x=[1]", "--exclude", "a"], "write --watch too"),
        (["run", "MODEL", "--feed", "x=[1]", "--profile", "2", "--trace"], "use one of them"),
    ],
)
def test_options_that_cannot_be_are_one_error_and_exit_code_2(
    arguments: list[str], says: str, model: str, capsys: Capture
) -> None:
    assert cli.main([model if a == "MODEL" else a for a in arguments]) == 2
    found = capsys.readouterr()
    assert found.err.startswith(f"penstock {arguments[0]}: ") and says in found.err and "Traceback" not in found.err


def test_a_bar_without_tqdm_says_what_to_install(
    model: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert cli.main(["run", model, "--feed", "x=[1]", "--progress"]) == 2
    assert "pip install penstock[progress]" in capsys.readouterr().err


def test_help_has_examples(capsys: Capture) -> None:
    for command, example in (("run", "--profile 20"), ("explain", "--cost --size batch=64")):
        with pytest.raises(SystemExit):
            cli.main([command, "--help"])
        assert f"model.json --feed x=x.npy {example}" in (out := capsys.readouterr().out) or example in out
