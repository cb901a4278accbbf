"""A saved run as the code of a small program, which builds the graph and runs it."""

from __future__ import annotations

import re

from ..errors import GraphFormatError
from .graph_text import GraphWriter, imports
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
