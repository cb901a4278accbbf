"""Dimensions: the size along one axis, as far as it is known before a run.

A dimension is a linear expression `c0 + c1*s1 + c2*s2 ...` over symbols. Without symbols it is a known size. A *named*
symbol ("batch") stands for one size per run everywhere in a graph. An *anonymous* symbol is a size without a name: it
prints as `?`, equals only itself, and remembers why it is not known, so that `why_unknown` can walk back to the cause.

Inside shapes a known dimension is a bare `int` (fast, small); `Dimension` objects appear where symbols do, and
whenever the user asks for one.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ...errors import DTypeError, ShapeError, UseError, ValueRuleError
from ..common.tracebacks import cut, hides_frames
from .size_claims import claim


class Symbol:
    """An unknown size: named, or anonymous with the reason why it is not known.

    operand: the tensor that the reason is about. sizes: the sizes of operands that it would follow from.
    """

    __slots__ = ("name", "operand", "reason", "sizes")

    def __init__(
        self, name: str | None, reason: str | None = None, operand: Any = None, sizes: Sequence[Dim] = ()
    ) -> None:
        self.name = name
        self.reason = reason
        self.operand = operand
        self.sizes = sizes

    def __repr__(self) -> str:
        return self.name or "?"

    def __reduce__(self) -> tuple[Any, ...]:
        # A name means one symbol in every process; an anonymous one is a new symbol wherever it is unpickled.
        return (Symbol, (None, self.reason)) if self.name is None else (_named, (self.name,))

    def factors(self) -> tuple[Symbol, ...]:
        """The symbols of which it is the product: itself, if it is no `SizeProduct`."""
        return (self,)

    def at(self, sizes: Mapping[Symbol, int]) -> int | None:
        """Its size where symbols have these sizes; None where it has none."""
        return sizes.get(self)


class SizeProduct(Symbol):
    """The product of several unknown sizes: no linear expression, so it counts as a size without a name.

    It equals every product of the same sizes. So two tensors that were reshaped from (batch, time, 8) to [-1, 8] are
    known to have equally many rows.
    """

    __slots__ = ("_factors",)

    def __init__(self, factors: tuple[Symbol, ...], reason: str, operand: Any = None) -> None:
        super().__init__(None, reason, operand)
        self._factors = tuple(sorted(factors, key=id))

    def factors(self) -> tuple[Symbol, ...]:
        """The symbols of which it is the product."""
        return self._factors

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SizeProduct) and self._factors == other._factors

    def __hash__(self) -> int:
        return hash(self._factors)


_NAMED: dict[str, Symbol] = {}

Terms: TypeAlias = tuple[tuple[Symbol, int], ...]


def _ordering(relation: Callable[[int, int], bool]) -> Callable[[Dimension, object], bool | None]:
    def compare(self: Dimension, other: object) -> bool | None:
        rest = Dimension(other)
        return None if self.terms or rest.terms else relation(self.const, rest.const)

    return compare


class Dimension:
    """One dimension of a shape: a known size, a named size, a linear expression in named sizes, or an unknown size.

    Args:
        value: an int, a name, a Dimension, or None for an unknown size.

    Raises:
        TypeError: `value` is none of these.
        ValueError: the size is negative, or the name is not an identifier.

    >>> import penstock as tf
    >>> n = tf.Dimension("n")
    >>> print(n + n + 1, n * 3 - n, tf.Dimension(None), tf.Dimension(4).value)
    2*n+1 2*n ? 4
    """

    __slots__ = ("const", "terms")
    const: int
    terms: Terms

    def __init__(self, value: object = None) -> None:
        try:
            if isinstance(value, Dimension):
                self.const, self.terms = value.const, value.terms
            elif value is None:
                self.const, self.terms = 0, ((Symbol(None, "it was given as None"), 1),)
            elif isinstance(value, str):
                self.const, self.terms = 0, ((_named(value), 1),)
            else:
                self.const, self.terms = _as_size(value), ()
        except BaseException as error:
            cut(error)
            raise

    # ---- what is known ----------------------------------------------------------------------

    @property
    def value(self) -> int | None:
        """The size as an int, or None where it is not a known number."""
        return None if self.terms else self.const

    @property
    def is_named(self) -> bool:
        """Whether the size is a number or an expression in named sizes only."""
        return all(s.name is not None for s, _ in self.terms)

    @hides_frames
    def __index__(self) -> int:
        if self.terms:
            raise UseError(
                f"int(Dimension): the size of this dimension ({self}) is not known until the graph runs; "
                "use tf.shape(t)[i] for the size in the graph"
            )
        return self.const

    __int__ = __index__

    def __hash__(self) -> int:
        """That of the int or the name that it equals, so that either finds it in a dict or a set."""
        symbol = self.symbol
        if symbol is not None and symbol.name is not None:
            return hash(symbol.name)
        return hash((self.const, self.terms)) if self.terms else hash(self.const)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Dimension):
            return self.const == other.const and self.terms == other.terms
        if isinstance(other, int):
            return not self.terms and self.const == other
        if isinstance(other, str):
            return self.const == 0 and [(s.name, c) for s, c in self.terms] == [(other, 1)]
        if other is None:
            return bool(self.terms)
        return NotImplemented

    def __repr__(self) -> str:
        return f"Dimension({self})"

    def __str__(self) -> str:
        if any(repr(symbol) == "?" for symbol, _ in self.terms):
            return "?"
        text = "".join(_term(s, c) for s, c in self.terms)
        text += f"{self.const:+d}" if self.const or not text else ""
        return text.removeprefix("+")

    # ---- arithmetic -------------------------------------------------------------------------

    def __add__(self, other: object) -> Dimension:
        if isinstance(other, int):
            return _make(self.const + other, self.terms)
        rest = _as_term(other)
        return _make(self.const + rest.const, _sum(self.terms, rest.terms))

    __radd__ = __add__

    def __sub__(self, other: object) -> Dimension:
        return self + _as_term(other).scaled(-1) if not isinstance(other, int) else self + -other

    def __rsub__(self, other: object) -> Dimension:
        return self.scaled(-1) + other

    def __neg__(self) -> Dimension:
        return self.scaled(-1)

    def __mul__(self, other: object) -> Dimension:
        if isinstance(other, (list, tuple)) and self.value is not None:
            return NotImplemented  # [0] * n: Python repeats the list
        left, right = self, _as_term(other)
        if not right.terms:
            return left.scaled(right.const)
        if not left.terms:
            return right.scaled(left.const)
        return multiplied((left, right), f"{left} * {right} is not linear")

    __rmul__ = __mul__

    def __floordiv__(self, other: object) -> Dimension:
        by = _as_term(other)
        if by.value == 0:
            raise ZeroDivisionError("Dimension // 0")
        if not self.terms and not by.terms:
            return _make(self.const // by.const, ())
        exact = self.divided(by)
        return exact if exact is not None else unknown(f"{self} // {by} is not linear")

    def scaled(self, factor: int) -> Dimension:
        """factor * self.

        Args:
            factor: an int.

        Returns:
            A Dimension.

        >>> import penstock as tf
        >>> print((tf.Dimension("n") + 1).scaled(2))
        2*n+2
        """
        return _make(self.const * factor, tuple((s, c * factor) for s, c in self.terms) if factor else ())

    @property
    def symbol(self) -> Symbol | None:
        """The symbol that the size is; None for a number, a multiple, a sum."""
        return self.terms[0][0] if len(self.terms) == 1 and self.const == 0 and self.terms[0][1] == 1 else None

    def at(self, sizes: Mapping[Symbol, int]) -> int | None:
        """The size where its symbols have these sizes; None where one has none."""
        total = self.const
        for symbol, count in self.terms:
            size = symbol.at(sizes)
            if size is None:
                return None
            total += count * size
        return total

    def divided(self, by: Dimension | int) -> Dimension | None:
        """self / by, where that is exact for every value of the named sizes.

        Args:
            by: an int or a Dimension; it may be negative.

        Returns:
            A Dimension, or None where the quotient is not exact.

        >>> import penstock as tf
        >>> n = tf.Dimension("n")
        >>> print((2 * n).divided(2), (2 * n + 1).divided(2))
        n None
        """
        if isinstance(by, int) or not by.terms:
            d = by if isinstance(by, int) else by.const
            if d == 0 or self.const % d or any(c % d for _, c in self.terms):
                return None
            return _make(self.const // d, tuple((s, c // d) for s, c in self.terms))
        # A quotient of expressions is exact only for a multiple: (6n + 3) / (2n + 1) = 3.
        symbol, scale = by.terms[0]
        factor, rest = divmod(dict(self.terms).get(symbol, 0), scale)
        return _make(factor, ()) if rest == 0 and factor and by.scaled(factor) == self else None

    # ---- comparison with other knowledge ----------------------------------------------------

    # None where one of the two is not known.
    __lt__ = _ordering(operator.lt)
    __le__ = _ordering(operator.le)
    __gt__ = _ordering(operator.gt)
    __ge__ = _ordering(operator.ge)

    def is_compatible_with(self, other: object) -> bool:
        """Whether the two sizes may be equal: False only if both are known and differ.

        Args:
            other: a Dimension, or what `Dimension` takes.

        Returns:
            True or False.

        Raises:
            TypeError: `other` is not a dimension.

        >>> import penstock as tf
        >>> tf.Dimension("n").is_compatible_with(3), tf.Dimension(2).is_compatible_with(3)
        (True, False)
        """
        rest = Dimension(other)
        return bool(self.terms) or bool(rest.terms) or self.const == rest.const

    @hides_frames
    def assert_is_compatible_with(self, other: object) -> None:
        """Raises an error unless the two sizes may be equal.

        Args:
            other: a Dimension, or what `Dimension` takes.

        Raises:
            ShapeError (a ValueError): both sizes are known and differ.
            TypeError: `other` is not a dimension.

        >>> import penstock as tf
        >>> tf.Dimension("n").assert_is_compatible_with(3)
        """
        if not self.is_compatible_with(other):
            raise ShapeError(f"Dimensions {self} and {Dimension(other)} are not compatible")

    @hides_frames
    def merge_with(self, other: object) -> Dimension:
        """What is known of a dimension that has both sizes.

        Args:
            other: a Dimension, or what `Dimension` takes.

        Returns:
            A Dimension: the known size of the two, if there is one.

        Raises:
            ShapeError (a ValueError): both sizes are known and differ.
            TypeError: `other` is not a dimension.

        >>> import penstock as tf
        >>> print(tf.Dimension(None).merge_with(3))
        3
        """
        return Dimension(merge_dims(raw(self), raw(Dimension(other))))


Dim: TypeAlias = int | Dimension
"""A dimension inside a shape: an int where the size is known, else a symbolic Dimension."""

SizeClaim: TypeAlias = tuple[Dimension, Dim]
"""A named dimension and what it is claimed to equal: a number, or another named dimension."""


def raw(dim: Dimension) -> Dim:
    """`dim` as shapes keep it."""
    return dim if dim.terms else dim.const


def as_dim(value: object) -> Dim:
    """A dimension of a shape from what users write: an int, a name, None, a Dimension."""
    if type(value) is int:
        if value < 0:
            raise ValueRuleError(f"Dimension {value} must be >= 0")
        return value
    return raw(Dimension(value))


def unknown(reason: str, operand: Any = None, sizes: Sequence[Dim] = ()) -> Dimension:
    """A new unknown size, which remembers why it is not known.

    Args:
        reason: what `why_unknown` will say.
        operand: the tensor where it will go on, if there is one.
        sizes: the sizes of operands that decide it; `why_unknown` also says why these are not known.

    Returns:
        A Dimension that is equal to itself only.

    >>> from penstock.extend import unknown
    >>> print(unknown("the number of matches is found by the run"))
    ?
    """
    return _make(0, ((Symbol(None, reason, operand, sizes), 1),))


def multiplied(dims: Iterable[Dimension | int], reason: str, operand: Any = None) -> Dimension:
    """The product of sizes; an unknown size for `reason` if one of them is a sum of several symbols or numbers."""
    count = 1
    factors: list[Symbol] = []
    for dim in dims:
        if isinstance(dim, int) or not dim.terms:
            count *= dim if isinstance(dim, int) else dim.const
            continue
        if dim.const or len(dim.terms) > 1:
            return unknown(reason, operand)
        ((symbol, times),) = dim.terms
        count *= times
        factors += symbol.factors()
    if not count or not factors:
        return _make(count, ())
    return _make(0, ((factors[0] if len(factors) == 1 else SizeProduct(tuple(factors), reason, operand), count),))


def read_sizes(dims: Sequence[Dim] | None, shape: Sequence[int], sizes: dict[Symbol, int]) -> None:
    """Add to `sizes` the size of each symbol that is a dimension by itself; one that has a size keeps it."""
    for dim, size in zip(dims or (), shape, strict=False):
        if isinstance(dim, Dimension) and dim.symbol is not None:
            sizes.setdefault(dim.symbol, size)


Equation: TypeAlias = tuple[Dimension, Dim, str]
"""A dimension, the size or other dimension that it must equal, and the node whose shapes assume so."""


def broken_equations(
    equations: Iterable[Equation], sizes: Mapping[Symbol, int]
) -> Iterator[tuple[Dimension, int, Dim, int, str]]:
    """The equations that do not hold: the dimension, its size, what it must equal, the size of that, the node."""
    for dim, other, node in equations:
        found = dim.at(sizes)
        wanted = other.at(sizes) if isinstance(other, Dimension) else other
        if found is not None and wanted is not None and found != wanted:
            yield dim, found, other, wanted, node


def size_of_symbol(symbol: Symbol) -> Dimension:
    """The dimension whose size is `symbol`."""
    return _make(0, ((symbol, 1),))


def merge_dims(a: Dim, b: Dim) -> Dim:
    """The dimension that is both `a` and `b`; a known size wins, two different names are compared by the run.

    A name that meets a number is a claim: see `graph.shapes.size_claims`.
    """
    if isinstance(a, int):
        if isinstance(b, int):
            if a != b:
                raise ShapeError(f"Dimensions must be equal, but are {a} and {b}", code="shape/dimensions-differ")
        elif b.is_named:
            claim(b, a)
        return a
    if isinstance(b, int):
        return merge_dims(b, a)
    if a == b or not b.is_named:
        return a
    if not a.is_named:
        return b
    return unknown(f"it is both {a} and {b}, which only a run can compare")


def _named(name: str) -> Symbol:
    if not name.isidentifier():
        raise ValueRuleError(f"Dimension({name!r}): a dimension's name must be an identifier, such as 'batch'")
    return _NAMED.setdefault(name, Symbol(name))


def _as_term(value: object) -> Dimension:
    """The other side of `+ - * //`: as `Dimension(value)`, but an int may be negative there."""
    if isinstance(value, Dimension):
        return value
    if hasattr(value, "__index__"):
        return _make(int(value.__index__()), ())
    return Dimension(value)


def _as_size(value: object) -> int:
    try:
        size = value.__index__()  # type: ignore[attr-defined]  # absent on what is no integer: handled below
    except (AttributeError, TypeError):
        raise DTypeError(
            f"Dimension({value!r}): a dimension is an int, a name, None or a Dimension, not {type(value).__name__}"
        ) from None
    if isinstance(value, bool):
        raise DTypeError(f"Dimension({value!r}): a bool is not a size")
    if size < 0:
        raise ValueRuleError(f"Dimension {size} must be >= 0")
    return int(size)


def _make(const: int, terms: Terms) -> Dimension:
    dim = Dimension.__new__(Dimension)
    dim.const, dim.terms = const, terms
    return dim


def _sum(a: Terms, b: Terms) -> Terms:
    total = dict(a)
    for symbol, count in b:
        total[symbol] = total.get(symbol, 0) + count
    kept = [(s, c) for s, c in total.items() if c]
    # Named symbols sort by name, so that n + m and m + n are one expression; anonymous ones by identity.
    kept.sort(key=lambda term: (term[0].name is None, term[0].name or "", id(term[0])))
    return tuple(kept)


def _term(symbol: Symbol, count: int) -> str:
    sign = "+" if count > 0 else "-"
    return f"{sign}{symbol}" if abs(count) == 1 else f"{sign}{abs(count)}*{symbol}"
