"""Constant evaluation while building: the values that tensors will have, as far as they follow from constants.

Shape rules ask: `reshape(x, s)` needs the numbers in s. A value is *fully* known if it is computed only from constants
and from shapes that are known. `known_value` works it out with each op's value rule, or, where an op has none, with the
kernel that its declaration states (`OpDef.own_kernel`; never one that replaced it). Only ops without effects that may
be folded are evaluated, on at most 100,000 elements a step, and the result of a step that raises is not known. A small
int tensor may also be known *entry by entry*: in `pack([shape(x)[0], 3])` the first entry is x's dimension, whatever it
is; `known_entries` gives ints, Dimensions and None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ...errors import ValueRuleError
from ..common.float_errors import unwarned
from ..declare.effects import effects_of
from ..model.journal import evaluation_depth as _depth
from ..model.nodes import Operation, Tensor
from ..shapes.dimension import Dim, unknown
from ..shapes.shape import TensorShape, shape_of, unknown_rank
from ..shapes.size_claims import claiming

if TYPE_CHECKING:
    from ..declare.op_declaration import OpDef

LIMIT = 100_000
LONGEST_VECTOR = 64
"""Vectors that describe shapes are short; longer ones are not followed entry by entry."""
Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Entry: TypeAlias = Dim | None
Entries: TypeAlias = Entry | tuple[Entry, ...]


def known_value(tensor: Tensor) -> Array | None:
    """The value of a tensor, where it follows from constants and known shapes alone.

    Args:
        tensor: any tensor.

    Returns:
        A NumPy array, or None where it is not known before a run.

    >>> import penstock as tf
    >>> from penstock.extend import known_value
    >>> with tf.Graph().as_default():
    ...     print(known_value(tf.constant([1, 2]) + 1), known_value(tf.placeholder(tf.int32, [2])))
    [2 3] None
    """
    cache = tensor.op.graph.known_values
    if tensor in cache:
        return cache[tensor]  # type: ignore[no-any-return]  # arrays or None are all that is put there
    if tensor.op.opdef.facts.is_constant:
        return tensor.op.args[0]  # type: ignore[no-any-return]
    # Iterative, because a chain of thousands of adds must not exhaust Python's stack.
    stack = [tensor.op]
    while stack:
        op = stack[-1]
        if op.outputs[0] in cache:
            stack.pop()
            continue
        waiting = _unresolved_inputs(op, cache)
        if waiting:
            stack.extend(waiting)
            continue
        stack.pop()
        for output, value in zip(op.outputs, _evaluate(op, cache), strict=True):
            cache[output] = value
    return cache.get(tensor)


def _unresolved_inputs(op: Operation, cache: dict[Tensor, Any]) -> list[Operation]:
    if law_of(op) is None or _shape_fact(op) is not None:
        return []
    return [t.op for t in op.inputs if t not in cache and not t.op.opdef.facts.is_constant and t.op is not op]


def law_of(op: Operation) -> Callable[..., Any] | None:
    """The function from arrays to the values of `op` that building may call; None if there is none."""
    opdef = op.opdef
    effects = effects_of(op)
    if not effects.may_evaluate:
        return None
    if opdef.value_rule is not None:
        return opdef.value_rule
    # Ops that read a shape only have a partial rule: what it cannot say, the elements cannot either.
    if opdef.own_kernel is None or not effects.may_fold or opdef.facts.reads_shape_only:
        return None
    return partial(opdef.own_kernel, np)


def _evaluate(op: Operation, cache: dict[Tensor, Any]) -> tuple[Array | None, ...]:
    nothing = (None,) * len(op.outputs)
    if not (op.opdef.is_pure or effects_of(op).may_evaluate):
        return nothing
    fact = _shape_fact(op)
    if fact is not None:
        return fact
    law = law_of(op)
    if law is None or len(op.outputs) > LIMIT:
        return nothing
    found = [t.op.args[0] if t.op.opdef.facts.is_constant else cache.get(t) for t in op.inputs]
    inputs = [v for v in found if v is not None and v.size <= LIMIT]
    if len(inputs) < len(found):
        return nothing
    try:
        if any(size is not None and size > LIMIT for size in _result_sizes(op, inputs)):
            return nothing
        result = unwarned(law, *with_inputs(op, inputs, list))
        values = result if isinstance(result, (list, tuple)) else (result,)
        if any(np.size(v) > LIMIT for v in values):
            return nothing
        return tuple(np.asarray(v, t.dtype.np) for v, t in zip(values, op.outputs, strict=True))
    except Exception:  # whatever is wrong with the values, the run reports it
        return nothing


def _result_sizes(op: Operation, values: Sequence[Array]) -> list[int | None]:
    """The number of elements of each result, before it is made.

    None where only the values decide (`where`, `unique`, `boolean_mask`): then there are no more than in the operands.
    """
    sizes = [t.shape.num_elements() for t in op.outputs]
    if None not in sizes:
        return sizes
    # The static shape of an input may say less than its value: the rule is asked again with the value's shape.
    exact = [Tensor(t.op, t.value_index, t.dtype, shape_of(v.shape)) for t, v in zip(op.inputs, values, strict=True)]
    known, entries = op.graph.known_values, op.graph.known_entries
    known.update(zip(exact, values, strict=True))
    try:
        shapes = claiming(op.opdef.shape_rule, with_inputs(op, exact, tuple))[0]
    finally:
        for tensor in exact:
            known.pop(tensor, None)
            entries.pop(tensor, None)
    return [shape.num_elements() for shape in ((shapes,) if isinstance(shapes, TensorShape) else shapes)]


def with_inputs(op: Operation, inputs: Sequence[Any], several: type[list[Any] | tuple[Any, ...]]) -> list[Any]:
    """The bound arguments of `op` with `inputs` in place of its tensors; `several` holds a list of tensors."""
    rest = iter(inputs)
    args = list(op.args)
    for position, _, operand in op.opdef.operands:
        if args[position] is not None:
            args[position] = several(next(rest) for _ in args[position]) if operand.many else next(rest)
    return args


def _shape_fact(op: Operation) -> tuple[Array | None, ...] | None:
    """For shape(x), size(x), rank(x) and views of them: the values of those outputs whose every entry is known."""
    rule = entries_rule(op.opdef)
    if rule is None or (len(op.outputs) != 1 and op.opdef.returns != "list"):
        return None
    if op.opdef.partial_rule is None and not op.outputs[0].dtype.is_integer:
        return None
    entries = rule(*op.args)
    if entries is None:
        return None
    per_output = entries if op.opdef.returns == "list" else (entries,)
    values: list[Array | None] = []
    for tensor, entry in zip(op.outputs, per_output, strict=True):
        flat = entry if isinstance(entry, tuple) else (entry,)
        known = all(type(e) is int for e in flat)
        values.append(np.array(entry, tensor.dtype.np) if known else None)
    return None if all(v is None for v in values) else tuple(values)


def known_entries(tensor: Tensor) -> Entries | None:
    """What is known of a scalar (one entry) or vector (a tuple) of ints, entry by entry; None if not even the length.

    Entries are ints (-1 included), Dimensions that stand for a size, or None.
    """
    cache = tensor.op.graph.known_entries
    if tensor in cache:
        return cache[tensor]  # type: ignore[no-any-return]  # entries are all that is put there
    if _depth.value > _DEEPEST:
        return None
    _depth.value += 1
    try:
        entries = cache[tensor] = _entries(tensor)
    finally:
        _depth.value -= 1
    return entries


_DEEPEST = 60  # rules ask for their operands' entries: a chain of thousands must not exhaust Python's stack


def _entries(tensor: Tensor) -> Entries | None:
    opdef = tensor.op.opdef
    may_evaluate = opdef.is_pure or effects_of(tensor.op).may_evaluate
    rule = entries_rule(opdef)
    if rule is not None and may_evaluate and tensor.dtype.is_integer:
        entries = rule(*tensor.op.args)
        if entries is not None:
            return entries[tensor.value_index] if opdef.returns == "list" else entries  # type: ignore[no-any-return]
    value = known_value(tensor)
    if value is not None:
        if value.ndim > 1 or value.dtype.kind not in "iu" or value.size > LIMIT:
            return None
        return tuple(value.tolist()) if value.ndim else int(value)
    shape = tensor.shape.raw
    if shape is not None and len(shape) == 1 and isinstance(shape[0], int) and shape[0] <= LIMIT:
        return (None,) * shape[0]
    return None


def entries_rule(opdef: OpDef[Any, Any]) -> Callable[..., Any] | None:
    """From bound arguments to the entries of the result (of each result, in a list); None if the op has no such rule.

    An op that only moves elements needs no rule of its own: its kernel moves entries as well.
    """
    facts = opdef.facts
    if opdef.partial_rule is not None or not facts.moves or not facts.effects.may_fold or opdef.own_kernel is None:
        return opdef.partial_rule
    return partial(_moved, opdef, opdef.own_kernel)


def _moved(opdef: OpDef[Any, Any], kernel: Callable[..., Any], *args: Any) -> Any:
    """What `kernel` makes of arrays of entries; the operands that say how to move must be known."""
    if _depth.value > _DEEPEST:
        return None
    _depth.value += 1
    try:
        arrays: list[Any] = list(args)
        for position, _, operand in opdef.operands:
            argument = args[position]
            find = _array_of_entries if operand.var == opdef.out else known_value
            if operand.many:
                # Of a list that is stacked one scalar makes scalars of all; joining scalars is refused.
                is_stack = any(t.shape.raw == () for t in argument)
                entries = [_NO_ENTRY if is_stack and t.shape.raw is None else find(t) for t in argument]
                if any(each is None for each in entries):
                    return None
                arrays[position] = entries
            elif argument is not None:
                arrays[position] = find(argument)
                if arrays[position] is None:
                    return None
        made = kernel(np, *arrays)
    except Exception:  # an error of the run, or NumPy's refusal to treat entries as numbers
        return None
    finally:
        _depth.value -= 1
    return [_entries_of(each) for each in made] if opdef.returns == "list" else _entries_of(made)


_NO_ENTRY = np.array(None, object)


def _array_of_entries(tensor: Tensor) -> Array | None:
    """The entries of a scalar or a short vector as an array of objects."""
    shape = tensor.shape.raw
    if shape is None or len(shape) > 1 or (shape and not (isinstance(shape[0], int) and shape[0] <= LONGEST_VECTOR)):
        return None
    entries = known_entries(tensor)
    if entries is None:
        return None if shape else _NO_ENTRY
    array = np.empty(shape, object)
    array[...] = entries
    return array


def _entries_of(made: Any) -> Entries | None:
    if not isinstance(made, np.ndarray):
        return made  # type: ignore[no-any-return]  # NumPy gives the bare object where a scalar is picked
    return None if made.ndim > 1 else tuple(made) if made.ndim else made.item()


def known_vector(tensor: Tensor) -> tuple[Entry, ...] | None:
    """The entries of an int vector, as far as they are known before a run.

    Args:
        tensor: a vector of ints.

    Returns:
        A tuple with an int, a Dimension or None for each entry; None for a scalar, or where the length is not known.

    >>> import penstock as tf
    >>> from penstock.extend import known_vector
    >>> with tf.Graph().as_default():
    ...     x = tf.placeholder(tf.float32, ["n", 3, None])
    ...     print(known_vector(tf.shape(x))[:2])
    (Dimension(n), 3)
    """
    entries = known_entries(tensor)
    return entries if isinstance(entries, tuple) else None


def known_scalar(tensor: Tensor) -> Entry:
    """The int or Dimension that a scalar is known to be (a one-element vector counts), else None."""
    entries = known_entries(tensor)
    if isinstance(entries, tuple):
        return entries[0] if len(entries) == 1 else None
    return entries


def known_int(tensor: Tensor) -> int | None:
    """The int that a scalar is known to be before a run.

    Args:
        tensor: a scalar; a vector of one entry counts as one.

    Returns:
        The int, or None where it is not known.

    >>> import penstock as tf
    >>> from penstock.extend import known_int
    >>> with tf.Graph().as_default():
    ...     print(known_int(tf.constant(3)), known_int(tf.placeholder(tf.int32, [])))
    3 None
    """
    entry = known_scalar(tensor)
    return entry if isinstance(entry, int) else None


def known_shape(tensor: Tensor) -> TensorShape:
    """The shape that an int vector describes, as far as it is known before a run.

    Args:
        tensor: a vector of sizes; -1 stands for an unknown size.

    Returns:
        A TensorShape.

    Raises:
        ValueRuleError (a ValueError): an entry is below -1.

    >>> import penstock as tf
    >>> from penstock.extend import known_shape
    >>> with tf.Graph().as_default():
    ...     x = tf.placeholder(tf.float32, ["n", 3])
    ...     print(known_shape(tf.shape(x)), known_shape(tf.constant([2, -1])))
    (n, 3) (2, ?)
    """
    entries = known_vector(tensor)
    if entries is None:
        return unknown_rank("the length of the vector that gives the shape is not known", tensor)
    return shape_of(_as_size(e, i, tensor) for i, e in enumerate(entries))


def _as_size(entry: Entry, i: int, tensor: Tensor) -> Dim:
    if isinstance(entry, int) and entry < 0:
        if entry < -1:
            raise ValueRuleError(f"Invalid value in tensor used for shape: {entry}")
        return unknown(f"entry {i} of the shape is -1", tensor)
    return unknown(f"entry {i} of the shape is not known before the run", tensor) if entry is None else entry
