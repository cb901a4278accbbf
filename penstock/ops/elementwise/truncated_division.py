"""Division that rounds towards zero, as C does it: truncatediv, truncatemod; shifts of bits."""

from __future__ import annotations

from typing import Any

from ...graph.declare.signature import FLOATS, HALVES, INTEGERS
from ..declare.elementwise_decl import binary, rounded_once
from .arithmetic import checked_quotient

PUBLIC_NAMES = {"tf": "truncatediv truncatemod", "bitwise": "left_shift right_shift"}


def _truncated_quotient(xp: Any, x: Any, y: Any) -> Any:
    if x.dtype.kind in "iu":
        return _towards_zero(xp, checked_quotient(xp.floor_divide(x, y), y), x, y)
    return xp.trunc(xp.true_divide(x, y))  # of 16-bit floats the quotient is rounded first, as in TensorFlow


def _towards_zero(xp: Any, quotient: Any, x: Any, y: Any) -> Any:
    """The quotient, given the one that is rounded down."""
    if x.dtype.kind == "u":
        return quotient
    inexact = (xp.remainder(x, y) != 0) & ((x < 0) != (y < 0))
    return quotient + inexact.astype(quotient.dtype)


def _truncated_rest(xp: Any, x: Any, y: Any) -> Any:
    rest = xp.fmod(x, y)
    return rest if x.dtype.kind == "f" else checked_quotient(rest, y)


truncatediv = binary(
    "truncatediv", "TruncateDiv", INTEGERS | FLOATS, "x / y rounded towards zero.", fails="an int is divided by zero",
    kernel=_truncated_quotient, can_fail=INTEGERS, zero_fails=1,
    no_gradient="it is constant between whole quotients",
    example=("tf.truncatediv([7, -7], 2)", "[ 3 -3]"), branches=HALVES,
)  # fmt: skip
truncatemod = binary(
    "truncatemod", "TruncateMod", INTEGERS | FLOATS,
    "x - truncatediv(x, y) * y, the remainder of that division; it has the sign of x.",
    fails="an int is divided by zero", kernel=rounded_once(_truncated_rest), can_fail=INTEGERS, zero_fails=1,
    gradient=("g", "-g * sign(x / y) * floor(abs(x / y))"),
    example=("tf.truncatemod([7, -7], 2)", "[ 1 -1]"),
)  # fmt: skip


# The scalar kernels of the compiled tier; its caller has checked the divisors for zeros.
@truncatediv.kernel_for("scalar")
def truncatediv_scalar_kernel(xp: Any, x: Any, y: Any) -> Any:
    if x.dtype.kind in "iu":
        return _towards_zero(xp, xp.floor_divide(x, y), x, y)
    return xp.trunc(xp.true_divide(x, y))


truncatemod.kernel_for("scalar")(rounded_once(lambda xp, x, y: xp.fmod(x, y)))


def _shift(name: str) -> Any:
    """A shift by y, at least 0 and at most the number of bits less 1: others are not defined in C either."""

    def kernel(xp: Any, x: Any, y: Any) -> Any:
        most = y.dtype.type(8 * x.dtype.itemsize - 1)
        return getattr(xp, name)(x, xp.minimum(xp.maximum(y, y.dtype.type(0)), most))

    return kernel


left_shift = binary("left_shift", "LeftShift", INTEGERS, "The bits of x moved up by y places: x * 2**y. y counts as 0 "
                    "if it is negative, and as the number of bits less 1 if it is larger.",
                    kernel=_shift("left_shift"), within="bitwise.", right=(2.0, 1.0, 0.0, 3.0),
                    example=("tf.bitwise.left_shift([1, 3], [3, 1])", "[8 6]"))  # fmt: skip
right_shift = binary("right_shift", "RightShift", INTEGERS, "The bits of x moved down by y places: x / 2**y rounded "
                     "down. y counts as 0 if it is negative, and as the number of bits less 1 if it is larger.",
                     kernel=_shift("right_shift"), within="bitwise.", right=(2.0, 1.0, 0.0, 3.0),
                     example=("tf.bitwise.right_shift([8, -1], [3, 1])", "[ 1 -1]"))  # fmt: skip
