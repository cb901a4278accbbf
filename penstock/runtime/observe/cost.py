"""The cost model: operations, bytes read and written, and peak memory of a run, from static shapes.

The given sizes of named dimensions (and shapes of fed tensors, where dimensions have no names) replace the symbols in a
copy of the graph. The ops' own shape rules then compute every shape again. A size that is still open depends on values;
the report names it with the reason. Operations and bytes come from `graph.declare.op_cost`, live memory from the plan
of a run without passes. Nodes of bodies have rows of their own. A body is counted once, because it is not known how
often it runs; memory that lives inside a body is not counted.

The critical path of a graph: the chain of operations of which the costs add up to the most.

Predicted and measured cost of each step of a recorded run.

Passes fuse, merge and rewrite nodes, so the steps of a plan are not the nodes of the graph. The cost of a step is
therefore computed from the step itself and from the shapes that the values of the run had.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Any

from ...errors import BuildError
from ...graph.declare.op_cost import Known, bytes_of, cost_of_use, flops_of, sized
from ...graph.declare.op_declaration import OPS
from ...graph.diagnostics.unknown_dims import reason_of, why_unknown
from ...graph.model.append import append_operation, append_placeholder
from ...graph.model.nesting import within
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.model.subgraph import bodies_of
from ..base.fp_context import collector_paused
from ..base.session_config import SessionConfig
from ..ir.body_stages import inferred_again, stage_of
from ..ir.fused_ir import Body, Value, shapes_of
from ..ir.stage import Stage
from ..planning.memory_plan import MemoryPlan, plan_memory
from ..planning.plan import Plan, Slot, Step
from ..planning.planner import make_plan
from .cost_report import Cost, NodeCost, StepCost, UnknownSize
from .cost_sizes import CostError, CostInputs, given_sizes
from .run_record import RunRecord, members_of


def cost(
    graph: Graph,
    fetches: Any = None,
    *,
    shapes: Mapping[Any, Sequence[int]] | None = None,
    run: Any = None,
    sizes: Mapping[str, int] | None = None,
    **named: int,
) -> Cost:
    """What a run of `fetches` costs, from static shapes with the sizes of named dimensions given: `Graph.cost`.

    Args:
        graph: the graph. fetches: as of `Session.run`; every tensor that nothing takes unless given.
        shapes: shapes of tensors (or their names): of placeholders whose dimensions have no names, and what to expect
            of results that depend on values.
        run: the `RunMetadata` of a run: shapes and fetches are those of the run, and the cost of each step of the plan
            that ran stands beside its time, its bytes and its peak.
        sizes, named: the sizes of named dimensions: `batch=64`; `sizes={"run": 3}` for a name that is an argument.

    Returns:
        A `Cost`: data that prints as text. Sizes that are missing are named in `unknown`; nothing is guessed. See
        `penstock.graph.declare.op_cost` for what counts as an operation; constants and passes are left out.

    Raises:
        ValueError: a name that no dimension has, a size below zero, sizes that contradict each other or the graph, a
        fetch that is not in it, a record of another graph or of no run. TypeError: a size that is no int.

    >>> import penstock as tf
    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.placeholder(tf.float32, ["batch", 100], name="x")
    ...     w = tf.ones([100, 10], name="w")
    ...     y = tf.relu(tf.matmul(x, w, name="product"), name="y")
    >>> cost = graph.cost(y, batch=64)
    >>> cost.node("product").flops == 2 * 64 * 100 * 10, cost.flops, cost.peak_node
    (True, 128640, 'product')
    >>> print(graph.cost(y).unknown[0])
    batch of x:0: its size is not given. Write cost(batch=...).
    """
    if sizes is not None and not isinstance(sizes, Mapping):
        raise TypeError(f"cost(sizes={sizes!r}): write cost(batch=64), or sizes={{'batch': 64}}")
    record = record_of(run, graph)
    with collector_paused():
        return _cost_of(graph, fetches, shapes, record, {**(sizes or {}), **named})


def _cost_of(
    graph: Graph,
    fetches: Any,
    shapes: Mapping[Any, Sequence[int]] | None,
    record: RunRecord | None,
    sizes: Mapping[str, int],
) -> Cost:
    given = given_sizes(graph, fetches, shapes, record, sizes)
    stage = _with_sizes(given)
    plan = make_plan(stage, given.names, SessionConfig(passes=()))
    memory = plan_memory(plan, given.sizes, lambda step: False)
    rows = tuple(_rows(stage, given))
    return Cost(
        fetches=tuple([t.name for t in given.stage.fetches] + [op.name for op in given.stage.targets]),
        sizes=given.labels,
        nodes=rows,
        unknown=tuple(_unknown(stage, given)),
        peak_bytes=memory.peak,
        peak_node=_node_at(plan, memory),
        critical_path=_critical_path(stage, rows),
        bodies=memory.bodies,
        steps=() if record is None else step_costs(record),
        planned_peak_bytes=0 if record is None or record.memory is None else record.memory.peak,
        measured_peak_bytes=0 if record is None else record.peak_bytes,
    )


def _with_sizes(cost_inputs: CostInputs) -> Stage:
    """The stage with the given sizes in its placeholders; every shape is inferred again from them."""
    graph = Graph()
    new: dict[Tensor, Tensor] = {}
    copies: dict[Operation, Operation] = {}
    for tensor, shape in zip(cost_inputs.stage.feeds, cost_inputs.feed_shapes, strict=True):
        new[tensor] = append_placeholder(graph, tensor.dtype, shape, tensor.op.name, tensor.op.origins)
    pinned = set(cost_inputs.stage.pinned)
    for op in cost_inputs.stage.operations:
        args = [_argument(arg, new) for arg in op.args]
        if op.opdef.bodies:
            bodies = inferred_again(op, new.__getitem__, lambda before, shape: cost_inputs.put_in(shape))
            for place, body in zip(op.opdef.bodies, bodies, strict=True):
                args[place] = body
        try:
            inputs, outputs = cost_inputs.infer(op, args)
            bound = inputs if op.opdef.is_plain else tuple(args)
            copy = append_operation(graph, op.opdef, bound, inputs, outputs, op.name, op.origins)
            for tensor, again in zip(op.outputs, copy.outputs, strict=True):
                if tensor in pinned:
                    again.set_shape(cost_inputs.put_in(tensor.shape))
                if tensor.name in cost_inputs.expected:
                    again.set_shape(cost_inputs.expected[tensor.name])
        except BuildError as error:
            raise CostError(
                f"cost({', '.join(cost_inputs.labels)})",
                f"the node {op.name!r} ({op.type}) does not allow these sizes: "
                f"{error.message}\n  {op.origin.place}  {op.origin.code}".rstrip()
            ) from None
        copy.control_inputs = tuple(copies[c] for c in op.control_inputs if c in copies)
        copies[op] = copy
        for tensor, again in zip(op.outputs, copy.outputs, strict=True):
            new.setdefault(tensor, again)  # a fed output keeps its placeholder
    return Stage(
        tuple(copies.values()),
        tuple(new[t] for t in cost_inputs.stage.feeds),
        tuple(new[t] for t in cost_inputs.stage.fetches),
        tuple(copies[op] for op in cost_inputs.stage.targets),
    )


def _argument(arg: Any, new: Mapping[Tensor, Tensor]) -> Any:
    if isinstance(arg, Tensor):
        return new[arg]
    if isinstance(arg, tuple) and arg and isinstance(arg[0], Tensor):
        return tuple(new[t] for t in arg)
    return arg


def _rows(stage: Stage, given: CostInputs) -> Iterator[NodeCost]:
    for op in stage.operations:
        if op.opdef.facts.is_constant:
            continue  # a constant exists before the run and costs nothing in it
        known = {t: (t.dtype, sized(t.shape.raw, given.sizes)) for t in (*op.inputs, *op.outputs)}
        use = cost_of_use(op.opdef, op.args, known, [known[t] for t in op.outputs])
        yield NodeCost(op.name, op.type, op.origin.place, *use)
        for body in bodies_of(op):
            yield from _rows(stage_of(body), given)


def _unknown(stage: Stage, cost_inputs: CostInputs) -> Iterator[UnknownSize]:
    """Every unknown size, reported once, at the first tensor that has it."""
    reported: set[Any] = set()
    for tensor in [*stage.feeds, *(t for op in within(stage.operations) for t in op.outputs)]:
        facts = tensor.op.opdef.facts
        if tensor.shape.raw is None:
            if not any(t.shape.raw is None for t in tensor.op.inputs):
                yield UnknownSize("the rank", tensor.name, why_unknown(tensor)[0].reason, not facts.must_feed)
            continue
        if tensor.shape.is_known:
            continue
        for i, dim in enumerate(tensor.shape.raw):
            symbols = [] if isinstance(dim, int) else [s for s, _ in dim.terms if s not in cost_inputs.sizes]
            for symbol in symbols:
                if symbol in reported:
                    continue
                reported.add(symbol)
                if symbol.name is not None:
                    yield UnknownSize(symbol.name, tensor.name, "its size is not given", is_named=True)
                else:  # the symbol holds its reason; `why_unknown` would walk back through the graph for each
                    yield UnknownSize(f"dimension {i}", tensor.name, reason_of(symbol), not facts.must_feed)


def _node_at(plan: Plan, memory: MemoryPlan) -> str:
    """The node that runs at the memory peak; "" if the peak is before or after all steps."""
    at = memory.peak_step
    return plan.steps[at].node if 0 <= at < len(plan.steps) else ""


def _critical_path(stage: Stage, rows: Sequence[NodeCost]) -> tuple[str, ...]:
    by_node = {row.node: row.weight for row in rows}
    weights = {  # the weight of an op includes the nodes inside it
        op.name: float(sum(by_node.get(each.name, 0) for each in within([op])))
        for op in stage.operations
        if op.name in by_node
    }
    edges = {
        (before.name, op.name): None
        for op in stage.operations
        for before in (*(t.op for t in op.inputs), *op.control_inputs)
        if before.name in weights and op.name in weights
    }
    return tuple(longest_path(weights, edges))


def longest_path(weights: Mapping[str, float], edges: Iterable[tuple[str, str]]) -> list[str]:
    """The heaviest chain of a graph without cycles: names along edges, of which the weights add up to the most.

    The names must be in topological order: an edge leads to a later name. One pass over them is then enough.

    >>> longest_path({"a": 1, "b": 5, "c": 2, "d": 1}, [("a", "b"), ("a", "c"), ("c", "d"), ("b", "d")])
    ['a', 'b', 'd']
    """
    sources: dict[str, list[str]] = {name: [] for name in weights}
    for source, target in edges:
        sources[target].append(source)
    heaviest: dict[str, float] = {}  # the weight of the heaviest chain that ends at a name
    before: dict[str, str | None] = {}
    for name, weight in weights.items():
        before[name] = max(sources[name], key=heaviest.__getitem__, default=None)
        last = before[name]
        heaviest[name] = weight + (heaviest[last] if last is not None else 0)
    path: list[str] = []
    at = max(heaviest, key=heaviest.__getitem__, default=None)
    while at is not None:
        path.append(at)
        at = before[at]
    return path[::-1]


def record_of(run: Any, graph: Any) -> RunRecord | None:
    """The record inside a `RunMetadata`, or the record itself; None for None.

    Raises:
        ValueError: nothing was recorded, or the run is one of another graph.
        TypeError: `run` is neither a `RunMetadata` nor a `RunRecord`.
    """
    if run is None:
        return None
    record = run if isinstance(run, RunRecord) else getattr(run, "record", run)
    if record is None:
        raise ValueError("cost(run=...): this RunMetadata holds no recorded run. Give it to session.run first.")
    if not isinstance(record, RunRecord):
        raise TypeError(f"cost(run={run!r}): a {type(run).__name__} was given; give the RunMetadata of a run")
    if record.graph is not None and record.graph is not graph:
        raise ValueError(f"cost(run=...): the run is of {record.graph!r}, not of {graph!r}. Give one of this graph.")
    return record


def step_costs(record: RunRecord) -> tuple[StepCost, ...]:
    """One row for each step that ran."""
    shapes: dict[Slot, Known] = {slot: array.shape for slot, array, _ in record.plan.constants}
    fed = {feed.name: feed.shape for feed in record.feeds}
    shapes.update({slot: fed.get(name) for name, slot in record.plan.feeds})
    rows: list[StepCost] = []
    for step, measured in zip(record.plan.steps, record.steps, strict=False):
        results = {slot: result.shape for slot, result in zip(step.outputs, measured.results, strict=False)}
        shapes.update({slot: results.get(slot) for slot in step.outputs})
        flops, read, written = _cost(step, record, shapes)
        rows.append(StepCost(step.node, step.op, members_of(step), flops, read, written, measured.bytes,
                             measured.duration))  # fmt: skip
    return tuple(rows)


def _cost(step: Step, record: RunRecord, shapes: dict[Slot, Known]) -> tuple[int | None, int | None, int | None]:
    results = [(dtype, shapes[slot]) for dtype, slot in zip(step.dtypes, step.outputs, strict=True)]
    opdef = OPS.get(step.op)
    if opdef is None:  # a copy from one device to another
        size = bytes_of(*results[0])
        return 0, size, size
    known = {slot: (record.plan.slots[slot].dtype, shapes[slot]) for slot in step.inputs}
    flops, read, written = cost_of_use(opdef, step.args, known, results)
    body = step.args[-1] if step.args else None
    if isinstance(body, Body):
        flops = _body_flops(body, [shapes[slot] for slot in step.inputs])
    return flops, read, written


def _body_flops(body: Body, inputs: Sequence[Known]) -> int | None:
    """Operations of a fused group, whose ops are elementwise or reductions."""
    known = [shape for shape in inputs if shape is not None]
    if len(known) < len(inputs):
        return None
    shapes = shapes_of(body, known)
    total = 0
    for instruction, shape in zip(body.instructions, shapes[len(known) :], strict=True):
        opdef = OPS[instruction.op]
        args = [shapes[a] if isinstance(a, Value) else a for a in instruction.args]
        flops = prod(args[0]) if opdef.reduction is not None else flops_of(opdef, args, [shape])
        total += flops or 0
    return total
