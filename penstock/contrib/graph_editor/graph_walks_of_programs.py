"""Walks along the edges of a graph: what lies behind operations, what depends on them, what lies in between."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ...derivatives.gradient_paths import has_rule
from ...graph.declare.shared_docs import documented_like
from ...graph.model.nodes import Operation, Tensor
from .selected_operations import flat_items, get_consuming_ops, get_generating_ops, make_list_of_op, make_list_of_t


def get_backward_walk_ops(
    seed_ops: Any, inclusive: bool = True, within_ops: Any = None, within_ops_fn: Any = None, stop_at_ts: Any = (),
    control_inputs: bool = False, only_differentiable: bool = False,
) -> list[Operation]:  # fmt: skip
    """The operations that are needed to compute some.

    Args:
        seed_ops: operations, or tensors, which stand for the operations that make them.
        inclusive: whether `seed_ops` count.
        within_ops: the operations to which the walk is confined; None for all.
        within_ops_fn: a function that says whether an operation counts.
        stop_at_ts: tensors at which the walk stops.
        control_inputs: whether it follows control dependencies.
        only_differentiable: whether operations without a gradient are left out.

    Returns:
        A list of operations, the nearest first.

    Raises:
        TypeError: something else is passed.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.placeholder(tf.float32, [2], name="x")
    ...     y = tf.reduce_sum(tf.exp(x, name="e"), name="y")
    ...     print([op.name for op in tf.contrib.graph_editor.get_backward_walk_ops(y, stop_at_ts=[x])])
    ['y', 'e']

    Source: TensorFlow 1.x, `tf.contrib.graph_editor.get_backward_walk_ops`.
    """
    stops = set(make_list_of_t(stop_at_ts))

    def before(op: Operation) -> Iterator[Operation]:
        yield from (t.op for t in op.inputs if t not in stops)
        if control_inputs:
            yield from op.control_inputs

    may = _allowed(within_ops, within_ops_fn)
    if only_differentiable:
        return _walked(_seeds(seed_ops, get_generating_ops), before, lambda op: may(op) and has_rule(op), inclusive)
    return _walked(_seeds(seed_ops, get_generating_ops), before, may, inclusive)


@documented_like(get_backward_walk_ops)
def get_forward_walk_ops(
    seed_ops: Any, inclusive: bool = True, within_ops: Any = None, within_ops_fn: Any = None, stop_at_ts: Any = (),
    control_outputs: Any = None,
) -> list[Operation]:  # fmt: skip
    """The operations that depend on some.

    Args:
        seed_ops: operations, or tensors, which stand for the operations that read them.
        control_outputs: whether it follows control dependencies.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.placeholder(tf.float32, [2], name="x")
    ...     y = tf.reduce_sum(tf.exp(x, name="e"), name="y")
    ...     print([op.name for op in tf.contrib.graph_editor.get_forward_walk_ops(x.op)][:2])
    ['x', 'e']
    """
    stops = set(make_list_of_t(stop_at_ts))
    seeds = _seeds(seed_ops, get_consuming_ops)
    waiting: dict[Operation, list[Operation]] = {}
    if control_outputs and seeds:
        for op in seeds[0].graph.get_operations():
            for earlier in op.control_inputs:
                waiting.setdefault(earlier, []).append(op)

    def after(op: Operation) -> Iterator[Operation]:
        yield from (reader for t in op.outputs if t not in stops for reader in t.consumers())
        yield from waiting.get(op, ())

    return _walked(seeds, after, _allowed(within_ops, within_ops_fn), inclusive)


def get_walks_intersection_ops(
    forward_seed_ops: Any, backward_seed_ops: Any, forward_inclusive: bool = True, backward_inclusive: bool = True,
    within_ops: Any = None, within_ops_fn: Any = None, control_inputs: bool = False, control_outputs: Any = None,
    control_ios: Any = None,
) -> list[Operation]:  # fmt: skip
    """The operations that depend on some and are needed by others.

    Args:
        forward_seed_ops: where the walk to what depends on them begins.
        backward_seed_ops: where the walk to what they need begins.
        forward_inclusive, backward_inclusive: whether these count.
        within_ops: the operations to which the walks are confined; None for all.
        within_ops_fn: a function that says whether an operation counts.
        control_inputs: whether the walk back follows control dependencies.
        control_outputs: whether the walk forward does.
        control_ios: whether both do.

    Returns:
        A list of operations.

    Raises:
        TypeError: something else is passed.

    Source: TensorFlow 1.x, `tf.contrib.graph_editor.get_walks_intersection_ops`.
    """
    control_inputs, control_outputs = bool(control_inputs or control_ios), control_outputs or control_ios
    forward = get_forward_walk_ops(forward_seed_ops, forward_inclusive, within_ops, within_ops_fn,
                                   control_outputs=control_outputs)  # fmt: skip
    backward = set(get_backward_walk_ops(backward_seed_ops, backward_inclusive, within_ops, within_ops_fn,
                                         control_inputs=control_inputs))  # fmt: skip
    return [op for op in forward if op in backward]


def get_walks_union_ops(
    forward_seed_ops: Any, backward_seed_ops: Any, forward_inclusive: bool = True, backward_inclusive: bool = True,
    within_ops: Any = None, within_ops_fn: Any = None, control_inputs: bool = False, control_outputs: Any = None,
    control_ios: Any = None,
) -> list[Operation]:  # fmt: skip
    """The operations that depend on some, and those that others need.

    Args:
        forward_seed_ops, backward_seed_ops: as of `get_walks_intersection_ops`.
        forward_inclusive, backward_inclusive: as there.
        within_ops, within_ops_fn: as there.
        control_inputs, control_outputs, control_ios: as there.

    Returns:
        A list of operations, each once.

    Raises:
        TypeError: something else is passed.

    Source: TensorFlow 1.x, `tf.contrib.graph_editor.get_walks_union_ops`.
    """
    control_inputs, control_outputs = bool(control_inputs or control_ios), control_outputs or control_ios
    forward = get_forward_walk_ops(forward_seed_ops, forward_inclusive, within_ops, within_ops_fn,
                                   control_outputs=control_outputs)  # fmt: skip
    backward = get_backward_walk_ops(backward_seed_ops, backward_inclusive, within_ops, within_ops_fn,
                                     control_inputs=control_inputs)  # fmt: skip
    return list(dict.fromkeys([*forward, *backward]))


def _seeds(seed_ops: Any, of_tensors: Callable[[Any], list[Operation]]) -> list[Operation]:
    items = flat_items(seed_ops)
    if items and all(not isinstance(each, Operation) for each in items):
        return of_tensors(items)
    return make_list_of_op(items)


def _allowed(within_ops: Any, within_ops_fn: Any) -> Callable[[Operation], bool]:
    inside = None if within_ops is None else set(make_list_of_op(within_ops, ignore_ts=True))
    return lambda op: (inside is None or op in inside) and (within_ops_fn is None or bool(within_ops_fn(op)))


def _walked(
    seeds: list[Operation], neighbours: Callable[[Operation], Iterable[Operation]],
    may: Callable[[Operation], bool], inclusive: bool,
) -> list[Operation]:  # fmt: skip
    """What is reached from the seeds that may be, wave after wave."""
    starts = [op for op in seeds if may(op)]
    seen = dict.fromkeys(starts)
    wave = starts
    while wave:
        wave = [op for op in dict.fromkeys(n for each in wave for n in neighbours(each)) if op not in seen and may(op)]
        seen.update(dict.fromkeys(wave))
    return [op for op in seen if inclusive or op not in set(starts)]


def tensors_between(ops: Iterable[Operation]) -> tuple[list[Tensor], list[Tensor]]:
    """What some operations read from others, and what they make for others or for no operation at all."""
    inside = dict.fromkeys(ops)
    inputs = dict.fromkeys(t for op in inside for t in op.inputs if t.op not in inside)
    outputs = [t for op in inside for t in op.outputs
               if not t.consumers() or any(each not in inside for each in t.consumers())]  # fmt: skip
    return list(inputs), outputs
