"""Simplification: applies the rules of `runtime.passes.rules.rule_table`, each with its law, until none fires.

One walk looks for a place where a rule fires. If there is none, the stage is returned as it is. Otherwise the stage is
rebuilt from the inputs on, each node is tried again after its inputs have changed, and the walk is repeated. Each rule
states why its use ends; ROUNDS stops a rule whose statement is wrong.

No rule is applied to a node that waits for others, that others wait for, or that is a target: its place in the order of
effects is fixed. Rules that only exchange operands of one node (`keeps_place`) leave it there, so they are. Nodes on
different devices are not combined.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ...graph.declare.effects import effects_of
from ...graph.declare.op_declaration import OpDef
from ...graph.model.nodes import Operation, Tensor
from ..ir.stage import Notes, Rebuild, Stage, held_operations
from .rules.rule import Emitter, Match, Readers, Rule, match
from .rules.rule_table import RULES

ROUNDS = 100
"""The most rebuilds of one stage, and the most rules applied to one node in a rebuild."""


class Simplify:
    """Apply the rewrite rules."""

    name = "simplify"

    def __init__(self, rules: Sequence[Rule] = RULES) -> None:
        self._rules = tuple(rules)
        self._of = lru_cache(maxsize=None)(self._accepting)

    def run(self, stage: Stage, notes: Notes) -> Stage:
        """The stage after every rule that fires has been applied."""
        for _ in range(ROUNDS):
            refused = Notes()
            if not self._fires_somewhere(stage, refused):
                notes.notes += refused.notes
                break
            stage = self._rebuilt(stage, notes)
        return stage

    def _accepting(self, opdef: OpDef[Any, Any]) -> tuple[Rule, ...]:
        return tuple(rule for rule in self._rules if rule.pattern.accepts(opdef))

    def _fires_somewhere(self, stage: Stage, refused: Notes) -> bool:
        fixed: set[Operation] | None = None
        readers = _readers(stage)
        for op in stage.operations:
            rules = self._of(op.opdef)
            if not rules:
                continue
            if fixed is None:
                fixed = _fixed(stage)
            if _applicable(op, rules, op in fixed, refused, readers) is not None:
                return True
        return False

    def _rebuilt(self, stage: Stage, notes: Notes) -> Stage:
        fixed, readers = _fixed(stage), _readers(stage)
        copy = Rebuild(stage)
        names = {op.name for op in stage.operations}
        for op in stage.operations:
            current: Operation | None = copy.copy(op)
            outputs: Sequence[Tensor] = ()
            for _ in range(ROUNDS):
                applicable = (
                    None if current is None
                    else _applicable(current, self._of(current.opdef), op in fixed, None, readers)
                )
                if applicable is None:
                    break
                rule, matched = applicable
                copy.operations.pop()
                emitter = Emitter(copy, names, matched.operations)
                result = rule.rewrite(emitter, **matched.bound)
                outputs = (result,) if isinstance(result, Tensor) else tuple(result)
                notes.applied(rule.name, op.name)
                current = emitter.last  # an existing tensor needs no second try
            if outputs:
                copy.settle(op, outputs, current if op in fixed else None)
        return copy.finish()


def _fixed(stage: Stage) -> set[Operation]:
    """The operations that may not be rewritten."""
    return held_operations(stage).union([tensor.op for tensor in stage.pinned])


def _readers(stage: Stage) -> Readers:
    """How often the operations, the fetches and the claims of a stage read a tensor, counted when it is first asked."""
    counts: Counter[Tensor] = Counter()

    def readers(tensor: Tensor) -> int:
        if not counts:
            counts.update(t for op in stage.operations for t in op.inputs)
            counts.update((*stage.fetches, *stage.pinned))
        return counts[tensor]

    return readers


def _applicable(
    op: Operation, rules: Sequence[Rule], fixed: bool, refused: Notes | None, readers: Readers
) -> tuple[Rule, Match] | None:
    """The first of `rules` that fires at `op`; the others' reasons go to `refused`."""
    for rule in rules:
        prefilter = rule.pattern.prefilter
        if prefilter is not None and not prefilter(op):
            continue
        found = match(rule.pattern, op)
        if found is None:
            continue
        if rule.counts_readers:
            found.bound["readers"] = readers
        reason = rule.check(**found.bound)
        if reason is None:
            reason = _placement_refusal(found.operations, fixed, rule.keeps_place)
        if reason is None:
            return rule, found
        if reason and refused is not None:
            refused.refused(rule.name, op.name, reason)
    return None


def _placement_refusal(operations: Sequence[Operation], fixed: bool, keeps_place: bool) -> str | None:
    """Why matched nodes may not be rewritten because of effects, order or devices; None if they may."""
    for op in operations:
        if not (op.opdef.is_pure or effects_of(op).may_rewrite):
            return f"{op.name} {effects_of(op)}"
    if keeps_place:
        return None
    if fixed or any(op.control_inputs for op in operations):
        return "its place in the order of effects is fixed"
    if any(op.device != operations[0].device for op in operations):
        return "its nodes ask for different devices"
    return None
