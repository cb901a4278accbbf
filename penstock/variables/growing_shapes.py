"""`assign(validate_shape=False)` for a variable of known shape: its sizes become unknown, and what follows from them.

TensorFlow looked at the sizes of such a variable in the run only. Here plans rely on static shapes, so the shapes of
the nodes that read the variable are derived again.
"""

from __future__ import annotations

from typing import Any

from ..errors import ShapeError, UseError
from ..graph.building.builder import infer
from ..graph.model.nodes import Operation, Tensor
from ..graph.shapes.shape import TensorShape, merge_shapes
from .variable import Variable


def let_grow(variable: Variable, value: Tensor) -> None:
    """Forgets the sizes of a variable that `value`, which is written without a check, may change.

    Raises:
        UseError: the graph of a loop, branch or function reads the variable, or a node needs its sizes.
    """
    graph = variable.graph
    shape = _common(variable.shape, value.shape)
    if shape == variable.shape:
        return
    changed: dict[Tensor, TensorShape] = {}
    for op in graph.get_operations():
        args = op.args
        if _is_of(op, variable):
            args = tuple([shape if isinstance(each, TensorShape) else each for each in op.args])
        elif not any(each in changed for each in op.inputs):
            continue
        if op.opdef.bodies:
            raise _refused(variable, op)
        graph.journal.note(setattr, op, "args", op.args)
        op.args = args
        try:
            _, outputs = infer(op.opdef, list(args))
        except (ShapeError, ValueError, TypeError):
            raise _refused(variable, op) from None
        for tensor, (_, again) in zip(op.outputs, outputs, strict=True):
            again = merge_shapes(again, tensor.shape) if tensor in graph.pinned else again
            if again != tensor.shape:
                graph.journal.note(setattr, tensor, "_shape", tensor.shape)
                tensor._shape = changed[tensor] = again
    graph.known_values.clear()
    graph.known_entries.clear()
    for cache in graph.planned_by:
        cache.forget()


def _is_of(op: Operation, variable: Variable) -> bool:
    """Whether it holds, reads or writes the variable, with its shape among its arguments."""
    args: tuple[Any, ...] = op.args
    names = [each for each in args if isinstance(each, str)]
    return variable.resource in names and any(isinstance(each, TensorShape) for each in args)


def _common(shape: TensorShape, value: TensorShape) -> TensorShape:
    """What two shapes have in common: sizes that differ, or that one of them does not know, are unknown."""
    if shape.ndims is None or shape.ndims != value.ndims:
        return TensorShape(None)
    return TensorShape([a if a == b else None for a, b in zip(shape.as_list(), value.as_list(), strict=True)])


def _refused(variable: Variable, op: Operation) -> UseError:
    return UseError(f"assign(validate_shape=False): {op.name!r} ({op.type}) relies on the shape {variable.shape} of "
                    f"{variable.resource!r}; a variable that grows is tf.Variable(value, validate_shape=False)")
