"""What can be chosen for a session and for one run?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class SessionConfig:
    """Choices of a session.

    device: where nodes run that ask for no device: "cpu", "gpu", or the name of a registered backend.
    allow_soft_placement: run a node on the CPU where the device it asks for is missing or has no kernel for it;
        otherwise that is an InvalidArgumentError.
    passes: names of the passes to run, in the order of the pipeline; None for all, () for none.
    verify: check every stage after the pass that made it; for tests and for those who write passes.
    plan_cache_size: how many plans a session keeps, the least recently used dropped first.
    threads: how many threads may work on one run, the caller's included; None for as many as there are cores.
    arena: put the values inside a run into one piece of memory, planned ahead; otherwise each gets memory of its own.
    """

    device: str = "cpu"
    allow_soft_placement: bool = True
    passes: tuple[str, ...] | None = None
    verify: bool = False
    plan_cache_size: int = 128
    threads: int | None = None
    arena: bool = True

    def __post_init__(self) -> None:
        if self.threads is not None and self.threads < 1:
            raise ValueError(
                f"SessionConfig(threads={self.threads}): a run has at least 1 thread, the caller's; None for all"
            )
        if self.plan_cache_size < 0:
            raise ValueError(f"SessionConfig(plan_cache_size={self.plan_cache_size}): at least 0, which keeps no plan")


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Choices of one run. `trace`: record every step in the run's `RunMetadata`."""

    trace: bool = True


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One step of a recorded run: node, op type, device, start and duration in seconds, bytes of its results.

    held: bytes of all values that are held after it.
    """

    node: str
    op: str
    device: str
    start: float
    duration: float
    bytes: int
    held: int = 0


@dataclass(slots=True)
class RunMetadata:
    """Filled by a run it is given to: the plan that ran, a record of each step in order, and the peak.

    peak_bytes: the most memory that feeds, constants and values held together after any step (scratch not counted).
    """

    plan: Any = None
    steps: list[StepRecord] = field(default_factory=list)
    peak_bytes: int = 0
