"""Races: uses and writes of one variable, in one run, that no path orders.

A run always treats such a pair in the same way: a use sees the value at the start of the run, writes follow each other
in the order in which they were made. But the program does not say so, and its author may have meant another order.
`race_search` finds the pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from ...graph.inspect.text_table import folded

MOST_VARIABLES = 3
"""So many variables of pairs that two lines have in common are named."""


@dataclass(frozen=True, slots=True)
class Race:
    """Two operations on one variable that no path orders.

    Args:
        variable: the variable.
        kind: "read" if the first one reads; "write" if both write; "late" if the first one comes after the write and
            still uses the value at the start, because it was built outside of the control dependencies.
        first: the name of the first operation.
        first_line: the line that made it.
        write: the name of the operation that writes.
        write_line: the line that made it.
        reason: why the program cannot mean another order, for a pair in `Races.rest`; "" for one that matters.
        in_one_run: whether the run has both; False if the whole graph was searched, of which a run may need one only.
    """

    variable: str
    kind: Literal["read", "write", "late"]
    first: str
    first_line: str
    write: str
    write_line: str
    reason: str = ""
    in_one_run: bool = True

    @property
    def outcome(self) -> str:
        """What every run does."""
        if self.kind == "write":
            order = f"{self.first} is written first, {self.write} after it, as they were made"
            return order if self.in_one_run else f"{order}; a run that needs only one of them leaves the other out"
        return f"{self.first} does not see what {self.write} writes"

    @property
    def cure(self) -> str:
        """What to write for each order."""
        if self.kind == "write":
            return f"build {self.write} inside tf.control_dependencies([{self.first}])"
        after = f"inside tf.control_dependencies([{self.write}]), where {self.variable} is its new value"
        if self.kind == "late":
            return f"to use the new value, build {self.first} {after}; or use the output of the write"
        return (
            f"to use the new value, build {self.first} {after}; to say that the old one is meant, build {self.write} "
            f"inside tf.control_dependencies([{self.first}])"
        )

    def __str__(self) -> str:
        return (
            f"{self.variable}: {self.first} ({self.first_line}) and {self.write} ({self.write_line}): {self.outcome}; "
            f"{self.cure}"
        )


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A write that a run leaves out, though the run writes the same variable.

    Args:
        variable: the variable.
        write: the name of the operation that does not run.
        line: the line that made it.
        instead: the name of the write that runs.
        instead_line: the line that made that.
    """

    variable: str
    write: str
    line: str
    instead: str
    instead_line: str

    def __str__(self) -> str:
        return (
            f"note: {self.variable}: {self.write} does not run, only {self.instead}\n"
            f"  {self.write}  {self.line}\n"
            f"  {self.instead}  {self.instead_line}\n"
            f"  nothing that is fetched needs {self.write}\n"
            "  to run both, fetch both, and build the later one inside tf.control_dependencies([the earlier one])"
        )


@dataclass(frozen=True, slots=True)
class Races(Sequence[Race]):
    """The races among some operations that matter: a sequence that prints as text.

    Args:
        found: the pairs for which the program may mean another order.
        rest: the others, each with the reason why its order is clear: the forward pass and the gradients of a training
            step read what the step then writes; a read comes before a write of which a pair in `found` tells.
        is_cut: whether the search ended before it had seen all pairs, because there are so many.
        left_out: writes that the fetches do not need, of variables that their run writes.
    """

    found: tuple[Race, ...]
    rest: tuple[Race, ...] = ()
    is_cut: bool = False
    left_out: tuple[LeftOut, ...] = ()

    @property
    def all(self) -> tuple[Race, ...]:
        """Every pair that no path orders: `found`, then `rest`."""
        return self.found + self.rest

    def by_variable(self) -> dict[str, tuple[Race, ...]]:
        """The pairs that matter, for each variable that has some.

        Returns:
            A dict from names of variables.

        >>> import penstock as tf
        >>> with tf.Graph().as_default() as graph:
        ...     v = tf.Variable(1.0, name="v")
        ...     more = v.assign_add(1.0, name="more")
        ...     products = [tf.multiply(v, k) for k in (2.0, 3.0)]
        >>> {name: len(pairs) for name, pairs in graph.races().by_variable().items()}
        {'v': 2}
        """
        groups: dict[str, list[Race]] = {}
        for race in self.found:
            groups.setdefault(race.variable, []).append(race)
        return {name: tuple(races) for name, races in groups.items()}

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, at: Any) -> Any:
        return self.found[at]

    def __str__(self) -> str:
        lines = []
        for group in _of_the_same_lines(self.found):
            lines += _lines(group)
        if not self.found:
            lines.append(
                "no races: a training step reads what it then writes, and paths order all else"
                if self.rest
                else "no races: paths order all uses and writes of variables"
            )
        elif self.rest:
            pairs = "1 pair" if len(self.rest) == 1 else f"{len(self.rest)} pairs"
            lines.append(f"not listed: {pairs} whose order is clear without a path; see .rest")
        for each in self.left_out[:MOST_VARIABLES]:
            lines += str(each).split("\n")
        if len(self.left_out) > MOST_VARIABLES:
            lines.append(f"and {len(self.left_out) - MOST_VARIABLES} more writes that do not run")
        return "\n".join(folded(lines))

    __repr__ = __str__


def _of_the_same_lines(races: Sequence[Race]) -> list[list[Race]]:
    """The races in groups, of which the same two lines are the cause."""
    groups: dict[tuple[str, str, str], list[Race]] = {}
    for race in races:
        groups.setdefault((race.kind, race.first_line, race.write_line), []).append(race)
    return list(groups.values())


def _lines(group: Sequence[Race]) -> list[str]:
    """The text of one group: its first pair, and how many others there are."""
    race = group[0]
    names = list(dict.fromkeys(each.variable for each in group))
    more = len(names) - MOST_VARIABLES
    title = ", ".join(names[:MOST_VARIABLES]) + (f" and {more} more variables" if more > 0 else "")
    others = "" if len(group) == 1 else f"; and {len(group) - 1} more of these lines"
    return [
        f"{title}: {race.first} runs after {race.write}, and uses the value of before{others}"
        if race.kind == "late"
        else f"{title}: no path orders {race.first} and {race.write}{others}",
        f"  {race.first}  {race.first_line}",
        f"  {race.write}  {race.write_line}",
        f"  every run: {race.outcome}",
        f"  {race.cure}",
    ]


NO_RACES: Final = Races(())
