"""Runs with feeds and results in parts: which program takes them, and where each part is computed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pickle import PicklingError
from typing import Any

import numpy as np

from ...errors import FeedError
from ...graph.model.nodes import Operation
from ...runtime.ir.stage import Stage
from ...runtime.sharding.shard_inputs import shard_inputs, with_fed_parts
from ...runtime.sharding.sharded_feed import ShardedFeed
from ..access.connection import Connection
from ..access.dask_import import dask_array
from ..placing.cluster_plan import ClusterPlan
from ..placing.places import CLIENT
from ..worker.worker_errors import error_from
from .cluster_run import ask
from .parted_feeds import JoinedResult, PartedFeed, part_bounds, part_shape
from .remote_value import RemoteValue, RemoteValues, is_remote

VALUE_HERE = "penstock.cluster.worker.worker_actor.value_here"
"""The task that gives Dask an array of an actor."""
Places = Mapping[int, tuple[int, list[int]]]
"""For each feed in parts: the axis, and the places of its parts among the feeds."""
Rows = Mapping[int, tuple[PartedFeed, int, tuple[int, int]]]
"""For each place of a part: the feed, the axis, and where it begins and ends."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A feed of which only the shape is known yet."""

    shape: tuple[int, ...]


def with_wholes(source: Stage, feeds: Sequence[Any]) -> list[Any]:
    """The feeds; one in parts becomes an array where something needs the whole."""
    cut = {each.feed: each for each in shard_inputs(source)}
    return [
        value.whole() if isinstance(value, PartedFeed) and (t not in cut or cut[t].needs_whole) else value
        for t, value in zip(source.feeds, feeds, strict=True)
    ]


def stage_of_parts(source: Stage, key: Sequence[int]) -> tuple[Stage, Places]:
    """The stage that takes some feeds in parts."""
    cut = {each.feed: each for each in shard_inputs(source)}
    feeds = [source.feeds[i] for i in key]
    stage, parts = with_fed_parts(source, feeds)
    position = {t: i for i, t in enumerate(stage.feeds)}
    return stage, {i: (cut[t].axis, [position[p] for p in parts[t]]) for i, t in zip(key, feeds, strict=True)}


def in_parts(feeds: Sequence[Any], places: Places) -> tuple[list[Any], Rows]:
    """The feeds with a place for each part, and what the parts are.

    Raises:
        FeedError: a function gives parts along another axis.
    """
    expanded: list[Any] = []
    rows: dict[int, tuple[PartedFeed, int, tuple[int, int]]] = {}
    for i, value in enumerate(feeds):
        if i not in places:
            expanded.append(value)
            continue
        axis, there = places[i]
        for place, bound in zip(there, part_bounds(value, axis, len(there)), strict=True):
            rows[place] = value, axis, bound
            expanded.append(Missing(part_shape(value.shape, axis, bound)))
    return expanded, rows


def placed_parts(
    connection: Connection,
    values: RemoteValues,
    plan: ClusterPlan,
    rows: Rows,
    find_op: Callable[[str], Operation | None],
) -> dict[int, RemoteValue]:
    """The parts of feeds, each computed where it is read first.

    Raises:
        FeedError: a part has another dtype or shape than the whole promised, or a function cannot be pickled.
    """
    futures: dict[int, dict[int, Any]] = {}
    for place, (feed, axis, (start, stop)) in rows.items():
        readers = [worker for worker in plan.readers[place] if worker != CLIENT] or [0]
        if isinstance(feed.source, ShardedFeed):
            future = _begun(connection, readers[0], feed, start, stop)
        else:
            chunk = feed.source[(*[slice(None)] * axis, slice(start, stop))]
            future = connection.chunk_at(readers[0], chunk)
        futures.setdefault(readers[0], {})[place] = future
    parts: dict[int, RemoteValue] = {}
    for worker, there in futures.items():
        for future in there.values():
            if (error := future.exception()) is not None:
                raise error
        uids = [values.new_uid() for _ in there]
        known = [rows[place] for place in there]
        promised = [
            [bound for _, _, bound in known], [list(feed.shape) for feed, _, _ in known],
            [feed.dtype.str for feed, _, _ in known], [axis for _, axis, _ in known],
            [feed.tensor.name for feed, _, _ in known],
        ]  # fmt: skip
        head = {"uids": uids, "keys": [future.key for future in there.values()], "promised": promised}
        answer, _ = connection.run_async(ask(connection, worker, "adopt", head))
        if "error" in answer:
            raise error_from(answer["error"], find_op, connection.workers[worker].label)
        for uid, place in zip(uids, there, strict=True):
            feed, axis, bound = rows[place]
            parts[place] = values.made(uid, feed.dtype, part_shape(feed.shape, axis, bound), [worker])
    return parts


def _begun(connection: Connection, worker: int, feed: PartedFeed, start: int, stop: int) -> Any:
    """The future of one part that a function of the program gives."""
    log = logging.getLogger("distributed.protocol.pickle")  # Dask logs what it raises, with its own lines
    before, log.disabled = log.disabled, True
    try:
        return connection.task_at(worker, feed.source.function, start, stop)
    except (TypeError, AttributeError, PicklingError) as error:
        raise FeedError(
            f"Cannot feed Tensor {feed.tensor.name}: Dask cannot pickle the function of its ShardedFeed "
            f"({error.__cause__ or error}). Let the function itself open or make what it uses, such as files and locks"
        ) from None
    finally:
        log.disabled = before


def outlined(connection: Connection, outline: Sequence[int | JoinedResult], results: Sequence[Any]) -> list[Any]:
    """The results of the caller: a Dask array for each one that stays in parts on workers."""
    keys = {number: key for number, _, key in connection.actors()}
    arrays: list[Any] = []
    used = 0
    for each in outline:
        if isinstance(each, int):
            arrays.append(results[each])
            used = each + 1
            continue
        used = each.positions[-1] + 1
        parts = [results[position] for position in each.positions]
        if not all(is_remote(part) for part in parts):
            arrays.append(np.concatenate([part.copy() for part in parts], each.axis))
            continue
        tasks = [connection.task_at(min(p.places), VALUE_HERE, keys[min(p.places)], p.uid) for p in parts]
        for task in tasks:
            task.exception()  # when it is there, the actor may forget its own reference
        arrays.append(dask_array(tasks, [part.shape for part in parts], parts[0].dtype, each.axis))
    return [*arrays, *results[used:]]
