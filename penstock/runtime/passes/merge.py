"""Common subexpression elimination: two nodes that compute the same value become one.

Law: a pure op with the same inputs and the same attributes gives the same result. Ops with effects and nodes with
control inputs are never merged. A merged node keeps the origins of both. Constants are equal if they hold the same
bits, and graphs inside ops are equal attributes if they have the same structure. A few duplicates of tiny values in a
large graph are kept, because a merge copies every node behind it.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from ...graph.declare.effects import effects_of
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.subgraph import SubGraph
from ..ir.stage import Notes, Rebuild, Stage
from .fusion_groups import is_tiny

_BIGGEST_CONSTANT = 1 << 16
"""Bytes; larger constants are compared by identity, because hashing them costs more than it saves."""

_SHARE = 256
"""Nothing is merged if this many nodes would be copied for each tiny duplicate."""


class Merge:
    """Merge common subexpressions."""

    name = "merge"

    def run(self, stage: Stage, notes: Notes) -> Stage:
        """The stage in which each pure computation is done once."""
        duplicates = _duplicates(stage)
        if duplicates and _copies_too_much(stage, duplicates):
            for op, first in duplicates.items():
                notes.refused(self.name, op.name, f"every node behind it would be copied to merge it with {first.name}")
            return stage
        if not duplicates:
            return stage
        others: dict[Operation, list[Operation]] = {}
        for op, first in duplicates.items():
            others.setdefault(first, []).append(op)
        copy = Rebuild(stage)
        for op in stage.operations:
            if op not in duplicates:
                copy.copy(op, also=others.get(op, ()))
                continue
            first = copy.new(duplicates[op].outputs[0]).op
            notes.applied(self.name, op.name, first.name)
            copy.settle(op, first.outputs, first)
        return copy.finish()


def _duplicates(stage: Stage) -> dict[Operation, Operation]:
    """Each pure operation that repeats an earlier one -> that one."""
    pinned = set(stage.pinned)
    found: dict[Hashable, Operation] = {}
    duplicates: dict[Operation, Operation] = {}
    stands: dict[Tensor, Tensor] = {}
    for op in stage.operations:
        key = _key(op, stands)
        if key is None or not pinned.isdisjoint(op.outputs):
            continue
        first = found.setdefault(key, op)
        if first is not op:
            duplicates[op] = first
            stands.update(zip(op.outputs, first.outputs, strict=True))
    return duplicates


def _copies_too_much(stage: Stage, duplicates: Mapping[Operation, Operation]) -> bool:
    """True if merging would copy many nodes to save a few tiny values.

    A tiny value costs a run 20 ns; a copied node costs planning 3 us. A random graph of 100,000 nodes on four numbers,
    of which one in 1000 is a duplicate, is planned in three quarters of the time without merging.
    """
    if len(stage.operations) < _SHARE * len(duplicates):
        return False
    behind = len(stage.operations) - stage.operations.index(next(iter(duplicates)))
    return behind > _SHARE * len(duplicates) and all(op.opdef.facts.elementwise and is_tiny(op) for op in duplicates)


def _key(op: Operation, stands: Mapping[Tensor, Tensor]) -> Hashable | None:
    opdef = op.opdef
    if op.control_inputs or not op.outputs or not (opdef.is_pure or effects_of(op).may_merge):
        return None
    if opdef.is_plain:
        # Static shapes may differ: both are true of one value. Dtypes cannot differ, since the inputs decide them.
        inputs = tuple([stands.get(t, t) for t in op.inputs]) if stands else op.inputs
        return (opdef.type, op.device, inputs)
    return (opdef.type, op.device, tuple([_plain(a, stands) for a in op.args]))


def _structure(body: SubGraph) -> Hashable:
    """A key for what a graph inside an op computes, independent of names: equal graphs have equal keys."""
    numbers: dict[Any, Any] = {tensor: _Number(i) for i, tensor in enumerate(body.inputs)}
    rows: list[Hashable] = []
    for op in body.operations:
        controls = tuple([numbers[c] for c in op.control_inputs])
        rows.append((op.type, op.device, tuple([_plain(a, numbers) for a in op.args]), controls))
        numbers[op] = _Number(len(numbers))
        numbers.update({tensor: _Number(len(numbers) + i) for i, tensor in enumerate(op.outputs)})
    ends = tuple([numbers[t] for t in body.outputs]), tuple([numbers[op] for op in body.targets])
    claims = tuple([(numbers[t], str(t.shape)) for t in body.pinned])
    return (len(body.inputs), tuple([t.dtype.name for t in body.inputs]), tuple(rows), ends, claims)


class _Number(int):
    """The number of a tensor or operation inside a graph; no attribute compares equal to it."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return other.__class__ is _Number and int(self) == int(other)

    __hash__ = int.__hash__


def _plain(arg: Any, stands: Mapping[Tensor, Tensor]) -> Hashable:
    if isinstance(arg, np.ndarray):
        if arg.nbytes > _BIGGEST_CONSTANT:
            return id(arg)
        content = arg.tobytes() if arg.dtype != object else tuple(arg.reshape(-1).tolist())
        return (arg.dtype.str, arg.shape, content)
    if isinstance(arg, (tuple, list)):
        return tuple(_plain(a, stands) for a in arg)
    if isinstance(arg, Tensor):
        return stands.get(arg, arg)
    if arg.__class__ is SubGraph:
        return _structure(arg)
    # 1, 1.0 and True are equal and hash alike, as are 0.0 and -0.0, but they are not the same attribute.
    return (type(arg).__name__, arg.hex() if isinstance(arg, float) else arg)
