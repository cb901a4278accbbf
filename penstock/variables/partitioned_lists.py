"""`tf.create_partitioned_variables`: the parts of a variable as a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import ValueRuleError
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.signature import DTypeLike
from ..graph.model.default_graph import get_default_graph, outermost
from ..graph.shapes.dtypes import as_dtype, float32
from .get_variable import WantedVariable, shared_or_made
from .variable import Variable
from .variable_scope_block import variable_scope


@hides_frames
def create_partitioned_variables(
    shape: Sequence[int],
    slicing: Sequence[int],
    initializer: Any,
    dtype: DTypeLike = float32,
    trainable: bool = True,
    collections: Any = None,
    name: str | None = None,
    reuse: bool | None = None,
) -> list[Variable]:
    """The parts of a variable: `tf.get_variable` with a partitioner does the same.

    Args:
        shape: the sizes of the whole.
        slicing: how many parts there are along each axis; only one number may be above 1.
        initializer: a function of a shape and a dtype, which is called for each part; or the value of the whole.
        dtype: the dtype; a tensor as initializer has its own.
        trainable: whether optimizers change them.
        collections: the collections to add them to; by default `[tf.GraphKeys.GLOBAL_VARIABLES]`.
        name: the name of a variable scope for them; "PartitionedVariable" by default.
        reuse: whether existing variables are returned, as in `tf.variable_scope`.

    Returns:
        A list of variables.

    Raises:
        ValueError: `slicing` does not fit the shape, or as `tf.get_variable`.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     parts = tf.create_partitioned_variables([4, 3], [2, 1], tf.zeros_initializer(), name="v")
    ...     print([(part.name, part.shape) for part in parts])
    [('v/part_0:0', TensorShape((2, 3))), ('v/part_1:0', TensorShape((2, 3)))]

    Source: TensorFlow 1.x, `tf.create_partitioned_variables`.
    """
    if len(shape) != len(slicing):
        raise ValueRuleError("create_partitioned_variables: The 'shape' and 'slicing' of a partitioned Variable must "
                             f"have the same length: {list(shape)} and {list(slicing)}")  # fmt: skip
    if not len(shape):
        raise ValueRuleError("create_partitioned_variables: A partitioned Variable must have rank at least 1")
    with variable_scope(name, "PartitionedVariable", reuse=reuse) as scope:
        graph = outermost(get_default_graph())
        wanted = WantedVariable(
            name=scope.name, shape=list(shape), dtype=as_dtype(dtype), initializer=initializer, reuse=scope.reuse,
            trainable=trainable, collections=collections, partitioner=lambda **unused: list(slicing),
        )  # fmt: skip
        whole: Any = graph.journal.all_or_nothing(shared_or_made, graph, wanted)
    return list(whole.parts)
