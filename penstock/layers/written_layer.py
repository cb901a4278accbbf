"""`tf.layers.Layer`: the base of layers that programs write themselves, with `build` and `call`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..errors import UseError
from ..graph.declare.signature import DTypeLike
from ..graph.model.default_graph import get_default_graph
from ..graph.shapes.dtypes import float32
from ..ops.create.constant_and_placeholder import convert_to_tensor
from ..variables.get_variable import get_variable
from ..variables.graph_keys import GraphKeys
from ..variables.partitioned_variable import with_parts
from .layer import Layer as AnyLayer


class WrittenLayer(AnyLayer):
    """The base of a layer of your own: `build` makes its variables at the first call, `call` gives its outputs.

    Args:
        trainable: whether optimizers change its variables.
        name: its scope; the name of the class in small letters if it is left out, a new one for each layer.
        dtype: of its variables; that of the inputs, or float32, if it is left out.

    >>> import penstock as tf
    >>> class Scale(tf.layers.Layer):
    ...     def build(self, input_shape):
    ...         self.factor = self.add_weight("factor", input_shape[-1:], initializer=tf.ones_initializer())
    ...         super().build(input_shape)
    ...     def call(self, inputs, by=1.0):
    ...         return inputs * self.factor * by
    >>> with tf.Graph().as_default():
    ...     scale = Scale()
    ...     print(scale(tf.zeros([4, 3]), by=2.0).shape, [each.name for each in scale.variables])
    (4, 3) ['scale/factor:0']

    Source: TensorFlow 1.x, `tf.layers.Layer`.
    """

    def __init__(
        self, trainable: bool = True, name: str | None = None, dtype: DTypeLike | None = None, **_: Any
    ) -> None:
        super().__init__(trainable, name or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(self).__name__).lower(), dtype)

    def build(self, input_shape: Any) -> None:
        """Makes the variables, at the first call; the layers of a program write it.

        Args:
            input_shape: the shape of the inputs, or a list of shapes.

        Raises:
            Nothing of its own.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     layer = tf.layers.Layer()
        ...     layer.build([2, 3])
        ...     layer.built
        True
        """
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The outputs; the layers of a program write it.

        Args:
            inputs: a tensor, or a structure of tensors.
            args: what else the call of the layer was given.
            kwargs: likewise.

        Returns:
            A tensor, or a structure of tensors.

        Raises:
            NotImplementedError: the class has no `call`.

        >>> import penstock as tf
        >>> class Doubled(tf.layers.Layer):
        ...     def call(self, inputs):
        ...         return 2.0 * inputs
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     print(session.run(Doubled()(3.0)))
        6.0
        """
        raise NotImplementedError(f"{type(self).__name__} has no method call(self, inputs), which gives its outputs")

    def add_weight(
        self, name: str, shape: Any = (), dtype: DTypeLike | None = None, initializer: Any = None,
        regularizer: Any = None, trainable: bool = True, constraint: Any = None,
    ) -> Any:  # fmt: skip
        """A variable of the layer, as `tf.get_variable` makes or shares it.

        Args:
            name: its name within the scope of the layer.
            shape: its shape.
            dtype: its dtype; that of the layer if it is left out.
            initializer: what begins it.
            regularizer: a function that gives its loss.
            trainable: whether optimizers change it.
            constraint: a function that projects it after an update.

        Returns:
            The variable.

        Raises:
            ValueError: the scope has a variable of that name, or one of another shape.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     layer = tf.layers.Layer()
        ...     w = layer.add_weight("w", [2], initializer=tf.zeros_initializer())
        ...     print([each.name for each in layer.trainable_variables])
        ['w:0']
        """
        learns = trainable and self.trainable
        dtype = dtype or self.dtype or float32
        variable = get_variable(name, shape, dtype, initializer, regularizer, learns, constraint=constraint)
        self._variables += [(part, learns) for part in with_parts([variable])]
        return variable

    add_variable = add_weight

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Notes losses, in the collection `tf.GraphKeys.REGULARIZATION_LOSSES` too.

        Args:
            losses: a tensor, or a list of tensors.
            inputs: what they depend on; not needed here.

        Raises:
            Nothing of its own.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     layer = tf.layers.Layer()
        ...     layer.add_loss(tf.constant(1.0, name="penalty"))
        ...     print(layer.losses)
        [<Tensor 'penalty:0' float32 ()>]
        """
        for each in losses if isinstance(losses, (list, tuple)) else [losses]:
            self.losses.append(each)
            get_default_graph().add_to_collection(GraphKeys.REGULARIZATION_LOSSES, each)

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Notes operations that a step of training should run, in the collection `tf.GraphKeys.UPDATE_OPS` too.

        Args:
            updates: an operation, or a list of them.
            inputs: what they depend on; not needed here.

        Raises:
            Nothing of its own.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     layer = tf.layers.Layer()
        ...     layer.add_update(tf.no_op(name="step"))
        ...     print([each.name for each in tf.get_collection(tf.GraphKeys.UPDATE_OPS)])
        ['step']
        """
        for each in updates if isinstance(updates, (list, tuple)) else [updates]:
            self._add_update(each)

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        if not hasattr(self, "_scope"):
            raise UseError(f"the layer {type(self).__name__} has an __init__ that does not call super().__init__(), "
                           "which makes the layer's name and lists of variables")  # fmt: skip
        return super().__call__(inputs, (args, kwargs))

    def apply(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The same as calling the layer.

        Args:
            inputs: what `call` takes first.
            args: what else it takes.
            kwargs: likewise.

        Returns:
            What `call` returns.

        Raises:
            NotImplementedError: the class has no `call`.

        >>> import penstock as tf
        >>> class Same(tf.layers.Layer):
        ...     def call(self, inputs):
        ...         return inputs
        >>> with tf.Graph().as_default():
        ...     print(Same().apply(tf.zeros([2])).shape)
        (2,)
        """
        return self(inputs, *args, **kwargs)

    def _within_scope(self, inputs: Any, training: Any) -> Any:
        args, kwargs = training
        if not isinstance(inputs, (list, tuple, Mapping)):
            inputs = convert_to_tensor(inputs)
        with self._own_scope():
            if not self.built:
                self.dtype = self.dtype or getattr(inputs, "dtype", None)
                self.build(_shapes(inputs))
                self.built = True
            outputs = self.call(inputs, *args, **kwargs)
            self._regularize(outputs)
        return outputs


WrittenLayer.__name__ = WrittenLayer.__qualname__ = "Layer"  # programs know it by this name
Layer = WrittenLayer
"""The name that programs know."""


def _shapes(inputs: Any) -> Any:
    if isinstance(inputs, Mapping):
        return {key: _shapes(each) for key, each in inputs.items()}
    if isinstance(inputs, (list, tuple)):
        return [_shapes(each) for each in inputs]
    return getattr(inputs, "shape", None)
