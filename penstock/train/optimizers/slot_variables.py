"""Slots: the variables that an optimizer or an average keeps for each variable, called "w/Adam", "w/Adam_1" ..."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ...derivatives import rule_namespace as ops
from ...graph.common.weak_table import WeakTable
from ...graph.model.default_graph import outermost
from ...graph.model.nodes import Graph, Tensor
from ...graph.shapes.dtypes import DType
from ...variables.variable import Variable
from ...variables.variable_scope_object import current_scope

_LABELS: WeakTable[Graph, dict[str, str]] = WeakTable()


def note_label(made: Variable, label: str) -> None:
    """Remember what an optimizer calls a slot: "v" for "w/Adam_1"."""
    _LABELS.setdefault(made.graph, {})[made.op.name] = label


def slot_labels(graph: Graph) -> Mapping[str, str]:
    """What optimizers call the slots of a graph, by the names of the slots; a graph from a file has none."""
    return _LABELS.get(graph) or {}


def slot(primary: Variable | Tensor, value: Callable[[], Any], name: str, is_static: bool) -> Variable:
    """A variable that belongs to another one, or to a tensor. It is not trained.

    Args:
        primary: the variable or tensor.
        value: makes the initial value.
        name: the slot is called "primary/name", inside the variable scope that is open; a number is added if there is
            such a name. Reuse does not matter: a slot is always new.
        is_static: whether the shape stays that of the initial value.
    """
    graph = primary.graph
    scope = current_scope(outermost(graph)).name
    full = f"{scope}/{primary.op.name}/{name}" if scope else f"{primary.op.name}/{name}"
    with graph.as_default(), graph.name_scope(None), graph.colocate_with(primary):
        made = Variable(value, trainable=False, validate_shape=is_static, name=full)
    info = primary.save_slice_info if isinstance(primary, Variable) else None
    if info is not None:  # the slots of parts are parts too
        own = made.op.name.removeprefix(f"{primary.op.name}/")
        made._set_save_slice_info(replace(info, full_name=f"{info.full_name}/{own}"))
    return made


def filled_slot(primary: Variable | Tensor, number: Any, name: str, dtype: DType | None = None) -> Variable:
    """A slot of the shape of `primary` that begins with one number everywhere."""
    kind = primary.dtype if dtype is None else dtype
    shape = primary.get_shape()

    def static() -> Tensor:
        return ops.fill(shape.as_list(), ops.constant(number, kind))

    def like_the_primary() -> Tensor:
        like = primary.initialized_value() if isinstance(primary, Variable) else primary
        return ops.fill(ops.shape(like), ops.constant(number, kind))

    is_static = shape.is_fully_defined()
    return slot(primary, static if is_static else like_the_primary, name, is_static)
