"""The random ops that give floats and ints of a shape: what TensorFlow calls RandomUniform, RandomUniformInt,
RandomStandardNormal and TruncatedNormal.

A random op has effects on a resource of its own, the place in its stream of random blocks (`ops.random.philox`). So it
is never computed while building, folded, merged or left out, and each run gives new numbers. The session keeps the
place by the name of the node, and the kernel gets it as a `Position`; how far the stream moves is the `draws` rule,
which is TensorFlow's: 256 blocks for each number.

The public functions are in `ops.random.random_api`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, TypeAlias

import numpy as np

from ...errors import DTypeError, InvalidArgumentError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import INT32_64, Attr, HostIndex, Int, Operand, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import DType, as_dtype, bfloat16, float16, float32, float64
from ...graph.shapes.shape import TensorShape
from ..declare.shape_checks import possible, product, require_one, shape_given_by, sizes_of
from . import random_kernels
from .philox import Position

FLOAT_DTYPES: Final = (float16, bfloat16, float32, float64)
FLOAT_NAMES: Final = ", ".join(dtype.name for dtype in FLOAT_DTYPES)


def _float_dtype(value: Any) -> DType:
    dtype = as_dtype(value)
    if dtype not in FLOAT_DTYPES:
        raise DTypeError(f"must be one of {FLOAT_NAMES}, not {dtype}")
    return dtype


FloatDType: TypeAlias = Annotated[DType | str | type | np.dtype[Any], Attr(_float_dtype)]
Bound: TypeAlias = Annotated[TensorLike, Operand("Tout", INT32_64, host=True)]


@op(
    "RandomUniform", graphdef="seed seed2 T=shape dtype", out="dtype", host_only=True, fresh=True,
    flops=random_kernels.UNIFORM_FLOPS,
)  # fmt: skip
def random_uniform_op(
    shape: HostIndex, dtype: FloatDType = float32, seed: Int = 0, seed2: Int = 0, name: str | None = None
) -> Tensor:
    """The op behind `random_uniform`: floats in [0, 1)."""


@op(
    "RandomUniformInt", called="random_uniform", graphdef="seed seed2 T=shape Tout=minval", out="Tout", host_only=True,
    fresh=True, ranks={"minval": 0, "maxval": 0}, flops=random_kernels.UNIFORM_FLOPS,
)  # fmt: skip
def random_uniform_int_op(
    shape: HostIndex, minval: Bound, maxval: Bound, seed: Int = 0, seed2: Int = 0, name: str | None = None
) -> Tensor:
    """The op behind `random_uniform` of ints: ints in [minval, maxval)."""


@op(
    "RandomStandardNormal", graphdef="seed seed2 T=shape dtype", out="dtype", host_only=True, fresh=True,
    flops=random_kernels.NORMAL_FLOPS,
)  # fmt: skip
def random_normal_op(
    shape: HostIndex, dtype: FloatDType = float32, seed: Int = 0, seed2: Int = 0, name: str | None = None
) -> Tensor:
    """The op behind `random_normal`: normal floats of mean 0 and deviation 1."""


@op(
    "TruncatedNormal", graphdef="seed seed2 T=shape dtype", out="dtype", host_only=True, fresh=True,
    flops=random_kernels.TRUNCATED_FLOPS,
)  # fmt: skip
def truncated_normal_op(
    shape: HostIndex, dtype: FloatDType = float32, seed: Int = 0, seed2: Int = 0, name: str | None = None
) -> Tensor:
    """The op behind `truncated_normal`: normal floats of mean 0 and deviation 1, in (-2, 2)."""


@random_uniform_op.shape
@random_normal_op.shape
@truncated_normal_op.shape
def random_uniform_op_shape(shape: Tensor, dtype: DType, seed: int, seed2: int) -> TensorShape:
    return shape_given_by(shape, "shape")


@random_uniform_int_op.shape
def random_uniform_int_op_shape(shape: Tensor, minval: Tensor, maxval: Tensor, seed: int, seed2: int) -> TensorShape:
    return shape_given_by(shape, "shape")


def _sizes(shape: Any, dtype: DType) -> Sequence[int]:
    return possible(sizes_of(shape), dtype.size)


@random_uniform_op.draws
@random_normal_op.draws
@truncated_normal_op.draws
def random_uniform_op_draws(shape: Any, dtype: DType, seed: int, seed2: int) -> int:
    return product(_sizes(shape, dtype)) * random_kernels.RESERVED


@random_uniform_int_op.draws
def random_uniform_int_op_draws(shape: Any, minval: Any, maxval: Any, seed: int, seed2: int) -> int:
    return product(bounded_sizes(shape, minval, maxval)) * random_kernels.RESERVED


def bounded_sizes(shape: Any, minval: Any, maxval: Any) -> Sequence[int]:
    """The sizes of the result.

    Raises:
        InvalidArgumentError: a bound is no scalar; or there are numbers to draw, and none between the bounds.
    """
    sizes = possible(sizes_of(shape), minval.dtype.itemsize)
    require_one(minval, "minval")
    require_one(maxval, "maxval")
    if product(sizes) and not minval < maxval:
        raise InvalidArgumentError(message=f"Need minval < maxval, got {minval} >= {maxval}")
    return sizes


@random_uniform_op.kernel
def random_uniform_op_kernel(xp: Any, at: Position, shape: Any, dtype: DType, seed: int, seed2: int) -> Any:
    sizes = sizes_of(shape)
    return random_kernels.uniform(at, product(sizes), dtype).reshape(sizes)


@random_uniform_int_op.kernel
def random_uniform_int_op_kernel(
    xp: Any, at: Position, shape: Any, minval: Any, maxval: Any, seed: int, seed2: int
) -> Any:
    sizes = sizes_of(shape)
    count = product(sizes)
    if not count:
        return np.empty(sizes, minval.dtype)
    return random_kernels.uniform_int(at, count, int(minval), int(maxval), minval.dtype).reshape(sizes)


@random_normal_op.kernel
def random_normal_op_kernel(xp: Any, at: Position, shape: Any, dtype: DType, seed: int, seed2: int) -> Any:
    sizes = sizes_of(shape)
    return random_kernels.normal(at, product(sizes), dtype).reshape(sizes)


@truncated_normal_op.kernel
def truncated_normal_op_kernel(xp: Any, at: Position, shape: Any, dtype: DType, seed: int, seed2: int) -> Any:
    sizes = sizes_of(shape)
    return random_kernels.truncated_normal(at, product(sizes), dtype).reshape(sizes)


_NOT_OF_SHAPE = "random numbers do not depend on the shape in a way that has a slope"
for _op in (random_uniform_op, random_normal_op, truncated_normal_op):
    _op.no_gradient(_NOT_OF_SHAPE)
random_uniform_int_op.no_gradient("it gives ints", "Draw floats, which have gradients by their mean and deviation.")


@random_uniform_op.samples
@random_normal_op.samples
@truncated_normal_op.samples
def random_uniform_op_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([2, 3], "i4"), float32, 7, 8, fixed=("shape",))
    yield sample(np.array([5], "i8"), float64, 7, 8)
    yield sample(np.array([3], "i4"), float16, 7, 8)
    yield sample(np.array([0, 2], "i4"), bfloat16, 7, 8)
    yield sample(np.array([], "i4"), bfloat16, 7, 8)


@random_uniform_int_op.samples
def random_uniform_int_op_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([2, 3], "i4"), np.array(-5, "i4"), np.array(7, "i4"), 7, 8, fixed=("shape",))
    yield sample(np.array([0], "i8"), np.array(3, "i8"), np.array(3, "i8"), 7, 8)
    yield sample(np.array([], "i4"), np.array(0, "i8"), np.array(1 << 40, "i8"), 7, 8)
