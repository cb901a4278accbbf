"""The types of tensors as text: `float32 (batch, 3)`, those of several outputs, and labels of outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from types import MappingProxyType
from typing import Any

from ...graph.shapes.dtypes import variant
from .nested_graphs import is_loop, output_names

_SHOWN_OUTPUTS = 3
_SHOWN_NAMED = 4
_ARRAY = "TensorArray"
_DTYPE = "dtype"
NO_OPERANDS: Mapping[str, Any] = MappingProxyType({})


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


def _handed_on(tensor: Any) -> Any:
    """The variant among the inputs of an operation that becomes `tensor`; None where it begins."""
    variants = [each for each in tensor.op.inputs if each.dtype is variant]
    if not variants:
        return None
    place = tensor.value_index
    inputs = tensor.op.inputs
    is_same = is_loop(tensor.op) and place < len(inputs) and inputs[place].dtype is variant
    return inputs[place] if is_same else variants[0]


def _array_text(tensor: Any) -> str:
    """"TensorArray of float32" at the operation that makes it."""
    opdef = getattr(tensor.op, "opdef", None)
    names = () if opdef is None else [attribute.name for _, attribute in opdef.attrs]
    dtype = tensor.op.get_attr(_DTYPE) if _DTYPE in names else variant
    return _ARRAY if dtype is variant else f"{_ARRAY} of {dtype.name}"


class TypeTexts:
    """The types of the tensors of one graph; each is computed once, because many tensors share one shape.

    silent: the names of operations whose results have types that say nothing.
    operands: what inner tensors stand for, by their names.
    """

    def __init__(self, silent: Set[str] = frozenset(), operands: Mapping[str, Any] = NO_OPERANDS) -> None:
        self.silent = silent
        self._operands = operands
        # By the ids of dtype and shape. Both are kept too, so their ids are not reused.
        self._texts: dict[tuple[int, int], tuple[object, object, str]] = {}
        self._labels: dict[str, list[str]] = {}
        self._arrays: dict[str, str] = {}

    def of(self, tensor: Any) -> str:
        """The type of a tensor as text; "" of a result that is silent."""
        if self.silent and tensor.op.name in self.silent:
            return ""
        dtype, shape = tensor.dtype, tensor.shape
        if dtype is variant:
            return self._held(tensor)
        found = self._texts.get((id(dtype), id(shape)))
        if found is None:
            found = self._texts[id(dtype), id(shape)] = dtype, shape, type_text(tensor)
        return found[2]

    def _held(self, tensor: Any) -> str:
        """What a variant holds: the elements of a TensorArray, whose dtype the op tells that made it.

        A write, a loop or a branch that hands it on gives the same one.
        """
        way: list[str] = []
        while tensor.name not in self._arrays and tensor.name not in way:
            way.append(tensor.name)
            before = self._operands[tensor.name] if tensor.name in self._operands else _handed_on(tensor)
            if before is None:
                self._arrays[tensor.name] = _array_text(tensor)
            else:
                tensor = before
        text = self._arrays.setdefault(tensor.name, _ARRAY)
        self._arrays.update(dict.fromkeys(way, text))
        return text

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
