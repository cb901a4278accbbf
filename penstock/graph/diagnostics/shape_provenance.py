"""Shape provenance: where each dimension of a tensor comes from (`explain_shape`).

The op's shape rule is called with operands in which one dimension, or one entry of a vector of sizes, is marked; the
dimensions of the result that carry the mark come from there. A mark is a symbol of its own, which shows what is kept
and added, or a larger number, which shows what is multiplied or rounded. Where a size only survives if several operands
agree about it, as in a broadcast, they are marked together, and those are kept without which the mark is lost. So no op
declares anything for this.

`why_unknown` answers the opposite question, why a dimension is not known; its reasons end the paths found here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from ..common.hooks import hooks
from ..common.quick_dataclass import dataclass
from ..common.tracebacks import hides_frames
from ..inspect.text_table import WIDTH, cut_text, folded
from ..model.nodes import Tensor
from ..model.subgraph import bodies_of
from ..shapes.dimension import Dim, Dimension
from .shape_probe import Place, Probe
from .unknown_dims import Reason, carries, why_unknown

_SHOWN_LINKS = 12
_SHOWN_SOURCES = 4


@dataclass(frozen=True, slots=True)
class PathStep:
    """One place on the path, and the places of its op's operands that it came from (none: it begins here)."""

    place: Place
    sources: tuple[Place, ...]


@dataclass(frozen=True, slots=True, repr=False)
class DimProvenance:
    """Where one dimension came from.

    Attributes:
        dim: the number of the dimension.
        size: what is known of its size.
        path: the steps from the tensor asked about to the one where the size begins, along the first source of each.
        end: how the size begins there, in words.
        unknown: why the size is not known; None where it is known.
    """

    dim: int
    size: Dimension
    path: tuple[PathStep, ...]
    end: str
    unknown: Reason | None = None

    @property
    def sources(self) -> tuple[Place, ...]:
        """The places of the operands that it came from; empty if the op itself says it."""
        return self.path[0].sources

    @property
    def origin(self) -> Tensor:
        """The tensor at the end of the path."""
        return self.path[-1].place.tensor

    def __str__(self) -> str:
        lines = [f"dimension {self.dim} is {self.size}:"]
        lines += [f"  {line}" for line in _shortened(list(_link_lines(self.path)))]
        lines.append(f"  {self.end}")
        why = self.unknown
        if why is not None:
            lines.append(f"  not known because of {why.tensor.op.type} {why.tensor.op.name!r}: {why.reason}")
            lines.append(f"  {why.cure}")
        return "\n".join(folded(lines))

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class ShapeProvenance(Sequence[DimProvenance]):
    """What `explain_shape` found: a sequence with one `DimProvenance` for each dimension. It prints as text.

    Attributes:
        tensor: the tensor that was asked about.
        dims: the provenance of its dimensions.
        rank: why the rank is not known; None where it is known.
    """

    tensor: Tensor
    dims: tuple[DimProvenance, ...]
    rank: Reason | None = None

    def __len__(self) -> int:
        return len(self.dims)

    @overload
    def __getitem__(self, index: int) -> DimProvenance: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[DimProvenance, ...]: ...
    def __getitem__(self, index: int | slice) -> DimProvenance | tuple[DimProvenance, ...]:
        return self.dims[index]

    def __str__(self) -> str:
        op = self.tensor.op
        line = f"{op.origin.place}  {op.origin.code}".rstrip()
        head = cut_text(f"{self.tensor.name} {self.tensor.shape}, made by {op.type}  {line}", WIDTH)
        found = map(str, self.dims) if self.rank is None else [str(self.rank)]
        text = "\n".join([head, *found])
        if self.rank is None and not self.dims:
            text += "\na scalar: it has no dimensions"
        return "\n".join(folded(text.split("\n")))

    __repr__ = __str__

    def _repr_html_(self) -> str | None:
        return hooks.markup(self, "html")


@hides_frames
def explain_shape(tensor: Tensor) -> ShapeProvenance:
    """Where each dimension of a tensor came from: the operands, and the lines of the program.

    Args:
        tensor: a tensor of any graph; nothing is run.

    Returns:
        A `ShapeProvenance`: a sequence with one `DimProvenance` for each dimension (`sources`, `path`, `end`). It
        prints as text. For an unknown rank it is empty, and `rank` says why.

    Raises:
        TypeError: `tensor` is not a tensor.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     a = tf.placeholder(tf.float32, ["batch", 3], name="a")
    ...     b = tf.placeholder(tf.float32, ["m", 3], name="b")
    ...     y = tf.concat(0, [a, b], name="y")
    ...     s = tf.reduce_sum(y, 1, name="s")
    >>> for place in tf.explain_shape(s)[0].path[1].sources:
    ...     print(place)
    dimension 0 of a:0 (batch, 3)
    dimension 0 of b:0 (m, 3)
    >>> tf.explain_shape(s)[0].end
    'a:0 is a placeholder: its declaration says batch.'
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(
            f"explain_shape({tensor!r}): a {type(tensor).__name__} was given; shapes are explained of the tensors of a "
            "graph. Give a tensor, such as graph.get_tensor_by_name('y:0')."
        )
    if tensor.shape.raw is None:
        return ShapeProvenance(tensor, (), why_unknown(tensor)[0])
    probe = Probe()
    reasons = {reason.dim: reason for reason in why_unknown(tensor)}
    found = [_provenance(tensor, i, dim, reasons.get(i), probe) for i, dim in enumerate(tensor.shape.raw)]
    return ShapeProvenance(tensor, tuple(found))


def _provenance(tensor: Tensor, dim: int, size: Dim, unknown: Reason | None, probe: Probe) -> DimProvenance:
    place = Place(tensor, dim)
    path: list[PathStep] = []
    while True:
        sources = probe.sources(place) or _carriers(place)
        path.append(PathStep(place, sources))
        if not sources:
            break
        # A source of the same size continues the path best; of a sum or product the first part that is no number.
        named = (s for s in sources if isinstance(s.size, Dimension))
        place = next((s for s in sources if s.size == place.size), next(named, sources[0]))
    return DimProvenance(dim, Dimension(size), tuple(path), _end(place, probe), unknown)


def _carriers(place: Place) -> tuple[Place, ...]:
    """For a size that is a symbol: dimensions of operands that show it, where the rule looks further than operands.

    The rule of an op that holds graphs looks into them, and there the operands' sizes cannot be marked.
    """
    size = place.size
    if not isinstance(size, Dimension) or not place.has_rule:
        return ()
    symbols = {symbol for symbol, _ in size.terms}
    holds_graphs = bool(bodies_of(place.tensor.op))
    found = []
    for tensor in dict.fromkeys(place.tensor.op.inputs):
        if not holds_graphs and not any(carries(tensor, symbol) for symbol in symbols):
            continue
        for i, dim in enumerate(tensor.shape.raw or ()):
            if isinstance(dim, Dimension) and symbols & {s for s, _ in dim.terms}:
                found.append(Place(tensor, i, parameter=place.parameter_of(tensor)))
    return tuple(found)


def _end(place: Place, probe: Probe) -> str:
    tensor, op = place.tensor, place.tensor.op
    size = place.size
    if place.is_value:
        held = f"the value {size}" if isinstance(size, int) else f"{size}"
        kind = "is a constant: it holds" if op.opdef.facts.is_constant else f"({op.type}) gives"
        return f"{tensor.name} {kind} {held} there."
    is_open = isinstance(size, Dimension) and not size.is_named
    if probe.is_pinned(place):
        return f"{tensor.name}: set_shape " + ("gave it a rank and left this open." if is_open else f"said {size}.")
    if op.opdef.facts.must_feed:
        return f"{tensor.name} is a placeholder: its declaration " + ("leaves it open." if is_open else f"says {size}.")
    if op.opdef.facts.is_constant:
        return f"{tensor.name} is a constant of shape {tensor.shape}."
    if is_open:
        return f"{op.type} {op.name!r} makes it."
    if bodies_of(op):
        return f"{op.type} {op.name!r} makes it {size}: so say the graphs inside of it."
    return f"{op.type} {op.name!r} makes it {size}; it does not depend on the size of an operand."


def _link_lines(path: Sequence[PathStep]) -> Iterator[str]:
    for link in path:
        for number, source in enumerate(link.sources[:_SHOWN_SOURCES]):
            origin = source.tensor.op.origin
            lead = "from" if number == 0 else " and"
            role = f", {source.parameter} of {link.place.tensor.op.name}" if source.parameter else ""
            yield cut_text(f"{lead} {source}{role}  {origin.place}  {origin.code}".rstrip(), WIDTH - 2)
        if len(link.sources) > _SHOWN_SOURCES:
            yield f" and {len(link.sources) - _SHOWN_SOURCES} places more"


def _shortened(lines: list[str]) -> list[str]:
    if len(lines) <= _SHOWN_LINKS:
        return lines
    half = _SHOWN_LINKS // 2
    return [*lines[:half], f"... {len(lines) - 2 * half} steps more ...", *lines[-half:]]
