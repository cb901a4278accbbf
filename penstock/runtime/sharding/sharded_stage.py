"""Data parallelism by names: a stage whose feeds are cut along a named dimension runs in shards as far as ops can.

    x (batch, 3)  ->  ShardOf 0 .. n-1  ->  a copy of each op per shard  ->  sum, mean or concat  ->  the rest, once

The walk is in the order of the operations. Each one that reads something that is cut is asked what shards of it give
(`graph.declare.distributing`). What is cut along an axis stays so, and parts of a sum or a mean wait, until something
needs the whole. An operation that is refused runs once, on whole inputs. The result is an ordinary stage, in which the
copies for a shard ask for the device of one worker: it gives the same numbers on one machine and on many.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from ...graph.declare.distributing import distribute
from ...graph.declare.distribution import SIZES, WHOLE, Along, Distributed, Partial, Refused, State
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Dimension
from ..ir.stage import Rebuild, Stage
from .combined_parts import PartialResult, why_not_combined
from .cut_values import CutValues
from .shard_copies import ShardCopies, arguments
from .shard_report import CutFeed, NotInShards, ShardReport
from .sums_of_sums import add_in_shards

NAME: Final = "shards"
LOG: Final = "penstock.sharding"
"""The logger, which is not made here: a fork may hold the lock of loggers while it waits for this import."""
_said: set[str] = set()


def with_shards(
    stage: Stage, shard: Mapping[str, int | Sequence[int]], sums: str = "ordered", fed: Sequence[Tensor] = ()
) -> tuple[Stage, ShardReport]:
    """The stage in shards, and what became of its operations; the stage itself if nothing can be cut.

    Args:
        stage: a stage without reads and writes of variables, see `passes.versions`.
        shard: the name of the dimension, and the number of shards or the numbers of the workers that take them.
        sums: "ordered" or "tree".
        fed: the tensors of the user's graph that the caller feeds, as reports name them; those of the stage if empty.
    """
    ((name, workers),) = shard.items()
    workers = tuple(range(workers)) if isinstance(workers, int) else tuple(workers)
    axes = {t: axis for t in _fed_values(stage) if (axis := _axis_of(t, name)) is not None}
    if not axes:
        report = ShardReport(name, workers, sums, nothing=_why_nothing(fed or _fed_values(stage), name))
        if _fed_values(stage):  # a run without feeds, as of initial values, has nothing that could be cut
            _warn(f"SessionConfig(shard={{{name!r}: ...}}): nothing runs in shards, {report.nothing}")
        return stage, report
    made, report = _Sharding(stage, name, workers, sums).run(axes)
    names = dict(zip(stage.feeds, fed, strict=False))
    report = replace(report, feeds=tuple([CutFeed(names.get(t, t).name, axis) for t, axis in axes.items()]))
    logging.getLogger(LOG).info("%s", report)
    return made, report


def _warn(words: str) -> None:
    """Say something once in a process."""
    if words not in _said:
        _said.add(words)
        logging.getLogger(LOG).warning("%s", words)


def _fed_values(stage: Stage) -> tuple[Tensor, ...]:
    """The feeds that the caller gives; the values of variables come after them."""
    return stage.feeds[: len(stage.feeds) - len(stage.state)]


def _axis_of(tensor: Tensor, name: str) -> int | None:
    """The first axis that is the named dimension."""
    dims = tensor.shape.raw or ()
    return next((i for i, dim in enumerate(dims) if isinstance(dim, Dimension) and dim == name), None)


def _why_nothing(feeds: Sequence[Tensor], name: str) -> str:
    if not feeds:
        return "this run feeds nothing"
    shown = ", ".join(f"{t.name} {t.shape}" for t in feeds[:5]) + (", ..." if len(feeds) > 5 else "")
    return f"no fed tensor has a dimension called {name!r}: {shown}. Name it, as in tf.placeholder(dtype, [{name!r}])"


class _Sharding:
    """The rewriting of one stage."""

    def __init__(self, stage: Stage, name: str, workers: tuple[int, ...], sums: str) -> None:
        self._stage = stage
        self._name = name
        self._workers = workers
        self._sums = sums
        self._copy = Rebuild(stage)
        devices = [f"/job:worker/task:{worker}" for worker in workers]
        self._values = CutValues(stage, self._copy, name, devices, sums)
        self._copies = ShardCopies(stage, self._copy, self._values, name)
        self._in_shards: list[str] = []
        self._once: list[str] = []
        self._refused: list[NotInShards] = []

    def run(self, axes: Mapping[Tensor, int]) -> tuple[Stage, ShardReport]:
        """The new stage and the report."""
        values = self._values
        for tensor, axis in axes.items():
            values.cut_feed(tensor, axis)
        for op in self._stage.operations:
            states = [values.state(t) for t in op.inputs]
            is_part = [values.is_partial_sum(t) for t in op.inputs]
            if any(is_part) and add_in_shards(op, states, is_part, values, self._copies):
                self._in_shards.append(op.name)
                continue
            for tensor in op.inputs:
                if not values.is_there(tensor) and values.state(tensor) is WHOLE:
                    values.whole(tensor, f"{op.name} reads it")
            if all(state is WHOLE for state in states):
                self._copy.copy(op)
                self._once.append(op.name)
                continue
            refusal = self._run_in_shards(op, states)
            if refusal is not None:
                self._refused.append(NotInShards(op.name, op.origin.place, refusal.why))
                self._run_once(op)
        for tensor in self._stage.fetches:
            values.whole(tensor, "it is fetched")
        self._copy.stage = self._with_pins()
        made = self._copy.finish()
        kept = set(made.operations)
        return made, ShardReport(
            self._name, self._workers, self._sums, in_shards=tuple(self._in_shards), once=tuple(self._once),
            joins=tuple([join for joined, join in values.joins.items() if joined.op in kept]),
            refused=tuple(self._refused),
        )  # fmt: skip

    # ---- one operation --------------------------------------------------------------------------

    def _run_once(self, op: Operation) -> None:
        """Copy an operation with whole inputs."""
        for tensor in op.inputs:
            self._values.whole(tensor, f"{op.name} reads it")
        self._copy.copy(op)

    def _run_in_shards(self, op: Operation, states: Sequence[State]) -> Refused | None:
        """Copy an operation for each shard, or say why not."""
        if self._copies.is_placed(op):
            return Refused(f"it asks for the device {op.device!r}")
        states, distribution = self._asked(op, states)
        if isinstance(distribution, Refused):
            return distribution
        for tensor, result in zip(op.outputs, distribution.results, strict=True):
            why = why_not_combined(result.how, tensor) if isinstance(result, Partial) else None
            if why is not None:
                return Refused(why)
        of_shards = [result for result in distribution.results if isinstance(result, Along | Partial)]
        has_sizes = any(result is SIZES for result in distribution.results)
        if of_shards:
            if has_sizes:
                return Refused("it gives sizes and values at once")
            return self._in_each_shard(op, states, distribution)
        if has_sizes:
            return self._sizes(op, states, distribution)
        if any(isinstance(state, Along) for state in states):
            return self._first_copy(op, states, distribution)
        self._run_once(op)
        self._once.append(op.name)
        return None

    def _asked(self, op: Operation, states: Sequence[State]) -> tuple[Sequence[State], Distributed | Refused]:
        """What the op says; if it refuses whole inputs beside parts, those with the dimension are cut too."""
        found = distribute(op, states, self._name)
        if isinstance(found, Distributed) or not any(isinstance(state, Along) for state in states):
            return states, found
        more: list[State] = []
        for tensor, state in zip(op.inputs, states, strict=True):
            axis = self._values.axis_in(tensor) if state is WHOLE else None
            more.append(state if axis is None else Along(axis))
        again = distribute(op, more, self._name) if more != list(states) else found
        return (more, again) if isinstance(again, Distributed) else (states, found)

    # ---- copies ---------------------------------------------------------------------------------

    def _in_each_shard(self, op: Operation, states: Sequence[State], distribution: Distributed) -> Refused | None:
        """A copy for each shard, and what combines their results."""
        values = self._values
        count = len(self._workers)
        inputs = [self._copies.inputs(op, states, 0, distribution.own_sizes)]
        outputs = self._copies.inferred(op, inputs[0])
        if isinstance(outputs, Refused):
            return outputs
        inputs += [self._copies.inputs(op, states, i, distribution.own_sizes) for i in range(1, count)]
        copies = self._copies.make(op, inputs, outputs)
        self._copies.settle_waits(op, copies)
        self._in_shards.append(op.name)
        cut = next((values.cut_of(t, state) for t, state in zip(op.inputs, states, strict=True)
                    if isinstance(state, Along)), None)  # fmt: skip
        for place, (tensor, result) in enumerate(zip(op.outputs, distribution.results, strict=True)):
            parts = tuple([results[place] for results in copies])
            if isinstance(result, Along):
                values.cut(tensor, result.axis, parts)
                if not self._is_proven(tensor, result.axis, parts[0]):
                    values.whole(tensor, "set_shape says what its sizes are")
                    values.forget_parts(tensor)
            elif isinstance(result, Partial):
                weighed_by, axis = ((), 0) if cut is None else (cut.parts, cut.axis)
                values.combine(tensor, PartialResult(result.how, parts, weighed_by, axis))
            else:
                self._copy.replace(tensor, parts[0], for_good=True)
        return None

    def _is_proven(self, tensor: Tensor, axis: int, part: Tensor) -> bool:
        """Whether the size of a part is known to be the shard's part of the size that the whole is known to have."""
        whole, dims = tensor.shape.raw, part.shape.raw
        if whole is None:
            return True
        size = whole[axis]
        if isinstance(size, Dimension) and not size.is_named:
            return True
        return dims is not None and dims[axis] == self._copies.shapes.first_of(size) != size

    def _first_copy(self, op: Operation, states: Sequence[State], found: Distributed) -> Refused | None:
        """The copy of the first shard serves all."""
        inputs = self._copies.inputs(op, states, 0, found.own_sizes)
        outputs = self._copies.inferred(op, inputs)
        if isinstance(outputs, Refused):
            return outputs
        for tensor, one in zip(op.outputs, self._copies.first(op, inputs, outputs), strict=True):
            self._copy.replace(tensor, one, for_good=True)
        self._once.append(op.name)
        return None

    def _sizes(self, op: Operation, states: Sequence[State], distribution: Distributed) -> Refused | None:
        """A value for each shard, and that of the whole."""
        copy, values = self._copy, self._values
        inputs = [self._copies.inputs(op, states, i, None) for i in range(len(self._workers))]
        outputs = self._copies.inferred(op, inputs[0])
        if isinstance(outputs, Refused):
            return outputs
        copies = self._copies.make(op, inputs, outputs)
        if any(isinstance(state, Along) for state in states) and op.opdef.facts.reads_shape_only:
            stand_ins = [values.stand_in(t, op) for t in op.inputs]
            like = [(t.dtype, t.shape) for t in op.outputs]
            whole = copy.emit(op.opdef, arguments(op, stand_ins), (op,), op.name, like)
            for tensor, one in zip(op.outputs, whole, strict=True):
                copy.replace(tensor, one, for_good=True)
            copy.drop(op, whole[0].op)
        else:
            self._run_once(op)
            whole = tuple([copy.new(t) for t in op.outputs])
        copy.cover([each[0].op for each in (*copies, whole)])
        for place, (tensor, result) in enumerate(zip(op.outputs, distribution.results, strict=True)):
            if result is SIZES:
                values.own(tensor, [results[place] for results in copies])
        self._once.append(op.name)
        return None

    # ---- claims ---------------------------------------------------------------------------------

    def _with_pins(self) -> Stage:
        """The stage without claims about shapes that every shard is known to keep."""
        kept: list[tuple[Tensor, str]] = []
        for tensor, name in zip(self._stage.pinned, self._stage.pinned_names, strict=True):
            state = self._values.state(tensor)
            if isinstance(state, Along):
                part = self._values.cut_of(tensor, state).parts[0]
                if part.shape.raw == tuple([self._copies.shapes.first_of(dim) for dim in tensor.shape.raw or ()]):
                    continue  # of an unknown rank nothing is claimed
            self._values.whole(tensor, "set_shape says what its sizes are")
            kept.append((tensor, name))
        pinned, names = tuple([t for t, _ in kept]), tuple([name for _, name in kept])
        return replace(self._stage, pinned=pinned, pinned_names=names)
