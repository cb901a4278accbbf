"""Versions of variables: reads and writes become data flow, before any pass.

The writes of one variable that a run needs have one order, that of their creation, in which every write comes after
those with a path to it. The value at the start of the run is version 0, each write makes the next:

    a read          the version of the last write with a path to it, through inputs or control inputs; else version 0
    LatestValue     the version of the last write that was made before it: what an update by an optimizer starts from
    a write         its new value, as ordinary nodes; AssignAdd and its like read the version before
    version 0       a *state feed*: an input of the plan that the session gives, not the caller
    last version    a fetch that the session keeps

So passes, fusion, live ranges and updates in place see a pure graph, and the order of reads and writes cannot change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ...errors import FeedError, InternalError
from ...graph.append import append_placeholder
from ...graph.dtypes import DType, bool_
from ...graph.nodes import Operation, Tensor
from ...graph.op_declaration import OpDef
from ...graph.shape import TensorShape
from ...ops.constant_and_placeholder import const
from ...ops.control import identity
from ...ops.variable_ops import value_if_initialized
from ..ir.stage import Notes, Rebuild, Stage, StateFeed
from .control_edges import without_idle_waits

NAME = "versions"
FindOp = Callable[[str], Operation | None]


def with_versions(stage: Stage, fed: Sequence[Tensor], find: FindOp, notes: Notes | None = None) -> Stage:
    """The stage without reads and writes of variables; the same stage if it has none.

    Args:
        stage: the first stage.
        fed: the tensors of the user's graph that the caller feeds, in the order of `stage.feeds`.
        find: finds the operation of the user's graph that holds a variable.
        notes: where to note what was done.

    Raises:
        FeedError: a variable is written and fed.
    """
    touching = [op for op in stage.operations if op.opdef.facts.state]
    if not touching:
        return stage
    return _Versions(stage, fed, find, touching, notes or Notes()).run()


class _Versions:
    """The rewriting of one stage."""

    def __init__(
        self, stage: Stage, fed: Sequence[Tensor], find: FindOp, touching: Sequence[Operation], notes: Notes
    ) -> None:
        self._stage = stage = replace(stage, targets=_without_groups(stage))
        self._find = find
        self._notes = notes
        self._copy = Rebuild(stage)
        self._fed = {
            user.op.args[0]: (user, inside)
            for user, inside in zip(fed, stage.feeds, strict=True)
            if user.op.opdef.facts.state == "holds"
        }
        self._writes: dict[str, list[Operation]] = {}
        for op in touching:
            if op.opdef.facts.state == "writes":
                self._writes.setdefault(resource_of(op), []).append(op)
        reading = [op for op in touching if op.opdef.facts.state in ("reads", "asks")]
        self._last = last_writes(stage, self._writes) if any(resource_of(op) in self._writes for op in reading) else {}
        self._versions: dict[str, list[Tensor]] = {resource: [] for resource in self._writes}
        self._starts: dict[StateFeed, Tensor] = {}

    def run(self) -> Stage:
        """The stage in data flow."""
        for resource, writes in self._writes.items():
            if resource in self._fed:
                raise _written_and_fed(self._fed[resource][0], writes[0])
        copy = self._copy
        for op in self._stage.operations:
            state = op.opdef.facts.state
            if _is_group(op):
                copy.drop(op)
            elif not state:
                copy.copy(op)
            elif state == "writes":
                self._write(op)
            elif state == "holds":
                copy.drop(op)
                copy.replace(op.outputs[0], self._start(op.args[0]), for_good=True)
            else:
                self._read(op)
        made = copy.finish([each[-1] for each in self._versions.values()])
        state_feeds = tuple(self._starts)
        written = tuple(resource for resource in self._versions)
        made = replace(
            made,
            feeds=(*made.feeds, *self._starts.values()),
            state=state_feeds,
            written=written,
        )
        return without_idle_waits(made) if written else made

    def _write(self, op: Operation) -> None:
        """Put the new value in the place of a write."""
        rule = op.opdef.write_rule
        if rule is None:
            raise InternalError(message=f"{op.type} writes a variable, and has no rule for its value")
        resource = resource_of(op)
        versions = self._versions[resource]
        before = None
        if op.opdef.write_reads:
            before = versions[-1] if versions else self._start(resource)
        value = self._emitting(op, rule, before)
        versions.append(value)
        self._notes.applied(NAME, op.name)

    def _read(self, op: Operation) -> None:
        """Put the tensor of a version in the place of a read, or the answer in the place of a question."""
        resource = resource_of(op)
        if op.opdef.facts.state == "follows":
            written = len(self._versions.get(resource, ()))  # operations come in the order in which they were made
        else:
            written = self._last.get(op, _NONE).get(resource, 0)
        copy = self._copy
        if op.opdef.facts.state == "asks":
            given = self._emit_const(op, True) if written else self._start(resource, "asks")
        elif written:
            given = self._versions[resource][written - 1]
        elif op.inputs:  # what stands for a value that is missing
            args = self._start(resource, "asks"), self._start(resource, "maybe"), copy.new(op.inputs[0])
            given = copy.emit(value_if_initialized, args, (op,), f"{op.name}/chosen", controls=())[0]
        else:
            given = self._start(resource)
        copy.drop(op)
        copy.replace(op.outputs[0], copy.emit(identity, (given,), (op,), controls=())[0], for_good=True)
        self._notes.applied(NAME, op.name)

    def _emit_const(self, op: Operation, value: bool) -> Tensor:
        return self._copy.emit(const, (np.array(value),), (op,), f"{op.name}/written", controls=())[0]

    def _emitting(self, op: Operation, rule: Callable[..., Any], before: Tensor | None) -> Tensor:
        """The value that a write makes; its nodes stand where the write stood, the last one under its name."""
        copy = self._copy
        emit = _Emitter(copy, op)
        value = rule(emit, before, *[copy.argument(arg) for arg in op.args])
        value, result = value if isinstance(value, tuple) else (value, value)
        if result.op in emit.made:
            result.op.name = op.name
        elif op.control_inputs:
            value = result = emit(identity, result)
            result.op.name = op.name
        copy.drop(op, result.op)
        copy.replace(op.outputs[0], result, for_good=True)
        found: Tensor = value
        return found

    def _start(self, resource: str, kind: Literal["value", "asks", "maybe"] = "value") -> Tensor:
        """Version 0 of a variable, or whether there is one."""
        if resource in self._fed and kind != "asks":
            return self._fed[resource][1]
        feed = StateFeed(resource, kind)
        found = self._starts.get(feed)
        if found is None:
            dtype, shape, holder = self._declared(resource)
            if kind == "asks":
                dtype, shape = bool_, TensorShape(())
            name = holder.name if kind == "value" else f"{holder.name}/{kind}"
            found = self._starts[feed] = append_placeholder(self._copy.graph, dtype, shape, name, holder.origins)
        return found

    def _declared(self, resource: str) -> tuple[DType, TensorShape, Operation]:
        holder = self._find(resource)
        if holder is None or holder.opdef.facts.state != "holds":
            raise InternalError(message=f"there is no variable {resource!r} in the graph")
        return holder.outputs[0].dtype, holder.outputs[0].shape, holder


class _Emitter:
    """Adds nodes in the place of one write."""

    def __init__(self, copy: Rebuild, op: Operation) -> None:
        self._copy = copy
        self._op = op
        self.made: list[Operation] = []

    def __call__(self, opdef: OpDef[Any, Any], *args: Any) -> Tensor:
        return self.several(opdef, *args)[0]

    def several(self, opdef: OpDef[Any, Any], *args: Any) -> tuple[Tensor, ...]:
        outputs = self._copy.emit(opdef, args, (self._op,), f"{self._op.name}/{opdef.type}")
        self.made.append(outputs[0].op)
        return outputs


def resource_of(op: Operation) -> str:
    """The variable that an operation reads or writes."""
    name: str = op.args[op.opdef.parameters.index("resource")]
    return name


def _without_groups(stage: Stage) -> tuple[Operation, ...]:
    """The targets without writes, whose values are fetched, and with the members of groups in the place of these."""
    found: dict[Operation, None] = {}
    seen: set[Operation] = set()
    runs = set(stage.operations)  # what is fed does not
    waiting = list(reversed(stage.targets))
    while waiting:
        op = waiting.pop()
        if op in seen:
            continue
        seen.add(op)
        if _is_group(op):
            waiting += reversed(op.control_inputs)
        elif op.opdef.facts.state != "writes" and op in runs:
            found[op] = None
    return tuple(found)


def _is_group(op: Operation) -> bool:
    """True for a NoOp, which only waits for others."""
    return not op.outputs and not op.inputs and op.opdef.is_pure


_NONE: dict[str, int] = {}


def last_writes(stage: Stage, writes: dict[str, list[Operation]]) -> dict[Operation, dict[str, int]]:
    """For each operation the last write of each variable with a path to it, counted from 1 in the order of writes."""
    number = {op: i for each in writes.values() for i, op in enumerate(each, 1)}
    fed = set(stage.feeds)
    found: dict[Operation, dict[str, int]] = {}
    for op in stage.operations:
        sources: dict[int, dict[str, int]] = {}
        for tensor in op.inputs:
            if tensor not in fed:
                above = found.get(tensor.op, _NONE)
                if above:
                    sources[id(above)] = above
        for control in op.control_inputs:
            above = found.get(control, _NONE)
            if above:
                sources[id(above)] = above
        if not sources and op not in number:
            continue
        if len(sources) == 1 and op not in number:  # the usual case shares the table
            (found[op],) = sources.values()
            continue
        merged: dict[str, int] = {}
        for above in sources.values():
            for resource, last in above.items():
                merged[resource] = max(last, merged.get(resource, 0))
        if op in number:
            merged[resource_of(op)] = number[op]
        found[op] = merged
    return found


def _written_and_fed(fed: Tensor, write: Operation) -> FeedError:
    origin = write.origin
    return FeedError(
        f"{fed.name} is fed, and the run writes that variable: {write.name!r}, {origin.made}  {origin.code}\n"
        "  A fed value stands for the variable in one run only, so there is nothing to write to. Leave the feed out, "
        "or load the value first: variable.load(value, session)."
    )
