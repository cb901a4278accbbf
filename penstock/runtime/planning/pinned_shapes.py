"""Checks of `set_shape` claims about values that a run computes.

A size that is a number is compared with the size of the value. A size with a name, `batch` or `2*batch + 1`, is
compared with the size of that name in this run. It is read off *witnesses*: fed values, and values claimed earlier,
that have the name as a dimension. The step that makes the value reads the witnesses too, so a wrong size ends the run
there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from ...errors import InvalidArgumentError
from ...graph.common.quick_dataclass import dataclass
from ...graph.shapes.dimension import Dim, Dimension, Symbol, read_sizes
from ...graph.shapes.shape import TensorShape
from .plan import Plan, Slot


@dataclass(frozen=True, slots=True)
class Witness:
    """Dimension `axis` of the value in `slot`, whose tensor is `name`, has the size of `symbol`."""

    symbol: Symbol
    slot: Slot
    axis: int
    name: str


@dataclass(frozen=True, slots=True)
class Claim:
    """The claim that the value `name` has the shape `shape`; `witnesses` give the sizes of symbols in it."""

    name: str
    shape: TensorShape
    witnesses: tuple[Witness, ...]

    def check(self, run_shape: tuple[int, ...], sizes: dict[Symbol, int]) -> None:
        """Compare the claim with the shape that was found.

        Args:
            run_shape: the shape of the value.
            sizes: sizes of known symbols; sizes that follow from the claim are added.

        Raises:
            InvalidArgumentError: the claim does not hold in this run.
        """
        if not self.shape.is_compatible_with(run_shape):
            raise InvalidArgumentError(
                message=f"set_shape said that {self.name} has shape {self.shape}, but the run gave {tuple(run_shape)}. "
                "Claim a shape that every run keeps"
            )
        if self.shape.raw is None:  # the claim was about a value that is fed in this run
            return
        for axis, (dim, size) in enumerate(zip(self.shape.raw, run_shape, strict=True)):
            if not isinstance(dim, Dimension):
                continue
            read_sizes((dim,), (size,), sizes)  # a second occurrence in this shape is compared with the first
            wanted = dim.at(sizes)
            if wanted is not None and wanted != size:
                raise InvalidArgumentError(message=self._differs(axis, dim, size, wanted))

    def _differs(self, axis: int, dim: Dimension, size: int, wanted: int) -> str:
        where = [f"{w.symbol} is {w.name}'s dimension {w.axis}" for w in self.witnesses if w.symbol in _symbols(dim)]
        known = f" ({', '.join(where)})" if where else ""
        return (
            f"set_shape said that {self.name} has shape {self.shape}, but the run gave {size} for dimension {axis}, "
            f"and {dim} is {wanted}{known}. Claim what every run keeps, or give the dimensions different names"
        )


Claims: TypeAlias = Mapping[Slot, Claim]


def claims_of(plan: Plan) -> dict[Slot, Claim]:
    """The claim about each slot whose shape the user pinned, in the order of the steps."""
    pinned = {slot: (name, shape) for slot, name, shape in plan.pinned}
    if not pinned:
        return {}
    seen: dict[Symbol, Witness] = {}
    for name, slot in plan.feeds:
        _note(plan.slots[slot].shape, slot, name, seen)
    claims: dict[Slot, Claim] = {}
    for step in plan.steps:
        mine = [slot for slot in step.outputs if slot in pinned]
        for slot in mine:
            name, shape = pinned[slot]
            symbols = dict.fromkeys([s for dim in shape.raw or () for s in _symbols(dim)])
            claims[slot] = Claim(name, shape, tuple([seen[s] for s in symbols if s in seen]))
        for slot in mine:
            name, shape = pinned[slot]
            _note(shape.raw, slot, name, seen)
    return claims


def _note(dims: Sequence[Dim] | None, slot: Slot, name: str, seen: dict[Symbol, Witness]) -> None:
    for axis, dim in enumerate(dims or ()):
        if isinstance(dim, Dimension) and (symbol := dim.symbol) is not None:
            seen.setdefault(symbol, Witness(symbol, slot, axis, name))


def _symbols(dim: Dim) -> tuple[Symbol, ...]:
    return tuple([symbol for symbol, _ in dim.terms]) if isinstance(dim, Dimension) else ()
