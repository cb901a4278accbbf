"""What the Python signature of an op's declaration says, besides operands and attributes."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from .nodes import Operation
from .signature import Operand


def bare(signature: inspect.Signature) -> str:
    """The parameters as they are written in a call: `(data, partitions, num_partitions, name=None)`."""
    plain = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return str(inspect.Signature(plain))


def list_called(name: str, parameters: Sequence[str], hints: Mapping[str, Any]) -> int:
    """The place of the list of operands `name`, which the inputs of a graph inside the op stand for.

    Raises:
        TypeError: there is no such list.
    """
    marks = getattr(hints.get(name), "__metadata__", ())
    if not any(isinstance(m, Operand) and m.many for m in marks):
        raise TypeError(f"a graph's inputs stand for a list of tensors; the operand {name!r} is none")
    return parameters.index(name)


def returned(annotation: Any) -> str:
    if annotation is Operation:
        return "operation"
    origin = getattr(annotation, "__origin__", annotation)
    return "list" if origin is list else "tuple" if origin is tuple else "tensor"


def tails(signature: inspect.Signature) -> list[tuple[Any, ...] | None]:
    """For each number of positional arguments the defaults that complete them, None where some have no default."""
    defaults = [p.default for p in signature.parameters.values()]
    tails: list[tuple[Any, ...] | None] = []
    for given in range(len(defaults)):
        rest = tuple(defaults[given:])
        tails.append(None if inspect.Parameter.empty in rest else rest)
    return tails
