"""The parameters of an op's declaration: which are operands and which attributes, read from the annotations.

`graph.declare.signature` has the aliases that declarations are written with.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..common.quick_dataclass import dataclass
from ..shapes.dtypes import DType


@dataclass(frozen=True, slots=True)
class Operand:
    """A tensor argument of an op, in the annotation of its parameter.

    Args:
        var: operands with the same variable share one dtype; None leaves the dtype to this operand alone.
        allowed: the dtypes, as bits such as `FLOATS | COMPLEX`.
        many: whether it is a list of tensors.
        host: whether kernels read it as a NumPy array on every device.
        prefer: the dtype of an empty list.
        optional: whether None is allowed; the rules then see None.

    >>> from typing import Annotated
    >>> from penstock.extend import FLOATS, Operand, TensorLike
    >>> Float = Annotated[TensorLike, Operand("T", FLOATS)]
    """

    var: str | None
    allowed: int
    many: bool = False
    host: bool = False
    prefer: DType | None = None
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Attr:
    """A Python argument of an op, in the annotation of its parameter.

    Args:
        convert: checks the argument and gives the value that the rules see; it raises TypeError or ValueError.
        name: what the argument is called in its errors; "" for the name of the parameter.
        operands: of an argument that is a graph (`Inner`), the list of tensors that its inputs stand for.

    >>> from typing import Annotated
    >>> from penstock.extend import Attr
    >>> Axis = Annotated[int, Attr(int)]
    """

    convert: Callable[[Any], Any]
    name: str = ""
    operands: str = ""


@dataclass(frozen=True, slots=True)
class NamedAttr:
    """An attribute with the name it has in the signature."""

    name: str
    convert: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a declaration but `name`.

    names: all of them in order. operands: (place, name, mark) of each tensor. attrs: (place, attribute) of each other.
    bodies: (place of an attribute that is a graph, place of the list of operands that its inputs stand for).
    """

    names: tuple[str, ...]
    operands: tuple[tuple[int, str, Operand], ...]
    attrs: tuple[tuple[int, NamedAttr], ...]
    bodies: tuple[tuple[int, int], ...]


def read_parameters(signature: inspect.Signature, hints: Mapping[str, Any]) -> Parameters:
    """What the annotations `hints` say of the parameters but `name`.

    Raises:
        TypeError: one is annotated as neither an operand nor an attribute, or `name` is missing.
    """
    names = [each for each in signature.parameters if each != "name"]
    if len(names) == len(signature.parameters):
        raise TypeError("a parameter must be called `name`")
    operands: list[tuple[int, str, Operand]] = []
    attrs: list[tuple[int, NamedAttr]] = []
    bodies: list[tuple[int, int]] = []
    for i, name in enumerate(names):
        marks = getattr(hints.get(name), "__metadata__", ())
        match [m for m in marks if isinstance(m, (Operand, Attr))]:
            case [Operand() as operand]:
                operands.append((i, name, operand))
            case [Attr() as attr]:
                attrs.append((i, NamedAttr(name, attr.convert)))
                if attr.operands:
                    bodies.append((i, list_called(attr.operands, names, hints)))
            case _:
                raise TypeError(
                    f"annotate {name} as an operand (T, Float, Index, Tensors ...) or an attribute (Int, Flag, "
                    "DTypeLike ...), with the names of penstock.extend"
                )
    return Parameters(tuple(names), tuple(operands), tuple(attrs), tuple(bodies))


def operand_names(operands: Sequence[tuple[int, str, Operand]], args: Sequence[Any]) -> list[str]:
    """How a signature calls each input of a call, in the order of the inputs: `axis`, `values[1]`.

    operands: those of the declaration. args: the arguments in the order of the signature.
    """
    names: list[str] = []
    for place, name, operand in operands:
        if not operand.many and not operand.optional:
            names.append(name)
        elif operand.many:
            names += [f"{name}[{i}]" for i in range(len(args[place]))]
        elif args[place] is not None:
            names.append(name)
    return names


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
        raise TypeError(f"a graph's inputs stand for a list of tensors; the operand {name!r} is not one")
    return parameters.index(name)


def returned(annotation: Any) -> str:
    """What a call returns, by the annotation: a "tensor", a "list" or "tuple" of them, or the "operation"."""
    if hasattr(annotation, "outputs"):
        return "operation"
    origin = getattr(annotation, "__origin__", annotation)
    return "list" if origin is list else "tuple" if origin is tuple else "tensor"


def name_last(arguments: tuple[Any, ...], name_at: int) -> tuple[Any, ...]:
    """The arguments of a call with the name, which stands at a place, behind the others."""
    return (*arguments[:name_at], *arguments[name_at + 1 :], arguments[name_at])


def tails(signature: inspect.Signature) -> list[tuple[Any, ...] | None]:
    """For each number of positional arguments the defaults that complete them, None where some have no default."""
    defaults = [p.default for p in signature.parameters.values()]
    tails: list[tuple[Any, ...] | None] = []
    for given in range(len(defaults)):
        rest = tuple(defaults[given:])
        tails.append(None if inspect.Parameter.empty in rest else rest)
    return tails
