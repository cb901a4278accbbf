"""`CheckPartitions`: the check of labels that remains of a removed dynamic_partition.

The partition also verified its labels and that they fit the data. `CheckPartitions` raises the same errors and returns
the labels unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np

from ....errors import InvalidArgumentError
from ....graph.declare.op_declaration import Sample, op, sample
from ....graph.declare.signature import Int, Operand, T, TensorLike
from ....graph.model.nodes import Tensor
from ....graph.shapes.dtypes import int32
from ....graph.shapes.shape import TensorShape
from ....ops.declare.shape_checks import listed
from ....ops.index.row_indexing import check_range

_Labels = Annotated[TensorLike, Operand(None, int32.bit)]


@op("CheckPartitions", out=int32, views="partitions")
def check_partitions(  # type: ignore[empty-body]  # a declaration: the signature is data
    data: T, partitions: _Labels, num_partitions: Int, name: str | None = None
) -> Tensor:
    """`partitions` if `dynamic_partition(data, partitions, num_partitions)` would succeed, else its error.

    Only the shape of `data` is read. The rule `StitchOfPartitions` makes this node; users do not call it.
    """


@check_partitions.shape
def check_partitions_shape(data: Tensor, partitions: Tensor, num_partitions: int) -> TensorShape:
    return partitions.shape


@check_partitions.kernel
def check_partitions_kernel(xp: Any, data: Any, partitions: Any, num_partitions: int) -> Any:
    if data.shape[: partitions.ndim] != partitions.shape:
        raise InvalidArgumentError(
            message="data.shape must start with partitions.shape, got "
            f"data.shape = {listed(data.shape)}, partitions.shape = {listed(partitions.shape)}"
        )
    check_range("partitions", partitions, num_partitions)
    return partitions


@check_partitions.samples
def check_partitions_samples(rng: np.random.Generator) -> Iterator[Sample]:
    yield sample(rng.random((3, 2)).astype("f4"), np.array([0, 2, 1], "i4"), 3)
