"""Quotients of sizes that are rounded down, as strides and windows give them: h // 2 where h is not known.

Such a quotient is a symbol of its own. It prints as the expression, equals every quotient with the same expression, so
that two branches with the same strides are known to fit, and is known where the sizes in it are. Otherwise it counts as
a size without a name: what is to be exact for every run, such as a claim or a file, does not use it.

    (2*h + 3) // 2         h + 1
    (h - 2) // 2 + 1       h//2
    (h//2 + 1) // 2        (h+2)//4
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .dimension import Dim, Dimension, Symbol, raw, size_of_symbol


class SizeQuotient(Symbol):
    """numerator // by, where the counts and the constant of the numerator are from 0 to by - 1."""

    __slots__ = ("by", "numerator")

    def __init__(self, numerator: Dimension, by: int, reason: str, operand: Any = None) -> None:
        super().__init__(None, reason, operand, (numerator,))
        self.numerator, self.by = numerator, by

    def at(self, sizes: Mapping[Symbol, int]) -> int | None:
        """The quotient of these sizes."""
        if self in sizes:
            return sizes[self]
        numerator = self.numerator.at(sizes)
        return None if numerator is None else numerator // self.by

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SizeQuotient) and self.by == other.by and self.numerator == other.numerator

    def __hash__(self) -> int:
        return hash((self.numerator.const, self.numerator.terms, self.by))

    def __repr__(self) -> str:
        text = str(self.numerator)
        if "?" in text:
            return "?"
        return f"{text}//{self.by}" if text.isidentifier() else f"({text})//{self.by}"

    def __reduce__(self) -> tuple[Any, ...]:
        return SizeQuotient, (self.numerator, self.by, self.reason)


def floor_quotient(size: Dim, by: int, reason: str, operand: Any = None) -> Dim:
    """size // by, rounded down.

    Args:
        size: an int or a Dimension.
        by: an int above 0.
        reason: what `why_unknown` says where it is not exact.
        operand: the tensor where it goes on.

    >>> from penstock.graph.shapes.dimension import Dimension
    >>> n = Dimension("n")
    >>> print(floor_quotient(4 * n + 6, 2, ""), floor_quotient(n + 5, 2, ""), floor_quotient(7, 2, ""))
    2*n+3 (n+1)//2+2 3
    >>> print(floor_quotient(floor_quotient(n + 1, 2, "") + 1, 2, ""))
    (n+3)//4
    """
    if isinstance(size, int):
        return size // by
    inner = size.terms[0][0] if len(size.terms) == 1 and size.terms[0][1] == 1 else None
    if isinstance(inner, SizeQuotient):
        # floor((floor(a / m) + c) / n) = floor((a + c * m) / (m * n))
        return floor_quotient(inner.numerator + size.const * inner.by, inner.by * by, reason, operand)
    rest = Dimension(0) + size.const % by
    for symbol, count in size.terms:
        rest = rest + size_of_symbol(symbol).scaled(count % by)
    whole = (size - rest).divided(by)
    assert whole is not None  # what is left over is in `rest`
    if not rest.terms:
        return raw(whole + rest.const // by)
    return raw(whole + size_of_symbol(SizeQuotient(rest, by, reason, operand)))
