"""Static shapes as data: equal dimensions stay equal.

    3                  a known size
    "batch"            a named dimension
    "?0"               an anonymous one: the same number is the same unknown size everywhere in the file
    {"batch": 2, "": 1}    2*batch + 1

A shape is a list of these, or null where even the rank is unknown. Reading gives what the file *claims*. `settle`
compares it with what the shape rules find; what a file claims beyond them becomes a claim that every run checks.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from ...errors import GraphFormatError, ValueRuleError
from ..shapes.dimension import Dim, Dimension, Symbol, raw, unknown
from ..shapes.shape import TensorShape, shape_of, unknown_rank
from .error_text import short

DimData: TypeAlias = int | str | dict[str, int]
ShapeData: TypeAlias = list[DimData] | None

_LARGEST = 1 << 63


class SymbolWriter:
    """Numbers anonymous symbols in the order in which they are met, and keeps why they are unknown."""

    def __init__(self) -> None:
        self.reasons: dict[str, str] = {}
        self._numbers: dict[Symbol, str] = {}

    def shape(self, shape: TensorShape) -> ShapeData:
        """A shape as data."""
        return None if shape.raw is None else [self.dim(d) for d in shape.raw]

    def dim(self, dim: Dim) -> DimData:
        """A dimension as data."""
        if isinstance(dim, int):
            return dim
        terms = {self._name(symbol): count for symbol, count in dim.terms}
        if not dim.const and len(terms) == 1 and next(iter(terms.values())) == 1:
            return next(iter(terms))
        return {**terms, "": dim.const} if dim.const else terms

    def _name(self, symbol: Symbol) -> str:
        if symbol.name is not None:
            return symbol.name
        found = self._numbers.get(symbol)
        if found is None:
            found = self._numbers[symbol] = f"?{len(self._numbers)}"
            if symbol.reason:
                self.reasons[found] = symbol.reason
        return found


class SymbolReader:
    """Makes dimensions of data; anonymous ones are shared by all shapes of one file."""

    def __init__(self, reasons: dict[str, str] | None = None) -> None:
        self._reasons = reasons or {}
        self._bound: dict[str, Dimension] = {}

    def shape(self, data: Any) -> TensorShape:
        """A shape of data, as it stands.

        Raises:
            GraphFormatError: the data is no shape.
        """
        if data is None:
            return unknown_rank("the file leaves the rank open")
        return shape_of(self.dim(d) for d in _listed(data))

    def dim(self, data: Any) -> Dim:
        """A dimension of data."""
        if type(data) is int:
            if not 0 <= data < _LARGEST:
                raise GraphFormatError(f"a dimension is {data}; sizes are from 0 to 2**63 - 1")
            return data
        if isinstance(data, str):
            return self._symbol(data)
        if not isinstance(data, dict) or not data:
            raise GraphFormatError(f"a dimension is {short(data)}; it must be an int, a name or an object of counts")
        total = Dimension(0)
        for name, count in data.items():
            if type(count) is not int or not -_LARGEST < count < _LARGEST:
                raise GraphFormatError(f"a dimension counts {short(name)} {short(count)} times; counts are ints")
            total = total + (count if name == "" else self._symbol(name).scaled(count))
        if not total.terms and total.const < 0:
            raise GraphFormatError(f"a dimension is {total.const}; sizes are from 0 to 2**63 - 1")
        return raw(total)

    def settle(self, data: Any, inferred: TensorShape) -> tuple[TensorShape, bool]:
        """The shape of an output for which a file says `data`, the shape rule `inferred`; True if the file claims more.

        Raises:
            GraphFormatError: the two contradict each other, or the data is no shape.
        """
        if data is None:
            return (inferred, False) if inferred.raw is None else (self.shape(None), False)
        stored = _listed(data)
        if inferred.raw is None:
            return self.shape(data), True
        if len(stored) != len(inferred.raw):
            raise GraphFormatError(f"the file says rank {len(stored)}, but the shape rule finds {inferred}")
        dims: list[Dim] = []
        claims = False
        for entry, known in zip(stored, inferred.raw, strict=True):
            dim, claimed = self._settle_dim(entry, known)
            dims.append(dim)
            claims = claims or claimed
        return (inferred if tuple(dims) == inferred.raw else shape_of(dims)), claims

    def _settle_dim(self, data: Any, known: Dim) -> tuple[Dim, bool]:
        if isinstance(data, str) and data.startswith("?") and data not in self._bound:
            # The first use says which of our symbols the file means; a size that is known by now stays open there.
            if isinstance(known, Dimension) and len(known.terms) == 1 and not known.is_named and not known.const:
                self._bound[data] = known
                return known, False
            return self.dim(data), False
        self._bind_in_sum(data, known)
        dim = self.dim(data)
        if dim == known:
            return known, False
        if isinstance(dim, int) and isinstance(known, int):
            raise GraphFormatError(f"the file says a dimension is {dim}, but the shape rule finds {known}")
        return dim, True

    def _bind_in_sum(self, data: Any, known: Dim) -> None:
        """Bind a symbol that is first used in a sum, such as `? + 8`, to the one that the shape rule has there."""
        if not isinstance(data, dict) or not isinstance(known, Dimension):
            return
        new = [name for name in data if isinstance(name, str) and name.startswith("?") and name not in self._bound]
        if len(new) != 1 or data[new[0]] != 1 or any(type(count) is not int for count in data.values()):
            return
        rest: Dim = known
        for name, count in data.items():
            if name != new[0]:
                rest = rest + (-count if name == "" else self._symbol(name).scaled(-count))
        if isinstance(rest, Dimension) and not rest.is_named and not rest.const and [c for _, c in rest.terms] == [1]:
            self._bound[new[0]] = rest

    def _symbol(self, name: str) -> Dimension:
        if not name.startswith("?"):
            try:
                return Dimension(name)
            except ValueRuleError:
                raise GraphFormatError(f"a dimension is named {short(name)}; names are identifiers") from None
        found = self._bound.get(name)
        if found is None:
            reason = self._reasons.get(name)
            found = self._bound[name] = unknown(reason if isinstance(reason, str) else "the file leaves it open")
        return found


def _listed(data: Any) -> list[Any]:
    if not isinstance(data, list) or len(data) > 255:
        raise GraphFormatError(f"a shape is {short(data)}; it must be null or a list of at most 255 dimensions")
    return data
