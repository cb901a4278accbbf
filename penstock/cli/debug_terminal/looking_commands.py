"""Commands that look at the run and its graph: graph, why, shape, profile."""

from __future__ import annotations

from ...graph.diagnostics.shape_provenance import explain_shape
from ...graph.nodes import Operation
from .command_words import CommandError, number_in, words_of
from .graph_around import graph_around
from .stopped_run import StoppedRun

_HOPS = 2


def show_graph(at: StoppedRun, rest: str) -> None:
    """graph [node] [hops]"""
    words = words_of(rest)
    hops = number_in(words.pop(), "number of hops", 1) if words and words[-1].isdigit() else _HOPS
    if len(words) > 1:
        raise CommandError(f"graph {rest}: write one node and a number of hops, such as graph {words[0]} 3")
    if not words and not at.dbg.here.node:
        raise CommandError("the run is at its end; write the name of a node: graph NAME")
    centre = _operation(at, words[0] if words else at.dbg.here.node)
    names, done, node = set(at.dbg.names), set(at.dbg.computed), at.dbg.here.node

    def state(op: Operation) -> str:
        if op.name == node:
            return "next"
        outputs = {tensor.name for tensor in op.outputs}
        if outputs & {tensor.name for tensor in at.run.feeds}:
            return "fed"
        if outputs & done:
            return "done"
        return "later" if outputs & names or not outputs else "not in this run"

    at.say(graph_around(at.run.session.graph, centre, hops, state, at.style.width))


def show_shape(at: StoppedRun, rest: str) -> None:
    """shape tensor"""
    name = at.dbg.find(rest or at.dbg.here.node or "?") if rest or at.dbg.here.node else ""
    if not name:
        raise CommandError("shape of what? Write the name of a tensor")
    operation = _operation(at, name.partition(":")[0])
    at.say(explain_shape(operation.outputs[int(name.partition(":")[2] or 0)]))


def why(at: StoppedRun, rest: str) -> None:
    """why tensor"""
    if not rest:
        raise CommandError("why what? Write the name of a tensor or node")
    node = _operation(at, rest).name
    at.say(at.run.session.explain(at.run.fetches, at.run.feeds).why(node))


def profile(at: StoppedRun, rest: str) -> None:
    """profile [runs]"""
    runs = number_in(rest, "number of runs", 1) if rest else 10
    at.say(at.run.session.profile(at.run.fetches, at.run.feeds, runs=runs))


def _operation(at: StoppedRun, name: str) -> Operation:
    """The node that is meant by a name, that of one of its tensors, or the end of either; the run need not have it."""
    graph = at.run.session.graph
    found: Operation | None = graph.find_anywhere(name.partition(":")[0])
    if found is None:
        found = graph.find_anywhere(at.full_name(name).partition(":")[0])
    if found is None:
        raise CommandError(f"{name} is made by a pass; no line of the program has made it")
    return found
