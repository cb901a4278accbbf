"""Places: where a part of a run computes, and what sending a value between two places costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

CLIENT: Final = -1
"""The place of the process that has the session; workers are 0, 1, 2 ..."""


def place_name(place: int) -> str:
    """The name of a place in texts and pictures: "worker 2"."""
    return "client" if place == CLIENT else f"worker {place}"


@dataclass(frozen=True, slots=True)
class Link:
    """What the connections of a cluster cost.

    Attributes:
        call_s: seconds of a run for one worker: one message there, one back.
        per_partition_s: seconds for each partition, besides its steps.
        latency_s: seconds until a small value of one worker is at another.
        bytes_per_s: how many bytes a second a large value takes.
    """

    call_s: float = 1.4e-3
    per_partition_s: float = 0.3e-3
    latency_s: float = 0.8e-3
    bytes_per_s: float = 1e9

    def seconds(self, size: int) -> float:
        """How long a value of `size` bytes takes from one place to another."""
        return self.latency_s + size / self.bytes_per_s
