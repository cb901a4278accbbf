"""`StoppedRun`: the run at whose prompt the user is, as commands see it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from ...errors import GraphError
from ...graph.common.near_names import nearest
from ...graph.model.nesting import within
from ...graph.model.nodes import Operation
from ...runtime.debugger.debugger import Debugger
from ...runtime.debugger.stops import Stop
from ...runtime.passes.extended import copy_among, result_pairs
from ...runtime.session.run_hooks import RequestedRun
from .command_words import CommandError
from .earlier_runs import EarlierRun, EarlierRuns
from .program_names import element_called
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
        of_line: which one of its line, from 1.
        style: how text looks.
        print: prints a text.
        kept: what stays from one run to the next.
        last_stop: where it was last shown to stand, and why it stopped there; None before that.
    """

    dbg: Debugger
    run: RequestedRun
    number: int
    of_line: int
    style: TextStyle
    print: Callable[[str], None]
    kept: KeptSettings
    last_stop: Stop | None = None
    _at_hand: tuple[Debugger, RequestedRun, int] | None = None
    """What `dbg`, `run` and `number` were, while an earlier run is looked at."""

    @property
    def is_earlier(self) -> bool:
        """Whether the run has ended before, and is looked at again."""
        return self._at_hand is not None

    @property
    def at_hand(self) -> tuple[int, RequestedRun]:
        """The number of the run for which the program waits, and what it asked for."""
        return (self.number, self.run) if self._at_hand is None else (self._at_hand[2], self._at_hand[1])

    @property
    def title(self) -> str:
        """Which run it is, with its line and feeds."""
        fed = ", ".join([f"{tensor.name} {list(_shape(value))}" for tensor, value in self.run.feeds.items()])
        which, place = f"run {self.number}", self.run.origin.place
        if self._at_hand is not None:
            which += f" again (run {self._at_hand[2]} is at hand)"
        elif self.of_line > 1:
            place += f" for the {_ordinal(self.of_line)} time"
        return f"{which}, {place}  {self.run.origin.code}".rstrip() + (f"\n  fed: {fed}" if fed else "")

    def go_to(self, earlier: EarlierRun) -> None:
        """Look at an earlier run."""
        self._at_hand = self.dbg, self.run, self.number
        self.dbg, self.run, self.number, self.last_stop = earlier.dbg, earlier.run, earlier.number, None

    def go_to_hand(self) -> None:
        """Look at the run again for which the program waits."""
        if self._at_hand is not None:
            self.dbg, self.run, self.number = self._at_hand
            self._at_hand = self.last_stop = None

    def say(self, text: object) -> None:
        """Print a text in lines of the terminal's width."""
        self.print(self.style.lines(str(text)))

    def show(self, stop: Stop) -> None:
        """Print where the run stands."""
        if stop.reason or self.last_stop is None or stop.time != self.last_stop.time:
            self.last_stop = stop
        text = self.style.lines(str(stop))
        if stop.node:
            text = text.replace(f": {stop.node} (", f": {self.style.bold(stop.node)} (", 1)
        if self.dbg.error is not None:
            head, _, reason = text.partition("\n")
            text = f"{head}\n{self.style.red(reason)}"
        self.print(text)

    def show_watched(self) -> None:
        """Print where the run stands, if a value is watched or the step that is next has failed."""
        stop = self.dbg.here
        if stop.watched or stop.reason:
            self.show(stop)

    def value_name(self, name: str) -> str:
        """The name of a tensor that may have a value now, of which the end was typed: `h` for `layer/h:0`.

        Raises:
            CommandError: there is none, or more than one.
        """
        try:
            return self.dbg.find(name)
        except GraphError:
            return self.name_in_run(name)

    def name_in_run(self, name: str) -> str:
        """The name of a tensor of the run, loops and branches that are not under way included.

        It may be typed as the graph has it, or by a variable of the program that holds the tensor.

        Raises:
            CommandError: there is none, or more than one.
        """
        own = element_called(name)
        try:
            found = self._one_in_run(name)
        except CommandError:
            if own is None:
                raise
            found = None
        if found is not None:
            return found
        if isinstance(own, Operation) and not own.outputs:
            raise CommandError(f"{name} is the operation {own.name}, which makes no value; `graph {own.name}` shows "
                               "what it waits for")  # fmt: skip
        if own is not None and own.name not in (name, f"{name}:0"):
            return self.name_in_run(own.name)
        copy = self._result_of_copy(name)
        if copy is not None:
            return copy
        other = self._in_graph(name)
        if other is not None:
            raise CommandError(f"{other} is in the graph, but this run does not compute it; `why {name}` tells why")
        raise CommandError(f"no tensor is called {name}{_meant(name, self.dbg.names)}")

    def _result_of_copy(self, name: str) -> str | None:
        """The result of a copy that the run does in the place of a loop or branch, because it has a gradient."""
        graph = self.run.session.graph
        node, _, number = name.partition(":")
        op = next((op for op in graph.get_operations() if op.name == node and op.opdef.facts.extends), None)
        copy = None if op is None else copy_among(graph.get_operations(), node, set(self.dbg.nodes))
        if op is None or copy is None:
            return None
        pairs = {old.name: new.name for old, new in result_pairs(op, copy)}
        return pairs.get(f"{node}:{number or 0}")

    def _one_in_run(self, name: str) -> str | None:
        """The tensor of the run that is meant; of several, that of the loop or branch where the run stands, or the one
        that a step makes and that is not only handed over, as loops hand values to their gradients."""
        try:
            return _one_of(name, self.dbg.names)
        except CommandError:
            try:
                return self.dbg.find(name)
            except GraphError:
                pass
            nodes = set(self.dbg.nodes)
            found = _one_of(name, [each for each in self.dbg.names if each.partition(":")[0] in nodes])
            if found is None:
                raise
            return found

    def name_in_graph(self, name: str) -> str:
        """The name of a tensor of the run, or of a node of the graph that the run does not need.

        Raises:
            CommandError: there is none, or more than one.
        """
        try:
            return self.value_name(name)
        except CommandError:
            own = element_called(name)
            found = self._in_graph(name) or (None if own is None else self._in_graph(own.name))
            if found is None:
                raise
            return found

    def pattern(self, word: str) -> str:
        """A pattern of names of nodes that this run has.

        Raises:
            CommandError: no node has such a name.
        """
        nodes = self.dbg.nodes
        if any(mark in word for mark in "*?["):
            if not any(fnmatchcase(name, word) for name in nodes):
                raise CommandError(f"no step of this run has a name like {word}; `list` shows some")
            return word
        own = element_called(word)
        if isinstance(own, Operation) and not own.outputs:  # the operations that it waits for are steps
            scope = f"{own.name}/*"
            if own.name in nodes or any(fnmatchcase(name, scope) for name in nodes):
                return own.name if own.name in nodes else scope
        name = self.name_in_run(word).partition(":")[0]
        if name not in nodes:
            raise CommandError(f"{name} is given to the run; no step makes it")
        return name

    def _in_graph(self, name: str) -> str | None:
        graph = self.run.session.graph
        if graph.find_anywhere(name.partition(":")[0]) is not None:
            return name
        return _one_of(name.partition(":")[0], [op.name for op in within(graph.get_operations())])


@dataclass(slots=True)
class KeptSettings:
    """What stays from one run to the next.

    Attributes:
        breaks: the breakpoints, as they were typed, by number.
        watched: the tensors that are watched.
        last: the command that Enter repeats.
        earlier: runs that have ended.
    """

    breaks: dict[int, str] = field(default_factory=dict)
    watched: list[str] = field(default_factory=list)
    last: str = ""
    earlier: EarlierRuns = field(default_factory=EarlierRuns)


def in_words_of_commands(text: str) -> str:
    """A text of the debugger in the words of the terminal: commands in the place of its methods.

    >>> in_words_of_commands("Debugger.value('h:0'): it is not computed yet; dbg.until('h') goes there")
    'it is not computed yet; `until h` goes there'
    >>> in_words_of_commands("h is layer/h:0: Debugger.value('layer/h:0'): it is not computed yet")
    'h is layer/h:0: it is not computed yet'
    """
    text = re.sub(r"(?:^|(?<=: ))Debugger\.\w+(\(('[^']*'|[^()])*\))?: ", "", text)
    text = text.replace("session.debug(...)", "the next run")
    return re.sub(r"\bdbg\.(\w+)\(['\"]?([^'\")]*)['\"]?\)", _as_command, text)


def _as_command(found: re.Match[str]) -> str:
    return f"`{found[1].replace('_', ' ')} {found[2]}".rstrip() + "`"


def _one_of(name: str, names: Sequence[str]) -> str | None:
    """The one of some names that is meant by it, or by the end of it; None if none is.

    Raises:
        CommandError: more than one may be meant.
    """
    for known in (name, f"{name}:0"):
        if known in names:
            return known
    found = list(dict.fromkeys([each for each in names if each.endswith((f"/{name}", f"/{name}:0"))]))
    if len(found) > 1:
        shown = ", ".join(found[:_MOST_NAMED]) + (", ..." if len(found) > _MOST_NAMED else "")
        raise CommandError(f"{name} may be {shown}; write more of the name")
    return found[0] if found else None


def _meant(name: str, names: Sequence[str]) -> str:
    """The nearest name, by all of it or by its last part."""
    whole = [each.removesuffix(":0") for each in names]
    ends = {each.rpartition("/")[2]: each for each in reversed(whole)}
    near = nearest(name, whole) or nearest(name, ends)
    return f"; did you mean {ends.get(near, near)}?" if near is not None else ""


def _shape(value: Any) -> Any:
    return value.shape if hasattr(value, "shape") else np.shape(value)


def _ordinal(number: int) -> str:
    """A number as a place in a row.

    >>> [_ordinal(each) for each in (1, 2, 3, 4, 11, 12, 21, 103, 113)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '21st', '103rd', '113th']
    """
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
