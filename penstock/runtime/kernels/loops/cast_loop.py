"""The loop that changes the dtype of a contiguous array, for dtypes where NumPy is slow.

It converts 16-bit floats to and from every dtype, and floats to integers of every width. The rules are those of
`ops.elementwise.casting`; `llvm.number_conversion` has them as LLVM functions. Floats become integers by truncation;
NaN becomes 0, and a value out of range the nearest one in range. A value that becomes a 16-bit float is rounded to
float32 first.

Dtypes have NumPy's short names; bfloat16 is "bf".
"""

from __future__ import annotations

from typing import Final

from ...llvm.number_conversion import BF16, half_rules, literal, to_int_name, to_int_rule
from .loop_ir import for_each_row
from .loop_template import template

_TYPES: Final = {"f4": "float", "f8": "double", "f2": "i16", "bf": "i16"}
_HALVES: Final = {"f2": "f16", "bf": "bf16"}


@template("cast", "ppi", saves=2.3e-9)  # float32 as float16
def cast_loop(source: str, target: str) -> tuple[str, str]:
    """loop(out, x, count) -> 0."""
    rules = ""
    if "bf" in (source, target):
        rules += BF16
    if "f2" in (source, target):
        rules += half_rules()
    kind, lines = _widened(source)
    value = "%x" if source not in _HALVES else "%wide"
    number = source if source not in _HALVES else "f4"
    if target == "b1":
        compare = "fcmp une" if kind in ("float", "double") else "icmp ne"
        zero = literal(0.0) if kind in ("float", "double") else "0"
        lines += [f"%truth = {compare} {kind} {value}, {zero}", "%y = zext i1 %truth to i8"]
    elif number[0] == "f" and target[0] in "iu":
        rules += to_int_rule(number, target)
        lines += [f"%y = call {_type(target)} {to_int_name(number, target)}({kind} {value})"]
    elif target in _HALVES:
        if kind != "float":
            lines += [f"%single = {_to_float(number, 'float')} {kind} {value} to float"]
            value = "%single"
        lines += [f"%y = call i16 @{_HALVES[target]}_narrow(float {value})"]
    elif (number, target) == ("f4", "f8"):
        lines += [f"%y = fpext float {value} to double"]
    elif number == target:
        lines += [f"%y = select i1 true, {kind} {value}, {kind} {value}"]
    else:
        raise ValueError(f"cast: there is no loop from {source} to {target}; NumPy's own is as fast")
    moves = [
        f"%from = getelementptr inbounds {_type(source)}, ptr %in, i64 %i",
        f"%x = load {_type(source)}, ptr %from, align 1",
        *lines,
        f"%to = getelementptr inbounds {_type(target)}, ptr %out, i64 %i",
        f"store {_type(target)} %y, ptr %to, align 1",
    ]
    return rules + for_each_row("cast", "ptr noalias %out, ptr noalias %in, i64 %count", moves), "cast"


def _widened(source: str) -> tuple[str, list[str]]:
    """The type to which an element is widened first, and the IR that does so."""
    if source not in _HALVES:
        return _type(source), []
    return "float", [f"%wide = call float @{_HALVES[source]}_widen(i16 %x)"]


def _type(name: str) -> str:
    return _TYPES.get(name) or f"i{8 * int(name[1])}"


def _to_float(number: str, target: str) -> str:
    if number == "f8":
        return "fptrunc"
    return "sitofp" if number[0] == "i" else "uitofp"
