"""The matrix product."""

from __future__ import annotations

from enum import Enum
from math import prod
from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.building.may_fail import broadcast_of
from ...graph.common.hooks import hooks
from ...graph.declare.axis_labels import Axes, broadcast_labels, labelled
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import NUMBERS, Flag, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Dim, merge_dims
from ...graph.shapes.dtypes import bits_of, int8, int16
from ...graph.shapes.shape import TensorShape, broadcast, shape_of, unknown_rank
from ..declare.elementwise_gradient import repeated_axes
from ..declare.shape_checks import listed

PUBLIC_NAMES = {"start linalg": "matmul"}

Shape = tuple[int, ...]
_Matrix = Annotated[TensorLike, Operand("T", NUMBERS & ~bits_of(int8, int16))]


@op("MatMul", operator="matmul", numpy=np.matmul)
def matmul(
    a: _Matrix,
    b: _Matrix,
    transpose_a: Flag = False,
    transpose_b: Flag = False,
    adjoint_a: Flag = False,
    adjoint_b: Flag = False,
    a_is_sparse: Flag = False,
    b_is_sparse: Flag = False,
    name: str | None = None,
) -> Tensor:
    """The matrix product: out[..., i, j] = sum over k of a[..., i, k] * b[..., k, j].

    The dimensions before the last two are batches, which broadcast. Ints wrap around. 16-bit floats are summed in
    float32 and rounded once.

    Args:
        a, b: floats, complex numbers, int32, int64 or unsigned ints of one dtype, rank 2 or higher.
        transpose_a, transpose_b: exchange the last two dimensions of that operand first.
        adjoint_a, adjoint_b: exchange them, and take the complex conjugate.
        a_is_sparse, b_is_sparse: accepted as in TensorFlow; they change nothing.

    Returns:
        A tensor of shape batch + [rows of a, columns of b] with the dtype of `a` and `b`.

    Raises:
        TypeError: a dtype is not allowed, the dtypes differ, or a flag is not a bool.
        ValueError: a rank below 2, inner sizes or batches that do not fit, or an operand both transposed and adjoint.
        InvalidArgumentError (when run): the shapes do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     a = tf.constant([[1, 2, 3], [4, 5, 6]])
    ...     print(session.run(tf.matmul(a, [[1], [0], [1]])))
    ...     print(session.run(tf.matmul(a, a, transpose_b=True)))
    [[ 4]
     [10]]
    [[14 32]
     [32 77]]

    Source: TensorFlow 1.x, `tf.matmul`.
    """


@matmul.shape
def matmul_shape(a: Tensor, b: Tensor, *flags: bool) -> TensorShape:
    flip_a, flip_b = _flips(*flags)
    # There are no batches only if both ranks are known to be at most 2.
    plain = all(t.shape.ndims is not None and t.shape.ndims <= 2 for t in (a, b))
    left, right = _matrix_dims(a, 0, flip_a, plain), _matrix_dims(b, 1, flip_b, plain)
    if left is None or right is None:
        return unknown_rank("the rank of an operand is not known", a if left is None else b)
    try:
        merge_dims(left[-1], right[-2])
    except ShapeError as error:
        raise ShapeError(f"{error.message}, with input shapes: {a.shape}, {b.shape}", operand=1,
                         dim=-1 if flip_b else -2,
                         cure="The columns of a must be as many as the rows of b.") from None  # fmt: skip
    try:
        batch = broadcast(shape_of(left[:-2]), shape_of(right[:-2]), b)
    except ShapeError as error:
        raise error.with_operand(operand=1, dim=None if error.dim is None else error.dim - 2) from None
    return shape_of((*(batch.raw or ()), left[-2], right[-1]))


def _flips(transpose_a: bool, transpose_b: bool, adjoint_a: bool, adjoint_b: bool, *hints: bool) -> tuple[bool, bool]:
    """Whether the last two dimensions of a, and those of b, are transposed."""
    for label, transpose, adjoint in (("a", transpose_a, adjoint_a), ("b", transpose_b, adjoint_b)):
        if transpose and adjoint:
            raise ValueRuleError(f"Only one of `transpose_{label}` and `adjoint_{label}` can be True.")
    return transpose_a or adjoint_a, transpose_b or adjoint_b


def _matrix_dims(tensor: Tensor, operand: int, flip: bool, plain: bool) -> tuple[Dim, ...] | None:
    """The dimensions of an operand as they are multiplied; None for unknown rank."""
    dims = tensor.shape.raw
    if dims is None:
        return None
    if len(dims) < 2:
        rule = "Shape must be rank 2" if plain else "Shape must be at least rank 2"
        raise ShapeError(
            f"{rule} but is rank {len(dims)}",
            operand=operand,
            cure="Write tf.expand_dims(v, 0) for a row, tf.expand_dims(v, 1) for a column.",
        )
    return (*dims[:-2], dims[-1], dims[-2]) if flip else dims


def _axes(a: Tensor, b: Tensor, *flags: bool) -> Axes | None:
    batches = broadcast_labels([a, b])
    if batches is None:
        return None
    (of_a, of_b), both = batches
    flip_a, flip_b = _flips(*flags)
    left, right = (["k", "i"] if flip_a else ["i", "k"]), (["j", "k"] if flip_b else ["k", "j"])
    return [[*of_a[:-2], *left], [*of_b[:-2], *right]], [[*both[:-2], "i", "j"]]


def matrix_product(xp: Any, a: Any, b: Any) -> Any:
    """The product of batches of matrices, in the dtype of the operands."""
    if a.dtype.itemsize == 2 and a.dtype.kind not in "iu":
        return _times(xp, a.astype(np.float32), b.astype(np.float32)).astype(a.dtype)
    if a.dtype.kind in "iu" and _is_exact_in_float64(a, b):
        # NumPy has no fast loop for ints: 512 x 512 int32 take 3 ms this way instead of 166.
        return _times(xp, a.astype(np.float64), b.astype(np.float64)).astype(a.dtype)
    return _times(xp, a, b)


def _times(xp: Any, a: Any, b: Any) -> Any:
    return hooks.product(a, b) if xp is np else xp.matmul(a, b)


def _is_exact_in_float64(a: Any, b: Any) -> bool:
    """True if no sum of products of these ints can leave the integers that float64 holds exactly or their own dtype."""
    inner = a.shape[-1]
    if a.size < 4096 or b.size < 4096:
        return False
    bound = min(1 << 53, int(np.iinfo(a.dtype).max))
    return bool(_largest(a) * _largest(b) * inner <= bound)


def _largest(array: Any) -> int:
    return max(int(array.max()), -int(array.min()))


def _turned(xp: Any, array: Any, transpose: bool, adjoint: bool) -> Any:
    # BLAS sums in an order that depends on strides: row-major operands give the same bits for every layout.
    array = xp.ascontiguousarray(array)
    if adjoint and array.dtype.kind == "c":
        array = xp.conj(array)
    return array.swapaxes(-1, -2) if transpose or adjoint else array


@matmul.kernel
def matmul_kernel(
    xp: Any, a: Any, b: Any, transpose_a: bool, transpose_b: bool, adjoint_a: bool, adjoint_b: bool, *_: bool
) -> Any:
    for i, array in enumerate((a, b)):
        if array.ndim < 2:
            raise InvalidArgumentError(message=f"In[{i}] ndims must be >= 2: {array.ndim}")
    left, right = _turned(xp, a, transpose_a, adjoint_a), _turned(xp, b, transpose_b, adjoint_b)
    _check_sizes(a, b, left.shape[-1], right.shape[-2])
    return matrix_product(xp, left, right)


def _check_sizes(a: Any, b: Any, columns: int, rows: int) -> None:
    if columns != rows:
        raise InvalidArgumentError(
            message=f"Matrix size-incompatible: In[0]: {listed(a.shape)}, In[1]: {listed(b.shape)}: "
            f"the inner sizes are {columns} and {rows}"
        )
    pairs = zip(reversed(a.shape[:-2]), reversed(b.shape[:-2]), strict=False)
    if any(x != y and 1 not in (x, y) for x, y in pairs):
        raise InvalidArgumentError(
            message=f"In[0] and In[1] must have compatible batch dimensions: {listed(a.shape)} vs. {listed(b.shape)}"
        )


@matmul.fails
def matmul_fails(a: Tensor, b: Tensor, *flags: bool) -> str | None:
    flip_a, flip_b = _flips(*flags)
    left, right = _matrix_dims(a, 0, flip_a, False), _matrix_dims(b, 1, flip_b, False)
    if left is None or right is None or left[-1] != right[-2] or broadcast_of([left[:-2], right[:-2]]) is None:
        return "whether the sizes of the matrices fit is not known before the run"
    return None


matmul.distributes(labelled(_axes, "sum"))


@matmul.flops  # a product and a sum for each of the inner elements of each element of the result
def matmul_flops(a: Shape, b: Shape, *flags: bool) -> int:
    flip_a, flip_b = _flips(*flags)
    rows, inner = (a[-1], a[-2]) if flip_a else (a[-2], a[-1])
    return 2 * prod(np.broadcast_shapes(a[:-2], b[:-2])) * rows * inner * (b[-2] if flip_b else b[-1])


@matmul.gradient("a: g @ adjoint(b); b: adjoint(a) @ g; summed over repeated batches")
def matmul_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    a, b = op.inputs
    of_a, of_b = (_Flip.of(op.args[2 + place], op.args[4 + place]) for place in (0, 1))

    def for_a() -> Tensor:
        if of_a is _Flip.NONE:
            return _sum_batches(ops, op, 0, _product(ops, g, _Flip.NONE, b, _ADJOINT_OF[of_b]))
        if of_a is _Flip.ADJOINT:
            return _sum_batches(ops, op, 0, _product(ops, b, of_b, g, _Flip.ADJOINT))
        return _sum_batches(ops, op, 0, _product(ops, b, _CONJUGATE_OF[of_b], g, _Flip.TRANSPOSE))

    def for_b() -> Tensor:
        if of_b is _Flip.NONE:
            return _sum_batches(ops, op, 1, _product(ops, a, _ADJOINT_OF[of_a], g, _Flip.NONE))
        if of_b is _Flip.ADJOINT:
            return _sum_batches(ops, op, 1, _product(ops, g, _Flip.ADJOINT, a, of_a))
        return _sum_batches(ops, op, 1, _product(ops, g, _Flip.TRANSPOSE, a, _CONJUGATE_OF[of_a]))

    return [for_a, for_b]


class _Flip(Enum):
    """What is done to an operand before it is multiplied."""

    NONE = "as it is"
    TRANSPOSE = "transposed"
    ADJOINT = "transposed and conjugated"
    CONJUGATE = "conjugated"

    @classmethod
    def of(cls, transpose: bool, adjoint: bool) -> _Flip:
        return cls.TRANSPOSE if transpose else cls.ADJOINT if adjoint else cls.NONE


_ADJOINT_OF = {_Flip.NONE: _Flip.ADJOINT, _Flip.TRANSPOSE: _Flip.CONJUGATE, _Flip.ADJOINT: _Flip.NONE}
_CONJUGATE_OF = {_Flip.NONE: _Flip.CONJUGATE, _Flip.TRANSPOSE: _Flip.ADJOINT, _Flip.ADJOINT: _Flip.TRANSPOSE}


def _product(ops: Any, left: Tensor, flip_left: _Flip, right: Tensor, flip_right: _Flip) -> Tensor:
    """The product of two flipped operands. Of real numbers the adjoint is called transposed, as users write it."""
    flags: dict[str, Any] = {}
    operands: list[Tensor] = []
    for label, operand, flip in (("a", left, flip_left), ("b", right, flip_right)):
        operands.append(ops.conj(operand) if flip is _Flip.CONJUGATE else operand)
        if flip in (_Flip.TRANSPOSE, _Flip.ADJOINT):
            is_adjoint = flip is _Flip.ADJOINT and operand.dtype.is_complex
            flags[f"{'adjoint' if is_adjoint else 'transpose'}_{label}"] = True
    return matmul(operands[0], operands[1], **flags)


def _sum_batches(ops: Any, op: Operation, place: int, g: Tensor) -> Tensor:
    """`g` summed over the batches for which operand number `place` was repeated."""
    operand, result = op.inputs[place].shape.raw, op.outputs[0].shape.raw
    axes = None if operand is None or result is None else repeated_axes(operand[:-2], result[:-2])
    if axes == []:
        return g
    if axes is None:
        batches = [ops.shape(each)[:-2] for each in op.inputs]
        axes = ops.broadcast_gradient_args(*batches)[place]
    return ops.reshape(ops.reduce_sum(g, axes), ops.shape(op.inputs[place]))


@matmul.samples
def matmul_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"), rng.random((3, 4)).astype("f4"))
    yield sample(rng.random((3, 2)), rng.random((4, 3)), transpose_a=True, transpose_b=True)
    yield sample(rng.random((2, 1, 2, 3)), rng.random((5, 3, 1)))
    yield sample(rng.integers(-5, 5, (2, 3)).astype("i4"), rng.integers(-5, 5, (3, 2)).astype("i4"))
    yield sample(np.array([[1 + 2j, 3]], "c8"), np.array([[1j, 2]], "c8"), adjoint_b=True)
    yield sample(np.zeros((2, 0), "f4"), np.zeros((0, 3), "f4"))
    yield sample(np.zeros((0, 2, 3), "f8"), np.zeros((3, 2), "f8"))
