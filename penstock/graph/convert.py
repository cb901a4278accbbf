"""How does an argument become a tensor?

A tensor stays itself; a list that holds tensors becomes a `pack`; anything else becomes a constant by the rules of
`literal`. The two ops needed for this are looked up in the registry: this layer knows none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import BuildError, DTypeError
from .dtypes import DType, of_numpy
from .hooks import hooks
from .literal import literal
from .operation import Tensor
from .origin import user_origins
from .shape import TensorShape, shape_of

if TYPE_CHECKING:
    from .graph import Graph


def first_tensor(value: Any) -> Tensor | None:
    """`value` if it is a tensor, else the first one inside nested lists."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, (list, tuple)):
        for item in value:
            if isinstance(item, (list, tuple, Tensor)):
                found = first_tensor(item)
                if found is not None:
                    return found
    return None


def convert(
    graph: Graph, value: Any, dtype: DType | None, prefer: DType | None, name: str, label: str = "value"
) -> Tensor:
    """`value` as a tensor of `graph`, of `dtype` if one is given; `prefer` is the dtype of an empty list.

    Raises:
        BuildError: the value is no tensor, number, bool, string or list of these, or not of that dtype.
    """
    if value.__class__ is Tensor:
        return value
    if isinstance(value, (list, tuple)):
        found = first_tensor(value)
        if found is not None:
            return _pack(graph, value, dtype or found.dtype, name)
        if prefer is not None and dtype is None and not value:
            dtype = prefer
    try:
        array = literal(value, dtype)
    except BuildError as error:
        where = f"passed to parameter '{label}'"
        if error.message.startswith("Expected ") and ", but got " in error.message:
            error.retell(error.message.replace(", but got ", f" {where}, but got ", 1))
        else:
            error.retell(f"{label}: {error.message}")
        error.message = str(error)
        raise
    return constant_node(graph, array, name)


def _pack(graph: Graph, values: Any, dtype: DType, name: str) -> Tensor:
    parts = [convert(graph, v, dtype, None, f"{name}{i}/") for i, v in enumerate(values)]
    for part in parts:
        if part.dtype is not dtype:
            raise DTypeError(f"{part.name!r} is {part.dtype.name} in a list whose first tensor is {dtype.name}; "
                             "operands must share one dtype")  # fmt: skip
    packed: Tensor = hooks.operators["pack"](parts, name=name)
    return packed


def constant_node(graph: Graph, array: Any, name: str) -> Tensor:
    """A `Const` node that holds `array`, which nobody else may write."""
    graph.check_open()
    dtype = of_numpy(array.dtype)
    shape = shape_of(array.shape) if array.ndim else _SCALAR
    op = graph.append(hooks.operators["constant"], (array,), (), ((dtype, shape),), graph.claim(name), user_origins())
    return op.outputs[0]


_SCALAR = TensorShape(())
