"""What became of a stage that was cut into shards: for `Session.explain`, for the log and for warnings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...graph.inspect.text_table import folded

MOST = 20
"""The most entries of one list that are printed; the data holds all of them."""


@dataclass(frozen=True, slots=True)
class CutFeed:
    """A feed that is cut.

    Attributes:
        name: its name.
        axis: the axis along which it is cut.
    """

    name: str
    axis: int

    def __str__(self) -> str:
        return f"{self.name} along axis {self.axis}"


@dataclass(frozen=True, slots=True)
class Join:
    """A value of the whole that is made from those of all shards.

    Attributes:
        tensor: its name.
        how: "concat", or how parts are combined, such as "sum".
        why: what needs the whole value.
    """

    tensor: str
    how: str
    why: str

    def __str__(self) -> str:
        return f"{self.tensor}: {self.how}, {self.why}"


@dataclass(frozen=True, slots=True)
class NotInShards:
    """An operation with an input that is cut, which runs once all the same.

    Attributes:
        node: its name.
        place: the line that made it.
        why: the reason.
    """

    node: str
    place: str
    why: str

    def __str__(self) -> str:
        return f"{self.node}, {self.place}: {self.why}"


@dataclass(frozen=True, slots=True, repr=False)
class ShardReport:
    """What runs in shards, what is joined, and what runs once.

    Attributes:
        dimension: the name of the dimension.
        workers: the number of the worker of each shard.
        sums: how sums over shards are made: "ordered" or "tree".
        feeds: the feeds that are cut.
        in_shards: names of the operations that run in each shard.
        once: names of the operations that run once because nothing that they read is cut.
        joins: what is joined.
        refused: the operations that run once although something that they read is cut.
        nothing: why nothing is cut; "" if something is.
    """

    dimension: str
    workers: tuple[int, ...]
    sums: str
    feeds: tuple[CutFeed, ...] = ()
    in_shards: tuple[str, ...] = ()
    once: tuple[str, ...] = ()
    joins: tuple[Join, ...] = ()
    refused: tuple[NotInShards, ...] = ()
    nothing: str = ""

    @property
    def count(self) -> int:
        """The number of shards."""
        return len(self.workers)

    def __str__(self) -> str:
        shards = f"{self.count} shard{'' if self.count == 1 else 's'} of {self.dimension}"
        if self.nothing:
            return f"{shards}: nothing is cut, {self.nothing}"
        lines = [
            f"{shards}: {_nodes(len(self.in_shards))} in each shard, "
            f"{_nodes(len(self.once) + len(self.refused))} once, sums {self.sums}",
            f"  cut: {', '.join(map(str, self.feeds))}",
        ]
        for label, entries in (("joined", self.joins), ("refused", self.refused)):
            lines += [f"  {label}:", *_some(entries)] if entries else []
        return "\n".join(folded(lines))

    __repr__ = __str__


def _nodes(count: int) -> str:
    return f"{count} node" if count == 1 else f"{count} nodes"


def _some(entries: Iterable[object]) -> list[str]:
    found = [f"    {each}" for each in entries]
    return found if len(found) <= MOST else [*found[:MOST], f"    ... and {len(found) - MOST} more"]
