"""Complex numbers and their parts: conj, real, imag, complex."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.declare.signature import COMPLEX, REALS, bits_of
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import complex64, complex128, float32, float64
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.creation import zeros_like
from ..declare.elementwise_decl import binary, unary

PUBLIC_NAMES = {"start": "complex", "start math": "conj imag real"}

conj = unary("conj", "Conj", COMPLEX, "The complex conjugate of x: its imaginary part changes its sign. A real number "
             "is its own.", operand="x", takes=REALS, ufunc="conj", numpy=np.conj, gradient="conj(g)",
             example=("tf.conj([1.5 - 2.0j])", "[1.5+2.j]"), graphdef="T=x")  # fmt: skip
real = unary("real", "Real", COMPLEX, "The real part of x; a real number is its own.", operand="input", takes=REALS,
             kernel=lambda xp, x: x.real.copy(), out=lambda x: x.dtype.real_dtype, numpy=np.real,
             gradient="cast(g, input.dtype)", example=("tf.real([1.5 - 2.0j])", "[1.5]"),
             graphdef="T=input Tout=result")  # fmt: skip
imag = unary("imag", "Imag", COMPLEX, "The imaginary part of x; that of a real number is 0.", operand="input",
             takes=REALS, kernel=lambda xp, x: x.imag.copy(), out=lambda x: x.dtype.real_dtype, numpy=np.imag,
             gradient="complex(zeros_like(g), g)", example=("tf.imag([1.5 - 2.0j])", "[-2.]"),
             graphdef="T=input Tout=result")  # fmt: skip


def _complex(xp: Any, real: Any, imag: Any) -> Any:
    dtype = complex64.np if real.dtype == np.float32 else complex128.np
    shape = np.broadcast_shapes(real.shape, imag.shape)
    parts = xp.empty((*shape, 2), real.dtype)
    parts[..., 0], parts[..., 1] = real, imag
    return parts.view(dtype).reshape(shape)


complex = binary("complex", "Complex", bits_of(float32, float64), "The complex numbers x + y i.", kernel=_complex,
                 out=lambda x, y: complex64 if x.dtype is float32 else complex128,
                 gradient=("real(g)", "imag(g)"), example=("tf.complex([1.5, 2.0], [0.5, -1.5])",
                 "[1.5+0.5j 2. -1.5j]"), graphdef="T=x Tout=result ->out")  # fmt: skip


@complex.kernel_for("scalar")  # the scalar program of the compiled tier has an operation for it
def complex_scalar_kernel(xp: Any, real: Any, imag: Any) -> Any:
    return xp.complex(real, imag)


@conj.prepare
@real.prepare
def conj_prepare(input: Any, name: str | None) -> tuple[Any] | Tensor:
    given = convert_to_tensor(input)
    return (given,) if given.dtype.is_complex else given


@imag.prepare
def imag_prepare(input: Any, name: str | None) -> tuple[Any] | Tensor:
    given = convert_to_tensor(input)
    return (given,) if given.dtype.is_complex else zeros_like(given)
