"""Reductions of integer rows. The result does not depend on the order, so elements are combined in SIMD
registers."""

from __future__ import annotations

from ...graph.shapes.dtypes import DType
from .llvm_primitives import memory_kind

_WORDS = {"add": "add", "multiply": "mul", "logical_or": "or", "logical_and": "and"}


def is_order_free(ufunc: str, dtype: DType) -> bool:
    """True if the result of the reduction does not depend on the order of the elements."""
    return (dtype.is_integer and ufunc in ("add", "multiply", "maximum", "minimum")) or (
        dtype.is_bool and ufunc in ("logical_or", "logical_and")
    )


def name(ufunc: str, dtype: DType) -> str:
    """The name of the function that `rule` defines."""
    return f"fold_{ufunc}_{dtype.name}"


def combined(ufunc: str, dtype: DType, a: str, b: str) -> str:
    """The instruction that combines two numbers."""
    kind = memory_kind(dtype)
    if ufunc in _WORDS:
        return f"{_WORDS[ufunc]} {kind} {a}, {b}"
    return f"call {kind} {_extreme(ufunc, dtype)}({kind} {a}, {kind} {b})"


def _extreme(ufunc: str, dtype: DType) -> str:
    return f"@llvm.{'u' if dtype.is_unsigned else 's'}{ufunc[:3]}.{memory_kind(dtype)}"


def rule(ufunc: str, dtype: DType) -> str:
    """The function that reduces a row of at least one element."""
    kind = memory_kind(dtype)
    declared = "" if ufunc in _WORDS else f"declare {kind} {_extreme(ufunc, dtype)}({kind}, {kind})\n"
    return f"""{declared}define internal {kind} @{name(ufunc, dtype)}(ptr %a, i64 %n) #0 {{
entry:
  %first = load {kind}, ptr %a, align 1
  %alone = icmp eq i64 %n, 1
  br i1 %alone, label %done, label %loop
loop:
  %i = phi i64 [1, %entry], [%next, %loop]
  %so_far = phi {kind} [%first, %entry], [%with, %loop]
  %p = getelementptr {kind}, ptr %a, i64 %i
  %x = load {kind}, ptr %p, align 1
  %with = {combined(ufunc, dtype, "%so_far", "%x")}
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  %all = phi {kind} [%first, %entry], [%with, %loop]
  ret {kind} %all
}}"""
