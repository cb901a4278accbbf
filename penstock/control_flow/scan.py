"""`scan`, `foldl` and `foldr`: a function of what there is so far and the next row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import ValueRuleError
from ..graph.building.convert import first_tensor
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.shared_docs import documented_like
from ..graph.model.default_graph import target_graph
from ..graph.model.nodes import Graph, Tensor
from ..graph.shapes.shape import TensorShape
from ..ops.control.while_op import while_op
from ..ops.create.constant_and_placeholder import constant, convert_to_tensor
from ..ops.move.concat_stack import concat
from ..ops.move.reshaping import expand_dims
from .call_errors import all_or_told
from .row_inputs import check_function, row_shape, tensors_of_rows
from .structures import differs, flat, packed, refuse_arrays, seen_from_outside
from .tracing import sizes_outside, traced
from .unneeded_effects import warn_of_unneeded_effects
from .while_loop import settled


@hides_frames
def scan(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """The results of `fn(a, row)` for each row of `elems`, stacked, where `a` is the result for the row before.

    Args:
        fn: a function of the value so far and a row; it gives the next value, of the same structure, dtypes and shapes.
            It is called once.
        elems: a tensor, or a structure of tensors with equally many rows.
        initializer: the value before the first row; None takes the first row itself, and its result is that row.
        parallel_iterations: accepted for TensorFlow's sake.
        back_prop: whether the result has a gradient.
        swap_memory: accepted for TensorFlow's sake.
        infer_shape: accepted for TensorFlow's sake.
        reverse: whether the rows are taken from the last to the first.
        name: the name of the node.

    Returns:
        A structure like the value: tensors with one more dimension, in front.

    Raises:
        TypeError: `fn` is not callable, or changes a dtype.
        ValueError: a tensor has no rows, or `fn` changes the structure or a shape.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.constant([1, 2, 3, 4])
    ...     print(session.run(tf.scan(lambda a, row: a * row, x)))
    ...     print(session.run(tf.scan(lambda a, row: a + row, x, initializer=10, reverse=True)))
    [ 1  2  6 24]
    [20 19 17 14]

    Source: TensorFlow 1.x, `tf.scan`.
    """
    return _folded("scan", fn, elems, initializer, back_prop, reverse, name or "scan", stacked=True)


@hides_frames
@documented_like(scan)
def foldl(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """The last result of `fn(a, row)` over the rows of `elems` from the first to the last.

    Args:
        fn: a function of the value so far and a row; it gives the next value. It is called once.
        initializer: the value before the first row; None takes the first row itself.

    Returns:
        A structure like the value.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.foldl(lambda a, row: 10 * a + row, tf.constant([1, 2, 3]))))
    123
    """
    return _folded("foldl", fn, elems, initializer, back_prop, False, name or "foldl", stacked=False)


@hides_frames
@documented_like(scan)
def foldr(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """The last result of `fn(a, row)` over the rows of `elems` from the last to the first.

    Args:
        fn: a function of the value so far and a row; it gives the next value. It is called once.
        initializer: the value before the last row; None takes the last row itself.

    Returns:
        A structure like the value.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.foldr(lambda a, row: 10 * a + row, tf.constant([1, 2, 3]))))
    321
    """
    return _folded("foldr", fn, elems, initializer, back_prop, True, name or "foldr", stacked=False)


def _folded(
    call: str, fn: Callable[..., Any], elems: Any, initializer: Any, back_prop: bool, reverse: bool, name: str,
    stacked: bool
) -> Any:  # fmt: skip
    check_function(call, fn)
    graph = target_graph(first_tensor([*flat(elems), *flat(initializer)]))

    def build() -> Any:
        with graph.name_scope(name) as scope:
            tensors = tensors_of_rows(call, graph, elems)
            return _built(call, graph, fn, elems, tensors, initializer, bool(back_prop), reverse, scope, stacked)

    return all_or_told(call, [*flat(elems), *([] if initializer is None else flat(initializer))], build)


def _built(
    call: str, graph: Graph, fn: Callable[..., Any], elems: Any, tensors: Sequence[Tensor], initializer: Any,
    back_prop: bool, reverse: bool, scope: str, stacked: bool
) -> Any:  # fmt: skip
    if initializer is None:
        _check_not_empty(call, tensors)
        rows = [t[:-1] if reverse else t[1:] for t in tensors]
        starts, like = [t[-1] if reverse else t[0] for t in tensors], elems
    else:
        rows, like = list(tensors), initializer
        starts = [graph.admit(convert_to_tensor(leaf, name="initializer")) for leaf in flat(initializer)]
    count = len(starts)

    def step(values: Sequence[Tensor]) -> list[Any]:
        return [packed(like, values[:count]), packed(elems, values[count:])]

    if stacked:
        refuse_arrays(call, like)

    def results(found: Any) -> Any:
        different = differs(like, found)
        if different:
            raise ValueRuleError(f"{call}: fn must return a value like the one it gets: {different} (before, after)")
        return found

    row_shapes = [row_shape(t) for t in rows]

    def once(shapes: Sequence[TensorShape]) -> Any:
        return traced(f"{call}: fn", fn, [*starts, *rows], "fn", [*shapes, *row_shapes], step,
                      lambda found: _twice(results(found), stacked), step([*starts, *rows]))  # fmt: skip

    body = settled(graph, call, once, starts, [t.shape for t in starts])
    warn_of_unneeded_effects(call, [("fn", body)])
    shapes = [t.shape for t in body.graph.inputs[:count]]
    always = traced(call, lambda *values: constant(True), [*starts, *rows], "cond", [*shapes, *row_shapes])
    outputs = while_op(None, [*starts, *rows], always.graph, body.graph, count, len(rows), reverse,
                       back_prop=back_prop, name=scope)  # fmt: skip
    if not stacked:
        return packed(seen_from_outside(like, [body.structure], sizes_outside(body.graph)), outputs[:count])
    stacks = outputs[count:-1]
    if initializer is None:
        pairs = zip(starts, stacks, strict=True)
        stacks = [concat(0, [s, expand_dims(a, 0)] if reverse else [expand_dims(a, 0), s]) for a, s in pairs]
    return packed(like, stacks)


def _twice(found: Any, stacked: bool) -> Any:
    """The next value, and the same once more where it is stacked."""
    return [found, found] if stacked else found


def _check_not_empty(call: str, tensors: Sequence[Tensor]) -> None:
    if any(t.shape.raw and t.shape.raw[0] == 0 for t in tensors):
        raise ValueRuleError(f"{call}: elems has no rows, so the first one cannot be the initializer; give one")
