"""A nest computed with NumPy on whole arrays: the definition of its bits, with which tests compare its code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.graph.shapes.dtypes import DType
from penstock.ops.declare.reduction_order import BLOCK
from penstock.runtime.ir.nest_ir import ELEMENT, ROW, Load, Nest, RowReduction
from penstock.runtime.ir.scalar_ir import Argument, Literal, ScalarStep


def by_numpy(nest: Nest, operands: Sequence[Any], rows: int, count: int) -> list[Any]:
    """The results of a nest.

    Args:
        nest: the nest.
        operands: its operands; one with the axes i and j as an array of shape (rows, count), with i (rows,), with j
            (count,), with none ().
        rows: the number of rows.
        count: the elements of a row.

    Returns:
        Arrays of such shapes.
    """
    values: list[Any] = []

    def value(argument: Argument) -> Any:
        return argument.value if isinstance(argument, Literal) else values[argument]

    for node in nest.nodes:
        if isinstance(node, Load):
            source = operands[node.operand]
            if node.at is not None:
                result = np.take_along_axis(source, operands[node.at].reshape(rows, 1), 1)
            else:
                result = source.reshape(rows if ROW in node.axes else 1, count if ELEMENT in node.axes else 1)
        elif isinstance(node, RowReduction):
            operand = np.ascontiguousarray(np.broadcast_to(values[node.value], (values[node.value].shape[0], count)))
            result = _reduced(getattr(np, node.ufunc), operand, node.dtype)
        else:
            result = stepped(node, [value(a) for a in node.args])
        values.append(result)
    sizes = {ROW: rows, ELEMENT: count}
    results = []
    for store in nest.stores:
        full = [rows, count] if ELEMENT in store.axes else [rows, 1]
        result = np.broadcast_to(np.asarray(value(store.value)), full)
        results.append(result.reshape([sizes[axis] for axis in store.axes]).copy())
    return results


def _reduced(ufunc: Any, rows: Any, dtype: DType) -> Any:
    """Each row reduced in the order of `ops.declare.reduction_order`: block by block, and then the blocks' results."""
    made = [
        ufunc.reduce(rows[:, k : k + BLOCK], axis=1, dtype=dtype.np, keepdims=True)
        for k in range(0, rows.shape[1], BLOCK)
    ]
    return made[0] if len(made) == 1 else ufunc.reduce(np.hstack(made), axis=1, dtype=dtype.np, keepdims=True)


def stepped(step: ScalarStep, args: Sequence[Any]) -> Any:
    """The result of a step on arrays."""
    if step.primitive == "astype":
        return np.asarray(args[0]).astype(step.dtype.np)
    if step.primitive == "complex":
        return np.asarray(args[0] + 1j * np.asarray(args[1])).astype(step.dtype.np)
    if step.primitive in ("real", "imag"):
        return getattr(args[0], step.primitive)
    function = np.where if step.primitive == "where" else getattr(np, step.primitive)
    return _as(step.dtype, function(*args))


def _as(dtype: DType, value: Any) -> Any:
    return np.asarray(value, dtype.np)
