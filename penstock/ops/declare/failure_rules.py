"""Whether a run may or will refuse operands: functions that several `fails` and `mistake` rules share.

The functions for `fails` judge by static shapes and give None where every run accepts the operands, and else the
reason, as `graph.building.may_fail` wants it. Those for `mistake` let the kernels' own checks look at constants.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...errors import InvalidArgumentError
from ...graph.building.constant_evaluation import known_value, known_vector
from ...graph.model.nodes import Tensor
from ..index.row_indexing import check_range
from .shape_checks import least


def never(*args: Any) -> None:
    """The rule of ops that never fail in a run."""


def why_shapes_may_differ(values: Sequence[Tensor], along: int | None = None) -> str | None:
    """None if all have one shape in every run, apart from dimension `along`."""
    first = values[0].shape.raw
    for value in values[1:]:
        dims = value.shape.raw
        if dims is None or first is None or _without(dims, along) != _without(first, along):
            return "whether the values have one shape is not known before the run"
    return None


def _without(dims: tuple[Any, ...], along: int | None) -> tuple[Any, ...]:
    return dims if along is None else (*dims[:along], *dims[along + 1 :])


def why_rows_may_be_missing(params: Tensor, indices: Tensor) -> str | None:
    """None if `indices` are rows of `params` in every run."""
    dims = least_dims(params)
    return why_refused(check_range, "indices", indices, dims[0] if dims else None)


def why_refused(check: Callable[..., Any], *args: Any) -> str | None:
    """None if a kernel's check accepts `args`, tensors being known values, in every run; else why it may not."""
    known = [known_value(each) if isinstance(each, Tensor) else each for each in args]
    if any(each is None for each in known):
        return "a value or a shape is not known before the run"
    error = refusal(check, *known)
    return None if error is None else f"a run may end in: {error}"


def least_dims(tensor: Tensor) -> list[int] | None:
    """The smallest sizes that `tensor` can have; None for unknown rank."""
    dims = tensor.shape.raw
    return None if dims is None else [least(dim) for dim in dims]


def why_sizes_are_open(dims: Tensor, value: Tensor) -> str | None:
    """None if every entry of `dims` is known to be a size, and `value` to be a scalar."""
    entries = known_vector(dims)
    known = entries is not None and all(each is not None for each in entries) and value.shape.ndims == 0
    return None if known else "a size is not known before the run"


# ---- mistakes ----------------------------------------------------------------------------------


def constant_of(tensor: Tensor) -> Any:
    """The value of a constant; None for a computed tensor, whose value is not checked while building."""
    return tensor.op.args[0] if tensor.op.opdef.facts.is_constant else None


def refusal(check: Callable[..., Any], *args: Any) -> str | None:
    """The error that a kernel's check of `args` ends in; None if it accepts, or if some argument is not known.

    A tensor stands for its value if it is a constant; otherwise, as None, it is not known.
    """
    known = [constant_of(each) if isinstance(each, Tensor) else each for each in args]
    if any(each is None for each in known):
        return None
    try:
        check(*known)
    except InvalidArgumentError as error:
        return error.message
    return None


def why_rows_are_missing(params: Tensor, indices: Tensor) -> str | None:
    """The first constant index that is not a row of `params`, as a reason; None if the rows have no elements."""
    dims = params.shape.raw
    if not dims or not isinstance(dims[0], int) or 0 in dims[1:]:
        return None
    return refusal(check_range, "indices", indices, dims[0])
