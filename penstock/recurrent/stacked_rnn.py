"""Networks of several layers that run in both directions, each on the outputs of both directions of the one before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..control_flow.call_errors import all_or_told
from ..control_flow.structures import flat
from ..errors import UseError, ValueRuleError
from ..graph.declare.shared_docs import documented_like
from ..graph.declare.signature import DTypeLike, TensorLike
from ..ops.declare.composite import reported_as_call
from ..ops.move.concat_stack import concat
from ..variables.variable_scope_block import variable_scope
from .cell_base import entered
from .dynamic_rnn import bidirectional_dynamic_rnn
from .static_rnn import static_bidirectional_rnn


@reported_as_call()
def stack_bidirectional_rnn(
    cells_fw: Sequence[Any],
    cells_bw: Sequence[Any],
    inputs: Sequence[Any],
    initial_states_fw: Sequence[Any] | None = None,
    initial_states_bw: Sequence[Any] | None = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    scope: Any = None,
) -> tuple[list[Any], tuple[Any, ...], tuple[Any, ...]]:
    """Layers of `tf.nn.static_bidirectional_rnn`, one on top of the other.

    Args:
        cells_fw, cells_bw: lists with the cells of each layer.
        inputs: a list with a tensor of shape [batch, size] for each time.
        initial_states_fw, initial_states_bw: lists with each layer's state before the first step; zeros by default.
        dtype: the dtype of the states; needed where there is no initial state.
        sequence_length: an int vector with the length of each sequence.
        scope: the variable scope, or its name; by default "stack_bidirectional_rnn".

    Returns:
        Three values: a list with the outputs of the last layer for each time, and tuples with the last states of all
        layers forward and backward.

    Raises:
        TypeError: cells are no lists, or states and `dtype` are missing.
        ValueError: the lists are empty or of different lengths, or sizes do not fit.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     fw, bw = ([tf.nn.rnn_cell.GRUCell(4) for _ in range(2)] for _ in range(2))
    ...     outputs, *_ = tf.contrib.rnn.stack_bidirectional_rnn(fw, bw, [tf.zeros([2, 3])] * 5, dtype=tf.float32)
    ...     print(len(outputs), outputs[0].shape)
    5 (2, 8)

    Source: TensorFlow 1.x, `tf.contrib.rnn.stack_bidirectional_rnn`.
    """
    pairs = _pairs("stack_bidirectional_rnn", cells_fw, cells_bw, initial_states_fw, initial_states_bw)

    def build() -> tuple[list[Any], tuple[Any, ...], tuple[Any, ...]]:
        layer, forward, backward = list(inputs), [], []
        with entered(scope, "stack_bidirectional_rnn"):
            for i, (cell_fw, cell_bw, state_fw, state_bw) in enumerate(pairs):
                with variable_scope(f"cell_{i}") as block:
                    layer, last_fw, last_bw = static_bidirectional_rnn(
                        cell_fw, cell_bw, layer, state_fw, state_bw, dtype, sequence_length, block
                    )
                forward.append(last_fw)
                backward.append(last_bw)
        return layer, tuple(forward), tuple(backward)

    return all_or_told("stack_bidirectional_rnn", [*flat(list(inputs)), sequence_length], build)


@reported_as_call()
@documented_like(stack_bidirectional_rnn)
def stack_bidirectional_dynamic_rnn(
    cells_fw: Sequence[Any],
    cells_bw: Sequence[Any],
    inputs: Any,
    initial_states_fw: Sequence[Any] | None = None,
    initial_states_bw: Sequence[Any] | None = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    parallel_iterations: int | None = None,
    time_major: bool = False,
    scope: Any = None,
    swap_memory: bool = False,
) -> tuple[Any, tuple[Any, ...], tuple[Any, ...]]:
    """Layers of `tf.nn.bidirectional_dynamic_rnn`, one on top of the other.

    Args:
        inputs: a tensor of shape [batch, time, size], or time-major.
        parallel_iterations, swap_memory: accepted for TensorFlow's sake.
        time_major: whether time is the first dimension of inputs and outputs.
        scope: the variable scope, or its name; by default "stack_bidirectional_rnn".

    Returns:
        Three values: the outputs of the last layer, both directions side by side, and tuples with the last states of
        all layers forward and backward.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     fw, bw = ([tf.nn.rnn_cell.GRUCell(4) for _ in range(2)] for _ in range(2))
    ...     outputs, *_ = tf.contrib.rnn.stack_bidirectional_dynamic_rnn(fw, bw, tf.zeros([2, 5, 3]), dtype=tf.float32)
    ...     print(outputs.shape)
    (2, 5, 8)
    """
    pairs = _pairs("stack_bidirectional_dynamic_rnn", cells_fw, cells_bw, initial_states_fw, initial_states_bw)

    def build() -> tuple[Any, tuple[Any, ...], tuple[Any, ...]]:
        layer, forward, backward = inputs, [], []
        with entered(scope, "stack_bidirectional_rnn"):
            for i, (cell_fw, cell_bw, state_fw, state_bw) in enumerate(pairs):
                with variable_scope(f"cell_{i}"):
                    outputs, (last_fw, last_bw) = bidirectional_dynamic_rnn(
                        cell_fw, cell_bw, layer, sequence_length, state_fw, state_bw, dtype, time_major=time_major
                    )
                    layer = concat(2, list(outputs))
                forward.append(last_fw)
                backward.append(last_bw)
        return layer, tuple(forward), tuple(backward)

    return all_or_told("stack_bidirectional_dynamic_rnn", [*flat(inputs), sequence_length], build)


def _pairs(call: str, cells_fw: Any, cells_bw: Any, states_fw: Any, states_bw: Any) -> list[tuple[Any, ...]]:
    """The cells and states of each layer.

    Raises:
        UseError: something is no list.
        ValueRuleError: lists are empty, or their lengths differ.
    """
    for label, cells in (("cells_fw", cells_fw), ("cells_bw", cells_bw)):
        if not isinstance(cells, (list, tuple)):
            raise UseError(f"{call}: {label} must be a list of cells, one for each layer, not {cells!r}")
        if not cells:
            raise ValueRuleError(f"{call}: must specify at least one fw cell and one bw cell: {label} is empty")
    columns = [list(cells_fw), list(cells_bw)]
    for label, states in (("initial_states_fw", states_fw), ("initial_states_bw", states_bw)):
        if states is not None and not isinstance(states, (list, tuple)):
            raise UseError(f"{call}: {label} must be a list with the state of each layer, not {states!r}")
        columns.append([None] * len(cells_fw) if states is None else list(states))
    if len({len(column) for column in columns}) > 1:
        raise ValueRuleError(f"{call}: forward and backward cells and states must have the same depth, and there are "
                             f"{[len(column) for column in columns]}")  # fmt: skip
    return list(zip(*columns, strict=True))
