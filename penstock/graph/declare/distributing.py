"""Asks an operation what it gives if its inputs are cut into shards along a named dimension.

The answer comes from the rule of the op's declaration. What works element by element needs none: the rule follows from
that fact. All other ops are refused, with the reason in words.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import ValueRuleError
from ..common.tracebacks import hides_frames
from ..model.nodes import Operation
from .axis_labels import LabelledRule, elementwise, is_share, size_along
from .distribution import WHOLE, Along, Distributed, Refused, State
from .effects import effects_of
from .op_declaration import OpDef


@hides_frames
def distribute(operation: Operation, states: Sequence[State], name: str) -> Distributed | Refused:
    """What an operation gives if it runs in each shard.

    Args:
        operation: the operation.
        states: how each of its inputs is there.
        name: the dimension along which tensors are cut.

    Returns:
        A `Distributed`, or a `Refused` with a reason.

    Raises:
        ValueError: `states` has not an entry for each input.

    >>> import penstock as tf
    >>> from penstock.extend import WHOLE, Along, distribute
    >>> with tf.Graph().as_default():
    ...     x, w = tf.placeholder(tf.float32, ["batch", 3]), tf.placeholder(tf.float32, [3, 2])
    ...     distribute(tf.matmul(x, w).op, [Along(0), WHOLE], "batch").results
    ...     distribute(tf.softmax(x, 0).op, [Along(0)], "batch").why
    (Along(axis=0),)
    'it needs all of axis 0 of `logits` at once'
    """
    if len(states) != len(operation.inputs):
        raise ValueRuleError(f"distribute({operation.name!r}): {len(states)} states, {len(operation.inputs)} inputs; "
                             "give one for each")  # fmt: skip
    effects = effects_of(operation)
    if not effects.is_pure and effects.may_replay:
        return Refused("it draws random numbers, and shards would draw others")
    if not effects.is_pure:
        return Refused(f"it {effects}")
    if all(state is WHOLE for state in states):
        return Distributed((WHOLE,) * len(operation.outputs))
    opdef = operation.opdef
    if opdef.distribution_rule is not None:
        answer = opdef.distribution_rule(operation, tuple(states), name)
    elif is_by_element(operation):
        answer = elementwise(operation, states, name)
    else:
        return Refused(f"{opdef.type} does not say how it works on shards")
    return _why_not(operation, states, name, answer) or answer if isinstance(answer, Distributed) else answer


def _why_not(operation: Operation, states: Sequence[State], name: str, answer: Distributed) -> Refused | None:
    """Refused where the static size of a result that would be cut is not what parts have."""
    all_shares = all(is_share(size_along(operation, place, state.axis), name)
                     for place, state in enumerate(states) if isinstance(state, Along))  # fmt: skip
    for output, result in zip(operation.outputs, answer.results, strict=True):
        dims = output.shape.raw
        if not isinstance(result, Along) or dims is None:
            continue
        size = dims[result.axis]
        if isinstance(size, int):
            return Refused(f"its result has size {size} along axis {result.axis}, whatever is cut")
        if not all_shares and is_share(size, name):
            return Refused(f"what is cut is not in proportion to {name}")
    return None


def is_by_element(operation: Operation) -> bool:
    """Whether this use of an op works element by element, with operands that broadcast."""
    opdef = operation.opdef
    return opdef.facts.elementwise and (opdef.fuse_rule is None or opdef.fuse_rule(*operation.args) is None)


def how_combined(opdef: OpDef) -> str | None:  # type: ignore[type-arg]  # any op
    """How an op combines shards of an axis that its result lacks; None if it has no such axis."""
    if opdef.reduction is not None:
        return opdef.reduction.how
    return opdef.distribution_rule.combined if isinstance(opdef.distribution_rule, LabelledRule) else None


def says_how(opdef: OpDef) -> bool:  # type: ignore[type-arg]  # any op
    """Whether an op says how it works on shards; a use of it may be refused all the same."""
    return opdef.distribution_rule is not None or opdef.facts.elementwise
