"""Merge: two nodes that compute the same thing become one.

Law: a pure op with the same inputs and the same attributes gives the same result. Never stateful or random ops, never
nodes with control inputs; a merged node keeps the origins of both. Constants merge when they hold the same bits.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from ...graph.operation import Operation, Tensor
from ..stage import Notes, Rebuild, Stage

_BIGGEST_CONSTANT = 1 << 16
"""Bytes; larger constants are compared by identity alone: hashing them costs more than it saves."""


class Merge:
    """Common subexpressions."""

    name = "merge"

    def run(self, stage: Stage, notes: Notes) -> Stage:
        """The stage with each pure computation done once."""
        if not _has_twins(stage):
            return stage
        found: dict[Hashable, Operation] = {}
        copy = Rebuild(stage)
        pinned = set(stage.pinned)
        changed = False
        for op in stage.operations:
            made = copy.copy(op)
            key = _key(made)
            if key is None or not pinned.isdisjoint(op.outputs):
                continue
            first = found.setdefault(key, made)
            if first is made:
                continue
            copy.operations.pop()
            changed = True
            notes.applied(self.name, f"{op.name} with {first.name}")
            copy.drop(op)
            for old, new in zip(op.outputs, first.outputs, strict=True):
                copy.replace(old, new)
        return copy.finish() if changed else stage


def _has_twins(stage: Stage) -> bool:
    """True if some pure computation may occur twice: a cheap look that spares most graphs the rebuilding."""
    seen: set[Hashable] = set()
    for op in stage.operations:
        key = _key(op)
        if key is not None:
            if key in seen:
                return True
            seen.add(key)
    return False


def _key(op: Operation) -> Hashable | None:
    opdef = op.opdef
    if not opdef.pure or opdef.stateful or op.control_inputs or not op.outputs:
        return None
    if opdef.is_plain:
        # Different static knowledge of one value is no obstacle, different dtypes cannot be: inputs decide them.
        return (opdef.type, op.device, op.inputs)
    return (opdef.type, op.device, tuple([_plain(a) for a in op.args]))


def _plain(arg: Any) -> Hashable:
    if isinstance(arg, np.ndarray):
        if arg.nbytes > _BIGGEST_CONSTANT:
            return id(arg)
        content = arg.tobytes() if arg.dtype != object else tuple(arg.reshape(-1).tolist())
        return (arg.dtype.str, arg.shape, content)
    if isinstance(arg, (tuple, list)):
        return tuple(_plain(a) for a in arg)
    if isinstance(arg, Tensor):
        return arg
    # 1, 1.0 and True are equal and hash alike, as are 0.0 and -0.0, but they are not the same attribute.
    return (type(arg).__name__, arg.hex() if isinstance(arg, float) else arg)
