"""Facts that ops with graphs inside share: the dtypes and shapes of their results, and operands of any dtype."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Annotated, Any, TypeAlias

from ...graph.declare.signature import EVERYTHING, Attr, Operand, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.model.subgraph import SubGraph
from ...graph.model.subgraph import as_subgraph as as_subgraph
from ...graph.shapes.dimension import Dim, Symbol, unknown
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank

Anything: TypeAlias = Annotated[Sequence[TensorLike], Operand(None, EVERYTHING, many=True)]
"""A list of tensors of any dtypes, which need not be equal."""


def as_names(value: Any) -> tuple[str, ...]:
    """A tuple of names."""
    return tuple([str(each) for each in value])


Extends: TypeAlias = Annotated[Sequence[str], Attr(as_names)]
"""The names of operations of which this one is an extended copy: the same operands, the same results and more. A run
that needs one of them too does only this one: see `runtime.passes.extended`."""

Function: TypeAlias = Callable[..., list[Any]]


def outer_symbols(operands: Iterable[Tensor], inputs: Iterable[Tensor]) -> set[Symbol]:
    """The unknown sizes inside a body that are sizes outside, too: those of operands whose shape the body sees."""
    found: set[Symbol] = set()
    for outer, inner in zip(operands, inputs, strict=True):
        if outer.shape.raw is not None and inner.shape.raw is not None:
            for size, seen in zip(outer.shape.raw, inner.shape.raw, strict=False):
                if not isinstance(size, int) and size == seen:
                    found.update(symbol for symbol, _ in size.terms)
    return found


def means_the_same(size: Dim, known: Collection[Symbol]) -> bool:
    """Whether a size inside a body is the same in each run of it: a number, a name, or a size of the graph outside."""
    return isinstance(size, int) or all(symbol.name is not None or symbol in known for symbol, _ in size.terms)


def seen_outside(shape: TensorShape, known: Collection[Symbol], reason: str, inner: Tensor) -> TensorShape:
    """The shape of a result of a body as the outer graph sees it: other sizes of the body are unknown anew."""
    if shape.raw is None:
        return unknown_rank(reason, inner)
    return shape_of([size if means_the_same(size, known) else unknown(reason, inner) for size in shape.raw])


def depends_on_branch(a: Tensor, b: Tensor, known: Collection[Symbol]) -> TensorShape:
    """What two branches have in common in the shape of one result."""
    left, right = a.shape.raw, b.shape.raw
    if left is None or right is None:
        return unknown_rank("the rank is not known in one of the branches", a if left is None else b)
    if len(left) != len(right):
        return unknown_rank(f"one branch gives shape {a.shape}, the other {b.shape}")
    return shape_of([_common(x, y, known, a, b) for x, y in zip(left, right, strict=True)])


def _common(x: Dim, y: Dim, known: Collection[Symbol], a: Tensor, b: Tensor) -> Dim:
    if x == y and means_the_same(x, known):
        return x
    if isinstance(x, int) and isinstance(y, int):
        return unknown(f"one branch gives shape {a.shape}, the other {b.shape}")
    return unknown("it depends on the branch", a if not isinstance(x, int) else b)


def result_dtypes(body: SubGraph) -> tuple[Any, ...]:
    """The dtypes of the results of a body."""
    return tuple([t.dtype for t in body.outputs])
