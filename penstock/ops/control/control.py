"""Ops that pass a value on or only order others: identity, stop_gradient, no_op, group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ...errors import DTypeError
from ...graph.building.registered_conversions import conversions
from ...graph.common.hooks import hooks
from ...graph.declare.axis_labels import same_axes
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.shared_docs import documented_like
from ...graph.declare.signature import Everything
from ...graph.model.default_graph import target_graph
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.sparse_tensor import SparseTensor
from ...graph.model.tensor_source import TensorSource
from ..declare.composite import reported_as_call
from ..declare.failure_rules import never
from ..declare.shape_checks import no_shapes, shape_of_first

PUBLIC_NAMES = {"start": "group identity no_op stop_gradient"}


@op("Identity", graphdef="T=input", moves=True, views="input", shape=shape_of_first, fails=never, distributes=same_axes)
def identity(input: Everything, name: str | None = None) -> Tensor:
    """`input` unchanged, as a new node.

    Inside `with tf.control_dependencies([...])` it is the same value, available after those operations have run.

    Args:
        input: any dtype and shape.

    Returns:
        A tensor with the shape and dtype of `input`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.identity([1, 2, 3])))
    [1 2 3]

    Source: TensorFlow 1.x, `tf.identity`.
    """


@op("StopGradient", graphdef="T=input", moves=True, views="input", shape=shape_of_first, fails=never,
    distributes=same_axes)  # fmt: skip
@documented_like(identity)
def stop_gradient(input: Everything, name: str | None = None) -> Tensor:
    """`input` unchanged, as a new node that a gradient treats as a constant.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.stop_gradient([1.5, 2.5])))
    [1.5 2.5]
    """


hooks.operators["identity"] = identity


@identity.kernel
@stop_gradient.kernel
def identity_kernel(xp: Any, input: Any) -> Any:
    return input


@identity.gradient("g", takes_slices=True)
def identity_gradient(ops: Any, op: Operation, g: Any) -> list[Any]:
    return [g]


stop_gradient.no_gradient("it is there to stop gradients", "Leave it out if the gradient is wanted.")


@identity.samples
@stop_gradient.samples
def identity_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"))
    yield sample(np.array(b"a", object))
    yield sample(np.zeros((0, 2), "i8"))


@op("NoOp", called="no_op", graphdef="", out=(), shape=no_shapes, fails=never)
def no_op(name: str | None = None) -> Operation:
    """An operation that computes nothing and has no output; control dependencies can be attached to it.

    Returns:
        The new operation.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.no_op(name="done")
    <Operation 'done' NoOp>

    Source: TensorFlow 1.x, `tf.no_op`.
    """


@no_op.kernel
def no_op_kernel(xp: Any) -> tuple[()]:
    return ()


@no_op.samples
def no_op_samples(rng: np.random.Generator) -> Samples:
    yield sample()


@reported_as_call("group_deps")
def group(*inputs: Any, name: str | None = None) -> Operation:
    """An operation that has run once all of `inputs` have run.

    Args:
        inputs: operations, tensors, sparse tensors, and lists of these.

    Returns:
        The new operation; it has no output.

    Raises:
        TypeError: an input is none of these.
        ValueError: the inputs belong to two graphs.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     both = tf.group(tf.constant(1, name="a"), tf.constant(2, name="b"))
    >>> both, both.control_inputs
    (<Operation 'group_deps' NoOp>, (<Operation 'a' Const>, <Operation 'b' Const>))

    Source: TensorFlow 1.x, `tf.group`.
    """
    leaves = list(leaves_of(inputs))
    graph = target_graph(leaves[0] if leaves else None)
    with graph.as_default(), graph.control_dependencies(leaves):
        return no_op(name="group_deps" if name is None else name)


def leaves_of(inputs: Iterable[Any]) -> Iterator[Operation | Tensor]:
    """The operations and tensors among `inputs`, in nested lists too."""
    for item in inputs:
        if isinstance(item, (list, tuple)):
            yield from leaves_of(item)
        elif isinstance(item, SparseTensor):
            yield from (item.indices, item.values, item.dense_shape)
        elif isinstance(item, (Operation, Tensor)):
            yield item
        elif isinstance(item, (TensorSource, *conversions.kinds)):
            yield hooks.operators["convert"](item)
        else:
            raise DTypeError(f"{item!r} is of type {type(item).__name__}; "
                             "inputs are operations, tensors, sparse tensors and lists of these")  # fmt: skip
