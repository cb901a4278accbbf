"""Shape probe: from which dimensions and size entries of its operands an op's shape rule takes a size.

`Probe.sources` calls the rule on stand-ins for the operands in which one place is marked: see `shape_provenance`. A
place is a dimension of a tensor, or an entry of the small vectors of sizes that ops such as `reshape` and `fill` read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..building.constant_evaluation import entries_rule, known_entries, known_value, with_inputs
from ..common.quick_dataclass import dataclass
from ..model.append import append_placeholder
from ..model.nodes import Graph, Operation, Tensor
from ..shapes.dimension import Dim, Dimension, Symbol, raw, size_of_symbol
from ..shapes.shape import TensorShape, shape_of
from ..shapes.size_claims import claiming
from .error_report import operands_of

_MOST_PLACES = 64
"""Places of one op that are marked one by one; of a longer list of operands, those at one index are marked together."""
_MORE = 1000
"""By how much a number is made larger: no axis and no index is still valid then, but a size is."""


@dataclass(frozen=True, slots=True)
class Place:
    """Dimension `index` of a tensor, or (`is_value`) entry `index` of the sizes that it holds.

    parameter: what the signature of the op that reads it calls the operand, "" for the tensor asked about.
    """

    tensor: Tensor
    index: int
    is_value: bool = False
    parameter: str = ""

    @property
    def size(self) -> Dim | None:
        """What is known of the size there."""
        if not self.is_value:
            return (self.tensor.shape.raw or ())[self.index]
        entries = known_entries(self.tensor)
        return entries[self.index] if isinstance(entries, tuple) else entries

    @property
    def has_rule(self) -> bool:
        """True if its op computes it from operands."""
        return bool(self.tensor.op.inputs)

    def parameter_of(self, operand: Tensor) -> str:
        """What the signature of this tensor's op calls one of its operands."""
        op = self.tensor.op
        return next((p for _, p, t in operands_of(op.opdef, op.args) if t is operand), "")

    def __str__(self) -> str:
        if not self.is_value:
            return f"dimension {self.index} of {self.tensor.name} {self.tensor.shape}"
        if self.tensor.shape.ndims == 0:
            return f"the value of {self.tensor.name}"
        return f"entry {self.index} of {self.tensor.name}"


_Spot = tuple[int, int, bool]  # which input, which dimension or entry of it, is it an entry?


class Probe:
    """Probes shape rules, that of each op once."""

    def __init__(self) -> None:
        self._found: dict[tuple[Tensor, bool], dict[int, tuple[Place, ...]]] = {}

    def sources(self, place: Place) -> tuple[Place, ...]:
        """The places of its op's operands that a place takes its size from, in order; () if no operand decides it."""
        if self.is_pinned(place):
            return ()
        key = (place.tensor, place.is_value)
        if key not in self._found:
            self._found[key] = _RuleProbe(place.tensor, place.is_value).answer()
        return self._found[key].get(place.index, ())

    def is_pinned(self, place: Place) -> bool:
        """True if `set_shape` gave it and the op's rule does not."""
        tensor = place.tensor
        if place.is_value or tensor not in tensor.graph.pinned:
            return False
        ruled = _rule_result(tensor, False, tensor.op.args)
        return ruled is None or place.index >= len(ruled) or ruled[place.index] != place.size


class _RuleProbe:
    """The rule of one op, for one of its outputs, and its results for marked operands."""

    def __init__(self, tensor: Tensor, is_value: bool) -> None:
        self._tensor = tensor
        self._op: Operation = tensor.op
        self._is_value = is_value
        self._names = {i: parameter for i, parameter, _ in operands_of(self._op.opdef, self._op.args)}
        self._spots = [spot for i, t in enumerate(self._op.inputs) for spot in _spots(i, t)]
        self._scratch = Graph()
        self._numbers: dict[_Spot, int] | None = None
        self._before: Sequence[Dim | None] | None = None

    def answer(self) -> dict[int, tuple[Place, ...]]:
        """For each place of the result the places it came from."""
        rule = entries_rule(self._op.opdef) if self._is_value else self._op.opdef.shape_rule
        if rule is None or not self._spots:
            return {}
        if not self._is_value and len(self._op.inputs) == 1 and self._tensor.shape is self._op.inputs[0].shape:
            return {i: (self._place(spot),) for i, spot in enumerate(s for s in self._spots if not s[2])}
        origins: dict[int, set[_Spot]] = {}
        left: list[list[_Spot]] = []
        for spots in self._units():
            kept = self._carried(spots)
            for index in kept:
                origins.setdefault(index, set()).update(spots)
            if not kept:
                left.append(spots)
        for index, size in enumerate(_rule_result(self._tensor, self._is_value, self._op.args) or ()):
            if index not in origins and size is not None and size != 1:
                origins[index] = set(self._agreeing(index, size))
        used: set[_Spot] = set().union(*origins.values())
        for spots in left:
            for index in set() if used.issuperset(spots) else self._grown(spots):
                origins.setdefault(index, set()).update(spots)
        return {index: tuple(map(self._place, sorted(spots))) for index, spots in origins.items()}

    def _units(self) -> list[list[_Spot]]:
        """The places that are marked together: each place alone where there are few."""
        if len(self._spots) <= _MOST_PLACES:
            return [[spot] for spot in self._spots]
        units: dict[tuple[int, bool], list[_Spot]] = {}
        for spot in self._spots:
            units.setdefault(spot[1:], []).append(spot)
        return list(units.values())

    def _place(self, spot: _Spot) -> Place:
        number, index, is_value = spot
        return Place(self._op.inputs[number], index, is_value, self._names.get(number, ""))

    def _size(self, spot: _Spot) -> Dim | None:
        return self._place(spot).size

    def _carried(self, spots: Iterable[_Spot]) -> set[int]:
        """The places of the result that show a symbol put in all of `spots`."""
        mark = Symbol("mark")
        sizes = self._ask(dict.fromkeys(spots, size_of_symbol(mark)))
        return {i for i, size in enumerate(sizes or ()) if isinstance(size, Dimension) and mark in dict(size.terms)}

    def _grown(self, spots: Sequence[_Spot]) -> set[int]:
        """The places of the result that change with the numbers there, every symbol being some number."""
        if self._numbers is None:
            symbols: dict[Symbol, int] = {}
            self._numbers = {s: n for s in self._spots if (n := _number(self._size(s), symbols)) is not None}
            self._before = self._ask(self._numbers)
        numbers, before = self._numbers, self._before
        if before is None or any(s not in numbers for s in spots):
            return set()
        for times, plus in ((1, _MORE),) if spots[0][2] else ((1, 1), (2, 0), (6, 0)):
            after = self._ask(numbers | {s: times * numbers[s] + plus for s in spots})
            if after is not None and len(after) == len(before):
                return {i for i, (a, b) in enumerate(zip(before, after, strict=True))
                        if isinstance(a, int) and isinstance(b, int) and a != b}  # fmt: skip
        return set()

    def _agreeing(self, index: int, size: Dim) -> list[_Spot]:
        """The places of this size that must all keep it for the result to have it."""
        equal = [spot for spot in self._spots if self._size(spot) == size]
        if len(equal) < 2 or index not in self._carried(equal):
            return []
        if len(equal) == 2 or len(equal) > _MOST_PLACES:
            return equal  # of two, neither alone is enough: each was marked alone before
        needed = [spot for spot in equal if index not in self._carried([s for s in equal if s != spot])]
        return needed if index in self._carried(needed) else equal

    def _ask(self, marks: dict[_Spot, Any]) -> Sequence[Dim | None] | None:
        valued = {number for number, _, is_value in marks if is_value}
        inputs = [_stand_in(self._scratch, i, t, marks, i in valued) for i, t in enumerate(self._op.inputs)]
        return _rule_result(self._tensor, self._is_value, with_inputs(self._op, inputs, tuple))


def _number(size: Dim | None, symbols: dict[Symbol, int]) -> int | None:
    """A number for a size: the same for the same expression, and so large that it is neither an axis nor an index."""
    if not isinstance(size, Dimension):
        return size
    return size.const + sum(c * symbols.setdefault(s, 10_007 + 2 * len(symbols)) for s, c in size.terms)


def _spots(number: int, tensor: Tensor) -> list[_Spot]:
    spots: list[_Spot] = [(number, i, False) for i in range(len(tensor.shape.raw or ()))]
    if tensor.dtype.is_integer and (tensor.shape.ndims or 0) <= 1:
        entries = known_entries(tensor)
        flat = entries if isinstance(entries, tuple) else (entries,)
        # An entry below zero is no size: it says "whatever is left" or "from the end".
        spots += [(number, i, True) for i, entry in enumerate(flat[:_MOST_PLACES])
                  if entry is not None and not (isinstance(entry, int) and entry < 0)]  # fmt: skip
    return spots


def _stand_in(graph: Graph, number: int, tensor: Tensor, marks: dict[_Spot, Any], is_valued: bool) -> Tensor:
    """A tensor of the same dtype, shape and known values, except where it is marked; `is_valued`: in its values."""
    dims = tensor.shape.raw
    if dims is not None:
        dims = tuple(marks.get((number, i, False), dim) for i, dim in enumerate(dims))
    shape = tensor.shape if dims is None else shape_of(_raw(d) for d in dims)
    stand_in = append_placeholder(graph, tensor.dtype, shape, f"operand_{number}", tensor.op.origins)
    entries = known_entries(tensor) if tensor.dtype.is_integer else None
    value = known_value(tensor)
    if is_valued and entries is not None:
        flat = entries if isinstance(entries, tuple) else (entries,)
        marked = tuple(_raw(marks.get((number, i, True), entry)) for i, entry in enumerate(flat))
        if marked != flat:
            value = None
            entries = marked if isinstance(entries, tuple) else marked[0]
    graph.known_values[stand_in] = value
    graph.known_entries[stand_in] = entries
    return stand_in


def _raw(size: Any) -> Any:
    return raw(size) if isinstance(size, Dimension) else size


def _rule_result(tensor: Tensor, is_value: bool, args: Sequence[Any]) -> Sequence[Dim | None] | None:
    """The sizes that the rule gives `tensor` for these arguments; None if it refuses them or does not know."""
    opdef = tensor.op.opdef
    rule: Callable[..., Any] | None = entries_rule(opdef) if is_value else opdef.shape_rule
    try:
        found = None if rule is None else claiming(rule, args)[0]  # a probe claims nothing
    except Exception:  # a rule, perhaps of an extension, that fails on marked operands gives no answer
        return None
    if not is_value:
        shape = found if isinstance(found, TensorShape) else found[tensor.value_index] if found else None
        return None if shape is None else shape.raw
    if opdef.returns == "list" and found is not None:
        found = found[tensor.value_index]
    return None if found is None else found if isinstance(found, tuple) else (found,)
