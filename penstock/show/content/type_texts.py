"""The types of tensors as text: `float32 (batch, 3)`, those of several outputs, and labels of outputs."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

from .nested_graphs import output_names

_SHOWN_OUTPUTS = 3
_SHOWN_NAMED = 4


def type_text(tensor: Any) -> str:
    """The type of a tensor as it is printed everywhere: `float32 (batch, 3)`."""
    return f"{tensor.dtype.name} {tensor.shape}"


def outputs_text(types: Sequence[str], names: Sequence[str] = (), origins: Sequence[str] = ()) -> list[str]:
    """The types of outputs, one a line: numbered if there are several, told once if they are equal and have no names.

    origins: what gives the first ones, such as the next values of loop variables.

    >>> outputs_text(["float32 (3,)"]), outputs_text(["int32 ()"] * 2), outputs_text(["int32 ()", "bool ()"])
    (['float32 (3,)'], ['2 outputs: int32 ()'], [':0 int32 ()', ':1 bool ()'])
    >>> outputs_text(["int32 ()"] * 2, ["i", "total"])
    [':0 i: int32 ()', ':1 total: int32 ()']
    >>> outputs_text(["int32 ()"] * 2, ["i", "iterations"], ["add"])
    [':0 i: int32 () from add', ':1 iterations: int32 ()']
    """
    if len(types) < 2:
        return list(types)
    if len(set(types)) == 1 and not names:
        return [f"{len(types)} outputs: {types[0]}"]
    called = [f"{name}: " for name in names] or [""] * len(types)
    shown = _SHOWN_NAMED if names else _SHOWN_OUTPUTS
    after = [f" from {name}" for name in origins] + [""] * len(types)
    lines = [f":{number} {called[number]}{each}{after[number]}" for number, each in enumerate(types[:shown])]
    more = len(types) - shown
    return [*lines, f"and {more} more output{'s' if more > 1 else ''}"] if more > 0 else lines


def output_labels(types: Sequence[str], names: Sequence[str] = ()) -> list[str]:
    """The labels of the arrows of several outputs: the number of each, with its type if the box does not show that.

    >>> output_labels(["int32 ()"] * 2), output_labels(["int32 ()", "bool ()", "int32 ()", "bool ()"])
    ([':0', ':1'], [':0', ':1', ':2', ':3 bool ()'])
    """
    if names:
        return [f":{number} {name}" for number, name in enumerate(names)]
    shown = len(types) if len(set(types)) == 1 else _SHOWN_OUTPUTS
    return [f":{number}" if number < shown else f":{number} {each}" for number, each in enumerate(types)]


class TypeTexts:
    """The types of the tensors of one graph; each is computed once, because many tensors share one shape.

    silent: the names of operations whose results have types that say nothing.
    """

    def __init__(self, silent: Set[str] = frozenset()) -> None:
        self.silent = silent
        # By the ids of dtype and shape. Both are kept too, so their ids are not reused.
        self._texts: dict[tuple[int, int], tuple[object, object, str]] = {}
        self._labels: dict[str, list[str]] = {}

    def of(self, tensor: Any) -> str:
        """The type of a tensor as text; "" of a result that is silent."""
        if self.silent and tensor.op.name in self.silent:
            return ""
        dtype, shape = tensor.dtype, tensor.shape
        found = self._texts.get((id(dtype), id(shape)))
        if found is None:
            found = self._texts[id(dtype), id(shape)] = dtype, shape, type_text(tensor)
        return found[2]

    def label(self, tensor: Any) -> str:
        """The label of an arrow that carries a tensor: which of several outputs of its operation it is."""
        op = tensor.op
        if len(op.outputs) < 2:
            return ""
        labels = self._labels.get(op.name)
        if labels is None:
            labels = self._labels[op.name] = output_labels([self.of(each) for each in op.outputs], output_names(op))
        index: int = tensor.value_index
        return labels[index]
