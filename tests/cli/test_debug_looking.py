"""What the commands of `penstock debug` show: breakpoints, why, frames, the graph around, pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import penstock as tf
from penstock.cli.debug_terminal.debug_prompt import DebugPrompt
from penstock.cli.debug_terminal.looking_commands import graph_around
from penstock.cli.debug_terminal.run_choice import RunChoice
from penstock.cli.debug_terminal.run_stops import RunStops
from penstock.cli.debug_terminal.typed_lines import Completer
from penstock.runtime.session.run_hooks import runs_given_to

from .debugged_programs import LOGS, DebugRunner

LOOP = """\
import penstock as tf
x = tf.placeholder(tf.float32, [], name="x")
def body(i, s):
    return i + 1, tf.log(tf.subtract(s, 1.0, name="less"), name="logs")
steps = tf.while_loop(lambda i, s: i < 4, body, [0, x], name="steps")
unused = tf.exp(x, name="unused")
loss = tf.negative(steps[1], name="loss")
with tf.Session() as session:
    for given in (100.0, 1e30, 50.0):
        session.run(loss, {x: given})
"""


def test_breakpoints_and_watches_stay_from_run_to_run(debug: DebugRunner) -> None:
    found = debug(LOOP, "break nan */logs; watch loss; break; break loss; delete 2; c; p less; w; finish; unwatch loss")
    assert found.code == 0, found.err
    assert "1: NaN in */logs\n(debug) break loss" in found.out
    assert "breakpoint 1: steps/body/logs:0: 1 of 1 elements" in found.out and "in steps[4]/cond" in found.out
    assert found.out.count("loss:0 = not computed yet") == 4  # watched at each stop
    assert "before step 1 of 2: steps (While)" in found.out.split("(debug) finish")[1]


def test_continue_goes_on_over_runs_to_a_breakpoint(debug: DebugRunner) -> None:
    program = LOOP.replace("(100.0, 1e30, 50.0)", "(3e38, 100.0)").replace("i < 4", "i < 2")
    found = debug(program, "break nan; c; p s; q", "--run", "1", "--run", "2")
    assert found.code == 1 and "the program ended before p s" in found.err  # neither run has a NaN
    found = debug(LOOP.replace("(100.0", "(1e30"), "break loss; c; c; p steps:1; q")
    assert found.out.count("breakpoint 1: before loss") == 2 and "steps:1  float32 ()  -1.77" in found.out


def test_a_breakpoint_at_the_first_step_stops_later_runs_there(debug: DebugRunner) -> None:
    found = debug(LOOP, "break steps; c; p x; finish; q")
    assert "run 2," in found.out and "x:0  float32 ()  1e+30" in found.out


def test_the_loop_around_is_told_with_its_variables(debug: DebugRunner) -> None:
    found = debug(LOOP, "u logs; u logs; frames; p s; out; b; list 1; q")
    assert found.code == 0, found.err
    assert "in steps[1] (While)  i = 1, s = 4.595" in found.out
    assert "before step 2 of 2: loss (Neg)" in found.out.split("(debug) out")[1]
    assert re.search(r">     2  +loss +Neg", found.out.split("(debug) list 1")[1]) or "> " in found.out


def test_why_follows_a_nan_and_tells_of_nodes_that_do_not_run(debug: DebugRunner) -> None:
    found = debug(LOOP, "n; why steps:1; why unused; why; shape loss; times; profile 2; q", "--run", "1")
    assert found.code == 0, found.err
    said = found.out
    assert "it begins in steps[2]" in said or "it begins in steps[3]" in said
    assert "unused" in said.split("(debug) why unused")[1].split("(debug)")[0]
    assert "loss:0: not computed yet" in said
    assert re.search(r"steps +\d[\d.]* [mu]?s +100%", said)


def test_a_failure_is_opened_where_it_happened_with_its_values(debug: DebugRunner) -> None:
    program = """\
import penstock as tf
n = tf.placeholder(tf.int32, [], name="n")
def body(i, s):
    return i + 1, tf.floordiv(s, tf.subtract(n, i, name="left"), name="share")
steps = tf.while_loop(lambda i, s: i < 3, body, [0, 12], name="steps")
with tf.Session() as session:
    for given in (5, 1, 6):
        print(session.run(steps[1], {n: given}))
"""
    found = debug(program, "where; p left; why; frames; set left 3; finish", "--on-error")
    assert found.code == 0, found.err
    assert found.out.startswith("0\nrun 2,") and found.out.count("run 2,") == 1
    assert "in steps[1]" in found.out and "left:0  int32 ()  0" in found.out
    assert "i = 1, s = 12" in found.out
    assert found.out.endswith("(debug) finish\n-4\n0\n")


def test_a_page_and_a_folder_are_written(debug: DebugRunner, tmp_path: Path) -> None:
    found = debug(LOGS, "n 2; show here.html; repro failing; q")
    assert found.code == 0, found.err
    assert (tmp_path / "here.html").read_text().startswith("<!")
    assert (tmp_path / "failing" / "repro.py").is_file()


def test_metadata_of_the_program_is_filled(debug: DebugRunner) -> None:
    program = LOGS.replace("session.run(loss, {x: [2.0, -4.0]})", "session.run(loss, {x: [2.0, -4.0]}, None, metadata)")
    program = program.replace("    print(\"loss\"", "    metadata = tf.RunMetadata()\n    print(\"loss\"")
    found = debug(program + "print([step.node for step in metadata.steps])\n", "n; finish; q")
    assert found.code == 0 and "['model/scaled', 'model/logs', 'model/loss']" in found.out


def test_values_and_graph_say_what_the_run_has_done(debug: DebugRunner) -> None:
    found = debug(LOGS, "n; values; values *logs*; q")
    assert found.code == 1 and "no value that has been computed is called *logs*" in found.err
    assert "x:0             float32 (2,)  [2.0, -4.0]\nmodel/scaled:0  float32 (2,)  [1.0, -2.0]" in found.out
    program = LOGS.replace("with tf.Session", "unused = tf.exp(x, name='unused')\nwith tf.Session")
    found = debug(program, "n; graph; graph loss 1; graph unused; q")
    rows = [re.split(r"  +", line.strip()) for line in found.out.split("(debug) graph\n")[1].splitlines()]
    found_states = {row[1] if row[0] == "=>" else row[0]: row[-1] for row in rows[:5]}
    assert found_states["x"] == "fed" and found_states["model/scaled"] == "done"
    assert found_states["model/logs"] == "next" and found_states["model/loss"] == "later"
    assert "not in this run" in found.out.split("(debug) graph unused")[1]
    marked = re.findall(r"^=> +(\S+) .* (\w+)$", found.out, re.MULTILINE)
    assert marked[:2] == [("model/logs", "next"), ("model/loss", "later")]  # the help: that asked for, or else the next
    assert "asked for, or else the next one" in debug(LOGS, "help graph; q").out


def test_the_graph_around_a_node_ends_after_its_hops_and_inside_its_loop() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], name="x")
        for i in range(60):
            x = tf.sin(x, name=f"s{i}")
        tf.while_loop(lambda i: i < 3, lambda i: tf.add(i, 1, name="more"), [0], name="steps")
    text = graph_around(graph, graph.get_operation_by_name("s5"), 2, lambda op: "")
    assert [line.removeprefix("=>").split()[0] for line in text.splitlines()] == ["s3", "s4", "s5", "s6", "s7"]
    inner = graph.find_anywhere("steps/body/more") or graph.find_anywhere("steps/more")
    assert inner is not None
    assert "s59" not in graph_around(graph, inner, 9, lambda op: "")
    middle = graph.get_operation_by_name("s30")
    assert "nodes more; fewer hops show less" in graph_around(graph, middle, 99, lambda op: "")


class TypedLines:
    """Lines that a user types; None stands for Ctrl-C."""

    is_typed = True

    def __init__(self, *lines: str | None) -> None:
        self.lines = list(lines)

    def read(self, complete: Completer) -> str:
        line = self.lines.pop(0)
        if line is None:
            raise KeyboardInterrupt
        return line


def test_ctrl_c_drops_the_line_or_stops_a_run_that_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    calls: list[float] = []

    def called(value: float) -> float:
        calls.append(value)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return value

    lines = TypedLines(None, "", "n", "", "b", "zz", "c", "p y", "q")
    prompt = DebugPrompt(lines)
    with tf.Graph().as_default(), tf.Session() as session, runs_given_to(RunStops(RunChoice(), prompt)):
        x = tf.placeholder(tf.float32, [], name="x")
        y = tf.square(x, name="y")
        out = tf.py_func(called, [y], tf.float32, name="out")
        assert [session.run(out, {x: given}) for given in (2.0, 3.0, 4.0)] == [4.0, 9.0, 16.0]
    assert calls == [4.0, 9.0, 9.0, 16.0] and not lines.lines
    told = capsys.readouterr().out
    assert told.count("Type help") == 1 and "zz is no command" in told
    assert "run 2, " in told and "y:0  float32 ()  9.0" in told and "run 3, " not in told


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("break shape", "write a tensor and the shape"),
        ("break shape x 3", "3 is no shape"),
        ("break nan x y", "write one name or pattern"),
        ("break x y", "write nan, inf, bad, shape, or one name"),
        ("break x", "x is given to the run; no step makes it"),
        ("delete 3", "no breakpoint has this number; there are none"),
        ("delete", "delete what?"),
        ("unwatch x", "it is not watched"),
        ("why nothing", "no tensor is called nothing"),
        ("show", "show where?"),
        ("show here.nothing", "here.nothing"),
        ("repro", "repro where?"),
        ("times", "no step has run yet"),
    ],
)
def test_commands_that_look_refuse_in_one_line(command: str, says: str, debug: DebugRunner) -> None:
    found = debug(LOGS, command)
    assert found.code == 1 and says in found.err, found.err
    assert "Debugger." not in found.err and "dbg." not in found.err
