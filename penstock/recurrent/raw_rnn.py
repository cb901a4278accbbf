"""`raw_rnn`: a loop of a cell in which a function of the program gives each input, and decides what has ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..control_flow.call_errors import all_or_told
from ..control_flow.structures import flat, packed
from ..control_flow.tensor_array import TensorArray
from ..control_flow.while_loop import while_loop
from ..derivatives import rule_namespace as ops
from ..errors import UseError
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import int32
from ..graph.shapes.shape import TensorShape, shape_of
from ..ops.declare.composite import reported_as_call
from .cell_base import check_cell, entered
from .cell_states import map_leaves, sizes_of
from .masked_steps import where_ended


@reported_as_call()
def raw_rnn(
    cell: Any,
    loop_fn: Callable[..., Any],
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """A cell in a loop that goes on until all sequences have ended.

    Args:
        cell: an `RNNCell`, or an object like one.
        loop_fn: a function of (time, cell_output, cell_state, loop_state) that gives (elements_finished, next_input,
            next_cell_state, emit_output, next_loop_state). Before the first step it is called with time 0 and None for
            the others; its `emit_output` then gives shapes and dtypes of outputs without the batch, or None for those
            of the cell.
        parallel_iterations, swap_memory: accepted for TensorFlow's sake.
        scope: the variable scope, or its name; by default "rnn".

    Returns:
        (a structure of TensorArrays with the outputs of all times, the last state, the last loop state).

    Raises:
        TypeError: `cell` is no cell, or `loop_fn` is not callable.
        ValueError: what `loop_fn` gives changes its structure or shapes.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     cell, x = tf.nn.rnn_cell.GRUCell(4), tf.ones([2, 3])
    ...     def loop_fn(time, output, state, loop_state):
    ...         state = cell.zero_state(2, tf.float32) if output is None else state
    ...         return time >= [1, 3], x, state, output, None
    ...     emitted, state, _ = tf.nn.raw_rnn(cell, loop_fn)
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run(emitted.stack()).any(2))
    [[ True  True]
     [False  True]
     [False  True]]

    Source: TensorFlow 1.x, `tf.nn.raw_rnn`.
    """
    check_cell("raw_rnn", cell)
    if not callable(loop_fn):
        raise UseError(f"loop_fn must be a callable, not {loop_fn!r}")

    def build() -> tuple[Any, Any, Any]:
        with entered(scope, "rnn"):
            return _loop(cell, loop_fn)

    return all_or_told("raw_rnn", [], build)


def _loop(cell: Any, loop_fn: Callable[..., Any]) -> tuple[Any, Any, Any]:
    time = ops.constant(0, dtype=int32)
    finished, first_input, state, emit_like, loop_state = loop_fn(time, None, None, None)
    finished, first_input, state = (map_leaves(ops.convert_to_tensor, each) for each in (finished, first_input, state))
    has_loop_state = loop_state is not None
    first = flat(first_input)[0]
    dims = first.shape.raw
    batch = dims[0] if dims else None
    rows = batch if isinstance(batch, int) else ops.shape(first)[0]
    emitted, blank = _emitted(cell, emit_like, rows, batch, flat(state)[0].dtype)

    def condition(time: Tensor, finished: Tensor, *rest: Any) -> Tensor:
        return ops.logical_not(ops.reduce_all(finished))

    def body(time: Tensor, finished: Tensor, given: Any, arrays: Any, state: Any, before: Any) -> tuple[Any, ...]:
        output, cell_state = cell(given, state)
        following = ops.add(time, 1)
        ends, given, new, emit, after = loop_fn(following, output, cell_state, before if has_loop_state else None)
        emit = where_ended(finished, blank, map_leaves(ops.convert_to_tensor, emit))
        new = where_ended(finished, state, map_leaves(ops.convert_to_tensor, new))
        arrays = packed(
            arrays, [array.write(time, leaf).flow for array, leaf in zip(_arrays(arrays), flat(emit), strict=True)]
        )
        return following, ops.logical_or(finished, ends), given, arrays, new, before if after is None else after

    start = loop_state if has_loop_state else ops.constant(0, dtype=int32)
    *_, arrays, last, after = while_loop(
        condition, body, [time, finished, first_input, emitted, state, start], return_same_structure=True
    )
    return arrays, last, after if has_loop_state else None


def _arrays(structure: Any) -> list[TensorArray]:
    """The TensorArrays of a structure, which `flat` takes apart."""
    if isinstance(structure, TensorArray):
        return [structure]
    return [array for part in structure for array in _arrays(part)]


def _emitted(cell: Any, emit_like: Any, rows: Any, batch: Any, dtype: Any) -> tuple[Any, Any]:
    """The TensorArrays of outputs, and the zeros that ended sequences emit."""
    like = cell.output_size if emit_like is None else map_leaves(ops.convert_to_tensor, emit_like)
    arrays, blanks = [], []
    for i, leaf in enumerate(flat(like)):
        if emit_like is None:
            kind, size = dtype, sizes_of(leaf)
            sizes: Any = [rows, *size]
        else:
            kind = leaf.dtype
            size = list(leaf.shape.raw or ())
            is_known = leaf.shape.raw is not None and all(isinstance(each, int) for each in size)
            sizes = [rows, *size] if is_known else ops.concat(0, [ops.convert_to_tensor([rows]), ops.shape(leaf)])
        known = TensorShape(None) if emit_like is not None and leaf.shape.raw is None else shape_of((batch, *size))
        arrays.append(
            TensorArray(kind, size=0, dynamic_size=True, element_shape=known, name=f"rnn_output_{i}")
        )
        blanks.append(ops.zeros(sizes, kind))
    return _with_arrays(like, iter(arrays)), packed(like, blanks)


def _with_arrays(like: Any, arrays: Any) -> Any:
    """A structure like `like` with TensorArrays as its leaves."""
    return map_leaves(lambda leaf: next(arrays), like)
