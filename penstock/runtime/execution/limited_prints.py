"""`tf.Print(first_n=...)`: how often a session has printed a node, and the kernel that stops after `first_n` times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from ...graph.common.weak_table import WeakTable
from ..ir.kernel_protocol import Kernel, RunContext

Call = Callable[..., Any]

_PRINTED: WeakTable[Any, Counter[str]] = WeakTable()
"""Session -> how often it has printed each node that has a limit."""


def limited(call: Call, first_n: int) -> Kernel:
    """The kernel of a `Print` step, of which `call` prints; it passes its first operand on in any case."""
    if first_n < 0:
        return Kernel(call)

    def in_context(context: RunContext) -> Call:
        session = context.session
        printed = Counter[str]() if session is None else _PRINTED.setdefault(session, Counter())
        node = context.node

        def print_first(*arrays: Any) -> Any:
            if printed[node] >= first_n:
                return arrays[0]
            printed[node] += 1
            return call(*arrays)

        return print_first

    return Kernel(call, in_context=in_context)
