"""The data with which a page computes a graph: its plans, what they are fed, variables, recorded values.

    plans      "written": the graph as written; "optimised": the plan that a run would follow; "open": that plan with
               the constants fed, which takes its place once a constant is edited (otherwise they are folded)
    feeds      [[name, TENSOR]]: placeholders, and the constants that a reader may edit
    constants  the names of these constants
    fixed      [[name, why]]: constants that a reader cannot edit
    variables  [[name, TENSOR or null]]: the values before the first run
    streams    [[node, seed, seed2, blocks drawn, what it has kept]] for each random op; the last is a list of
               ints, or left out
    recorded   for each plan {slot: TENSOR}: what Python computed where the page has no kernel
    asked      the names of the fetches

Each plan is as in `play_plan`, with `fetched`: [{"slot": slot or null, "steps": [positions]}] for each fetch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import FeedError, ValueRuleError
from ...graph.declare.op_declaration import OPS
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.shapes.literal import Array
from ...ops.state.uninitialized_variables import uninitialized
from ...ops.state.variable_ops import touched_by
from ...runtime.arguments.feeds import check_feeds, split_feed_dict
from ...runtime.arguments.fetches import Fetches
from ...runtime.base.session_config import SessionConfig
from ...runtime.ir.fused_ir import instructions_in
from ...runtime.observe.race_search import initializers, usual_fetches
from ...runtime.passes.last_writes import written_by
from ...runtime.passes.pipeline import prune
from ...runtime.planning.plan import Plan
from ...runtime.session.session import Session
from .play_plan import numbers_in, plan_data
from .play_recording import recorded_values
from .play_values import NoPageFormError, tensor_data

EDITABLE = 1_000
"""The most elements of a constant that a reader may edit."""
MOST_NUMBERS = 20_000
"""The most elements of all tensors on a page: more is neither small nor fast."""
MOST_STEPS = 1_000
CALL = "export(play=True)"


def play_data(
    graph: Graph, fetches: Any, feeds: Mapping[Any, Any] | None, session: Session | None = None
) -> dict[str, Any]:
    """The data of a page that computes `fetches` of the graph.

    Args:
        graph: the graph.
        fetches: as of `Session.run`; None is every result that nothing reads, but not initializers.
        feeds: a value for each placeholder that the fetches need.
        session: the session whose variables the page begins with; without it they get their initial values.

    Raises:
        ValueError: nothing is fetched, a placeholder has no value, a variable of the session has none, or the graph is
            too large for a page.
        OpError: an initializer failed.
    """
    fetch_structure = _fetches(graph, fetches)
    wanted = [*fetch_structure.tensors, *fetch_structure.operations]
    if not wanted:
        raise ValueRuleError("nothing is fetched, so there is nothing to compute. Name tensors or operations",
                             attempt=f"Graph.{CALL}")  # fmt: skip
    tensors, fed_values = split_feed_dict(graph, feeds) if feeds else ((), ())
    arrays = check_feeds(tensors, fed_values)[0]
    operations = prune(fetch_structure.tensors, fetch_structure.operations, tensors)
    _check_feeds(missing_feeds(graph, fetches, tensors))
    with _player(graph, session) as player:
        if session is None:
            _initialize(player, operations)
        data_flow = _of_session_objects(operations)
        constants = _editable(operations, tensors, data_flow)
        fed = {tensor.name: np.asarray(array) for tensor, array in zip(tensors, arrays, strict=True)}
        fed |= {tensor.name: tensor.op.args[0] for tensor in constants}
        plans = {"optimised": player.plan(wanted, list(tensors))}
        if constants:
            plans["open"] = player.plan(wanted, [*tensors, *constants])
        with Session(graph=graph, config=player.config.as_written()) as writing:
            plans = {"written": writing.plan(wanted, [*tensors, *constants]), **plans}
        _check_steps(plans["written"])
        values = {name: player.variables.get(name) for name in _variables(plans.values())}
        _check_values(plans["written"], values)
        documents = {name: plan_data(plan) for name, plan in plans.items()}
        data = {
            "version": 1,
            "plans": documents,
            "feeds": [[name, tensor_data(array)] for name, array in fed.items()],
            "constants": [tensor.name for tensor in constants],
            "fixed": [[op.outputs[0].name, why] for op in operations if (why := _why_fixed(op, data_flow))],
            "variables": [[name, None if array is None else tensor_data(array)] for name, array in values.items()],
            "streams": _streams(player, plans.values()),
            "recorded": recorded_values(player, plans, documents, fed, values),
            "asked": [*(t.name for t in fetch_structure.tensors), *(op.name for op in fetch_structure.operations)],
        }
    for name, plan in plans.items():
        documents[name]["fetched"] = [
            *({"slot": int(slot), "steps": []} for slot in plan.user_fetches),
            *({"slot": None, "steps": sorted(_steps_of(plan, op))} for op in fetch_structure.operations),
        ]
    _check_size(data)
    return data


def _player(graph: Graph, session: Session | None) -> Session:
    """A session of the same graph and variables, on this CPU, without compiled code or hooks."""
    config = SessionConfig() if session is None else session.config
    plain = replace(config, device="cpu", excluded_devices=("gpu",), watch=None, progress=None, timeout_in_ms=0)
    player = Session(graph=graph, config=plain)
    player.objects.is_alone = True
    if session is not None:
        player.set_random_state(session.random_state())
        values = {name: session.variables.get(name) for name in session.variables.names()}
        player.variables.put({name: value.copy() for name, value in values.items() if value is not None})
    return player


def _initialize(player: Session, operations: Sequence[Operation]) -> None:
    """Give variables without a value that of their initializer, unless one of these operations is an initializer."""
    used = {name for op in operations for name in touched_by(op)[0]}
    lacking = used - set(player.variables.names())
    first = {op: name for op, name in initializers(player.graph.get_operations()) if name in lacking}
    if not set(operations) & set(first):
        player.run(list(first))


def initialize_for(session: Session, fetches: Any, feeds: Mapping[Any, Any]) -> None:
    """Give the variables of a run of `session.run(fetches, feeds)` that have no value their initial values."""
    wanted = Fetches(session.graph, fetches, "Graph.export")
    tensors = split_feed_dict(session.graph, feeds)[0]
    _initialize(session, prune(wanted.tensors, wanted.operations, tensors))


def _fetches(graph: Graph, fetches: Any) -> Fetches:
    return Fetches(graph, usual_fetches(graph) if fetches is None else fetches, f"Graph.{CALL}")


def missing_feeds(graph: Graph, fetches: Any, fed: Sequence[Tensor]) -> list[Tensor]:
    """The placeholders that the fetches need and that are not fed; `fetches` as of `play_data`."""
    found = _fetches(graph, fetches)
    operations = prune(found.tensors, found.operations, fed)
    return [op.outputs[0] for op in operations if op.opdef.facts.must_feed and op.outputs[0] not in fed]


def _check_feeds(missing: Sequence[Tensor]) -> None:
    if missing:
        told = ", ".join(f"{t.name} {t.dtype} {t.shape}" for t in missing[:5]) + (" ..." if len(missing) > 5 else "")
        raise FeedError(f"Graph.{CALL}: the fetches need a value for {told}. Give it: feeds={{{missing[0].name!r}: "
                        "...}")  # fmt: skip


def _check_values(plan: Plan, values: Mapping[str, Array | None]) -> None:
    lacking = [each.resource for each in plan.state if each.kind == "value" and values[each.resource] is None]
    if lacking:
        raise ValueRuleError(f"{uninitialized(lacking[0])}. Run its initializer in the session first, or leave the "
                             "session out: variables then begin with their initial values",
                             attempt=f"Graph.{CALL}")  # fmt: skip


def _editable(operations: Sequence[Operation], fed: Sequence[Tensor], data_flow: Set[Operation]) -> list[Tensor]:
    constants = [op for op in operations if op.opdef.facts.is_constant and op.outputs[0] not in fed]
    return [op.outputs[0] for op in constants if not _why_fixed(op, data_flow)]


def _of_session_objects(operations: Sequence[Operation]) -> Set[Operation]:
    """The operations that use queues, iterators and readers of a session, and all that these need."""
    found: set[Operation] = set()
    waiting = [op for op in operations if op.opdef.facts.of_session]
    while waiting:
        op = waiting.pop()
        if op not in found:
            found.add(op)
            waiting += [each.op for each in op.inputs]
    return found


def _why_fixed(op: Operation, data_flow: Set[Operation]) -> str:
    """Why a reader cannot edit a constant; "" if he can, and for other operations.

    data_flow: see `_of_session_objects`.
    """
    if not op.opdef.facts.is_constant:
        return ""
    if op in data_flow:
        return "a dataset, a queue or a reader takes it, and these begin once"
    array: Array = op.args[0]
    if array.size > EDITABLE:
        return f"it has {array.size} elements, more than {EDITABLE}"
    try:
        tensor_data(array)
    except NoPageFormError as error:
        return str(error)
    return ""


def _variables(plans: Any) -> list[str]:
    """The variables that the plans read or write, each once."""
    return list(dict.fromkeys(
        name for plan in plans for name in (*(each.resource for each in plan.state), *plan.written)
    ))  # fmt: skip


def _streams(player: Session, plans: Iterable[Plan]) -> list[list[Any]]:
    """For each random op of the plans its seeds, how many blocks it has drawn, what it has kept; the first are texts.

    An op without seeds that has not run in the session yet has seeds of the page's own.
    """
    seeds = {node: pair for plan in plans for node, pair in _seeds(plan)}
    streams = [player.random_counters.stream(node, *pair) for node, pair in seeds.items()]
    return [
        [each.node, *map(str, (each.seed, each.seed2, each.drawn)),
         *([] if each.memory is None else [each.memory.tolist()])]
        for each in streams
    ]  # fmt: skip


def _seeds(plan: Plan) -> Iterator[tuple[str, tuple[int, int]]]:
    """The seeds of each random op, those in graphs inside ops included."""
    for step in plan.steps:
        opdef = OPS.get(step.op)
        if opdef is not None and opdef.draws_rule is not None:
            seed, seed2 = (int(step.args[opdef.parameters.index(name)]) for name in ("seed", "seed2"))
            yield step.node, (seed, seed2)
        for arg in step.args:
            if isinstance(arg, Plan):
                yield from _seeds(arg)


def _steps_of(plan: Plan, op: Operation) -> set[int]:
    """The positions of the steps that do what a fetched operation does."""
    writes = set(written_by(op))
    ends = {slot for name, slot in zip(plan.written, plan.fetches[len(plan.user_fetches) :], strict=True)
            if name in writes}  # fmt: skip
    found = set()
    for position, step in enumerate(plan.steps):
        body = instructions_in(step)
        names = {step.node, *(() if body is None else (each.node for each in body.instructions))}
        if op.name in names or ends & set(step.outputs):
            found.add(position)
    for before in op.control_inputs:
        found |= _steps_of(plan, before)
    return found


def _check_steps(plan: Plan) -> None:
    if len(plan.steps) > MOST_STEPS:
        raise ValueRuleError(f"the fetches need {len(plan.steps)} steps; a page computes at most {MOST_STEPS}. Fetch "
                             "less, or leave play out", attempt=f"Graph.{CALL}")  # fmt: skip


def _check_size(data: dict[str, Any]) -> None:
    count = numbers_in(data)
    if count <= MOST_NUMBERS:
        return
    sizes = [(numbers_in(made), name) for name, made in (*data["feeds"], *data["variables"])]
    size, name = max(sizes, default=(0, ""))
    told = f"; {name} has {size}" if size else ""
    raise ValueRuleError(f"the page would hold {count} numbers{told}; it holds at most {MOST_NUMBERS}. Feed smaller "
                         "arrays, or fetch less", attempt=f"Graph.{CALL}")  # fmt: skip
