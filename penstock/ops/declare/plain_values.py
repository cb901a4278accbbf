"""Arguments of functions that are Python values: checked, with the parameter's name in the error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, TypeVar

import numpy as np

from ...errors import DTypeError, ValueRuleError
from ...graph.declare.signature import as_bool, as_ints
from ...graph.model.nodes import Tensor

R = TypeVar("R")


def _named(parameter: str, convert: Callable[[Any], R], value: Any) -> R:
    try:
        return convert(value)
    except DTypeError as error:
        raise DTypeError(f"{parameter} {error.message}") from None


def flag(parameter: str, value: Any) -> bool:
    """A Python bool."""
    return _named(parameter, as_bool, value)


def ints(parameter: str, value: Any) -> tuple[int, ...]:
    """One Python int or several."""
    return _named(parameter, as_ints, value)


def number(parameter: str, value: Any) -> float:
    """A Python number, NumPy's scalars included."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (Real, np.number)) or isinstance(value, complex):
        kind = type(value).__name__
        raise DTypeError(f"{parameter} must be a Python number, not a{'n' if kind[0] in 'aeiou' else ''} {kind}")
    return float(value)


def choice(parameter: str, value: Any, allowed: Sequence[str]) -> str:
    """One of some strings; files have them as bytes."""
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    if not isinstance(value, str) or value not in allowed:
        raise ValueRuleError(f"{parameter} must be one of {', '.join(map(repr, allowed))}, not {_shown(value)}")
    return value


def sequence(parameter: str, value: Any) -> list[Any]:
    """A list or a tuple."""
    if not isinstance(value, (list, tuple)):
        raise DTypeError(f"{parameter} must be a list, not {_shown(value)}")
    return list(value)


def _shown(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"the tensor {value.name!r}"
    return repr(value) if isinstance(value, (str, int, float, type(None))) else f"a {type(value).__name__}"
