"""A shape that is known before a run needs no element: `tf.shape(queue.dequeue())` takes nothing out of the queue.

TensorFlow makes such a shape a constant while the graph is built. Here it stays a node, which pictures show and folding
computes; but an element that nothing else reads is not taken, nor is what stands behind it computed. That is no
optimisation but what the first stage is, like `prune`. Any other op with effects, or that may fail, runs all the same.
"""

from __future__ import annotations

from collections.abc import Collection

from ...graph.building.constant_evaluation import known_value
from ...graph.declare.effects import effects_of
from ...graph.declare.op_declaration import OPS
from ...graph.model.nesting import any_holds
from ...graph.model.nodes import Operation
from ..ir.body_stages import with_bodies
from ..ir.stage import Rebuild, Stage


def without_untaken_elements(stage: Stage) -> Stage:
    """The stage without the elements that only known shapes would read; the same one if there are none."""
    if any_holds(stage.operations):
        stage = with_bodies(stage, _in_body)
    readers = _readers(stage)
    dropped = _dropped(stage, readers) if readers else set()
    return _with_constants(stage, readers, dropped) if dropped else stage


def _in_body(stage: Stage) -> Stage:
    """The same for a body, whose inputs may be elements that are taken outside."""
    if any_holds(stage.operations):
        stage = with_bodies(stage, _in_body)
    readers = _readers(stage)
    return _with_constants(stage, readers, _dropped(stage, readers)) if readers else stage


def _readers(stage: Stage) -> list[Operation]:
    pinned = set(stage.pinned)
    return [
        op for op in stage.operations
        if op.opdef.facts.reads_shape_only and op.outputs[0] not in pinned and known_value(op.outputs[0]) is not None
    ]  # fmt: skip


def _dropped(stage: Stage, readers: Collection[Operation]) -> set[Operation]:
    """What takes elements that only `readers` read, and what it is read by."""
    kept = _kept(stage, readers)
    dropped: set[Operation] = set()
    for op in stage.operations:
        if op not in kept and (effects_of(op).uses_objects or any(t.op in dropped for t in op.inputs)):
            dropped.add(op)
    return dropped


def _kept(stage: Stage, readers: Collection[Operation]) -> set[Operation]:
    """What the results of a stage need, if `readers` need no operand."""
    fed, inside = set(stage.feeds), set(stage.operations)
    kept = {*stage.targets, *[t.op for t in stage.fetches if t not in fed]}
    waiting = [*kept]
    while waiting:
        op = waiting.pop()
        operands = [] if op in readers else [t.op for t in op.inputs if t not in fed]
        for each in (*operands, *op.control_inputs):
            if each in inside and each not in kept:
                kept.add(each)
                waiting.append(each)
    return kept


def _with_constants(stage: Stage, readers: Collection[Operation], dropped: Collection[Operation]) -> Stage:
    copy = Rebuild(stage.without_claims({op.name for op in dropped}, lambda tensor: tensor.op not in dropped))
    for op in stage.operations:
        if op in dropped:
            copy.drop(op)
        elif op in readers:
            (constant,) = copy.emit(OPS["Const"], (known_value(op.outputs[0]),), (op,))
            copy.replace(op.outputs[0], constant)
            copy.drop(op, constant.op)
        else:
            copy.copy(op)
    return copy.finish()
