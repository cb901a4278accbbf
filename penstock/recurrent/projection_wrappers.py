"""Wrappers of cells with variables of their own: an embedding of the inputs, projections of inputs and outputs."""

from __future__ import annotations

import math
from typing import Any

from ..errors import ValueRuleError
from ..graph.common.tracebacks import hides_frames
from ..ops.move.reshaping import reshape
from ..ops.nn.embedding import embedding_lookup
from ..variables.get_variable import get_variable
from ..variables.random_initializers import RandomUniformInitializer
from .basic_cells import new_linear
from .cell_activations import Activation, activation_of
from .cell_base import units_of
from .cell_states import rows_of
from .cell_wrappers import CellAround


class _Outer(CellAround):
    """A cell with variables of its own around another cell."""

    @hides_frames
    def __init__(self, cell: Any, reuse: Any = None) -> None:
        super().__init__(_reuse=reuse)
        self._cell = cell


class EmbeddingWrapper(_Outer):
    """A cell whose inputs are numbers of classes, each of which has a vector that is learned.

    Args:
        cell: the cell, which gets the vectors.
        embedding_classes: the number of classes.
        embedding_size: the size of the vectors.
        initializer: how the vectors start; by default the initializer of the variable scope, or uniform with
            variance 1.
        reuse: whether existing variables are taken.

    Raises:
        ValueError: a number is not positive.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.contrib.rnn.EmbeddingWrapper(tf.nn.rnn_cell.GRUCell(4), embedding_classes=10, embedding_size=3)
    ...     output, state = cell(tf.constant([[1], [7]]), cell.zero_state(2, tf.float32))
    ...     print(output.shape, cell.variables[0].name)
    (2, 4) embedding_wrapper/embedding:0

    Source: TensorFlow 1.x, `tf.contrib.rnn.EmbeddingWrapper`.
    """

    @hides_frames
    def __init__(
        self, cell: Any, embedding_classes: int, embedding_size: int, initializer: Any = None, reuse: Any = None
    ) -> None:
        super().__init__(cell, reuse)
        self._sizes = [
            units_of(embedding_classes, "EmbeddingWrapper: embedding_classes"),
            units_of(embedding_size, "EmbeddingWrapper: embedding_size"),
        ]
        if min(self._sizes) <= 0:
            raise ValueRuleError("Both embedding_classes and embedding_size must be > 0: "
                                 f"{embedding_classes}, {embedding_size}.")  # fmt: skip
        self._initializer = initializer

    def call(self, inputs: Any, state: Any, scope: Any = None) -> tuple[Any, Any]:
        """The output and the state of the cell inside for the vectors of the inputs."""
        spread = math.sqrt(3)  # of variance 1
        initializer = self._initializer or scope.initializer or RandomUniformInitializer(-spread, spread)
        vectors = get_variable("embedding", self._sizes, rows_of(state).dtype, initializer)
        results: tuple[Any, Any] = self._cell(embedding_lookup(vectors, reshape(inputs, [-1])), state)
        return results


class InputProjectionWrapper(_Outer):
    """A cell whose inputs are multiplied by a matrix first.

    Args:
        cell: the cell, which gets the products.
        num_proj: their size.
        activation: a function of the products, or its name; None leaves them.
        input_size: accepted for TensorFlow's sake, without effect.
        reuse: whether existing variables are taken.

    Raises:
        TypeError: `num_proj` is not an int.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.contrib.rnn.InputProjectionWrapper(tf.nn.rnn_cell.GRUCell(4), num_proj=3)
    ...     output, state = cell(tf.zeros([2, 5]), cell.zero_state(2, tf.float32))
    ...     print(output.shape, [v.name for v in cell.variables][:2])
    (2, 4) ['input_projection_wrapper/kernel:0', 'input_projection_wrapper/bias:0']

    Source: TensorFlow 1.x, `tf.contrib.rnn.InputProjectionWrapper`.
    """

    @hides_frames
    def __init__(
        self, cell: Any, num_proj: int, activation: Activation = None, input_size: int | None = None, reuse: Any = None
    ) -> None:
        super().__init__(cell, reuse)
        self._num_proj = units_of(num_proj, "InputProjectionWrapper: num_proj")
        self._activation = activation_of(activation, lambda x: x)

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The output and the state of the cell inside for the projected inputs."""
        results: tuple[Any, Any] = self._cell(self._activation(new_linear(inputs, self._num_proj)), state)
        return results


class OutputProjectionWrapper(_Outer):
    """A cell whose output is multiplied by a matrix.

    Args:
        cell: the cell.
        output_size: the size of the products.
        activation: a function of the products, or its name; None leaves them.
        reuse: whether existing variables are taken.

    Raises:
        TypeError: `output_size` is not an int.
        ValueError: it is not positive.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.contrib.rnn.OutputProjectionWrapper(tf.nn.rnn_cell.GRUCell(4), output_size=3)
    ...     output, state = cell(tf.zeros([2, 5]), cell.zero_state(2, tf.float32))
    ...     print(output.shape, state.shape, cell.output_size)
    (2, 3) (2, 4) 3

    Source: TensorFlow 1.x, `tf.contrib.rnn.OutputProjectionWrapper`.
    """

    @hides_frames
    def __init__(self, cell: Any, output_size: int, activation: Activation = None, reuse: Any = None) -> None:
        super().__init__(cell, reuse)
        self._output_size = units_of(output_size, "OutputProjectionWrapper: output_size")
        if self._output_size < 1:
            raise ValueRuleError(f"Parameter output_size must be > 0: {output_size}.")
        self._activation = activation_of(activation, lambda x: x)

    @property
    def output_size(self) -> int:
        """The size of the projection."""
        return self._output_size

    def call(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        """The projected output, and the state, of the cell inside."""
        output, new = self._cell(inputs, state)
        return self._activation(new_linear(output, self._output_size)), new
