"""Constant folding: a node all of whose inputs are constants is computed once, during planning.

Law: a pure op gives the same result every time, so its result can replace the node. A constant is never larger than its
inputs plus 1 MiB; a larger one would bloat the plan. A node whose computation fails is kept, so that only the run that
needs it reports the error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...graph.effects import effects_of
from ...graph.float_errors import unwarned
from ...graph.nodes import Operation
from ...graph.op_declaration import OPS
from ..ir.stage import Notes, Rebuild, Stage

ALLOWANCE = 1 << 20
KernelFor = Callable[[Operation], Callable[..., Any]]
"""(an operation) -> the function of its input arrays that a run would call: a folded constant has the bits of a run."""


class Fold:
    """Replace nodes that depend only on constants, or on fully known shapes, by constants."""

    name = "fold"

    def __init__(self, kernel_for: KernelFor) -> None:
        self._kernel_for = kernel_for

    def run(self, stage: Stage, notes: Notes) -> Stage:
        """The stage with computed nodes replaced by constants."""
        if not any(_may_fold(op) for op in stage.operations):
            return stage
        copy = Rebuild(stage)
        pinned = set(stage.pinned)
        changed = False
        for op in stage.operations:
            made = copy.copy(op)
            if not _may_fold(made) or not pinned.isdisjoint(op.outputs):
                continue
            values = _computed(made, notes, self._kernel_for)
            if values is None:
                continue
            changed = True
            notes.applied(self.name, op.name)
            copy.operations.pop()
            for i, (old, value) in enumerate(zip(op.outputs, values, strict=True)):
                name = op.name if len(values) == 1 else f"{op.name}.{i}"
                (constant,) = copy.emit(OPS["Const"], (value,), (op,), name)
                copy.replace(old, constant)
            copy.drop(op)
        return copy.finish() if changed else stage


def _may_fold(op: Operation) -> bool:
    opdef = op.opdef
    if opdef.facts.is_constant or op.control_inputs or not op.outputs:
        return False
    if not (opdef.is_pure or effects_of(op).may_fold):
        return False
    if opdef.facts.reads_shape_only:
        return all(t.shape.is_known for t in op.inputs)
    for tensor in op.inputs:  # noqa: SIM110  # every node comes here: 0.1 us, a generator takes 0.4
        if not tensor.op.opdef.facts.is_constant:
            return False
    return True


def _computed(op: Operation, notes: Notes, kernel_for: KernelFor) -> list[Any] | None:
    opdef = op.opdef
    if opdef.facts.reads_shape_only:
        arrays = [np.broadcast_to(np.zeros((), t.dtype.np), _sizes(t.shape.raw)) for t in op.inputs]
    else:
        arrays = [t.op.args[0] for t in op.inputs]
    limit = sum(a.nbytes for a in arrays) + ALLOWANCE
    predicted = sum((t.shape.num_elements() or 0) * t.dtype.size for t in op.outputs)
    if predicted > limit:
        inputs = limit - ALLOWANCE
        notes.refused("fold", op.name, f"the constant would take {predicted} bytes, its inputs take {inputs}")
        return None
    try:
        result = unwarned(kernel_for(op), *arrays)
    except Exception as error:  # the run will raise it again, with the name of the node
        notes.refused("fold", op.name, f"computing it fails: {error}")
        return None
    results = list(result) if opdef.returns in ("list", "tuple") else [result]
    if sum(np.asarray(r).nbytes for r in results) > limit:
        notes.refused("fold", op.name, "the constant would be larger than its inputs plus 1 MiB")
        return None
    return [_constant(r, t.dtype.np) for r, t in zip(results, op.outputs, strict=True)]


def _constant(result: Any, dtype: Any) -> Any:
    array = np.empty(np.shape(result) if dtype.kind != "O" or isinstance(result, np.ndarray) else (), dtype)
    array[...] = result
    array.flags.writeable = False
    return array


def _sizes(dims: Any) -> tuple[int, ...]:
    return tuple(int(d) for d in dims)
