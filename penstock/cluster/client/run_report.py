"""What a run of a cluster's session has measured of itself."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class RunReport:
    """What is known of a run at its end.

    Attributes:
        times: by place: (partition, when its inputs were there, when it began, when it ended) on the clock there.
        clocks: by worker: when its run began and ended, on its clock.
        drawn: by random op: how many blocks were drawn.
    """

    times: dict[int, list[tuple[int, float, float, float]]] = field(default_factory=dict)
    clocks: dict[int, tuple[float, float]] = field(default_factory=dict)
    drawn: dict[str, int] = field(default_factory=dict)
