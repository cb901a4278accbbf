"""`case` and `switch_case`: one of several functions, chosen when the graph runs. Both consist of `cond`s."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..derivatives import rule_namespace as ops
from ..errors import ShapeError, UseError, ValueRuleError
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import int32
from .call_errors import all_or_told
from .cond import cond
from .structures import flat, packed

Branch = Callable[[], Any]


@hides_frames
def case(
    pred_fn_pairs: Any,
    default: Branch | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """The results of the function beside the first predicate that is true when the graph runs.

    Args:
        pred_fn_pairs: a list of pairs (scalar bool tensor, function without arguments), or a dict from tensors to
            functions.
        default: the function to take where no predicate is true; None makes that an error of the run.
        exclusive: whether it is an error of the run if more than one predicate is true.
        strict: whether a list of one tensor stays a list.
        name: the name of the scope.

    Returns:
        What the functions return, with tensors that are the chosen values.

    Raises:
        TypeError: an argument is of another kind, or a predicate is a Python bool.
        ValueError: the functions give different structures, or there is neither a pair nor a default.
        InvalidArgumentError (when run): no predicate is true and there is no default, or several are true although
            they are exclusive.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.int32, [], name="x")
    ...     y = tf.case([(x < 0, lambda: -1), (x > 0, lambda: 1)], default=lambda: 0)
    ...     print([session.run(y, {x: value}) for value in [-7, 0, 7]])
    [np.int32(-1), np.int32(0), np.int32(1)]

    Source: TensorFlow 1.x, `tf.case`.
    """
    pairs = _pairs(pred_fn_pairs)
    if default is not None and not callable(default):
        raise UseError(f"case: default must be callable, not {default!r}")
    if not pairs and default is None:
        raise ValueRuleError("case: pred_fn_pairs is empty, and there is no default")

    def build() -> Any:
        preds = [ops.convert_to_tensor(pred) for pred, _ in pairs]
        last = default if default is not None else None
        chosen = _chain(preds, [function for _, function in pairs], last, strict)
        return _checked(preds, chosen) if exclusive and len(preds) > 1 else chosen()

    return all_or_told("case", [pred for pred, _ in pairs], build, scope=name or "case")


def _pairs(pairs: Any) -> list[tuple[Any, Branch]]:
    if isinstance(pairs, Mapping):
        pairs = list(pairs.items())
    if not isinstance(pairs, (list, tuple)):
        raise UseError(f"case: pred_fn_pairs must be a list, tuple or dict of pairs, not {pairs!r}")
    for i, pair in enumerate(pairs):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise UseError(f"case: pred_fn_pairs[{i}] must be a pair (predicate, function), not {pair!r}")
        if isinstance(pair[0], bool) or getattr(getattr(pair[0], "dtype", None), "name", "bool") != "bool":
            raise UseError(f"case: pred_fn_pairs[{i}][0] must be a tensor of bools, not {pair[0]!r}")
        if not callable(pair[1]):
            raise UseError(f"case: pred_fn_pairs[{i}][1] must be callable: a function without "
                           f"arguments, not {pair[1]!r}")  # fmt: skip
    return [(pred, function) for pred, function in pairs]


def _chain(preds: Sequence[Tensor], functions: Sequence[Branch], default: Branch | None, strict: bool) -> Branch:
    """The `cond`s, each inside the second branch of the one before."""
    rest = default
    if rest is None:
        rest = _if_true(preds, functions[-1])
        preds, functions = preds[:-1], functions[:-1]
    for pred, function in zip(reversed(preds), reversed(functions), strict=True):
        rest = _conditional(pred, function, rest, strict)
    return rest


def _if_true(preds: Sequence[Tensor], function: Branch) -> Branch:
    """The last function, which runs where no predicate before its own is true: that one must be."""
    words = "None of the conditions evaluated as True. Conditions: "
    words += f"({', '.join(pred.name for pred in preds)}), Values:"

    def checked() -> Any:
        met = ops.Assert(preds[-1], [words, ops.stack(list(preds))], summarize=len(preds), name="assert_one_is_true")
        return _after(met, function())

    return checked


def _conditional(pred: Tensor, function: Branch, rest: Branch, strict: bool) -> Branch:
    return lambda: cond(pred, function, rest, strict=strict)


def _after(first: Any, structure: Any) -> Any:
    return packed(structure, [ops.with_dependencies([first], leaf) for leaf in flat(structure)])


def _checked(preds: Sequence[Tensor], chosen: Branch) -> Any:
    """What is chosen, once it is certain that at most one predicate is true."""
    several = ops.stack(list(preds), name="preds_c")
    words = "More than one condition evaluated as True but exclusive=True. Conditions: "
    words += f"({', '.join(pred.name for pred in preds)}), Values:"
    alone = ops.less_equal(ops.reduce_sum(ops.cast(several, int32)), 1, name="at_most_one_true_condition")
    met = ops.Assert(alone, [words, several], summarize=len(preds), name="assert_exclusive")
    return _after(met, chosen())


@hides_frames
def switch_case(
    branch_index: TensorLike,
    branch_fns: Any,
    default: Branch | None = None,
    name: str = "switch_case",
) -> Any:
    """The results of the function with a number, which is found when the graph runs.

    Args:
        branch_index: a scalar int32.
        branch_fns: a list of functions without arguments, a list of pairs (int, function), or a dict from ints to
            functions.
        default: the function to take for all other numbers; None takes the function with the largest number.
        name: the name of the scope.

    Returns:
        What the functions return, with tensors that are the chosen values.

    Raises:
        TypeError: an argument is of another kind.
        ValueError: the functions give different structures, or two have the same number.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     i = tf.placeholder(tf.int32, [], name="i")
    ...     y = tf.switch_case(i, [lambda: 10, lambda: 20], default=lambda: -1)
    ...     print([session.run(y, {i: value}) for value in [0, 1, 2]])
    [np.int32(10), np.int32(20), np.int32(-1)]

    Source: TensorFlow 1.15, `tf.switch_case`.
    """
    numbered = _numbered(branch_fns)
    if default is None:
        numbers = sorted(numbered)
        default = numbered[numbers[-1]]
        numbered = {number: numbered[number] for number in numbers[:-1]}
    elif not callable(default):
        raise UseError(f"switch_case: default must be callable, not {default!r}")

    def build() -> Any:
        index = ops.convert_to_tensor(branch_index, int32, name="branch_index")
        if index.shape.ndims not in (0, None):
            raise ShapeError(f"switch_case: branch_index must be a scalar, not {index.name!r} of shape {index.shape}; "
                             "tf.map_fn can call switch_case for each element")  # fmt: skip
        rest: Branch = default
        for number in sorted(numbered, reverse=True):
            rest = _conditional(ops.equal(index, number), numbered[number], rest, False)
        return rest()

    return all_or_told("switch_case", [branch_index], build, scope=name or "switch_case")


def _numbered(given: Any) -> dict[int, Branch]:
    if isinstance(given, Mapping):
        given = list(given.items())
    if not isinstance(given, (list, tuple)) or not given:
        raise UseError(f"switch_case: branch_fns must be a list or dict of functions, with one at least, not {given!r}")
    found: dict[int, Branch] = {}
    for i, each in enumerate(given):
        pair = each if isinstance(each, (list, tuple)) else (i, each)
        if len(pair) != 2 or isinstance(pair[0], bool) or not isinstance(pair[0], int) or not callable(pair[1]):
            raise UseError(f"switch_case: branch_fns[{i}] is {each!r}; it must be a function without arguments, or a "
                           "pair of an int and such a function")  # fmt: skip
        if pair[0] in found:
            raise ValueRuleError(f"switch_case: two functions have the number {pair[0]}")
        found[pair[0]] = pair[1]
    return found
