"""Commands that look at the run and its graph: list, where, why, frames, graph, shape, times, profile, show, repro."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from ...graph.diagnostics.shape_provenance import explain_shape
from ...graph.inspect.graph_summary import COLUMNS
from ...graph.inspect.text_table import format_table
from ...graph.model.nesting import within
from ...graph.model.nodes import Graph, Operation
from ...graph.model.subgraph import bodies_of
from ...runtime.observe.run_record import time_text
from .command_words import CommandError, number_in, words_of
from .stopped_run import StoppedRun, in_words_of_commands

# ---- the graph around a node ---------------------------------------------------------------------


# The graph around a node as text: what it is computed from and what reads it, some hops in each direction.
#
#    x       Placeholder               float32 (n,)  fed
#    more    Add          x, more/y    float32 (n,)  done
# => root    Sqrt         more         float32 (n,)  next
#    total   Sum          root         float32 ()    later


_HEAD = ("", "name", "op", "inputs", "type", "")
_MOST_NODES = 40


def graph_around(
    graph: Graph, centre: Operation, hops: int, state: Callable[[Operation], str], width: int | None = None
) -> str:
    """The nodes around one, in the order of the program, one line each.

    Args:
        graph: the graph; the node may be inside a loop or branch of it.
        centre: the node.
        hops: how many edges away a node may be.
        state: says in a word what the run has done with a node.
        width: the columns of a line; None for any number.
    """
    beside = operations_beside(graph, centre)
    near = _near(centre, beside, hops)
    # An operand of a graph inside an op is not among its operations.
    shown = [*[op for op in near if op not in set(beside)], *[op for op in beside if op in near]]
    place = shown.index(centre)
    first = max(0, min(place - _MOST_NODES // 2, len(shown) - _MOST_NODES))
    part = shown[first : first + _MOST_NODES]
    cells = [COLUMNS[name] for name in ("name", "op", "inputs", "type")]
    rows = [("=>" if op is centre else "", *[cell(op) for cell in cells], state(op)) for op in part]
    text = format_table(_HEAD, rows, width).partition("\n")[2]
    left = len(shown) - len(part)
    return f"{text}\n({left} nodes more; fewer hops show less)" if left else text


def operations_beside(graph: Graph, op: Operation) -> Sequence[Operation]:
    """The operations of the graph that an operation belongs to: the whole, or one inside a loop or branch."""
    for holder in within(graph.get_operations()):
        for body in bodies_of(holder):
            if op in body.operations or op in [tensor.op for tensor in body.inputs]:
                return body.operations
    return graph.get_operations()


def _near(centre: Operation, beside: Sequence[Operation], hops: int) -> set[Operation]:
    readers: dict[Operation, list[Operation]] = {}
    for op in beside:
        for source in _sources(op):
            readers.setdefault(source, []).append(op)
    return {centre} | _reached(centre, _sources, hops) | _reached(centre, lambda op: readers.get(op, ()), hops)


def _reached(
    centre: Operation, following: Callable[[Operation], Iterable[Operation]], hops: int
) -> set[Operation]:
    found: set[Operation] = set()
    edge = {centre}
    for _ in range(hops):
        edge = {after for op in edge for after in following(op)} - found
        found |= edge
    return found


def _sources(op: Operation) -> list[Operation]:
    return [*[tensor.op for tensor in op.inputs], *op.control_inputs]


_HOPS = 2
_AROUND = 5
_MOST_TIMES = 10


def list_steps(at: StoppedRun, rest: str) -> None:
    """list [n]"""
    at.say(at.dbg.listing(number_in(rest, "number of steps", 1) if rest else _AROUND))


def where(at: StoppedRun, rest: str) -> None:
    """where"""
    at.say(at.dbg.where())


def why(at: StoppedRun, rest: str) -> None:
    """why [tensor]"""
    if not rest and at.dbg.error is not None:
        at.print(at.style.red(at.style.lines(str(at.dbg.error))))
        return
    name = at.name_in_graph(rest) if rest else _value_that_stopped(at)
    at.say(in_words_of_commands(str(at.dbg.why(name))))


def _value_that_stopped(at: StoppedRun) -> str | None:
    """The tensor whose value has stopped the run where it stands; None if something else has."""
    last = at.last_stop
    found = re.match(r"breakpoint \d+: (\S+:\d+)[: ]", last.reason) if last and last.time == at.dbg.time else None
    return found[1] if found else None


def show_frames(at: StoppedRun, rest: str) -> None:
    """frames"""
    frames = at.dbg.frames()
    at.say("\n".join(map(str, frames)) if frames else "the run is in no loop or branch here")


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
        if op.opdef.facts.is_constant:
            return ""
        outputs = {tensor.name for tensor in op.outputs}
        if outputs & {tensor.name for tensor in at.run.feeds}:
            return "fed"
        if outputs & done:
            return "done"
        return "later" if outputs & names or not outputs else "not in this run"

    at.say(graph_around(at.run.session.graph, centre, hops, state, at.style.width))


def show_shape(at: StoppedRun, rest: str) -> None:
    """shape [tensor]"""
    name = at.name_in_graph(rest or at.dbg.here.node)
    if not name:
        raise CommandError("shape of what? Write the name of a tensor")
    operation, index = _operation(at, name), int(name.partition(":")[2] or 0)
    if index >= len(operation.outputs):
        raise CommandError(f"{operation.name} has no output {index}")
    at.say(explain_shape(operation.outputs[index]))


def show_times(at: StoppedRun, rest: str) -> None:
    """times [n]"""
    found = at.dbg.times()
    if not found:
        raise CommandError("no step has run yet")
    total = sum(seconds for _, seconds, _ in found)
    most = number_in(rest, "number of rows", 1) if rest else _MOST_TIMES
    rows = [(node, time_text(seconds), f"{seconds / total:.0%}" if total else "", str(runs))
            for node, seconds, runs in found[:most]]  # fmt: skip
    at.say(format_table(("node", "time", "share", "runs"), rows, at.style.width, ("time", "share", "runs")))


def profile(at: StoppedRun, rest: str) -> None:
    """profile [runs]"""
    runs = number_in(rest, "number of runs", 1) if rest else 10
    at.say(at.run.session.profile(at.run.fetches, at.run.feeds, runs=runs))


def show_page(at: StoppedRun, rest: str) -> None:
    """show file.html"""
    if not rest:
        raise CommandError("show where? Write the name of a file, such as show here.html")
    at.say(at.dbg.show(rest))


def write_repro(at: StoppedRun, rest: str) -> None:
    """repro folder"""
    if not rest:
        raise CommandError("repro where? Write the name of a new folder")
    if at.is_earlier:
        raise CommandError("the folder would get the variables of now, not those of this run; `again` goes back to the "
                           "run at hand")  # fmt: skip
    at.say(at.run.session.repro(rest, at.run.fetches, dict(at.run.feeds)))


def _operation(at: StoppedRun, name: str) -> Operation:
    """The node that is meant by a name, that of one of its tensors, or the end of either; the run need not have it."""
    full = at.name_in_graph(name)
    found: Operation | None = at.run.session.graph.find_anywhere(full.partition(":")[0])
    if found is None:
        raise CommandError(f"{full} is made by a pass; no line of the program has made it")
    return found
