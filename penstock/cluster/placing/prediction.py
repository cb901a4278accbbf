"""What a run on a cluster is expected to take, partition by partition, against one machine.

Each worker runs its partitions one at a time, in the order in which their inputs are there. A value arrives when its
producer has ended and the link has carried it. The run ends when the last result is back at the client.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...graph.common.hooks import hooks
from ...graph.common.tracebacks import hides_frames
from ...graph.model.nodes import Tensor
from ...runtime.observe.run_record import byte_text, time_text
from .cluster_plan import ClusterPlan
from .places import CLIENT, Link, place_name
from .stage_costs import StageCosts

_RUN_HERE_S = 15e-6
"""Seconds of a run of a session in this process besides its steps."""


@dataclass(frozen=True, slots=True)
class PartitionForecast:
    """One partition in a predicted run.

    Attributes:
        number: its number in the plan.
        place: where it runs.
        operations: how many operations it has.
        seconds: how long it computes.
        bytes_in: bytes that come from other places.
        bytes_out: bytes that go to other places.
        start: when it begins, in seconds from the start of the run.
        end: when it ends.
        measured: how long it computed in the last run; None before one.
    """

    number: int
    place: int
    operations: int
    seconds: float
    bytes_in: int
    bytes_out: int
    start: float
    end: float
    measured: float | None = None

    def __str__(self) -> str:
        text = f"{self.number}  {place_name(self.place)}  {_count(self.operations, 'operation')}  "
        text += f"{time_text(self.seconds)}  in {byte_text(self.bytes_in)}  out {byte_text(self.bytes_out)}"
        text += f"  from {time_text(self.start)} to {time_text(self.end)}"
        return text if self.measured is None else f"{text}  measured {time_text(self.measured)}"


@dataclass(frozen=True, slots=True)
class CutEdge:
    """What goes from one partition to another.

    Attributes:
        source: the number of the partition that sends; -1 for feeds and variables.
        target: the number of the one that receives; -1 for results.
        tensors: the names of the values.
        size: their bytes together.
        crosses: whether the two are at different places.
    """

    source: int
    target: int
    tensors: tuple[str, ...]
    size: int
    crosses: bool


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a run on a cluster is expected to take: `session.explain(...).cluster`. It prints as text.

    Attributes:
        partitions: each partition, as a `PartitionForecast`.
        cuts: what goes from partition to partition.
        seconds: the run on the cluster.
        local_seconds: the same on one machine.
        crossing: the bytes that cross from one place to another.
        guessed: how many tensors have a size that only the run finds.
        measured: how long the last run took; None before one.
    """

    partitions: tuple[PartitionForecast, ...]
    cuts: tuple[CutEdge, ...]
    seconds: float
    local_seconds: float
    crossing: int
    guessed: int = 0
    measured: float | None = None

    @property
    def pays(self) -> bool:
        """Whether the cluster is expected to be faster."""
        return self.seconds < self.local_seconds

    @property
    def verdict(self) -> str:
        """One line: "8 partitions, 3.1 MiB cross, about 120 ms against 95 ms here: stay local"."""
        advice = "use the cluster" if self.pays else "stay local"
        return (
            f"{_count(len(self.partitions), 'partition')}, {byte_text(self.crossing)} cross, about "
            f"{time_text(self.seconds)} against {time_text(self.local_seconds)} here: {advice}"
        )

    @hides_frames
    def export(self, path: str | os.PathLike[str]) -> Path:
        """Draws the partitions: what each is expected to compute, and how many bytes cross each cut.

        Args:
            path: a path with a suffix of `show.export_picture`, such as .svg, .html, .png or .txt.

        Returns:
            The path.

        Raises:
            ImportError: .png or .pdf without the extra `penstock[pictures]`.
            ValueError: another suffix.
            OSError: the file cannot be written.

        >>> import pathlib, tempfile
        >>> from penstock.cluster.placing.prediction import PartitionForecast, Prediction
        >>> one = PartitionForecast(0, 0, 5, 0.002, 4000, 4000, 0.001, 0.003)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Prediction((one,), (), 0.005, 0.002, 8000).export(pathlib.Path(folder, "run.txt"))
        """
        drawn: Path = hooks.export("Prediction.export", self, path)
        return drawn

    def __str__(self) -> str:
        lines = [self.verdict, *[f"  {each}" for each in self.partitions]]
        if self.guessed:
            lines.append(f"  {_count(self.guessed, 'size')} only the run finds were guessed")
        if self.measured is not None:
            lines.append(f"  the last run took {time_text(self.measured)}")
        return "\n".join(lines)


def predict(
    plan: ClusterPlan, costs: StageCosts, link: Link, homes: Sequence[int | None], local_seconds: float
) -> Prediction:
    """What a run of a plan is expected to take.

    Args:
        plan: the partitions and their places.
        costs: seconds and bytes of operations.
        link: what connections cost.
        homes: for each feed the worker that has it; None for what the client has.
        local_seconds: what the operations take in this process.
    """
    sizes = costs.sizes
    home_of = {t: (CLIENT if home is None else home) for t, home in zip(plan.stage.feeds, homes, strict=True)}
    maker: dict[Tensor, int] = {t: each.number for each in plan.partitions for t in each.outputs}
    readers: dict[Tensor, set[int]] = defaultdict(set)
    for each in plan.partitions:
        for tensor in each.inputs:
            readers[tensor].add(each.place)
    count = len(plan.stage.fetches) - len(plan.stage.written)
    returned = set(plan.stage.fetches[:count])
    free: dict[int, float] = defaultdict(float)
    sending: dict[int, float] = defaultdict(float)  # each place sends one byte after the other
    end: dict[int, float] = {}
    arrived: dict[tuple[Tensor, int], float] = {}
    forecasts: list[PartitionForecast] = []
    crossing = 0
    last = 0.0

    def arrival(tensor: Tensor, source: int, ready: float, place: int) -> float:
        key = tensor, place
        if key not in arrived:
            start = max(ready, sending[source])
            sending[source] = start + sizes[tensor] / link.bytes_per_s
            arrived[key] = sending[source] + link.latency_s
        return arrived[key]

    for each in plan.partitions:
        start, bytes_in = free[each.place], 0
        for tensor in each.inputs:
            source = home_of.get(tensor)
            ready = 0.0
            if source is None:
                number = maker[tensor]
                source, ready = plan.partitions[number].place, end[number]
            if source == each.place:
                start = max(start, ready)
                continue
            if (tensor, each.place) not in arrived:
                bytes_in += sizes[tensor]
            start = max(start, arrival(tensor, source, ready, each.place))
        for number in each.after:
            start = max(start, end[number] + (link.latency_s if plan.partitions[number].place != each.place else 0.0))
        seconds = sum([costs.seconds.get(op, 0.0) for op in each.operations])
        stop = start + seconds + (link.per_partition_s if each.place != CLIENT else 0.0)
        end[each.number] = free[each.place] = stop
        bytes_out = 0
        for tensor in each.outputs:
            bytes_out += sizes[tensor] * len(readers[tensor] - {each.place})
            if tensor in returned and each.place != CLIENT:
                bytes_out += sizes[tensor]
                last = max(last, stop + sizes[tensor] / link.bytes_per_s)
        last = max(last, stop)
        crossing += bytes_in
        forecasts.append(
            PartitionForecast(each.number, each.place, len(each.operations), seconds, bytes_in, bytes_out, start, stop)
        )
    crossing += sum([sizes[t] for t in returned if t in maker and plan.partitions[maker[t]].place != CLIENT])
    calls = link.call_s * (1 + 0.25 * max(0, len(plan.workers) - 1)) if plan.workers else 0.0
    cuts = _cuts(plan, home_of, sizes)
    return Prediction(tuple(forecasts), cuts, last + calls, local_seconds + _RUN_HERE_S, crossing, costs.guessed)


def with_measured(made: Prediction, times: Mapping[int, float], total: float | None) -> Prediction:
    """The prediction beside what the last run took."""
    rows = tuple([replace(each, measured=times.get(each.number)) for each in made.partitions])
    return replace(made, partitions=rows, measured=total)


def _cuts(plan: ClusterPlan, home_of: Mapping[Tensor, int], sizes: Mapping[Tensor, int]) -> tuple[CutEdge, ...]:
    maker = {t: each.number for each in plan.partitions for t in each.outputs}
    found: dict[tuple[int, int], list[Tensor]] = defaultdict(list)
    for each in plan.partitions:
        for tensor in each.inputs:
            found[maker.get(tensor, -1), each.number].append(tensor)
    for tensor in dict.fromkeys(plan.stage.fetches):
        if tensor in maker:
            found[maker[tensor], -1].append(tensor)
    cuts = []
    for (source, target), tensors in found.items():
        there = CLIENT if target < 0 else plan.partitions[target].place
        froms = {home_of.get(t, CLIENT) if source < 0 else plan.partitions[source].place for t in tensors}
        names = tuple([t.name for t in tensors])
        cuts.append(CutEdge(source, target, names, sum([sizes[t] for t in tensors]), froms != {there}))
    return tuple(cuts)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")
