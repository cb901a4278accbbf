"""At the prompt of `penstock debug`: earlier runs, with their feeds and variables."""

from __future__ import annotations

import re

import pytest

from penstock.cli.debug_terminal import earlier_runs

from .debugged_programs import DebugRunner

TRAIN = """\
import penstock as tf

x = tf.placeholder(tf.float32, [], name="x")
w = tf.Variable(1.0, name="w")
noise = tf.random_uniform([], seed=3, name="noise")
out = tf.multiply(w, x, name="out")
grown = w.assign_add(out)
with tf.Session() as session:
    session.run(w.initializer)
    for epoch in range(4):
        result = session.run([grown, noise], {x: epoch})
    print("w", session.run(w))
"""


def said(found: str, command: str) -> list[str]:
    """What was printed after each time that a command was carried out."""
    return [part.partition("(debug)")[0].strip() for part in re.split(rf"\(debug\) {command}\n", found)[1:]]


def test_an_earlier_run_has_its_feeds_variables_and_random_numbers(debug: DebugRunner) -> None:
    commands = "f; f; n 3; p noise; f; f; again 3; n 3; p noise; p w; p x; p out; again; p w; q"
    found = debug(TRAIN, commands)
    assert found.code == 0, found.err
    first, second = said(found.out, "p noise")
    assert first == second and "noise/RandomUniform:0  float32" in first
    assert [text.split()[-1] for text in said(found.out, "p w")] == ["1.0", "6.0"]
    assert said(found.out, "p x") == ["x:0  float32 ()  1.0"] and said(found.out, "p out") == ["out:0  float32 ()  1.0"]
    assert "run 3 again (run 5 is at hand), program.py:11  result" in found.out
    assert found.out.endswith("w 24.0\n")  # 1 * 1 * 2 * 3 * 4, as without the debugger


def test_what_is_set_in_an_earlier_run_does_not_reach_the_program(debug: DebugRunner) -> None:
    found = debug(TRAIN, "f; f; f; again 2; set x 100; n 9; f; p w; q")
    assert found.code == 0 and found.out.endswith("w 24.0\n"), found.err
    assert said(found.out, "p w") == ["w:0  float32 ()  2.0"]


def test_again_alone_is_the_run_before_and_then_the_run_at_hand(debug: DebugRunner) -> None:
    found = debug(TRAIN, "f; f; again; again; again 3; q")
    assert found.code == 0, found.err
    told = re.findall(r"^run .*?(?=, program)", found.out, re.MULTILINE)
    assert told == ["run 1", "run 2", "run 3", "run 2 again (run 3 is at hand)", "run 3"]


def test_the_title_counts_the_runs_of_the_program_and_of_the_line(debug: DebugRunner) -> None:
    found = debug(TRAIN, "break out if epoch == 2; c; q")
    assert "run 4, program.py:11 for the 3rd time  result" in found.out


def test_runs_are_listed_by_line(debug: DebugRunner) -> None:
    found = debug(TRAIN, "f; f; f; f; f; runs; again 3; runs; runs 1; q")
    first, second = said(found.out, "runs")
    assert [line.split()[:3] for line in first.splitlines()[1:]] == [
        ["1", "program.py:9", "session.run(w.initializer)"], ["2", "to", "5"], ["6", "program.py:12", 'print("w",'],
    ]  # fmt: skip
    assert first.splitlines()[3].endswith("here 6") and second.splitlines()[2].endswith("here 3")
    assert second.splitlines()[3].endswith("at hand 6") and len(said(found.out, "runs 1")[0].splitlines()) == 2


def test_breakpoints_are_those_of_now_in_earlier_runs_too(debug: DebugRunner) -> None:
    found = debug(TRAIN, "f; f; f; break out; again 2; c; c; delete 1; again; break; q")
    assert found.code == 0, found.err
    reached, ended = said(found.out, "c")
    assert "breakpoint 1: before out" in reached
    assert "the program has its results since then" in ended
    assert said(found.out, "break") == ["there is no breakpoint; `help break` tells how to set one"]


@pytest.mark.parametrize(
    ("commands", "reason"),
    [
        ("again 7; q", "no run before this one was under the debugger"),
        ("f; f; again 9; q", "run 9 is not kept; kept are 1 to 2"),
        ("f; f; again 1; repro there; q", "the folder would get the variables of now"),
        ("again x; q", "x"),
    ],
)
def test_what_cannot_be_done_is_told(debug: DebugRunner, commands: str, reason: str) -> None:
    found = debug(TRAIN, commands)
    assert found.code == 1 and reason in found.err


def test_only_so_many_runs_are_kept(debug: DebugRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(earlier_runs, "_MOST_RUNS", 2)
    found = debug(TRAIN, "f; f; f; f; again 1; q")
    assert "run 1 is not kept; kept are 3 to 4" in found.err
    monkeypatch.setattr(earlier_runs, "_MOST_BYTES", 0)
    found = debug(TRAIN, "f; f; f; f; again; again 3; q")
    assert "run 3 is not kept; kept are 4 to 4" in found.err


def test_quit_in_an_earlier_run_lets_the_program_go_on(debug: DebugRunner) -> None:
    found = debug(TRAIN, "f; f; again 2; q")
    assert found.code == 0 and found.out.endswith("w 24.0\n")
