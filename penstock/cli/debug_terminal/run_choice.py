"""Which runs of a program the debugger opens: the third, those that fetch `loss`, those that fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from ...graph.common.near_names import did_you_mean


@dataclass(frozen=True, slots=True)
class RunChoice:
    """What the options say.

    Attributes:
        numbers: the numbers of runs, from 1; () for all.
        fetches: names or patterns, one of which a run fetches; () for any.
        on_error: whether only runs that fail are opened, where they failed.
        fused: whether the plan is stepped through that `run` uses, with fused groups.
    """

    numbers: Sequence[int] = ()
    fetches: Sequence[str] = ()
    on_error: bool = False
    fused: bool = False

    def takes(self, number: int, fetched: Sequence[str]) -> bool:
        """Whether it is a run with this number and these names of fetched tensors and operations."""
        if self.numbers and number not in self.numbers:
            return False
        return not self.fetches or any(_matches(name, each) for each in self.fetches for name in fetched)


@dataclass(slots=True)
class RunsSeen:
    """The runs of the program so far.

    Attributes:
        count: how many there were.
        of_line: how many of them a line has made, by its place.
        opened: how many of them the debugger opened.
        fetched: all that was fetched.
    """

    count: int = 0
    of_line: dict[str, int] = field(default_factory=dict)
    opened: int = 0
    fetched: dict[str, None] = field(default_factory=dict)

    def complaint(self, choice: RunChoice) -> str:
        """Why the debugger opened no run; "" if that is no wonder."""
        if self.opened:
            return ""
        if not self.count:
            return "the program has made no run; the debugger opens at Session.run"
        runs = "1 run" if self.count == 1 else f"{self.count} runs"
        if choice.numbers and min(choice.numbers) > self.count:
            return f"--run {min(choice.numbers)}: the program has made {runs}"
        if choice.fetches and not any(_matches(name, each) for each in choice.fetches for name in self.fetched):
            names = [name.removesuffix(":0") for name in self.fetched]
            wanted = choice.fetches[0]
            return (f"--fetch {wanted}: none of {runs} has fetched it; fetched were {', '.join(names[:8])}"
                    f"{did_you_mean(wanted, names)}")  # fmt: skip
        if choice.on_error:
            return f"none of {runs} has failed" if self.count > 1 else "the run has not failed"
        return f"none of {runs} was chosen" if choice.fetches and choice.numbers else ""


def _matches(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern) or fnmatchcase(name, f"{pattern}:0")
