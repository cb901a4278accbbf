"""`StoppedRun`: the run at whose prompt the user is, as commands see it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from ...errors import GraphError
from ...graph.near_names import nearest
from ...runtime.debugger.debugger import Debugger
from ...runtime.debugger.stops import Stop
from ...runtime.session.run_hooks import RequestedRun
from .command_words import CommandError
from .terminal_style import TextStyle

_MOST_NAMED = 6


class Decision(Enum):
    """What happens after the prompt: each ends the run and gives the program its result."""

    FINISH = auto()
    """The next run stops at its first step again."""
    CONTINUE = auto()
    """Later runs stop at breakpoints and failures only."""
    QUIT = auto()
    """No run stops any more."""


@dataclass(slots=True)
class StoppedRun:
    """A run at the prompt.

    Attributes:
        dbg: its debugger.
        run: what the program asked for.
        number: which run of the program it is, from 1.
        style: how text looks.
        print: prints a text.
        kept: what stays from one run to the next.
    """

    dbg: Debugger
    run: RequestedRun
    number: int
    style: TextStyle
    print: Callable[[str], None]
    kept: KeptSettings

    def say(self, text: object) -> None:
        """Print a text in lines of the terminal's width."""
        self.print(self.style.lines(str(text)))

    def show(self, stop: Stop) -> None:
        """Print where the run stands."""
        text = self.style.lines(str(stop))
        if stop.node:
            text = text.replace(f": {stop.node} (", f": {self.style.bold(stop.node)} (", 1)
        if self.dbg.error is not None:
            head, _, reason = text.partition("\n")
            text = f"{head}\n{self.style.red(reason)}"
        self.print(text)

    def full_name(self, name: str) -> str:
        """The name of a tensor of this run, of which the end was typed: `h` for `layer/h:0`.

        Raises:
            CommandError: there is none, or more than one.
        """
        try:
            return self.dbg.find(name)
        except GraphError:
            return self._whole(name)

    def pattern(self, word: str) -> str:
        """A pattern of names of nodes that this run has.

        Raises:
            CommandError: no node has such a name.
        """
        return word if any(mark in word for mark in "*?[") else self._whole(word).partition(":")[0]

    def _whole(self, name: str) -> str:
        """As `full_name`, in the whole run, loops and branches that are not under way included."""
        names = self.dbg.names
        for known in (name, f"{name}:0"):
            if known in names:
                return known
        found = [each for each in names if each.endswith((f"/{name}", f"/{name}:0"))]
        if len(found) == 1:
            return found[0]
        if found:
            shown = ", ".join(found[:_MOST_NAMED]) + (", ..." if len(found) > _MOST_NAMED else "")
            raise CommandError(f"{name} may be {shown}; write more of the name")
        op = self.run.session.graph.find_anywhere(name.partition(":")[0])
        if op is not None:
            raise CommandError(f"{name} is in the graph, but this run does not compute it; `why {name}` tells why")
        raise CommandError(f"no tensor is called {name}{_meant(name, names)}")


@dataclass(slots=True)
class KeptSettings:
    """What stays from one run to the next.

    Attributes:
        breaks: the breakpoints, as they were typed, by number.
        watched: the tensors that are watched.
        last: the command that Enter repeats.
    """

    breaks: dict[int, str] = field(default_factory=dict)
    watched: list[str] = field(default_factory=list)
    last: str = ""


def in_words_of_commands(error: Exception) -> str:
    """The text of an error in the words of the terminal: commands in the place of the debugger's methods."""
    text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    text = re.sub(r"^Debugger\.\w+(\([^:]*?(?::\d+)?'?\))?: ", "", text)
    text = re.sub(r"\bdbg\.(\w+)\(['\"]?([^'\")]*)['\"]?\)", lambda m: f"`{m[1]} {m[2]}`".replace(" `", "`"), text)
    return text if not isinstance(error, GraphError) else text.replace("session.debug(...)", "another run")


def _meant(name: str, names: Sequence[str]) -> str:
    """The nearest name, by all of it or by its last part."""
    whole = [each.removesuffix(":0") for each in names]
    ends = {each.rpartition("/")[2]: each for each in reversed(whole)}
    near = nearest(name, whole) or nearest(name, ends)
    return f"; did you mean {ends.get(near, near)}?" if near is not None else ""
