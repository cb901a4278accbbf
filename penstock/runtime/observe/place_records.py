"""What a record says of the places of a run that several processes computed: transfers, waiting, memory and clocks."""

from __future__ import annotations

from ...graph.common.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class TransferRecord:
    """A value on its way from one place to another.

    Times are in seconds from the start of the run, on the clock of the client.

    Attributes:
        value: the name of its tensor; of a partition that only lets another one begin, "end of" its last node.
        source: the place that sent it.
        target: the place that took it.
        bytes: its size.
        start: when it was sent.
        duration: how long it took until it was there.
    """

    value: str
    source: str
    target: str
    bytes: int
    start: float
    duration: float


@dataclass(frozen=True, slots=True)
class WaitRecord:
    """A time in which a place computed nothing, because a value was not there.

    Attributes:
        place: the place.
        value: the value that came last.
        node: the node of the step that then ran.
        start: when the waiting began, in seconds from the start of the run.
        duration: how long it took.
    """

    place: str
    value: str
    node: str
    start: float
    duration: float


@dataclass(frozen=True, slots=True)
class PlaceRecord:
    """One process that took part in a run.

    Attributes:
        name: "client" for the process of the session, "worker 0" and so on for the workers.
        address: the address of the worker; "" for the client.
        steps: how many steps ran there.
        seconds: the time of these steps.
        peak_bytes: the most memory that values of the run held there after any step.
        clock: by how many seconds its clock is ahead of the client's; the times of the record are corrected by it.
        clock_error: by how many seconds that may be wrong.
    """

    name: str
    address: str
    steps: int
    seconds: float
    peak_bytes: int
    clock: float = 0.0
    clock_error: float = 0.0
