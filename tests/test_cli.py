"""The commands on saved graphs do what their help says, with one line and exit code 2 for bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import penstock as tf
from penstock import cli
from penstock.cli import graph_commands
from tests.graph.serial.programs import hostile_graph

from .warm_python import run_warm

ROOT = Path(__file__).resolve().parents[1]
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        with tf.name_scope("tower"):
            tf.add(x, 1.0, name="y")
        tf.reduce_sum(x, name="total")
    return tf.save_graph(graph, tmp_path / "model.json")


def test_inspect_says_what_to_feed_what_comes_out_and_every_node(model: Path, capsys: Capture) -> None:
    assert cli.main(["inspect", str(model)]) == 0
    out = capsys.readouterr().out
    assert "4 operations" in out
    assert "to feed:\n  x:0  float32 (n,)" in out
    assert "results:\n  tower/y:0  float32 (n,)\n  total:0  float32 ()" in out
    assert cli.main(["inspect", str(model), "--scope", "tower"]) == 0
    assert "Placeholder" not in capsys.readouterr().out.split("results:")[1]


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    """A folder with a graph of two variables and a checkpoint of one of them."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        w, b = tf.Variable([1.0, 2.0], name="w"), tf.Variable(0.5, name="b")
        tf.add(w.read_value() * 10.0, b, name="y")
        session.run([w.initializer, w.assign([3.0, 4.0])])
        tf.train.Saver([w]).save(session, str(tmp_path / "some"), write_meta_graph=False)
    tf.save_graph(graph, tmp_path / "model.json")
    return tmp_path


@pytest.mark.parametrize(("options", "values"), [
    (["--initialize"], "[10.5 20.5]"), (["--restore", "some", "--initialize"], "[30.5 40.5]")
])  # fmt: skip
def test_run_gives_variables_the_values_that_options_ask_for(
    options: list[str], values: str, trained: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(trained)
    assert cli.main(["run", "model.json", "--fetch", "y", *options]) == 0
    assert values in capsys.readouterr().out


def test_run_says_what_gives_variables_values(
    trained: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(trained)
    with tf.Graph().as_default() as graph:
        tf.add(tf.Variable([1, 2, 3], name="w").read_value(), 1, name="y")
    tf.save_graph(graph, "other.json")
    for arguments, words in [
        (["model.json"], "uninitialized value w: a saved graph holds no values of variables; write --restore"),
        (["model.json", "--restore", "some"], "the checkpoint has no b; with --initialize as well"),
        (["other.json", "--restore", "some"], "w is float32 (2,) there, and int32 (3,) in the graph"),
        (["model.json", "--restore", "none"], "there is no checkpoint 'none'"),
    ]:
        assert cli.main(["run", *arguments, "--fetch", "y"]) == 2
        assert words in capsys.readouterr().err


def test_inspect_names_the_scopes_if_there_is_none_of_that_name(model: Path, capsys: Capture) -> None:
    assert cli.main(["inspect", str(model), "--scope", "towr"]) == 2
    assert "--scope towr: there is no node below that name; the outermost scopes are tower" in capsys.readouterr().err


def test_inspect_reports_on_a_graphdef(model: Path, tmp_path: Path, capsys: Capture) -> None:
    tf.save_graph(tf.load_graph(model), tmp_path / "model.pb")
    assert cli.main(["inspect", str(tmp_path / "model.pb")]) == 0
    assert "4 of 4 op types supported" in capsys.readouterr().out


FORMS = (".svg", ".dot", ".txt", ".mmd", ".json", ".picture.json", ".graphml", ".pb", ".pbtxt")


@pytest.mark.parametrize("suffix", FORMS)
def test_export_writes_every_form(suffix: str, model: Path, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / f"out{suffix}"
    assert cli.main(["export", str(model), "-o", str(out), "--fetch", "tower/y:0", "--depth", "1"]) == 0
    assert out.stat().st_size > 0
    assert capsys.readouterr().out == f"{out}\n"


def test_run_feeds_files_and_values_and_prints_or_writes(model: Path, tmp_path: Path, capsys: Capture) -> None:
    np.save(tmp_path / "x.npy", np.array([1.0, 2.0], np.float32))
    assert cli.main(["run", str(model), "--feed", f"x={tmp_path / 'x.npy'}", "--fetch", "tower/y"]) == 0
    assert capsys.readouterr().out == "tower/y:0  float32 (2,)\n[2. 3.]\n"
    out = tmp_path / "out.npz"
    assert cli.main(["run", str(model), "--feed", "x:0=[1, 2, 3]", "-o", str(out)]) == 0
    with np.load(out) as found:
        assert found["total:0"] == 6.0 and found["tower/y:0"].tolist() == [2, 3, 4]


def test_diff_ends_with_1_where_something_differs(model: Path, tmp_path: Path, capsys: Capture) -> None:
    assert cli.main(["diff", str(model), str(model)]) == 0
    with tf.Graph().as_default() as graph:
        tf.placeholder(tf.float32, [2], name="x")
    other = tf.save_graph(graph, tmp_path / "other.json")
    assert cli.main(["diff", str(model), str(other)]) == 1
    out = capsys.readouterr().out
    assert "- total  Sum" in out and "shape: (n,) -> (2,)" in out


def test_explain_shows_the_stages_and_one_node(model: Path, capsys: Capture) -> None:
    assert cli.main(["explain", str(model), "--fetch", "total:0"]) == 0
    out = capsys.readouterr().out
    assert "pruned" in out and "plan:" in out
    assert cli.main(["explain", str(model), "--fetch", "total:0", "--node", "tower/y"]) == 0
    assert capsys.readouterr().out.startswith("tower/y: ")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["inspect", "missing.json"], "penstock inspect: missing.json: No such file or directory"),
        (["inspect", "graph.txt"], "the suffix of a saved graph is one of .json, .pb, .pbtxt"),
        (["run", "MODEL"], "x:0 must be fed"),
        (["run", "MODEL", "--feed", "x"], "there is no `=`"),
        (["run", "MODEL", "--feed", "x=[1,"], "neither a .npy file nor a value"),
        (["run", "MODEL", "--feed", "x=missing.npy"], "No such file"),
        (["run", "MODEL", "--feed", "nobody=3"], "nobody"),
        (["run", "MODEL", "--feed", "x=[[1]]"], "shape"),
        (["run", "MODEL", "--feed", "x=[1]", "--fetch", "nobody:0"], "does not exist"),
        (["run", "MODEL", "--feed", "x=[1]", "-o", "out.txt"], "written as .npz"),
        (["export", "MODEL", "-o", "out.gif"], "suffix"),
        (["diff", "MODEL", "missing.pb"], "No such file"),
        (["explain", "MODEL", "--fetch", "nobody"], "nobody"),
    ],
)
def test_bad_input_is_one_error_and_exit_code_2(
    arguments: list[str], says: str, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "graph.txt").write_text("no graph")
    assert cli.main([str(model) if a == "MODEL" else a for a in arguments]) == 2
    found = capsys.readouterr()
    assert found.out == ""
    assert found.err.startswith(f"penstock {arguments[0]}: ") and says in found.err
    assert "Traceback" not in found.err


def test_an_array_file_with_pickled_objects_is_refused(model: Path, tmp_path: Path, capsys: Capture) -> None:
    np.save(tmp_path / "bad.npy", np.array([print], object), allow_pickle=True)
    assert cli.main(["run", str(model), "--feed", f"x={tmp_path / 'bad.npy'}"]) == 2
    assert "not an array written by numpy.save: it holds Python objects" in capsys.readouterr().err


def test_names_from_a_file_cannot_move_the_cursor(tmp_path: Path, capsys: Capture) -> None:
    path = tf.save_graph(hostile_graph(), tmp_path / "hostile.json")
    for arguments in (["inspect", str(path)], ["run", str(path)], ["explain", str(path)]):
        assert cli.main(arguments) == 0
        assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize("command", ["inspect", "export", "run", "diff", "explain"])
def test_help_shows_examples_of_each_command(command: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main([command, "--help"])
    assert ended.value.code == 0
    assert f"examples:\n  penstock {command} " in capsys.readouterr().out


# ---- PENSTOCK_SHOW ------------------------------------------------------------------------------

SCRIPT = """
import penstock as tf
x = tf.placeholder(tf.float32, [2], name="x")
y = tf.add(x, 1.0, name="y")
tf.constant(3, name="beside")
with tf.Session() as session:
    print(session.run({"y": [y]}, {x: [1, 2]}))
"""


def show(script: str, out: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "script.py").write_text(script)
    return run_warm([str(folder / "script.py")], cwd=folder, env=os.environ | {"PENSTOCK_SHOW": str(out)})


def test_a_program_shows_what_it_ran_without_a_change(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    environment = os.environ | {"PENSTOCK_SHOW": str(tmp_path / "out.txt"), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "script.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "{'y': [array([2., 3.], dtype=float32)]}\n")
    assert done.stderr == f"PENSTOCK_SHOW: {tmp_path / 'out.txt'} shows 4 operations\n"
    text = (tmp_path / "out.txt").read_text()
    assert "[fetched]" in text and "beside" not in text


def test_the_last_run_with_steps_is_shown(tmp_path: Path) -> None:
    script = """
import penstock as tf
w = tf.Variable(3.0, name="w")
more = tf.assign_add(w, 1.0, name="more")
with tf.Session() as session:
    session.run(w.initializer)
    session.run(more)
    print(session.run(w), session.run([]))
"""
    done = show(script, tmp_path / "out.html", tmp_path)
    assert (done.returncode, done.stdout) == (0, "4.0 []\n") and "a run of 1 step" in done.stderr
    assert '"more"' in (tmp_path / "out.html").read_text("utf-8")
    show(script, tmp_path / "out.txt", tmp_path)
    assert "more" in (tmp_path / "out.txt").read_text("utf-8")


def test_a_warning_names_the_programs_line_though_its_run_is_recorded(tmp_path: Path) -> None:
    script = SCRIPT.replace("tf.float32", "tf.int32").replace("1.0", "1").replace("{x: [1, 2]}", "{x: [1.5, 2]}")
    done = show(script, tmp_path / "out.html", tmp_path)
    assert done.returncode == 0
    assert f"{tmp_path / 'script.py'}:7: LossyFeedWarning: Feeding Tensor x:0" in done.stderr


def test_a_program_gives_a_timeline_of_its_last_run(tmp_path: Path) -> None:
    done = show(SCRIPT, tmp_path / "out.trace.json", tmp_path)
    assert done.returncode == 0 and "a run of 1 step" in done.stderr
    events = json.loads((tmp_path / "out.trace.json").read_text())["traceEvents"]
    assert [event["name"] for event in events if event["ph"] == "X"] == ["y"]


def test_a_program_that_records_for_itself_still_gets_its_record(tmp_path: Path) -> None:
    script = SCRIPT.replace(
        "print(session.run({\"y\": [y]}, {x: [1, 2]}))",
        "m = tf.RunMetadata(); session.run(y, {x: [1, 2]}, tf.RunOptions(), m); print(len(m.steps))",
    )
    done = show(script, tmp_path / "out.html", tmp_path)
    assert done.stdout == "1\n" and "a run of 1 step" in done.stderr


def test_a_run_that_failed_is_shown_as_far_as_it_came(tmp_path: Path) -> None:
    script = SCRIPT.replace("y = tf.add(x, 1.0, name=\"y\")", "y = tf.gather(tf.cumsum(x, name='sums'), [9], name='y')")
    done = show(script, tmp_path / "out.html", tmp_path)
    assert done.returncode == 1 and "InvalidArgumentError" in done.stderr
    assert "a run of 1 step" in done.stderr


def test_the_default_graph_is_shown_if_nothing_was_run(tmp_path: Path) -> None:
    show("import penstock as tf\ntf.constant(1, name='only')", tmp_path / "out.txt", tmp_path)
    assert "only" in (tmp_path / "out.txt").read_text()


def test_a_picture_that_cannot_be_written_does_not_fail_the_program(tmp_path: Path) -> None:
    for out in (tmp_path / "out.gif", tmp_path / "no" / "out.svg"):
        done = show(SCRIPT, out, tmp_path)
        assert done.returncode == 0 and done.stderr.startswith("PENSTOCK_SHOW: ")
        assert "Traceback" not in done.stderr
    assert "nothing is written" in show("import penstock", tmp_path / "out.svg", tmp_path).stderr


def test_no_command_at_all_shows_what_there_is(capsys: Capture) -> None:
    assert cli.main([]) == 2
    found = capsys.readouterr()
    assert found.out == "" and "inspect" in found.err and "penstock demo --csv flowers.csv" in found.err


def test_a_folder_that_is_not_there_is_told_by_the_name_that_was_given(
    model: Path, tmp_path: Path, capsys: Capture
) -> None:
    for out in (tmp_path / "none" / "m.svg", tmp_path / "none" / "m.pb"):
        assert cli.main(["export", str(model), "-o", str(out)]) == 2
        assert capsys.readouterr().err == f"penstock export: {out}: No such file or directory\n"


def test_a_feed_of_something_else_says_what_must_be_fed(model: Path, capsys: Capture) -> None:
    assert cli.main(["run", str(model), "--feed", "q=1"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("penstock run: --feed q=1: The name 'q' refers to an Operation not in the graph")
    assert err.endswith("; the graph must be fed x:0\n")


@pytest.mark.parametrize("command", ["", *(command.name for command in graph_commands.COMMANDS), "demo", "learn"])
def test_the_lines_of_a_help_text_fit_100_columns(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main([*command.split(), "--help"])
    assert max(len(line) for line in capsys.readouterr().out.splitlines()) <= 100
