"""A `Variable` for nodes that are in the graph already, for programs that build a written graph again."""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.common.tracebacks import hides_frames
from ..graph.model.nodes import Operation, Tensor
from .variable import Variable


@hides_frames
def standing_variable(
    tensor: Tensor, initializer: Operation | None = None, trainable: bool = True, collections: Sequence[str] = ()
) -> Variable:
    """The variable whose nodes are in the graph already.

    Args:
        tensor: the result of its node.
        initializer: the operation that gives it its first value.
        trainable: whether optimizers change it.
        collections: the keys of the collections to which it is added.

    Returns:
        The variable.

    Raises:
        TypeError: `tensor` is not a tensor.

    >>> import penstock as tf
    >>> from penstock.extend import standing_variable
    >>> with tf.Graph().as_default() as graph:
    ...     w = tf.Variable(1.0, name="w")
    >>> standing_variable(w.op.outputs[0], w.initializer).name
    'w:0'
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"standing_variable({tensor!r}): give the tensor of the variable's node, not "
                        f"{type(tensor).__name__}")  # fmt: skip
    made = Variable._standing_for(tensor.op, initializer, trainable)
    for key in collections:
        tensor.graph.add_to_collection(key, made)
    return made
