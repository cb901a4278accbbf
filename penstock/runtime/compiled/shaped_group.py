"""`ShapedGroup`: what groups have in common that are interpreted at first and compiled later.

Whatever follows from the shapes of the inputs is a `ShapedEntry`, computed once and kept; there is one cache of them.
Several entries share the promotion of one piece of code.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from time import perf_counter
from typing import Any, Final, Generic, TypeVar

from ...graph.common.quick_dataclass import dataclass
from ..base.shape_cache import ShapeCache
from ..ir.fused_ir import Body
from ..ir.kernel_protocol import Kernel, KernelTier
from ..ir.tiling import Shape
from ..llvm import tier
from ..llvm.native_calls import NativeCall, NativeMemory
from ..llvm.promotion import PATIENCE, SHORT, Meter, Promotion, State

DOUBT: Final = 3.0
"""The prediction for a group that has not run yet is divided by this (of 70 groups one took less)."""


@dataclass(slots=True, eq=False)
class ShapedEntry:
    """One combination of input shapes.

    Attributes:
        seconds: predicted time of the interpreter.
        promotion: the promotion of its code; None if it is interpreted, or not decided yet.
        launch: how its code runs.
        reason: why it is interpreted; "" if it may be compiled.
    """

    seconds: float = 0.0
    promotion: Promotion[Any] | None = None
    launch: Any = None
    reason: str = ""


Entry = TypeVar("Entry", bound=ShapedEntry)


class ShapedGroup(Generic[Entry]):
    """The entries of a body, and when there is code for one."""

    promotions: dict[Any, Promotion[Any]]
    """The promotion of each piece of code, by what the code depends on."""
    _divisors: tuple[int, ...] = ()
    """The inputs in which a zero is an error, checked before code runs."""

    def __init__(self, body: Body, meter: Meter) -> None:
        """meter: the cost of the work before it became a group."""
        self.body = body
        self.meter = meter
        self._predicted = self._measured = 0.0  # seconds of the interpreted runs so far
        self._entries: ShapeCache[Entry] = ShapeCache()
        self.promotions = {}
        self._direct: Any = None  # launch and code of the last small run of a flat nest: 1 us less

    def __call__(self, *inputs: Any) -> list[Any]:
        """The results, each an array of its own; the caller copies a result that is an input."""
        return self._run(inputs, None)

    def only(self, *inputs: Any) -> Any:
        """The single result."""
        return self._run(inputs, None)[0]

    def into(self, place: Any, *inputs: Any) -> Any:
        """The single result, in `place`: flat memory of its dtype and size, apart from that of all inputs or of those
        that the group was made for.
        """
        return self._run(inputs, place)[0]

    def by_code(self, entry: Entry, inputs: Sequence[Any], place: Any = None) -> list[Any] | None:
        """The results by machine code; None if there is none for these arrays now."""
        code = self._code(entry, inputs)
        if code is None or (self._divisors and self._has_zeros(inputs)):  # the interpreter raises the error
            return None
        launch = entry.launch
        if launch.is_direct and not self._divisors:
            self._direct = launch, code
        results: list[Any] | None = launch.run(code, inputs, place)
        return results

    def _run(self, inputs: Sequence[Any], place: Any) -> list[Any]:
        entry = self._entries.get(tuple([x.shape for x in inputs])) or self._entered(inputs)
        results = self.by_code(entry, inputs, place)
        if results is not None:
            return results
        if entry.reason:
            return self._interpreted(entry, inputs, place)
        start = perf_counter()
        results = self._interpreted(entry, inputs, place)
        self.note(entry, perf_counter() - start)
        return results

    def entry(self, inputs: Sequence[Any]) -> Entry:
        """What is known about inputs of these shapes."""
        return self._entries.get(tuple([x.shape for x in inputs])) or self._entered(inputs)

    def note(self, entry: Entry, seconds: float) -> None:
        """Note that a run without code took so many seconds."""
        if not entry.reason:
            self.meter.seconds += seconds
            self._measured += seconds
            self._predicted += entry.seconds

    def native(self, inputs: Sequence[Any], results: Sequence[Any], memory: NativeMemory) -> list[NativeCall] | None:
        """See `llvm.native_calls`."""
        entry = self.entry(inputs)
        self.meter.seconds += memory.spent
        self.meter.next_look = 0.0
        code = self._code(entry, inputs)
        if entry.reason or self._divisors:
            return None
        if code is None:
            memory.is_early |= entry.promotion is None or entry.promotion.state is not State.REFUSED
            return None
        calls: list[NativeCall] | None = entry.launch.native(code, inputs, results, memory)
        return calls

    @property
    def kernel(self) -> Kernel:
        """The kernel of a fused step."""
        return Kernel(self, self.into, self.only, tier=lambda: KernelTier(self.tier, self.promotion),
                      native=self.native)  # fmt: skip

    @property
    def tier(self) -> str:
        """ "compiled" once code has run or can run for some combination of shapes, otherwise "interpreted"."""
        return "compiled" if any(each.code for each in list(self.promotions.values())) else "interpreted"

    @property
    def why(self) -> str:
        """Why the last combination of shapes is interpreted; empty if it is compiled, or may be later."""
        entry = next(reversed(self._entries.values()), _NONE)
        return tier.why_off() or (entry.reason if entry.promotion is None else entry.promotion.reason)

    @property
    def promotion(self) -> str:
        """The state of the last combination of shapes: "interpreted", "queued", "refused: ..." ..."""
        entry = next(reversed(self._entries.values()), _NONE)
        if tier.why_off():
            return f"interpreted: {tier.why_off()}"
        if entry.promotion is not None:
            return str(entry.promotion)
        return f"{State.REFUSED.value}: {entry.reason}" if entry.reason else State.INTERPRETED.value

    # ---- for subclasses -----------------------------------------------------------------------

    @abstractmethod
    def _entered(self, inputs: Sequence[Any]) -> Entry:
        """What is known about inputs of these shapes, computed and kept."""

    @abstractmethod
    def _lowered(self, entry: Entry, shapes: tuple[Shape, ...]) -> Promotion[Any] | None:
        """The promotion of the code for these shapes, entered; None if no code can serve them."""

    @abstractmethod
    def _interpreted(self, entry: Entry, inputs: Sequence[Any], place: Any) -> list[Any]:
        """The results without code. place: flat memory for a single result, or None."""

    def _has_zeros(self, inputs: Sequence[Any]) -> bool:
        """True if an input in which a zero is an error holds one."""
        return not all(inputs[i].all() for i in self._divisors)

    def _give_up(self, entry: Entry, reason: str, shapes: tuple[Shape, ...]) -> None:
        """Called when LLVM refuses the code of an entry."""

    def _expected(self, entry: Entry, inputs: Sequence[Any]) -> float:
        """A low estimate of the seconds that interpreting such inputs takes."""
        return entry.seconds * (self._measured / self._predicted if self._predicted else 1 / DOUBT)

    def _code(self, entry: Entry, inputs: Sequence[Any]) -> Any:
        """The code for a run on these inputs, if there is some now."""
        promotion = entry.promotion
        if promotion is not None and promotion.code is not None:
            return promotion.code if tier.on() else None
        if entry.reason:
            return None
        patience = PATIENCE * self._expected(entry, inputs)
        if promotion is None:  # lowering takes 15 us an instruction, which most groups never save
            is_short = patience < SHORT and self.meter.seconds < self.meter.next_look
            if (is_short and not tier.at_once()) or not self.meter.is_due(patience):
                return None
            promotion = self._lowered(entry, tuple([x.shape for x in inputs]))
        if promotion is None:
            return None
        code = promotion.code_for(patience)
        if code is None and promotion.state is State.REFUSED:
            self._give_up(entry, promotion.reason, tuple([x.shape for x in inputs]))
        return code


_NONE: Final = ShapedEntry()
