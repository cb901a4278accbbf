"""unsorted_segment_join: the strings of each segment put together."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import INT32_64, Operand, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import int32, string
from ...graph.shapes.shape import TensorShape
from ..declare.failure_rules import why_refused
from ..declare.shape_checks import listed, possible
from ..declare.string_arguments import Strings, Text
from ..index.row_indexing import dims_at_least
from ..reduce.unsorted_segments import shape_of_segments

PUBLIC_NAMES = {"strings": "unsorted_segment_join"}

_Ids = Annotated[TensorLike, Operand("Tindices", INT32_64, prefer=int32)]
_Count = Annotated[TensorLike, Operand("Tnumsegments", INT32_64, host=True, prefer=int32)]


@op("UnsortedSegmentJoin", graphdef="separator/'' Tindices=segment_ids Tnumsegments=num_segments", out=string,
    host_only=True, ranks={"num_segments": 0}, no_gradient="it is of strings")  # fmt: skip
def unsorted_segment_join(
    inputs: Strings, segment_ids: _Ids, num_segments: _Count, separator: Text = "", name: str | None = None
) -> Tensor:
    """The strings of each segment, in their order, put together: out[i] = the inputs[j...] with segment_ids[j...] = i.

    Args:
        inputs: strings, any shape.
        segment_ids: int32 or int64, of a shape of rank 1 or higher with which that of `inputs` begins: an id for each
            row.
        num_segments: an int32 or int64 scalar; ids are at least 0 and less than it.
        separator: what stands between two strings, a Python string.

    Returns:
        A tensor of shape [num_segments] + inputs.shape[r:] and dtype string; r is the rank of `segment_ids`. An id that
        does not occur has empty strings.

    Raises:
        TypeError: an operand has another dtype, or `separator` is no string.
        ValueError: known shapes do not fit, or `num_segments` is known to be negative.
        InvalidArgumentError (when run): the shapes do not fit, or an id is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.strings.unsorted_segment_join(["a", "b", "c"], [1, 0, 1], 2, separator="-")))
    [b'b' b'a-c']

    Source: TensorFlow 1.x, `tf.strings.unsorted_segment_join`.
    """


@unsorted_segment_join.shape
def unsorted_segment_join_shape(inputs: Tensor, segment_ids: Tensor, num_segments: Tensor, *rest: Any) -> TensorShape:
    dims_at_least(segment_ids, 1, 1)
    return shape_of_segments(inputs, segment_ids, num_segments, "inputs")


def _check(ids: Any, count: Any) -> None:
    if count.ndim:
        raise InvalidArgumentError(message="Number of segments must be a scalar")
    if count < 0:
        raise InvalidArgumentError(message=f"Number of segments must be non-negative but got {count}")
    if not ids.ndim:
        raise InvalidArgumentError(message="Segment_id cannot have rank 0")
    if ids.size and not 0 <= ids.min() <= ids.max() < count:
        wrong = next(each for each in ids.flat if not 0 <= each < count)
        raise InvalidArgumentError(message=f"segment_ids has {wrong}, which is out of range [0, {count})")


@unsorted_segment_join.fails
def unsorted_segment_join_fails(inputs: Tensor, segment_ids: Tensor, num_segments: Tensor, *rest: Any) -> str | None:
    ids, dims = segment_ids.shape.raw, inputs.shape.raw
    if ids is None or dims is None or dims[: len(ids)] != ids:
        return "whether inputs.shape begins with segment_ids.shape is not known before the run"
    return why_refused(_check, segment_ids, num_segments)


@unsorted_segment_join.kernel
def unsorted_segment_join_kernel(xp: Any, inputs: Any, segment_ids: Any, num_segments: Any, separator: bytes) -> Any:
    _check(segment_ids, num_segments)
    depth = segment_ids.ndim
    if inputs.shape[:depth] != segment_ids.shape:
        begin = f"segment_ids.shape = {listed(segment_ids.shape)}"
        raise InvalidArgumentError(message=f"inputs.shape = {listed(inputs.shape)} does not start with {begin}")
    joined = np.empty(possible((int(num_segments), *inputs.shape[depth:]), 8), object)
    columns = inputs.reshape(segment_ids.size, -1).T if inputs.size else np.empty((joined[:1].size, 0), object)
    ids = segment_ids.reshape(-1).tolist() if inputs.size else []
    for place, column in enumerate(columns):
        parts: list[list[bytes]] = [[] for _ in range(len(joined))]
        for segment, text in zip(ids, column, strict=True):
            parts[segment].append(text)
        joined.reshape(len(joined), -1)[:, place] = [separator.join(each) for each in parts]
    return joined


@unsorted_segment_join.samples
def unsorted_segment_join_samples(rng: np.random.Generator) -> Samples:
    texts = np.array([[b"a", b"b"], [b"c", b""], [b"\xff", b"d"]], object)
    yield sample(texts, np.array([1, 0, 1], "i4"), np.array(3, "i4"), "-", fixed=("num_segments",))
    yield sample(texts, np.array([[0, 1], [1, 0], [0, 0]], "i8"), np.array(2, "i8"))
    yield sample(np.zeros((0, 2), object), np.zeros(0, "i4"), np.array(2, "i4"), fixed=("num_segments",))
