"""The names of TensorFlow 0.x: `tf.nn.rnn`, `tf.nn.bidirectional_rnn`, `tf.nn.state_saving_rnn`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..graph.declare.signature import DTypeLike, TensorLike
from ..ops.declare.composite import reported_as_call
from .static_rnn import static_bidirectional_rnn, static_state_saving_rnn, unrolled


@reported_as_call()
def rnn(
    cell: Any,
    inputs: Sequence[Any],
    initial_state: Any = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """`static_rnn` under its older name, with the variable scope "RNN".

    Args:
        cell: an `RNNCell`, or an object like one.
        inputs: a list with a tensor of shape [batch, size] for each time.
        initial_state: the state before the first step; zeros by default.
        dtype: the dtype of the state; needed where there is no `initial_state`.
        sequence_length: an int vector with the length of each sequence of the batch.
        scope: the variable scope, or its name; by default "RNN".

    Returns:
        A pair: a list with an output for each time, and the last state.

    Raises:
        TypeError: `cell` is no cell, `inputs` is no list, or neither `initial_state` nor `dtype` is given.
        ValueError: `inputs` is empty, sizes do not fit, or a size of the inputs is not known.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cell = tf.nn.rnn_cell.BasicRNNCell(4)
    ...     outputs, state = tf.nn.rnn(cell, [tf.zeros([2, 3])] * 5, dtype=tf.float32)
    ...     print(len(outputs), cell.variables[0].name)
    5 RNN/basic_rnn_cell/kernel:0

    Source: TensorFlow 0.x, `tf.nn.rnn`.
    """
    return unrolled("rnn", cell, inputs, initial_state, dtype, sequence_length, scope, "RNN")


@reported_as_call()
def bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Sequence[Any],
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    scope: Any = None,
) -> tuple[list[Any], Any, Any]:
    """`static_bidirectional_rnn` under its older name, with the variable scope "BiRNN".

    Args:
        cell_fw, cell_bw: the cells of the two directions.
        inputs: a list with a tensor of shape [batch, size] for each time.
        initial_state_fw, initial_state_bw: the states before the first step; zeros by default.
        dtype: the dtype of the states; needed where there is no initial state.
        sequence_length: an int vector with the length of each sequence.
        scope: the variable scope, or its name; by default "BiRNN".

    Returns:
        Three values: the outputs of both cells side by side for each time, the last state forward, the last backward.

    Raises:
        TypeError: a cell is none, `inputs` is no list, or a state and `dtype` are missing.
        ValueError: `inputs` is empty, sizes do not fit, or a size of the inputs is not known.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cells = [tf.nn.rnn_cell.GRUCell(4), tf.nn.rnn_cell.GRUCell(4)]
    ...     outputs, fw, bw = tf.nn.bidirectional_rnn(*cells, [tf.zeros([2, 3])] * 5, dtype=tf.float32)
    ...     print(outputs[0].shape, cells[0].variables[0].name)
    (2, 8) BiRNN/fw/gru_cell/gates/kernel:0

    Source: TensorFlow 0.x, `tf.nn.bidirectional_rnn`.
    """
    return static_bidirectional_rnn(
        cell_fw, cell_bw, inputs, initial_state_fw, initial_state_bw, dtype, sequence_length, scope or "BiRNN"
    )


@reported_as_call()
def state_saving_rnn(
    cell: Any,
    inputs: Sequence[Any],
    state_saver: Any,
    state_name: Any,
    sequence_length: TensorLike | None = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """`static_state_saving_rnn` under its older name, with the variable scope "RNN".

    Args:
        cell: an `RNNCell`.
        inputs: a list with a tensor of shape [batch, size] for each time.
        state_saver: an object with the methods `state(name)` and `save_state(name, value)`.
        state_name: the name of the state, or a tuple of names like `cell.state_size`.
        sequence_length: an int vector with the length of each sequence of the batch.
        scope: the variable scope, or its name; by default "RNN".

    Returns:
        A pair: a list with an output for each time, and the state.

    Raises:
        TypeError: `cell` is no cell, or `inputs` is no list.
        ValueError: there are not as many names as states, or sizes do not fit.

    >>> import penstock as tf
    >>> class Saver:
    ...     def state(self, name): return tf.zeros([2, 4])
    ...     def save_state(self, name, value): return tf.no_op()
    >>> with tf.Graph().as_default():
    ...     outputs, _ = tf.nn.state_saving_rnn(tf.nn.rnn_cell.GRUCell(4), [tf.zeros([2, 3])] * 2, Saver(), "state")
    ...     print(len(outputs))
    2

    Source: TensorFlow 0.x, `tf.nn.state_saving_rnn`.
    """
    return static_state_saving_rnn(cell, inputs, state_saver, state_name, sequence_length, scope or "RNN")
