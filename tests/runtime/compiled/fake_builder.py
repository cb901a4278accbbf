"""A builder for the tests of promotion: it builds nothing, notes what it was asked, and answers as it is told to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from penstock.runtime.llvm.tier import ModuleSource
from penstock.runtime.llvm.toolchain import Library

LIBRARY = Library({"f": 1}, None)


@dataclass
class FakeBuilder:
    """asked: what it was asked; queue: what is to be built later; the others: what it answers."""

    enabled: bool = True
    now: bool = False
    ready: bool = True
    cached: bool = False
    described: bool = False
    busy: bool = False
    fails: bool = False
    spent: float = 0.0
    asked: list[str] = field(default_factory=list)
    queue: list[tuple[ModuleSource, Callable[[Library | Exception], None]]] = field(default_factory=list)

    def on(self) -> bool:
        return self.enabled

    def at_once(self) -> bool:
        return self.now

    def is_ready(self) -> bool:
        return self.ready

    def is_described(self) -> bool:
        return self.described

    def is_cached(self, source: ModuleSource) -> bool:
        self.asked.append("cached?")
        return self.cached

    def build_now(self, source: ModuleSource) -> Library:
        self.asked.append("now")
        if self.fails:
            raise RuntimeError("it cannot be made")
        return LIBRARY

    def try_build(self, source: ModuleSource) -> Library | None:
        self.asked.append("try")
        if self.fails:
            raise RuntimeError("it cannot be made")
        return None if self.busy else LIBRARY

    def spent_in_all(self, more: float) -> float:
        self.spent += more
        return self.spent

    def load_llvm(self) -> bool:
        self.asked.append("load")
        self.ready |= not self.busy
        return self.ready

    def build_later(
        self, source: ModuleSource, deliver: Callable[[Library | Exception], None], is_urgent: bool
    ) -> None:
        self.asked.append("later")
        self.queue.append((source, deliver))

    def keep_going(self) -> None:
        self.asked.append("go on")
