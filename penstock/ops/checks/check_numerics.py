"""Checks for NaN and infinities in a run: `check_numerics` and what is made of it."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import DTypeError, InvalidArgumentError
from ...graph.declare.axis_labels import same_axes
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import FLOATS, Attr, Operand, TensorLike
from ...graph.model.default_graph import get_default_graph
from ...graph.model.nodes import Operation, Tensor
from ..control.control import group
from ..create.constant_and_placeholder import convert_to_tensor
from ..declare.composite import reported_as_call
from ..declare.shape_checks import shape_of_first

PUBLIC_NAMES = {
    "start": "add_check_numerics_ops verify_tensor_all_finite",
    "start debugging": "check_numerics",
    "debugging": "assert_all_finite",
}

_Float = Annotated[TensorLike, Operand("T", FLOATS)]
_IN_GRADIENT = "Not a number (NaN) or infinity (Inf) values detected in gradient."


@op("CheckNumerics", graphdef="T=tensor message", views="tensor", replayable=False, shape=shape_of_first,
    distributes=same_axes)  # fmt: skip
def check_numerics(tensor: _Float, message: Annotated[str, Attr(str)], name: str | None = None) -> Tensor:
    """`tensor` unchanged, if every element is finite; otherwise the run fails.

    Args:
        tensor: floats, any shape.
        message: what the error says first.

    Returns:
        A tensor with the shape and dtype of `tensor`.

    Raises:
        TypeError: `tensor` has another dtype.
        InvalidArgumentError (when run): an element is NaN or infinite.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.check_numerics([1.0, 2.0], "weights")))
    [1. 2.]

    Source: TensorFlow 1.x, `tf.check_numerics`.
    """


@check_numerics.kernel
def check_numerics_kernel(xp: Any, tensor: Any, message: str) -> Any:
    if xp.isfinite(tensor).all():
        return tensor
    found = [word for word, holds in (("Inf", xp.isinf(tensor).any()), ("NaN", xp.isnan(tensor).any())) if holds]
    raise InvalidArgumentError(message=f"{message} : Tensor had {' and '.join(found)} values")


@check_numerics.gradient("g, checked too")
def check_numerics_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [check_numerics(g, f"{_IN_GRADIENT} {op.args[1]}")]


@check_numerics.samples
def check_numerics_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"), "weights")
    yield sample(np.zeros((0,)), "")


@reported_as_call("VerifyFinite")
def verify_tensor_all_finite(t: TensorLike, msg: str, name: str | None = None) -> Tensor:
    """`t` unchanged, if every element is finite; otherwise the run fails. `check_numerics` under an older name.

    Args:
        t: floats, any shape.
        msg: what the error says first.

    Returns:
        A tensor with the shape and dtype of `t`.

    Raises:
        TypeError: `t` has another dtype.
        InvalidArgumentError (when run): an element is NaN or infinite.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.verify_tensor_all_finite([1.0, 2.0], "weights")))
    [1. 2.]

    Source: TensorFlow 1.x, `tf.verify_tensor_all_finite`.
    """
    return check_numerics(t, msg, "VerifyFinite" if name is None else name)


@reported_as_call("assert_all_finite")
def assert_all_finite(
    t: TensorLike | None = None,
    msg: str | None = None,
    name: str | None = None,
    x: TensorLike | None = None,
    message: str | None = None,
) -> Tensor:
    """`t` unchanged, if every element is finite; otherwise the run fails. `check_numerics` under a later name.

    Args:
        t: floats, any shape.
        msg: what the error says first.
        x: later name of `t`.
        message: later name of `msg`.

    Returns:
        A tensor with the shape and dtype of `t`.

    Raises:
        TypeError: `t` has another dtype, or an argument is missing or given twice.
        InvalidArgumentError (when run): an element is NaN or infinite.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.debugging.assert_all_finite([1.0, 2.0], "weights")))
    [1. 2.]

    Source: TensorFlow 1.x, `tf.debugging.assert_all_finite`.
    """
    for one, given, other, later in (("t", t, "x", x), ("msg", msg, "message", message)):
        if (given is None) == (later is None):
            both = "neither" if given is None else "both"
            raise DTypeError(f"{one} and {other} are two names of one argument, and {both} is given; give {one}")
    tensor = convert_to_tensor(x if t is None else t)
    return verify_tensor_all_finite(tensor, (message if msg is None else msg) or "", name)


def add_check_numerics_ops() -> Operation:
    """An operation that checks every tensor of floats in the default graph with `check_numerics`.

    It checks those that are there now. The error names the first operation, in order of creation, whose result is not
    finite.

    Returns:
        The operation, to be run together with what is to be checked.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32, [2])
    ...     y = tf.log(x)
    ...     check = tf.add_check_numerics_ops()
    ...     print(session.run([y, check], {x: [1.0, 1.0]}))
    [array([0., 0.], dtype=float32), None]

    Source: TensorFlow 1.x, `tf.add_check_numerics_ops`.
    """
    graph = get_default_graph()

    def build() -> Operation:
        checks: list[Operation] = []
        for each in graph.get_operations():
            for tensor in each.outputs:
                if tensor.dtype.is_floating:
                    message = f"{each.name}:{tensor.value_index}"
                    with graph.control_dependencies(checks[-1:]):
                        checks.append(check_numerics(tensor, message).op)
        return group(*checks)

    return graph.journal.all_or_nothing(build)
