"""The ranks that operands of an op must have: the fact `ranks` of a declaration, checked before its shape rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

from ...errors import ShapeError


def require_rank(tensor: Any, rank: int, operand: int, cure: str | None = None) -> None:
    """ShapeError unless `tensor` (the `operand`-th input) has that rank, or may have it."""
    found = tensor.shape.ndims
    if found is not None and found != rank:
        raise ShapeError(f"Shape must be rank {rank} but is rank {found}", operand=operand, cure=cure)


def with_ranks(rule: Callable[..., Any], ranks: Mapping[str, int], parameters: Sequence[str]) -> Callable[..., Any]:
    """A shape rule that requires ranks of its operands first."""
    places = [(parameters.index(name), rank) for name, rank in ranks.items()]

    @wraps(rule)
    def checked(*args: Any) -> Any:
        for place, rank in places:
            require_rank(args[place], rank, place)
        return rule(*args)

    return checked
