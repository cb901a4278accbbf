"""Where the debugger's commands come from: a terminal with completion and history, a pipe, or a list of commands.

At a terminal lines are edited by prompt_toolkit if it is installed, else by Python's readline, else not at all. What is
not typed at a terminal is printed behind the prompt, so that the output reads as a session does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from ...graph.common.lazy_import import load
from ...lessons.kept_progress import data_folder
from .prompt_toolkit_lines import ToolkitLines, has_prompt_toolkit

PROMPT = "(debug) "
_LONGEST_HISTORY = 1000

Completer = Callable[[str], Sequence[str]]
"""From the text before the cursor to what the last word of it may become."""


class LineSource(Protocol):
    """A source of commands.

    Attributes:
        is_typed: whether the user types them, who sees an error and goes on.
    """

    is_typed: bool

    def read(self, complete: Completer) -> str:
        """The next line.

        Raises:
            EOFError: there is none.
            KeyboardInterrupt: Ctrl-C was pressed.
        """


class GivenLines:
    """Commands of the option --commands.

    Attributes:
        left: those that were not read.
    """

    is_typed = False

    def __init__(self, text: str) -> None:
        self.left = text

    def read(self, complete: Completer) -> str:
        """All commands in one line, once."""
        if not self.left:
            raise EOFError
        text, self.left = self.left, ""
        return text


class PipedLines:
    """Commands from a standard input that is no terminal."""

    is_typed = False

    def read(self, complete: Completer) -> str:
        """The next line of the input."""
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line


class PlainLines:
    """Lines that a user types where there is nothing to edit them with."""

    is_typed = True

    def read(self, complete: Completer) -> str:
        """The next line."""
        return input(PROMPT)


class ReadlineLines:
    """Lines that are edited by readline. The program's own settings of readline stay."""

    is_typed = True

    def __init__(self, history: Path | None) -> None:
        load("readline")
        import readline

        self._readline: Any = readline
        self._history = history
        self._own: list[str] = []
        if history is not None:
            self._own = history.read_text("utf-8", "replace").splitlines()[-_LONGEST_HISTORY:]

    def read(self, complete: Completer) -> str:
        """The next line."""
        lines = self._readline
        before = lines.get_completer(), lines.get_completer_delims()
        found: list[str] = []

        def completed(word: str, number: int) -> str | None:
            if number == 0:
                found[:] = complete(lines.get_line_buffer()[: lines.get_endidx()])
            return found[number] if number < len(found) else None

        with_program = [lines.get_history_item(i + 1) for i in range(lines.get_current_history_length())]
        self._remember(self._own)
        lines.set_completer(completed)
        lines.set_completer_delims(" \t;")
        is_editline = "libedit" in (lines.__doc__ or "")
        lines.parse_and_bind("bind ^I rl_complete" if is_editline else "tab: complete")
        try:
            line = input(PROMPT)
        finally:
            lines.set_completer(before[0])
            lines.set_completer_delims(before[1])
            self._remember(with_program)
        self._keep(line)
        return line

    def _remember(self, entries: Sequence[str | None]) -> None:
        self._readline.clear_history()
        for entry in entries:
            self._readline.add_history(entry or "")

    def _keep(self, line: str) -> None:
        if not line.strip() or self._own[-1:] == [line]:
            return
        self._own = [*self._own[1 - _LONGEST_HISTORY :], line]
        if self._history is not None:
            try:
                self._history.write_text("".join([f"{each}\n" for each in self._own]), "utf-8")
            except OSError:
                self._history = None  # the disk is full, the folder gone: what was typed stays for this session


def line_source(commands: str | None) -> LineSource:
    """The source of commands for these options and this terminal.

    Args:
        commands: what the option --commands gave; None without it.
    """
    if commands is not None:
        return GivenLines(commands)
    if not sys.stdin.isatty():
        return PipedLines()
    if not sys.stdout.isatty() or os.environ.get("TERM") == "dumb":
        return PlainLines()
    history = history_file()
    if has_prompt_toolkit():
        return ToolkitLines(PROMPT, history)
    try:
        return ReadlineLines(history)
    except ImportError:  # on Windows
        return PlainLines()


def history_file() -> Path | None:
    """The file that keeps what was typed; None if it cannot be read and written."""
    try:
        path = data_folder() / "debug_history"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8"):
            pass
        path.read_bytes()
    except (OSError, RuntimeError):  # RuntimeError: there is no home
        return None
    return path
