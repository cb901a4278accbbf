"""Versions of variables: reads and writes become data flow, before any pass.

The writes of one variable that a run needs have one order, that of their creation, in which every write comes after
those with a path to it. The value at the start of the run is version 0, each write makes the next:

    a read          the version of the last write with a path to it, through inputs or control inputs; else version 0
    LatestValue     the version of the last write that was made before it: what an update by an optimizer starts from
    a write         its new value, as ordinary nodes; AssignAdd and its like read the version before
    a holder        an op whose graphs read or write variables: a read and a write at its place: `held_versions`
    version 0       a *state feed*: an input of the plan that the session gives, not the caller
    last version    a fetch that the session keeps

So passes, fusion, live ranges and updates in place see a pure graph, and the order of reads and writes cannot change.

A run needs a value of each variable that it uses. With `may_lack` it begins without, and fails where a value that is
not there is used: a branch may be chosen because a variable has no value, and give it one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import FeedError, InternalError
from ...graph.declare.op_declaration import OpDef
from ...graph.model.nodes import Operation, Tensor
from ...ops.control.control import identity
from ...ops.create.constant_and_placeholder import const
from ...ops.state.uninitialized_variables import checked_value, kept_value
from ...ops.state.variable_ops import value_if_initialized
from ..ir.stage import Notes, Rebuild, Stage, StateFeed
from .control_edges import without_idle_waits
from .last_writes import NONE, holds_state, last_writes, resource_of, writes_among
from .versions_in_bodies import Begin, Declared, Kind, Version, append_start, with_variables

NAME = "versions"
FindOp = Callable[[str], Operation | None]


def with_versions(
    stage: Stage,
    fed: Sequence[Tensor],
    find: FindOp,
    notes: Notes | None = None,
    may_lack: bool = False,
    apart: bool = False,
) -> Stage:
    """The stage without reads and writes of variables; the same stage if it has none.

    Args:
        stage: the first stage.
        fed: the tensors of the user's graph that the caller feeds, in the order of `stage.feeds`.
        find: finds the operation of the user's graph that holds a variable.
        notes: where to note what was done.
        may_lack: whether variables may have no value when the run starts.
        apart: whether the values that writes start from are feeds of their own, of kind "base": see `halves`.

    Raises:
        FeedError: a variable is written and fed.
    """
    if not any(op.opdef.facts.state or (op.opdef.bodies and holds_state(op)) for op in stage.operations):
        return stage
    variables = {
        user.op.args[0]: (user, inside)
        for user, inside in zip(fed, stage.feeds, strict=True)
        if user.op.opdef.facts.state == "holds"
    }
    begin = _StateFeeds(find, {resource: inside for resource, (_, inside) in variables.items()}, may_lack, apart)
    versions = Versions(stage, begin, notes or Notes())
    for resource, writes in versions.writes.items():
        if resource in variables:
            raise _written_and_fed(variables[resource][0], writes[0])
    made = versions.run()
    feeds = begin.feeds
    made = replace(made, feeds=(*made.feeds, *feeds.values()), state=tuple(feeds), written=tuple(versions.writes))
    return without_idle_waits(made) if versions.writes else made


def has_branches_with_variables(operations: Sequence[Operation]) -> bool:
    """Whether some operation may or may not need the value of a variable: see `may_lack`."""
    return any(holds_state(op) or (op.opdef.bodies and _captures_variable(op)) for op in operations)


def _captures_variable(op: Operation) -> bool:
    return any(t.op.opdef.facts.state == "holds" for t in op.inputs)


class _StateFeeds:
    """What a run begins with: inputs that the session gives, or the caller."""

    def __init__(self, find: FindOp, fed: dict[str, Tensor], may_lack: bool, apart: bool) -> None:
        self._find = find
        self._fed = fed
        self._may_lack = may_lack
        self._apart = apart
        self.feeds: dict[StateFeed, Tensor] = {}

    def may_lack(self, resource: str) -> bool:
        """Whether the variable may have no value."""
        return self._may_lack and resource not in self._fed

    def declared(self, resource: str) -> Declared:
        """What is known of the variable."""
        holder = self._find(resource)
        if holder is None or holder.opdef.facts.state != "holds":
            raise InternalError(message=f"there is no variable {resource!r} in the graph")
        return Declared(holder.outputs[0].dtype, holder.outputs[0].shape, holder.name, holder.origins)

    def start(self, copy: Rebuild, resource: str, kind: Kind) -> Tensor:
        """Version 0 of a variable, or whether there is one."""
        if resource in self._fed and kind != "asks":
            return self._fed[resource]
        if kind == "base" and not self._apart:
            kind = "value"
        feed = StateFeed(resource, kind)
        found = self.feeds.get(feed)
        if found is None:
            found = self.feeds[feed] = append_start(copy, self.declared(resource), kind)
        return found


class Versions:
    """The rewriting of one stage: that of a run, or of a body in it.

    Args:
        stage: the stage.
        begin: what the variables are when the stage starts.
        notes: where to note what was done.
    """

    def __init__(self, stage: Stage, begin: Begin, notes: Notes) -> None:
        self.stage = stage = replace(stage, targets=_without_groups(stage))
        self.begin = begin
        self.copy = Rebuild(stage)
        self.writes = writes_among(stage.operations)
        self.notes = notes
        self.stands: dict[Tensor, str | Version] = {}
        """Tensors that stand for variables as they are when the stage starts, or for versions."""
        self._last = last_writes(stage.operations, set(stage.feeds), self.writes) if self.writes else {}
        self._versions: dict[str, list[Version]] = {resource: [] for resource in self.writes}
        self._checked: dict[Version, Tensor] = {}
        self._pinned = frozenset(stage.pinned)

    def inside(self, stage: Stage, begin: Begin) -> Versions:
        """The rewriting of a body."""
        return Versions(stage, begin, self.notes)

    def run(self) -> Stage:
        """The stage in data flow; its last fetches are the values to keep."""
        self.rewrite()
        kept = []
        for resource in self.writes:
            last = self._versions[resource][-1]
            op = self.writes[resource][-1]
            if last.there is None:
                kept.append(last.value)
            else:
                kept.append(self.copy.emit(kept_value, (last.there, last.value), (op,), f"{op.name}/kept")[0])
        return self.copy.finish(kept)

    def rewrite(self) -> None:
        """Make the new operations."""
        copy = self.copy
        for op in self.stage.operations:
            state = op.opdef.facts.state
            if state == "holds":
                copy.drop(op)
                self.stands[op.outputs[0]] = op.args[0]
            elif op.opdef.bodies and op.opdef.lower_rule is None:
                with_variables(self, op)
            else:
                self.settle(op.inputs, op)
                if _is_group(op):
                    copy.drop(op)
                elif not state:
                    copy.copy(op)
                elif state == "writes":
                    self._write(op)
                else:
                    self._read(op)
        for tensor in (*self.stage.fetches, *self.stage.pinned):
            self.settle((tensor,), tensor.op)

    # ---- versions ---------------------------------------------------------------------------

    def version(self, resource: str, number: int) -> Version:
        """The variable after so many writes."""
        if number:
            return self._versions[resource][number - 1]
        start = self.begin.start
        if self.begin.may_lack(resource):
            return Version(resource, start(self.copy, resource, "maybe"), start(self.copy, resource, "asks"))
        return Version(resource, start(self.copy, resource, "value"))

    def base(self, resource: str) -> Version:
        """What the next write of a variable starts from: the version of the last write so far."""
        number = self.count(resource)
        if number or self.begin.may_lack(resource):
            return self.version(resource, number)
        return Version(resource, self.begin.start(self.copy, resource, "base"))

    def count(self, resource: str) -> int:
        """The number of writes so far."""
        return len(self._versions.get(resource, ()))

    def seen_by(self, op: Operation, resource: str) -> int:
        """The number of the last write with a path to an operation."""
        return self._last.get(op, NONE).get(resource, 0)

    def seen_by_controls(self, op: Operation, resource: str) -> int:
        """The number of the last write with a path to a control input of an operation."""
        return max([self.seen_by(control, resource) for control in op.control_inputs], default=0)

    def wrote(self, resource: str, version: Version, op: Operation) -> None:
        """Note the version that a write has made."""
        self._versions[resource].append(version)
        self.notes.applied(NAME, op.name, action=f"writes {resource}")

    def value(self, version: Version, op: Operation) -> Tensor:
        """The value of a version, for `op`; the run fails there if the variable has none."""
        if version.there is None:
            return version.value
        found = self._checked.get(version)
        if found is None:
            args = version.there, version.value, version.resource
            found = self.copy.emit(checked_value, args, (op,), f"{op.name}/{version.resource}", controls=())[0]
            self._checked[version] = found
        return found

    def is_there(self, resource: str, number: int, op: Operation) -> Tensor:
        """Whether the variable has a value after so many writes."""
        if not number:
            return self.begin.start(self.copy, resource, "asks")
        there = self._versions[resource][number - 1].there
        return self.true(op) if there is None else there

    def true(self, op: Operation) -> Tensor:
        """A constant, in the place of `op`."""
        return self.copy.emit(const, (np.array(True),), (op,), f"{op.name}/written", controls=())[0]

    def settle(self, tensors: Sequence[Tensor], op: Operation) -> None:
        """Put values in the place of tensors that stand for variables, for `op`, which uses them."""
        if not self.stands:
            return
        for tensor in tensors:
            stood = self.stands.get(tensor)
            if stood is not None and self.copy.new(tensor) is tensor:
                version = self.version(stood, 0) if isinstance(stood, str) else stood
                self.copy.replace(tensor, self._as_claimed(tensor, self.value(version, op)), for_good=True)

    def _as_claimed(self, tensor: Tensor, value: Tensor) -> Tensor:
        """What takes the place of a tensor; with the shape of a `set_shape`, which the run compares with its value."""
        if tensor not in self._pinned:
            return value
        claimed = ((tensor.dtype, tensor.shape),)
        return self.copy.emit(identity, (value,), (tensor.op,), outputs=claimed, controls=())[0]

    # ---- operations -------------------------------------------------------------------------

    def _write(self, op: Operation) -> None:
        """Put the new value in the place of a write."""
        rule = op.opdef.write_rule
        if rule is None:
            raise InternalError(message=f"{op.type} writes a variable, and has no rule for its value")
        resource = resource_of(op)
        before = self.value(self.base(resource), op) if op.opdef.write_reads else None
        self.wrote(resource, Version(resource, self._emitting(op, rule, before)), op)

    def _read(self, op: Operation) -> None:
        """Put the tensor of a version in the place of a read, or the answer in the place of a question."""
        resource = resource_of(op)
        state = op.opdef.facts.state
        if state == "follows":
            written = self.count(resource)  # operations come in the order in which they were made
        else:
            written = self.seen_by(op, resource)
        copy = self.copy
        if state == "asks":
            tensor = self.is_there(resource, written, op)
        elif op.inputs and not (written and self.version(resource, written).there is None):
            # what stands for a value that is missing
            maybe = self.version(resource, written).value if written else self.begin.start(copy, resource, "maybe")
            args = self.is_there(resource, written, op), maybe, copy.new(op.inputs[0])
            tensor = copy.emit(value_if_initialized, args, (op,), f"{op.name}/chosen", controls=())[0]
        else:
            version = self.base(resource) if state == "follows" else self.version(resource, written)
            tensor = self.value(version, op)
        copy.drop(op)
        read = op.outputs[0]
        shape = read.shape if read in self._pinned else tensor.shape
        replacement = copy.emit(identity, (tensor,), (op,), outputs=((read.dtype, shape),), controls=())[0]
        copy.replace(read, replacement, for_good=True)
        seen = f"as {self.writes[resource][written - 1].name} leaves it" if written else "as it is at the start"
        self.notes.applied(NAME, op.name, action=f"reads {resource} {seen}")

    def _emitting(self, op: Operation, rule: Callable[..., Any], before: Tensor | None) -> Tensor:
        """The value that a write makes; its nodes stand where the write stood, the last one under its name."""
        copy = self.copy
        emit = _Emitter(copy, op)
        value = rule(emit, before, *[copy.argument(arg) for arg in op.args])
        value, result = value if isinstance(value, tuple) else (value, value)
        if result.op in emit.made:
            result.op.name = op.name
        elif op.control_inputs:
            value = result = emit(identity, result)
            result.op.name = op.name
        copy.drop(op, result.op)
        copy.replace(op.outputs[0], self._as_claimed(op.outputs[0], result), for_good=True)
        found: Tensor = value
        return found


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


def _without_groups(stage: Stage) -> tuple[Operation, ...]:
    """The targets without writes, whose values are fetched, and with the members of groups in the place of these."""
    targets: dict[Operation, None] = {}
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
            targets[op] = None
    return tuple(targets)


def _is_group(op: Operation) -> bool:
    """True for a NoOp, which only waits for others."""
    return not op.outputs and not op.inputs and op.opdef.is_pure


def _written_and_fed(fed: Tensor, write: Operation) -> FeedError:
    origin = write.origin
    return FeedError(
        f"{fed.name} is fed, and the run writes that variable: {write.name!r}, {origin.made}  {origin.code}\n"
        "  A fed value stands for the variable in one run only, so there is nothing to write to. Leave the feed out, "
        "or load the value first: variable.load(value, session)."
    )
