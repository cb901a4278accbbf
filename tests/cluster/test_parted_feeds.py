"""Feeds and results in parts: Dask arrays, functions per shard, results that stay on their workers."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Lock
from typing import Any

import dask.array
import numpy as np
import pytest

import penstock as tf
from penstock.cluster.access.cluster_access import ClusterAccess
from penstock.cluster.client.parted_feeds import PartedFeed, part_bounds

ROWS = 1001
arrays: Any = dask.array
CUT = tf.SessionConfig(shard={"batch": 2})


def build() -> tuple[tf.Graph, tf.Tensor, dict[str, tf.Tensor]]:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["batch", 3], name="x")
        y = tf.exp(x) * 2.0
        return graph, x, {"sum": tf.reduce_sum(y), "y": y, "rows": tf.shape(y)[0], "mean": tf.reduce_mean(x, 0)}


def rows(start: int, stop: int) -> Any:
    return np.sin(np.arange(start * 3, stop * 3, dtype=np.float32)).reshape(-1, 3)


@pytest.fixture(scope="module")
def session(cluster: ClusterAccess) -> Iterator[tf.Session]:
    with tf.Session(cluster.client, graph=build()[0], config=CUT) as made:
        yield made


def fetches(session: tf.Session) -> dict[str, Any]:
    names = {"sum": "Sum:0", "y": "mul:0", "mean": "Mean:0"}
    return {key: session.graph.get_tensor_by_name(name) for key, name in names.items()}


def feeds() -> dict[str, Any]:
    whole = rows(0, ROWS)
    return {
        "array": whole,
        "Dask array": arrays.from_array(whole, chunks=(100, 3)),
        "function": tf.ShardedFeed(rows, [ROWS, 3]),
    }


def test_a_feed_in_parts_gives_what_the_whole_gives(session: tf.Session) -> None:
    found = {way: session.run(fetches(session), {"x:0": fed}) for way, fed in feeds().items()}
    for way in ("Dask array", "function"):
        for key, value in found["array"].items():
            np.testing.assert_array_equal(found[way][key], value, err_msg=f"{way}, {key}")


def test_parts_at_odd_addresses_give_the_same_bits(cluster: ClusterAccess) -> None:
    def unaligned(start: int, stop: int) -> Any:
        part = rows(start, stop)
        made = np.empty(part.nbytes + 1, np.uint8)[1:].view(np.float32).reshape(part.shape)
        made[...] = part
        return made

    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["batch", 3], name="x")
        product = tf.matmul(x, tf.tanh(x[:, :2]), transpose_a=True)
    with tf.Session(cluster.client, graph=graph, config=CUT) as session:
        usual, odd = [session.run(product, {x: tf.ShardedFeed(each, [64, 3])}) for each in (rows, unaligned)]
        np.testing.assert_array_equal(odd, usual)


def test_on_one_machine_parts_are_put_together() -> None:
    graph, x, out = build()
    with tf.Session(graph=graph, config=CUT) as local:
        found = [local.run(out, {x: fed}) for fed in feeds().values()]
    for other in found[1:]:
        for key, value in found[0].items():
            np.testing.assert_array_equal(other[key], value)


def test_results_may_stay_on_their_workers(cluster: ClusterAccess, session: tf.Session) -> None:
    whole = session.run(fetches(session), {"x:0": rows(0, ROWS)})
    left = session.run(fetches(session), {"x:0": tf.ShardedFeed(rows, [ROWS, 3])}, as_dask=True)
    assert isinstance(left["y"], dask.array.Array)
    assert left["y"].chunks == ((501, 500), (3,))
    np.testing.assert_array_equal(cluster.client.compute(left["y"]).result(), whole["y"])
    np.testing.assert_array_equal(left["mean"], whole["mean"])
    again = session.run(fetches(session)["sum"], {"x:0": left["y"]})
    np.testing.assert_array_equal(again, session.run(fetches(session)["sum"], {"x:0": whole["y"]}))


def test_dask_results_need_a_cluster() -> None:
    graph, x, out = build()
    with tf.Session(graph=graph, config=CUT) as local, pytest.raises(TypeError, match=r"Session\(client\)"):
        local.run(out, {x: rows(0, 4)}, as_dask=True)


@pytest.mark.parametrize(
    ("fed", "words"),
    [
        (tf.ShardedFeed(lambda start, stop: np.zeros([1, 3], np.float32), [ROWS, 3]), "was promised"),
        (tf.ShardedFeed(rows, [ROWS, 3], tf.float64), "Convert them"),
        (tf.ShardedFeed(rows, [3, ROWS], axis=1), "Cannot feed value of shape"),
        (arrays.zeros((4, 3), dtype=np.int32), "Convert them"),
    ],
)
def test_parts_that_do_not_fit_are_told(session: tf.Session, fed: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        session.run(fetches(session)["sum"], {"x:0": fed})


def test_a_function_that_cannot_be_sent_is_told_in_one_line(session: tf.Session, caplog: Any) -> None:
    lock = Lock()
    fed = tf.ShardedFeed(lambda start, stop: rows(start, stop) if lock else None, [ROWS, 3])
    with pytest.raises(tf.errors.FeedError, match=r"^Cannot feed Tensor x:0: Dask cannot pickle .*lock.*") as caught:
        session.run("Sum:0", {"x:0": fed})
    assert "\n" not in str(caught.value) and not caplog.records


def test_a_part_of_another_shape_is_told_with_its_feed(session: tf.Session) -> None:
    with pytest.raises(tf.errors.FeedError, match=r"^Cannot feed Tensor x:0: a part of a feed is float32"):
        session.run("Sum:0", {"x:0": tf.ShardedFeed(lambda start, stop: rows(start, stop + 1), [ROWS, 3])})


def test_a_sharded_feed_along_another_axis_is_told_with_the_right_one() -> None:
    _, x, _ = build()
    feed = PartedFeed(x, tf.ShardedFeed(rows, [ROWS, 3], axis=1))
    with pytest.raises(tf.errors.FeedError, match=r"write ShardedFeed\(..., axis=0\)"):
        part_bounds(feed, 0, 2)
    assert part_bounds(PartedFeed(x, tf.ShardedFeed(rows, [ROWS, 3])), 0, 2) == [(0, 501), (501, 1001)]
