"""Complex arithmetic of CUDA C, with the bits that NumPy gives.

Sums, quotients and reciprocals are plain arithmetic on every processor (quotients by Smith's method, as in NumPy). For
products and absolute values NumPy has several loops and selects one by the processor: with fused multiplications a
product is (fma(a, c, -(b * d)), fma(a, d, b * c)), and an absolute value max * sqrt(fma(q, q, 1)) with q = min / max.
A test computation shows which loops NumPy uses on this machine; a GPU can do either.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from ..ir.primitive_rules import Rule
from ..ir.scalar_ir import MODULE


def _product(x: Any, y: Any) -> Any:
    a, b, c, d = x.real, x.imag, y.real, y.imag
    if products_are_fused():
        return MODULE.complex(MODULE.primitive("fma", a, c, -(b * d)), MODULE.primitive("fma", a, d, b * c))
    return MODULE.complex(a * c - b * d, a * d + b * c)


def _in_parts(name: str) -> Rule:
    """A rule that computes the two parts of a complex result with functions of the parts of the operands."""

    def rule(*z: Any) -> Any:
        parts = [part for x in z for part in (x.real, x.imag)]
        return MODULE.complex(*[MODULE.primitive(f"{name}_{which}", *parts) for which in ("real", "imag")])

    return rule


def _size(x: Any) -> Any:
    return MODULE.primitive("complex_size", x.real, x.imag) if sizes_are_scaled() else MODULE.hypot(x.real, x.imag)


RULES: Final[dict[str, Rule]] = {
    "multiply": _product,
    "square": lambda x: _product(x, x),
    "true_divide": _in_parts("quotient"),
    "reciprocal": _in_parts("reciprocal"),
    "absolute": _size,
}
"""Complex arithmetic in terms of real primitives and of the functions below."""

_ODD: Final = np.complex64(complex(1 + 2**-12, 1 + 2**-13))


@cache
def products_are_fused() -> bool:
    """Whether NumPy's complex products on this machine use fused multiplications."""
    x = np.full(8, _ODD)
    plain = np.float32(x.real[0] * x.real[0]) - np.float32(x.imag[0] * x.imag[0])
    return bool((x * x).real[0] != plain)


@cache
def sizes_are_scaled() -> bool:
    """Whether NumPy's |z| on this machine is max * sqrt(fma(q, q, 1)), which differs from hypot in some last bits."""
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
"""The functions that a source may call, by name. A source that calls one defines it, and before it its `TYPES`."""
