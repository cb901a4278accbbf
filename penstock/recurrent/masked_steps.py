"""What a step does for sequences that have ended: their outputs are zero, and their states stay as they are."""

from __future__ import annotations

from typing import Any

from ..derivatives import rule_namespace as ops
from ..errors import ShapeError, UseError
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..graph.shapes.dimension import Dim
from ..graph.shapes.dtypes import DType, int32
from .cell_states import map_leaves


def lengths_of(sequence_length: TensorLike | None, batch: Dim | None) -> Tensor | None:
    """`sequence_length` as an int32 vector with an entry for each row of a batch.

    Raises:
        ShapeError: it is no vector, or has another size.
    """
    if sequence_length is None:
        return None
    if isinstance(sequence_length, DType):
        raise UseError(f"sequence_length is {sequence_length!r}, a dtype; write dtype={sequence_length!r}")
    lengths = ops.cast(ops.convert_to_tensor(sequence_length, name="sequence_length"), int32)
    if lengths.shape.ndims not in (None, 1):
        how = "tf.reshape(lengths, [-1]) makes one of a column"
        if lengths.shape.ndims == 0:
            how = "tf.fill([batch_size], length) is one in which all are equal"
        raise ShapeError("sequence_length must be a vector of length batch_size, but saw shape: "
                         f"{lengths.shape}. {how}")  # fmt: skip
    if isinstance(batch, int):
        entries = lengths.shape.raw[0] if lengths.shape.raw else None
        if isinstance(entries, int) and entries != batch:
            raise ShapeError(f"sequence_length has {entries} entries, and the inputs have {batch} sequences")
    return lengths


def masked(
    time: Any, lengths: Tensor | None, output: Any, new: Any, old: Any, blank: Any
) -> tuple[Any, Any]:
    """The output and the state after a step, in which only sequences of more than `time` elements take part.

    blank: what the others give, a structure like the output of zeros.
    """
    if lengths is None:
        return output, new
    ended = ops.greater_equal(time, lengths)
    return where_ended(ended, blank, output), where_ended(ended, old, new)


def where_ended(ended: Tensor, before: Any, after: Any) -> Any:
    """A structure with the rows of `before` for sequences that have ended, and those of `after` for others."""
    return map_leaves(lambda old, new: rows_where(ended, old, new), before, after)


def rows_where(ended: Tensor, before: Any, after: Any) -> Any:
    """The rows of `before` where the condition holds, else of `after`; what has no rows goes on."""
    if not isinstance(after, Tensor) or after.shape.ndims == 0 or after.dtype.is_variant:
        return after
    return ops.select(ended, before, after)


def reversed_in_time(tensor: Tensor, lengths: Any, time_major: bool) -> Tensor:
    """The first elements of each sequence in reverse order, as many as its length says."""
    if not time_major:
        return ops.reverse_sequence(tensor, lengths, 1)
    return exchanged(ops.reverse_sequence(exchanged(tensor), lengths, 1))


def exchanged(tensor: Tensor) -> Tensor:
    """The first two dimensions, batch and time, exchanged."""
    rank = tensor.shape.ndims
    assert rank is not None  # inputs and outputs have one
    return ops.transpose(tensor, [1, 0, *range(2, rank)])
