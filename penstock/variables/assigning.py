"""TensorFlow's functions that write variables: `assign`, `assign_add`, `assign_sub`."""

from __future__ import annotations

from typing import Any

from ..errors import UseError
from ..graph.common.lazy_import import load
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.shared_docs import documented_like
from ..graph.model.nodes import Tensor
from .variable import Variable
from .variable_node import VariableSlice, operand_of


@hides_frames
def assign(
    ref: Variable | VariableSlice,
    value: Any,
    validate_shape: bool | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """A node that writes `value` to a variable: `ref.assign(value)`.

    Args:
        ref: the variable, or a part of it such as `v[0]`.
        value: a tensor, or what becomes one, of its dtype and shape.
        validate_shape: False allows another shape: the sizes of the variable that it may change are unknown from here
            on, as those of a variable made with `validate_shape=False`.
        use_locking: accepted for TensorFlow's sake; writes are always whole.
        name: the name of the node.

    Returns:
        A tensor of the value that it writes.

    Raises:
        TypeError: `ref` is no variable, or the value has another dtype.
        ValueError: the value has another shape, or with `validate_shape=False` a node relies on the variable's.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     v = tf.Variable([1.0])
    ...     longer = tf.assign(v, tf.concat(0, [v, [3.0]]), validate_shape=False)
    ...     session.run(v.initializer)
    ...     print(session.run(longer), session.run(longer))
    [1. 3.] [1. 3. 3.]

    Source: TensorFlow 1.x, `tf.assign`.
    """
    place: Any = ref if isinstance(ref, VariableSlice) else checked_variable(ref, "assign")
    if validate_shape is not None and not validate_shape and isinstance(place, Variable):
        return place.graph.journal.all_or_nothing(_assign_unchecked, place, value, name)
    written: Tensor = place.assign(value, name=name)
    return written


def _assign_unchecked(variable: Variable, value: Any, name: str | None) -> Tensor:
    load("penstock.variables.growing_shapes")
    from .growing_shapes import let_grow  # few programs need it

    operand = operand_of(variable, value, "assign")
    let_grow(variable, operand)
    written: Tensor = variable.assign(operand, name=name)
    return written


@hides_frames
def assign_add(ref: Variable, value: Any, use_locking: bool | None = None, name: str | None = None) -> Tensor:
    """A node that adds `value` to a variable: `ref.assign_add(value)`.

    Args:
        ref: the variable, of numbers.
        value: what is added, of its dtype and shape.
        use_locking: accepted for TensorFlow's sake.
        name: the name of the node.

    Returns:
        A tensor of the sum.

    Raises:
        TypeError: `ref` is no variable, or `value` has another dtype.
        ValueError: `value` has another shape.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     v = tf.Variable(1.0)
    ...     session.run(v.initializer)
    ...     print(session.run(tf.assign_add(v, 3.0)))
    4.0

    Source: TensorFlow 1.x, `tf.assign_add`.
    """
    written: Tensor = checked_variable(ref, "assign_add").assign_add(value, name=name)
    return written


@hides_frames
@documented_like(assign_add)
def assign_sub(ref: Variable, value: Any, use_locking: bool | None = None, name: str | None = None) -> Tensor:
    """A node that subtracts `value` from a variable: `ref.assign_sub(value)`.

    Args:
        value: what is subtracted, of its dtype and shape.

    Returns:
        A tensor of the difference.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     v = tf.Variable(1.0)
    ...     session.run(v.initializer)
    ...     print(session.run(tf.assign_sub(v, 3.0)))
    -2.0
    """
    written: Tensor = checked_variable(ref, "assign_sub").assign_sub(value, name=name)
    return written


def checked_variable(ref: Any, call: str) -> Variable:
    """`ref`, which must be a variable."""
    if not isinstance(ref, Variable):
        kind = f"the tensor {ref.name!r}" if isinstance(ref, Tensor) else repr(ref)
        raise UseError(f"{call}: ref is {kind}; only a tf.Variable can be written")
    return ref
