"""Which words of C compute with complex numbers on a GPU, to the bits that NumPy gives?

A complex number is two variables. Sums, quotients and reciprocals are plain arithmetic everywhere (quotients by Smith's
method, as in NumPy). For products and sizes NumPy has several loops and chooses by the processor: with fused
multiplications a product is (fma(a, c, -(b * d)), fma(a, d, b * c)), and a size max * sqrt(fma(q, q, 1)) with
q = min / max. Which of them this machine's NumPy uses is found by trying; a GPU can do either.
"""

from __future__ import annotations

from functools import cache
from typing import Final, TypeAlias

import numpy as np

from ...graph.dtypes import DType, float32
from ..ir.scalar_ir import CannotLower

Operand: TypeAlias = str | tuple[str, str]
Pair: TypeAlias = tuple[str, str]


def compute(name: str, dtype: DType, *operands: Operand) -> Operand:
    """The result of a primitive on complex numbers of a dtype.

    Raises:
        CannotLower: it has no words here.
    """
    pairs = [o for o in operands if isinstance(o, tuple)]
    x, y = pairs[0], pairs[-1]
    (a, b), (c, d) = x, y
    kind = f"f{4 * dtype.size}"
    match name:
        case "real":
            return a
        case "imag":
            return b
        case "conjugate":
            return a, f"(-{b})"
        case "negative":
            return f"(-{a})", f"(-{b})"
        case "add" | "subtract":
            sign = "+" if name == "add" else "-"
            return f"({a} {sign} {c})", f"({b} {sign} {d})"
        case "multiply":
            return _product(x, y, dtype)
        case "square":
            return _product(x, x, dtype)
        case "true_divide":
            return f"ps_cdiv_{kind}({a}, {b}, {c}, {d}).r", f"ps_cdiv_{kind}({a}, {b}, {c}, {d}).i"
        case "reciprocal":
            return f"ps_crec_{kind}({a}, {b}).r", f"ps_crec_{kind}({a}, {b}).i"
        case "absolute":
            return f"ps_cabs_{kind}({a}, {b})" if sizes_are_scaled() else f"hypot{_suffix(dtype)}({a}, {b})"
        case "equal":
            return f"(({a} == {c}) & ({b} == {d}))"
        case "not_equal":
            return f"(({a} != {c}) | ({b} != {d}))"
    raise CannotLower(f"{name} of complex numbers has no words in CUDA here")


def _suffix(dtype: DType) -> str:
    return "f" if dtype.real_dtype is float32 else ""


def _product(x: Pair, y: Pair, dtype: DType) -> Pair:
    (a, b), (c, d) = x, y
    if products_are_fused():
        fma = f"fma{_suffix(dtype)}"
        return f"{fma}({a}, {c}, -({b} * {d}))", f"{fma}({a}, {d}, {b} * {c})"
    return f"({a} * {c} - {b} * {d})", f"({a} * {d} + {b} * {c})"


_ODD: Final = np.complex64(complex(1 + 2**-12, 1 + 2**-13))


@cache
def products_are_fused() -> bool:
    """Whether NumPy's complex products here round once for a product and its sum."""
    x = np.full(8, _ODD)
    plain = np.float32(x.real[0] * x.real[0]) - np.float32(x.imag[0] * x.imag[0])
    return bool((x * x).real[0] != plain)


@cache
def sizes_are_scaled() -> bool:
    """Whether NumPy's |z| here is max * sqrt(fma(q, q, 1)): it differs from the root of the sum in some last bits."""
    x = np.linspace(1, 2, 64, dtype=np.float32) + 1j * np.linspace(3, 2, 64, dtype=np.float32)
    size = np.absolute(x.astype(np.complex64))
    q = (np.minimum(x.real, x.imag) / np.maximum(x.real, x.imag)).astype(np.float32).astype(np.float64)
    root = np.sqrt((q * q + 1).astype(np.float32)).astype(np.float32)  # q * q is exact in float64
    return bool(np.array_equal(size, root * np.maximum(x.real, x.imag).astype(np.float32)))


TYPES: Final = {f"ps_c{t}": f"typedef struct {{ {t} r, i; }} ps_c{t};\n" for t in ("f32", "f64")}
HELPERS: Final = {
    f"ps_{name}_{t}": text.replace("T", t).replace("@", s)
    for t, s in (("f32", "f"), ("f64", ""))
    for name, text in {
        "cdiv": """PS_INLINE ps_cT ps_cdiv_T(T a, T b, T c, T d) {
  T x = fabs@(c), y = fabs@(d);
  ps_cT z;
  if (x >= y) {
    if (x == 0 & y == 0) { z.r = a / x; z.i = b / x; return z; }
    T q = d / c, s = (T)1 / (c + d * q);
    z.r = (a + b * q) * s; z.i = (b - a * q) * s;
  } else {
    T q = c / d, s = (T)1 / (d + c * q);
    z.r = (a * q + b) * s; z.i = (b * q - a) * s;
  }
  return z;
}
""",
        "crec": """PS_INLINE ps_cT ps_crec_T(T a, T b) {
  ps_cT z;
  if (fabs@(b) <= fabs@(a)) {
    T q = b / a, d = a + b * q;
    z.r = (T)1 / d; z.i = -q / d;
  } else {
    T q = a / b, d = a * q + b;
    z.r = q / d; z.i = -(T)1 / d;
  }
  return z;
}
""",
        "cabs": """PS_INLINE T ps_cabs_T(T a, T b) {
  T x = fabs@(a), y = fabs@(b), most = x > y ? x : y, least = x > y ? y : x;
  if (x == x + x & x != 0 | y == y + y & y != 0) return (x == x + x & x != 0) ? x : y;
  if (x != x | y != y) return x + y;
  if (most == 0) return most;
  T q = least / most;
  return sqrt@(fma@(q, q, (T)1)) * most;
}
""",
    }.items()
}
"""By name, what a source that calls it must define, behind the `TYPES` it speaks of."""
