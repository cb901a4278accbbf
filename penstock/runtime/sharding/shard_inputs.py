"""The feeds of a stage with shards: which parts are cut from them, and what else reads them.

A caller that has a feed in parts, one for each shard, gives these instead of the whole, which need not fit into one
memory: `with_fed_parts` makes the stage that takes them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from ...graph.model.append import append_placeholder
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.shape import shape_of
from ...ops.create.shape_size_rank import shape
from ...ops.sharding.shards import joined_shape, only_sizes, shard_of, shard_size
from ..ir.stage import Rebuild, Stage, TensorReaders


@dataclass(frozen=True, slots=True)
class ShardInput:
    """A fed tensor that is cut.

    Attributes:
        feed: the tensor.
        axis: the axis along which it is cut.
        parts: its parts, for each shard one; shards that read nothing of it have none.
        workers: the number of the shard of each part.
        sizes: the operations that read only the shape of the whole.
        values: the operations that read the values of the whole.
        is_fetched: whether the whole is fetched.
    """

    feed: Tensor
    axis: int
    parts: tuple[Tensor, ...]
    workers: tuple[int, ...]
    sizes: tuple[Operation, ...]
    values: tuple[Operation, ...]
    is_fetched: bool

    @property
    def needs_whole(self) -> bool:
        """Whether something needs the values of the whole."""
        return self.is_fetched or bool(self.values)


def shard_inputs(stage: Stage) -> tuple[ShardInput, ...]:
    """The feeds of a stage that are cut, in the order of the feeds.

    Args:
        stage: a result of `with_shards`, before any pass.
    """
    readers, fetched = TensorReaders(stage), {*stage.fetches, *stage.pinned}
    found = [_input_of(feed, list(dict.fromkeys(readers.of(feed))), feed in fetched) for feed in stage.feeds]
    return tuple([each for each in found if each is not None])


def _input_of(feed: Tensor, readers: list[Operation], is_fetched: bool) -> ShardInput | None:
    cuts = [op for op in readers if op.opdef is shard_of]
    if not cuts:
        return None
    axis = cuts[0].args[1]
    along = [op for op in cuts if op.args[1] == axis]
    others = [op for op in readers if op not in along]
    return ShardInput(
        feed, axis, tuple([op.outputs[0] for op in along]), tuple([op.args[2] for op in along]),
        tuple([op for op in others if op.opdef.facts.reads_shape_only]),
        tuple([op for op in others if not op.opdef.facts.reads_shape_only]), is_fetched,
    )  # fmt: skip


def with_fed_parts(stage: Stage, feeds: Collection[Tensor]) -> tuple[Stage, dict[Tensor, tuple[Tensor, ...]]]:
    """The stage that takes parts in the place of some feeds, and the new feeds of each, one for each shard.

    The new feeds stand in `Stage.feeds` where the old one stood, the first shard first. Sizes of the whole are computed
    from those of the parts.

    Args:
        stage: a result of `with_shards`, before any pass.
        feeds: feeds that are cut, none of which `needs_whole`.

    Raises:
        ValueError: one of them is not cut, or something needs the whole of it.
    """
    cut = {each.feed: each for each in shard_inputs(stage)}
    for feed in feeds:
        if feed not in cut or cut[feed].needs_whole:
            raise ValueError(f"with_fed_parts: {feed.name} is needed as a whole")
    copy = Rebuild(stage)
    parts = {feed: _placeholders(copy, cut[feed]) for feed in feeds}
    for feed in feeds:
        if cut[feed].sizes:
            copy.replace(feed, _only_sizes(copy, cut[feed], parts[feed]), for_good=True)
    for op in stage.operations:
        if op.opdef is shard_of and op.inputs[0] in parts:
            copy.replace(op.outputs[0], parts[op.inputs[0]][op.args[2]], for_good=True)
            copy.drop(op)
        else:
            copy.copy(op)
    new = [part for feed in stage.feeds for part in parts.get(feed, (feed,))]
    return replace(copy.finish(), feeds=tuple(new)), parts


def _placeholders(copy: Rebuild, cut: ShardInput) -> tuple[Tensor, ...]:
    feed, axis = cut.feed, cut.axis
    dims = feed.shape.raw
    assert dims is not None  # it has a named dimension
    count = cut.parts[0].op.args[3]
    shapes = [shape_of((*dims[:axis], shard_size(dims[axis], i, count), *dims[axis + 1 :])) for i in range(count)]
    return tuple([
        append_placeholder(copy.graph, feed.dtype, each, f"{feed.op.name}.shard_{i}", feed.op.origins)
        for i, each in enumerate(shapes)
    ])  # fmt: skip


def _only_sizes(copy: Rebuild, cut: ShardInput, parts: tuple[Tensor, ...]) -> Tensor:
    """A tensor with the shape of the whole."""
    feed = cut.feed
    shapes = [
        copy.emit(shape, (part,), (feed.op,), f"{feed.op.name}.shape_{i}", controls=())[0]
        for i, part in enumerate(parts)
    ]  # fmt: skip
    sizes = copy.emit(joined_shape, (tuple(shapes), cut.axis), (feed.op,), f"{feed.op.name}.joined_shape", controls=())
    like = [(feed.dtype, feed.shape)]
    return copy.emit(only_sizes, (sizes[0], feed.dtype), (feed.op,), f"{feed.op.name}.sizes", like, controls=())[0]
