"""`parse_example` and `parse_single_example` with TensorFlow 1.x's order of parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..ops.checks.assert_kinds import ensure_shape
from ..ops.declare.composite import all_or_nothing, reported_as_call
from ..ops.records.parsing_calls import parse_example as parse_example_op
from ..ops.records.parsing_calls import parse_single_example as parse_single_example_op


@reported_as_call("ParseExample", one_op=True)
@documented_like(parse_example_op)
def parse_example(
    serialized: TensorLike,
    features: Mapping[str, Any],
    name: str | None = None,
    example_names: TensorLike | None = None,
) -> dict[str, Any]:
    """The features of serialised `tf.train.Example` messages.

    Args:
        serialized: a vector of strings, each a serialised Example.
        example_names: a vector of what the examples are called in errors.

    Returns:
        A dict with the same names, of tensors with a batch dimension and `SparseTensor` values.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.parse_example([b""], {"age": tf.FixedLenFeature([], tf.int64, 7)})["age"]))
    [7]
    """
    if not isinstance(serialized, Tensor) or serialized.shape.ndims is not None:
        return parse_example_op(serialized, features, example_names, name=name)

    def build() -> dict[str, Any]:
        vector = ensure_shape(serialized, [None])  # files with TensorFlow's node must know that it is one
        return parse_example_op(vector, features, example_names, name=name)

    return all_or_nothing([serialized], build)


@reported_as_call("ParseSingleExample", one_op=True)
@documented_like(parse_single_example_op)
def parse_single_example(
    serialized: TensorLike,
    features: Mapping[str, Any],
    name: str | None = None,
    example_names: TensorLike | None = None,
) -> dict[str, Any]:
    """The features of one serialised `tf.train.Example`, without a batch dimension.

    Returns:
        A dict with the same names, of tensors and `SparseTensor` values.

    >>> import penstock.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     wanted = {"x": tf.FixedLenFeature([2], tf.float32, [0.5, 1.0])}
    ...     print(session.run(tf.parse_single_example(b"", wanted)["x"]))
    [0.5 1. ]
    """
    return parse_single_example_op(serialized, features, example_names, name=name)
