"""Errors of an import: which node of the file they are about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import GraphFormatError
from ...graph.serial.error_text import brief, short
from .import_scope import ImportScope
from .wire.tensor_proto import Unsupported


class NodeError(GraphFormatError):
    """An error whose message names the node already."""


class UnsupportedInside(Unsupported):
    """Something inside a conditional, a loop or a function has no counterpart here.

    Attributes:
        name: the node.
        type: its type.
    """

    def __init__(self, message: str, name: str, type: str) -> None:
        super().__init__(message)
        self.name = name
        self.type = type


@contextmanager
def naming(scope: ImportScope, number: int) -> Iterator[None]:
    """Let errors of the file name the node."""
    node = scope.index.nodes[number]
    where = f"node {number} ({short(node.name)}, {short(node.op)})"
    if scope.state.calls:
        where += f" of the function {short(scope.state.calls[-1])}"
    try:
        yield
    except (Unsupported, NodeError):
        raise
    except GraphFormatError as error:
        raise NodeError(f"{where}: {brief(error)}", code=error.code) from None
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
        # A rule expects the inputs of its op; it fails on a node with other ones.
        count = len(node.inputs)
        raise NodeError(f"{where}: its {count} inputs and its attributes do not fit the op: {brief(error)}") from None
