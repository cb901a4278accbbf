"""Lists of operations and tensors: from what programs pass, by names, by scopes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any

from ... import get_default_graph
from ...errors import UseError
from ...graph.model.nodes import Operation, Tensor
from ...variables.variable import Variable


def flat_items(tops: Any) -> list[Any]:
    """Operations, tensors and texts of nested lists, in order."""
    if hasattr(tops, "get_operations"):
        return list(tops.get_operations())
    if hasattr(tops, "sgv_ops"):
        return list(tops.sgv_ops)
    if isinstance(tops, (Operation, Tensor, Variable, str, re.Pattern)):
        return [tops]
    if isinstance(tops, Iterable):
        return [each for one in tops for each in flat_items(one)]
    raise UseError(f"graph_editor takes operations, tensors, lists of them, or a graph, not {tops!r:.80}")


def _unique(items: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(items))


def make_list_of_op(
    tops: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ts: bool = False
) -> list[Operation]:
    """The operations among what is passed.

    Args:
        tops: an operation, a list of them, or a graph.
        check_graph: no effect: sessions check graphs.
        allow_graph: no effect.
        ignore_ts: whether tensors are left out; otherwise they are errors.

    Returns:
        A list of operations.

    Raises:
        TypeError: something else is in the list.

    >>> import penstock as tf
    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.constant(1.0, name="x")
    ...     print([op.name for op in tf.contrib.graph_editor.make_list_of_op(graph)])
    ['x']

    Source: TensorFlow 1.x, `tf.contrib.graph_editor.make_list_of_op`.
    """
    items = _unique(flat_items(tops))
    wrong = [each for each in items if not isinstance(each, Operation) and not (ignore_ts and isinstance(each, Tensor))]
    if wrong:
        raise UseError(f"make_list_of_op: {wrong[0]!r:.80} is no operation; t.op is that of a tensor")
    return [each for each in items if isinstance(each, Operation)]


def make_list_of_t(
    ts: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ops: bool = False
) -> list[Tensor]:
    """The tensors among what is passed; of a graph, all.

    Args:
        ts: a tensor, a list of them, or a graph.
        check_graph: no effect: sessions check graphs.
        allow_graph: no effect.
        ignore_ops: whether operations are left out; otherwise they are errors.

    Returns:
        A list of tensors.

    Raises:
        TypeError: something else is in the list.

    Source: TensorFlow 1.x, `tf.contrib.graph_editor.make_list_of_t`.
    """
    if hasattr(ts, "get_operations"):
        return get_tensors(ts)
    items = _unique(each.value() if isinstance(each, Variable) else each for each in flat_items(ts))
    others = [each for each in items if not isinstance(each, Tensor)]
    wrong = [each for each in others if not (ignore_ops and isinstance(each, Operation))]
    if wrong:
        raise UseError(f"make_list_of_t: {wrong[0]!r:.80} is no tensor; op.outputs are those of an operation")
    return [each for each in items if isinstance(each, Tensor)]


def get_tensors(graph: Any) -> list[Tensor]:
    """All tensors of a graph.

    Args:
        graph: the graph.

    Returns:
        A list of tensors, in the order of their operations.

    Raises:
        TypeError: it is no graph.

    Source: TensorFlow 1.x, `tf.contrib.graph_editor.get_tensors`.
    """
    if not hasattr(graph, "get_operations"):
        raise UseError(f"get_tensors: {graph!r:.60} is no graph")
    return [t for op in graph.get_operations() for t in op.outputs]


def get_generating_ops(ts: Any) -> list[Operation]:
    """The operations that make tensors.

    Args:
        ts: a list of tensors.

    Returns:
        A list of operations, each once.

    Raises:
        TypeError: something else is in the list.

    Source: TensorFlow 1.x, `tf.contrib.graph_editor.get_generating_ops`.
    """
    return _unique(t.op for t in make_list_of_t(ts))


def get_consuming_ops(ts: Any) -> list[Operation]:
    """The operations that read tensors.

    Args:
        ts: a list of tensors.

    Returns:
        A list of operations, each once.

    Raises:
        TypeError: something else is in the list.

    Source: TensorFlow 1.x, `tf.contrib.graph_editor.get_consuming_ops`.
    """
    return _unique(op for t in make_list_of_t(ts) for op in t.consumers())


def _predicate(positive_filter: Any) -> Callable[[Any], bool]:
    if positive_filter is True:
        return lambda _: True
    if callable(positive_filter):
        return lambda each: bool(positive_filter(each))
    pattern = re.compile(positive_filter)
    return lambda each: pattern.search(each.name) is not None


def filter_ops(ops: Any, positive_filter: Any) -> list[Operation]:
    """The operations for which a filter says yes.

    Args:
        ops: a list of operations, or a graph.
        positive_filter: a function of an operation, a regular expression that its name has to contain, or True.

    Returns:
        A list of operations.

    Raises:
        TypeError: something else is in the list.

    Source: TensorFlow 1.x, `tf.contrib.graph_editor.filter_ops`.
    """
    says = _predicate(positive_filter)
    return [op for op in make_list_of_op(ops) if says(op)]


def filter_ts(ops: Any, positive_filter: Any) -> list[Tensor]:
    """The tensors that operations make and for which a filter says yes.

    Args:
        ops: a list of operations, or a graph.
        positive_filter: a function of a tensor, a regular expression that its name has to contain, or True.

    Returns:
        A list of tensors.

    Raises:
        TypeError: something else is in the list.

    Source: TensorFlow 1.x, `tf.contrib.graph_editor.filter_ts`.
    """
    says = _predicate(positive_filter)
    return [t for op in make_list_of_op(ops) for t in op.outputs if says(t)]


def get_name_scope_ops(ops: Any, scope: str) -> list[Operation]:
    """The operations of a name scope.

    Args:
        ops: a list of operations, or a graph.
        scope: the name of the scope, with or without a slash at its end; the operation of that very name counts too.

    Returns:
        A list of operations.

    Raises:
        TypeError: something else is in the list.

    Source: TensorFlow 1.x, `tf.contrib.graph_editor.get_name_scope_ops`.
    """
    prefix = scope.rstrip("/")
    return [op for op in make_list_of_op(ops) if not prefix or op.name == prefix or op.name.startswith(f"{prefix}/")]


def select_ops(*args: Any, **kwargs: Any) -> list[Operation]:
    """Operations by regular expressions, and those that are passed.

    Args:
        args: texts, each a regular expression that a name has to match from its beginning; operations; lists of both.
        kwargs: `graph`, whose operations are searched, by default the current one; `restrict_ops_regex`, which all
            names have to match.

    Returns:
        A list of operations, each once.

    Raises:
        TypeError: something else is passed.

    >>> import penstock as tf
    >>> with tf.Graph().as_default() as graph:
    ...     with tf.name_scope("layer"):
    ...         x = tf.constant(1.0, name="x")
    ...     y = tf.exp(x, name="y")
    ...     print([op.name for op in tf.contrib.graph_editor.select_ops("layer/.*", graph=graph)])
    ['layer/x']

    Source: TensorFlow 1.x, `tf.contrib.graph_editor.select_ops`.
    """
    return [each for each in _selected(args, kwargs, "select_ops", lambda graph: graph.get_operations())
            if isinstance(each, Operation)]  # fmt: skip


def select_ts(*args: Any, **kwargs: Any) -> list[Tensor]:
    """Tensors by regular expressions, and those that are passed.

    Args:
        args: texts, each a regular expression that a name has to match from its beginning; tensors; lists of both.
        kwargs: `graph`, whose tensors are searched, by default the current one; `restrict_ts_regex`, which all names
            have to match.

    Returns:
        A list of tensors, each once.

    Raises:
        TypeError: something else is passed.

    Source: TensorFlow 1.x, `tf.contrib.graph_editor.select_ts`.
    """
    return [each for each in _selected(args, kwargs, "select_ts", get_tensors) if isinstance(each, Tensor)]


def _selected(args: Any, kwargs: dict[str, Any], call: str, members: Callable[[Any], Any]) -> list[Any]:
    graph = kwargs.pop("graph", None) or get_default_graph()
    kwargs.pop("positive_filter", None)
    restricting = [value for key, value in kwargs.items() if key in ("restrict_ops_regex", "restrict_ts_regex")]
    unknown = [key for key in kwargs if key not in ("restrict_ops_regex", "restrict_ts_regex")]
    if unknown:
        raise UseError(f"{call}: unexpected argument {unknown[0]!r}; it takes graph and a pattern that restricts")
    selected: list[Any] = []
    for each in flat_items(args):
        if isinstance(each, (str, re.Pattern)):
            pattern = re.compile(re.sub(r"^\(\?#(ts|ops)\)\s*", "", each) if isinstance(each, str) else each)
            selected += [one for one in members(graph) if pattern.match(one.name)]
        else:
            selected.append(each)
    limits = [re.compile(each) for each in restricting if each]
    return _unique(each for each in selected if all(limit.match(each.name) for limit in limits))


def get_within_boundary_ops(
    ops: Any, seed_ops: Any, boundary_ops: Collection[Operation] = (), inclusive: bool = True,
    control_inputs: bool = False, control_outputs: Any = None, control_ios: Any = None,
) -> list[Operation]:  # fmt: skip
    """The operations that are connected with some, up to a boundary.

    Args:
        ops: the operations to choose from, or a graph.
        seed_ops: where to begin.
        boundary_ops: where to stop.
        inclusive: whether the boundary itself counts.
        control_inputs: whether control dependencies connect too.
        control_outputs: no effect.
        control_ios: as `control_inputs`.

    Returns:
        A list of operations.

    Raises:
        TypeError: something else is in a list.

    Source: TensorFlow 1.x, `tf.contrib.graph_editor.get_within_boundary_ops`.
    """
    allowed = make_list_of_op(ops)
    bounds = set(make_list_of_op(boundary_ops))
    through_control = bool(control_inputs or control_ios)
    seen = dict.fromkeys(make_list_of_op(seed_ops))
    wave = [op for op in seen if op not in bounds]
    inside = set(allowed)
    while wave:
        near = [n for op in wave for n in (*(t.op for t in op.inputs), *(op.control_inputs if through_control else ()),
                                           *(c for t in op.outputs for c in t.consumers()))]  # fmt: skip
        wave = []
        for op in near:
            if op in inside and op not in seen:
                seen[op] = None
                if op not in bounds:
                    wave.append(op)
    return [op for op in allowed if op in seen and (inclusive or op not in bounds)]
