"""The gradient of `If`: the same condition chooses between the backward graphs of the two branches.

What the chosen backward graph needs from the forward pass are more results of the branch: an extended copy of the
operation has them. The other branch gives empty stand-ins in their place, which are never looked at.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..graph.building.capturing import InnerGraph
from ..graph.model.default_graph import target_graph
from ..graph.model.nodes import Graph, Operation, Tensor
from ..graph.model.subgraph import SubGraph
from ..ops.control.if_op import if_op
from ..ops.tensor_array.variant_boxing import no_variant
from . import rule_namespace as vocabulary
from .backward import Backward
from .copied_bodies import CopiedBody, needed_forward, sources, with_own_inputs
from .gradient_paths import is_differentiable
from .gradient_sums import dense
from .loop_gradient import latest


def gradient_of_branches(op: Operation, gs: Sequence[Any], wanted: Collection[Tensor]) -> list[Any]:
    """The gradients of the inputs of `If`, from those of its outputs; None where there is none, or it is not wanted."""
    base = latest(op)
    pred, operands, then_branch, else_branch = base.args[:4]
    places = [i for i, g in enumerate(gs) if g is not None]
    reached = [_reached(body, places) for body in (then_branch, else_branch)]
    of = [
        i for i, t in enumerate(operands)
        if t in wanted and is_differentiable(t.dtype) and any(i in each for each in reached)
    ]  # fmt: skip
    if not of:
        return [None] * len(op.inputs)
    graph = target_graph(op.outputs[0])
    weights = [dense(gs[i]) for i in places]
    halves = [
        _Half(graph, name, body, operands, places, weights, of)
        for name, body in (("then", then_branch), ("else", else_branch))
    ]
    saved = _saved_by(base, halves)
    first, second = [half.backward(values) for half, values in zip(halves, saved, strict=True)]
    made = if_op(pred, [], first, second, name="backward")
    found = dict(zip(of, made, strict=True))
    return [None, *[found.get(i) for i in range(len(operands))]]


def _reached(body: SubGraph, places: Sequence[int]) -> set[int]:
    inputs = {t: i for i, t in enumerate(body.inputs)}
    return {inputs[t] for t in sources([body.outputs[i] for i in places], set(inputs))}


class _Half:
    """The backward graph of one branch."""

    def __init__(
        self,
        graph: Graph,
        name: str,
        body: SubGraph,
        operands: Sequence[Tensor],
        places: Sequence[int],
        weights: Sequence[Tensor],
        of: Sequence[int],
    ) -> None:
        self._graph = graph
        self.body = body
        self.operands = operands
        copied = self.copied = CopiedBody(graph, f"backward/{name}", body, operands, len(operands))
        ys = [copied.copies[body.outputs[i]] for i in places]
        xs = [copied.inputs[i] for i in of]
        with copied.as_default():
            given = [copied.admit(weight) for weight in weights]
            found = Backward(copied, xs, inside=f"{body.name}/").run(ys, given, ())
            self.results = [
                vocabulary.zeros_like(x) if g is None else dense(g) for x, g in zip(xs, found, strict=True)
            ]
        copied.finalize()
        self.saved, self.captures = needed_forward(copied, self.results, ())

    def extended(self, before: Sequence[Tensor], after: Sequence[Tensor]) -> SubGraph:
        """The forward branch with the values to save, between stand-ins for those of the other branch."""
        copied = self.copied
        results = [copied.copies[t] for t in self.body.outputs]
        made = copied.cut((), [*results, *self.saved], self.operands, like=self.body)
        with InnerGraph(self._graph, copied.scope).as_default():
            first = [_nothing(t) for t in before]
            last = [_nothing(t) for t in after]
        split = len(results)
        return replace(
            made,
            operations=(*[t.op for t in (*first, *last)], *made.operations),
            outputs=(*made.outputs[:split], *first, *made.outputs[split:], *last),
        )

    def backward(self, saved: Sequence[Tensor]) -> SubGraph:
        """The backward graph, which captures what the forward branch saved."""
        copied = self.copied
        made = with_own_inputs(copied.cut(self.saved, self.results, self.captures))
        return replace(made, captures=(*saved, *self.captures))


def _nothing(like: Tensor) -> Tensor:
    """A value of the dtype of `like` that costs nothing."""
    if like.dtype.is_variant:
        return no_variant(name="not_saved")
    value = np.array(b"", object) if like.dtype.is_string else np.zeros((), like.dtype.np)
    made: Tensor = vocabulary.constant(value, like.dtype, name="not_saved")
    return made


def _saved_by(base: Operation, halves: Sequence[_Half]) -> list[list[Tensor]]:
    """What the branches save, as results of an extended copy of the operation."""
    first, second = halves
    if not first.saved and not second.saved:
        return [[], []]
    then_branch, else_branch = first.extended((), second.saved), second.extended(first.saved, ())
    extends = (*base.get_attr("extends"), base.name)
    with base.graph.control_dependencies(None), base.graph.control_dependencies(base.control_inputs):
        made = if_op(base.args[0], [], then_branch, else_branch, extends, name="forward")
    start = len(base.outputs)
    split = start + len(first.saved)
    return [list(made[start:split]), list(made[split:])]


