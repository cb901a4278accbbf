"""`map_fn`: a function of one row, applied to every row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import DTypeError, ValueRuleError
from ..graph.building.convert import first_tensor
from ..graph.common.tracebacks import hides_frames
from ..graph.model.default_graph import target_graph
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import as_dtype
from ..ops.control.while_op import while_op
from ..ops.create.constant_and_placeholder import constant
from .call_errors import all_or_told
from .row_inputs import check_function, row_shape, tensors_of_rows
from .structures import differs, flat, packed, refuse_arrays
from .tracing import traced
from .unneeded_effects import warn_of_unneeded_effects


@hides_frames
def map_fn(
    fn: Callable[..., Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """The results of `fn` on each row of `elems`, stacked.

    Args:
        fn: a function of a row, or of a structure of rows; it gives a tensor or a structure of tensors, of the same
            shapes for all rows. It is called once.
        elems: a tensor, or a structure of tensors with equally many rows.
        dtype: the dtypes of the results in their structure; needed where the structure is not that of `elems`.
        parallel_iterations: accepted for TensorFlow's sake.
        back_prop: whether the result has a gradient.
        swap_memory: accepted for TensorFlow's sake.
        infer_shape: accepted for TensorFlow's sake; the results have one shape.
        name: the name of the node.
        fn_output_signature: TensorFlow 2's name of `dtype`.

    Returns:
        A structure like that of the results of `fn`: tensors with one more dimension, in front.

    Raises:
        TypeError: `fn` is not callable, or gives other dtypes than `dtype`.
        ValueError: a tensor has no rows, or `fn` gives another structure.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.map_fn(lambda row: tf.reduce_max(row) - row, tf.constant([[1, 3], [5, 2]]))))
    [[2 0]
     [0 3]]

    Source: TensorFlow 1.x, `tf.map_fn`.
    """
    check_function("map_fn", fn)
    if dtype is None:
        dtype = fn_output_signature
    graph = target_graph(first_tensor(flat(elems)))

    def build() -> Any:
        with graph.name_scope(name or "map") as scope:
            tensors = tensors_of_rows("map_fn", graph, elems)
            step = traced("map_fn: fn", fn, tensors, "fn", [row_shape(t) for t in tensors],
                          lambda rows: [packed(elems, rows)], called_with=[packed(elems, tensors)])  # fmt: skip
            warn_of_unneeded_effects("map_fn", [("fn", step)])
            refuse_arrays("map_fn", step.structure)
            _check_results(elems, dtype, step.structure)
            always = traced("map_fn", lambda *rows: constant(True), tensors, "cond", [row_shape(t) for t in tensors])
            outputs = while_op(None, tensors, always.graph, step.graph, 0, len(tensors), back_prop=bool(back_prop),
                               name=scope)  # fmt: skip
        return packed(step.structure, outputs[:-1])

    return all_or_told("map_fn", flat(elems), build)


def _check_results(elems: Any, dtype: Any, results: Any) -> None:
    """The structure and the dtypes of the results, as the call promises them."""
    if dtype is None:
        different = differs(elems, results)
        if different:
            raise ValueRuleError(f"map_fn: fn gives another structure than elems has: {different} (elems, fn). "
                                 "Give dtype, a structure of dtypes like what fn returns")  # fmt: skip
        wanted: list[Any] = [leaf.dtype if isinstance(leaf, Tensor) else None for leaf in flat(elems)]
    else:
        different = differs(dtype, results)
        if different:
            raise ValueRuleError(f"map_fn: fn gives another structure than dtype: {different} (dtype, fn)")
        wanted = [as_dtype(leaf) for leaf in flat(dtype)]
    for i, (given, tensor) in enumerate(zip(wanted, flat(results), strict=True)):
        if given is not None and tensor.dtype is not given:
            raise DTypeError(f"map_fn: fn gives {tensor.dtype} ({tensor.op.origin.place}) where "
                             f"{'dtype says' if dtype is not None else 'elems has'} {given}, result {i}. "
                             f"Give dtype=tf.{tensor.dtype}, or write tf.cast in fn")  # fmt: skip


