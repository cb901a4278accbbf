"""What decides which value a read of a variable gives: the writes in a graph so far, and the function around the read.

In functions of datasets a read is the value from outside. Their elements are made at any time after the iterator began,
so a variable is the value that it had then, however the function asks for it, as in TensorFlow.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ..graph.model.nodes import Graph
from ..ops.state.variable_ops import touched_by

_ARE_CAPTURED: ContextVar[bool] = ContextVar("reads_are_captured", default=False)


def reads_are_captured() -> bool:
    """Whether a read that is built now is the value from outside of the function."""
    return _ARE_CAPTURED.get()


@contextmanager
def captured_reads() -> Iterator[None]:
    """Reads of variables that are built in the block are values from outside of the function."""
    token = _ARE_CAPTURED.set(True)
    try:
        yield
    finally:
        _ARE_CAPTURED.reset(token)


def is_written_in(graph: Graph, resource: str) -> bool:
    """Whether an operation of the graph, or of graphs inside it, writes the variable so far."""
    return any(not op.opdef.is_pure and resource in touched_by(op)[1] for op in graph.get_operations())
