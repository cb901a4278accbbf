"""`Kernel`: the record of how a step is computed, whatever computes it.

The kernel of a step is an op's own function, a ufunc, a fused group or the native driver. A `Kernel` says what to call
with the operand arrays, and what else is possible. Code that wraps a call (a check, a copy, a guard) makes a new record
by `around`; reports can still ask which tier runs inside.

A kernel receives arrays and nothing else. A kernel that needs more (the session, the backend, the node) gives
`in_context` instead, which makes the call for one program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeAlias
from weakref import ReferenceType

from ...graph.common.quick_dataclass import dataclass
from ..backends import Backend
from ..llvm.native_calls import NativeForm

Call = Callable[..., Any]
SessionRef: TypeAlias = "ReferenceType[Any] | None"


@dataclass(frozen=True, slots=True)
class RunContext:
    """The context of a kernel in a program.

    Attributes:
        backend: the backend it runs on.
        node: the name of its node.
        session_ref: a weak reference to the session; None without one, as in constant folding.
    """

    backend: Backend
    node: str
    session_ref: SessionRef = None

    @property
    def session(self) -> Any:
        """The session of the program; None if there is none or it is gone."""
        return None if self.session_ref is None else self.session_ref()


@dataclass(frozen=True, slots=True)
class KernelTier:
    """What runs a kernel now.

    Attributes:
        tier: "interpreted", "compiled", "native driver"; "" for an op's own function.
        promotion: the state of its promotion to machine code, with the reason of a refusal; "" without a promotion.
    """

    tier: str
    promotion: str = ""


class PlaceWriter(Protocol):
    """What writes results of the shape of an iteration space to given places."""

    def write(self, places: Sequence[Any], *inputs: Any) -> None:
        """Write each result to its place, an array of its shape and any strides."""

    def row_range(self, places: Sequence[Any], *inputs: Any) -> Any:
        """The same as a `RowRange`, a call for some of the rows; None if that cannot be."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """How a step is computed.

    Attributes:
        call: (operand arrays) -> the result, or a list of results.
        into: (flat memory, operand arrays) -> the single result, written there; None if the kernel allocates memory.
        only: for a `call` that returns a list of one result: the function that returns that result.
        makes_arrays: True if every result is an array of the step's dtype, even for rank 0, and needs no conversion.
        with_constants: (array of an input by position) -> the kernel for calls that leave these inputs out.
        in_context: makes the call for one program; `call` runs without a context.
        tier: returns what runs the kernel now.
        over: (`PendingWrites` of the run, memory of each result or None, operand arrays) -> the results, a list. Those
            with memory lie there when the writes were made, which the kernel adds; until then the operand is there.
            Where it cannot say beforehand that its writes succeed, it adds none: all results have their own memory.
        native: which C functions compute the results: see `llvm.native_calls`.
        writer: what writes the results into parts of larger arrays; None if the kernel does not compute all of them
            element by element.
    """

    call: Call
    into: Call | None = None
    only: Call | None = None
    makes_arrays: bool = False
    with_constants: Callable[[Mapping[int, Any]], Kernel] | None = None
    in_context: Callable[[RunContext], Call] | None = None
    tier: Callable[[], KernelTier] | None = None
    over: Call | None = None
    native: NativeForm | None = None
    writer: PlaceWriter | None = None

    def around(self, call: Call, into: Call | None = None) -> Kernel:
        """A kernel that calls `call`, a wrapper of this kernel's function, and has no other abilities."""
        return Kernel(call, into, tier=self.tier)

    def bound(self, context: RunContext) -> Kernel:
        """The kernel for one program."""
        return self if self.in_context is None else replace(self, call=self.in_context(context), in_context=None)

    def now(self) -> KernelTier:
        """What runs the kernel now."""
        return _OWN if self.tier is None else self.tier()


_OWN = KernelTier("")
