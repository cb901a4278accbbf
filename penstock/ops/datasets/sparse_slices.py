"""The rows of a sparse tensor as a dataset: elements (indices, values, dense_shape) of one rank less."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.declare.signature import ANY, Operand, TensorLike
from ...graph.model.nodes import Tensor
from .dataset_decl import Count, dataset_op
from .streams import DatasetStream, Element, Source, StreamRun, boxed_source

_Values = Annotated[TensorLike, Operand("Tvalues", ANY)]


class SparseSlices(Source):
    """The rows of a sparse tensor, whose indices are in row-major order."""

    label = "from_sparse_tensor_slices"

    def __init__(self, indices: Any, values: Any, shape: Any) -> None:
        if indices.ndim != 2 or not indices.shape[1]:
            raise InvalidArgumentError(message=f"indices must be a matrix, not of shape {list(indices.shape)}")
        if len(indices) and (np.diff(indices[:, 0]) < 0).any():
            raise InvalidArgumentError(message="the rows of a sparse tensor can be had only if its indices are in "
                                               "row-major order: use tf.sparse_reorder")  # fmt: skip
        if len(indices) and not 0 <= indices[0, 0] <= indices[-1, 0] < shape[0]:
            raise InvalidArgumentError(message=f"an index lies outside of the shape {list(shape)}")
        self.indices, self.values, self.shape = indices, values, shape

    def open(self, run: StreamRun) -> DatasetStream:
        """See `Source`."""
        return SparseRows(self)


class SparseRows(DatasetStream):
    """Rows of a sparse tensor, one by one."""

    def __init__(self, source: SparseSlices) -> None:
        self._source, self._row = source, 0

    def next(self) -> Element | None:
        """See `DatasetStream`."""
        source, row = self._source, self._row
        if row >= source.shape[0]:
            return None
        self._row += 1
        first, end = np.searchsorted(source.indices[:, 0], [row, row + 1])
        return source.indices[first:end, 1:], source.values[first:end], source.shape[1:]


@dataset_op("SparseTensorSliceDataset")
def sparse_slice_dataset(indices: Count, values: _Values, dense_shape: Count, name: str | None = None) -> Tensor:
    """The rows of a sparse tensor."""


@sparse_slice_dataset.kernel
def sparse_slice_dataset_kernel(xp: Any, indices: Any, values: Any, dense_shape: Any) -> Any:
    return boxed_source(SparseSlices(indices, values, dense_shape))
