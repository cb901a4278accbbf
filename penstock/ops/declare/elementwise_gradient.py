"""Gradients of elementwise ops, written as formulas in their declarations: `gradient="g * cos(x)"`.

A formula is a Python expression of public ops. In it `g` is the gradient of the result, `out` is the result, and the
operands have the names of the signature. There is one formula for each operand. Where an operand was broadcast, what
its formula gives is summed over the repeated axes.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Sequence
from typing import Any

from ...graph.declare.op_declaration import OpDef
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Dim


def attach_formulas(op: OpDef[Any, Any], formulas: str | Sequence[str], names: Sequence[str]) -> None:
    """Give `op`, whose operands are called `names`, the gradient that `formulas` say; "" says that there is none."""
    texts = [formulas] if isinstance(formulas, str) else list(formulas)
    head = f"lambda {', '.join(names)}, out, g: "
    code = [compile(head + text, f"<gradient of {op.type}>", "eval") if text else None for text in texts]
    built: list[Callable[..., Tensor] | None] = []

    def rule(ops: Any, operation: Operation, g: Tensor) -> list[Callable[[], Tensor] | None]:
        if not built:  # all at once: an interrupt or another thread must not see a part
            built[:] = [
                None if each is None else eval(each, _functions(ops, text, {*names, "out", "g"}))
                for each, text in zip(code, texts, strict=True)
            ]
        return [
            None if formula is None else _step(ops, formula, operation, g, place)
            for place, formula in enumerate(built)
        ]

    op.gradient("; ".join(f"{name}: {text}" for name, text in zip(names, texts, strict=True) if text)
                if len(texts) > 1 else texts[0])(rule)  # fmt: skip


def _functions(ops: Any, formula: str, operands: Collection[str]) -> dict[str, Any]:
    """The functions that a formula calls: its other names."""
    names = {node.id for node in ast.walk(ast.parse(formula, mode="eval")) if isinstance(node, ast.Name)}
    return {name: getattr(ops, name) for name in names.difference(operands)}


def _step(
    ops: Any, formula: Callable[..., Tensor], operation: Operation, g: Tensor, place: int
) -> Callable[[], Tensor]:
    def build() -> Tensor:
        return sum_to_operand(ops, formula(*operation.inputs, operation.outputs[0], g), operation, place)

    return build


def sum_to_operand(ops: Any, g: Tensor, operation: Operation, place: int) -> Tensor:
    """`g`, of the shape of the result of a broadcasting op, summed to the shape of its operand number `place`.

    Where static shapes show which axes were repeated, these are summed, and nothing is built where none was. Otherwise
    the run finds the axes from the shapes of the operands.
    """
    operand, result = operation.inputs[place], operation.outputs[0]
    if len(operation.inputs) == 1:
        return g
    axes = repeated_axes(operand.shape.raw, result.shape.raw)
    if axes is None:
        if len(operation.inputs) > 2:
            shapes = [ops.shape(operand), ops.shape(result)]
            repeated = ops.broadcast_gradient_args(*shapes)[0]
            return ops.reshape(ops.reduce_sum(g, repeated), shapes[0])
        shapes = [ops.shape(each) for each in operation.inputs]
        repeated = ops.broadcast_gradient_args(*shapes)[place]
        return ops.reshape(ops.reduce_sum(g, repeated), shapes[place])
    if not axes:
        return g
    rank, of_result = operand.shape.ndims, result.shape.ndims
    if rank == of_result:
        return ops.reduce_sum(g, axes, True)
    assert rank is not None and of_result is not None
    total: Tensor = ops.reduce_sum(g, axes)
    return total if len(axes) == of_result - rank else ops.reshape(total, ops.shape(operand))


def repeated_axes(given: Sequence[Dim] | None, target: Sequence[Dim] | None) -> list[int] | None:
    """The axes of the shape `target` along which the shape `given` was repeated; None where it is not certain."""
    if given is None or target is None:
        return None
    if given == target:
        return []
    new = len(target) - len(given)
    axes = [*range(new)]
    for place, (dim, of_result) in enumerate(zip(given, target[new:], strict=True), new):
        if dim == 1 and of_result != 1:
            axes.append(place)
        elif dim != of_result:
            return None
    return axes
