"""Copies of a tensor in which slices are added to, subtracted from, or made larger or smaller."""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from ...graph.declare.op_declaration import OpDef, Samples, register, sample
from ...graph.declare.signature import INT32_64, NUMBERS, REALS, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import int32
from ...graph.shapes.shape import TensorShape
from ..declare.shape_checks import listed
from .row_indexing import dims_at_least, flat_index
from .scatter_checks import check_static, check_update

PUBLIC_NAMES = {
    "tf": (
        "tensor_scatter_add=tensor_scatter_nd_add tensor_scatter_max=tensor_scatter_nd_max "
        "tensor_scatter_min=tensor_scatter_nd_min tensor_scatter_nd_add tensor_scatter_nd_max "
        "tensor_scatter_nd_min tensor_scatter_nd_sub tensor_scatter_sub=tensor_scatter_nd_sub"
    ),
}

_DOC = """A copy of `tensor` in which slices are {changed} those of `updates`: {law}.

Where an index vector occurs several times, all of its updates count.

Args:
    tensor: {dtypes}, rank 1 or higher.
    indices: int32 or int64 of shape batch + [K], with 1 <= K <= rank of `tensor`; each vector of K indices lies inside
        tensor.shape[:K].
    updates: the dtype of `tensor`, shape batch + tensor.shape[K:].

Returns:
    A tensor with the shape and dtype of `tensor`.

Raises:
    TypeError: `indices` has another dtype, or `updates` not that of `tensor`.
    ValueError: known shapes do not fit.
    InvalidArgumentError (when run): the shapes do not fit, or an index vector is out of range.

>>> import penstock as tf
>>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
...     print(session.run(tf.{name}([1, 2, 3], [[0], [2], [0]], [5, -4, 1])))
{printed}

Source: TensorFlow 1.x, `tf.{name}`.
"""


class TensorScatterOp(OpDef[..., Tensor]):
    """An op on slices of a copy."""

    if TYPE_CHECKING:

        def __call__(
            self, tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
        ) -> Tensor: ...


def scattering(
    name: str, type: str, ufunc: str, changed: str, sign: str, printed: str, allowed: int
) -> TensorScatterOp:
    """Declare one of them.

    Args:
        name: the function's name. type: the node's. ufunc: the function of NumPy that combines old and new elements.
        changed: words of the docstring. sign: of the law there. printed: what its example prints. allowed: dtypes.
    """

    def function(tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Tensor: ...

    law = f"out[indices[b..., :]] {sign} updates[b..., ...]"
    dtypes = "numbers" if allowed == NUMBERS else "ints or floats"
    function.__doc__ = _DOC.format(name=name, changed=changed, law=law, dtypes=dtypes, printed=printed)
    function.__name__ = function.__qualname__ = name
    function.__module__ = sys._getframe(1).f_globals["__name__"]
    value = Annotated[TensorLike, Operand("T", allowed)]
    places = Annotated[TensorLike, Operand("Tindices", INT32_64, prefer=int32)]
    function.__annotations__ = {
        "tensor": value, "indices": places, "updates": value, "name": str | None, "return": Tensor,
    }  # fmt: skip
    function.__signature__ = inspect.Signature([  # type: ignore[attr-defined]  # what help shows
        p.replace(annotation="str | None" if p.name == "name" else "TensorLike")
        for p in inspect.signature(function).parameters.values()
    ], return_annotation="Tensor")  # fmt: skip
    opdef = TensorScatterOp(type, function, "T", {"graphdef": "T=tensor Tindices=indices"})

    @opdef.shape
    def shape(tensor: Tensor, indices: Tensor, updates: Tensor) -> TensorShape:
        dims_at_least(tensor, 1, 0)
        dims_at_least(indices, 1, 1)
        check_static(tensor.shape, indices, updates, indices_at=1, updates_at=2)
        return tensor.shape

    @opdef.kernel
    def kernel(xp: Any, tensor: Any, indices: Any, updates: Any) -> Any:
        check_update(tensor.shape, indices, updates)
        whole = xp.empty(tensor.shape, tensor.dtype)
        whole[...] = tensor
        if not updates.size:
            return whole
        outer, inner = tensor.shape[: indices.shape[-1]], tensor.shape[indices.shape[-1] :]
        places = flat_index(xp, indices, outer, f"shape {listed(tensor.shape)}")
        getattr(xp, ufunc).at(whole.reshape(-1, *inner), places, updates.reshape(len(places), *inner))
        return whole

    if ufunc in ("add", "subtract"):

        @opdef.gradient(f"tensor: g; updates: {'-' if ufunc == 'subtract' else ''}gather_nd(g, indices)")
        def gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
            picked = ops.gather_nd
            indices = op.inputs[1]
            return [lambda: g, None, lambda: -picked(g, indices) if ufunc == "subtract" else picked(g, indices)]

    else:

        @opdef.gradient("g where an element is the one that stays, in equal parts where several are")
        def gradient_of_extreme(ops: Any, op: Operation, g: Tensor) -> list[Any]:
            (tensor, indices, updates), out = op.inputs, op.outputs[0]

            def shares() -> tuple[Tensor, Tensor, Tensor]:
                own = ops.cast(ops.equal(out, tensor), g.dtype)
                others = ops.cast(ops.equal(updates, ops.gather_nd(out, indices)), g.dtype)
                count = own + ops.scatter_nd(indices, others, ops.cast(ops.shape(tensor), indices.dtype))
                return own, others, g / count

            def of_tensor() -> Tensor:
                own, _, share = shares()
                return own * share

            def of_updates() -> Tensor:
                _, others, share = shares()
                product: Tensor = others * ops.gather_nd(share, indices)
                return product

            return [of_tensor, None, of_updates]

    @opdef.samples
    def samples(rng: np.random.Generator) -> Samples:
        yield sample(np.zeros(8, "i4"), np.array([[4], [3], [4]], "i4"), np.array([9, -10, 11], "i4"))
        yield sample(rng.random((2, 3, 2)), np.array([[[0, 1]], [[1, 2]]], "i8"), rng.random((2, 1, 2)))
        yield sample(np.ones((0, 2)), np.zeros((0, 1), "i4"), np.zeros((0, 2)))

    return register(opdef)


tensor_scatter_nd_add = scattering(
    "tensor_scatter_nd_add", "TensorScatterAdd", "add", "increased by", "+=", "[ 7  2 -1]", NUMBERS)  # fmt: skip
tensor_scatter_nd_sub = scattering(
    "tensor_scatter_nd_sub", "TensorScatterSub", "subtract", "reduced by", "-=", "[-5  2  7]", NUMBERS)  # fmt: skip
tensor_scatter_nd_max = scattering(
    "tensor_scatter_nd_max", "TensorScatterMax", "maximum", "at least", "= max of itself and", "[5 2 3]", REALS,
)  # fmt: skip
tensor_scatter_nd_min = scattering(
    "tensor_scatter_nd_min", "TensorScatterMin", "minimum", "at most", "= min of itself and", "[ 1  2 -4]", REALS,
)  # fmt: skip
