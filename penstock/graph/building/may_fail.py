"""Which operations may fail in a run, judged by what is known before it.

A pass may only remove an operation that certainly cannot fail: otherwise an error of the run would be lost. An op
states this with `@op.fails`: (bound arguments) -> None where no run can fail, else why one may. Elementwise ops need no
rule: their operands must broadcast in every run, and `can_fail` says for which dtypes some values are errors. Any other
op without a rule may fail. Running out of memory does not count.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import BuildError
from ..declare.effects import effects_of
from ..model.nodes import Operation
from ..model.subgraph import bodies_of
from ..shapes.dimension import Dim, Dimension
from .constant_evaluation import known_entries


def why_it_may_fail(op: Operation) -> str | None:
    """Why a run may fail at `op`, whose inputs it has computed; None if it cannot."""
    opdef = op.opdef
    if opdef.facts.reads_shape_only or opdef.facts.must_feed or opdef.facts.is_constant:
        return None
    rule = opdef.fails_rule
    if isinstance(rule, str):
        return rule
    if rule is not None:
        try:
            return rule(*op.args) or _why_inside(op)
        except BuildError as error:  # a feed in the middle may leave a node that could not be built as it stands now
            return error.message
    if not opdef.facts.elementwise:
        return f"{op.name} ({op.type}) may fail in the run"
    if opdef.facts.can_fail & op.inputs[0].dtype.bit and not _divides_by_nonzero(op):
        return f"{op.name} ({op.type}) may fail for some values"
    return _why_shapes_may_not_fit(op)


def _why_inside(op: Operation) -> str | None:
    """Why one of the graphs that `op` holds may fail."""
    reasons = (why_it_may_fail(inner) for body in bodies_of(op) for inner in body.operations)
    return next((reason for reason in reasons if reason is not None), None)


def must_run(op: Operation) -> bool:
    """Whether a run has to execute `op` even if nothing reads its results.

    A placeholder need not run: the shape of one that declares its sizes is known without a feed, as in TensorFlow.
    """
    if op.opdef.facts.must_feed:
        return False
    return not effects_of(op).may_drop or bool(op.control_inputs) or why_it_may_fail(op) is not None


def _divides_by_nonzero(op: Operation) -> bool:
    at = op.opdef.facts.zero_fails
    if at is None:
        return False
    entries = known_entries(op.inputs[at])
    flat = entries if isinstance(entries, tuple) else (entries,)
    return all(_is_nonzero(e) for e in flat)


def _is_nonzero(entry: Dim | None) -> bool:
    if isinstance(entry, Dimension):
        return entry.const > 0 and all(count > 0 for _, count in entry.terms)
    return bool(entry)


def _why_shapes_may_not_fit(op: Operation) -> str | None:
    if len(op.inputs) == 1:
        return None
    if op.opdef.fuse_rule is not None:
        return op.opdef.fuse_rule(*op.args)
    shapes = [t.shape.raw for t in op.inputs]
    known = [s for s in shapes if s is not None]
    if len(known) == len(shapes) and broadcast_of(known) is not None:
        return None
    return f"whether the operands of {op.name} broadcast is not known before the run"


def broadcast_of(shapes: Sequence[tuple[Dim, ...]]) -> tuple[Dim, ...] | None:
    """The shape to which these are broadcast in every run, or None if that is not certain."""
    rank = max(map(len, shapes))
    result: list[Dim] = []
    for axis in range(rank):
        sizes = {s[len(s) - rank + axis] for s in shapes if len(s) - rank + axis >= 0}
        if len(sizes) > 1:
            sizes.discard(1)
        if len(sizes) > 1:
            return None
        result.append(sizes.pop())
    return tuple(result)
