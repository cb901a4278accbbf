"""What the launch and the source of a nest need to know of it."""

from __future__ import annotations

import numpy as np

from ...graph.shapes.dtypes import DType
from ..ir.fused_ir import Value
from ..ir.nest_ir import ELEMENT, Load, Nest, RowReduction
from ..ir.scalar_ir import CannotLower, Literal, ScalarStep
from .c_primitives import constant_operand, fails_at_zero


def used_loads(nest: Nest, places: int | None = None) -> list[int]:
    """The loads that something reads. places: the operand that is computed, not read: the places in a row."""
    read = {a for v in range(len(nest.nodes)) for a in nest.operands_of(v)} | {store.value for store in nest.stores}
    return [k for k, node in enumerate(nest.nodes) if isinstance(node, Load) and k in read and node.operand != places]


def reductions_of(nest: Nest) -> list[int]:
    """The values that are reductions."""
    return [v for v, node in enumerate(nest.nodes) if isinstance(node, RowReduction)]


def has_one_level(nest: Nest) -> bool:
    """True if no element is computed or stored once a total is known, so that blocks may share a row."""
    level, axes = nest.levels(), nest.axes()
    late = [ELEMENT in axes[v] for v in range(len(nest.nodes)) if level[v]]
    late += [ELEMENT in store.axes for store in nest.stores if isinstance(store.value, Value) and level[store.value]]
    return not any(late) and max(level) <= 1


def may_fail(nest: Nest, safe: frozenset[int]) -> bool:
    """Whether an int may be divided by zero. safe: operands without a zero."""
    return any(may_fail_at(nest, node, safe) for node in nest.nodes if isinstance(node, ScalarStep))


def may_fail_at(nest: Nest, step: ScalarStep, safe: frozenset[int]) -> bool:
    """Whether a step may divide an int by zero."""
    if not fails_at_zero(step, tuple([nest.dtype_of(a) for a in step.args])):
        return False
    divisor = step.args[1]
    if isinstance(divisor, Literal):
        return bool(divisor.value == 0)
    node = nest.nodes[divisor]
    return not (isinstance(node, Load) and node.operand in safe)


def first_total(ufunc: str, dtype: DType) -> str:
    """The value with which a reduction begins, in C.

    Raises:
        CannotLower: it has no neutral element.
    """
    function = getattr(np, ufunc)
    if function in (np.maximum, np.minimum) and not dtype.is_bool and not dtype.is_complex:
        ends = (-np.inf, np.inf) if dtype.is_floating else (dtype.min, dtype.max)
        value = ends[function is np.minimum]
    else:
        value = function.identity  # a sum of negative zeros is 0.0, as NumPy's
    if value is None or dtype.is_complex:
        raise CannotLower(f"{ufunc} of {dtype.name} has no number to begin with")
    return str(constant_operand(Literal(dtype, np.asarray(value, dtype.np).tobytes())))
