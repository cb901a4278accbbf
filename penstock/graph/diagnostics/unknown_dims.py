"""Unknown dimensions: why a size is not known (`why_unknown`).

Every unknown dimension is a symbol that was made at one place, for one reason, and is passed on by ops that keep it.
`why_unknown` walks from a tensor back along the tensors that carry the symbol, in their shape or in the values that
became a shape, to the one that lost it. Where that was because of an operand that is itself unknown, it walks on. No
log is kept: the graph holds everything that is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ..building.capturing import InnerGraph
from ..building.constant_evaluation import known_entries
from ..common.hooks import hooks
from ..common.quick_dataclass import dataclass
from ..common.tracebacks import hides_frames
from ..inspect.text_table import folded
from ..model.nodes import Tensor
from ..model.subgraph import bodies_of
from ..shapes.dimension import Dim, Dimension, Symbol
from ..shapes.shape import TensorShape


@dataclass(frozen=True, slots=True, repr=False)
class Reason:
    """Why one dimension of a tensor, or its rank, is not known.

    Attributes:
        dim: the number of the dimension; None for the rank.
        path: the tensors that carry it, from the one asked about to the one that lost it.
        reason: why it was lost there.
        operand: the operand that this is about, or None.
        cure: how to give the size.
        causes: why the sizes of operands are not known from which this one would follow.
    """

    dim: int | None
    path: tuple[Tensor, ...]
    reason: str
    operand: Tensor | None
    cure: str
    causes: tuple[Reason, ...] = ()

    @property
    def tensor(self) -> Tensor:
        """The tensor whose making lost the dimension: pinning it there pins all that follows."""
        return self.path[-1]

    def __str__(self) -> str:
        what = "the rank" if self.dim is None else f"dimension {self.dim}"
        asked, lost = self.path[0], self.tensor
        lines = [f"{what} of {asked.name} {asked.shape} is not known:"]
        for tensor in self.path[1:]:
            lines.append(f"  it comes from {_line(tensor)}")
        operand = f" (operand {self.operand.name} {self.operand.shape})" if self.operand is not None else ""
        lines.append(f"  {lost.op.type} {lost.op.name!r}{operand}: {self.reason}")
        for cause in self.causes:
            lines.append(f"    {cause.path[0].name} {cause.path[0].shape}: {_told(cause)}")
        lines.append(f"  {self.cure}")
        return "\n".join(folded(lines))

    __repr__ = __str__


class WhyUnknown(tuple[Reason, ...]):
    """What `why_unknown` found: a tuple with a `Reason` for each unknown dimension; empty if there is none. It prints
    as text.
    """

    __slots__ = ()

    def __str__(self) -> str:
        text = "\n".join(map(str, self)) or "every dimension is known, or has a name"
        return "\n".join(folded(text.split("\n")))

    __repr__ = __str__

    def _repr_html_(self) -> str | None:
        return hooks.markup(self, "html")


@hides_frames
def why_unknown(tensor: Tensor) -> WhyUnknown:
    """Why dimensions of a tensor, or its rank, are not known: where that began, and how to give the size.

    Args:
        tensor: a tensor of any graph; nothing is run.

    Returns:
        A `WhyUnknown`: a sequence with one entry for each unknown dimension (`tensor`, `reason`). It prints as text.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.placeholder(tf.float32, [None, 3], name="x")
    ...     y = tf.add(x, 1.0, name="y")
    >>> print(str(tf.why_unknown(y)).replace(x.op.origin.place, "f.py:3").split("  f.py:3")[0])
    dimension 0 of y:0 (?, 3) is not known:
      it comes from x:0 (?, 3)
    >>> tf.why_unknown(y)[0].tensor is x, tf.why_unknown(y)[0].reason
    (True, 'the placeholder leaves it open')
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"why_unknown({tensor!r}): it takes a tensor, not {type(tensor).__name__}")
    if tensor.shape.raw is None:
        return WhyUnknown((_rank_reason(tensor),))
    return WhyUnknown(
        _dim_reason(tensor, i, symbol) for i, dim in enumerate(tensor.shape.raw) for symbol in _anonymous(dim)
    )


def _rank_reason(tensor: Tensor) -> Reason:
    path = {tensor: None}  # a dict, in which a search takes no longer as the path grows
    last = tensor
    reason, operand = tensor.shape.why or ("the op gives no rank", None)
    while True:
        found = last.shape.why
        if found is not None:
            reason, operand = found
        before = operand if operand is not None and operand.shape.raw is None else _unknown_rank_input(last)
        if (
            before is None
            or before in path
            or (found is not None and operand is not None and operand.shape.raw is not None)
        ):
            break
        path[before] = None
        last = before
    return Reason(None, tuple(path), reason, operand if operand not in path else None, _cure(last, operand, None))


def _unknown_rank_input(tensor: Tensor) -> Tensor | None:
    return next((t for t in _before(tensor) if t.shape.raw is None), None)


def _before(tensor: Tensor) -> Iterator[Tensor]:
    """What a tensor comes from: the inputs of its operation, then the results of the graphs inside that; of an input of
    a body the tensor outside."""
    graph = tensor.op.graph
    if isinstance(graph, InnerGraph) and tensor in graph.outside:
        yield graph.outside[tensor]
    yield from tensor.op.inputs
    for body in bodies_of(tensor.op):
        if tensor.value_index < len(body.outputs):
            yield body.outputs[tensor.value_index]


def _dim_reason(tensor: Tensor, dim: int, symbol: Symbol, most: int | None = None) -> Reason:
    """Why a dimension is not known, with at most so many causes."""
    path = {tensor: None}
    carrier: Tensor | None = tensor
    while carrier is not None:
        path[carrier] = None
        carrier = next((t for t in _before(carrier) if t not in path and carries(t, symbol)), None)
    operand = symbol.operand if isinstance(symbol.operand, Tensor) else None
    way = tuple(path)
    cure = _cure(way[-1], operand, symbol)
    lost = _where_lost(operand) if operand is not None else ""
    causes = tuple(islice(_causes(way[-1], symbol), most))
    return Reason(dim, way, reason_of(symbol) + lost, operand if operand not in path else None, cure, causes)


def _causes(lost: Tensor, symbol: Symbol) -> Iterator[Reason]:
    """For each unknown size that `symbol` would follow from, why it is not known: looked up at the operand with it."""
    for size in symbol.sizes:
        for deeper in _anonymous(size):
            for tensor in lost.op.inputs:
                dims = [i for i, dim in enumerate(tensor.shape.raw or ()) if deeper in _anonymous(dim)]
                if dims:
                    yield _dim_reason(tensor, dims[0], deeper, most=1)  # so that the work grows with the depth only
                    break


def _told(cause: Reason) -> str:
    """Why an operand's size is not known, in one line; of causes in turn the first."""
    while cause.causes:
        cause = cause.causes[0]
    op = cause.tensor.op
    return f"{cause.reason}, in {op.type} {op.name!r}  {op.origin.place}"


def _where_lost(operand: Tensor) -> str:
    """Which operation before `operand`, whose value is a size, gives a value that building does not follow."""
    lost = operand
    seen = {operand}
    while True:
        before = next((t for t in lost.op.inputs if t not in seen and not _is_followed(t)), None)
        if before is None:
            break
        seen.add(before)
        lost = before
    op = lost.op
    if lost is operand or op.opdef.facts.is_constant:
        return ""
    if op.opdef.facts.must_feed:
        return f": it is a value fed to {lost.name!r}"
    return f": the value of {op.type} {op.name!r} is not known while building, {op.origin.place}"


def _is_followed(tensor: Tensor) -> bool:
    """Whether building knows every entry of a tensor, as a number or as a size."""
    if tensor.op.opdef.facts.is_constant:
        return True
    entries = known_entries(tensor) if tensor.dtype.is_integer else None
    flat = entries if isinstance(entries, tuple) else (entries,)
    return all(entry is not None for entry in flat)


def reason_of(symbol: Symbol) -> str:
    """Why the size is not known."""
    return symbol.reason or "it was left open"


def carries(tensor: Tensor, symbol: Symbol) -> bool:
    """True if the anonymous symbol is in the shape of `tensor` or in the sizes that it holds."""
    if tensor.shape.raw is not None and any(symbol in _anonymous(d) for d in tensor.shape.raw):
        return True
    if not tensor.dtype.is_integer:
        return False
    entries = known_entries(tensor)
    flat = entries if isinstance(entries, tuple) else (entries,)
    return any(symbol in _anonymous(e) for e in flat if e is not None)


def _anonymous(dim: Dim) -> Iterator[Symbol]:
    if isinstance(dim, Dimension):
        yield from (s for s, _ in dim.terms if s.name is None)


def _cure(lost: Tensor, operand: Tensor | None, symbol: Symbol | None) -> str:
    if lost.op.opdef.facts.must_feed:
        example = "[...]" if lost.shape.raw is None else _with_name(lost.shape, symbol)
        return (
            f"Declare it: tf.placeholder(tf.{lost.dtype.name}, {example}), or {lost.name}.set_shape before it is used."
        )
    pin = f"call set_shape on {lost.name!r} if you know it"
    if operand is not None and operand.op.opdef.facts.must_feed and operand.dtype.is_integer:
        return f"Pass a constant instead of {operand.name!r}, or {pin}."
    return pin[0].upper() + pin[1:] + "."


def _with_name(shape: TensorShape, symbol: Symbol | None) -> str:
    dims = ['"n"' if symbol is not None and symbol in _anonymous(d) else str(d) if isinstance(d, int) else repr(str(d))
            for d in shape.raw or ()]  # fmt: skip
    return "[" + ", ".join(dims) + "]"


def _line(tensor: Tensor) -> str:
    return f"{tensor.name} {tensor.shape}  {tensor.op.origin.place}  {tensor.op.origin.code}"
