"""What a kernel is to the run: one record of how a step is computed, whatever computes it.

A step's kernel is an op's own function, a ufunc, a fused group, the native driver. All of them are a `Kernel` here:
what to call with the arrays of its operands, and what else it can do. Whoever puts something around a call (a check, a
copy, a guard) makes a new record by `around`; what runs inside can still be asked for.

A kernel sees arrays and nothing else. One that needs to know more (whose session this is, on which backend, for which
node) gives `in_context` instead, which makes the call for one program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias
from weakref import ReferenceType

from ..backends import Backend

Call = Callable[..., Any]
SessionRef: TypeAlias = "ReferenceType[Any] | None"


@dataclass(frozen=True, slots=True)
class RunContext:
    """For whom a kernel works: the backend, the name of the node, and the session (None where there is none, as for
    folding, or where it is gone)."""

    backend: Backend
    node: str
    session_ref: SessionRef = None

    @property
    def session(self) -> Any:
        """The session whose program this is."""
        return None if self.session_ref is None else self.session_ref()


@dataclass(frozen=True, slots=True)
class Stage:
    """What runs a kernel now. tier: "interpreted", "compiled", "native driver", "" for an op's own function.
    promotion: where it is on its way to machine code, with the reason where there is none; "" if it is on no way."""

    tier: str
    promotion: str = ""


@dataclass(frozen=True, slots=True)
class Kernel:
    """How a step is computed.

    call: (arrays of the operands) -> the result, or a list of them.
    into: (flat memory, arrays) -> the only result, written there; None if the kernel makes its own memory.
    only: the same as `call` for one that returns a list of one result: that result.
    makes_arrays: every result is an array of the step's dtype, also of rank 0: nobody need look.
    with_constants: (array of an input by number) -> the kernel for calls that leave these inputs out.
    in_context: makes the call for one program; `call` is what runs without a context.
    stage: asks what runs it now.
    """

    call: Call
    into: Call | None = None
    only: Call | None = None
    makes_arrays: bool = False
    with_constants: Callable[[Mapping[int, Any]], Kernel] | None = None
    in_context: Callable[[RunContext], Call] | None = None
    stage: Callable[[], Stage] | None = None

    def around(self, call: Call, into: Call | None = None) -> Kernel:
        """`call`, a function around this kernel's, as a kernel: it does what the function does, no more."""
        return Kernel(call, into, stage=self.stage)

    def bound(self, context: RunContext) -> Kernel:
        """The kernel for one program."""
        return self if self.in_context is None else replace(self, call=self.in_context(context), in_context=None)

    def now(self) -> Stage:
        """What runs it now."""
        return _OWN if self.stage is None else self.stage()


_OWN = Stage("")
