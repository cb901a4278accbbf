"""`static_rnn` and its kin: a cell over a list of inputs, a copy of its operations for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..control_flow.call_errors import all_or_told
from ..control_flow.structures import flat, packed
from ..derivatives import rule_namespace as ops
from ..errors import ShapeError, UseError, ValueRuleError
from ..graph.building.context_functions import control_dependencies, name_scope
from ..graph.declare.signature import DTypeLike, TensorLike
from ..graph.model.nodes import Tensor
from ..ops.declare.composite import reported_as_call
from ..variables.variable_scope_block import variable_scope
from ..variables.variable_scope_object import VariableScope
from .cell_base import check_cell, entered
from .cell_states import map_leaves, zeros_of
from .dynamic_rnn import state_before
from .masked_steps import lengths_of, masked, reversed_in_time


@reported_as_call()
def static_rnn(
    cell: Any,
    inputs: Sequence[Any],
    initial_state: Any = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """The outputs of a recurrent cell for a list of inputs, and its last state, without a loop in the graph.

    Args:
        cell: an `RNNCell`, or an object like one.
        inputs: a list with a tensor of shape [batch, size], or a structure of such tensors, for each time.
        initial_state: the state before the first step, a structure like `cell.state_size`; zeros by default.
        dtype: the dtype of the state; needed where there is no `initial_state`.
        sequence_length: an int vector with the length of each sequence of the batch. After its end the outputs of a
            sequence are zero and its state stays.
        scope: the variable scope, or its name; by default "rnn".

    Returns:
        A pair: a list with an output for each time, and the last state.

    Raises:
        TypeError: `cell` is no cell, `inputs` is no list, or neither `initial_state` nor `dtype` is given.
        ValueError: `inputs` is empty, sizes do not fit, or a size of the inputs is not known.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     steps = tf.unpack(tf.zeros([5, 2, 3]))
    ...     outputs, state = tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(4), steps, dtype=tf.float32)
    ...     print(len(outputs), outputs[0].shape, state.shape)
    5 (2, 4) (2, 4)

    Source: TensorFlow 1.x, `tf.nn.static_rnn`.
    """
    return unrolled("static_rnn", cell, inputs, initial_state, dtype, sequence_length, scope, "rnn")


@reported_as_call()
def static_bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Sequence[Any],
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    scope: Any = None,
) -> tuple[list[Any], Any, Any]:
    """A cell over a list of inputs from the first to the last, and another from the last to the first.

    Args:
        cell_fw, cell_bw: the cells of the two directions; their variables are below "fw" and "bw".
        inputs: a list with a tensor of shape [batch, size] for each time.
        initial_state_fw, initial_state_bw: the states before the first step; zeros by default.
        dtype: the dtype of the states; needed where there is no initial state.
        sequence_length: an int vector with the length of each sequence; each is read backward from its own end.
        scope: the variable scope, or its name; by default "bidirectional_rnn".

    Returns:
        Three values: a list with the outputs of both cells side by side for each time, the last state forward, and the
        last state backward.

    Raises:
        TypeError: a cell is none, `inputs` is no list, or a state and `dtype` are missing.
        ValueError: `inputs` is empty, sizes do not fit, or a size of the inputs is not known.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cells = [tf.nn.rnn_cell.GRUCell(4), tf.nn.rnn_cell.GRUCell(4)]
    ...     outputs, fw, bw = tf.nn.static_bidirectional_rnn(*cells, [tf.zeros([2, 3])] * 5, dtype=tf.float32)
    ...     print(len(outputs), outputs[0].shape, bw.shape)
    5 (2, 8) (2, 4)

    Source: TensorFlow 1.x, `tf.nn.static_bidirectional_rnn`.
    """
    call = "static_bidirectional_rnn"
    _check_inputs(call, inputs)
    for cell in (cell_fw, cell_bw):
        check_cell(call, cell)

    def build() -> tuple[list[Any], Any, Any]:
        with entered(scope, "bidirectional_rnn"):
            with variable_scope("fw") as fw:
                ahead, last = unrolled(call, cell_fw, inputs, initial_state_fw, dtype, sequence_length, fw, "fw")
            with variable_scope("bw") as bw:
                reversed_inputs = _reversed(inputs, sequence_length)
                behind, first = unrolled(
                    call, cell_bw, reversed_inputs, initial_state_bw, dtype, sequence_length, bw, "bw"
                )
            behind = _reversed(behind, sequence_length)
        joined = [
            packed(one, [ops.concat(1, list(pair)) for pair in zip(flat(one), flat(other), strict=True)])
            for one, other in zip(ahead, behind, strict=True)
        ]
        return joined, last, first

    return all_or_told(call, [*flat(list(inputs)), sequence_length], build)


@reported_as_call()
def static_state_saving_rnn(
    cell: Any,
    inputs: Sequence[Any],
    state_saver: Any,
    state_name: Any,
    sequence_length: TensorLike | None = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """`static_rnn` whose state is kept from run to run by an object of the program.

    Args:
        cell: an `RNNCell`.
        inputs: a list with a tensor of shape [batch, size] for each time.
        state_saver: an object with the methods `state(name)` and `save_state(name, value)`.
        state_name: the name of the state, or a tuple of names like `cell.state_size`.
        sequence_length: an int vector with the length of each sequence of the batch.
        scope: the variable scope, or its name; by default "rnn".

    Returns:
        A pair: a list with an output for each time, the last of which waits for the state to be saved, and the state.

    Raises:
        TypeError: `cell` is no cell, or `inputs` is no list.
        ValueError: there are not as many names as states, or sizes do not fit.

    >>> import penstock as tf
    >>> class Saver:
    ...     def __init__(self): self.kept = tf.Variable(tf.zeros([2, 4]))
    ...     def state(self, name): return self.kept.value()
    ...     def save_state(self, name, value): return self.kept.assign(value)
    >>> with tf.Graph().as_default():
    ...     cell = tf.nn.rnn_cell.GRUCell(4)
    ...     outputs, state = tf.nn.static_state_saving_rnn(cell, [tf.zeros([2, 3])] * 2, Saver(), "state")
    ...     print(len(outputs), state.shape)
    2 (2, 4)

    Source: TensorFlow 1.x, `tf.nn.static_state_saving_rnn`.
    """
    names, sizes = flat(state_name), flat(cell.state_size)
    if len(names) != len(sizes):
        raise ValueRuleError(f"#elems(state_name) != #elems(cell.state_size): {len(names)} vs. {len(sizes)}")

    def build() -> tuple[list[Any], Any]:
        before = packed(cell.state_size, [state_saver.state(name) for name in names])
        outputs, state = unrolled(
            "static_state_saving_rnn", cell, inputs, before, None, sequence_length, scope, "rnn"
        )
        saved = [state_saver.save_state(name, leaf) for name, leaf in zip(names, flat(state), strict=True)]
        with control_dependencies(saved):
            outputs[-1] = map_leaves(ops.identity, outputs[-1])
        return outputs, state

    return all_or_told("static_state_saving_rnn", [*flat(list(inputs)), sequence_length], build)


def unrolled(
    call: str, cell: Any, inputs: Any, initial_state: Any, dtype: Any, sequence_length: Any, scope: Any, default: str
) -> tuple[list[Any], Any]:
    """The outputs for a list of inputs, and the last state."""
    check_cell(call, cell)
    _check_inputs(call, inputs)

    def build() -> tuple[list[Any], Any]:
        with entered(scope, default) as block:
            return _steps(cell, inputs, initial_state, dtype, sequence_length, block)

    states = [] if initial_state is None else flat(initial_state)
    return all_or_told(call, [*flat(list(inputs)), *states, sequence_length], build)


def _steps(
    cell: Any, inputs: Any, initial_state: Any, dtype: Any, sequence_length: Any, block: VariableScope
) -> tuple[list[Any], Any]:
    steps = [map_leaves(ops.convert_to_tensor, each) for each in inputs]
    first = flat(steps[0])[0]
    dims = first.shape.raw
    if dims is None or any(not isinstance(size, int) for size in dims[1:]):
        raise ShapeError("Input size (second dimension of inputs[0]) must be accessible via shape inference, but saw "
                         f"value None. The shape of {first.name!r} is {first.shape}")  # fmt: skip
    batch = dims[0]
    rows = batch if isinstance(batch, int) else ops.shape(first)[0]
    state = state_before(cell, initial_state, rows, dtype)
    lengths = lengths_of(sequence_length, batch, rows)
    blank = None if lengths is None else zeros_of(cell.output_size, rows, flat(state)[0].dtype)
    outputs = []
    for time, step in enumerate(steps):
        if time:
            block.reuse_variables()  # for cells that call get_variable themselves
        output, new = cell(step, state)
        output, state = masked(time, lengths, output, new, state, blank)
        outputs.append(output)
    return outputs, state


def _check_inputs(call: str, inputs: Any) -> None:
    if isinstance(inputs, Tensor) or not isinstance(inputs, Sequence):
        raise UseError(f"{call}: inputs must be a sequence with a tensor for each time, not {inputs!r}; write "
                       "tf.unpack(x) if time is its first dimension, or tf.nn.dynamic_rnn")  # fmt: skip
    if not inputs:
        raise ValueRuleError(f"{call}: inputs must not be empty")


def _reversed(steps: Sequence[Any], sequence_length: Any) -> list[Any]:
    """A list of inputs or outputs from the end of each sequence to its beginning."""
    if sequence_length is None:
        return list(reversed(steps))
    with name_scope("reversed"):
        leaves = [
            ops.unpack(reversed_in_time(ops.pack(list(column)), sequence_length, True), len(steps))
            for column in zip(*map(flat, steps), strict=True)
        ]
    return [packed(step, list(column)) for step, column in zip(steps, zip(*leaves, strict=True), strict=True)]
