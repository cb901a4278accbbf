"""`dynamic_rnn` and `bidirectional_dynamic_rnn`: a cell over time as a loop in the graph."""

from __future__ import annotations

import warnings
from typing import Any

from ..control_flow.call_errors import all_or_told
from ..control_flow.recurrence import recurrence
from ..control_flow.structures import flat
from ..control_flow.tensor_array import TensorArray
from ..derivatives import rule_namespace as ops
from ..errors import ShapeError, ValueRuleError
from ..graph.common.source_location import user_stacklevel
from ..graph.declare.signature import DTypeLike, TensorLike
from ..graph.model.default_graph import get_default_graph
from ..graph.model.identity_comparison import MistakeWarning
from ..graph.model.nodes import Tensor
from ..graph.shapes.dimension import Dim
from ..graph.shapes.shape import shape_of
from ..ops.declare.composite import reported_as_call
from ..variables.variable_scope_block import variable_scope
from .cell_base import check_cell, entered, next_pair
from .cell_states import LSTMStateTuple, map_leaves, sizes_of, zeros_of
from .masked_steps import checked_rows, exchanged, lengths_of, masked, reversed_in_time
from .weights_of_scopes import WeightsOfScopes


@reported_as_call()
def dynamic_rnn(
    cell: Any,
    inputs: Any,
    sequence_length: TensorLike | None = None,
    initial_state: Any = None,
    dtype: DTypeLike | None = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """The outputs of a recurrent cell at all times, and its last state.

    Args:
        cell: an `RNNCell`, or an object like one.
        inputs: a tensor of shape [batch, time, size...], or a structure of such tensors; [time, batch, size...] if
            `time_major`. The sizes after these two are known.
        sequence_length: an int vector with the length of each sequence of the batch. After its end the outputs of a
            sequence are zero and its state stays; by default all have the length of the inputs.
        initial_state: the state before the first step, a structure like `cell.state_size`; zeros by default.
        dtype: the dtype of the state; needed where there is no `initial_state`.
        parallel_iterations, swap_memory: accepted for TensorFlow's sake: steps run one after the other.
        time_major: whether time is the first dimension of inputs and outputs; then nothing is transposed.
        scope: the variable scope, or its name; by default "rnn".

    Returns:
        A pair: a structure like `cell.output_size` of tensors of shape [batch, time, size...] (or time-major), and the
        last state.

    Raises:
        TypeError: `cell` is no cell, or neither `initial_state` nor `dtype` is given.
        ValueError: sizes do not fit, or a size of the inputs is not known.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32, ["batch", "time", 3])
    ...     outputs, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(4), x, sequence_length=[2, 5], dtype=tf.float32)
    ...     session.run(tf.global_variables_initializer())
    ...     values = session.run(outputs, {x: [[[1.0, 2.0, 3.0]] * 5] * 2})
    ...     print(outputs.shape, state.shape, values[0].any(1), values[1].any(1))
    (batch, time, 4) (batch, 4) [ True  True False False False] [ True  True  True  True  True]

    Source: TensorFlow 1.x, `tf.nn.dynamic_rnn`.
    """
    check_cell("dynamic_rnn", cell)

    def build() -> tuple[Any, Any]:
        with entered(scope, "rnn"):
            return unrolled_in_graph(cell, inputs, sequence_length, initial_state, dtype, time_major)

    return all_or_told("dynamic_rnn", [*flat(inputs), *_leaves(initial_state), sequence_length], build)


@reported_as_call()
def bidirectional_dynamic_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    sequence_length: TensorLike | None = None,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: DTypeLike | None = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """A cell over time from the first element to the last, and another from the last to the first.

    Args:
        cell_fw, cell_bw: the cells of the two directions; their variables are below "fw" and "bw".
        inputs: a tensor of shape [batch, time, size...], or time-major.
        sequence_length: an int vector with the length of each sequence; each is read backward from its own end.
        initial_state_fw, initial_state_bw: the states before the first step; zeros by default.
        dtype: the dtype of the states; needed where there is no initial state.
        parallel_iterations, swap_memory: accepted for TensorFlow's sake.
        time_major: whether time is the first dimension of inputs and outputs.
        scope: the variable scope, or its name; by default "bidirectional_rnn".

    Returns:
        ((outputs forward, outputs backward), (last state forward, last state backward)); the outputs of both belong to
        the elements of the inputs in their order.

    Raises:
        TypeError: a cell is none, or a state and `dtype` are missing.
        ValueError: sizes do not fit, or a size of the inputs is not known.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     cells = [tf.nn.rnn_cell.GRUCell(4), tf.nn.rnn_cell.GRUCell(4)]
    ...     outputs, states = tf.nn.bidirectional_dynamic_rnn(*cells, tf.zeros([2, 5, 3]), dtype=tf.float32)
    ...     print(tf.concat(2, outputs).shape, cells[1].variables[0].name)
    (2, 5, 8) bidirectional_rnn/bw/gru_cell/gates/kernel:0

    Source: TensorFlow 1.x, `tf.nn.bidirectional_dynamic_rnn`.
    """
    for cell in (cell_fw, cell_bw):
        check_cell("bidirectional_dynamic_rnn", cell)

    if cell_fw is cell_bw and not WeightsOfScopes.are_on:
        warnings.warn(f"bidirectional_dynamic_rnn: both directions have the same cell, {cell_fw!r}, and share its "
                      f"weights; make two: {type(cell_fw).__name__}(...) once for cell_fw and once for cell_bw",
                      MistakeWarning, stacklevel=user_stacklevel())  # fmt: skip

    def build() -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        with entered(scope, "bidirectional_rnn"):
            with variable_scope("fw"):
                forward = unrolled_in_graph(
                    cell_fw, inputs, sequence_length, initial_state_fw, dtype, time_major
                )
            with variable_scope("bw"):
                backward = _from_the_end(cell_bw, inputs, sequence_length, initial_state_bw, dtype, time_major)
        return (forward[0], backward[0]), (forward[1], backward[1])

    leaves = [*flat(inputs), *_leaves(initial_state_fw), *_leaves(initial_state_bw), sequence_length]
    return all_or_told("bidirectional_dynamic_rnn", leaves, build)


def _from_the_end(
    cell: Any, inputs: Any, sequence_length: Any, initial_state: Any, dtype: Any, time_major: bool
) -> tuple[Any, Any]:
    """A cell over time from the last element of each sequence to the first."""
    if sequence_length is None:  # the loop itself goes backward
        return unrolled_in_graph(cell, inputs, None, initial_state, dtype, time_major, reverse=True)

    def reversed_parts(structure: Any) -> Any:
        return map_leaves(lambda leaf: reversed_in_time(leaf, sequence_length, time_major), structure)

    outputs, state = unrolled_in_graph(
        cell, reversed_parts(inputs), sequence_length, initial_state, dtype, time_major
    )
    return reversed_parts(outputs), state


def unrolled_in_graph(
    cell: Any,
    inputs: Any,
    sequence_length: Any,
    initial_state: Any,
    dtype: Any,
    time_major: bool,
    reverse: bool = False,
) -> tuple[Any, Any]:
    """The outputs and the last state of a cell, as nodes in the current scopes."""
    tensors = map_leaves(ops.convert_to_tensor, inputs)
    for leaf in flat(tensors):
        _check_input(leaf)
    rows = tensors if time_major else map_leaves(exchanged, tensors)
    first = flat(rows)[0]
    batch = first.shape.raw[1]
    graph = get_default_graph()
    batch_size = batch if isinstance(batch, int) else ops.shape(first)[1]
    lengths = lengths_of(sequence_length, batch, batch_size)
    state = state_before(cell, initial_state, batch_size, dtype)
    if initial_state is not None:
        state = map_leaves(lambda leaf: _with_rows_checked(leaf, batch, batch_size), state)
    state = map_leaves(lambda leaf: _of_batch(leaf, batch), state)
    blank = None if lengths is None else zeros_of(cell.output_size, batch_size, flat(state)[0].dtype)

    def step(inputs: Any, state: Any) -> tuple[Any, Any]:  # pictures call the loop variables so
        if lengths is None:
            return _next(cell, inputs, state)
        output, new = _next(cell, inputs["at"], state)
        return masked(inputs["time"], lengths, output, new, state, blank)

    steps = rows if lengths is None else {"at": rows, "time": ops.range(ops.shape(first)[0])}
    outputs, last = recurrence(graph, "dynamic_rnn", step, steps, state, reverse)
    for leaf, size in zip(flat(outputs), flat(cell.output_size), strict=True):
        leaf.set_shape(shape_of((first.shape.raw[0], batch, *sizes_of(size))))
    return outputs if time_major else map_leaves(exchanged, outputs), last


def _next(cell: Any, row: Any, before: Any) -> tuple[Any, Any]:
    """Output and next state of a cell.

    Raises:
        UseError: it returns something else.
        ShapeError: the next state has other sizes than the state.
    """
    output, new = next_pair(cell, cell(row, before))
    for old, part in zip(flat(before), flat(new), strict=False):
        if isinstance(old, Tensor) and isinstance(part, Tensor) and not old.shape.is_compatible_with(part.shape):
            raise ShapeError(
                f"the cell {type(cell).__name__} got a state of shape {old.shape} and returned one of shape "
                f"{part.shape}; the state keeps its shape, which is [batch, state_size], and state_size is "
                f"{cell.state_size}"
            )
    return output, new


def state_before(cell: Any, initial_state: Any, batch_size: Any, dtype: Any) -> Any:
    """The state before the first step: what was given, or zeros.

    Raises:
        ValueRuleError: there is neither a state nor a dtype.
        ShapeError: a part of the state has another size than that of the cell.
    """
    if initial_state is not None:
        state = map_leaves(ops.convert_to_tensor, initial_state)
        leaves, sizes = flat(state), flat(getattr(cell, "state_size", ()))
        if len(sizes) == 1 < len(leaves):
            raise ValueRuleError(f"initial_state has {len(leaves)} tensors, and the state of the cell is one, of size "
                                 f"{sizes[0]}; cell.zero_state(batch_size, dtype) has the right form")  # fmt: skip
        states = getattr(cell, "state_size", ())
        if isinstance(states, tuple) and not isinstance(states, LSTMStateTuple) and isinstance(state, Tensor):
            raise ValueRuleError(f"initial_state is one tensor, of shape {state.shape}, and the state of the cell is a "
                                 f"tuple of {len(states)}, of sizes {states}; cell.zero_state(batch_size, dtype) has "
                                 "the right form")  # fmt: skip
        for leaf, size in zip(leaves, sizes if len(sizes) == len(leaves) else [], strict=False):
            raw = leaf.shape.raw if isinstance(leaf, Tensor) else None
            if raw and isinstance(raw[0], int) and isinstance(batch_size, int) and raw[0] != batch_size:
                raise ShapeError(
                    f"initial_state has a part of shape {leaf.shape}, of {raw[0]} rows, and the inputs have "
                    f"{batch_size} sequences; cell.zero_state({batch_size}, dtype) has as many"
                )
            if raw and not shape_of(raw[1:]).is_compatible_with(shape_of(sizes_of(size))):
                raise ShapeError(f"initial_state has a part of shape {leaf.shape}, and that of the cell has the size "
                                 f"{size}; cell.zero_state(batch_size, dtype) has the right form")  # fmt: skip
        return state
    if dtype is None:
        raise ValueRuleError("If there is no initial_state, you must give a dtype, such as dtype=tf.float32.")
    if getattr(cell, "get_initial_state", None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch_size, dtype=dtype)
    return cell.zero_state(batch_size, dtype)


def _with_rows_checked(leaf: Tensor, batch: Dim, batch_size: Any) -> Tensor:
    """A part of the state of the program's; one of no rows, such as a number of steps, is any."""
    if not leaf.shape.raw or isinstance(leaf, TensorArray):
        return leaf
    return checked_rows(leaf, batch, batch_size, ("initial_state has a part of", "rows"))


def _of_batch(leaf: Tensor, batch: Dim) -> Tensor:
    """A part of the state, which has as many rows as the inputs: then its shape is the same in all iterations."""
    dims = leaf.shape.raw
    if not dims or dims[0] == batch or isinstance(leaf, TensorArray) or isinstance(dims[0], int):
        return leaf
    same = ops.identity(leaf)
    same.set_shape(shape_of((batch, *dims[1:])))
    return same


def _check_input(tensor: Tensor) -> None:
    dims = tensor.shape.raw
    if dims is None or len(dims) < 2:
        raise ShapeError(f"Shape {tensor.shape} must have rank at least 2: inputs of a recurrent network are "
                         "[batch, time, size]; give the shape with t.set_shape")  # fmt: skip
    if any(not isinstance(size, int) for size in dims[2:]):
        raise ShapeError("Input size (depth of inputs) must be accessible via shape inference, but saw value None. "
                         f"The shape of {tensor.name!r} is {tensor.shape}; give it with t.set_shape")  # fmt: skip


def _leaves(structure: Any) -> list[Any]:
    return [] if structure is None else flat(structure)
