"""Bodies from nodes of TensorFlow's: the `SubGraph`s of If and While."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from ....errors import GraphFormatError
from ....graph.building.capturing import InnerGraph, pruned, with_captures
from ....graph.common.quick_dataclass import dataclass
from ....graph.declare.effects import effects_of
from ....graph.model.nesting import within
from ....graph.model.nodes import Operation, Tensor
from ....graph.model.subgraph import DEEPEST, SubGraph
from ....graph.serial.error_text import brief, short
from ....graph.serial.rebuild import find_opdef
from ....graph.shapes.dimension import unknown
from ....graph.shapes.dtypes import float32
from ....graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ....ops.control.while_op import keeps_shape
from ....ops.declare.held_graphs import outer_symbols
from ...foreign_flow.flow_tree import Conditional, FlowBlock, FlowLoop
from ...foreign_flow.stack_roots import nodes_in
from ..import_errors import UnsupportedInside
from ..import_scope import ImportScope
from ..wire.tensor_proto import Unsupported

_MOST_TIMES = 10


@dataclass(frozen=True, slots=True)
class NewBody:
    """A body while it is built."""

    graph: InnerGraph
    scope: ImportScope


def new_body(scope: ImportScope, label: str) -> NewBody:
    """The empty graph of a body inside a scope.

    Raises:
        GraphFormatError: graphs are nested too deeply.
    """
    if scope.rebuilder.depth >= DEEPEST:
        raise GraphFormatError(f"graphs inside ops are nested more than {DEEPEST} deep", code="file/limit")
    graph = InnerGraph(scope.graph, scope.graph.names.scope(label))
    return NewBody(graph, scope.inside(scope.rebuilder.inside(graph)))


def finished(body: NewBody, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> SubGraph:
    """A body with all nodes that its results, and those that always run, need."""
    body.scope.rebuilder.finish()
    body.graph.finalize()
    return pruned(body.graph, list(inputs), list(outputs), body.scope.always)


def read_block(
    scope: ImportScope,
    block: FlowBlock,
    build: Callable[[ImportScope, Conditional | FlowLoop], None],
    optional: Collection[int] = (),
) -> None:
    """Add the nodes of a block inside a body, all of them but those `optional` ones that have no counterpart here.

    Raises:
        Unsupported: one has no counterpart here.
    """
    for item in block.items:
        if not isinstance(item, int):
            build(scope, item)
            continue
        node = scope.index.nodes[item]
        try:
            if scope.misses(item):
                raise Unsupported("it needs a node that is not there")
            counterpart = scope.state.read(scope, item)
        except Unsupported as error:
            if item in optional:
                scope.lost.add(item)
                continue
            if isinstance(error, UnsupportedInside):
                raise
            raise UnsupportedInside(f"inside, {short(node.name)}: {brief(error)}", node.name, node.op) from None
        if counterpart.op is not None and scope.is_inside and not scope.is_own and counterpart.op.graph is scope.graph:
            drop_idle_waits(scope, counterpart.op)
        scope.made[item] = counterpart


def note_awaited(scope: ImportScope, block: FlowBlock) -> None:
    """Note the operations of a block that a node outside of it waits for: they run whatever its results need."""
    inside = set(nodes_in(block))
    for number in inside:
        if any(each not in inside for each in scope.index.awaited_by.get(number, ())):
            op = scope.operation(number)
            if op is not None:
                scope.always.append(op)


def drop_idle_waits(scope: ImportScope, op: Operation) -> None:
    """Leave out control inputs that wait for no effect: they only say to which body a node belongs."""
    if op.control_inputs:
        op.control_inputs = tuple([each for each in op.control_inputs if _matters(scope, each)])
    if op.control_inputs or _matters(scope, op) or any(_matters(scope, t.op) for t in op.inputs):
        scope.effectful.add(op)


def note_effects(scope: ImportScope, holder: Operation, results: Iterable[Operation | None]) -> None:
    """Note that waiting for the results of a branch or a loop inside a body means to wait for its effects."""
    if scope.is_inside and _matters(scope, holder):
        scope.effectful.update([holder, *[op for op in results if op is not None and op.graph is scope.graph]])


def _matters(scope: ImportScope, op: Operation) -> bool:
    """Whether an effect comes before an operation, or is its own."""
    if op.opdef.facts.must_feed:  # an input of the body
        return False
    if op in scope.effectful or not effects_of(op).is_pure or _may_only_fail(op):
        return True
    return bool(op.opdef.bodies) and any(_may_only_fail(each) for each in within([op]))


def _may_only_fail(op: Operation) -> bool:
    """Whether an operation, such as an Assert, gives nothing and is there for its errors."""
    return not op.outputs and bool(op.inputs)


# ---- loops --------------------------------------------------------------------------------------


def settled_body(
    names: Sequence[str],
    first: list[Tensor],
    once: Callable[[Sequence[TensorShape]], SubGraph],
    empty: Callable[[], Tensor],
) -> SubGraph:
    """The body of a loop whose variables keep their shapes: it is built again, with open sizes for those that change.

    Args:
        names: what the loop variables are called.
        first: their values before the loop. The flow of a TensorArray may be a float before any array has reached it;
            it is replaced by `empty`.
        once: builds the body for static shapes of the loop variables.
        empty: makes a variant that holds nothing.

    Raises:
        GraphFormatError: a loop variable changes its dtype, or the shapes do not settle.
    """
    shapes = [t.shape for t in first]
    for attempt in range(_MOST_TIMES):
        body = once(shapes)
        known = outer_symbols(first, body.inputs[: len(first)])
        opened = list(shapes)
        for i, (before, after) in enumerate(zip(body.inputs[: len(first)], body.outputs, strict=False)):
            if after.dtype.is_variant and before.dtype is float32:
                first[i] = empty()
                opened[i] = first[i].shape
                continue
            if before.dtype is not after.dtype:
                raise GraphFormatError(f"the loop variable {short(names[i])} is {before.dtype}, and {after.dtype} "
                                       "after one iteration; a loop variable keeps its dtype")  # fmt: skip
            if not keeps_shape(before.shape, after.shape, known):
                opened[i] = _opened(before.shape, after, attempt)
        if all(a is b for a, b in zip(opened, shapes, strict=True)):
            return body
        shapes = opened
    raise GraphFormatError("the shapes of its loop variables do not settle")


def _opened(before: TensorShape, after: Tensor, attempt: int) -> TensorShape:
    """A shape that allows what a loop variable has before and after an iteration."""
    reason = "it may change from one iteration to the next"
    left, right = before.raw, after.shape.raw
    if left is None or right is None or len(left) != len(right) or attempt > 2:
        return unknown_rank(reason)
    return shape_of([a if isinstance(a, int) and a == b else unknown(reason) for a, b in zip(left, right, strict=True)])


# ---- calls --------------------------------------------------------------------------------------


def arguments(type: str, **given: Any) -> list[Any]:
    """The arguments of one of our ops that holds graphs, with what the graphs capture among the operands."""
    opdef = find_opdef(type)
    parameters = opdef.signature.parameters
    found = with_captures(opdef, [given.get(name, parameters[name].default) for name in opdef.parameters])
    return [tuple(each) if isinstance(each, list) else each for each in found]
