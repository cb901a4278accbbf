"""The configurations of the fuzz: passes, arena, threads, tiers, thresholds, and how a run is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, replace
from typing import Any, Literal
from unittest.mock import patch

import penstock as tf
from penstock import config
from penstock.runtime.base import thread_pool
from penstock.runtime.execution import inter_op
from penstock.runtime.memory import buffer_pool, pooled_numpy
from penstock.runtime.nest import tail_group
from penstock.runtime.numpy import interpreter, writers
from penstock.runtime.passes.pipeline import ALL_PASSES
from penstock.runtime.planning import memory_plan

from ..feed_ways import WAYS as FEED_WAYS

Call = Literal["run", "callable", "recorded"]
CHECKS: dict[str, Any] = {"check": True} if "check" in {f.name for f in fields(tf.SessionConfig)} else {}
"""The debug checks of the memory, where the engine has them."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to run a program. small: arrays of a few elements are treated as large ones; rounds: how often all runs
    are made."""

    name: str
    config: tf.SessionConfig
    jit: Literal["off", "on", "now"] = "on"
    small: bool = False
    call: Call = "run"
    rounds: int = 1

    @contextmanager
    def settings(self) -> Iterator[None]:
        """The tier and the thresholds of this way, while it is entered."""
        before = config.jit.mode
        config.jit.mode = self.jit
        try:
            with ExitStack() as stack:
                for module, name, value in SMALL if self.small else ():
                    stack.enter_context(patch.object(module, name, value))
                yield
        finally:
            config.jit.mode = before


SMALL: tuple[tuple[Any, str, float], ...] = (
    (interpreter, "TILE", 64), (interpreter, "SMALL", 4), (memory_plan, "SMALLEST", 1), (writers, "POOLED", 1),
    (buffer_pool, "SMALL", 32), (pooled_numpy, "FEW", 8), (thread_pool, "WORTH", 1e-12), (inter_op, "HEAVY", 1),
    (tail_group, "LEAST", 1),
)  # fmt: skip
"""Small arrays run in tiles, on several threads, side by side, in an arena, in the pool's memory."""

PLAIN = (
    "default", "no passes", "no arena", "four threads", "some passes", "interpreted", "debug checks", "callable",
    "recorded", "default, small", "no passes, small", "four threads, small", "some passes, small", "no fusion, small",
    "no arena, four threads, small", "asynchronous", "asynchronous, no passes, small", "specialised",
    "specialised, small",
)  # fmt: skip
EVERY = 24
"""Everything is compiled at once for one program of so many: that takes ten times as long."""


def feed_way_for(seed: int) -> int:
    """How the arrays of a program are fed: every second time as they are."""
    return 0 if seed % 2 else seed // 2 % len(FEED_WAYS)


def ways_for(seed: int, count: int = 3) -> list[Way]:
    """The default, and `count` others of all, in turn; compiled code now and then."""
    chosen = seed % (2 ** len(ALL_PASSES) - 1) + 1
    some = tuple(name for place, name in enumerate(ALL_PASSES) if chosen >> place & 1)
    others = [PLAIN[1 + (seed * count + i) % (len(PLAIN) - 1)] for i in range(count)]
    names = ["default", *others]
    if seed % EVERY == 0:
        names.append("compiled")
    if seed % EVERY == EVERY // 2:
        names.append("compiled, small")
    return [_way(name, some) for name in names]


def _way(name: str, some: tuple[str, ...]) -> Way:
    small = name.endswith(", small")
    kind = name.removesuffix(", small")
    choices: dict[str, dict[str, Any]] = {
        "no passes": {"passes": ()},
        "no arena": {"arena": False},
        "four threads": {"threads": 4},
        "no arena, four threads": {"threads": 4, "arena": False},
        "some passes": {"passes": some},
        "no fusion": {"passes": tuple(p for p in ALL_PASSES if p != "fuse")},
        "asynchronous": {"asynchronous": True},
        "asynchronous, no passes": {"asynchronous": True, "passes": ()},
        "debug checks": {"verify": True, **CHECKS},
        "specialised": {"specialise_after": 1, "verify": True},
    }
    jit: Literal["off", "on", "now"] = "now" if kind == "compiled" else "off" if kind == "interpreted" else "on"
    call: Call = "callable" if kind == "callable" else "recorded" if kind == "recorded" else "run"
    rounds = 3 if kind == "specialised" else 1  # the second run with a shape is the first one of its own plan
    return Way(name, tf.SessionConfig(**choices.get(kind, {})), jit, small, call, rounds)


def specialised_ways(seed: int) -> list[Way]:
    """The ways of `of_shapes`: plans for the shapes that come, in all tiers."""
    names = ["specialised", "specialised, small"] if seed % 2 else ["specialised, small"]
    ways = [_way(name, ()) for name in names]
    if seed % EVERY == 0:
        ways.append(replace(ways[0], name=f"{ways[0].name}, compiled", jit="now"))
    return ways
