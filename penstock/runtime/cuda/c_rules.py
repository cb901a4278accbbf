"""Rules of primitives that only CUDA C needs, with the bits that NumPy gives: int division, complex products.

On the CPU these primitives are NumPy's own loops. Quotients of complex numbers are Smith's method, as in NumPy. For
complex products and absolute values NumPy has several loops and selects one by the processor: with fused
multiplications a product is (fma(a, c, -(b * d)), fma(a, d, b * c)), and an absolute value max * sqrt(fma(q, q, 1))
with q = min / max. A test computation shows which loops NumPy uses on this machine; a GPU can do either.

An int divided by zero is 0 here; the kernel reports it. `where` computes only the operand that it chooses.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from ..ir.primitive_rules import Rule
from ..ir.scalar_ir import MODULE

_where, _primitive = MODULE.where, MODULE.primitive

# ---- ints ---------------------------------------------------------------------------------------


def _floor_divide(a: Any, b: Any) -> Any:
    zero, quotient = a.dtype.type(0), _primitive("int_quotient", a, b)
    if a.dtype.kind == "u":
        return _where(b == zero, zero, quotient)
    floor = _where((quotient * b != a) & ((a < 0) != (b < 0)), quotient - 1, quotient)
    return _where(b == zero, zero, _where(b == -1, -a, floor))


def _int_remainder(a: Any, b: Any) -> Any:
    zero, rest = a.dtype.type(0), _primitive("int_rest", a, b)
    if a.dtype.kind == "u":
        return _where(b == zero, zero, rest)
    return _where((b == 0) | (b == -1), zero, _where((rest != 0) & ((rest < 0) != (b < 0)), rest + b, rest))


# ---- floats -------------------------------------------------------------------------------------


def _remainder(a: Any, b: Any) -> Any:
    rest = MODULE.fmod(a, b)
    turned = _where((b < 0) != (rest < 0), rest + b, rest)
    return _where((b == 0) | (rest != rest), rest, _where(rest == 0, MODULE.copysign(0.0, b), turned))


def _logaddexp(x: Any, y: Any) -> Any:
    d = x - y
    apart = _where(d > 0, x, y) + MODULE.log1p(MODULE.exp(-abs(d)))
    return _where(x == y, x + np.log(2.0), _where(d != d, d, apart))


# ---- complex numbers ----------------------------------------------------------------------------


def _product(x: Any, y: Any) -> Any:
    a, b, c, d = x.real, x.imag, y.real, y.imag
    if products_are_fused():
        return MODULE.complex(_primitive("fma", a, c, -(b * d)), _primitive("fma", a, d, b * c))
    return MODULE.complex(a * c - b * d, a * d + b * c)


def _quotient(x: Any, y: Any) -> Any:
    a, b, c, d = x.real, x.imag, y.real, y.imag
    wide, zero, size = abs(c) >= abs(d), (c == 0) & (d == 0), abs(c)
    p, q = d / c, c / d
    s, t = 1 / (c + d * p), 1 / (d + c * q)
    return MODULE.complex(_where(wide, _where(zero, a / size, (a + b * p) * s), (a * q + b) * t),
                          _where(wide, _where(zero, b / size, (b - a * p) * s), (b * q - a) * t))  # fmt: skip


def _reciprocal(x: Any) -> Any:
    a, b = x.real, x.imag
    wide, p, q = abs(b) <= abs(a), b / a, a / b
    s, t = a + b * p, a * q + b
    return MODULE.complex(_where(wide, 1 / s, q / t), _where(wide, -p / s, -1 / t))


def _size(x: Any) -> Any:
    if not sizes_are_scaled():
        return MODULE.hypot(x.real, x.imag)
    a, b = abs(x.real), abs(x.imag)
    most = _where(a > b, a, b)
    q = _where(a > b, b, a) / most
    scaled = MODULE.sqrt(_primitive("fma", q, q, 1.0)) * most
    return _where(a == np.inf, a, _where(b == np.inf, b, _where(most == 0, a + b, scaled)))


RULES: Final[dict[str, dict[str, Rule]]] = {
    "int": {"floor_divide": _floor_divide, "remainder": _int_remainder},
    "float": {"remainder": _remainder, "logaddexp": _logaddexp, "signbit": lambda x: MODULE.copysign(1.0, x) < 0},
    "complex": {
        "multiply": _product, "square": lambda x: _product(x, x), "true_divide": _quotient, "reciprocal": _reciprocal,
        "absolute": _size,
    },
}  # fmt: skip

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
