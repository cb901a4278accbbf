"""The prompt of the debugger: reads commands, carries them out, and says what went wrong.

Enter repeats the last command. Ctrl-C ends a long step and leaves the run as it was before; Ctrl-D quits. Commands that
no user types (a pipe, the option --commands) are printed behind the prompt, and the first that fails ends the program.
"""

from __future__ import annotations

import sys

from ...errors import PenstockError
from ...printable_text import print_safely
from ...runtime.debugger.debugger import Debugger
from ...runtime.debugger.stops import Stop
from ...runtime.session.run_hooks import RequestedRun
from .command_table import find_command, possible_words
from .command_words import commands_in
from .program_start import EndProgram
from .run_commands import back_to_hand
from .stopped_run import Decision, KeptSettings, StoppedRun, in_words_of_commands
from .terminal_style import style_of_output
from .typed_lines import PROMPT, GivenLines, LineSource

_OF_COMMANDS = (PenstockError, ValueError, TypeError, LookupError, OSError, ImportError, RuntimeError, MemoryError)


class DebugPrompt:
    """The prompt of one program."""

    def __init__(self, lines: LineSource) -> None:
        self._lines = lines
        self._waiting: list[str] = []
        self._out = sys.stdout  # the program may put another one in its place
        self._at: StoppedRun | None = None
        self._has_greeted = False
        self.kept = KeptSettings()
        self.is_typed = lines.is_typed

    def open(self, dbg: Debugger, run: RequestedRun, number: int, of_line: int, stop: Stop) -> None:
        """Tell that a run has stopped, and where and why.

        Args:
            dbg: the run.
            run: what the program asked for.
            number: which run of the program it is, from 1.
            of_line: which one of its line, from 1.
            stop: where it stands.
        """
        style = style_of_output()
        self._at = at = StoppedRun(dbg, run, number, of_line, style, self._print, self.kept)
        if self._lines.is_typed and not self._has_greeted:
            self._print("Type help for the commands, q to let the program go on.")
            self._has_greeted = True
        self._print(style.lines(at.title))
        if run.as_device:
            self._print("  as_device=True: the program gets NumPy arrays from the debugger")
        at.show(stop)

    def ask(self) -> Decision:
        """Carry out commands up to one that ends the run."""
        at = self._at
        assert at is not None  # `open` comes before
        while True:
            try:
                command = self._next_command()
            except EOFError:
                back_to_hand(at)
                self._print("" if self._lines.is_typed else f"{PROMPT}quit")
                return Decision.QUIT
            except KeyboardInterrupt:
                self._print("")
                continue
            if not command:
                continue
            try:
                found, rest = find_command(command)
                decision = found.call(at, rest)
            except KeyboardInterrupt:
                self.tell_interrupt()
            except EndProgram:
                raise
            except _OF_COMMANDS as error:
                text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
                self._refuse(command, in_words_of_commands(text))
            else:
                if decision is not None and not self._is_of_earlier_run(decision):
                    return decision

    def _is_of_earlier_run(self, decision: Decision) -> bool:
        """Whether a decision has only ended the look at an earlier run; the prompt is that of the run at hand again."""
        at = self._at
        assert at is not None
        if not at.is_earlier:
            return False
        back_to_hand(at)
        if decision is Decision.QUIT:
            return False
        at.say(at.title)
        at.show(at.dbg.here)
        return True

    def tell_failure(self) -> None:
        """Tell that a step has failed while the run was to end."""
        assert self._at is not None
        self._at.show(self._at.dbg.here)

    def tell_interrupt(self) -> None:
        """Tell where the run stands after Ctrl-C."""
        assert self._at is not None
        self._print("")
        self._print("interrupted")
        self._at.show(self._at.dbg.here)

    @property
    def left(self) -> list[str]:
        """The given commands that were not carried out, those that only end a run left out."""
        given = self._waiting + (commands_in(self._lines.left) if isinstance(self._lines, GivenLines) else [])
        ends = ("quit", "q", "finish", "f", "continue", "c", "exit")
        while given and given[-1] in ends:
            given.pop()
        return given

    def _next_command(self) -> str:
        """The next command; "" for a line without one."""
        if not self._waiting:
            line = self._lines.read(self._complete)
            self._waiting = commands_in(line)
            if not self._waiting:
                return self.kept.last if self._lines.is_typed and not line.strip() else ""
        command = self._waiting.pop(0)
        if not self._lines.is_typed:
            self._print(PROMPT + command)
        self.kept.last = command
        return command

    def _complete(self, before: str) -> list[str]:
        return [] if self._at is None else possible_words(before, self._at.dbg)

    def _refuse(self, command: str, reason: str) -> None:
        self._waiting.clear()
        if self._lines.is_typed:
            style = style_of_output()
            self._print(style.red(style.lines(reason)))
            return
        self._out.flush()
        print_safely(f"penstock debug: {command}: {reason}", sys.stderr)
        raise EndProgram(1)

    def _print(self, text: str) -> None:
        print(text, file=self._out, flush=True)
