"""A graph inside an op: `SubGraph`, the value of an attribute.

A fused group holds one. It lists operations in an order that can run, inner tensors that stand for the operands of the
op that holds it (its *holder*), and inner tensors that are its results:

    loop = Call([x, w], body)
        inputs    body/x, body/w      stand for the operands x and w; the last ones are the captures
        captures  w                   outer tensors that the body uses without being given them

`graph.building.capturing` builds a body from a function; passes reach it through `runtime.ir.body_stages`. The
facts of a holder follow from what is inside: its effects are the union (`graph.declare.effects`), and it may fail where
something inside may (`graph.building.may_fail`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...errors import DTypeError
from ..common.quick_dataclass import dataclass
from ..declare.effects import Effects, effects_of, union
from ..shapes.dimension import Dim, Dimension
from .nodes import Operation, Tensor

DEEPEST = 24
"""Graphs inside graphs: a body that is deeper is refused when it is built or read, so that walkers may recurse."""


@dataclass(frozen=True, slots=True, eq=False)
class SubGraph:
    """A graph inside an op. It is compared by identity.

    Attributes:
        operations: those that run, each after what it needs; no input is among them.
        inputs: tensors whose values the op that holds the graph gives.
        outputs: the results, which may be inputs.
        effects: the effects of all operations together.
        captures: the outer tensors that the last inputs stand for, as they were when the graph was built.
        targets: operations that run although no result needs them: what a function of a GraphDef always runs, and what
            a pass keeps for its effect or its error.
        pinned: tensors whose shape `set_shape` refined, which a run checks.
        pinned_names: their names.
        equations: what static shapes suppose of sizes, which a run checks.
        name: the scope of its operations.
        controls: operations outside that the body waits for, as they were when the graph was built.

    >>> import penstock as tf
    >>> from penstock.extend import subgraph
    >>> with tf.Graph().as_default():
    ...     body = subgraph(lambda x: x + 1.0, [2.0])
    >>> [op.type for op in body.operations], len(body.inputs), body.depth
    (['Const', 'Add'], 1, 1)
    """

    operations: tuple[Operation, ...]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    effects: Effects
    captures: tuple[Tensor, ...] = ()
    targets: tuple[Operation, ...] = ()
    pinned: tuple[Tensor, ...] = ()
    pinned_names: tuple[str, ...] = ()
    equations: tuple[tuple[Dimension, Dim, str], ...] = ()
    name: str = ""
    controls: tuple[Operation, ...] = ()

    @property
    def depth(self) -> int:
        """How deep graphs are nested in it; 1 if none of its operations holds a graph."""
        return 1 + max([body.depth for op in self.operations for body in bodies_of(op)], default=0)

    def __repr__(self) -> str:
        count = len(self.operations)
        return f"<SubGraph {self.name!r} of {count} operation{'' if count == 1 else 's'}>"

    def __str__(self) -> str:
        return f"<{len(self.operations)} ops>"


def as_subgraph(value: Any) -> SubGraph:
    """The value of an attribute that is a graph.

    Raises:
        DTypeError (a TypeError): it is something else.
    """
    if value.__class__ is not SubGraph:
        raise DTypeError(f"must be a SubGraph, not {type(value).__name__}; make one of a function with "
                         "penstock.extend.subgraph(function, operands)")  # fmt: skip
    found: SubGraph = value
    return found


def effects_within(operations: Iterable[Operation]) -> Effects:
    """The effects of operations together: what `SubGraph.effects` holds."""
    return union([effects_of(op) for op in operations if not op.opdef.is_pure])


def bodies_of(op: Operation) -> tuple[SubGraph, ...]:
    """The graphs that a node holds, in the order of its signature; usually none."""
    places = op.opdef.bodies
    return tuple([op.args[i] for i in places]) if places else ()
