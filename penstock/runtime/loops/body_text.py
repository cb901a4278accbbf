"""The text form of a loop's code: its steps, each with the nests that its code begins with or is made of.

    t2 = Gather(t0, t1)
      take(out, rows, index, sizes, count, row)
      %6 = sizes[0]  int64
      for i < count
        ...
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..planning.plan import Step


class BodyText:
    """The text while code is written. Its nests are printed only when it is asked for."""

    def __init__(self) -> None:
        self._parts: list[tuple[int, object]] = []
        self._depth = 0

    def add(self, part: object, deeper: int = 0) -> None:
        """Add the text of something, by default at the present depth."""
        self._parts.append((self._depth + deeper, part))

    def step(self, step: Step) -> None:
        """Add a step without the graphs that it holds."""
        self.add(str(step).partition("\n")[0])

    @contextmanager
    def inside(self, head: str = "") -> Iterator[None]:
        """What is added meanwhile stands one level deeper, below a head."""
        if head:
            self.add(head)
        self._depth += 1
        yield
        self._depth -= 1

    def __str__(self) -> str:
        return "\n".join([f"{'  ' * depth}{line}" for depth, part in self._parts for line in str(part).splitlines()])
