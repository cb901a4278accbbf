"""Elementwise arithmetic: sums, products, quotients, powers, extremes and signs.

Ints wrap around as two's complement does; only a division by zero and a negative power of ints are errors. Division of
ints rounds towards minus infinity, so that `floordiv(x, y) * y + mod(x, y) = x`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod
from typing import Annotated, Any

import numpy as np

from ...errors import DTypeError, InvalidArgumentError, ValueRuleError
from ...graph.building.convert import first_tensor
from ...graph.common.hooks import hooks
from ...graph.declare import signature
from ...graph.declare.axis_labels import Axes, labelled
from ...graph.declare.op_cost import TRANSCENDENTAL
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import COMPLEX, FLOATS, INTEGERS, NUMBERS, REALS, STRING, Operand, TensorLike, bits_of
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import Dimension
from ...graph.shapes.dtypes import as_dtype, bool_, float32, float64, int32, int64
from ...graph.shapes.literal import literal
from ...graph.shapes.shape import TensorShape
from ..control.control import identity
from ..create.constant_and_placeholder import convert_to_tensor
from ..declare.composite import all_or_nothing, reported_as_call
from ..declare.elementwise_decl import binary, entrywise, rounded_once, unary
from ..declare.shape_checks import merge_all
from .casting import cast
from .logical import logical_and

PUBLIC_NAMES = {
    "tf": "complex_abs=abs inv=reciprocal",
    "start math": (
        "abs add add_n divide floordiv floormod maximum minimum mod multiply negative pow reciprocal rsqrt sign "
        "sqrt square squared_difference subtract truediv"
    ),
    "start": "div floor_div mul neg sub",
}

INEXACT = FLOATS | COMPLEX
SIGNED = signature.SIGNED_INTEGERS | INEXACT

# ---- sum, difference, product -------------------------------------------------------------------

add = binary("add", "Add", NUMBERS | STRING, "x + y; strings are concatenated.", ufunc="add", operator="add",
             numpy=np.add, commutative=True, additive="sum",
             gradient=("g", "g"),
             example=("tf.add([1, 2], [[10], [20]])", "[[11 12]\n [21 22]]"), graphdef=None)  # fmt: skip
subtract = sub = binary("subtract", "Sub", NUMBERS, "x - y.", ufunc="subtract", operator="sub", numpy=np.subtract,
                        additive="linear", gradient=("g", "-g"),
                        example=("tf.subtract([5, 7], 2)", "[3 5]"))  # fmt: skip
# NumPy multiplies complex numbers with fused instructions where they lie forwards, and without them backwards.
multiply = mul = binary("multiply", "Mul", NUMBERS, "x * y.", ufunc="multiply", commutative=True, staged=COMPLEX,
                        gradient=("g * conj(y)", "g * conj(x)"),
                        example=("tf.multiply([1, 2, 3], 2)", "[2 4 6]"))  # fmt: skip
negative = neg = unary("negative", "Neg", SIGNED, "-x. The smallest int of a dtype stays itself.", ufunc="negative",
                       numpy=np.negative, additive="linear", gradient="-g",
                       example=("tf.negative([1, -2])", "[-1  2]"))  # fmt: skip
square = unary("square", "Square", NUMBERS, "x * x.", ufunc="square", numpy=np.square, staged=COMPLEX,
               gradient="g * (2.0 * conj(x))",
               example=("tf.square([-3, 1])", "[9 1]"))  # fmt: skip


def _squared_difference(xp: Any, x: Any, y: Any) -> Any:
    difference = x - y
    if difference.dtype.kind != "c":
        return difference * difference
    # Times its conjugate is the same, but fused multiplications leave an imaginary part of rounding errors.
    return (xp.square(difference.real) + xp.square(difference.imag)).astype(difference.dtype)


squared_difference = binary("squared_difference", "SquaredDifference", INEXACT | bits_of(int32, int64),
                            "(x - y)**2; of complex numbers |x - y|**2.", kernel=_squared_difference, commutative=True,
                            flops=2,
                            gradient=("2.0 * g * (x - y)", "2.0 * g * (y - x)"),
                            example=("tf.squared_difference([1.0, 5.0], 3.0)", "[4. 4.]"),
                            gradient_note="of complex operands TensorFlow's is not that of |x - y|**2")  # fmt: skip


add.partial(entrywise(lambda a, b: a + b))
subtract.partial(entrywise(lambda a, b: a - b))
multiply.partial(entrywise(lambda a, b: a * b if isinstance(a, int) or isinstance(b, int) else None))


def _product(x: Tensor, y: Any) -> Tensor:
    """`x * y`; the product of bools is "and", as in NumPy."""
    return logical_and(x, y, "mul") if x.dtype is bool_ else multiply(x, y, "mul")


hooks.operators["mul"] = hooks.numpy_functions[np.multiply] = _product
hooks.operators["neg"] = negative


@op("AddN", graphdef="N=#inputs T=inputs ->sum", additive="sum")
def add_n(inputs: Annotated[Sequence[TensorLike], Operand("T", NUMBERS, many=True)], name: str | None = None) -> Tensor:
    """The sum of the tensors in `inputs`, element by element: inputs[0] + inputs[1] + ...

    Args:
        inputs: a list of at least one tensor; numbers of one dtype, all of one shape (they do not broadcast).

    Returns:
        A tensor with the shape and dtype of each input. A single input is returned as it is.

    Raises:
        TypeError: the dtypes differ or are not numbers.
        ValueError: the list is empty, or the shapes differ.
        InvalidArgumentError (when run): the shapes differ.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.add_n([[1, 2], [10, 20], [100, 200]])))
    [111 222]

    Source: TensorFlow 1.x, `tf.add_n`.
    """


@add_n.prepare
def add_n_prepare(inputs: Any, name: str | None) -> Any:
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueRuleError("inputs must be a list of at least one Tensor with the same dtype and shape")
    if len(inputs) > 1:
        return (inputs,)
    alone = convert_to_tensor(inputs[0])
    return alone if name is None else identity(alone, name)  # which is there to be found by its name


@add_n.shape
def add_n_shape(inputs: tuple[Tensor, ...]) -> TensorShape:
    return merge_all([t.shape for t in inputs], cure="add(x, y) broadcasts.")


@add_n.kernel
def add_n_kernel(xp: Any, inputs: list[Any]) -> Any:
    _check_equal_shapes(inputs)
    return reduce(xp.add, inputs)


def _check_equal_shapes(inputs: list[Any]) -> None:
    for i, array in enumerate(inputs):
        if array.shape != inputs[0].shape:
            shapes = f"Input 0: {list(inputs[0].shape)} != input {i}: {list(array.shape)}"
            raise InvalidArgumentError(
                message=f"Inputs to operation AddN of type AddN must have the same size and shape.  {shapes}"
            )


add_n.flops(lambda inputs: (len(inputs) - 1) * prod(inputs[0]))


@add_n.distributes
@labelled
def add_n_distributes(inputs: tuple[Tensor, ...]) -> Axes | None:
    rank = next((each.shape.ndims for each in inputs if each.shape.ndims is not None), None)
    return None if rank is None else ([range(rank)] * len(inputs), [range(rank)])


@add_n.gradient("g for each input", takes_slices=True)
def add_n_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [g] * len(op.inputs)


@add_n.samples
def add_n_samples(rng: np.random.Generator) -> Samples:
    x = rng.random((2, 3)).astype("f4")
    yield sample([x, x, 2 * x])
    yield sample([np.array([1, 2], "i4"), np.array([3, 4], "i4")])
    yield sample([np.zeros((0, 2), "f8")] * 2)


# ---- division -----------------------------------------------------------------------------------

truediv = binary(
    "truediv", "RealDiv", INEXACT,
    "x / y. Ints are cast first: those of 8 and 16 bits to float32, wider ones to float64; so x / 0 is an infinity or\n"
    "NaN, not an error.", ufunc="true_divide", operator="truediv", numpy=np.true_divide,
    node="truediv", takes=INTEGERS, gradient=("g / conj(y)", "g * conj(-x / y / y)"),
    example=("tf.truediv([7, -7], 2)", "[ 3.5 -3.5]"),
)  # fmt: skip


@truediv.prepare
def truediv_prepare(x: Any, y: Any, name: str | None) -> tuple[Any, Any]:
    left, right = (x, y) if isinstance(x, Tensor) and isinstance(y, Tensor) else _literals(x, y)
    dtype, other = as_dtype(left.dtype), as_dtype(right.dtype)
    if dtype is not other:
        cure = f"tf.cast(x, {other!r})" if dtype.is_integer and not other.is_integer else f"tf.cast(y, {dtype!r})"
        raise DTypeError(f"`x` and `y` must have the same dtype, got {dtype!r} != {other!r}", operand=1,
                         cure=f"Write {cure} if that is meant.")  # fmt: skip
    if not dtype.is_numeric:
        raise DTypeError(f"Invalid dtype {dtype!r} in __truediv__. Expected one of ints, floats, complex", operand=0)
    if not dtype.is_integer:
        return left, right
    wide = float32 if dtype.size <= 2 else float64
    return cast(left, wide), cast(right, wide)


def _literals(x: Any, y: Any) -> tuple[Any, Any]:
    """Tensors unchanged; Python values as arrays, `y` with the dtype of `x` if possible."""
    left = x if isinstance(x, Tensor) else convert_to_tensor(x) if first_tensor(x) is not None else literal(x)
    if isinstance(y, Tensor):
        return left, y
    if first_tensor(y) is not None:
        return left, convert_to_tensor(y)
    try:
        return left, literal(y, as_dtype(left.dtype))
    except DTypeError:
        return left, literal(y)


def checked_quotient(quotient: Any, y: Any) -> Any:
    """NumPy gives 0 for an int divided by zero."""
    if quotient.size and not y.all():
        raise InvalidArgumentError(message="Integer division by zero")
    return quotient


def _floor_divide(xp: Any, x: Any, y: Any) -> Any:
    if x.dtype.kind in "iu":
        return checked_quotient(xp.floor_divide(x, y), y)
    # Not NumPy's floor_divide, which has inf // 1 = nan and -1 // inf = -1 where the floor of the quotient differs.
    return xp.floor(xp.true_divide(x, y))


def _modulo(xp: Any, x: Any, y: Any) -> Any:
    remainder = xp.remainder(x, y)
    return checked_quotient(remainder, y) if x.dtype.kind in "iu" else remainder


floordiv = floor_div = binary(
    "floordiv", "FloorDiv", REALS, "floor(x / y): rounds towards minus infinity.", fails="an int is divided by zero",
    kernel=_floor_divide, node="floordiv", operator="floordiv", numpy=np.floor_divide, can_fail=INTEGERS,
    zero_fails=1,
    no_gradient="it is constant between whole numbers",
    example=("tf.floordiv([7, -7], [2, 2])", "[ 3 -4]"),
)  # fmt: skip
floormod = mod = binary(
    "floormod", "FloorMod", REALS, "x - floordiv(x, y) * y, the remainder of that division; it has the sign of y.",
    fails="an int is divided by zero", kernel=_modulo, operator="mod", numpy=np.remainder, can_fail=INTEGERS,
    zero_fails=1,
    gradient=("g", "-g * floordiv(x, y)"),
    example=("tf.mod([7, -7], [-2, 2])", "[-1  1]"), branches=signature.HALVES,
)  # fmt: skip


# The scalar kernel of the compiled tier; its caller has checked the divisors for zeros.
@floordiv.kernel_for("scalar")
def floordiv_scalar_kernel(xp: Any, x: Any, y: Any) -> Any:
    return xp.floor_divide(x, y) if x.dtype.kind in "iu" else xp.floor(xp.true_divide(x, y))


@floormod.kernel_for("scalar")
def floormod_scalar_kernel(xp: Any, x: Any, y: Any) -> Any:
    return xp.remainder(x, y)


@floormod.kernel_for("cupy")  # CuPy's is x - floor(x / y) * y: nan for y = inf, and no digits left where x / y is large
def floormod_cupy_kernel(xp: Any, x: Any, y: Any) -> Any:
    if x.dtype.kind in "iu":
        return _modulo(xp, x, y)
    rest = xp.fmod(x, y)
    turned = xp.where((rest < 0) != (y < 0), rest + y, rest)
    return xp.where(rest == 0, xp.copysign(rest, y), turned)


floordiv.partial(entrywise(lambda a, b: a // b if isinstance(a, int) and isinstance(b, int) else _quotient(a, b)))


def _quotient(a: Any, b: Any) -> Any:
    """The quotient of two sizes, if it is exact and a size: (2*n) // 2 is n, but n // -1 is -n, which is not a size."""
    return a.divided(b) if isinstance(a, Dimension) else None


@reported_as_call(one_op=True)
def divide(x: TensorLike, y: TensorLike, name: str | None = "truediv") -> Tensor:
    """x / y. Unlike `truediv`, a Python value on either side takes the dtype of the tensor on the other side.

    Args:
        x, y: ints, floats and complex numbers; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and their dtype. Ints give float32 or float64, as in `truediv`.

    Raises:
        TypeError: the dtypes differ, or are not numbers.
        ValueError: the shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.divide(2, tf.constant([4.0, 8.0]))))
    [0.5  0.25]

    Source: TensorFlow, `tf.divide`.
    """
    if not isinstance(y, Tensor) or isinstance(x, Tensor):
        return truediv(x, y, name)
    return all_or_nothing((x, y), lambda: truediv(convert_to_tensor(x, y.dtype), y, name))


@reported_as_call(one_op=True)
def div(x: TensorLike, y: TensorLike, name: str | None = "div") -> Tensor:
    """x / y in the dtype of `x`: `floordiv` of ints, `truediv` of floats and complex numbers.

    Args:
        x, y: ints, floats and complex numbers; both of one dtype, shapes that broadcast.

    Returns:
        A tensor with the broadcast shape of `x` and `y` and the dtype of `x`.

    Raises:
        TypeError: `x` is not a number, or `y` is a Python value that does not fit the dtype of `x`.
        ValueError: `y` is a tensor of another dtype, or the shapes do not broadcast.
        InvalidArgumentError (when run): the shapes do not broadcast, or an int is divided by zero.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run([tf.div(7, 2), tf.div(7.0, 2)]))
    [np.int32(3), np.float32(3.5)]

    Source: TensorFlow 1.x, `tf.div`.
    """

    def divided() -> Tensor:
        left = convert_to_tensor(x)
        right = convert_to_tensor(y, left.dtype)
        divide_kind = truediv if left.dtype.is_floating or left.dtype.is_complex else floordiv
        return divide_kind(left, right, name)

    return all_or_nothing((x, y), divided)


# ---- powers -------------------------------------------------------------------------------------


def _power(xp: Any, x: Any, y: Any) -> Any:
    if y.dtype.kind == "i" and (y < 0).any() and 0 not in np.broadcast_shapes(x.shape, y.shape):
        raise InvalidArgumentError(message="Integers to negative integer powers are not allowed")
    return xp.power(x, y)


pow = binary("pow", "Pow", SIGNED, "x**y.", fails="an int has a negative power", kernel=_power,
             staged=True, operator="pow", numpy=np.power, right=(2.0, 1.0, 0.0, 3.0), can_fail=INTEGERS,
             flops=2 * TRANSCENDENTAL, branches=INTEGERS | signature.HALVES,
             gradient=("g * conj(y * pow(x, y - 1.0))", "g * conj(out * log_or_zero(x))"),
             example=("tf.pow([2, 3], [[2], [3]])", "[[ 4  9]\n [ 8 27]]"))  # fmt: skip
sqrt = unary("sqrt", "Sqrt", INEXACT, "The square root of x; NaN for a float below zero.", ufunc="sqrt", numpy=np.sqrt,
             at=(0.25, 1.5, 2.0, 0.0), gradient="multiply_no_nan(0.5 / conj(out), g)",
             example=("tf.sqrt([4.0, 2.25])", "[2.  1.5]"))  # fmt: skip
rsqrt = unary("rsqrt", "Rsqrt", INEXACT, "1 / sqrt(x).", kernel=rounded_once(lambda xp, x: xp.reciprocal(xp.sqrt(x))),
              flops=2, at=(0.25, 1.5, 2.0, 1.0), gradient="multiply_no_nan(conj(-0.5 * out * out * out), g)",
              example=("tf.rsqrt([4.0, 0.0])", "[0.5 inf]"))  # fmt: skip
reciprocal = unary("reciprocal", "Reciprocal", INEXACT, "1 / x.", ufunc="reciprocal", numpy=np.reciprocal,
                   at=(0.25, -1.5, 2.0, 1.0), gradient="multiply_no_nan(conj(-out * out), g)",
                   example=("tf.reciprocal([4.0, 0.0])", "[0.25  inf]"))  # fmt: skip

# ---- order and sign -----------------------------------------------------------------------------

maximum = binary("maximum", "Maximum", REALS, "The greater of x and y; NaN where either is NaN.", ufunc="maximum",
                 numpy=np.maximum, commutative=True,
                 gradient=("where(x >= y, g, zeros_like(g))", "where(x >= y, zeros_like(g), g)"),
                 example=("tf.maximum([1.0, 5.0], 3.0)", "[3. 5.]"))  # fmt: skip
minimum = binary("minimum", "Minimum", REALS, "The lesser of x and y; NaN where either is NaN.", ufunc="minimum",
                 numpy=np.minimum, commutative=True,
                 gradient=("where(x <= y, g, zeros_like(g))", "where(x <= y, zeros_like(g), g)"),
                 example=("tf.minimum([1.0, 5.0], 3.0)", "[1. 3.]"))  # fmt: skip
maximum.partial(entrywise(lambda a, b: a if a == b else max(a, b) if isinstance(a + b, int) else None))
minimum.partial(entrywise(lambda a, b: a if a == b else min(a, b) if isinstance(a + b, int) else None))

abs = unary("abs", "Abs", SIGNED, "|x|; of complex numbers a float of half the size. The smallest int stays itself.",
            ufunc="absolute", staged=COMPLEX, out=lambda x: x.dtype.real_dtype, numpy=np.absolute,
            gradient="cast(g, x.dtype) * sign(x)", example=("tf.abs([-1.5, 2.0])", "[1.5 2. ]"),
            graphdef=None)  # fmt: skip


def _sign(xp: Any, x: Any) -> Any:
    # Not the module's function for complex numbers: CuPy's is the sign of the real part, as NumPy's was before version
    # 2.
    if x.dtype.kind != "c":
        return xp.sign(x)
    size = xp.absolute(x)
    size = xp.where(size == 0, size.dtype.type(1), size)
    return x.real / size + 1j * (x.imag / size)


sign = unary("sign", "Sign", SIGNED, "-1 where x < 0, 0 where x = 0, 1 where x > 0; x / |x| if x is complex.",
             gradient="slope_of_sign(x, out, g) if x.dtype.is_complex else zeros_like(g)",
             kernel=_sign, staged=COMPLEX, numpy=np.sign,
             example=("tf.sign([-2, 0, 7])", "[-1  0  1]"))  # fmt: skip


hooks.operators["abs"] = abs


def is_sum(operation: Operation) -> bool:
    """Whether an operation adds up its inputs, none of which is repeated."""
    shapes = [tensor.shape.raw for tensor in operation.inputs]
    return operation.opdef in (add, add_n) and shapes[0] is not None and all(each == shapes[0] for each in shapes)
