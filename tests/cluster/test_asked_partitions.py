"""`graph.partitions`: how devices cut a graph, without a cluster; and that a cluster cuts it there too."""

from __future__ import annotations

import pytest

import penstock as tf

NORTH, SOUTH = "/job:worker/task:0", "/job:worker/task:1"


def there_and_back() -> tuple[tf.Graph, tf.Tensor, tf.Tensor]:
    """A sum on worker 0, a mean on worker 1, the distances from it on worker 0, and a fed placeholder."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        with tf.device(NORTH):
            total = tf.reduce_sum(x, name="total")
        with tf.device(SOUTH):
            mean = tf.divide(total, 4.0, name="mean")
        with tf.device(NORTH):
            apart = tf.subtract(x, mean, name="apart")
    return graph, x, apart


def test_what_one_worker_does_without_waiting_is_one_partition() -> None:
    graph, x, apart = there_and_back()
    parts = graph.partitions(apart, {x: [1.0, 2.0]})
    assert [(each.place, [op.name for op in each.operations if op.type != "Const"]) for each in parts] == [
        (0, ["total"]), (1, ["mean"]), (0, ["apart"])
    ]  # fmt: skip
    assert (parts.crossing, parts.waits, parts.left_open) == (8, 2, ())
    assert str(parts).splitlines()[-1] == "  mean:0 goes from worker 1 to worker 0: 4 bytes"


def test_sizes_come_from_the_feeds_and_are_unknown_without_values() -> None:
    graph, x, _ = there_and_back()
    with graph.as_default(), tf.device(SOUTH):
        twice = tf.multiply(graph.get_tensor_by_name("apart:0"), 2.0, name="twice")
    assert graph.partitions(twice, {x: [1.0] * 5}).crossing == 8 + 20
    unknown = graph.partitions(twice)
    assert unknown.crossing is None and "an unknown number of bytes cross" in str(unknown)


def test_an_operation_without_a_worker_runs_where_its_first_operand_is_and_is_told() -> None:
    graph, x, apart = there_and_back()
    with graph.as_default():
        more = tf.add(apart, 1.0, name="more")
    parts = graph.partitions(more, {x: [1.0]})
    assert parts.left_open == ("more",)
    assert parts[-1].place == 0


def test_what_runs_in_the_program_is_a_place_too() -> None:
    graph, x, apart = there_and_back()
    with graph.as_default(), tf.device("/job:client"):
        here = tf.reduce_sum(apart, name="here")
    parts = graph.partitions(here, {x: [1.0] * 3})
    assert parts.crossings[-1].target == -1
    assert str(parts.crossings[-1]) == "apart:0 goes from worker 0 to client: 12 bytes"


def test_jobs_are_those_of_the_configuration() -> None:
    with tf.Graph().as_default() as graph:
        with tf.device("/job:ps/task:0"):
            w = tf.Variable(1.0, name="w")
        with tf.device("/job:worker/task:0"):
            y = tf.multiply(w, 2.0, name="y")
    assert [each.place for each in graph.partitions(y, jobs={"ps": [2], "worker": [0]})] == [2, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="there is no job 'ps'"):
        graph.partitions(y)


def test_wrong_fetches_are_told_with_this_call() -> None:
    graph, _, _ = there_and_back()
    with pytest.raises(TypeError, match=r"Graph\.partitions: a fetch is"):
        graph.partitions(3)


def test_a_cluster_cuts_the_same_graph_at_the_same_places(cluster_address: str) -> None:
    graph, x, apart = there_and_back()
    asked = graph.partitions(apart, {x: [1.0, 2.0]})
    with tf.Session(cluster_address, graph=graph) as session:
        copies = session.placement(apart, {x: [1.0, 2.0]}).copies
    assert {(f"{each.node}:0", each.bytes) for each in copies} == {(each.tensor, each.size) for each in asked.crossings}
