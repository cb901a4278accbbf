"""The warning for writes, prints and assertions inside a function that none of its results needs: they do not run.

    tf.while_loop(cond, lambda i: (v.assign_add(1.0), i + 1)[1], [0])      adds nothing, as in TensorFlow

    def body(i):
        with tf.control_dependencies([v.assign_add(1.0)]):
            return i + 1                                                   adds 1 in each iteration
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

from ..graph.building.may_fail import why_it_may_fail
from ..graph.common.source_location import user_stacklevel
from ..graph.declare.effects import effects_of
from ..graph.model.identity_comparison import MistakeWarning
from ..graph.model.nodes import Operation
from ..graph.model.subgraph import bodies_of
from .tracing import TracedFunction


def warn_of_unneeded_effects(call: str, functions: Sequence[tuple[str, TracedFunction]]) -> None:
    """A `MistakeWarning` for each line at which a function built something for its effect that no result needs.

    functions: parameters of the call, and what was traced for them.
    """
    for parameter, function in functions:
        lines = {op.origin.place: op for op in _last_ones(function.unneeded)}
        for op in reversed(lines.values()):
            origin = op.origin
            warnings.warn(
                f"{call}: {op.name}, built at {origin.place} in {parameter}, does not run, because no result of "
                f"{parameter} needs it: return what needs it, or build a result inside "
                f"tf.control_dependencies([...]). {origin.code}".rstrip(),
                MistakeWarning,
                stacklevel=user_stacklevel(),
            )


def _last_ones(operations: Sequence[Operation]) -> Iterator[Operation]:
    """The operations with an effect, or that only check something, but for those that a later one of these needs."""
    needed: set[Operation] = set()
    for op in reversed(operations):
        inner = _with_effect(op)
        if inner is not None and op not in needed:
            yield inner
        if inner is not None or op in needed:
            needed.update([*[t.op for t in op.inputs], *op.control_inputs])


def _with_effect(op: Operation) -> Operation | None:
    """The operation itself, or one inside it, if it is there for an effect or for a check."""
    if not op.outputs and why_it_may_fail(op) is not None and not op.opdef.bodies:
        return op
    if op.opdef.is_pure or not effects_of(op).is_seen:
        return None
    inside = (_with_effect(each) for body in bodies_of(op) for each in body.operations)
    return next((each for each in inside if each is not None), op)
