"""Merge: two nodes that compute the same thing become one.

Law: a pure op with the same inputs and the same attributes gives the same result. Never ops with effects, never nodes
with control inputs; a merged node keeps the origins of both. Constants merge when they hold the same bits.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from ...graph.effects import effects_of
from ...graph.operation import Operation, Tensor
from ..stage import Notes, Rebuild, Stage

_BIGGEST_CONSTANT = 1 << 16
"""Bytes; larger constants are compared by identity alone: hashing them costs more than it saves."""


class Merge:
    """Common subexpressions."""

    name = "merge"

    def run(self, stage: Stage, notes: Notes) -> Stage:
        """The stage with each pure computation done once."""
        twins = _twins(stage)
        if not twins:
            return stage
        others: dict[Operation, list[Operation]] = {}
        for op, first in twins.items():
            others.setdefault(first, []).append(op)
        copy = Rebuild(stage)
        for op in stage.operations:
            if op not in twins:
                copy.copy(op, also=others.get(op, ()))
                continue
            first = copy.new(twins[op].outputs[0]).op
            notes.applied(self.name, op.name, first.name)
            copy.drop(op, first)
            for old, new in zip(op.outputs, first.outputs, strict=True):
                copy.replace(old, new)
        return copy.finish()


def _twins(stage: Stage) -> dict[Operation, Operation]:
    """Each pure operation that was computed before, with the one that did."""
    pinned = set(stage.pinned)
    found: dict[Hashable, Operation] = {}
    twins: dict[Operation, Operation] = {}
    stands: dict[Tensor, Tensor] = {}
    for op in stage.operations:
        key = _key(op, stands)
        if key is None or not pinned.isdisjoint(op.outputs):
            continue
        first = found.setdefault(key, op)
        if first is not op:
            twins[op] = first
            stands.update(zip(op.outputs, first.outputs, strict=True))
    return twins


def _key(op: Operation, stands: Mapping[Tensor, Tensor]) -> Hashable | None:
    opdef = op.opdef
    if op.control_inputs or not op.outputs or not (opdef.is_pure or effects_of(op).may_merge):
        return None
    if opdef.is_plain:
        # Different static knowledge of one value is no obstacle, different dtypes cannot be: inputs decide them.
        inputs = tuple([stands.get(t, t) for t in op.inputs]) if stands else op.inputs
        return (opdef.type, op.device, inputs)
    return (opdef.type, op.device, tuple([_plain(a, stands) for a in op.args]))


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
    # 1, 1.0 and True are equal and hash alike, as are 0.0 and -0.0, but they are not the same attribute.
    return (type(arg).__name__, arg.hex() if isinstance(arg, float) else arg)
