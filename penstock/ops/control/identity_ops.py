"""Ops that pass several values on, or one value later: `identity_n`, and the barrier of recomputation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from ...graph.declare.distribution import Distributed, State
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import EVERYTHING, Everything, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import DType
from ...graph.shapes.shape import TensorShape
from ..declare.failure_rules import never
from ..declare.shape_checks import shape_of_first

PUBLIC_NAMES = {"start": "identity_n"}

_Values = Annotated[Sequence[TensorLike], Operand(None, EVERYTHING, many=True)]


def _dtypes(input: Sequence[Tensor]) -> tuple[DType, ...]:
    return tuple(each.dtype for each in input)


@op("IdentityN", graphdef="T=*input", out=_dtypes, views="input", fails=never)
def identity_n(input: _Values, name: str | None = None) -> list[Tensor]:
    """Each tensor of `input` unchanged, as the outputs of one new node.

    Args:
        input: a list of tensors of any dtypes and shapes.

    Returns:
        A list of as many tensors, with their shapes and dtypes.

    Raises:
        TypeError: it is not a list of tensors.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.identity_n([1, [2.5, 3.5]])))
    [np.int32(1), array([2.5, 3.5], dtype=float32)]

    Source: TensorFlow 1.x, `tf.identity_n`.
    """


@identity_n.shape
def identity_n_shape(input: Sequence[Tensor]) -> list[TensorShape]:
    return [each.shape for each in input]


@identity_n.kernel
def identity_n_kernel(xp: Any, input: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(input)


@identity_n.distributes
def identity_n_distributes(operation: Operation, states: tuple[State, ...], name: str) -> Distributed:
    return Distributed(states)


@identity_n.gradient("g of each", takes_slices=True)
def identity_n_gradient(ops: Any, op: Operation, *gs: Any) -> list[Any]:
    return list(gs)


@identity_n.samples
def identity_n_samples(rng: np.random.Generator) -> Samples:
    yield sample([rng.random((2, 3)).astype("f4"), np.array([1, 2], "i8")])
    yield sample([np.array(b"a", object)])
    yield sample([np.zeros((0, 2), "c8"), np.zeros((0, 2), "c8"), np.array(True)])


@op("IdentityAfter", moves=True, views="input", shape=shape_of_first, fails=never)
def identity_after(input: Everything, after: _Values, name: str | None = None) -> Tensor:
    """`input` unchanged, once the tensors `after` are there.

    What is computed from it is another computation than the same one from `input`, so it is not merged with that.
    `recompute_grad` computes forward values a second time through it.

    Args:
        input: any dtype and shape.
        after: a list of tensors.

    Returns:
        A tensor with the shape and dtype of `input`.

    Raises:
        TypeError: `after` is not a list of tensors.

    >>> import penstock as tf
    >>> from penstock.ops.control.identity_ops import identity_after
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(identity_after([1, 2], [tf.constant(0.0)])))
    [1 2]
    """


@identity_after.kernel
def identity_after_kernel(xp: Any, input: Any, after: Sequence[Any]) -> Any:
    return input


@identity_after.distributes
def identity_after_distributes(operation: Operation, states: tuple[State, ...], name: str) -> Distributed:
    return Distributed(states[:1])  # of the others it reads nothing


@identity_after.gradient("g", takes_slices=True)
def identity_after_gradient(ops: Any, op: Operation, g: Any) -> list[Any]:
    return [g, *[None] * (len(op.inputs) - 1)]


@identity_after.samples
def identity_after_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"), [np.array(1, "i4")])
    yield sample(np.array([b"a"], object), [np.array(1.0), np.zeros((0,), "f4")])
