"""Constant folding: a node all of whose inputs are constants is computed once, during planning.

Law: a pure op gives the same result every time, so its result can replace the node. A constant is never larger than its
inputs plus 1 MiB; a larger one would bloat the plan. A node whose computation fails is kept, so that only the run that
needs it reports the error.

Folding is done twice. The first time, before the rewrite rules, makes no large constants: a number that is broadcast to
a matrix costs nothing while it can move into a fused group, and a pass over memory once it is a constant (129 us
instead of 66 for a product of 250,000 elements). The second time, after the rules, folds what these have left.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...graph.common.float_errors import unwarned
from ...graph.declare.effects import effects_of
from ...graph.declare.op_declaration import OPS
from ...graph.model.nodes import Operation
from ..ir.stage import Notes, Rebuild, Stage

ALLOWANCE = 1 << 20
"""The bytes by which a constant may exceed its inputs."""
FIRST_ALLOWANCE = 4 << 10
"""The same before the rewrite rules."""
KernelFor = Callable[[Operation], Callable[..., Any]]
"""(an operation) -> the function of its input arrays that a run would call: a folded constant has the bits of a run."""


class Fold:
    """Replace nodes that depend only on constants, or on fully known shapes, by constants."""

    name = "fold"

    def __init__(self, kernel_for: KernelFor, allowance: int = ALLOWANCE) -> None:
        self._kernel_for = kernel_for
        self._allowance = allowance

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
            values = self._computed(made, notes)
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

    def _computed(self, op: Operation, notes: Notes) -> list[Any] | None:
        """The results of a node; None if it is kept."""
        opdef = op.opdef
        if opdef.facts.reads_shape_only:
            arrays = [np.broadcast_to(np.zeros((), t.dtype.np), _sizes(t.shape.raw)) for t in op.inputs]
        else:
            arrays = [t.op.args[0] for t in op.inputs]
        inputs = sum(a.nbytes for a in arrays)
        predicted = sum((t.shape.num_elements() or 0) * t.dtype.size for t in op.outputs)
        if predicted > inputs + self._allowance:
            if predicted > inputs + ALLOWANCE:
                reason = f"the constant would take {predicted} bytes, its inputs take {inputs}"
                notes.refused(self.name, op.name, reason)
            return None
        try:
            result = unwarned(self._kernel_for(op), *arrays)
        except Exception as error:  # the run will raise it again, with the name of the node
            notes.refused(self.name, op.name, f"computing it fails: {error}")
            return None
        is_list = opdef.returns in ("list", "tuple") and isinstance(result, (list, tuple))
        results = list(result) if is_list else [result]
        if opdef.calls_user_code and not _is_as_promised(results, op):
            notes.refused(self.name, op.name, "the kernel breaks a promise of the op; the run reports it")
            return None
        if sum(np.asarray(r).nbytes for r in results) > inputs + ALLOWANCE:
            notes.refused(self.name, op.name, "the constant would be larger than its inputs plus 1 MiB")
            return None
        return [_constant(r, t.dtype.np) for r, t in zip(results, op.outputs, strict=True)]


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


def _is_as_promised(results: list[Any], op: Operation) -> bool:
    """Whether the results of a kernel from outside are arrays as the op's declaration and its shape rule say."""
    if len(results) != len(op.outputs) or any(each is None or isinstance(each, (list, tuple)) for each in results):
        return False
    pairs = list(zip(results, op.outputs, strict=True))
    return all(
        t.shape.is_compatible_with(np.shape(each))
        and (not isinstance(each, np.ndarray) or each.dtype == t.dtype.np or t.dtype.is_string)
        for each, t in pairs
    )


def _constant(result: Any, dtype: Any) -> Any:
    array = np.empty(np.shape(result) if dtype.kind != "O" or isinstance(result, np.ndarray) else (), dtype)
    array[...] = result
    array.flags.writeable = False
    return array


def _sizes(dims: Any) -> tuple[int, ...]:
    return tuple(int(d) for d in dims)
