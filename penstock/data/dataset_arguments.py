"""Arguments of datasets: pairs of seeds, and the first dimension of a batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ShapeError, ValueRuleError
from ..graph.building.constant_evaluation import known_value
from ..graph.declare.signature import TensorLike
from ..graph.model.default_graph import get_default_graph
from ..graph.model.nodes import Tensor
from ..graph.shapes.dimension import Dim
from ..graph.shapes.dtypes import int64
from ..ops.create.constant_and_placeholder import constant, convert_to_tensor
from .structure import Structure, batch_name


def seeds_of(seed: Any) -> tuple[Any, Any]:
    """The pair of seeds of the next random dataset with this seed: ints, or tensors."""
    if isinstance(seed, Tensor):
        first, _ = get_default_graph().seeds_of_op(0)
        return constant(first, int64), seed
    return get_default_graph().seeds_of_op(None if seed is None else int(seed))


def batch_size_of(structure: Structure, size: TensorLike, drops: TensorLike) -> tuple[Tensor, Dim]:
    """The size of a batch as a tensor, and the first dimension of a batch.

    Raises:
        ValueError: the size is below 1.
    """
    tensor = convert_to_tensor(size, int64, name="batch_size")
    known = known_value(tensor)
    if known is not None and known.ndim:
        raise ShapeError(f"batch: batch_size must be a scalar, not of shape {list(known.shape)}")
    if known is not None and int(known) < 1:
        raise ValueRuleError(f"batch_size must be greater than zero, but is {int(known)}")
    is_full = drops if isinstance(drops, (bool, np.bool_)) else None
    return tensor, int(known) if is_full and known is not None else batch_name(structure)
