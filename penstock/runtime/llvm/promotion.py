"""Promotion to machine code: when interpreted work becomes code, decided in one place for all kinds of work.

A `Promotion` is one piece of code that may be made: of a fused group for one pattern of inputs, of an index kernel, the
native driver. It is in one of four states and moves only to the right:

    interpreted --> queued --> compiled
         |            |
         +------------+------> refused (with a reason)

Before each run its owner asks `code_for`. The decision compares predicted seconds (llvm.compile_cost):

    at once        this run may be held up for as long as compiling takes (`patience`)
    from the cache the code lies in the object cache: loading it takes 0.5 ms
    in background  what was interpreted so far took a fifth as long as compiling would

Nothing here waits: where another thread is compiling, the run is interpreted and asks again the next time. Only
`PENSTOCK_JIT=now`, for tests, makes everything at its first use.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Final, Generic, Protocol, TypeVar

from . import tier
from .compile_cost import LINK, LOAD, PACE, text_seconds
from .tier import Source
from .toolchain import Library

PATIENCE: Final = 0.3
"""How much of what interpreting a run takes it may be held up for: a first run takes at most 1.3 times as long."""
BEHIND: Final = 0.2
"""How much of what compiling takes must have been spent on interpreting before it is done in the background."""
LOOK: Final = 0.3
"""How much of the time spent interpreting may go into the text of a module, to see whether its code is cached."""


Write = Callable[[], Source]


class State(Enum):
    """Where a promotion is."""

    INTERPRETED = "interpreted"
    QUEUED = "queued"
    COMPILED = "compiled"
    REFUSED = "refused"


class Builder(Protocol):
    """Who makes code of sources: `llvm.tier`, or a stand-in of the tests."""

    def on(self) -> bool:
        """Whether code may be made."""

    def at_once(self) -> bool:
        """Whether everything is made at its first use, whatever it costs."""

    def is_ready(self) -> bool:
        """Whether LLVM is loaded."""

    def is_cached(self, source: Source) -> bool:
        """Whether the code is in the object cache or loaded already, and LLVM is loaded."""

    def build_now(self, source: Source) -> Library:
        """The code. RuntimeError if it cannot be made."""

    def try_build(self, source: Source) -> Library | None:
        """The code, or None while another thread is compiling. RuntimeError if it cannot be made."""

    def build_later(self, source: Source | Write, deliver: Callable[[Library | Exception], None]) -> None:
        """Hand the code, or why there is none, to `deliver` in another thread."""

    def keep_going(self) -> None:
        """Go on with what is queued: a forked child has a queue and no thread."""


def _tier() -> Builder:
    return tier


class Meter:
    """What a piece of work has cost so far, and whether machine code is worth thinking about.

    seconds: spent on interpreting it. ops: how many operations it has, from which follows what code would cost.
    builder: who would make the code.
    """

    __slots__ = ("builder", "ops", "seconds", "text")

    def __init__(self, ops: int, builder: Builder | None = None) -> None:
        self.ops = ops
        self.builder = builder or _tier()
        self.seconds = 0.0
        self.text = text_seconds(ops)

    def is_due(self, patience: float) -> bool:
        """Whether a module may be written before a run that may be held up for `patience` seconds. 0.3 us."""
        builder = self.builder
        if not builder.on():
            return False
        if builder.at_once():
            return True
        if builder.is_ready():
            return self.text <= patience + LOOK * self.seconds
        # Whether the code is cached shows once LLVM is loaded, and who loads it pays.
        cost = LOAD + PACE.compiling_unwritten(self.ops)
        return cost <= patience or self.seconds >= BEHIND * cost


T = TypeVar("T")


class Promotion(Generic[T]):
    """One piece of machine code on its way. Safe to ask from several threads at once: at worst code is made twice."""

    __slots__ = ("_cost", "_finish", "_looked", "_meter", "_source", "_write", "code", "reason", "state")

    def __init__(self, meter: Meter, write: Write, finish: Callable[[Library], T]) -> None:
        """meter: of the work. write: gives the module. finish: makes of the library what the owner calls. Both raise
        RuntimeError where there cannot be one."""
        self.code: T | None = None
        self.state = State.INTERPRETED
        self.reason = ""
        self._meter = meter
        self._write = write
        self._finish = finish
        self._source: Source | None = None
        self._cost = 0.0
        self._looked = False

    def __str__(self) -> str:
        return f"{self.state.value}: {self.reason}" if self.reason else self.state.value

    def code_for(self, patience: float) -> T | None:
        """The code, if it is there or is made now; None if the run is to be interpreted.

        patience: seconds that this run may be held up for.
        """
        if self.state is State.INTERPRETED:
            self._advance(patience)
        elif self.state is State.QUEUED:
            self._meter.builder.keep_going()
        return self.code

    # ---- the decision -------------------------------------------------------------------------

    def _advance(self, patience: float) -> None:
        meter, builder = self._meter, self._meter.builder
        if not meter.is_due(patience):
            return
        if builder.at_once():
            self._make(builder.build_now)
            return
        if not builder.is_ready() and patience < LOAD:  # the text needs LLVM too: what the processor has
            self._queue()
            return
        source = self._source or self._written()
        if source is None:
            return
        if not self._looked and builder.is_ready() and patience + LOOK * meter.seconds >= LINK:
            if builder.is_cached(source):
                self._make(builder.try_build)
                return
            self._looked = True
        cost = self._cost + (0.0 if builder.is_ready() else LOAD)
        if cost <= patience:
            self._make(builder.try_build)
        elif meter.seconds >= BEHIND * cost:
            self._queue()

    def _written(self) -> Source | None:
        try:
            self._source = self._write()
        except RuntimeError as error:
            self._refuse(error)
        else:
            self._cost = PACE.compiling(self._source.ir)
        return self._source

    def _make(self, build: Callable[[Source], Library | None]) -> None:
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
        self.state = State.QUEUED  # before it is asked for: it may be delivered at once
        self._meter.builder.build_later(self._source or self._write, self._deliver)

    def _deliver(self, built: Library | Exception) -> None:
        if isinstance(built, Exception):
            if self._meter.builder.on():
                self._refuse(built)
            else:  # switched off meanwhile: it may be on again later
                self.state = State.INTERPRETED
            return
        try:
            self.code = self._finish(built)
        except RuntimeError as error:
            self._refuse(error)
            return
        self.state = State.COMPILED
        self._source = None

    def _refuse(self, error: Exception) -> None:
        self.reason = str(error) or type(error).__name__
        self.state = State.REFUSED
        self._source = None
