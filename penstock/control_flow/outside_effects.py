"""The warning for operations with an effect that one branch uses and that were built outside of it: they always run.

    a = v.assign_add(1.0)
    y = tf.cond(p, lambda: a, lambda: v)        adds 1 whatever p is, as in TensorFlow
    y = tf.cond(p, lambda: v.assign_add(1.0), lambda: v)        adds 1 where p is true
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence

from ..graph.common.source_location import user_stacklevel
from ..graph.declare.effects import effects_of
from ..graph.model.identity_comparison import MistakeWarning
from ..graph.model.nodes import Operation
from .tracing import TracedFunction

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
