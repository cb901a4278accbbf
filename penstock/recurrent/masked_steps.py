"""What a step does for sequences that have ended: their outputs are zero, and their states stay as they are."""

from __future__ import annotations

from typing import Any

from ..derivatives import rule_namespace as ops
from ..errors import ShapeError, UseError
from ..graph.building.context_functions import control_dependencies
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..graph.shapes.dimension import Dim
from ..graph.shapes.dtypes import DType, int32
from ..ops.checks.assertion import Assert
from .cell_states import map_leaves


def lengths_of(sequence_length: TensorLike | None, batch: Dim | None, rows: Any) -> Tensor | None:
    """`sequence_length` as an int32 vector with an entry for each row of a batch.

    Args:
        sequence_length: what the program gives.
        batch: the static size of the batch.
        rows: the same in the run, an int or a scalar.

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
    return checked_rows(lengths, batch, rows, ("sequence_length has", "entries"))


def checked_rows(tensor: Tensor, batch: Dim | None, rows: Any, words: tuple[str, str]) -> Tensor:
    """A tensor that has as many rows as the inputs have sequences; where only the run can tell, it does.

    words: what the error says before and behind the number of rows of the tensor.
    """
    sizes = tensor.shape.raw
    if sizes and sizes[0] is not None and sizes[0] == batch:
        return tensor
    own = ops.shape(tensor)[0]
    data = [words[0], own, f"{words[1]}, and the inputs have", rows, "sequences"]
    with control_dependencies([Assert(ops.equal(own, rows), data)]):
        return ops.identity(tensor)


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
