"""rfft, irfft and those of two and three axes: transforms between real numbers and the half of a spectrum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError, ShapeError
from ...graph.building.constant_evaluation import known_vector
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import COMPLEX, INT32_64, Attr, Operand, TensorLike, at_least, bits_of
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import complex64, complex128, float32, float64
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.creation import zeros_like
from ..create.shape_size_rank import shape as shape_op
from ..declare.composite import composite, name_of_scope
from ..declare.shape_checks import ints_of, listed
from ..elementwise.arithmetic import maximum
from ..elementwise.casting import cast
from ..index.row_indexing import dims_at_least
from ..move.concat_stack import concat, pack
from ..move.tile_pad import pad
from ..move.transpose_reverse import transpose
from .fourier import TRANSFORMS

PUBLIC_NAMES = {"signal spectral": "irfft irfft2d irfft3d rfft rfft2d rfft3d"}

_Axes = Annotated[int, Attr(at_least(1))]
_Lengths = Annotated[TensorLike, Operand("Tlengths", INT32_64, host=True)]
_Real = Annotated[TensorLike, Operand("Treal", bits_of(float32, float64))]
_Half = Annotated[TensorLike, Operand("Tcomplex", COMPLEX)]
_COMPLEX_OF = {float32: complex64, float64: complex128}
_REAL_OF = {complex64: float32, complex128: float64}
_OPEN = "whether fft_length fits is not known before the run"


@op("RFFT", out=lambda input, *rest: _COMPLEX_OF[input.dtype], host_only=True, fails=_OPEN)
def rfft_op(input: _Real, fft_length: _Lengths, axes: _Axes, name: str | None = None) -> Tensor:
    """The op behind `rfft`, `rfft2d` and `rfft3d`."""


@op("IRFFT", out=lambda input, *rest: _REAL_OF[input.dtype], host_only=True, fails=_OPEN)
def irfft_op(input: _Half, fft_length: _Lengths, axes: _Axes, name: str | None = None) -> Tensor:
    """The op behind `irfft`, `irfft2d` and `irfft3d`."""


def _shape(input: Tensor, lengths: Tensor, axes: int, last: Callable[[int], int]) -> TensorShape:
    dims = dims_at_least(input, axes, 0)
    if lengths.shape.raw not in (None, (axes,)) and not any(not isinstance(n, int) for n in lengths.shape.raw or ()):
        raise ShapeError(f"fft_length must have {axes} entries, but has the shape {lengths.shape}", operand=1)
    if dims is None:
        return unknown_rank("the rank of the operand is not known", input)
    entries = list(known_vector(lengths) or [None] * axes)
    sizes = [entry if isinstance(entry, int) else unknown("fft_length is not known", lengths) for entry in entries]
    if isinstance(sizes[-1], int):
        sizes[-1] = last(sizes[-1])
    else:
        sizes[-1] = unknown("fft_length is not known", lengths)
    return shape_of((*dims[:-axes], *sizes))


rfft_op.shape(lambda input, lengths, axes: _shape(input, lengths, axes, lambda n: n // 2 + 1))
irfft_op.shape(lambda input, lengths, axes: _shape(input, lengths, axes, lambda n: n))


def _checked(input: Any, lengths: Any, axes: int, halved: bool) -> list[int]:
    """The lengths; InvalidArgumentError where the operand is too small for them, as in TensorFlow."""
    sizes = ints_of(lengths)
    if input.ndim < axes or len(sizes) != axes:
        raise InvalidArgumentError(message=f"Input must have rank of at least {axes} but got: {listed(input.shape)}")
    for i, n in enumerate(sizes):
        least = n // 2 + 1 if halved and i == axes - 1 else n
        if n < 0 or (input.size and input.shape[i - axes] < least):
            raise InvalidArgumentError(message=f"Input dimension {input.ndim - axes + i} must have length of at least "
                                               f"{least} but got: {input.shape[i - axes]}")  # fmt: skip
    return sizes


@rfft_op.kernel
def rfft_op_kernel(xp: Any, input: Any, lengths: Any, axes: int) -> Any:
    sizes = _checked(input, lengths, axes, False)
    out = _COMPLEX_OF[float32 if input.dtype == float32.np else float64].np
    shape = (*input.shape[: input.ndim - axes], *sizes[:-1], sizes[-1] // 2 + 1)
    if not input.size or 0 in shape or 0 in sizes:
        return xp.zeros(shape, out)
    return xp.fft.rfftn(input, sizes, range(-axes, 0)).astype(out)


@irfft_op.kernel
def irfft_op_kernel(xp: Any, input: Any, lengths: Any, axes: int) -> Any:
    sizes = _checked(input, lengths, axes, True)
    out = (float32 if input.dtype == complex64.np else float64).np
    shape = (*input.shape[: input.ndim - axes], *sizes)
    if not input.size or 0 in shape:
        return xp.zeros(shape, out)
    return xp.fft.irfftn(input, sizes, range(-axes, 0)).astype(out)


def _fitted(ops: Any, g: Tensor, shape: Tensor) -> Tensor:
    """`g` cut or filled up with zeros to `shape`."""
    common = ops.minimum(ops.shape(g), shape)
    begin = ops.zeros_like(common)
    whole: Tensor = ops.pad(ops.slice(g, begin, common), ops.stack([begin, shape - common], 1))
    return whole


@rfft_op.gradient("the real part of n * ifft(g, filled up with zeros)")
def rfft_op_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    (input, lengths), axes = op.inputs, op.args[2]

    def back() -> Tensor:
        sizes = ops.cast(lengths, "int32")
        whole = _fitted(ops, g, ops.concat(0, [ops.shape(g)[:-axes], sizes]))
        count = ops.cast(ops.reduce_prod(sizes), input.dtype)
        inverse = TRANSFORMS["ifft" if axes == 1 else f"ifft{axes}d"]
        return _fitted(ops, ops.real(inverse(whole)) * count, ops.shape(input))

    return [back, None]


@irfft_op.gradient("rfft(g) / n, doubled where an element stands for two")
def irfft_op_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    (input, lengths), axes = op.inputs, op.args[2]

    def back() -> Tensor:
        sizes = ops.cast(lengths, "int32")
        real = g.dtype
        n = sizes[axes - 1]
        half = ops.range(n // 2 + 1)
        alone = ops.logical_or(ops.equal(half, 0), ops.equal(half * 2, n))
        weights = (2.0 - ops.cast(alone, real)) / ops.cast(ops.reduce_prod(sizes), real)
        spectrum = rfft_op(g, lengths, axes) * ops.complex(weights, ops.zeros_like(weights))
        return _fitted(ops, spectrum, ops.shape(input))

    return [back, None]


@rfft_op.samples
def rfft_op_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 5)).astype("f4"), np.array([5], "i4"), 1)
    yield sample(rng.random((2, 4, 5)), np.array([3, 4], "i4"), 2)
    yield sample(np.zeros((0, 4), "f4"), np.array([4], "i4"), 1)


@irfft_op.samples
def irfft_op_samples(rng: np.random.Generator) -> Samples:
    yield sample((rng.random((2, 3)) + 1j).astype("c8"), np.array([5], "i4"), 1)
    yield sample(rng.random((2, 4, 3)) + 1j, np.array([4, 4], "i4"), 2)
    yield sample(np.zeros((0, 3), "c8"), np.array([4], "i4"), 1)


# ---- the public functions -----------------------------------------------------------------------

_DOC = """{head}

    Args:
        input_tensor: {dtypes}, of rank {axes} or higher.
        fft_length: the {n} of the real side, an int32 vector; by default {default}. Zeros
            complete an `input_tensor` that is shorter.

    Returns:
        A tensor {result}.

    Raises:
        TypeError: `input_tensor` has another dtype.
        ValueError: `input_tensor` has a rank below {axes}.
        InvalidArgumentError (when run): the same, or `fft_length` is negative.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.ones([{sizes}])
    ...     print(session.run({call}).real.ravel().tolist())
    {printed}

    Source: TensorFlow 1.x, `tf.signal.{name}`.
    """


def _completed(x: Tensor, lengths: Tensor, axes: int, inverse: bool) -> Tensor:
    """`x` with zeros behind axes that are shorter than the transform, as TensorFlow's functions add them."""
    rank = x.shape.ndims
    if (rank is not None and rank < axes) or lengths.shape.raw != (axes,):
        return x  # the op says what is wrong
    halved = lengths[axes - 1 :] // 2 + 1
    needed = lengths if not inverse else concat(0, [lengths[: axes - 1], halved]) if axes > 1 else halved
    if rank is not None:
        pairs = list(zip(known_vector(needed) or [None] * axes, x.shape.as_list()[-axes:], strict=True))
        if all(isinstance(n, int) and size is not None and size >= n for n, size in pairs):
            return x
    before = zeros_like(shape_op(x)[:-axes]) if rank is None else [0] * (rank - axes)
    behind = concat(0, [before, maximum(needed - cast(shape_op(x)[-axes:], needed.dtype), 0)])
    return pad(x, transpose(pack([zeros_like(behind), behind])))


def _public(name: str, axes: int, inverse: bool) -> Callable[..., Tensor]:
    def function(input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None) -> Tensor:
        signal = convert_to_tensor(input_tensor)
        if fft_length is None:
            dims_at_least(signal, axes, 0)
            sizes = shape_op(signal)[-axes:]
            if inverse:
                last = (sizes[axes - 1 :] - 1) * 2
                sizes = concat(0, [sizes[: axes - 1], last]) if axes > 1 else last
        else:
            sizes = convert_to_tensor(fft_length)
            signal = _completed(signal, sizes, axes, inverse)
        return (irfft_op if inverse else rfft_op)(signal, sizes, axes, name=name_of_scope())

    function.__name__ = function.__qualname__ = name
    which = "axis" if axes == 1 else f"{axes} axes"
    forward = "rfft" if axes == 1 else f"rfft{axes}d"
    values = [2.0**axes] + [0.0] * (2**axes - 1)
    function.__doc__ = _DOC.format(
        name=name, axes=axes, n="length" if axes == 1 else "lengths", sizes=", ".join("2" * axes),
        head=f"The real numbers along the last {which} whose transform is `input_tensor`: the inverse of tf.{forward}."
        if inverse else f"The discrete Fourier transform of real numbers along the last {which}, of which the last "
                        "keeps n / 2 + 1 elements: the others are their conjugates.",
        dtypes="complex64 or complex128" if inverse else "float32 or float64",
        default="the sizes of `input_tensor`, of the last axis 2 * (size - 1)" if inverse else "its sizes",
        result="of dtype float32 or float64 with the shape [..., fft_length]" if inverse
               else "of dtype complex64 or complex128 with the shape [..., fft_length / 2 + 1]",
        call=f"tf.signal.{name}(tf.signal.{forward}(x))" if inverse else f"tf.signal.{name}(x)",
        printed=[1.0] * 2**axes if inverse else values,
    )  # fmt: skip
    return composite(name)(function)


rfft, irfft = _public("rfft", 1, False), _public("irfft", 1, True)
rfft2d, irfft2d = _public("rfft2d", 2, False), _public("irfft2d", 2, True)
rfft3d, irfft3d = _public("rfft3d", 3, False), _public("irfft3d", 3, True)
