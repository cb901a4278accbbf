"""The ops of summaries: ScalarSummary, HistogramSummary, ImageSummary, TensorSummaryV2, MergeSummary.

Each gives a serialised `Summary` message, a string, which `tf.summary.FileWriter` writes. The functions that users call
(`tf.summary.scalar` ...) are in `penstock/summary`, and so is the code of the kernels, which is imported when one runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.common.hooks import hooks
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import ANY, FLOATS, INTEGERS, STRING, Attr, Operand, TensorLike, at_least
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import bits_of, float16, float32, float64, string, uint8
from ...graph.shapes.shape import TensorShape
from ..declare.shape_checks import require_one, require_rank, shape_of_scalar
from ..declare.string_arguments import Strings

_Reals: TypeAlias = Annotated[TensorLike, Operand("T", INTEGERS | FLOATS)]
_Pixels: TypeAlias = Annotated[TensorLike, Operand("T", bits_of(uint8, float16, float32, float64))]
_NO_GRADIENT = "it gives a string"


@op("ScalarSummary", graphdef="T=values ->summary", out=string, host_only=True)
def scalar_summary_op(tags: Strings, values: _Reals, name: str | None = None) -> Tensor:
    """A `Summary` with a number for each of `tags`, which has the shape of `values`."""


@scalar_summary_op.shape
def scalar_summary_op_shape(tags: Tensor, values: Tensor) -> TensorShape:
    if not tags.shape.is_compatible_with(values.shape):
        raise ShapeError(f"tags and values are not the same shape: {tags.shape} != {values.shape}; a scalar summary "
                         "has one number for each tag", operand=1,
                         cure="Write tf.reduce_mean(values), or tf.summary.histogram for many numbers.")  # fmt: skip
    return TensorShape([])


@scalar_summary_op.kernel
def scalar_summary_op_kernel(xp: Any, tags: Any, values: Any) -> Any:
    if tags.shape != values.shape:
        raise InvalidArgumentError(
            message=f"tags and values are not the same shape: {list(tags.shape)} != {list(values.shape)}"
        )
    return hooks.summary_bytes("scalars", tags.reshape(-1).tolist(), values.reshape(-1))


@scalar_summary_op.samples
def scalar_summary_op_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array(b"loss", object), np.array(1.5, "f4"))
    yield sample(np.array([b"a", b"b"], object), np.array([1, 2]))
    yield sample(np.zeros(0, object), np.zeros(0))


@op(
    "HistogramSummary", graphdef="T=values ->summary", out=string, host_only=True, ranks={"tag": 0},
    shape=shape_of_scalar,
)  # fmt: skip
def histogram_summary_op(tag: Strings, values: _Reals, name: str | None = None) -> Tensor:
    """A `Summary` with a histogram of `values`, in buckets whose limits grow by a tenth."""


@histogram_summary_op.kernel
def histogram_summary_op_kernel(xp: Any, tag: Any, values: Any) -> Any:
    require_one(tag, "tag")
    return hooks.summary_bytes("histogram", tag.item(), values)


@histogram_summary_op.samples
def histogram_summary_op_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array(b"weights", object), rng.normal(size=(4, 5)).astype("f4"))
    yield sample(np.array(b"empty", object), np.zeros(0, "i8"))


@op("ImageSummary", graphdef="T=tensor max_images ->summary", out=string, host_only=True, ranks={"tag": 0})
def image_summary_op(
    tag: Strings, tensor: _Pixels, max_images: Annotated[int, Attr(at_least(1))] = 3, name: str | None = None
) -> Tensor:
    """A `Summary` with PNG images of the first `max_images` of a batch (batch, height, width, channels)."""


@image_summary_op.shape
def image_summary_op_shape(tag: Tensor, tensor: Tensor, max_images: int) -> TensorShape:
    require_rank(tensor, 4, 1, cure="Its dimensions are (batch, height, width, channels); use tf.expand_dims.")
    channels = None if tensor.shape.raw is None else tensor.shape.raw[3]
    if isinstance(channels, int) and channels not in (1, 3, 4):
        raise ShapeError(f"tensor has {channels} channels, its last dimension; an image has 1, 3 or 4", operand=1)
    return TensorShape([])


@image_summary_op.kernel
def image_summary_op_kernel(xp: Any, tag: Any, tensor: Any, max_images: int) -> Any:
    require_one(tag, "tag")
    if tensor.ndim != 4 or tensor.shape[3] not in (1, 3, 4):
        raise InvalidArgumentError(
            message=f"Tensor must be 4-D with last dim 1, 3, or 4, not {list(tensor.shape)}"
        )
    return hooks.summary_bytes("images", tag.item(), tensor, max_images)


@image_summary_op.samples
def image_summary_op_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array(b"faces", object), rng.random((4, 2, 3, 1)).astype("f4"))
    yield sample(np.array(b"bytes", object), rng.integers(0, 255, (1, 2, 3, 4)).astype("u1"), 1)
    yield sample(np.array(b"none", object), np.zeros((0, 2, 3, 3), "f8"))


@op("TensorSummaryV2", graphdef="T=tensor ->summary", out=string, host_only=True,
    ranks={"tag": 0, "serialized_summary_metadata": 0}, shape=shape_of_scalar)  # fmt: skip
def tensor_summary_op(
    tag: Strings,
    tensor: Annotated[TensorLike, Operand("T", ANY)],
    serialized_summary_metadata: Strings,
    name: str | None = None,
) -> Tensor:
    """A `Summary` with all of `tensor`."""


@tensor_summary_op.kernel
def tensor_summary_op_kernel(xp: Any, tag: Any, tensor: Any, metadata: Any) -> Any:
    require_one(tag, "tag")
    require_one(metadata, "serialized_summary_metadata")
    return hooks.summary_bytes("tensor", tag.item(), tensor, metadata.item())


@tensor_summary_op.samples
def tensor_summary_op_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array(b"x", object), rng.random((2, 3)), np.array(b"", object))
    yield sample(np.array(b"x", object), np.zeros((0, 2), "i4"), np.array(b"", object))


@op("MergeSummary", graphdef="N=#inputs ->summary", out=string, host_only=True)
def merge_summary_op(
    inputs: Annotated[Sequence[TensorLike], Operand(None, STRING, many=True)], name: str | None = None
) -> Tensor:
    """A `Summary` with the values of all `inputs`, each of which holds serialised summaries."""


@merge_summary_op.shape
def merge_summary_op_shape(inputs: Sequence[Tensor]) -> TensorShape:
    if not inputs:
        raise ValueRuleError("inputs is empty; give at least one summary, a string tensor such as tf.summary.scalar")
    return TensorShape([])


@merge_summary_op.kernel
def merge_summary_op_kernel(xp: Any, inputs: Any) -> Any:
    return hooks.summary_bytes("merged", [each for array in inputs for each in array.reshape(-1).tolist()])


@merge_summary_op.samples
def merge_summary_op_samples(rng: np.random.Generator) -> Samples:
    yield sample([np.array(b"\n\x08\n\x01" + tag + b"\x15\x00\x00\x80?", object) for tag in (b"a", b"b")])
    yield sample([np.zeros(0, object), np.array([b""], object)])


for _each in (scalar_summary_op, histogram_summary_op, image_summary_op, tensor_summary_op, merge_summary_op):
    _each.no_gradient(_NO_GRADIENT, "Take the gradient of the tensor that it summarises.")
