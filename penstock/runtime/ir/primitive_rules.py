"""Primitives in terms of simpler ones: rules that the generators of LLVM IR and of CUDA C share.

A rule is written in NumPy's words and traced once for each combination of dtypes:

    maximum(float32, float32):   %2 = not_equal(%0, %0)
                                 %3 = greater(%0, %1)
                                 %4 = bitwise_or(%2, %3)
                                 %5 = where(%4, %0, %1)

A generator writes the remaining primitives itself: arithmetic, comparisons, bitwise functions and `where` of real
numbers, casts between real dtypes, and `complex`, `real` and `imag`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np

from ...graph.shapes.dtypes import DType, float32
from .fused_ir import Value
from .scalar_ir import HALVES, MODULE, Argument, CannotLower, Literal, Scalar, ScalarStep, lower_function

Rule: TypeAlias = Callable[..., Any]
Word = TypeVar("Word")


def _sign(x: Any) -> Any:
    one, zero = x.dtype.type(1), x.dtype.type(0)
    if x.dtype.kind == "u":
        return MODULE.where(x > zero, one, zero)
    rest = zero if x.dtype.kind == "i" else MODULE.where(x == zero, zero, x)  # NaN stays NaN
    return MODULE.where(x > zero, one, MODULE.where(x < zero, -one, rest))


def _each(function: Callable[..., Any]) -> Rule:
    """A rule that applies a function to the real parts and to the imaginary parts."""
    return lambda *z: MODULE.complex(function(*[x.real for x in z]), function(*[x.imag for x in z]))


_FLOAT: Final[dict[str, Rule]] = {
    "square": lambda x: x * x,
    "reciprocal": lambda x: 1 / x,
    "maximum": lambda a, b: MODULE.where((a != a) | (a > b), a, b),
    "minimum": lambda a, b: MODULE.where((a != a) | (a < b), a, b),
    "sign": _sign,
    "isnan": lambda x: x != x,
    "isinf": lambda x: abs(x) == np.inf,
    "isfinite": lambda x: abs(x) < np.inf,
}
_INT: Final[dict[str, Rule]] = {
    "square": lambda x: x * x,
    "negative": lambda x: x.dtype.type(0) - x,
    "absolute": lambda x: x if x.dtype.kind == "u" else MODULE.where(x < 0, -x, x),
    "maximum": lambda a, b: MODULE.where(a > b, a, b),
    "minimum": lambda a, b: MODULE.where(a < b, a, b),
    "sign": _sign,
    "invert": lambda x: x ^ ~x.dtype.type(0),
}
_BOOL: Final[dict[str, Rule]] = {
    **dict.fromkeys(("logical_and", "minimum", "multiply"), lambda a, b: a & b),
    **dict.fromkeys(("logical_or", "maximum", "add"), lambda a, b: a | b),
    "logical_xor": lambda a, b: a ^ b,
    "invert": lambda x: MODULE.logical_not(x),
}
_COMPLEX: Final[dict[str, Rule]] = {
    "where": lambda c, x, y: MODULE.complex(MODULE.where(c, x.real, y.real), MODULE.where(c, x.imag, y.imag)),
    "conjugate": lambda x: MODULE.complex(x.real, -x.imag),
    "negative": _each(lambda x: -x),
    "add": _each(lambda x, y: x + y),
    "subtract": _each(lambda x, y: x - y),
    "equal": lambda x, y: (x.real == y.real) & (x.imag == y.imag),
    "not_equal": lambda x, y: (x.real != y.real) | (x.imag != y.imag),
}


RULES: Final = {"float": _FLOAT, "int": _INT, "bool": _BOOL, "complex": _COMPLEX}


def rule_of(
    step: ScalarStep, dtypes: tuple[DType, ...], more: Mapping[str, Mapping[str, Rule]] | None = None
) -> Scalar | None:
    """The program of a step in simpler primitives, None if a generator writes it itself.

    dtypes: those of the operands. more: rules that only the caller has, by kind of number.

    Raises:
        CannotLower: a cast that has no meaning here.
    """
    if step.primitive == "astype":
        return _cast(dtypes[0], step.dtype)
    if dtypes[0] in HALVES:
        return None
    is_complex = step.dtype.is_complex or any(d.is_complex for d in dtypes)
    kind = "complex" if is_complex else "float" if dtypes[0].is_floating else "bool" if dtypes[0].is_bool else "int"
    rule = RULES[kind].get(step.primitive) or (more or {}).get(kind, {}).get(step.primitive)
    return _traced(rule, dtypes) if rule is not None else None


@cache
def _traced(rule: Rule, dtypes: tuple[DType, ...]) -> Scalar:
    return lower_function(rule, *dtypes)


@cache
def _cast(source: DType, target: DType) -> Scalar | None:
    part = target.real_dtype.np
    if source is target:
        rule: Rule = lambda x: x  # noqa: E731  # one of the rules
    elif source.is_complex and not target.is_complex:
        raise CannotLower(f"a cast of {source.name} to {target.name} has no rule")
    elif source.is_complex:
        rule = _each(lambda x: x.astype(part))
    elif target.is_complex:
        rule = lambda x: MODULE.complex(x.astype(part), part.type(0))  # noqa: E731  # one of the rules
    elif source in HALVES and target is not float32:
        rule = lambda x: x.astype(float32.np).astype(target.np)  # noqa: E731  # one of the rules
    elif target.is_bool:
        rule = lambda x: x != x.dtype.type(0)  # noqa: E731  # one of the rules
    else:
        return None
    return lower_function(rule, source)


def applied(
    rule: Scalar,
    operands: Sequence[Word],
    constant_operand: Callable[[Literal], Word],
    compute: Callable[[ScalarStep, tuple[DType, ...], tuple[Word, ...]], Word | None],
) -> Word:
    """The result of a rule on operands. written: a constant as an operand. compute: the result of one of its steps."""
    values = list(operands)

    def operand(argument: Argument) -> Word:
        return values[argument] if isinstance(argument, Value) else constant_operand(argument)

    for step in rule.steps:
        found = compute(step, tuple([rule.dtype_of(a) for a in step.args]), tuple(map(operand, step.args)))
        assert found is not None  # rules speak of primitives that every generator has
        values.append(found)
    return operand(rule.outputs[0])
