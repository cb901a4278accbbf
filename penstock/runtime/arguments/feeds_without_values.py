"""Feeds of a run that is only looked at: with values, without, and placeholders that are not mentioned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ...errors import UseError
from ...graph.model.nodes import Graph, Tensor
from ..passes.pipeline import prune
from .feeds import check_feeds, feed_tensor, split_feed_dict
from .fetches import Fetches

FeedsToLookAt: TypeAlias = Mapping[Any, Any] | Sequence[Any] | None
"""A feed_dict as of `Session.run`, or a list of the tensors that are fed."""

Shapes = tuple[tuple[int, ...], ...]


def feeds_to_look_at(graph: Graph, fetches: Any, feeds: FeedsToLookAt, what: str) -> tuple[tuple[Tensor, ...], Shapes]:
    """The tensors that a run of `fetches` feeds, and the shapes of their values: () where there is no value.

    A placeholder that `fetches` need and `feeds` lack is one of them.

    Args:
        graph: the graph.
        fetches: as of `Session.run`.
        feeds: a feed_dict or a list of tensors.
        what: the call that errors name.
    """
    if isinstance(feeds, Mapping):
        tensors, values = split_feed_dict(graph, feeds)
        shapes: Shapes = tuple([array.shape for array in check_feeds(tensors, values)[0]])
    else:
        tensors = named_feeds(graph, feeds, what)
        shapes = ((),) * len(tensors)
    found = Fetches(graph, fetches, what)
    needed = prune(found.tensors, found.operations, tensors)
    missing = [op.outputs[0] for op in needed if op.opdef.facts.must_feed and op.outputs[0] not in tensors]
    return (*tensors, *missing), (*shapes, *((),) * len(missing))


def have_values(tensors: Sequence[Tensor], feeds: FeedsToLookAt) -> bool:
    """Whether each of the tensors that `feeds_to_look_at` gives for these feeds has a value."""
    return not tensors or (isinstance(feeds, Mapping) and len(feeds) == len(tensors))


def named_feeds(graph: Graph, feeds: FeedsToLookAt, what: str) -> tuple[Tensor, ...]:
    """The tensors that a list of tensors or the keys of a feed_dict name.

    Raises:
        UseError: it is neither.
        FeedTypeError: a key names no tensor.
    """
    if isinstance(feeds, (Tensor, str)) or not isinstance(feeds, (Mapping, Sequence, type(None))):
        raise UseError(f"{what}: feeds is {feeds!r}; it must be a list of tensors or a feed_dict; write [...]")
    return tuple([feed_tensor(graph, key) for key in feeds or ()])
