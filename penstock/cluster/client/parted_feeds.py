"""Feeds and results in parts: Dask arrays and functions of (start, stop), whose parts never meet at the client.

feed     a Dask array, or a ShardedFeed  ->  each part is computed on the worker whose shard reads it
result   parts that stay on their workers  ->  one Dask array, with a chunk for each shard
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...errors import FeedError
from ...graph.model.nodes import Tensor
from ...ops.move.concat_stack import concat
from ...ops.sharding.shards import bounds
from ...runtime.ir.stage import Stage
from ...runtime.sharding.sharded_feed import ShardedFeed
from ..access.dask_import import is_dask_array


class PartedFeed:
    """A feed of which the client has no array: its shape, and where its parts come from."""

    is_remote = True

    def __init__(self, tensor: Tensor, source: Any) -> None:
        self.tensor = tensor
        self.source = source
        self.shape = tuple(source.shape)
        self.dtype = tensor.dtype.np
        if not all(isinstance(size, int) for size in self.shape):
            raise FeedError(
                f"Cannot feed Tensor {tensor.name}: the Dask array has chunks of unknown sizes, {list(self.shape)}. "
                "Call its compute_chunk_sizes() before"
            )
        if source.dtype != self.dtype:
            raise FeedError(
                f"Cannot feed Tensor {tensor.name}: it is {tensor.dtype.name}, and the parts are {source.dtype}. "
                f"Convert them, as by array.astype({tensor.dtype.name!r})"
            )

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        """The bytes of the whole."""
        return int(np.prod(self.shape, dtype=np.int64)) * int(self.dtype.itemsize)

    def whole(self) -> Any:
        """The whole as an array at the client, where something needs it."""
        return np.asarray(self.source)


def parted(tensors: Sequence[Tensor], values: Sequence[Any], names: Sequence[str]) -> list[Any]:
    """The values of feeds; a `PartedFeed` for those that come in parts and have a dimension that is cut.

    Raises:
        FeedError: a Dask array does not fit its tensor.
    """
    return [
        PartedFeed(tensor, value)
        if (isinstance(value, ShardedFeed) or is_dask_array(value)) and _is_cut(tensor, names)
        else value
        for tensor, value in zip(tensors, values, strict=True)
    ]


def _is_cut(tensor: Tensor, names: Sequence[str]) -> bool:
    dims = tensor.shape.raw or ()
    return any(not isinstance(d, int) and d.symbol is not None and d.symbol.name in names for d in dims)


def part_bounds(feed: PartedFeed, axis: int, count: int) -> list[tuple[int, int]]:
    """Where each of the parts begins and ends.

    Raises:
        FeedError: the function gives parts along another axis.
    """
    if isinstance(feed.source, ShardedFeed) and feed.source.axis != axis:
        raise FeedError(
            f"Cannot feed Tensor {feed.tensor.name}: the ShardedFeed gives parts along axis {feed.source.axis}, and "
            f"the session cuts axis {axis}; write ShardedFeed(..., axis={axis})"
        )
    return [bounds(feed.shape[axis], i, count) for i in range(count)]


def part_shape(shape: tuple[int, ...], axis: int, rows: tuple[int, int]) -> tuple[int, ...]:
    """The shape of a part."""
    return (*shape[:axis], rows[1] - rows[0], *shape[axis + 1 :])


# ---- results ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class JoinedResult:
    """A fetch whose parts stay where they are.

    Attributes:
        axis: the axis along which they follow each other.
        positions: their places among the fetches of the stage.
    """

    axis: int
    positions: tuple[int, ...]


def with_left_parts(stage: Stage) -> tuple[Stage, tuple[int | JoinedResult, ...]]:
    """The stage that gives the parts of joined fetches, and what of its fetches each fetch of the caller is."""
    count = len(stage.fetches) - len(stage.written)
    fetches: list[Tensor] = []
    outline: list[int | JoinedResult] = []
    fed = set(stage.feeds)
    for tensor in stage.fetches[:count]:
        op = tensor.op
        joins = op.opdef is concat and op.name.endswith(".joined") and tensor not in fed
        parts: tuple[Tensor, ...] = op.args[1] if joins else (tensor,)
        places = tuple(range(len(fetches), len(fetches) + len(parts)))
        outline.append(JoinedResult(int(op.args[0].op.args[0]), places) if joins else places[0])
        fetches += parts
    return replace(stage, fetches=(*fetches, *stage.fetches[count:])), tuple(outline)


def left_positions(outline: Sequence[int | JoinedResult]) -> list[int]:
    """The places of fetches that stay on workers."""
    return [place for each in outline if isinstance(each, JoinedResult) for place in each.positions]
