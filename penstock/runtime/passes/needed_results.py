"""Branches and loops do what their needed results need: what no run asks for does not run inside either.

A branch or a loop is one node with several results, and a run may need some of them. As outside of bodies, an operation
inside runs if a needed result needs it, or if one that runs waits for it; so a write, a print or an error happens only
there. That is no optimisation but what the first stage is, like `prune`:

    a result of If                  what both branches give for it
    a loop variable                 its first value, its next value, and so the loop variables that this one reads
    a stack                         what the body gives for it
    any of them                     the condition
    the node itself                 all its results: it is a target, or something waits for it

One walk goes from needed tensors to what they need, into bodies and out again to operands. It visits each tensor once,
however deep bodies are nested. Then the stage is made anew without the rest.

The pass over loops does the same for results that other passes have left without a reader. By then what stands in the
stage has been asked for, so each operation that must run still runs, and rows are still checked to be equally many.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...graph.building.may_fail import must_run
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.subgraph import SubGraph, bodies_of, effects_within
from ...ops.control.if_op import if_op
from ...ops.control.while_op import while_op
from ...ops.create.constant_and_placeholder import const
from ..ir.body_stages import stage_of
from ..ir.stage import Notes, Rebuild, Stage

_HOLDERS = (if_op, while_op)


def with_needed_results(stage: Stage) -> Stage:
    """The stage in which branches and loops give only needed results; the same stage if they do."""
    smaller = _Smaller(_Needs(stage))
    made = smaller.stage(stage)
    return replace(made, places=smaller.left) if smaller.left else made


def without_unused_results(stage: Stage, notes: Notes) -> Stage:
    """The stage in which branches and loops give only results that something reads; the same stage if they do."""
    smaller = _Smaller(_Needs(stage, keeps_errors=True))
    made = smaller.stage(stage)
    for name in smaller.changed:
        notes.applied("UnusedResults", name)
    return made


class _Needs:
    """What a stage needs.

    Args:
        stage: the stage.
        keeps_errors: True if all of its operations have been asked for.

    Attributes:
        operations: the operations that run, those in bodies too.
        tensors: the tensors that something needs.
        results: the places of the needed results of each branch and loop.
    """

    def __init__(self, stage: Stage, keeps_errors: bool = False) -> None:
        self.operations: set[Operation] = set()
        self.tensors: set[Tensor] = set()
        self.results: dict[Operation, set[int]] = {}
        self._keeps_errors = keeps_errors
        self._fed = set(stage.feeds)
        self._given_by: dict[Tensor, list[tuple[Operation, int]]] = {}
        self._waiting: list[Tensor] = []
        self._to_run: list[Operation] = []
        self._holders: list[Operation] = []
        for tensor in stage.fetches:
            self._need(tensor)
        self._to_run += stage.targets
        if keeps_errors:
            self._keep(stage.operations, stage.pinned)
        self._follow()
        while [op for op in self._holders if self._needs_more(op)]:
            self._follow()

    def _keep(self, operations: Iterable[Operation], pinned: Iterable[Tensor]) -> None:
        for op in operations:
            self._run(op)
        for tensor in pinned:
            self._need(tensor)

    def _follow(self) -> None:
        while self._waiting or self._to_run:
            while self._to_run:
                op = self._to_run.pop()
                self._run(op)
                if op.opdef in _HOLDERS:
                    for place in range(len(op.outputs)):
                        self._need_result(op, place)
            if self._waiting:
                self._explain(self._waiting.pop())

    def _need(self, tensor: Tensor) -> None:
        if tensor not in self.tensors:
            self.tensors.add(tensor)
            self._waiting.append(tensor)

    def _explain(self, tensor: Tensor) -> None:
        """Need what a needed tensor needs."""
        if tensor in self._fed:
            return
        givers = self._given_by.get(tensor)
        if givers is None:
            self._run(tensor.op)
            if tensor.op.opdef in _HOLDERS:
                self._need_result(tensor.op, tensor.value_index)
            return
        for op, place in givers:
            self._need_given(op, place)

    def _run(self, op: Operation) -> None:
        """Let an operation run; which of the results of a branch or a loop are needed is said apart."""
        if op in self.operations:
            return
        self.operations.add(op)
        self._to_run += op.control_inputs
        if op.opdef not in _HOLDERS:
            for tensor in op.inputs:
                self._need(tensor)
        else:
            self._holders.append(op)
            if isinstance(op.args[0], Tensor):
                self._need(op.args[0])  # the bool that chooses, or the limit of a loop
        if not op.opdef.bodies or op.opdef.lower_rule is not None:
            return
        for body in bodies_of(op):
            self._enter(op, body)
        if op.opdef is while_op:
            self._need(op.args[2].outputs[0])

    def _enter(self, op: Operation, body: SubGraph) -> None:
        for place, tensor in enumerate(body.inputs):
            givers = self._given_by.setdefault(tensor, [])
            if op.opdef in _HOLDERS:
                givers.append((op, place))
                if tensor in self.tensors:  # a copied loop has the condition of the first
                    self._need_given(op, place)
        self._to_run += body.targets
        if self._keeps_errors:
            self._keep([inner for inner in body.operations if must_run(inner)], body.pinned)
        if op.opdef not in _HOLDERS:
            for tensor in body.outputs:
                self._need(tensor)

    def _need_given(self, op: Operation, place: int) -> None:
        """Need what an input of a body stands for."""
        self._need(op.args[1][place])
        if op.opdef is while_op and place < op.args[4]:
            self._need(op.args[3].outputs[place])
            self._need(op.args[3].inputs[place])

    def _need_result(self, op: Operation, place: int) -> None:
        needed = self.results.setdefault(op, set())
        if place in needed:
            return
        needed.add(place)
        if op.opdef is if_op:
            for body in bodies_of(op):
                self._need(body.outputs[place])
        elif place < op.args[4]:
            self._need_given(op, place)
        elif place < len(op.outputs) - 1:  # the last result is the number of iterations
            self._need(op.args[3].outputs[place])

    def _needs_more(self, op: Operation) -> bool:
        """Need what says how many rows a loop has, and all of a branch that runs for its errors; whether that is new.

        One operand given by rows says how many there are. To be checked, each of another number of rows is needed.
        """
        if op.opdef is if_op:
            places = range(len(op.outputs)) if self._keeps_errors and op not in self.results else ()
            for place in places:
                self._need_result(op, place)
            return bool(places)
        operands, body, count, rows = op.args[1], op.args[3], op.args[4], op.args[5]
        if not self._keeps_errors and _known_rows(op) is not None:
            return False
        known = [operands[i].shape.raw for i in range(count, count + rows) if body.inputs[i] in self.tensors]
        for i in range(count, count + (rows if self._keeps_errors else min(rows, 1))):
            dims = operands[i].shape.raw
            if body.inputs[i] not in self.tensors and not (dims and any(each and each[0] == dims[0] for each in known)):
                self._need(body.inputs[i])
                return True
        return False


def _known_rows(op: Operation) -> int | None:
    """The number of a loop's iterations, if it is a number that its rows alone say: they need not be computed then."""
    limit, operands, _, _, count, rows = op.args[:6]
    sizes = [t.shape.raw[0] for t in operands[count : count + rows] if t.shape.raw]
    found = sizes[0] if sizes else None
    same = len(sizes) == rows and all(size == found for size in sizes)
    return found if limit is None and same and isinstance(found, int) else None


class _Smaller:
    """The rebuilding of a stage and of the bodies in it.

    Attributes:
        left: the places of the results that are left, by the names of the branches and loops that lose some.
        changed: the names of all that change.
    """

    def __init__(self, needs: _Needs) -> None:
        self.left: dict[str, tuple[int, ...]] = {}
        self.changed: list[str] = []
        self._needs = needs

    def stage(self, stage: Stage) -> Stage:
        """The stage without what is not needed; the same one if all of it is."""
        needs = self._needs
        small = {op: args for op in stage.operations
                 if op in needs.operations and (args := self._arguments(op)) is not None}  # fmt: skip
        lost = {op.name for op in stage.operations if op not in needs.operations}
        left = stage.without_claims(lost, self._is_left)
        if not small and not lost and len(left.pinned) == len(stage.pinned):
            return stage
        copy = Rebuild(left)
        for op in stage.operations:
            if op in small:
                self._emit(copy, op, small[op])
                self.changed.append(op.name)
            elif op in needs.operations:
                copy.copy(op)
        return copy.finish()

    def _is_left(self, tensor: Tensor) -> bool:
        """Whether a tensor is still made: a branch or a loop that runs may have lost some results."""
        op = tensor.op
        return op in self._needs.operations and (op.opdef not in _HOLDERS or tensor.value_index in self._places(op))

    def _emit(self, copy: Rebuild, op: Operation, args: Sequence[Any]) -> None:
        places = self._places(op)
        outputs = [op.outputs[i] for i in places]
        args = [copy.argument(arg) for arg in args]
        if op.opdef is while_op and op.args[5] and not args[5]:  # no row is left that says how many there are
            size = np.array(_known_rows(op), np.int64)
            (args[0],) = copy.emit(const, (size,), (op,), f"{op.name}/limit", controls=())
        made = copy.emit(op.opdef, args, (op,), op.name, [(t.dtype, t.shape) for t in outputs])
        copy.settle(op, made, copy.operations[-1], outputs)

    def _places(self, op: Operation) -> list[int]:
        """The places of the results that are left, in order: a loop keeps its number of iterations."""
        if op.opdef not in _HOLDERS:
            return list(range(len(op.outputs)))
        found = set(self._needs.results.get(op, ()))
        if op.opdef is while_op:
            found.update([i for i in self._live(op) if i < op.args[4]])
            found.add(len(op.outputs) - 1)
        return sorted(found)

    def _live(self, op: Operation) -> list[int]:
        """The places of the operands that are left."""
        bodies, tensors = bodies_of(op), self._needs.tensors
        return [i for i in range(len(op.args[1])) if any(body.inputs[i] in tensors for body in bodies)]

    def _arguments(self, op: Operation) -> list[Any] | None:
        """The arguments of an operation whose bodies become smaller; None if they stay."""
        if not op.opdef.bodies or op.opdef.lower_rule is not None:
            return None
        args = list(op.args)
        if op.opdef not in _HOLDERS:
            for place, body in zip(op.opdef.bodies, bodies_of(op), strict=True):
                args[place] = self._body(body, None, None)
            return None if all(new is old for new, old in zip(args, op.args, strict=True)) else args
        live, results = self._live(op), self._places(op)
        inputs = None if len(live) == len(op.args[1]) else live
        outputs = None if len(results) == len(op.outputs) else results
        if outputs is not None:
            self.left[op.name] = tuple(outputs)
        if op.opdef is if_op:
            args[2:4] = [self._body(body, inputs, outputs) for body in args[2:4]]
        else:
            count, rows = args[4:6]
            of_body = None if outputs is None else outputs[:-1]
            args[2:4] = [self._body(args[2], inputs, None), self._body(args[3], inputs, of_body)]
            args[4:6] = [sum(i < count for i in live), sum(count <= i < count + rows for i in live)]
        args[1] = tuple([args[1][i] for i in live])
        is_same = args[2] is op.args[2] and args[3] is op.args[3]
        return None if is_same and inputs is None and outputs is None else args

    def _body(self, body: SubGraph, inputs: Sequence[int] | None, outputs: Sequence[int] | None) -> SubGraph:
        """A body with some of its inputs and results; None for all of them."""
        before = stage_of(body)
        if inputs is not None:
            before = replace(before, feeds=tuple([body.inputs[i] for i in inputs]))
        if outputs is not None:
            before = replace(before, fetches=tuple([body.outputs[i] for i in outputs]))
        after = self.stage(before)
        if after is before and inputs is None and outputs is None:
            return body
        return replace(
            body,
            operations=after.operations,
            inputs=body.inputs if inputs is None else tuple([body.inputs[i] for i in inputs]),
            outputs=after.fetches,
            effects=effects_within(after.operations),
            captures=body.captures if inputs is None else (),
            targets=after.targets,
            pinned=after.pinned,
            pinned_names=after.pinned_names,
            equations=after.equations,
        )
