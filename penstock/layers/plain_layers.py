"""Layers without variables: flatten, dropout."""

from __future__ import annotations

from typing import Any

from ..derivatives import rule_namespace as ops
from ..errors import ValueRuleError
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..ops.declare.composite import reported_as_call
from ..ops.nn.dropout import dropout as dropout_op
from .layer import Layer, chosen, known_flag, layout_of


class Flatten(Layer):
    """A layer that makes a vector of each example: the dimensions behind the first become one.

    Args:
        data_format: "channels_last" (the default), or "channels_first": dimension 1 is moved to the end before.
        name: the name of the scope, made unique; by default "flatten".

    Raises:
        ValueError: `data_format` is another text.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.layers.Flatten()(tf.zeros([4, 3, 2])).shape
    TensorShape((4, 6))

    Source: TensorFlow 1.x, `tf.layers.Flatten`.
    """

    base_name = "flatten"
    least_rank = 1

    def __init__(self, data_format: str = "channels_last", name: str | None = None) -> None:
        super().__init__(True, name)
        self.data_format = layout_of(data_format)

    def _outputs(self, x: Tensor, training: Any) -> Tensor:
        """The reshaped inputs."""
        rank = x.shape.ndims
        if rank == 1:
            return ops.expand_dims(x, 1)
        if self.data_format == "channels_first" and rank is not None and rank > 2:
            x = ops.transpose(x, [0, *range(2, rank), 1])
        sizes = ops.shape(x)
        return ops.reshape(x, ops.pack([sizes[0], ops.reduce_prod(sizes[1:])]))


@reported_as_call("flatten")
def flatten(inputs: TensorLike, name: str | None = None, data_format: str = "channels_last") -> Tensor:
    """A vector of each example: the dimensions behind the first become one.

    Args:
        inputs: a tensor of rank 1 or higher.
        name: the name of the scope; by default "flatten", made unique.
        data_format: "channels_last", or "channels_first": dimension 1 is moved to the end before.

    Returns:
        A tensor of shape [inputs.shape[0], product of the other sizes] with the dtype of `inputs`.

    Raises:
        ValueError: `inputs` is a scalar, or `data_format` is another text.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.layers.flatten([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])))
    [[1 2 3 4]
     [5 6 7 8]]

    Source: TensorFlow 1.x, `tf.layers.flatten`.
    """
    return Flatten(data_format, name)._shared_by(name, None)(inputs)


class Dropout(Layer):
    """A layer that in training sets elements to 0 at random and scales the others up.

    Args:
        rate: the probability that an element becomes 0, in [0, 1): a number or a float scalar.
        noise_shape: the shape of the random decisions, which broadcasts to that of the inputs; None means theirs.
        seed: an op seed, see `tf.set_random_seed`.
        name: the name of the scope, made unique; by default "dropout".

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.layers.Dropout(0.5, seed=1)(tf.ones([2, 4]), training=True)))
    [[0. 2. 0. 0.]
     [2. 0. 0. 0.]]

    Source: TensorFlow 1.x, `tf.layers.Dropout`.
    """

    base_name = "dropout"

    def __init__(
        self, rate: Any = 0.5, noise_shape: Any = None, seed: int | None = None, name: str | None = None
    ) -> None:
        super().__init__(True, name)
        if isinstance(rate, (int, float)) and not 0 <= rate <= 1:
            raise ValueRuleError(f"rate is {rate}; it must be in [0, 1): the part of the elements that become 0")
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def _outputs(self, x: Tensor, training: Any) -> Tensor:
        """The inputs, with or without dropout."""
        if known_flag(training) is False:
            return ops.identity(x)
        dropped = dropout_op(x, noise_shape=self.noise_shape, seed=self.seed, rate=self.rate)
        return chosen(training, dropped, x)


@reported_as_call("dropout")
def dropout(
    inputs: TensorLike,
    rate: Any = 0.5,
    noise_shape: Any = None,
    seed: int | None = None,
    training: Any = False,
    name: str | None = None,
) -> Tensor:
    """`inputs`; in training with elements that are 0 at random and the others scaled up.

    Args:
        inputs: floats, any shape.
        rate: the probability that an element becomes 0, in [0, 1): a number or a float scalar.
        noise_shape: the shape of the random decisions, which broadcasts to that of `inputs`; None means its own.
        seed: an op seed, see `tf.set_random_seed`.
        training: whether this is a step of training: True, False, or a bool scalar such as a placeholder.
        name: the name of the scope; by default "dropout", made unique.

    Returns:
        A tensor with the shape and dtype of `inputs`.

    Raises:
        TypeError: `inputs` is not float, or `training` is not a bool.
        ValueError: `rate` is out of range.
        InvalidArgumentError (when run): `noise_shape` does not broadcast to the shape of `inputs`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.layers.dropout([[1.0, 2.0]], 0.5)))
    [[1. 2.]]

    Source: TensorFlow 1.x, `tf.layers.dropout`.
    """
    return Dropout(rate, noise_shape, seed, name)._shared_by(name, None)(inputs, training)
