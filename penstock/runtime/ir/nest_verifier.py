"""The rules of a nest, checked on each one that is made: what breaks them is a defect here, not of the user's graph."""

from __future__ import annotations

from .fused_ir import Value
from .nest_ir import ELEMENT, ROW, Load, Nest, RowReduction
from .scalar_ir import ScalarStep


class InvalidNest(AssertionError):
    """A nest breaks a rule."""


def verify_nest(nest: Nest) -> None:
    """Do nothing if the nest is sound.

    Raises:
        InvalidNest: a value is read before it is made; a reduction is over an axis that its operand has not, or of
            another dtype; a result has fewer axes than what is stored there, or is stored twice; an axis is unknown.
    """
    for k, node in enumerate(nest.nodes):
        for a in nest.operands_of(k):
            if isinstance(a, Value) and a >= k:
                raise InvalidNest(f"%{k} reads {a}, which comes later")
        if isinstance(node, Load) and node.axes not in ("", ROW, ELEMENT, ROW + ELEMENT):
            raise InvalidNest(f"%{k} has the axes {node.axes!r}")
        if isinstance(node, Load) and node.at is not None and (node.axes != ROW or not _is_loaded(nest, node.at)):
            raise InvalidNest(f"%{k} reads an element that no number of the row says")
    axes = nest.axes()
    for k, node in enumerate(nest.nodes):
        if isinstance(node, RowReduction):
            if node.axis not in axes[node.value]:
                raise InvalidNest(f"%{k} reduces {node.value} over {node.axis}, an axis that it does not have")
            if nest.dtype_of(node.value) is not node.dtype:
                raise InvalidNest(f"%{k} reduces {nest.dtype_of(node.value).name} in {node.dtype.name}")
        if isinstance(node, ScalarStep) and node.primitive.startswith("reduce"):
            raise InvalidNest(f"%{k} is a reduction written as a step")
    stored = [store.result for store in nest.stores]
    if sorted(stored) != list(range(len(stored))):
        raise InvalidNest(f"the results {stored} are not stored once each")
    for store in nest.stores:
        missing = set(axes[store.value]) - set(store.axes) if isinstance(store.value, Value) else set()
        if missing:
            raise InvalidNest(f"y{store.result}[{store.axes}] is stored for each {', '.join(sorted(missing))}")


def _is_loaded(nest: Nest, operand: int) -> bool:
    """True if the nest loads an operand that has one int for each row."""
    return any(isinstance(node, Load) and node.operand == operand and node.at is None and node.axes == ROW
               and node.dtype.is_integer for node in nest.nodes)  # fmt: skip
