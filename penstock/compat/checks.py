"""Checks of arguments of TensorFlow 1.x's functions before they reach an op."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import Tensor, convert_to_tensor
from ..errors import DTypeError, ShapeError, ValueRuleError
from ..graph.building.constant_evaluation import known_int, known_vector
from ..graph.building.convert import first_tensor
from ..graph.declare.signature import as_int
from ..graph.shapes.literal import literal


def one_of(old: str, old_value: Any, new: str, new_value: Any) -> Any:
    """The value given under either name of an argument; ValueError if under both."""
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueRuleError(f"Cannot specify both '{old}' and '{new}'.")
    return old_value


def one_int(parameter: str, value: Any) -> int:
    """A Python int given for `parameter`."""
    try:
        return as_int(value)
    except DTypeError as error:
        raise DTypeError(f"{parameter} {error.message}") from None


def is_scalar(value: Any) -> bool:
    """True for what is known to be a single value."""
    if isinstance(value, (list, tuple)):
        return False
    tensor = first_tensor(value)
    return np.ndim(value) == 0 if tensor is None else tensor.shape.ndims == 0


def known_ints(parameter: str, value: Any) -> list[int]:
    """The ints of a Python value, or of a tensor whose value is known."""
    if first_tensor(value) is None:  # a constant for it would be an unused node
        array = literal(value)
        entries = array.reshape(-1).tolist() if array.ndim < 2 and array.dtype.kind in "iu" else None
    else:
        tensor = convert_to_tensor(value)
        found = known_vector(tensor) if tensor.shape.ndims == 1 else (known_int(tensor),)
        entries = None if found is None or not tensor.dtype.is_integer else list(found)
    if entries is None or not all(isinstance(e, int) for e in entries):
        raise DTypeError(f"{parameter} must be ints that are known when the graph is built, not {value!r}; "
                         "tf.slice takes begins and sizes that only the run knows")  # fmt: skip
    return [e for e in entries if isinstance(e, int)]


def place(axis: int, tensor: Tensor, what: str) -> int:
    """`axis` counted from the front."""
    rank = tensor.shape.ndims
    if rank is None:
        raise ShapeError(f"the rank of {tensor.name!r} must be known; give it with t.set_shape", attempt=what)
    in_range(axis, rank, what)
    return axis % rank


def in_range(axis: int, rank: int, what: str) -> None:
    """ValueError unless `axis` is a dimension of that rank."""
    if not -rank <= axis < rank:
        raise ShapeError(f"Argument `axis` = {axis} not in range [{-rank}, {rank})", attempt=what)
