"""Memory sharing: with which operands the results of an op may share memory, as its declaration says.

    views="tensor"                   every result may share memory with that operand
    views=("x", "y")                 ... with any of these
    views={0: "x"}                   result 0 may; the others are memory of their own
    keeps="table"                    the kernel keeps a reference to that operand's memory after the call
    fresh=True                       results that are no views are memory that the kernel does not keep

The ops of the package are fresh, and the tests show it. A kernel from outside may return an array that it keeps, so its
results are copied for the caller unless it says `fresh=True`. `runtime.planning.aliasing` works out the sharing of a
whole plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ..common.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Sharing:
    """The memory sharing that an op declares; operands are given by their places in its signature.

    Attributes:
        views: for each result the operands it may share memory with; under None those of every result without an entry.
        fresh: whether the kernel keeps no reference to results that are no views.
        keeps: operands to whose memory the kernel keeps a reference.
    """

    views: tuple[tuple[int | None, tuple[int, ...]], ...] = ()
    fresh: bool = True
    keeps: tuple[int, ...] = ()

    @property
    def is_view(self) -> bool:
        """Whether some result may share memory with an operand."""
        return bool(self.views)

    def viewed_by(self, output: int) -> tuple[int, ...]:
        """The operands that result number `output` may share memory with."""
        others: tuple[int, ...] = ()
        for which, operands in self.views:
            if which == output:
                return operands
            if which is None:
                others = operands
        return others


OWN: Final = Sharing()
"""Of most ops: results of their own."""


def sharing_of(facts: dict[str, Any], operands: Sequence[tuple[int, str]], is_own: bool) -> Sharing:
    """The declaration among the facts of an op, which are taken out of `facts`.

    Args:
        facts: the facts of the op by name.
        operands: (place in the signature, name) of each.
        is_own: whether the op is one of the package's.

    Raises:
        TypeError: a name is no operand's.
    """
    given = facts.pop("views", None)
    keeps = _places(facts.pop("keeps", ()), operands)
    fresh = facts.pop("fresh", is_own)
    if given is None:
        return OWN if fresh and not keeps else Sharing((), fresh, keeps)
    if not given and fresh and not keeps:
        return OWN
    by_output = given if isinstance(given, dict) else {None: given}
    views = tuple([(output, _places(names, operands)) for output, names in by_output.items()])
    return Sharing(tuple([(output, places) for output, places in views if places]), fresh, keeps)


def _places(names: str | Sequence[str], operands: Sequence[tuple[int, str]]) -> tuple[int, ...]:
    places = {name: place for place, name in operands}
    wanted = (names,) if isinstance(names, str) else tuple(names)
    for name in wanted:
        if name not in places:
            raise TypeError(f"{name!r} is not an operand; there are {', '.join(places) or 'none'}")
    return tuple([places[name] for name in wanted])
