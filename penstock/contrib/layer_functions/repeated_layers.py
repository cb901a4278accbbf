"""`repeat` and `stack` of `tf.contrib.layers`: a layer several times, one after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ... import variable_scope
from ...errors import ValueRuleError
from ...graph.common.tracebacks import hides_frames
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor


@hides_frames
def repeat(inputs: TensorLike, repetitions: int, layer: Callable[..., Any], *args: Any, **kwargs: Any) -> Tensor:
    """The same layer several times, one after another: the result of each is the input of the next.

    Args:
        inputs: a tensor.
        repetitions: how often.
        layer: a function such as `tf.contrib.layers.conv2d`.
        args: its other arguments.
        kwargs: the same, by name; `scope` is the scope of all of them.

    Returns:
        What the last one gives.

    Raises:
        ValueError: `repetitions` is below 1.

    >>> import penstock as tf
    >>> slim = tf.contrib.slim
    >>> with tf.Graph().as_default():
    ...     y = slim.repeat(tf.zeros([2, 3]), 2, slim.fully_connected, 3, scope="fc")
    ...     print([v.name for v in tf.trainable_variables()][::2])
    ['fc/fc_1/weights:0', 'fc/fc_2/weights:0']

    Source: TensorFlow 1.x, `tf.contrib.layers.repeat`.
    """
    if repetitions < 1:
        raise ValueRuleError(f"repeat: repetitions={repetitions}: it is 1 or more")
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, "Repeat", [inputs]):
        name = scope or getattr(layer, "__name__", "repeat")
        outputs: Any = inputs
        for number in range(repetitions):
            outputs = layer(outputs, *args, scope=f"{name.rpartition('/')[2]}_{number + 1}", **kwargs)
        return outputs  # type: ignore[no-any-return]  # what the layer gives


@hides_frames
def stack(inputs: TensorLike, layer: Callable[..., Any], stack_args: Sequence[Any], **kwargs: Any) -> Tensor:
    """A layer with one list of arguments after another: the result of each is the input of the next.

    Args:
        inputs: a tensor.
        layer: a function such as `tf.contrib.layers.fully_connected`.
        stack_args: for each layer its arguments: a list, a tuple, or one value.
        kwargs: arguments of all of them; `scope` is the scope of all.

    Returns:
        What the last one gives.

    Raises:
        ValueError: there are no lists of arguments.

    >>> import penstock as tf
    >>> slim = tf.contrib.slim
    >>> with tf.Graph().as_default():
    ...     slim.stack(tf.zeros([2, 3]), slim.fully_connected, [8, 4], scope="fc").shape
    TensorShape((2, 4))

    Source: TensorFlow 1.x, `tf.contrib.layers.stack`.
    """
    if not stack_args:
        raise ValueRuleError("stack: stack_args is empty; it has the arguments of each layer")
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, "Stack", [inputs]):
        name = scope or getattr(layer, "__name__", "stack")
        outputs: Any = inputs
        for number, given in enumerate(stack_args, start=1):
            arguments = given if isinstance(given, list | tuple) else [given]
            outputs = layer(outputs, *arguments, scope=f"{name.rpartition('/')[2]}_{number}", **kwargs)
        return outputs  # type: ignore[no-any-return]  # what the layer gives
