"""Promotion: when work that NumPy does becomes machine code. Fused groups, index loops and the native driver share it.

A `Promotion` is one piece of code that may be made: of a fused group for one pattern of inputs, of an index loop, the
native driver. It is in one of four states and moves only to the right:

    interpreted --> queued --> compiled
         |            |
         +------------+------> refused (with a reason)

Its owner calls `code_for` before each run. The decision compares predicted seconds (llvm.compile_cost):

    at once        this run may be delayed by the compile time (`patience`)
    from the cache the code is in the object cache: loading it takes 0.5 ms, and LLVM 50 ms once in a process
    in background  interpreting has taken a fifth as long as compiling would, or as long (`Meter.behind`); what serves
                   all plans (`is_urgent`) comes before the first other piece, and before what waits
    in the call    work whose bits would change if it were compiled later (`code_at_once`): convolutions

LLVM itself is loaded by the first run that asks for code, once all work together has taken a fifth as long. Loading
takes the lock of the interpreter: in the background it took several times as long, and slowed down the runs beside it.

Nothing else here waits: while another thread compiles, the run is interpreted and asks again the next time. Only
`PENSTOCK_JIT=now`, for tests, compiles everything at its first use.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar

from . import tier
from .compile_cost import COMPILE_SPEED, LINK, LOAD, text_seconds
from .tier import ModuleSource
from .toolchain import Library

PATIENCE: Final = 0.3
"""The delay that a run accepts, as a part of its interpreted time: a first run takes at most 1.3 times as long."""
BEHIND: Final = 0.2
"""The interpreted time, as a part of the compile time, from which code is compiled in the background."""
BEHIND_ONCE: Final = 1.0
"""The same for work that most programs do once, at their start."""
SHORT: Final = 0.3e-3
"""Seconds of patience below which a single run never pays for a module; see `Meter.next_look`."""
LOOK: Final = 0.3
"""The part of the interpreted time that may be spent on writing a module, to look it up in the cache."""


Write = Callable[[], ModuleSource]


class State(Enum):
    """The state of a promotion."""

    INTERPRETED = "interpreted"
    QUEUED = "queued"
    COMPILED = "compiled"
    REFUSED = "refused"


class Builder(Protocol):
    """Compiles sources: `llvm.tier`, or a fake in tests."""

    def on(self) -> bool:
        """True if code may be compiled."""

    def at_once(self) -> bool:
        """True if everything is compiled at its first use, at any cost."""

    def is_ready(self) -> bool:
        """True if LLVM is loaded."""

    def is_described(self) -> bool:
        """True if sources can be written and looked for in the object cache, with or without LLVM."""

    def is_cached(self, source: ModuleSource) -> bool:
        """True if the code is loaded or in the object cache."""

    def build_now(self, source: ModuleSource) -> Library:
        """The code. RuntimeError if it cannot be compiled."""

    def try_build(self, source: ModuleSource) -> Library | None:
        """The code, or None while another thread is compiling. RuntimeError if it cannot be compiled."""

    def load_llvm(self) -> bool:
        """Load LLVM; True if it is there, False if it cannot be loaded or another thread is at it."""

    def build_later(
        self, source: ModuleSource, deliver: Callable[[Library | Exception], None], is_urgent: bool
    ) -> None:
        """Call `deliver` in another thread with the code, or with the error; soon if it is urgent."""

    def spent_in_all(self, more: float) -> float:
        """The seconds for which any work was interpreted, with `more` of them."""

    def keep_going(self) -> None:
        """Continue with the queue, which has no thread in a forked child."""


def _tier() -> Builder:
    return tier


class Meter:
    """The cost of a piece of work so far, and whether machine code may pay.

    Attributes:
        ops: the number of its operations, from which the cost of code is predicted.
        builder: compiles the code.
        behind: the interpreted time, as a part of the compile time, from which code is compiled in the background.
        seconds: the time spent on interpreting it.
        next_look: the seconds from which a run that is short itself asks again. It doubles with each refusal, because
            asking costs as much as a small run.
    """

    __slots__ = ("_told", "behind", "builder", "next_look", "ops", "seconds")

    def __init__(self, ops: int, builder: Builder | None = None, behind: float | None = None) -> None:
        self.ops = ops
        self.builder = builder or _tier()
        self.behind = BEHIND if behind is None else behind
        self.seconds = self._told = 0.0
        self.next_look = SHORT

    def is_due(self, patience: float) -> bool:
        """True if a module may be written before a run that may be delayed by `patience` seconds. 0.3 us."""
        if not self._is_worth_writing(patience):
            self.put_off()
            return False
        return True

    def put_off(self) -> None:
        """Let short runs not ask before the time spent on interpreting is twice what it is now."""
        self.next_look = max(SHORT, 2 * self.seconds)

    def _is_worth_writing(self, patience: float) -> bool:
        builder = self.builder
        if not builder.on():
            return False
        if builder.at_once():
            return True
        if builder.is_ready() or builder.is_described():
            return text_seconds(self.ops) <= patience + LOOK * self.seconds
        # The cache can be searched only after LLVM is loaded, so the cost includes loading it.
        cost = COMPILE_SPEED.predict_unwritten(self.ops)
        return LOAD + cost <= patience or self.repays(cost, LOAD)

    def repays(self, cost: float, load: float) -> bool:
        """True if the work took long enough for code that costs so many seconds, and all work for the load of LLVM."""
        if self.seconds < self.behind * cost:
            return False
        told, self._told = self._told, self.seconds
        return self.builder.spent_in_all(self.seconds - told) >= BEHIND * (cost + load) or not load


class Deliveries:
    """The number of pieces of code that this process has got; who waits for code looks whether it has changed."""

    count: ClassVar[int] = 0


T = TypeVar("T")

URGENT: Final[list[Promotion[Any]]] = []
"""What serves all plans."""


class Promotion(Generic[T]):
    """One piece of code that may be compiled. Thread-safe: at worst code is compiled twice."""

    __slots__ = (
        "_cost", "_finish", "_is_cached", "_is_urgent", "_looked", "_meter", "_source", "_write", "code", "reason",
        "state",
    )  # fmt: skip

    def __init__(
        self, meter: Meter, write: Write, finish: Callable[[Library], T], is_urgent: bool = False
    ) -> None:
        """A promotion that is interpreted at first.

        Args:
            meter: the cost of the work.
            write: writes the module; RuntimeError if that is not possible.
            finish: makes a callable of the library; RuntimeError if that is not possible.
            is_urgent: whether it is compiled before what waits already, as what serves all plans.
        """
        self.code: T | None = None
        self.state = State.INTERPRETED
        self.reason = ""
        self._meter = meter
        self._write = write
        self._finish = finish
        self._is_urgent = is_urgent
        self._source: ModuleSource | None = None
        self._cost = 0.0
        self._looked = self._is_cached = False
        if is_urgent:
            URGENT.append(self)

    def __str__(self) -> str:
        return f"{self.state.value}: {self.reason}" if self.reason else self.state.value

    def code_for(self, patience: float) -> T | None:
        """The code, if it exists or is compiled now; None if the run is to be interpreted.

        patience: seconds by which this run may be delayed.
        """
        if self.state is State.INTERPRETED:
            self._advance(patience)
        elif self.state is State.QUEUED:
            self._meter.builder.keep_going()
        return self.code

    def code_after(self, spent: float) -> T | None:
        """The code for work that has just taken so many seconds without it; None without code, or if the tier is off.
        """
        if not self._meter.builder.on():
            return None
        if self.code is None:
            self._meter.seconds += spent
            return self.code_for(0.0)
        return self.code

    def code_at_once(self) -> T | None:
        """The code, whatever compiling it costs; None if it cannot be compiled."""
        if self.code is None and self.state is not State.REFUSED and self._meter.builder.on():
            self._make(self._meter.builder.build_now)
        return self.code

    # ---- the decision -------------------------------------------------------------------------

    def _advance(self, patience: float) -> None:
        meter, builder = self._meter, self._meter.builder
        if patience < SHORT and meter.seconds < meter.next_look and not builder.at_once():
            return
        if not meter.is_due(patience):
            return
        if builder.at_once():
            self._make(builder.build_now)
            return
        if not (builder.is_ready() or builder.is_described() or builder.load_llvm()):
            return  # writing the text needs LLVM too, for the processor's features
        source = self._source or self._written()
        if source is None:
            return
        load = 0.0 if builder.is_ready() else LOAD
        if not self._looked and patience + LOOK * meter.seconds >= LINK:
            self._looked = True
            self._is_cached = builder.is_cached(source)
        if self._is_cached:
            if load <= patience or meter.repays(0.0, load):
                self._make(builder.try_build)
            else:
                meter.next_look = BEHIND * load
            return
        cost = self._cost
        if cost + load <= patience:
            self._make(builder.try_build)
        elif meter.repays(cost, load):
            if not load or builder.load_llvm():
                for each in [*URGENT, self]:
                    if each.state is State.INTERPRETED and each._meter.builder is builder:
                        each._queue()
        elif not self._looked:
            meter.put_off()  # until there is time to look it up
        else:
            meter.next_look = max(meter.behind * cost, meter.seconds)

    def _written(self) -> ModuleSource | None:
        try:
            self._source = self._write()
        except RuntimeError as error:
            self._refuse(error)
        else:
            self._cost = COMPILE_SPEED.predict(self._source.ir)
        return self._source

    def _make(self, build: Callable[[ModuleSource], Library | None]) -> None:
        source = self._source or self._written()
        if source is None:
            return
        try:
            built = build(source)
        except RuntimeError as error:
            self._deliver(error)
        else:
            if built is not None:
                self._deliver(built)

    def _queue(self) -> None:
        source = self._source or self._written()
        if source is not None:
            self.state = State.QUEUED  # before the call, which may deliver at once
            self._meter.builder.build_later(source, self._deliver, self._is_urgent)

    def _deliver(self, built: Library | Exception) -> None:
        if isinstance(built, Exception):
            if self._meter.builder.on():
                self._refuse(built)
            else:  # the tier was switched off meanwhile, and may be on again later
                self.state = State.INTERPRETED
            return
        try:
            self.code = self._finish(built)
        except RuntimeError as error:
            self._refuse(error)
            return
        self.state = State.COMPILED
        Deliveries.count += 1
        self._source = None

    def _refuse(self, error: Exception) -> None:
        self.reason = str(error) or type(error).__name__
        self.state = State.REFUSED
        self._source = None
