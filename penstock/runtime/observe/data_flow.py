"""`Session.data_flow` and `Session.watch_data`: the pipelines and queues of a session at work.

A `DataFlow` says of each stage of a pipeline how many elements it gave, who waited for them and for how long, and how
many lie ready; of each queue how full it is, and who waits at which end. It prints as a table and is drawn by `export`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from ...graph.common.hooks import hooks
from ...graph.common.tracebacks import hides_frames
from ...graph.inspect.text_table import format_table
from ...graph.model.nodes import Graph, Operation
from ...ops.datasets.iterator_objects import IteratorObject
from ...ops.datasets.streams import ALL_ROWS, DatasetStream, Source
from ...ops.queues.queue_objects import QueueObject
from ..base.session_objects import SessionObjects
from .run_record import time_text
from .stream_watch import StageCounts, StreamWatch, streams_within

_MUCH = 0.3
"""The part of the time from which runs are said to wait for data."""


@dataclass(frozen=True, slots=True)
class StageFlow:
    """One stage of a pipeline.

    Attributes:
        label: the function that makes it, such as "shuffle".
        setting: what it was given, such as "10,000".
        place: the line of the program, "train.py:12"; "" where it is not known.
        elements: how many elements it gave while it was watched; None if it was not.
        seconds: how long those who asked for them waited, the stages before it included.
        own: the part of `seconds` that is not spent in the stages before it.
        level: how many elements it holds, and how many it may; None if it holds none.
        inputs: the stages before it.
    """

    label: str
    setting: str
    place: str
    elements: int | None
    seconds: float
    own: float
    level: tuple[int, int] | None
    inputs: tuple[StageFlow, ...]

    def __str__(self) -> str:
        return f"{self.label}({self.setting})" if self.setting else self.label

    def all(self) -> Iterator[StageFlow]:
        """This stage and those before it.

        Returns:
            An iterator over `StageFlow` values.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     number = session.run(tf.data.Dataset.range(5).take(2).make_one_shot_iterator().get_next())
        ...     print([str(stage) for stage in session.data_flow().iterators[0].stage.all()])
        ['take', 'range']
        """
        yield self
        for each in self.inputs:
            yield from each.all()


@dataclass(frozen=True, slots=True)
class IteratorFlow:
    """An iterator of a session, and the pipeline behind it.

    Attributes:
        name: its name in the session.
        given: how many elements it has given since it was initialised.
        stage: the last stage of the pipeline; None before it is initialised.
    """

    name: str
    given: int
    stage: StageFlow | None


@dataclass(frozen=True, slots=True)
class QueueFlow:
    """A queue of a session.

    Attributes:
        name: its name in the session.
        kind: its class, such as "FIFOQueue".
        held: how many elements it holds.
        capacity: how many it may hold; negative without a limit.
        is_closed: whether it is closed.
        put_in: how many elements went in since it was made.
        taken_out: how many came out.
        waiting_for_room: how many runs wait to put something in now.
        waiting_for_elements: how many runs wait to take something out now.
        waited_for_room: for how many seconds runs have waited to put something in.
        waited_for_elements: for how many seconds runs have waited to take something out.
    """

    name: str
    kind: str
    held: int
    capacity: int
    is_closed: bool
    put_in: int
    taken_out: int
    waiting_for_room: int
    waiting_for_elements: int
    waited_for_room: float
    waited_for_elements: float


@dataclass(frozen=True, repr=False)
class DataFlow:
    """What flows into the runs of a session. It prints as a table.

    Attributes:
        seconds: how long the pipelines were watched; 0.0 if they were not.
        iterators: the iterators, in the order in which they were made.
        queues: the queues, in that order.
    """

    seconds: float
    iterators: tuple[IteratorFlow, ...]
    queues: tuple[QueueFlow, ...]

    def _verdict(self, iterator: IteratorFlow) -> str:
        """Who waits for whom at an iterator, in one sentence; "" if it was not watched."""
        stage = iterator.stage
        if stage is None or not self.seconds or not stage.elements:
            return ""
        part = stage.seconds / self.seconds
        if part < _MUCH:
            return f"the data waits for the runs: they wait for it {part:.0%} of the time"
        slowest = max(stage.all(), key=lambda each: each.own)
        where = f" in {slowest.place}" if slowest.place else ""
        words = f"the runs wait for the data {part:.0%} of the time"
        return f"{words}; {slowest}{where} takes {slowest.own / self.seconds:.0%}" if slowest.own else words

    @hides_frames
    def export(self, path: str | os.PathLike[str]) -> Path:
        """Writes it to a file, in the form that the suffix names.

        Args:
            path: a path that ends with .dot, .graphml, .html, .json, .mmd, .pdf, .png, .svg or .txt.

        Returns:
            The path.

        Raises:
            ImportError: .png or .pdf without the extra `penstock[pictures]`.
            ValueError: another suffix.
            OSError: the file cannot be written.

        >>> import pathlib, tempfile, penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     element = tf.data.Dataset.range(5).batch(2).make_one_shot_iterator().get_next()
        ...     numbers = session.run(element)
        ...     with tempfile.TemporaryDirectory() as folder:
        ...         print(session.data_flow().export(pathlib.Path(folder, "flow.svg")).name)
        flow.svg
        """
        made: Path = hooks.export("DataFlow.export", self, path)
        return made

    def at(self, operation: Operation) -> tuple[str, list[tuple[str, str]]] | None:
        """What flows through an operation that makes an iterator or a queue, or that takes elements from one.

        Args:
            operation: of the graph of the session.

        Returns:
            A sentence, and for each stage its name and what is known of it; None if nothing flows through the
            operation.

        Raises:
            AttributeError: it is no operation.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     element = tf.data.Dataset.range(5).batch(2).make_one_shot_iterator().get_next()
        ...     numbers = session.run(element)
        ...     words, stages = session.data_flow().at(element.op)
        >>> words, [name for name, _ in stages]
        ("iterator 'OneShotIterator': 1 element given", ['range', 'batch(2)'])
        """
        takes = operation.opdef.facts.is_source and operation.inputs
        handle = operation.inputs[0].op if takes else operation
        name = _name_in_session(handle)
        if takes or handle.outputs:
            for iterator in self.iterators:
                if iterator.name == name:
                    verdict, head = self._verdict(iterator), _given(iterator)
                    stages = [] if iterator.stage is None else [each for each, _ in _in_order(iterator.stage, 0)]
                    told = [(str(each), "; ".join(self._told(each))) for each in stages]
                    return f"{head}; {verdict}" if verdict else head, told
            for queue in self.queues:
                if queue.name == name:
                    return f"{queue.kind} {queue.name!r}", _facts_of_queue(queue)
        return None

    def _told(self, stage: StageFlow) -> Iterator[str]:
        """What is known of a stage."""
        if stage.elements is not None and self.seconds:
            count = "1 element" if stage.elements == 1 else f"{stage.elements:,} elements"
            yield f"{count}, {stage.elements / self.seconds:,.0f} a second"
            yield f"waited {stage.seconds / self.seconds:.1%} of the time, itself {stage.own / self.seconds:.1%}"
        if stage.level is not None:
            yield f"{stage.level[0]:,} of {stage.level[1]:,} ready"
        if stage.place:
            yield stage.place

    def __str__(self) -> str:
        if not self.iterators and not self.queues:
            return "no data flows: the session has no iterator and no queue"
        parts = [self._iterator_text(each) for each in self.iterators]
        if self.queues:
            parts.append(self._queue_text())
        if self.seconds:
            parts.insert(0, f"watched for {time_text(self.seconds)}")
        return "\n".join(parts)

    __repr__ = __str__

    def _repr_svg_(self) -> str | None:
        return hooks.markup(self, "svg")

    def _iterator_text(self, iterator: IteratorFlow) -> str:
        head = _given(iterator)
        if iterator.stage is None:
            return f"{head}, not initialised"
        rows = [self._row(stage, depth) for stage, depth in _in_order(iterator.stage, 0)]
        shown = [i for i in range(len(_HEAD)) if i == 0 or any(row[i] for row in rows)]
        table = format_table([_HEAD[i] for i in shown], [[row[i] for i in shown] for row in rows],
                             right=("elements", "a second", "waited", "itself"))  # fmt: skip
        verdict = self._verdict(iterator)
        return "\n".join([f"{head}{'; ' if verdict else ''}{verdict}", *[f"  {line}" for line in table.splitlines()]])

    def _row(self, stage: StageFlow, depth: int) -> tuple[str, ...]:
        held = "" if stage.level is None else f"{stage.level[0]:,} of {stage.level[1]:,}"
        if stage.elements is None or not self.seconds:
            return "  " * depth + str(stage), "", "", "", "", held, stage.place
        waited, own = (f"{each / self.seconds:.1%}" for each in (stage.seconds, stage.own))
        rate = f"{stage.elements / self.seconds:,.0f}"
        return "  " * depth + str(stage), f"{stage.elements:,}", rate, waited, own, held, stage.place

    def _queue_text(self) -> str:
        rows = [(each.name, each.kind, *[text for _, text in _facts_of_queue(each)]) for each in self.queues]
        return format_table(("queue", "kind", *_QUEUE_HEAD), rows)


_QUEUE_HEAD = ("holds", "put in", "taken out", "wait for room", "wait for elements")
_HEAD = ("stage", "elements", "a second", "waited", "itself", "ready", "line")


def _given(iterator: IteratorFlow) -> str:
    count = "1 element" if iterator.given == 1 else f"{iterator.given:,} elements"
    return f"iterator {iterator.name!r}: {count} given"


def _facts_of_queue(queue: QueueFlow) -> list[tuple[str, str]]:
    room = "no limit" if queue.capacity < 0 else f"{queue.capacity:,}"
    texts = (f"{queue.held:,} of {room}{', closed' if queue.is_closed else ''}", f"{queue.put_in:,}",
             f"{queue.taken_out:,}", _waits(queue.waiting_for_room, queue.waited_for_room),
             _waits(queue.waiting_for_elements, queue.waited_for_elements))  # fmt: skip
    return list(zip(_QUEUE_HEAD, texts, strict=True))


def _waits(now: int, seconds: float) -> str:
    return f"{now} now, {time_text(seconds)} in all" if now or seconds else "none"


def _in_order(stage: StageFlow, depth: int) -> Iterator[tuple[StageFlow, int]]:
    """The stages from where the elements come to where they go, those of several inputs indented."""
    inner = depth + (len(stage.inputs) > 1)
    for each in stage.inputs:
        yield from _in_order(each, inner)
    yield stage, depth


# ---- of some runs --------------------------------------------------------------------------------


def flow_into(operations: Iterable[Operation], now: DataFlow) -> DataFlow:
    """What flows into runs of some operations: of `now`, and the pipelines that have not begun as the graph has them.

    Where a run takes elements from queues, all are told, because runs of others fill them; so where a handle is fed.
    """
    handles = dict.fromkeys([t.op for op in operations if op.opdef.facts.is_source for t in op.inputs[:1]])
    begun = {each.name: each for each in now.iterators}
    told: dict[str, IteratorFlow] = {}
    for handle in handles:
        name = _name_in_session(handle)
        makers = [handle] if handle.inputs else [each for t in handle.outputs for each in t.consumers()]
        datasets = [t.op for op in makers for t in op.inputs[:1] if t.dtype.is_variant]
        if name in begun or datasets:
            told[name] = begun.get(name) or IteratorFlow(name, 0, _planned_stage(datasets[0]))
    if len(told) == len(handles):
        return DataFlow(now.seconds, tuple(told.values()), ())
    return DataFlow(now.seconds, tuple({**begun, **told}.values()), now.queues)


def _name_in_session(handle: Operation) -> str:
    """The name of the object that an operation makes."""
    shared = "shared_name" in handle.opdef.parameters and handle.get_attr("shared_name")
    return str(shared or handle.name)


def _planned_stage(op: Operation) -> StageFlow:
    mapped = op.inputs[1].op if op.type == _ROWS else op  # of a map of batches and one of elements: what both map
    inputs = tuple([_planned_stage(t.op) for t in mapped.inputs if t.dtype.is_variant])
    is_whole = op.type == _ROWS or ("all_rows" in op.opdef.parameters and op.get_attr("all_rows"))
    setting = ALL_ROWS if is_whole else ""
    return StageFlow(stage_word(op), setting, op.origin.place, None, 0.0, 0.0, None, inputs)


def stage_word(op: Operation) -> str:
    """The function of programs that makes the dataset of an operation, such as "shuffle"."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", re.sub(r"Dataset(V\d+)?$", "", op.type)).lower()
    return _LABELS.get(words, words)


_ROWS = "RowsMapAndBatchDataset"
_LABELS = {
    "rows_map_and_batch": "map and batch",
    "tensor": "from_tensors", "tensor_slice": "from_tensor_slices", "sparse_tensor_slice": "from_sparse_tensor_slices",
    "generator": "from_generator", "parallel_map": "map", "directed_interleave": "choose_from_datasets",
    "matching_files": "list_files", "text_line": "files", "csv_line": "files", "tfrecord": "files",
    "fixed_length_record": "files",
}  # fmt: skip


# ---- looking ------------------------------------------------------------------------------------


def data_flow(graph: Graph, objects: SessionObjects, watch: StreamWatch | None = None) -> DataFlow:
    """What flows into the runs of a session now, and what a watch has counted."""
    made = objects.made()
    iterators = [each for _, each in made if isinstance(each, IteratorObject)]
    queues = [each for _, each in made if isinstance(each, QueueObject)]
    seconds = 0.0 if watch is None else perf_counter() - watch.start
    stages = {} if watch is None else watch.stages
    return DataFlow(seconds, tuple([_iterator_flow(each, graph, stages) for each in dict.fromkeys(iterators)]),
                    tuple([_queue_flow(each) for each in dict.fromkeys(queues)]))  # fmt: skip


def _queue_flow(queue: QueueObject) -> QueueFlow:
    return QueueFlow(queue.name, queue.kind, queue.size(), queue.capacity, queue.is_closed(), queue.put_in,
                     queue.taken_out, *queue.lines(), *queue.waited())  # fmt: skip


def _iterator_flow(iterator: IteratorObject, graph: Graph, stages: dict[Source, StageCounts]) -> IteratorFlow:
    stream, source = iterator.stream, iterator.source
    if stream is None or source is None:
        return IteratorFlow(iterator.name, iterator.given, None)
    streams = {each.source: each for each in streams_within(stream) if each.source is not None}
    return IteratorFlow(iterator.name, iterator.given, _stage_flow(source, graph, streams, stages))


def _stage_flow(
    source: Source, graph: Graph, streams: dict[Source, DatasetStream], stages: dict[Source, StageCounts]
) -> StageFlow:
    """A stage and those before it.

    Args:
        source: the dataset.
        graph: where the nodes are that made datasets.
        streams: the stream of each dataset, in the pass of now.
        stages: what was counted.
    """
    inputs = tuple([_stage_flow(each, graph, streams, stages) for each in source.inputs()])
    counts = stages.get(source)
    seconds = 0.0 if counts is None else counts.seconds
    stream = streams.get(source)
    level = None if stream is None else stream.level()
    own = max(0.0, seconds - sum([each.seconds for each in inputs]))
    if source.works_ahead and level is not None:  # other threads ask the stages before it
        own = 0.0 if source.only_waits else seconds
    made_by = graph.find_anywhere(source.node)
    place = "" if made_by is None else made_by.origin.place
    elements = None if not stages else 0 if counts is None else counts.elements
    return StageFlow(source.label, source.setting(), place, elements, seconds, own, level, inputs)


class DataWatch:
    """Watches the pipelines of a session: made by `Session.watch_data`. A `with` block ends it.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     element = tf.data.Dataset.range(5).batch(2).make_one_shot_iterator().get_next()
    ...     with session.watch_data() as watch:
    ...         numbers = session.run(element), session.run(element)
    >>> [(str(stage), stage.elements) for stage in watch.flow().iterators[0].stage.all()]
    [('batch(2)', 2), ('range', 5)]
    """

    def __init__(self, graph: Graph, objects: SessionObjects) -> None:
        self._graph, self._objects = graph, objects
        self._watch = StreamWatch()
        self._last: DataFlow | None = None
        objects.watch = self
        for _, each in objects.made():
            self.hear(each)

    def hear(self, made: Any) -> None:
        """Hear of an object of the session that was made."""
        if isinstance(made, IteratorObject):
            self._watch.begin(made)

    def flow(self) -> DataFlow:
        """What has flowed since the watch began, or between its begin and its end.

        Returns:
            A `DataFlow`.
        """
        return self._last or data_flow(self._graph, self._objects, self._watch)

    def end(self) -> None:
        """Watch no more; `flow` stays as it is now.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session:
        ...     watch = session.watch_data()
        ...     watch.end()
        ...     print(watch.flow().iterators)
        ()
        """
        if self._last is None:
            self._last = self.flow()
            self._objects.watch = None
            self._watch.end()

    def __enter__(self) -> DataWatch:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def __repr__(self) -> str:
        return f"<DataWatch of {len(self._watch.given)} iterators>"
