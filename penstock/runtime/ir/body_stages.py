"""Graphs inside ops, for passes: a body is a stage like any other, whose feeds are its inputs.

`with_bodies` is the one place where a stage is made anew with other bodies; a pass that works on stages needs to know
nothing of them. Bodies that their op lowers itself (fused groups: `@op.lowers`) are left alone: they are what a pass
has made, for the planner.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...graph.append import append_operation
from ...graph.hooks import hooks
from ...graph.nodes import Operation, Tensor
from ...graph.shape import TensorShape, unknown_rank
from ...graph.subgraph import SubGraph, bodies_of, effects_within
from .stage import Rebuild, Stage


def stage_of(body: SubGraph) -> Stage:
    """The body as a stage."""
    return Stage(body.operations, body.inputs, body.outputs, body.targets, body.pinned, body.pinned_names,
                 body.equations)  # fmt: skip


def body_of(stage: Stage, like: SubGraph) -> SubGraph:
    """The stage as a body that stands for `like`."""
    return replace(
        like, operations=stage.operations, inputs=stage.feeds, outputs=stage.fetches, targets=stage.targets,
        pinned=stage.pinned, equations=stage.equations, effects=effects_within(stage.operations),
    )  # fmt: skip


def with_bodies(stage: Stage, change: Callable[[Stage], Stage]) -> Stage:
    """The stage with `change` applied to each body in it; the stage itself if none changed."""
    changed: dict[Operation, tuple[SubGraph, ...]] = {}
    for op in stage.operations:
        if op.opdef.bodies and op.opdef.lower_rule is None:
            bodies = bodies_of(op)
            made = tuple([_changed(body, change) for body in bodies])
            if any(new is not old for new, old in zip(made, bodies, strict=True)):
                changed[op] = made
    if not changed:
        return stage
    copy = Rebuild(stage)
    for op in stage.operations:
        copy.copy(op, bodies=changed.get(op))
    return copy.finish()


def _changed(body: SubGraph, change: Callable[[Stage], Stage]) -> SubGraph:
    before = stage_of(body)
    after = change(before)
    return body if after is before else body_of(after, body)


def inferred_again(
    op: Operation, new: Callable[[Tensor], Tensor], settle: Callable[[TensorShape], TensorShape] = lambda shape: shape
) -> tuple[SubGraph, ...]:
    """The bodies of `op`, whose operands are others now (`new` tells which), with what is known of these.

    An input that was as its operand stays so. What the op makes of an operand for another input is not known here:
    neither is that input's shape any more. `settle` puts what else is known into every shape.
    """
    found = []
    for (_, place), body in zip(op.opdef.body_operands, bodies_of(op), strict=True):
        operands = op.args[place]
        shapes = []
        for i, tensor in enumerate(body.inputs):
            is_same = i < len(operands) and tensor.shape.raw == operands[i].shape.raw
            shapes.append(new(operands[i]).shape if is_same else unknown_rank("an operand was fed in this run"))
        found.append(_with_shapes(body, shapes, settle))
    return tuple(found)


def _with_shapes(
    body: SubGraph, shapes: list[TensorShape], settle: Callable[[TensorShape], TensorShape]
) -> SubGraph:
    stage = stage_of(body)
    copy = Rebuild(stage)
    inputs = []
    placeholder = hooks.operators["placeholder"]
    for tensor, shape in zip(body.inputs, shapes, strict=True):
        attrs = (tensor.dtype, shape)
        made = append_operation(copy.graph, placeholder, attrs, (), (attrs,), tensor.op.name, tensor.op.origins)
        copy.replace(tensor, made.outputs[0], for_good=True)
        inputs.append(made.outputs[0])
    for op in body.operations:
        bodies = inferred_again(op, copy.new, settle) if op.opdef.bodies else None
        made = copy.copy(op, infer_again=True, bodies=bodies)
        if made is not op:
            for tensor in made.outputs:
                tensor._shape = settle(tensor._shape)
    return body_of(replace(copy.finish(), feeds=tuple(inputs)), body)
