"""Commands that look at the run and its graph: list, where, why, frames, graph, shape, times, profile, show, repro."""

from __future__ import annotations

import re

from ...graph.diagnostics.shape_provenance import explain_shape
from ...graph.inspect.text_table import format_table
from ...graph.model.nodes import Operation
from ...runtime.observe.run_record import time_text
from .command_words import CommandError, number_in, words_of
from .graph_around import graph_around
from .stopped_run import StoppedRun, in_words_of_commands

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
