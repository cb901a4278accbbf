"""Tensors that are available only after other operations have run: with_dependencies, tuple."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Sequence
from typing import Any

from ...errors import DTypeError, ValueRuleError
from ...graph.building.convert import first_tensor
from ...graph.declare.signature import TensorLike
from ...graph.model.default_graph import target_graph
from ...graph.model.indexed_slices import IndexedSlices
from ...graph.model.nodes import Operation, Tensor
from ..declare.composite import composite, reported_as_call
from .control import group, identity, leaves_of

PUBLIC_NAMES = {"start": "tuple with_dependencies"}


@reported_as_call("control_dependency")
def with_dependencies(dependencies: Iterable[Any], output_tensor: TensorLike, name: str | None = None) -> Tensor:
    """`output_tensor` unchanged, available after `dependencies` have run.

    Args:
        dependencies: a list of operations and tensors.
        output_tensor: any dtype and shape.

    Returns:
        A tensor with the shape and dtype of `output_tensor`.

    Raises:
        TypeError: `dependencies` is not a list of operations and tensors.
        ValueError: they belong to two graphs.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.constant([1.0, 2.0])
    ...     checked = tf.with_dependencies([tf.assert_positive(x)], x)
    ...     print(session.run(checked))
    [1. 2.]

    Source: TensorFlow 1.x, `control_flow_ops.with_dependencies`.
    """
    first = list(leaves_of(_listed(dependencies, "dependencies")))
    graph = target_graph(first_tensor(output_tensor))
    with graph.as_default(), graph.control_dependencies(first):
        return identity(output_tensor, name="control_dependency" if name is None else name)


@composite("tuple")
def tuple(
    tensors: Sequence[Any], name: str | None = None, control_inputs: Iterable[Any] | None = None
) -> list[Any]:
    """`tensors` unchanged, each available only after all of them are.

    Args:
        tensors: a list of tensors and `IndexedSlices`, among which may be None.
        control_inputs: operations and tensors that must have run too.

    Returns:
        A list like `tensors`. None stays None.

    Raises:
        TypeError: `tensors` holds something else, or `control_inputs` is not a list of operations and tensors.
        ValueError: there is no tensor, or two graphs are involved.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     both = tf.tuple([tf.constant(1), None, tf.constant(2)])
    ...     print(both[1], session.run([both[0], both[2]]))
    None [np.int32(1), np.int32(2)]

    Source: TensorFlow 1.x, `tf.tuple`.
    """
    given = _listed(tensors, "tensors")
    parts = [t.values if isinstance(t, IndexedSlices) else t for t in given]
    found = [t.op if isinstance(t, Tensor) else t for t in parts if t is not None]
    if not found:
        raise ValueRuleError(f"tensors is {tensors!r:.80}; it must have at least one tensor")
    gate = group(*found, *_listed([] if control_inputs is None else control_inputs, "control_inputs"))
    return [None if t is None else _behind(gate, t) for t in given]


def _listed(values: Any, label: str) -> list[Any]:
    if not isinstance(values, (list, builtins.tuple)):
        raise DTypeError(f"{label} must be a list of operations and tensors, not {values!r:.60}")
    return list(values)


def _behind(gate: Operation, value: Any) -> Any:
    if isinstance(value, IndexedSlices):
        return IndexedSlices(with_dependencies([gate], value.values), value.indices, value.dense_shape)
    if isinstance(value, Operation):
        return gate
    return with_dependencies([gate], value)
