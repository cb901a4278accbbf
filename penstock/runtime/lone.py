"""When is a single elementwise step worth machine code? Where NumPy takes several passes over it.

Ops on 16-bit floats, and laws of several steps such as sigmoid and erf, are groups of one instruction once they have
taken long enough. Until then, and where nothing can be compiled, the op's own kernel runs: the results are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any, Final

from ..graph.dtypes import DType, of_numpy
from ..graph.opdef import OpDef
from .body import Body, Instruction, Value
from .halves import HALVES
from .jit import tier
from .jit.group import Group

WORTH: Final = 5e-3
"""Seconds of the kernel after which a group is made; it decides when it compiles."""
MANY: Final = 1_000_000
"""Elements of one call for which it is made at once."""


def is_worth_it(opdef: OpDef[Any, Any], out: DType) -> bool:
    """Whether code could be faster than the op's kernel: `out` is the dtype of its result."""
    if not opdef.elementwise or opdef.can_fail & out.bit or out.is_string or opdef.fuse_rule is not None:
        return False
    return out in HALVES or opdef.ufunc is None


class Lone:
    """One elementwise op over arrays: its kernel `own` at first, later a group."""

    makes_arrays = False

    def __init__(self, opdef: OpDef[Any, Any], out: DType, own: Callable[..., Any]) -> None:
        self._opdef = opdef
        self._out = out
        self._own = own
        self._group: Group | None = None
        self._spent = 0.0

    @property
    def tier(self) -> str:
        """What runs it now: "compiled", or "" for the op's own kernel."""
        return "compiled" if self._group is not None and self._group.tier == "compiled" else ""

    def __call__(self, *operands: Any) -> Any:
        """The result."""
        if self._is_time(operands):
            return self._made(operands)(*operands)[0]
        start = perf_counter()
        result = self._own(*operands)
        self._spent += perf_counter() - start
        return result

    def _is_time(self, operands: tuple[Any, ...]) -> bool:
        if self._group is not None:
            return True
        long_enough = self._spent >= WORTH or operands[0].size >= MANY or tier.at_once()
        return long_enough and tier.on()

    def _made(self, operands: tuple[Any, ...]) -> Group:
        group = self._group
        if group is None:
            inputs = tuple([of_numpy(x.dtype) for x in operands])
            values = tuple([Value(i) for i in range(len(inputs))])
            only = Instruction(self._opdef.type, values, self._out)
            group = self._group = Group(Body(inputs, (only,), (Value(len(inputs)),)))
        return group


class LoneInto(Lone):
    """The same for an op whose kernel can write its result where it is told."""

    def into(self, place: Any, *operands: Any) -> Any:
        """The result in `place`, flat memory of its size."""
        if self._is_time(operands):
            return self._made(operands).into(place, *operands)
        start = perf_counter()
        result = self._own.into(place, *operands)  # type: ignore[attr-defined]  # see `lone`
        self._spent += perf_counter() - start
        return result


def lone(opdef: OpDef[Any, Any], out: DType, own: Callable[..., Any]) -> Callable[..., Any]:
    """`own`, the kernel of a single elementwise step over its operands, or what may become code in its stead."""
    if not is_worth_it(opdef, out):
        return own
    return (LoneInto if hasattr(own, "into") else Lone)(opdef, out, own)
