"""Assert: a node that ends the run with an error if its condition does not hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.building.constant_evaluation import known_value
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import ANY, Bool, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.shape import TensorShape
from ..declare.shape_checks import require_one, require_rank
from ..text.printing import Summarize
from ..text.value_text import first_elements

PUBLIC_NAMES = {"start debugging": "Assert"}


@op("Assert", graphdef="T=*data summarize/3", out=(), host_only=True)
def Assert(
    condition: Bool,
    data: Annotated[Sequence[TensorLike], Operand(None, ANY, many=True)],
    summarize: Summarize = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails, with the elements of `data` in its error, if `condition` is False.

    It runs if it is fetched, or if something that runs was made inside `tf.control_dependencies([it])`. Nothing that
    is made after it writes a variable in a run in which it fails.

    Args:
        condition: a bool scalar.
        data: a list of tensors.
        summarize: how many elements of each are shown; None (the default) means 3, a negative number all.

    Returns:
        The operation; it has no output.

    Raises:
        TypeError: `condition` is not bool, `data` is not a list, or `summarize` is not an int.
        ValueError: `condition` is not a scalar.
        InvalidArgumentError (when run): `condition` is False.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32, [None])
    ...     with tf.control_dependencies([tf.Assert(tf.reduce_max(x) <= 1.0, ["too large", x])]):
    ...         y = tf.sqrt(x)
    ...     print(session.run(y, {x: [0.25, 1.0]}))
    ...     try:
    ...         session.run(y, {x: [4.0, 9.0]})
    ...     except tf.errors.InvalidArgumentError as error:
    ...         print(error.message)
    [0.5 1. ]
    assertion failed: [too large] [4 9]

    Source: TensorFlow 1.x, `tf.Assert`.
    """


@Assert.shape
def Assert_shape(condition: Tensor, data: Any, summarize: int) -> list[TensorShape]:
    require_rank(condition, 0, 0, cure="Write tf.reduce_all(condition).")
    return []


@Assert.fails
def Assert_fails(condition: Tensor, data: Any, summarize: int) -> str | None:
    known = known_value(condition)
    return None if known is not None and known.size == 1 and known.all() else "its condition may be False"


@Assert.mistake
def Assert_mistake(condition: Tensor, data: Any, summarize: int) -> str | None:
    known = known_value(condition)
    if known is None or known.size != 1 or known.all():
        return None
    values = [known_value(each) for each in data]
    return _words(["?" if v is None else first_elements(v, summarize) for v in values])


def _words(texts: Sequence[str]) -> str:
    return f"assertion failed: {' '.join([f'[{text}]' for text in texts])}"


@Assert.kernel
def Assert_kernel(xp: Any, condition: Any, data: Any, summarize: int) -> tuple[()]:
    require_one(condition, "condition")
    if not condition.all():
        raise InvalidArgumentError(message=_words([first_elements(each, summarize) for each in data]))
    return ()


@Assert.samples
def Assert_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array(True), [rng.random((2, 3)), np.array(b"a", object)])
    yield sample(np.array(True), [np.zeros((0, 2), "i4")], 1)
