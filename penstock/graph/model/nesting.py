"""Walks over operations and over those inside the graphs that they hold (`SubGraph`).

The functions work on anything that has an op declaration and bound arguments, so that `nodes` can use them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from ..declare.op_declaration import OpDef


class HoldsGraphs(Protocol):
    """What the walks need of an `Operation`."""

    @property
    def name(self) -> str: ...
    @property
    def opdef(self) -> OpDef[Any, Any]: ...
    @property
    def args(self) -> tuple[Any, ...]: ...


N = TypeVar("N", bound=HoldsGraphs)


def any_holds(operations: Iterable[HoldsGraphs]) -> bool:
    """Whether one of `operations` holds a graph."""
    return any(opdef.bodies for opdef in {op.opdef for op in operations})  # 4 times as fast as node by node


def within(operations: Iterable[N]) -> Iterator[N]:
    """`operations` and those inside them, each holder before what it holds; a fused group counts as one operation."""
    return (op for op, _ in with_depth(operations))


def with_depth(operations: Iterable[N], depth: int = 0) -> Iterator[tuple[N, int]]:
    """`within`, each with the number of bodies around it."""
    for op in operations:
        yield op, depth
        if op.opdef.bodies and op.opdef.lower_rule is None:
            for place in op.opdef.bodies:
                yield from with_depth(op.args[place].operations, depth + 1)


def holder_of(operations: Sequence[N], name: str) -> tuple[N, N] | None:
    """(the outermost holder, the operation inside it) for the name of an operation inside; None if there is none."""
    for op in operations:
        for body in [op.args[place] for place in op.opdef.bodies]:
            for inner in (*within(body.operations), *[t.op for t in body.inputs]):
                if inner.name == name:
                    return op, inner
    return None
