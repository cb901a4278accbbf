"""`cond`: one of two functions, chosen when the graph runs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..errors import DTypeError, ShapeError, UseError, ValueRuleError
from ..graph.building.convert import first_tensor
from ..graph.common.source_location import user_stacklevel
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.effects import effects_of
from ..graph.model.default_graph import target_graph
from ..graph.model.identity_comparison import MistakeWarning
from ..graph.model.nodes import Operation, Tensor
from ..ops.control.if_op import if_op
from ..ops.create.constant_and_placeholder import convert_to_tensor
from .call_errors import all_or_told
from .structures import differs, packed, seen_from_outside
from .tracing import TracedFunction, sizes_outside, traced
from .unneeded_effects import warn_of_unneeded_effects

Branch = Callable[[], Any]


@hides_frames
def cond(
    pred: Any,
    true_fn: Branch | None = None,
    false_fn: Branch | None = None,
    strict: bool | str = False,
    name: str | None = None,
    fn1: Branch | None = None,
    fn2: Branch | None = None,
) -> Any:
    """The results of one of two functions, chosen by `pred` when the graph runs.

    Each function is called once, while the graph is built. What it builds is a graph of its own, and only that of the
    chosen function runs. Tensors from outside may be used inside; they are computed whatever is chosen, and so is an
    operation with an effect that was built outside.

    Args:
        pred: a scalar tensor of bools.
        true_fn: a function without arguments that gives a tensor, or a nested structure of tensors.
        false_fn: a function that gives a structure of the same form and dtypes.
        strict: whether a list of one tensor stays a list; otherwise the tensor itself is the result.
        name: the name of the node.
        fn1: the old name of `true_fn`.
        fn2: the old name of `false_fn`.

    Returns:
        What the functions return, with tensors that are the chosen values. Static sizes that both branches agree on
        are known.

    Raises:
        TypeError: `pred` is a Python bool, an argument is no function, or the results have different dtypes.
        ValueError: the functions give different structures.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.float32, [], name="x")
    ...     y = tf.cond(x > 0.0, lambda: x * 2.0, lambda: -x)
    ...     print(session.run(y, {x: 3.0}), session.run(y, {x: -3.0}))
    6.0 3.0

    Source: TensorFlow 1.x, `tf.cond`.
    """
    if isinstance(strict, str):  # in TensorFlow 0.x the name came here
        name, strict = strict, False
    first, second = _one("true_fn", true_fn, "fn1", fn1), _one("false_fn", false_fn, "fn2", fn2)
    if isinstance(pred, bool):
        raise UseError(f"cond: pred must not be a Python bool, but is {pred}: which branch is chosen is known then; "
                       f"call {'true_fn' if pred else 'false_fn'} itself")  # fmt: skip
    return all_or_told("cond", [pred], lambda: _built(pred, first, second, strict, name or "cond"))


def _one(name: str, given: Branch | None, old_name: str, old: Branch | None) -> Branch:
    if given is not None and old is not None:
        raise TypeError(f"cond: {name} and {old_name} are the same argument; give one")
    found = given if given is not None else old
    if found is None:
        raise TypeError(f"cond: {name} required")
    if not callable(found):
        raise TypeError(f"cond: {name} must be callable: a function without arguments, not {found!r}")
    return found


def _predicate(pred: Any) -> Tensor:
    """The tensor that chooses.

    Raises:
        TypeError: it is no bool.
        ValueError: it is no scalar.
    """
    if pred is None:
        raise UseError("cond: pred is None; it must be a tensor, a scalar bool, such as x > 0.0")
    found = convert_to_tensor(pred, name="pred")
    place = f"{found.name!r} {found.dtype} {found.shape} ({found.op.origin.place})"
    if not found.dtype.is_bool:
        cure = "tf.not_equal(pred, 0)" if found.dtype.is_integer or found.dtype.is_floating else "a comparison"
        raise DTypeError(f"cond: pred must be a scalar bool, and {place} has the dtype {found.dtype}: write {cure}, if "
                         "that is meant")  # fmt: skip
    if found.shape.ndims not in (0, None):
        raise ShapeError(f"cond: pred must be a scalar bool, and {place} has the shape {found.shape}: reduce it with "
                         "tf.reduce_all or tf.reduce_any; tf.where chooses element by element")  # fmt: skip
    return found


def quiet_cond(pred: Any, true_fn: Branch, false_fn: Branch) -> Any:
    """As `cond`, without a warning of operations outside of it that always run: the caller's documentation says so."""
    return _built(pred, true_fn, false_fn, False, "cond", warns=False)


def _built(pred: Any, true_fn: Branch, false_fn: Branch, strict: bool, name: str, warns: bool = True) -> Any:
    graph = target_graph(first_tensor(pred))
    with graph.name_scope(name) as scope:
        chosen = _predicate(pred)
        yes = traced("cond: true_fn", true_fn, [], "true")
        no = traced("cond: false_fn", false_fn, [], "false")
        different = differs(yes.structure, no.structure)
        if different:
            raise ValueRuleError(
                f"cond: true_fn and false_fn must return the same structure: {different} (true_fn first). "
                "Return equally many tensors in the same order from both, such as `lambda: (a, b)`"
            )
        for i, (a, b) in enumerate(zip(yes.graph.outputs, no.graph.outputs, strict=True)):
            if a.dtype is not b.dtype:
                raise DTypeError(f"cond: Outputs of true_fn and false_fn must have the same type: result {i} is "
                                 f"{a.dtype} ({a.op.origin.place}) and {b.dtype} ({b.op.origin.place}). Write "
                                 f"tf.cast(..., tf.{a.dtype}) in one")  # fmt: skip
        if warns:
            warn_of_outside_effects("cond", [yes, no])
        warn_of_unneeded_effects("cond", [("true_fn", yes), ("false_fn", no)])
        outputs = if_op(chosen, [], yes.graph, no.graph, name=scope)
    if not outputs:
        return graph.get_operations()[-1]
    known = sizes_outside(yes.graph) & sizes_outside(no.graph)
    result = packed(seen_from_outside(yes.structure, [yes.structure, no.structure], known), outputs)
    if not strict and type(result) in (list, tuple) and len(result) == 1:
        return result[0]
    return result


# ---- the warning for effects outside of a branch -------------------------------------------------


# The warning for operations with an effect that one branch uses and that were built outside of it: they always run.
#
# a = v.assign_add(1.0)
# y = tf.cond(p, lambda: a, lambda: v)        adds 1 whatever p is, as in TensorFlow
# y = tf.cond(p, lambda: v.assign_add(1.0), lambda: v)        adds 1 where p is true


_LOOKED_AT = 64
"""The most operations that are looked at behind what a branch uses."""


def warn_of_outside_effects(call: str, branches: Sequence[TracedFunction]) -> None:
    """A `MistakeWarning` at the user's line for what only one branch gives or uses, has an effect, and always runs."""
    used = [list(dict.fromkeys([*[t.op for t in each.graph.captures], *each.outside])) for each in branches]
    for i, own in enumerate(used):
        others = {op for j, each in enumerate(used) if j != i for op in each}
        found = _first_with_effect([op for op in own if op not in others])
        if found is not None:
            origin = found.origin
            warnings.warn(
                f"{call}: {found.name}, built at {origin.place}, runs whatever the condition: build it inside, in the "
                f"function of the branch. {origin.code}".rstrip(),
                MistakeWarning,
                stacklevel=user_stacklevel(),
            )
            return


def _first_with_effect(wanted: Iterable[Operation]) -> Operation | None:
    """The first operation with an effect that only `wanted` lead to."""
    waiting = list(wanted)
    seen = set(waiting)
    while waiting and len(seen) <= _LOOKED_AT:
        op = waiting.pop()
        if not op.opdef.is_pure and effects_of(op).is_seen:
            return op
        for above in (*[t.op for t in op.inputs], *op.control_inputs):
            if above not in seen and _leads_only_to(above, seen):
                seen.add(above)
                waiting.append(above)
    return None


def _leads_only_to(op: Operation, seen: set[Operation]) -> bool:
    """Whether all that uses the results of `op` so far is among `seen`."""
    return all(user in seen for tensor in op.outputs for user in op.graph.consumers_of(tensor))
