"""Pooling by one function for 1, 2 and 3 dimensions, with holes between the taps of the window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import ShapeError, ValueRuleError
from ...graph.declare.signature import TensorLike, as_ints
from ...graph.model.nodes import Tensor
from ..convolution.convolution_arguments import FORMATS, Ints
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.shape_size_rank import shape as shape_op
from ..declare.composite import composite, name_of_scope
from ..declare.reduction_decl import either
from ..images.batch_blocks import batch_to_space_nd, required_space_to_batch_paddings, space_to_batch_nd
from ..move.reshaping import expand_dims, squeeze
from ..move.transpose_reverse import transpose
from .pooling_calls import avg_pool, avg_pool3d, max_pool, max_pool3d

PUBLIC_NAMES = {"nn": "pool"}


@composite("pool")
def pool(
    input: TensorLike,
    window_shape: Ints,
    pooling_type: str,
    padding: str,
    dilation_rate: Ints | None = None,
    strides: Ints | None = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Ints | None = None,
) -> Tensor:
    """The largest number or the mean of each window of sequences, images or volumes.

    Args:
        input: of shape (batch, 1 to 3 spatial dimensions, channels), or with the channels first.
        window_shape: the sizes of the window, a list of 1 to 3.
        pooling_type: "MAX" or "AVG".
        padding: "SAME" or "VALID". With a `dilation_rate` above 1 it has to be "VALID".
        dilation_rate: the steps between taps of a window, one for each spatial dimension; None means 1.
        strides: the steps of the window, no larger than the window; None means 1. If one is above 1, no `dilation_rate`
            is.
        data_format: None or "N...C": the channels are last; "NC...": they are first.
        dilations: another name of `dilation_rate`.

    Returns:
        A tensor of shape (batch, positions along each dimension, channels), in the layout and with the dtype
        of `input`.

    Raises:
        TypeError: the dtype is another.
        ValueError: an argument does not fit.
        InvalidArgumentError (when run): sizes that only the run knows do not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     row = tf.reshape(tf.range(6.0), [1, 6, 1])
    ...     print(session.run(tf.nn.pool(row, [2], "AVG", "VALID", dilation_rate=[3])).ravel())
    [1.5 2.5 3.5]

    Source: TensorFlow 1.x, `tf.nn.pool`.
    """
    window = as_ints(window_shape)
    count = len(window)
    if not 1 <= count <= 3:
        raise ValueRuleError(f"window_shape must have 1, 2 or 3 entries, but is {list(window)}")
    steps = _steps(strides, count, "strides")
    rates = _steps(either("dilations", dilations, "dilation_rate", dilation_rate), count, "dilation_rate")
    if pooling_type not in ("MAX", "AVG"):
        raise ValueRuleError(f"pooling_type must be 'MAX' or 'AVG', but is {pooling_type!r}")
    if max(rates) > 1 and max(steps) > 1:
        raise ValueRuleError("strides > 1 not supported in conjunction with dilation_rate > 1")
    if max(rates) > 1 and padding == "SAME":
        raise ValueRuleError("pooling with 'SAME' padding is not implemented for `dilation_rate` > 1",
                             cure='Write padding="VALID".')  # fmt: skip
    if any(step > size for step, size in zip(steps, window, strict=True)):
        raise ValueRuleError(f"strides {list(steps)} > window_shape {list(window)} is not supported")
    last, first = FORMATS[count]
    if data_format not in (None, last, first):
        raise ValueRuleError(f"data_format must be {last!r} or {first!r}, but is {data_format!r}")
    x = convert_to_tensor(input)
    if x.shape.ndims not in (None, count + 2):
        raise ShapeError(f"input must have rank {count + 2} for {count} spatial dimensions, but has shape {x.shape}")
    is_first = data_format == first
    if max(rates) == 1:
        return _pooled(x, window, steps, pooling_type, padding, is_first, name_of_scope())
    if is_first:  # blocks are made along the dimensions behind the batch
        x = transpose(x, [0, *range(2, count + 2), 1])
    paddings, crops = required_space_to_batch_paddings(shape_op(x)[1 : count + 1], list(rates))
    parts = _pooled(space_to_batch_nd(x, list(rates), paddings), window, steps, pooling_type, padding, False)
    if not is_first:
        return batch_to_space_nd(parts, list(rates), crops, name_of_scope())
    y = batch_to_space_nd(parts, list(rates), crops)
    return transpose(y, [0, count + 1, *range(1, count + 1)], name_of_scope())


def _steps(value: Ints | None, count: int, name: str) -> tuple[int, ...]:
    entries = (1,) * count if value is None else as_ints(value)
    if len(entries) != count or min(entries) < 1:
        raise ValueRuleError(f"{name} must be {count} ints of at least 1, but is {list(entries)}")
    return entries


def _pooled(
    x: Tensor, window: Sequence[int], steps: Sequence[int], kind: str, padding: str, is_first: bool,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    count = len(window)
    by_rank: dict[str, Any] = {"MAX": max_pool3d, "AVG": avg_pool3d} if count == 3 else {
        "MAX": max_pool, "AVG": avg_pool
    }  # fmt: skip
    if count > 1:
        pooled: Tensor = by_rank[kind](x, list(window), list(steps), padding, FORMATS[count][is_first], name)
        return pooled
    place = 3 if is_first else 2
    pooled = by_rank[kind](expand_dims(x, place), [*window, 1], [*steps, 1], padding, FORMATS[2][is_first])
    return squeeze(pooled, [place], name)
