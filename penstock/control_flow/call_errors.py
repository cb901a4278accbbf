"""Errors of `cond`, `while_loop` and their kin, in words about the call: with its name and what to do."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType, GeneratorType, MethodType
from typing import Any, TypeVar

from ..errors import BuildError, UseError
from ..ops.declare.composite import all_or_nothing

R = TypeVar("R")

_INNER = "subgraph: "
"""How errors of the layer below begin, which knows no call."""


def all_or_told(call: str, values: Iterable[Any], build: Callable[[], R], scope: str | None = None) -> R:
    """`all_or_nothing`; errors that no op has reported get the name of the call, and their text says what to do."""
    try:
        return all_or_nothing(values, build, scope)
    except BuildError as error:
        if not error.is_reported:
            text = str(error)
            if text.startswith(_INNER):
                text = f"{call}: {text[len(_INNER):]}"
            if error.cure and error.cure not in text:
                text = f"{text}\n  {error.cure}"
            error.replace_text(text)
        raise


def called(label: str, function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """`function(*arguments)`, a function of the program.

    Raises:
        UseError: it takes another number of arguments.
    """
    try:
        return function(*arguments)
    except TypeError as error:
        if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
            raise  # it comes from inside of the function
        words = _wrong_number(label, function, arguments)
        if not words:
            raise
    raise UseError(words)


def _wrong_number(label: str, function: Callable[..., Any], arguments: Sequence[Any]) -> str:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ""
    try:
        signature.bind(*arguments)
    except TypeError:
        count = len(arguments)
        takes = f"its parameters are {signature}"
        if not count:
            return (f"{label} must be a function without arguments, and {takes}. It may use tensors from outside, as "
                    "in lambda: x + 1.0")  # fmt: skip
        plural = "" if count == 1 else "s"
        return f"{label} gets {count} argument{plural}, {_what(label, count)}, and {takes}"
    return ""


def _what(label: str, count: int) -> str:
    call = label.partition(":")[0]
    if call == "while_loop":
        return "one for each of loop_vars"
    if call == "map_fn":
        return "a row of elems: of a tuple of tensors a tuple of rows, as in lambda row: row[0] + row[1]"
    if call.startswith("Dataset.reduce") or call == "scan: scan_func":
        return "the state and an element"
    if call.startswith("Dataset."):
        return "the element: of a tuple one for each part"
    return "the value so far and a row of elems"


def check_result(label: str, value: Any) -> None:
    """Raise a UseError for a result that the program did not mean to return: None, a generator, a function."""
    if value is None:
        raise UseError(f"{label} returned None where a tensor is needed: write `return`, or return the values that "
                       "were there before")  # fmt: skip
    if isinstance(value, (GeneratorType, map, filter, zip, set, frozenset)):
        raise UseError(f"{label} returned a {type(value).__name__} where a tensor is needed: make a list or tuple of "
                       "it, in an order that stays the same")  # fmt: skip
    if isinstance(value, (FunctionType, MethodType)):
        raise UseError(f"{label} returned the function {value.__name__!r} where a tensor is needed: call it there")
