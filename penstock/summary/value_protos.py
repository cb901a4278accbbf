"""The kernels of the ops of summaries: arrays as serialised Summary messages.

The bytes are TensorFlow's, but for the compression of images.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import GraphFormatError, InvalidArgumentError
from ..graph.shapes.dtypes import of_numpy
from ..graph.shapes.literal import Array
from ..graph.shapes.shape import TensorShape
from ..interchange.tensorflow.wire.messages import TensorProto
from ..interchange.tensorflow.wire.tensor_proto import dtype_number, shape_proto
from ..ops.images.png_bytes import png_of
from .histogram_buckets import histogram_of
from .png_image import visible_pixels
from .summary_messages import ImageValue, SummaryMetadata, SummaryProto, SummaryValue


def summary_bytes(kind: str, *args: Any) -> bytes:
    """The serialised summary of one op; `kind` names the function below."""
    return _KINDS[kind](*args).SerializeToString()


def _text(tag: bytes) -> str:
    return tag.decode("utf-8", "backslashreplace")


def _scalars(tags: Sequence[bytes], values: Array) -> SummaryProto:
    numbers = values.astype(np.float32)
    return SummaryProto([SummaryValue(_text(t), float(v)) for t, v in zip(tags, numbers, strict=True)])


def _histogram(tag: bytes, values: Array) -> SummaryProto:
    numbers = values.reshape(-1).astype(np.float64)
    if not np.isfinite(numbers).all():
        first = numbers[~np.isfinite(numbers)][0]
        kind = "Nan" if np.isnan(first) else "Infinity"
        raise InvalidArgumentError(message=f"{kind} in summary histogram for: {_text(tag)}")
    return SummaryProto([SummaryValue(_text(tag), histo=histogram_of(numbers))])


def _images(tag: bytes, tensor: Array, most: int) -> SummaryProto:
    values = []
    for i, each in enumerate(tensor[:most]):
        height, width, channels = each.shape
        image = ImageValue(height, width, channels, png_of(visible_pixels(each)))
        values.append(SummaryValue(f"{_text(tag)}/image" + (f"/{i}" if most > 1 else ""), image=image))
    return SummaryProto(values)


def _tensor(tag: bytes, tensor: Array, metadata: bytes) -> SummaryProto:
    dtype = of_numpy(tensor.dtype)
    proto = TensorProto(dtype_number(dtype), shape_proto(TensorShape(tensor.shape)))
    if dtype.is_string:
        proto.string_val = tensor.reshape(-1).tolist()
    else:
        proto.content = np.ascontiguousarray(tensor).tobytes()
    try:
        told = SummaryMetadata.FromString(metadata)
    except GraphFormatError as error:
        raise InvalidArgumentError(message=f"serialized_summary_metadata is no SummaryMetadata: {error}") from None
    return SummaryProto([SummaryValue(_text(tag), tensor=proto, metadata=told)])


def _merged(parts: Sequence[bytes]) -> SummaryProto:
    values: list[SummaryValue] = []
    for part in parts:
        try:
            values += SummaryProto.FromString(part).value
        except GraphFormatError as error:
            raise InvalidArgumentError(message=f"an input is not a serialised summary: {error}") from None
    twice = [tag for tag, count in Counter(value.tag for value in values).items() if count > 1]
    if twice:
        raise InvalidArgumentError(message=f"Duplicate tag {twice[0]} found in summary inputs")
    return SummaryProto(values)


_KINDS: dict[str, Callable[..., SummaryProto]] = {
    "scalars": _scalars,
    "histogram": _histogram,
    "images": _images,
    "tensor": _tensor,
    "merged": _merged,
}
