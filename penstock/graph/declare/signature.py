"""The vocabulary of an op's signature: operands, attributes and the sets of dtypes they take.

A parameter is an *operand* (a tensor, or a list of them), an *attribute* (a Python value fixed while building), or
`name`. Its annotation says which: `Annotated[TensorLike, Operand(...)]` or `Annotated[int, Attr(...)]`. The aliases
below serve most ops; an op with a rule of its own writes its own alias beside its declaration.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ...errors import DTypeError, ValueRuleError
from ..common.quick_dataclass import dataclass
from ..model.nodes import Tensor
from ..model.subgraph import SubGraph, as_subgraph
from ..shapes import dtypes
from ..shapes.dtypes import ALL, DType, as_plain_dtype, int32, int64
from ..shapes.dtypes import bits_of as bits_of
from .parameters import Attr as Attr
from .parameters import Operand as Operand

TensorLike: TypeAlias = Tensor | npt.ArrayLike | Sequence[Any]
"""A tensor, or anything `convert_to_tensor` takes: numbers, strings, arrays, nested lists of these and of tensors."""


@dataclass(frozen=True, slots=True)
class Inner(Attr):
    """An argument of an op that is a graph. Its kernel gets a function from a list of arrays to a list of arrays.

    Args:
        convert: checks the argument; a `SubGraph` is asked for unless it is given.
        name: what the argument is called in its errors; "" for the name of the parameter.
        operands: the name of the list of tensors that the inputs of the graph stand for, in their order. The tensors
            that it captures are added to that list when the op is called.

    >>> from typing import Annotated
    >>> from penstock.extend import Inner, SubGraph
    >>> Body = Annotated[SubGraph, Inner(operands="x")]
    """

    convert: Callable[[Any], Any] = as_subgraph
    operands: str = "operands"


# ---- sets of dtypes -----------------------------------------------------------------------------

ANY = bits_of(*ALL)
VARIANT = bits_of(dtypes.variant)
EVERYTHING = ANY | VARIANT
"""What ops take that only pass a value on."""
INTEGERS = bits_of(*(d for d in ALL if d.is_integer))
SIGNED_INTEGERS = bits_of(*(d for d in ALL if d.is_integer and not d.is_unsigned))
FLOATS = bits_of(*(d for d in ALL if d.is_floating))
HALVES = bits_of(*(d for d in ALL if d.is_floating and d.size == 2))
COMPLEX = bits_of(*(d for d in ALL if d.is_complex))
BOOL = bits_of(dtypes.bool_)
STRING = bits_of(dtypes.string)
NUMBERS = INTEGERS | FLOATS | COMPLEX
REALS = INTEGERS | FLOATS
INT32_64 = bits_of(int32, int64)
INDICES = bits_of(dtypes.int16, int32, int64)


# ---- attributes ---------------------------------------------------------------------------------


def as_int(value: Any, what: str = "") -> int:
    """A Python int (NumPy integers count); not a bool, a float, a tensor. `what` it is, if no call says so."""
    if type(value) is int:
        return value
    if not isinstance(value, (bool, np.bool_, Tensor, np.ndarray)):
        try:
            return operator.index(value)
        except TypeError:  # refused below, in our words
            pass
    raise DTypeError(f"{what} must be a Python int, not {_describe(value)}".lstrip())


def as_bool(value: Any) -> bool:
    """A Python bool (NumPy's counts)."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise DTypeError(f"must be True or False, not {_describe(value)}")


def as_float(value: Any) -> float:
    """A Python float (ints and NumPy's numbers count); not a bool, a text or a tensor."""
    if not isinstance(value, (Tensor, str, bytes, bool, np.bool_)):
        try:
            return float(value)
        except (TypeError, ValueError):  # refused below, in our words
            pass
    raise DTypeError(f"must be a Python float, not {_describe(value)}")


def as_ints(value: Any) -> tuple[int, ...]:
    """A tuple of ints from an int or a sequence of them."""
    if isinstance(value, Tensor):
        raise DTypeError(f"must be a Python int or a list of them, not {_describe(value)}")
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple, range)):
        return tuple(as_int(v) for v in value)
    return (as_int(value),)


def optional(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """`convert` for every value but None, which stays None."""

    def maybe(value: Any) -> Any:
        return None if value is None else convert(value)

    return maybe


def at_least(least: int) -> Callable[[Any], int]:
    """A Python int not below `least`."""

    def check(value: Any) -> int:
        number = as_int(value)
        if number < least:
            raise ValueRuleError(f"must not be less than minimum {least}, but is {number}")
        return number

    return check


MOST_OUTPUTS = 1 << 20


def output_count(least: int) -> Callable[[Any], int]:
    """A Python int that says how many outputs a node has; a number no graph can mean is refused, not allocated."""
    check_least = at_least(least)

    def check(value: Any) -> int:
        number = check_least(value)
        if number > MOST_OUTPUTS:
            raise ValueRuleError(f"must be at most {MOST_OUTPUTS}, not {number}: each output is a tensor of the graph")
        return number

    return check


def _describe(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"the tensor {value.name!r}, whose value is not known until the graph runs"
    text = repr(value)
    return f"{text if len(text) <= 40 else text[:37] + '...'} ({type(value).__name__})"


# ---- aliases ------------------------------------------------------------------------------------

T: TypeAlias = Annotated[TensorLike, Operand("T", ANY)]
Number: TypeAlias = Annotated[TensorLike, Operand("T", NUMBERS)]
Real: TypeAlias = Annotated[TensorLike, Operand("T", REALS)]
Float: TypeAlias = Annotated[TensorLike, Operand("T", FLOATS)]
Everything: TypeAlias = Annotated[TensorLike, Operand("T", EVERYTHING)]
Variant: TypeAlias = Annotated[TensorLike, Operand(None, VARIANT)]
Bool: TypeAlias = Annotated[TensorLike, Operand(None, BOOL)]
Tensors: TypeAlias = Annotated[Sequence[TensorLike], Operand("T", ANY, many=True)]
Index: TypeAlias = Annotated[TensorLike, Operand("Tindices", INDICES, prefer=int32)]
HostIndex: TypeAlias = Annotated[TensorLike, Operand("Tindices", INT32_64, host=True, prefer=int32)]
"""Shapes, axes, paddings: small ints that kernels need as numbers on the host."""

Int: TypeAlias = Annotated[int, Attr(as_int)]
IntOrNone: TypeAlias = Annotated[int | None, Attr(optional(as_int))]
Ints: TypeAlias = Annotated[int | Sequence[int], Attr(as_ints)]
FloatAttr: TypeAlias = Annotated[float, Attr(as_float)]
IntsOrNone: TypeAlias = Annotated[int | Sequence[int] | None, Attr(optional(as_ints))]
Flag: TypeAlias = Annotated[bool, Attr(as_bool)]
Body: TypeAlias = Annotated[SubGraph, Inner()]
"""A graph whose inputs stand for the list of tensors called `operands`."""
DTypeLike: TypeAlias = Annotated[DType | str | type | np.dtype[Any], Attr(as_plain_dtype)]
DTypeOrNone: TypeAlias = Annotated[DType | str | type | np.dtype[Any] | None, Attr(optional(as_plain_dtype))]
