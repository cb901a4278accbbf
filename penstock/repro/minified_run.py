"""What `penstock minify` does with a folder: search, write the result, and tell what is left."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from ..errors import GraphFormatError
from ..graph.model.nodes import Graph, Operation
from ..graph.model.subgraph import bodies_of
from ..printable_text import printable
from .criteria import GivesNan, criterion_of, not_finite, outcome
from .graph_text import GraphWriter, imports
from .minify import Minified, minified
from .repro_folder import write_folder
from .repro_run import load_repro
from .run_parts import size_of_run
from .saved_run import SavedRun, choices_as_data
from .values_as_code import array_text, quoted

_MOST = 4096
"""The most elements of all feeds and variables that are written out."""


def program_text(saved: SavedRun) -> str | None:
    """A program that builds the graph and runs it; None where the graph has what code does not show, such as functions
    of Python, or where much data belongs to the run."""
    graph = saved.graph()
    if sum(array.size for array in (*saved.feeds.values(), *saved.variables.values())) > _MOST:
        return None
    writer = GraphWriter(graph)
    try:
        lines = [*writer.lines(), ""]
        fed = [f"{writer.called(graph.get_tensor_by_name(name))}: {array_text(array)}" for name, array in
               saved.feeds.items()]  # fmt: skip
        values = [f"{quoted(name)}: {array_text(array)}" for name, array in saved.variables.items()]
    except GraphFormatError:
        return None
    fetches = [writer.called(graph.as_graph_element(name)) for name in saved.fetches]
    asked = fetches[0] if len(fetches) == 1 else f"[{', '.join(fetches)}]"
    config = [f"{key}={value!r}" for key, value in choices_as_data(saved.config).items() if not isinstance(value, dict)]
    argument_text = f", config=tf.SessionConfig({', '.join(config)})" if config else ""
    lines.append(f"with tf.Session(graph=graph{argument_text}) as session:")
    if values:
        lines.append(f"    session.variables.load({{{', '.join(values)}}})")
    if saved.random:
        if any(each.memory is not None for each in saved.random.values()):
            return None  # what a sampler has kept of its calls
        streams = ", ".join(f"{quoted(name)}: StreamState({each.seed}, {each.seed2}, {each.drawn})" for name, each in
                            saved.random.items())  # fmt: skip
        lines.append(f"    session.set_random_state(RandomState({{{streams}}}))")
    argument_text = f", {{{', '.join(fed)}}}" if fed else ""
    lines.append(f"    print(session.run({asked}{argument_text}))")
    head = imports(lines)
    if saved.random:
        head.insert(-1, "from penstock.runtime.base.random_counters import RandomState, StreamState")
    return re.sub(r"\n\n\n+", "\n\n", "\n".join([*head, *lines, ""]))


_NO_CODE = "program.py is not written: it shows no functions of Python, samplers that keep their calls, or much data"


def minify_folder(
    folder: Path, out: Path, nan: bool, differs: Sequence[str], seconds: float, tell: Callable[[str], None]
) -> str:
    """Make the run of a folder smaller and write it; what is left, as text.

    Args:
        folder: the folder of the run.
        out: the folder for the smaller one.
        nan: whether to look for a NaN.
        differs: changes of the configuration between which results differ.
        seconds: how long to search.
        tell: is told of progress.

    Raises:
        ValueError: the folder or an option cannot be used.
        UseError (a TypeError): the run does not do what is looked for.
        OSError: the folder cannot be read, or the result not be written.
    """
    saved = load_repro(folder).saved
    criterion = criterion_of(saved, nan, differs)
    if isinstance(criterion, GivesNan) and not_finite(saved):
        names = ", ".join(not_finite(saved))
        return f"The NaN or infinity is in what the run is given: {names}. No operation made it."
    before = size_of_run(saved)
    found = minified(saved, criterion, seconds, tell)
    tell(f"{found.trials} trials in {found.seconds:.1f} s")
    small = _with_outcome(found.saved)
    program = program_text(small)
    write_folder(small, out, program)
    left = program or listing(small.graph())
    return "\n".join([_head(found, before, str(criterion)), "", left, _tail(small, program, out)])


def _with_outcome(saved: SavedRun) -> SavedRun:
    """A run that expects what it does now."""
    now = outcome(saved)
    return saved if now is None else replace(saved, expected=now.failure)


def _head(found: Minified, before: tuple[int, int], words: str) -> str:
    count, elements = size_of_run(found.saved)
    why = {"time": " (the time is over; --seconds gives more)", "Ctrl-C": " (stopped by Ctrl-C)"}.get(found.ended, "")
    return f"{words}\n{before[0]} nodes with {before[1]} elements -> {count} nodes with {elements}{why}"


def _tail(saved: SavedRun, program: str | None, out: Path) -> str:
    lines = [] if program else [f"{name} = {value.tolist()}" for name, value in
                                {**saved.feeds, **saved.variables}.items() if value.size <= 64]  # fmt: skip
    lines += [] if program else [f"fetch {', '.join(saved.fetches)}", _NO_CODE]
    return "\n".join([*lines, f"python {out / 'repro.py'} runs it"])


def listing(graph: Graph, depth: int = 0) -> str:
    """The nodes of a graph, one a line, those inside others below them."""
    return "\n".join([line for op in graph.get_operations() for line in _lines(op, depth)])


def _lines(op: Operation, depth: int) -> list[str]:
    inputs = ", ".join([tensor.name for tensor in op.inputs])
    outputs = ", ".join([f"{tensor.dtype.name} {tensor.shape}" for tensor in op.outputs])
    lines = [printable(f"{'  ' * depth}{op.name} = {op.type}({inputs})  {outputs}".rstrip())]
    for body in bodies_of(op):
        lines.append("  " * depth + f"  {body.name}:")
        for inner in body.operations:
            lines += _lines(inner, depth + 2)
    return lines
