"""fft, ifft and those of two and three axes: transforms of complex numbers. One statement each."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.declare.op_declaration import OpDef, Samples, register, sample
from ...graph.declare.signature import COMPLEX, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.shape import TensorShape
from ..declare.shape_checks import listed
from ..index.row_indexing import dims_at_least

PUBLIC_NAMES = {"tf signal spectral": "fft fft2d fft3d ifft ifft2d ifft3d"}

Complex = Annotated[TensorLike, Operand("T", COMPLEX)]


class FourierOp(OpDef[..., Tensor]):
    """A transform of complex numbers."""

    if TYPE_CHECKING:

        def __call__(self, input: TensorLike, name: str | None = None) -> Tensor: ...


_DOC = """The {inverse}discrete Fourier transform along the last {axes}: {law}.

Args:
    input: complex64 or complex128, of rank {rank} or higher.

Returns:
    A tensor with the shape and dtype of `input`.

Raises:
    TypeError: `input` has another dtype.
    ValueError: `input` has a rank below {rank}.
    InvalidArgumentError (when run): the same.

>>> import penstock as tf
>>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
...     x = tf.cast(tf.ones([{sizes}]), tf.complex64)
...     print(abs(session.run(tf.{name}(x))).ravel().tolist())
{printed}

Source: TensorFlow 1.x, `tf.{name}`.
"""


def transform(name: str, type: str, axes: int, inverse: bool) -> FourierOp:
    """Declare a transform along the last `axes` axes.

    Args:
        name: the function's name. type: the node's. inverse: divided by the number of elements, with the other sign.
    """
    last = tuple(range(-axes, 0))

    def function(input: TensorLike, name: str | None = None) -> Tensor: ...

    sign = "" if inverse else "-"
    law = f"sums of input times exp({sign}2 pi i k j / n){', divided by n' if inverse else ''}"
    flat = [1.0] + [0.0] * (2**axes - 1) if inverse else [2.0**axes] + [0.0] * (2**axes - 1)
    function.__doc__ = _DOC.format(
        name=name, rank=axes, law=law, inverse="inverse " if inverse else "", sizes=", ".join("2" * axes),
        axes="axis" if axes == 1 else f"{axes} axes", printed=flat,
    )  # fmt: skip
    function.__name__ = function.__qualname__ = name
    function.__module__ = sys._getframe(1).f_globals["__name__"]
    function.__annotations__ = {"input": Complex, "name": str | None, "return": Tensor}
    opdef = FourierOp(type, function, "T", {"host_only": True, "graphdef": "Tcomplex=input"})

    @opdef.shape
    def shape(input: Tensor) -> TensorShape:
        dims_at_least(input, axes, 0)
        return input.shape

    @opdef.kernel
    def kernel(xp: Any, input: Any) -> Any:
        if input.ndim < axes:
            raise InvalidArgumentError(
                message=f"Input must have rank of at least {axes} but got: {listed(input.shape)}"
            )
        if not input.size:
            return input.copy()
        law = xp.fft.ifftn if inverse else xp.fft.fftn
        return law(input, axes=last).astype(input.dtype)

    @opdef.fails
    def fails(input: Tensor) -> str | None:
        return None if input.shape.ndims is not None else "whether it has enough axes is not known before the run"

    other = name[1:] if inverse else f"i{name}"

    @opdef.gradient(f"{other}(g) {'/' if inverse else '*'} the number of elements of a transform")
    def gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
        def back() -> Tensor:
            count = ops.cast(ops.reduce_prod(ops.shape(g)[-axes:]), g.dtype.real_dtype)
            scale = ops.complex(1.0 / count if inverse else count, ops.zeros_like(count))
            product: Tensor = TRANSFORMS[other](g) * scale
            return product

        return [back]

    @opdef.samples
    def samples(rng: np.random.Generator) -> Samples:
        sizes = (2, 3, 4, 5)[: axes + 1]
        yield sample((rng.random(sizes) + 1j * rng.random(sizes)).astype("c8"))
        yield sample(rng.random(sizes[1:]) + 1j * rng.random(sizes[1:]))
        yield sample(np.zeros((0, *sizes[1:]), "c8"))

    return register(opdef)


fft = transform("fft", "FFT", 1, inverse=False)
ifft = transform("ifft", "IFFT", 1, inverse=True)
fft2d = transform("fft2d", "FFT2D", 2, inverse=False)
ifft2d = transform("ifft2d", "IFFT2D", 2, inverse=True)
fft3d = transform("fft3d", "FFT3D", 3, inverse=False)
ifft3d = transform("ifft3d", "IFFT3D", 3, inverse=True)
TRANSFORMS = {"fft": fft, "ifft": ifft, "fft2d": fft2d, "ifft2d": ifft2d, "fft3d": fft3d, "ifft3d": ifft3d}
