"""lgamma, digamma, polygamma, zeta, igamma, igammac, betainc and lbeta.

All are computed in float64 and rounded once.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.declare.op_cost import TRANSCENDENTAL
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import FLOATS, Operand, TensorLike, bits_of
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import float32, float64
from ...graph.shapes.shape import TensorShape, broadcast
from ..create.constant_and_placeholder import convert_to_tensor
from ..declare.composite import composite, name_of_scope
from ..declare.elementwise_decl import binary, unary
from ..declare.elementwise_gradient import sum_to_operand
from ..declare.shape_checks import listed
from ..elementwise.arithmetic import subtract
from ..reduce.reductions import reduce_sum
from . import gamma_kernels, incomplete_kernels
from .gamma_kernels import in_float64

PUBLIC_NAMES = {"tf math": "betainc digamma igamma igammac lbeta lgamma polygamma zeta", "math": "igamma_grad_a"}

WIDE = bits_of(float32, float64)
_COST = 10 * TRANSCENDENTAL

lgamma = unary("lgamma", "Lgamma", FLOATS, "log(|gamma(x)|), where gamma(n) = (n - 1)! for whole n. Infinite at 0, -1, "
               "-2 ...", kernel=in_float64(gamma_kernels.lgamma), flops=_COST, at=(0.5, -1.5, 2.0, 7.5),
               gradient="g * digamma(x)",
               example=("tf.lgamma([1.0, 5.0])", "[0.        3.1780539]"), branches=FLOATS)  # fmt: skip
digamma = unary("digamma", "Digamma", FLOATS, "The derivative of lgamma. NaN at 0, -1, -2 ...",
                kernel=in_float64(gamma_kernels.digamma), flops=_COST, at=(0.5, -1.5, 2.0, 7.5),
                gradient="g * (polygamma(ones_like(x), x) if x.dtype.size > 2 else "
                "cast(polygamma(1.0, cast(x, 'float32')), x.dtype))",
                example=("tf.digamma([1.0, 2.0])", "[-0.5772157   0.42278433]"), branches=FLOATS)  # fmt: skip
polygamma = binary("polygamma", "Polygamma", WIDE, "The derivative of order a of digamma; NaN unless a is 0, 1, 2 ...",
                   kernel=in_float64(gamma_kernels.polygamma), flops=_COST, operands=("a", "x"),
                   left=(0.0, 1.0, 2.0, 3.0), right=(0.5, 1.5, 2.0, 7.5),
                   gradient=("", "g * polygamma(a + 1.0, x)"),
                   example=("tf.polygamma([0.0, 1.0], [1.0, 1.0])", "[-0.5772157  1.644934 ]"),
                   gradient_note="as in TensorFlow, by x alone", branches=FLOATS)  # fmt: skip
zeta = binary("zeta", "Zeta", WIDE, "The Hurwitz zeta function: the sum of (q + n)**-x for n = 0, 1, 2 ... NaN for x "
              "below 1, infinite for x = 1.", kernel=in_float64(gamma_kernels.zeta), flops=_COST, operands=("x", "q"),
              left=(1.5, 2.0, 3.0, 4.0), right=(0.5, 1.5, 2.0, 7.5),
              gradient=("", "-g * x * zeta(x + 1.0, q)"),
              example=("tf.zeta([2.0, 4.0], [1.0, 1.0])", "[1.644934  1.0823232]"),
              gradient_note="as in TensorFlow, by q alone", branches=FLOATS)  # fmt: skip

_INCOMPLETE: dict[str, Any] = {
    "flops": _COST, "operands": ("a", "x"), "left": (0.5, 1.5, 2.0, 9.0), "right": (0.25, 3.0, 2.0, 7.5),
    "branches": FLOATS,
}  # fmt: skip
_SLOPE = "g * exp(-x + (a - 1.0) * log(x) - lgamma(a))"

igamma_grad_a = binary("igamma_grad_a", "IgammaGradA", WIDE, "The derivative of igamma(a, x) by a.",
                       kernel=in_float64(incomplete_kernels.igamma_grad_a), **_INCOMPLETE,
                       no_gradient="TensorFlow has none: the derivative of igamma by a is not differentiated again",
                       example=("tf.math.igamma_grad_a(1.0, 1.0)", "-0.4317297"))  # fmt: skip
igamma = binary("igamma", "Igamma", WIDE, "The lower incomplete gamma function: the integral of t**(a-1) exp(-t) from "
                "0 to x, over gamma(a).", kernel=in_float64(incomplete_kernels.igamma), **_INCOMPLETE,
                gradient=("g * igamma_grad_a(a, x)", _SLOPE),
                example=("tf.igamma([1.0, 2.0], [1.0, 1.0])", "[0.63212055 0.26424113]"))  # fmt: skip
igammac = binary("igammac", "Igammac", WIDE, "The upper incomplete gamma function: 1 - igamma(a, x).",
                 kernel=in_float64(incomplete_kernels.igammac), **_INCOMPLETE,
                 gradient=("-g * igamma_grad_a(a, x)", f"-{_SLOPE}"),
                 example=("tf.igammac([1.0, 2.0], [1.0, 1.0])", "[0.36787945 0.7357589 ]"))  # fmt: skip

# ---- betainc ------------------------------------------------------------------------------------

_Wide = Annotated[TensorLike, Operand("T", WIDE)]


@op("Betainc", graphdef="T=a ->z", gradient_note="as in TensorFlow, by x alone")
def betainc(a: _Wide, b: _Wide, x: _Wide, name: str | None = None) -> Tensor:
    """The incomplete beta function: the integral of t**(a-1) (1-t)**(b-1) from 0 to x, over that from 0 to 1.

    Args:
        a, b, x: float32 or float64; one dtype, shapes that broadcast. NaN unless a and b are above 0 and x in [0, 1].

    Returns:
        A tensor with the broadcast shape of the operands and their dtype.

    Raises:
        TypeError: another dtype, or two dtypes.
        ValueError: the shapes do not broadcast.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.betainc(1.0, 2.0, [0.0, 0.5, 1.0])))
    [0.   0.75 1.  ]

    Source: TensorFlow 1.x, `tf.betainc`.
    """


@betainc.shape
def betainc_shape(a: Tensor, b: Tensor, x: Tensor) -> TensorShape:
    return broadcast(broadcast(a.shape, b.shape, b), x.shape, x)


@betainc.kernel
def betainc_kernel(xp: Any, a: Any, b: Any, x: Any) -> Any:
    try:
        return in_float64(incomplete_kernels.betainc)(xp, a, b, x)
    except ValueError:
        raise InvalidArgumentError(message="Shapes of a, b and x do not broadcast: "
                                   f"{listed(a.shape)}, {listed(b.shape)} and {listed(x.shape)}") from None  # fmt: skip


@betainc.fails
def betainc_fails(a: Tensor, b: Tensor, x: Tensor) -> str | None:
    known = all(each.shape.is_fully_defined() for each in (a, b, x))
    return None if known else "whether the shapes broadcast is not known before the run"


@betainc.gradient("x: g * x**(a-1) * (1-x)**(b-1) / beta(a, b); none for a and b")
def betainc_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    a, b, x = op.inputs

    def of_x() -> Tensor:
        size = ops.lgamma(a) + ops.lgamma(b) - ops.lgamma(a + b)
        slope = g * ops.exp((b - 1.0) * ops.log1p(-x) + (a - 1.0) * ops.log(x) - size)
        return sum_to_operand(ops, slope, op, 2)

    return [None, None, of_x]


@betainc.samples
def betainc_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array([0.5, 2.0], "f4"), np.array([1.5, 3.0], "f4"), np.array([0.25, 0.75], "f4"))
    yield sample(np.array([[0.5], [2.0]]), np.array(1.5), np.array([0.25, 0.75, 1.0]))
    yield sample(np.zeros((0,)), np.array(1.0), np.array(0.5))


@composite("lbeta")
def lbeta(x: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the beta function of the entries along the last axis: sum(lgamma(x)) - lgamma(sum(x)).

    Args:
        x: floats, rank 1 or higher.

    Returns:
        A tensor of shape x.shape[:-1] with the dtype of `x`.

    Raises:
        TypeError: `x` has another dtype.
        ValueError: `x` is a scalar.
        InvalidArgumentError (when run): the same.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.lbeta([[1.0, 1.0], [2.0, 2.0]])))
    [ 0.        -1.7917595]

    Source: TensorFlow 1.x, `tf.lbeta`.
    """
    given = convert_to_tensor(x)
    return subtract(reduce_sum(lgamma(given), [-1]), lgamma(reduce_sum(given, [-1])), name_of_scope())
