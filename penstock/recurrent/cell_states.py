"""Sizes of states and outputs of recurrent cells: structures of ints, and the tensors of zeros that have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..control_flow.structures import flat, packed
from ..errors import UseError, ValueRuleError
from ..graph.declare.signature import DTypeLike
from ..graph.model.nodes import Tensor
from ..graph.shapes.dimension import Dim, Dimension
from ..graph.shapes.shape import TensorShape, as_shape
from ..ops.create.creation import zeros
from ..ops.create.shape_size_rank import shape as shape_op


class LSTMStateTuple(NamedTuple):
    """The state of an LSTM: what it remembers, `c`, and its last output, `h`. Also a pair of their sizes.

    Args:
        c: the memory, a tensor of shape [batch, units].
        h: the last output, a tensor of shape [batch, units].

    >>> import penstock as tf
    >>> tf.nn.rnn_cell.BasicLSTMCell(4).state_size
    LSTMStateTuple(c=4, h=4)

    Source: TensorFlow 1.x, `tf.nn.rnn_cell.LSTMStateTuple`.
    """

    c: Any
    h: Any

    @property
    def dtype(self) -> Any:
        """The dtype of both tensors.

        Raises:
            TypeError: they differ.
        """
        if self.c.dtype is not self.h.dtype:
            raise UseError(f"Inconsistent internal state: {self.c.dtype} vs {self.h.dtype}")
        return self.c.dtype


def sizes_of(size: Any) -> list[Dim]:
    """The sizes after the batch that one leaf of a `state_size` or `output_size` means.

    Raises:
        TypeError: it is no size.
    """
    if isinstance(size, bool) or (not hasattr(size, "__index__") and not isinstance(size, (TensorShape, Dimension))):
        raise UseError(f"a size of a cell's state or output is an int or a TensorShape, not {size!r}")
    shape = as_shape(size if isinstance(size, TensorShape) else [size])
    if shape.raw is None:
        raise UseError("a size of a cell's state or output must have a known rank")
    return list(shape.raw)


def with_batch(batch: Any, size: Any) -> list[Any]:
    """The shape [batch, ...] of one leaf, where `batch` is an int, a Dimension or a scalar tensor."""
    return [batch, *sizes_of(size)]


def zeros_of(sizes: Any, batch: Any, dtype: DTypeLike) -> Any:
    """A structure like `sizes` of tensors of zeros with `batch` rows."""
    return map_leaves(lambda size: zeros(with_batch(batch, size), dtype), sizes)


def map_leaves(function: Callable[..., Any], structure: Any, *beside: Any) -> Any:
    """A structure like the first with `function(leaf, ...)` for its leaves and those of the others.

    Raises:
        ValueRuleError: they have different numbers of leaves.
    """
    columns = [flat(each) for each in (structure, *beside)]
    if len({len(column) for column in columns}) > 1:
        raise ValueRuleError(f"The structures don't have the same nested structure: {(structure, *beside)!r}")
    return packed(structure, [function(*leaves) for leaves in zip(*columns, strict=True)])


def batch_size_of(tensors: list[Tensor], axis: int) -> Any:
    """The size of a dimension: an int if one of the tensors says it, else a scalar tensor."""
    for tensor in tensors:
        dims = tensor.shape.raw
        if dims is not None and isinstance(dims[axis], int):
            return dims[axis]
    return shape_op(tensors[0])[axis]


def rows_of(structure: Any) -> Tensor:
    """The first tensor of a structure, of which the number of rows is asked."""
    first: Tensor = flat(structure)[0]
    return first
