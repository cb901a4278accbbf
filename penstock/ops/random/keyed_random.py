"""The stateless random ops that TensorFlow 2 writes: a seed becomes a key and a counter first, which the others take.

Programs call `tf.random.stateless_uniform` and its kin (`stateless_random`); these ops are for graphs from files. Their
numbers are the same.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeAlias

import numpy as np

from ...errors import InvalidArgumentError, UnimplementedError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import HostIndex, Operand, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import DType, float16, float32, float64, int32, uint64
from ...graph.shapes.shape import TensorShape
from ..declare.shape_checks import listed, require_one, require_rank, shape_given_by
from . import random_kernels
from .philox import MASK64, Position
from .random_nodes import Bound, FloatDType
from .stateless_random import Seed, ints_from, numbers_from, require_two, stream_of

_Words: TypeAlias = Annotated[TensorLike, Operand(None, uint64.bit, host=True)]
_Algorithm: TypeAlias = Annotated[TensorLike, Operand(None, int32.bit, host=True)]

_PHILOX: Final = (1, 3)
"""The numbers of Philox, and of whatever the device has, which is Philox."""


@op("StatelessRandomGetKeyCounter", graphdef="Tseed=seed ->key,counter", out=(uint64, uint64), host_only=True)
def key_and_counter_op(seed: Seed, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The key and the counter of the stream that a seed of two ints decides."""


@op(
    "StatelessRandomUniformV2", graphdef="Tshape=shape dtype", out="dtype", host_only=True,
    flops=random_kernels.UNIFORM_FLOPS,
)  # fmt: skip
def keyed_uniform_op(
    shape: HostIndex, key: _Words, counter: _Words, alg: _Algorithm, dtype: FloatDType = float32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Floats in [0, 1) from a place in a stream."""


@op(
    "StatelessRandomNormalV2", graphdef="Tshape=shape dtype", out="dtype", host_only=True,
    flops=random_kernels.NORMAL_FLOPS,
)  # fmt: skip
def keyed_normal_op(
    shape: HostIndex, key: _Words, counter: _Words, alg: _Algorithm, dtype: FloatDType = float32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Normal floats of mean 0 and deviation 1 from a place in a stream."""


@op(
    "StatelessTruncatedNormalV2", graphdef="Tshape=shape dtype", out="dtype", host_only=True,
    flops=random_kernels.TRUNCATED_FLOPS,
)  # fmt: skip
def keyed_truncated_normal_op(
    shape: HostIndex, key: _Words, counter: _Words, alg: _Algorithm, dtype: FloatDType = float32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Normal floats in (-2, 2) from a place in a stream."""


@op(
    "StatelessRandomUniformIntV2", graphdef="Tshape=shape dtype=minval", out="Tout", host_only=True,
    ranks={"minval": 0, "maxval": 0}, no_gradient="it gives ints", flops=random_kernels.UNIFORM_FLOPS,
)  # fmt: skip
def keyed_uniform_int_op(
    shape: HostIndex, key: _Words, counter: _Words, alg: _Algorithm, minval: Bound, maxval: Bound,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Ints in [minval, maxval) from a place in a stream."""


@key_and_counter_op.shape
def key_and_counter_shape(seed: Tensor) -> list[TensorShape]:
    require_two(seed, 0)
    return [TensorShape([1]), TensorShape([2])]


@keyed_uniform_op.shape
@keyed_normal_op.shape
@keyed_truncated_normal_op.shape
def keyed_shape(shape: Tensor, key: Tensor, counter: Tensor, alg: Tensor, dtype: DType) -> TensorShape:
    return _shape_of(shape, key, counter, alg)


@keyed_uniform_int_op.shape
def keyed_uniform_int_shape(
    shape: Tensor, key: Tensor, counter: Tensor, alg: Tensor, minval: Tensor, maxval: Tensor
) -> TensorShape:
    return _shape_of(shape, key, counter, alg)


def _shape_of(shape: Tensor, key: Tensor, counter: Tensor, alg: Tensor) -> TensorShape:
    require_rank(key, 1, 1)
    require_rank(counter, 1, 2)
    require_rank(alg, 0, 3)
    return shape_given_by(shape, "shape")


@key_and_counter_op.kernel
def key_and_counter_kernel(xp: Any, seed: Any) -> list[Any]:
    at = stream_of(seed)
    return [np.array([at.key], np.uint64), np.array([at.counter & MASK64, at.counter >> 64], np.uint64)]


def _position(key: Any, counter: Any, alg: Any) -> Position:
    require_one(alg, "alg")
    if int(alg) not in _PHILOX:
        raise UnimplementedError(message=f"the random algorithm {int(alg)} is not here: 1 (Philox) is")
    if key.shape != (1,) or counter.shape != (2,):
        raise InvalidArgumentError(message=f"key must have shape [1] and counter [2], but have {listed(key.shape)} and "
                                           f"{listed(counter.shape)}")  # fmt: skip
    return Position(int(key[0]), int(counter[0]) | int(counter[1]) << 64)


@keyed_uniform_op.kernel
def keyed_uniform_kernel(xp: Any, shape: Any, key: Any, counter: Any, alg: Any, dtype: DType) -> Any:
    return numbers_from(_position(key, counter, alg), random_kernels.uniform, shape, dtype)


@keyed_normal_op.kernel
def keyed_normal_kernel(xp: Any, shape: Any, key: Any, counter: Any, alg: Any, dtype: DType) -> Any:
    return numbers_from(_position(key, counter, alg), random_kernels.normal, shape, dtype)


@keyed_truncated_normal_op.kernel
def keyed_truncated_normal_kernel(xp: Any, shape: Any, key: Any, counter: Any, alg: Any, dtype: DType) -> Any:
    return numbers_from(_position(key, counter, alg), random_kernels.truncated_normal, shape, dtype)


@keyed_uniform_int_op.kernel
def keyed_uniform_int_kernel(
    xp: Any, shape: Any, key: Any, counter: Any, alg: Any, minval: Any, maxval: Any
) -> Any:
    return ints_from(_position(key, counter, alg), shape, minval, maxval)


for _op in (keyed_uniform_op, keyed_normal_op, keyed_truncated_normal_op):
    _op.no_gradient("random numbers do not depend on the shape or the key in a way that has a slope")
key_and_counter_op.no_gradient("it gives ints")

_KEY, _COUNTER, _ALG = np.array([7], "u8"), np.array([0, 1 << 63], "u8"), np.array(1, "i4")


@key_and_counter_op.samples
def key_and_counter_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([7, 8], "i4"))
    yield sample(np.array([-7, 1 << 40], "i8"))


@keyed_uniform_op.samples
@keyed_normal_op.samples
@keyed_truncated_normal_op.samples
def keyed_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([2, 3], "i4"), _KEY, _COUNTER, _ALG, float32, fixed=("shape",))
    yield sample(np.array([], "i8"), _KEY, _COUNTER, _ALG, float64)
    yield sample(np.array([3], "i4"), _KEY, _COUNTER, np.array(3, "i4"), float16)


@keyed_uniform_int_op.samples
def keyed_uniform_int_samples(rng: np.random.Generator) -> Samples:
    low, high = np.array(-5, "i4"), np.array(7, "i4")
    yield sample(np.array([2, 3], "i4"), _KEY, _COUNTER, _ALG, low, high, fixed=("shape",))
    yield sample(np.array([], "i4"), _KEY, _COUNTER, _ALG, np.array(0, "i8"), np.array(1 << 40, "i8"))
