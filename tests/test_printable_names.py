"""Names from files reach a terminal with their control characters as escapes: in commands, errors and reports."""

from __future__ import annotations

import ast
import copy
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import penstock as tf
from penstock.cli.main import main
from penstock.printable_text import printable_lines
from penstock.repro import load_repro

from .package_modules import package_modules

HOSTILE = ["\x1b[2J\x1b]0;title\x07", "a\r\x08\x7f", "\x9b31m", "\u202eback", "two\nlines", "\ud800half"]
ROOT = Path(tf.__file__).parent


ENDLESS = b"7" * 100_000
TOLD: dict[str, Callable[[], Any]] = {
    "a number": lambda: tf.string_to_number(ENDLESS, tf.int64),
    "a field": lambda: tf.decode_csv(ENDLESS + b"x", [[1]]),
    "a position": lambda: tf.substr(ENDLESS, 10**7, 1),
    "a file": lambda: tf.read_file(ENDLESS),
    "an assertion": lambda: tf.Assert(tf.placeholder_with_default(False, []), [tf.constant(ENDLESS)]),
    "numbers": lambda: tf.check_numerics(tf.constant(float("nan")), "7" * 100_000),
    "a pattern": lambda: tf.regex_replace("a", "(" * 100_000, "b"),
    "a device": lambda: tf.device("q" * 100_000).__enter__(),
    "a dtype": lambda: tf.cast(1.0, "q" * 100_000),
    "an equation": lambda: tf.einsum("a" * 100_000, tf.ones([2])),
}


@pytest.mark.parametrize("what", TOLD)
def test_an_endless_word_does_not_make_an_endless_message(what: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session, pytest.raises(tf.errors.PenstockError) as told:
        session.run(TOLD[what]())
    assert 100 < len(str(told.value)) < 3000


def renamed(value: Any, mark: str) -> Any:
    """A document in which each name of a node has `mark` in it."""
    if isinstance(value, dict):
        return {key: renamed(each, mark) for key, each in value.items()}
    if isinstance(value, list):
        return [renamed(each, mark) for each in value]
    if isinstance(value, str):
        for name in ("fed", "half", "whole", "twin", "deep"):
            if value in (name, f"{name}:0"):
                return value.replace(name, name + mark)
    return value


def graph_of(mark: str, folder: Path) -> tuple[tf.Graph, Path]:
    """A graph whose names a file has made hostile."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None], name="fed")
        half = tf.multiply(x, 0.5, name="half")
        tf.add(half, x, name="whole")
        tf.log(half, name="twin")
        tf.gather(x, 3, name="deep")
    document = json.loads(tf.save_graph(graph, folder / "plain.json").read_text())
    path = folder / "hostile.json"
    path.write_text(json.dumps(renamed(copy.deepcopy(document), mark)))
    return tf.load_graph(path), path


def unseen_in(text: str) -> set[str]:
    """The characters of a text that a terminal does not show as they are."""
    return {each for each in set(text) if not each.isprintable()} - {"\n", "\t"}


def assert_printable(text: str) -> None:
    assert text.strip()
    unseen = unseen_in(text)
    assert not unseen, (unseen, text[:500])


@pytest.mark.share(2)
@pytest.mark.parametrize("mark", HOSTILE, ids=ascii)
def test_no_command_prints_a_control_character(
    mark: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, path = graph_of(mark, tmp_path)
    file, feed = str(path), ["--feed", f"fed{mark}=[1.0, -2.0, 3.0, 4.0]"]
    commands = [
        ["inspect", file], ["inspect", file, "--scope", "nothing"], ["run", file], ["run", file, *feed],
        ["run", file, "--feed", f"fed{mark}=[1.0]"], ["run", file, *feed, "--trace"], ["run", file, *feed, "--watch"],
        ["run", file, *feed, "--profile", "1"], ["run", file, "--feed", "x=1"], ["run", file, "--fetch", "whol"],
        ["run", file, "--feed", f"fed{mark}={{"], ["explain", file], ["explain", file, "--cost"],
        ["explain", file, "--node", f"half{mark}"], ["explain", file, "--node", "hal"],
        ["explain", file, "--shape", f"whole{mark}"], ["explain", file, "--size", f"x{mark}=3"],
        ["diff", file, str(tmp_path / "plain.json")], ["play", file], ["play", file, *feed],
        ["play", file, "--feed", f"fed{mark}=\"a\""], ["export", file, "-o", str(tmp_path / "out.txt")],
        ["export", file, "-o", str(tmp_path / "out.svg"), "--fetch", f"who{mark}"],
    ]  # fmt: skip
    for command in commands:
        main(command)
        told = capsys.readouterr()
        assert_printable(told.out + told.err)
    assert_printable((tmp_path / "out.txt").read_text("utf-8"))


def reports(graph: tf.Graph, session: tf.Session, mark: str) -> dict[str, Callable[[], Any]]:
    feeds = {f"fed{mark}:0": [1.0, 2.0, 3.0, 4.0]}
    fetches = [f"whole{mark}:0", f"twin{mark}:0"]
    return {
        "summary": graph.summary,
        "explain": lambda: session.explain(fetches, feeds),
        "why": lambda: session.explain(fetches, feeds).why(f"half{mark}"),
        "trace": lambda: session.trace(fetches, feeds),
        "profile": lambda: session.profile(fetches, feeds, runs=1),
        "placement": lambda: session.placement(fetches),
        "a missing feed": lambda: session.run(fetches),
        "a wrong feed": lambda: session.run(fetches, {f"fed{mark}:0": [[1.0]]}),
        "a failing kernel": lambda: session.run(f"deep{mark}:0", {f"fed{mark}:0": [1.0]}),
        "an unknown fetch": lambda: session.run(f"what{mark}:0"),
        "an operand": lambda: tf.matmul(graph.get_tensor_by_name(f"whole{mark}:0"), [[1]]),
        "a tensor": lambda: graph.get_tensor_by_name(f"whole{mark}:0"),
        "an int": lambda: int(graph.get_tensor_by_name(f"whole{mark}:0")),
    }


@pytest.mark.parametrize("mark", HOSTILE, ids=ascii)
def test_no_error_and_no_report_has_a_control_character(mark: str, tmp_path: Path) -> None:
    graph, _ = graph_of(mark, tmp_path)
    with tf.Session(graph=graph) as session, graph.as_default():
        bad = {}
        for what, call in reports(graph, session, mark).items():
            try:
                text = str(call())
            except Exception as error:
                text = f"{error}\n" + "\n".join(getattr(error, "__notes__", ()))
            bad[what] = text if unseen_in(text) else ""
    assert not any(bad.values()), {what: text[:300] for what, text in bad.items() if text}


@pytest.mark.parametrize("mark", HOSTILE, ids=ascii)
def test_a_folder_of_a_run_with_hostile_names_is_written_read_and_checked(mark: str, tmp_path: Path) -> None:
    graph, _ = graph_of(mark, tmp_path)
    with tf.Session(graph=graph) as session:
        with pytest.raises(tf.errors.OpError):
            session.run(f"deep{mark}:0", {f"fed{mark}:0": [1.0]})
        folder = session.repro(tmp_path / "run")
    out = io.StringIO()
    assert load_repro(folder).check(out) == 0
    assert_printable(out.getvalue())


def test_tabs_and_lines_stay() -> None:
    assert printable_lines("a\tb\nc\rd") == "a\tb\nc\\rd"


PRINTERS = {"cli/debug_terminal/debug_prompt.py", "cli/debug_terminal/program_start.py"}
"""They print in colours what `terminal_style` has made printable, and what a program says as it exits."""


@pytest.mark.parametrize("part", ["cli", "repro"])
def test_commands_print_with_the_one_function(part: str) -> None:
    bare = []
    for path in package_modules():
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(f"{part}/") and name not in PRINTERS:
            calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
            bare += [f"{name}:{call.lineno}" for call in calls if ast.unparse(call.func) == "print"]
    assert not bare
