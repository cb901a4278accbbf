"""What the ops on matrices share: their dtypes, calls of LAPACK through the array module, square shapes, adjoints."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.common.hooks import hooks
from ...graph.declare.signature import Operand, TensorLike, bits_of
from ...graph.model.nodes import Tensor
from ...graph.shapes.dimension import Dim
from ...graph.shapes.dtypes import complex64, complex128, float32, float64
from ..declare.shape_checks import listed, same_size
from ..index.row_indexing import dims_at_least

Matrices = Annotated[TensorLike, Operand("T", bits_of(float32, float64, complex64, complex128))]


def square_dims(matrices: Tensor, operand: int) -> tuple[Dim, ...] | None:
    """The sizes of square matrices, None for an unknown rank; ShapeError if they are known not to be square."""
    dims = dims_at_least(matrices, 2, operand)
    if dims is None:
        return None
    size = same_size(dims[-2], dims[-1], operand, len(dims) - 1, "The matrices must be square.")
    return (*dims[:-2], size, size)


def by_lapack(xp: Any, function: str, refusal: str, *args: Any, **options: Any) -> Any:
    """A function of `xp.linalg`, on one thread; InvalidArgumentError with these words where it gives up."""
    call: Callable[..., Any] = partial(getattr(xp.linalg, function), **options)
    try:
        return hooks.with_one_thread(call, *args) if xp is np else call(*args)
    except np.linalg.LinAlgError:
        raise InvalidArgumentError(message=refusal) from None


def check_square(array: Any) -> None:
    """InvalidArgumentError unless the array holds square matrices."""
    if array.ndim < 2:
        raise InvalidArgumentError(message=f"Input tensor must have rank >= 2, got shape {listed(array.shape)}")
    if array.shape[-1] != array.shape[-2]:
        raise InvalidArgumentError(message=f"Input matrix must be square, got shape {listed(array.shape)}")


def why_not_square(*operands: Any) -> str | None:
    """The reason why a run may find that the first operand holds no square matrices, or None."""
    dims = operands[0].shape.raw
    square = dims is not None and len(dims) > 1 and dims[-1] == dims[-2]
    return None if square else "whether the matrices are square is not known before the run"
