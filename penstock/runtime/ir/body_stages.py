"""Graphs inside ops as stages, so that passes can transform them: the feeds of the stage are the inputs of the body.

`with_bodies` is the only function that rebuilds a stage with other bodies, so a pass on stages need not know about
bodies. Bodies that their op lowers itself (fused groups: `@op.lowers`) are skipped: a pass has made them for the
planner.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from ...errors import BuildError
from ...graph.model.append import append_placeholder
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.subgraph import SubGraph, bodies_of, effects_within
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ...ops.control.while_op import while_op
from .stage import Rebuild, Stage

MOST_ROUNDS: Final = 4
"""How often a loop's body is inferred again because a loop variable turned out to change a size."""
_UNKNOWN = unknown_rank("an operand was fed in this run")


def stage_of(body: SubGraph) -> Stage:
    """The body as a stage."""
    return Stage(body.operations, body.inputs, body.outputs, body.targets, body.pinned, body.pinned_names,
                 body.equations)  # fmt: skip


def body_of(stage: Stage, like: SubGraph) -> SubGraph:
    """The stage as a body that replaces `like`."""
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


Settle = Callable[[Tensor, TensorShape], TensorShape]
"""(a tensor before, the shape inferred now) -> the shape that it has."""


def inferred_again(
    op: Operation, new: Callable[[Tensor], Tensor], settle: Settle = lambda before, shape: shape
) -> tuple[SubGraph, ...]:
    """The bodies of `op`, inferred again from the shapes of its new operands.

    An input that had the shape of its operand gets the new operand's shape, and one that had the shape of a row of it,
    in a loop, that of a row of the new one. The shape of any other input becomes unknown, because the op may have
    derived it from an operand in its own way.

    Args:
        op: the operation.
        new: old tensor -> the tensor that replaces it.
        settle: applied to every shape, to add what else is known.
    """
    bodies = bodies_of(op)
    shapes: list[list[TensorShape]] = []
    for (_, place), body in zip(op.opdef.body_operands, bodies, strict=True):
        operands = op.args[place]
        now = [_shape_now(op, t, operands[i], new(operands[i])) if i < len(operands) else _UNKNOWN
               for i, t in enumerate(body.inputs)]  # fmt: skip
        shapes.append([settle(tensor, shape) for tensor, shape in zip(body.inputs, now, strict=True)])
    if op.opdef is while_op:
        starts = [new(t).shape for t in op.args[1][: op.args[4]]]
        shapes[1], body = _with_sizes_that_stay(bodies[1], shapes[1], starts, settle)
        shapes[0][: len(starts)] = shapes[1][: len(starts)]
        return _with_shapes(bodies[0], shapes[0], settle), body
    return tuple([_with_shapes(body, own, settle) for body, own in zip(bodies, shapes, strict=True)])


def _with_sizes_that_stay(
    body: SubGraph, known: list[TensorShape], starts: Sequence[TensorShape], settle: Settle
) -> tuple[list[TensorShape], SubGraph]:
    """The body of a loop, and the shapes of its inputs, of which a variable has those sizes of its start that stay.

    They are supposed to stay. If an iteration that begins with all of them ends with them, they do, after any number of
    iterations; those with which it does not end are given up, and the others are tried again.

    Args:
        body: the body.
        known: what is known of its inputs in every iteration.
        starts: the shapes of the loop variables before the first one.
        settle: see `inferred_again`.
    """
    supposed = [*map(_with_sizes_of, known, starts), *known[len(starts) :]]
    for _ in range(MOST_ROUNDS):
        if supposed == known:
            break
        try:
            inferred = _with_shapes(body, supposed, settle)
        except BuildError:  # such an iteration fails, or there is none: the loop itself need not
            break
        ends = [t.shape for t in inferred.outputs[: len(starts)]]
        stay = [*map(_with_sizes_in_common, known, supposed, ends), *known[len(starts) :]]
        if stay == supposed:
            return stay, inferred
        supposed = stay
    return known, _with_shapes(body, known, settle)


def _with_sizes_of(known: TensorShape, start: TensorShape) -> TensorShape:
    """What is known of a loop variable in every iteration, with the sizes that it has before the first one."""
    dims, first = known.raw, start.raw
    if dims is None:
        return start if start.is_known else known
    if first is None or len(first) != len(dims):
        return known
    return shape_of([size if isinstance(size, int) and not isinstance(dim, int) else dim
                     for dim, size in zip(dims, first, strict=True)])  # fmt: skip


def _with_sizes_in_common(known: TensorShape, supposed: TensorShape, end: TensorShape) -> TensorShape:
    """`supposed` without the sizes that an iteration does not end with, in place of which stands what is known."""
    dims, then = supposed.raw, end.raw
    if dims is None or then is None or len(dims) != len(then):
        return known
    if known.raw is None:
        return supposed if dims == then else known
    return shape_of([a if a == b else dim for dim, a, b in zip(known.raw, dims, then, strict=True)])


def _shape_now(op: Operation, inner: Tensor, before: Tensor, now: Tensor) -> TensorShape:
    """The shape of the input `inner` of a body whose operand `before` is replaced by `now`."""
    if inner.shape.raw == before.shape.raw:
        # Two unknown ranks may differ: a loop variable may get another rank in each iteration.
        return now.shape if inner.shape.raw is not None or not op.opdef.facts.repeats else _UNKNOWN
    dims = before.shape.raw
    is_row = op.opdef.facts.repeats and dims is not None and inner.shape.raw == dims[1:]
    return shape_of(now.shape.raw[1:]) if is_row and now.shape.raw else _UNKNOWN


def _with_shapes(
    body: SubGraph, shapes: list[TensorShape], settle: Settle
) -> SubGraph:
    stage = stage_of(body)
    copy = Rebuild(stage)
    inputs = []
    for tensor, shape in zip(body.inputs, shapes, strict=True):
        inner = append_placeholder(copy.graph, tensor.dtype, shape, tensor.op.name, tensor.op.origins)
        copy.replace(tensor, inner, for_good=True)
        inputs.append(inner)
    for op in body.operations:
        bodies = inferred_again(op, copy.new, settle) if op.opdef.bodies else None
        made = copy.copy(op, infer_again=True, bodies=bodies)
        if made is not op:
            for before, tensor in zip(op.outputs, made.outputs, strict=True):
                tensor._shape = settle(before, tensor._shape)
    return body_of(replace(copy.finish(), feeds=tuple(inputs)), body)
