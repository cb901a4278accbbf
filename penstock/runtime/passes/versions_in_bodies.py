"""Versions of variables inside bodies: an op whose graphs touch variables gets them as operands and results.

    While([i], body), which adds to w    ->    i, w1 = While([i, w0], body), which gives i + 1 and w + 1

Outside, the op is a read and a write at its place in the order of writes. Inside, each body is a stage of its own that
begins with inputs in the place of the session's values. There are three kinds of them:

    carried     a variable that a body writes: an operand and a result; a loop hands it on from iteration to iteration
    captured    a tensor of the start of the run that a body uses: where the op writes that variable, it stands for the
                carried value, so for the value at the start of an iteration
    asked       a variable that is only read inside, by an op that reads

Where the op stands says in its declaration (`@op.carries`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, Protocol, Self

from ...errors import UseError
from ...graph.common.quick_dataclass import dataclass
from ...graph.common.source_location import Origin
from ...graph.declare.state_slots import StatePlaces
from ...graph.model.append import append_placeholder
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.subgraph import SubGraph, bodies_of
from ...graph.shapes.dtypes import DType, bool_
from ...graph.shapes.shape import TensorShape
from ...ops.state.variable_ops import touched_by
from ..ir.body_stages import body_of, stage_of
from ..ir.stage import Notes, Rebuild, Stage
from .control_edges import without_idle_waits

Kind = Literal["value", "asks", "maybe", "base"]


@dataclass(frozen=True, slots=True)
class Version:
    """What a variable is between two writes.

    Attributes:
        resource: the variable.
        value: its value.
        there: a bool that says whether `value` is one; None if it certainly is.
    """

    resource: str
    value: Tensor
    there: Tensor | None = None


@dataclass(frozen=True, slots=True)
class Declared:
    """What is known of a variable: its dtype, static shape, name and lines."""

    dtype: DType
    shape: TensorShape
    name: str
    origins: tuple[Origin, ...]


class Begin(Protocol):
    """What the variables are when a stage starts."""

    def may_lack(self, resource: str) -> bool:
        """Whether the variable may have no value."""

    def declared(self, resource: str) -> Declared:
        """What is known of the variable."""

    def start(self, copy: Rebuild, resource: str, kind: Kind) -> Tensor:
        """Its value, or whether there is one; "base" for the value that a write starts from."""


class StageVersions(Protocol):
    """The rewriting of the stage that an op stands in: `versions.Versions`."""

    copy: Rebuild
    begin: Begin
    notes: Notes
    stands: dict[Tensor, str | Version]
    writes: dict[str, list[Operation]]

    def inside(self, stage: Stage, begin: Begin) -> Self: ...
    def rewrite(self) -> None: ...
    def version(self, resource: str, number: int) -> Version: ...
    def base(self, resource: str) -> Version: ...
    def count(self, resource: str) -> int: ...
    def seen_by(self, op: Operation, resource: str) -> int: ...
    def seen_by_controls(self, op: Operation, resource: str) -> int: ...
    def wrote(self, resource: str, version: Version, op: Operation) -> None: ...
    def value(self, version: Version, op: Operation) -> Tensor: ...
    def is_there(self, resource: str, number: int, op: Operation) -> Tensor: ...
    def true(self, op: Operation) -> Tensor: ...
    def settle(self, tensors: Sequence[Tensor], op: Operation) -> None: ...


def append_start(copy: Rebuild, declared: Declared, kind: Kind) -> Tensor:
    """A new input of a stage: the value of a variable, or whether there is one."""
    dtype, shape = (bool_, TensorShape(())) if kind == "asks" else (declared.dtype, declared.shape)
    name = declared.name if kind == "value" else f"{declared.name}/{kind}"
    return append_placeholder(copy.graph, dtype, shape, name, declared.origins)


@dataclass(frozen=True, slots=True)
class _Use:
    """How one op that holds graphs uses variables.

    Attributes:
        op: the op.
        places: where it has room for them.
        at: the parameter that is the list of operands.
        carried: the variables that it writes, as they are before.
        dropped: the places of captures that stand for carried variables.
        captured: place of another capture -> the version that it stands for.
    """

    op: Operation
    places: StatePlaces
    at: int
    carried: dict[str, Version]
    dropped: dict[int, str]
    captured: dict[int, Version]


def with_variables(versions: StageVersions, op: Operation) -> None:
    """Add the op that stands for `op`, with the variables that it uses as operands and results."""
    use = _use_of(versions, op)
    if use is None:
        versions.settle(op.inputs, op)
        versions.copy.copy(op)
        return
    operands = op.args[use.at]
    kept = [t for i, t in enumerate(operands) if i not in use.dropped and i not in use.captured]
    versions.settle([*[t for t in op.inputs if not any(t is each for each in operands)], *kept], op)
    bodies = [_Body(versions, use, body) for body in bodies_of(op)]
    asked = list(dict.fromkeys([key for body in bodies for key in body.begin.asked]))
    _replace(versions, use, bodies, asked)


def _use_of(versions: StageVersions, op: Operation) -> _Use | None:
    """How an op uses variables; None if it can stay as it is."""
    read, written = touched_by(op)
    rule = op.opdef.carries_rule
    if rule is None:
        if read or written:
            raise _no_room(op, (*written, *read)[0])
        return None
    places: StatePlaces = rule(*op.args)
    (at,) = {place for _, place in op.opdef.body_operands}
    _check_returning(op, places)
    dropped: dict[int, str] = {}
    captured: dict[int, Version] = {}
    for i, tensor in enumerate(op.args[at]):
        stood = versions.stands.get(tensor) if i >= places.captures else None
        if stood is None:
            continue
        version = stood
        if isinstance(version, str):
            if version in written:
                dropped[i] = version
                continue
            number = versions.seen_by_controls(op, version)
            may_lack = not number and versions.begin.may_lack(version)
            if not number and not may_lack:
                continue
            version = versions.version(version, number)
        captured[i] = version
    if not read and not written and not captured:
        return None
    carried = {resource: versions.base(resource) for resource in written}
    return _Use(op, places, at, carried, dropped, captured)


def _check_returning(op: Operation, places: StatePlaces) -> None:
    """Raise UseError if a body writes a variable that gives no results of its own, such as a condition."""
    for place, body in zip(op.opdef.bodies, bodies_of(op), strict=True):
        if op.opdef.parameters[place] not in places.returning:
            for inner in body.operations:
                for resource in touched_by(inner)[1]:
                    raise UseError(
                        f"{inner.name!r}, {inner.origin.made}, writes the variable {resource!r} in the "
                        f"{op.opdef.parameters[place]} of {op.name!r}, which gives nothing but one bool. Write it in "
                        "the body"
                    )


def _no_room(op: Operation, resource: str) -> UseError:
    return UseError(
        f"{op.name!r} ({op.type}), {op.origin.made}, holds a graph that uses the variable {resource!r}, and the op has "
        "no room for variables: its declaration needs a function under @....carries"
    )


class _Begin:
    """What the variables are when a body starts: its inputs."""

    def __init__(self, outer: StageVersions, use: _Use) -> None:
        self._outer = outer
        self._use = use
        self.carried: dict[str, Version] = {}
        self.asked: dict[tuple[str, Kind], Tensor] = {}

    def may_lack(self, resource: str) -> bool:
        """Whether the variable may have no value."""
        carried = self._use.carried.get(resource)
        if carried is not None:
            return carried.there is not None
        outer, number = self._outer, self._outer.seen_by(self._use.op, resource)
        return outer.version(resource, number).there is not None if number else outer.begin.may_lack(resource)

    def declared(self, resource: str) -> Declared:
        """What is known of the variable."""
        return self._outer.begin.declared(resource)

    def start(self, copy: Rebuild, resource: str, kind: Kind) -> Tensor:
        """The variable's value at the start of the body, or whether there is one."""
        version = self.carried.get(resource)
        if version is not None and kind != "asks":
            return version.value
        if version is not None and version.there is not None:
            return version.there
        if kind == "base":
            kind = "value"
        found = self.asked.get((resource, kind))
        if found is None:
            found = self.asked[resource, kind] = self.input(copy, resource, kind)
        return found

    def input(self, copy: Rebuild, resource: str, kind: Kind) -> Tensor:
        """A new input of the body."""
        return append_start(copy, self.declared(resource), kind)


class _Body:
    """One body of an op, rewritten."""

    def __init__(self, outer: StageVersions, use: _Use, body: SubGraph) -> None:
        self.begin = _Begin(outer, use)
        self._body = body
        self.inner = outer.inside(stage_of(body), self.begin)
        copy = self.inner.copy
        self.carried: list[Tensor] = []
        for resource, before in use.carried.items():
            value = self.begin.input(copy, resource, "value")
            there = None if before.there is None else self.begin.input(copy, resource, "asks")
            self.begin.carried[resource] = Version(resource, value, there)
            self.carried += [value] if there is None else [value, there]
        for i, resource in use.dropped.items():
            self.inner.stands[body.inputs[i]] = resource
        self.flags: list[Tensor] = []
        for i, version in use.captured.items():
            if version.there is not None:
                there = self.begin.input(copy, version.resource, "asks")
                self.inner.stands[body.inputs[i]] = Version(version.resource, body.inputs[i], there)
                self.flags.append(there)
        self.inner.rewrite()

    def rewritten(self, use: _Use, asked: Sequence[tuple[str, Kind]], returns: bool) -> SubGraph:
        """The body with variables as inputs, and as results if it `returns` them."""
        copy, begin, body = self.inner.copy, self.begin, self._body
        news: list[Tensor] = []
        if returns:
            for resource, before in use.carried.items():
                last = self.inner.version(resource, self.inner.count(resource))
                there = last.there
                if before.there is not None and there is None:
                    there = self.inner.true(self.inner.writes[resource][-1])
                news += [last.value] if there is None else [last.value, there]
        made = copy.finish(news)
        count = len(body.outputs)
        results = _inserted(made.fetches[:count], use.places.results, made.fetches[count:])
        kept = [t for i, t in enumerate(body.inputs) if i not in use.dropped]
        inputs = _inserted(kept, _shifted(use), self.carried)
        inputs += [*self.flags, *[begin.start(copy, *key) for key in asked]]
        stage: Stage = replace(made, feeds=tuple(inputs), fetches=tuple(results))
        stage = without_idle_waits(stage) if self.inner.writes else stage
        return replace(body_of(stage, body), captures=())


def _inserted(items: Sequence[Any], at: int, more: Sequence[Any]) -> list[Any]:
    return [*items[:at], *more, *items[at:]]


def _shifted(use: _Use) -> int:
    """The place of carried operands once those that are dropped are gone."""
    return use.places.carried - sum(i < use.places.carried for i in use.dropped)


def _replace(versions: StageVersions, use: _Use, bodies: Sequence[_Body], asked: Sequence[tuple[str, Kind]]) -> None:
    """Add the op with rewritten bodies, and note what it writes."""
    op, copy, places = use.op, versions.copy, use.places
    args = [copy.argument(arg) for arg in op.args]
    operands = [
        use.captured[i].value if i in use.captured else copy.new(t)
        for i, t in enumerate(op.args[use.at]) if i not in use.dropped
    ]  # fmt: skip
    carried: list[Tensor] = []
    news: list[tuple[DType, TensorShape]] = []
    for resource, before in use.carried.items():
        declared = versions.begin.declared(resource)
        carried.append(before.value)
        news.append((declared.dtype, declared.shape))
        if before.there is not None:
            carried.append(before.there)
            news.append((bool_, TensorShape(())))
    operands = _inserted(operands, _shifted(use), carried)
    operands += [version.there for version in use.captured.values() if version.there is not None]
    operands += [_asked(versions, op, resource, kind) for resource, kind in asked]
    args[use.at] = tuple(operands)
    for place, body in zip(op.opdef.bodies, bodies, strict=True):
        args[place] = body.rewritten(use, asked, op.opdef.parameters[place] in places.returning)
    if places.counted:
        args[op.opdef.parameters.index(places.counted)] += len(carried)
    outputs = _inserted([(t.dtype, t.shape) for t in op.outputs], places.results, news)
    made = copy.emit(op.opdef, args, (op,), op.name, outputs)
    at = places.results
    copy.settle(op, [*made[:at], *made[at + len(news) :]], copy.operations[-1])
    results = iter(made[at : at + len(news)])
    for resource, before in use.carried.items():
        value = next(results)
        versions.wrote(resource, Version(resource, value, None if before.there is None else next(results)), op)


def _asked(versions: StageVersions, op: Operation, resource: str, kind: Kind) -> Tensor:
    """What an input of a body stands for that is only read inside."""
    number = versions.count(resource) if resource in touched_by(op)[1] else versions.seen_by(op, resource)
    if kind == "asks":
        return versions.is_there(resource, number, op)
    version = versions.version(resource, number)
    if kind == "value":
        return versions.value(version, op)
    found: Tensor = version.value if number else versions.begin.start(versions.copy, resource, "maybe")
    return found
