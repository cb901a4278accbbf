"""`wrap` and `unwrap`: a tensor of any shape as one element of dtype `variant`, and back.

Tensors of different shapes become elements of one variant tensor in this way. The backward pass of a loop keeps values
whose shape changes from one iteration to the next so.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import EVERYTHING, Attr, Operand, T, TensorLike, Variant
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import DType, as_dtype, variant
from ...graph.shapes.shape import ShapeLike, TensorShape, as_shape, unknown_rank
from ..declare.failure_rules import never
from ..declare.shape_checks import listed, shape_of_scalar
from .array_elements import IN_A_RUN, boxed, content_of, fits, sizes_text, zeros_of

DTypeAttr = Annotated[DType | str | type, Attr(as_dtype)]
ShapeAttr = Annotated[ShapeLike, Attr(as_shape)]
Wrapped = Annotated[TensorLike, Operand("T", EVERYTHING)]


@op("WrapVariant", out=variant, host_only=True, effects=IN_A_RUN, shape=shape_of_scalar, fails=never)
def wrap(value: Wrapped, name: str | None = None) -> Tensor:
    """A scalar of dtype `variant` that holds a copy of `value`, which may be of variants itself."""


@wrap.kernel
def wrap_kernel(xp: Any, value: Any) -> Any:
    return boxed(np.array(value))


def sizes_of_tensor(ops: Any, value: Tensor) -> Tensor:
    """The shape of a tensor as an int32 vector: a constant if it is known, so that a loop need not save the tensor."""
    sizes = value.shape
    return ops.constant(sizes.as_list(), "int32") if sizes.is_known else ops.shape(value)


@wrap.gradient("unwrap(g), zeros where g holds nothing")
def wrap_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    (value,) = op.inputs
    return [lambda: unwrap_or_zeros(g, sizes_of_tensor(ops, value), value.dtype, value.shape)]


@wrap.samples
def wrap_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"))
    yield sample(np.array(b"a", object))
    yield sample(np.zeros((0, 2), "i8"))


@op("UnwrapVariant", out="dtype", host_only=True, fresh=False, effects=IN_A_RUN, ranks={"value": 0})
def unwrap(value: Variant, dtype: DTypeAttr, shape: ShapeAttr = None, name: str | None = None) -> Tensor:
    """The tensor that a scalar of dtype `variant` holds; of `dtype`, and of a shape that fits `shape`."""


@unwrap.shape
def unwrap_shape(value: Tensor, dtype: DType, shape: TensorShape) -> TensorShape:
    return explained(shape, value)


def explained(shape: TensorShape, value: Tensor) -> TensorShape:
    """What is known of the shape of something that a variant holds, with a reason where not even the rank is."""
    if shape.raw is None and shape.why is None:
        return unknown_rank("only the run knows what the variant holds", value)
    return shape


@unwrap.kernel
def unwrap_kernel(xp: Any, value: Any, dtype: DType, shape: TensorShape) -> Any:
    return _held(content_of(value), dtype, shape)


def _held(content: Any, dtype: DType, shape: TensorShape) -> Any:
    if not isinstance(content, np.ndarray):
        raise InvalidArgumentError(message=f"the variant holds {'nothing' if content is None else content}, not a "
                                           f"tensor of {dtype.name}")  # fmt: skip
    sizes = static_sizes(shape)
    if content.shape == (0,) and content.dtype == dtype.np and sizes and sizes[0] in (None, 0):
        # Rows of a loop that ran no iteration: where a feed hides the rank of a row, the loop could not know it.
        return np.zeros((0, *[size or 0 for size in sizes[1:]]), dtype.np)
    if content.dtype != dtype.np or not fits(content.shape, sizes):
        raise InvalidArgumentError(
            message=f"the variant holds an array of {content.dtype} {listed(content.shape)}; expected {dtype.name} "
            f"{sizes_text(sizes)}"
        )
    return content


def static_sizes(shape: TensorShape) -> tuple[int | None, ...] | None:
    """The sizes of a static shape that a kernel can compare: names and expressions count as unknown."""
    dims = shape.raw
    return None if dims is None else tuple([dim if isinstance(dim, int) else None for dim in dims])


@unwrap.gradient("wrap(g)")
def unwrap_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [lambda: wrap(g)]


@unwrap.samples
def unwrap_samples(rng: np.random.Generator) -> Samples:
    yield sample(boxed(rng.random((2, 3)).astype("f4")), "float32")
    yield sample(boxed(np.array([1, 2])), "int64", [2])


@op("NoVariant", out=variant, host_only=True, effects=IN_A_RUN, fails=never)
def no_variant(shape: ShapeAttr = (), name: str | None = None) -> Tensor:
    """Variants that hold nothing: as gradients, zeros. The shape is one of known sizes."""


@no_variant.shape
def no_variant_shape(shape: TensorShape) -> TensorShape:
    return shape


@no_variant.kernel
def no_variant_kernel(xp: Any, shape: TensorShape) -> Any:
    return np.empty(shape.as_list(), variant.np)


@no_variant.samples
def no_variant_samples(rng: np.random.Generator) -> Samples:
    yield sample()
    yield sample([2, 3])


@op("UnwrapVariantOrZeros", out="dtype", host_only=True, fresh=False, effects=IN_A_RUN)
def unwrap_or_zeros(
    value: Variant, sizes: T, dtype: DTypeAttr, shape: ShapeAttr = None, name: str | None = None
) -> Tensor:
    """As `unwrap`; zeros of the shape `sizes`, an int vector, where the variant holds nothing."""


@unwrap_or_zeros.shape
def unwrap_or_zeros_shape(value: Tensor, sizes: Tensor, dtype: DType, shape: TensorShape) -> TensorShape:
    return explained(shape, value)


@unwrap_or_zeros.kernel
def unwrap_or_zeros_kernel(xp: Any, value: Any, sizes: Any, dtype: DType, shape: TensorShape) -> Any:
    content = content_of(value)
    return zeros_of(sizes, dtype.np) if content is None else _held(content, dtype, shape)


@unwrap_or_zeros.gradient("value: wrap(g)")
def unwrap_or_zeros_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [lambda: wrap(g), None]


@unwrap_or_zeros.samples
def unwrap_or_zeros_samples(rng: np.random.Generator) -> Samples:
    yield sample(boxed(rng.random((2, 3)).astype("f4")), np.array([2, 3], "i4"), "float32", [2, 3])
    yield sample(boxed(None), np.array([2, 0], "i4"), "float64")
    yield sample(boxed(None), np.array([], "i4"), "float64")
