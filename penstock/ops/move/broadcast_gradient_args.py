"""`broadcast_gradient_args`: the axes along which two broadcast operands were repeated, found in a run."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import HostIndex
from ...graph.model.nodes import Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.shape import TensorShape, shape_of
from ..declare.shape_checks import listed, require_rank, sizes_of


@op(
    "BroadcastGradientArgs", graphdef="T=s0 ->r0,r1", out=("Tindices", "Tindices"), host_only=True,
    no_gradient="it gives ints",
)  # fmt: skip
def broadcast_gradient_args(s0: HostIndex, s1: HostIndex, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The axes over which the gradient of a broadcasting op is summed, for each of its two operands.

    Args:
        s0, s1: the shapes of the operands, int32 or int64 vectors.

    Returns:
        Two vectors with the dtype of the operands: the axes of the common shape along which the first operand was
        repeated, and those of the second. An axis of size 1 in both is in both.

    Raises:
        TypeError: the operands are not ints, or of two dtypes.
        ValueError: an operand is not a vector.
        InvalidArgumentError (when run): the shapes do not broadcast.

    >>> import penstock as tf
    >>> from penstock.ops.move.broadcast_gradient_args import broadcast_gradient_args
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(broadcast_gradient_args([5, 1, 3], [4, 3])))
    (array([1], dtype=int32), array([0], dtype=int32))

    Source: TensorFlow, the op BroadcastGradientArgs.
    """


@broadcast_gradient_args.shape
def broadcast_gradient_args_shape(s0: Tensor, s1: Tensor) -> list[TensorShape]:
    for place, each in enumerate((s0, s1)):
        require_rank(each, 1, place)
    return [shape_of([unknown("the run finds the axes that were broadcast", s0)]) for _ in range(2)]


@broadcast_gradient_args.kernel
def broadcast_gradient_args_kernel(xp: Any, s0: Any, s1: Any) -> tuple[Any, Any]:
    first, second = sizes_of(s0), sizes_of(s1)
    rank = max(len(first), len(second))
    axes: tuple[list[int], list[int]] = ([], [])
    for place, (a, b) in enumerate(zip_longest(reversed(first), reversed(second), fillvalue=1)):
        if a != b and 1 not in (a, b):
            raise InvalidArgumentError(message=f"Incompatible shapes: {listed(first)} vs. {listed(second)}")
        if a == 1:
            axes[0].append(rank - 1 - place)
        if b == 1:
            axes[1].append(rank - 1 - place)
    return np.array(axes[0][::-1], s0.dtype), np.array(axes[1][::-1], s0.dtype)


@broadcast_gradient_args.samples
def broadcast_gradient_args_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([5, 1, 3], "i4"), np.array([4, 3], "i4"))
    yield sample(np.array([0, 1], "i8"), np.array([], "i8"))
    yield sample(np.array([2], "i4"), np.array([2], "i4"))
