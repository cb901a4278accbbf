"""The prompt of `penstock debug` at a terminal: one process behind a pseudo-terminal, and stand-ins for editors."""

from __future__ import annotations

import builtins
import os
import re
import select
import signal
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from penstock.cli.debug_terminal.terminal_style import style_of_output
from penstock.cli.debug_terminal.typed_lines import (
    GivenLines,
    PipedLines,
    PlainLines,
    ReadlineLines,
    history_file,
    line_source,
)
from penstock.lessons.kept_progress import VARIABLE

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 240.0
"""Seconds to wait for a prompt; a loaded machine may need many, a failed test needs them all."""

pty = pytest.importorskip("pty", reason="pseudo-terminals are of Unix")

SLOW = """\
import time
import penstock as tf
calls = []
def slow(value):
    calls.append(1)
    if len(calls) == 1:
        print("waiting", flush=True)
        while True:
            time.sleep(0.05)
    return value
x = tf.placeholder(tf.float32, [2], name="x")
waited = tf.py_func(slow, [tf.square(x, name="squared")], tf.float32, name="waited")
with tf.Session() as session:
    print("waited", session.run(tf.negative(waited, name="out"), {x: [1.0, 2.0]}))
    print("calls", len(calls))
"""


class Terminal:
    """A process behind a pseudo-terminal. Text is awaited, never slept for."""

    def __init__(self, command: list[str], folder: Path, **environment: str) -> None:
        self.process, self._file = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.environ.update(environment)
            os.environ.pop("NO_COLOR", None)
            os.execv(command[0], command)
        self.text = ""

    def until(self, mark: str) -> str:
        """What the process writes up to a mark."""
        before = len(self.text)
        while mark not in self.text[before:]:
            found = self._more()
            assert found, f"{mark!r} did not come: {self.text}"
            self.text += found
        return self.text[before:]

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._file, keys.encode())

    def end(self) -> int:
        """Read what is left; the exit code."""
        while found := self._more():
            self.text += found
        os.close(self._file)
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])

    def _more(self) -> str:
        if not select.select([self._file], [], [], PATIENCE)[0]:
            os.kill(self.process, signal.SIGKILL)
            return ""
        try:
            return os.read(self._file, 4096).decode()
        except OSError:  # the process has closed its side
            return ""


def test_a_session_at_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    command = [sys.executable, "-m", "penstock", "debug", "slow.py"]
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    there = Terminal(command, tmp_path, PYTHONPATH=path, TERM="xterm", COLUMNS="60", **{VARIABLE: str(tmp_path)})
    prompt = "(debug) "
    there.until(prompt)
    assert "\033[1msquared\033[0m" in there.text  # the node in bold
    there.type("ne\t\n")  # completes to next
    assert "before step 2 of 3" in there.until("\r\n" + prompt)
    there.type("p squ\t\n")
    assert "squared:0  float32 (2,)" in there.until("\r\n" + prompt)
    there.type("\n")  # Enter repeats it
    assert "squared:0  float32 (2,)" in there.until("\r\n" + prompt)
    there.type("n\n")
    there.until("waiting\r\n")
    there.type("\x03")
    found = there.until(prompt)
    assert "interrupted" in found and "before step 2 of 3" in found
    there.type("whre is it\n")
    assert "\033[31mwhre is no command" in there.until("\r\n" + prompt)
    there.type("n\n")
    assert "before step 3 of 3" in there.until("\r\n" + prompt)
    there.type("\x04")  # Ctrl-D quits
    assert there.end() == 0
    assert re.search(r"waited \[-1\. -4\.\]\s+calls 2\s", there.text)
    assert "slow.py has ended" in there.text
    assert (tmp_path / "debug_history").read_text().splitlines() == ["next", "p squared", "n", "whre is it", "n"]


class FakeReadline(types.ModuleType):
    """In place of readline: it remembers what it was told."""

    def __init__(self, line: str) -> None:
        super().__init__("readline", "GNU readline")
        self.history = ["of the program"]
        self.completer: Any = None
        self.delims = "of the program"
        self.line = line
        self.seen: list[str] = []

    def get_completer(self) -> Any:
        return self.completer

    def set_completer(self, completer: Any) -> None:
        self.completer = completer

    def get_completer_delims(self) -> str:
        return self.delims

    def set_completer_delims(self, delims: str) -> None:
        self.delims = delims

    def get_line_buffer(self) -> str:
        return self.line

    def get_endidx(self) -> int:
        return len(self.line)

    def get_current_history_length(self) -> int:
        return len(self.history)

    def get_history_item(self, number: int) -> str:
        return self.history[number - 1]

    def clear_history(self) -> None:
        self.history.clear()

    def add_history(self, entry: str) -> None:
        self.history.append(entry)

    def parse_and_bind(self, text: str) -> None:
        self.seen.append(text)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)


def test_readline_keeps_its_own_history_and_gives_the_programs_settings_back(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = FakeReadline("p sc")
    monkeypatch.setitem(sys.modules, "readline", fake)
    (tmp_path / "history").write_text("n\n")
    during: list[Any] = []

    def typed(prompt: str) -> str:
        during.append((prompt, list(fake.history), fake.completer("sc", 0), fake.completer("sc", 1)))
        return "p scaled"

    monkeypatch.setattr(builtins, "input", typed)
    lines = ReadlineLines(tmp_path / "history")
    assert lines.read(lambda before: ["scaled"] if before == "p sc" else []) == "p scaled"
    assert during == [("(debug) ", ["n"], "scaled", None)]
    assert (fake.history, fake.completer, fake.delims) == (["of the program"], None, "of the program")
    assert (tmp_path / "history").read_text() == "n\np scaled\n"


@pytest.mark.usefixtures("terminal")
def test_the_source_of_commands_follows_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prompt_toolkit", None)
    monkeypatch.setitem(sys.modules, "readline", FakeReadline(""))
    assert isinstance(line_source("n"), GivenLines)
    assert isinstance(line_source(None), ReadlineLines)
    monkeypatch.setitem(sys.modules, "readline", None)
    monkeypatch.setattr("penstock.graph.common.lazy_import._loaded", set())
    assert isinstance(line_source(None), PlainLines)
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(line_source(None), PlainLines)
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    assert isinstance(line_source(None), PipedLines)


def test_a_home_that_cannot_be_written_leaves_the_history_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file" / "data"))
    assert history_file() is None


class FakeToolkit:
    """In place of prompt_toolkit."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.modules = {
            "prompt_toolkit": self.module("prompt_toolkit", PromptSession=self.session),
            "prompt_toolkit.history": self.module("history", FileHistory=str, InMemoryHistory=lambda: "in memory"),
            "prompt_toolkit.completion": self.module("completion", Completer=object, Completion=lambda *c: c),
        }

    @staticmethod
    def module(name: str, **names: Any) -> types.ModuleType:
        made = types.ModuleType(name)
        vars(made).update(names)
        return made

    def session(self, prompt: str, *, history: str, complete_while_typing: bool) -> FakeToolkit:
        self.asked.append((prompt, history))
        return self

    def prompt(self, *, completer: Any, in_thread: bool) -> str:
        document = types.SimpleNamespace(text_before_cursor="n; p sc")
        self.asked.append((list(completer.get_completions(document, None)), in_thread))
        return "p scaled"


@pytest.fixture
def toolkit(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeToolkit]:
    fake = FakeToolkit()
    for name, module in fake.modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr("penstock.cli.debug_terminal.typed_lines.has_prompt_toolkit", lambda: True)
    yield fake


@pytest.mark.usefixtures("terminal")
def test_prompt_toolkit_edits_the_line_where_it_is_installed(toolkit: FakeToolkit, tmp_path: Path) -> None:
    lines = line_source(None)
    assert lines.read(lambda before: ["scaled"] if before == "n; p sc" else []) == "p scaled"
    history = str(tmp_path / "debug_history.toolkit")
    assert toolkit.asked == [("(debug) ", history), ([("scaled", -2)], False)]


def test_colours_are_left_out_where_the_user_does_not_want_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert style_of_output().red("x") == "\033[31mx\033[0m"
    assert style_of_output().lines("a nan, nano") == "a \033[31mnan\033[0m, nano"
    monkeypatch.setenv("NO_COLOR", "1")
    assert style_of_output().red("x") == "x"
