"""A graph in shards gives what it gives as a whole, for any number of rows and of shards, and says what it did."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
import pytest

import penstock as tf
from penstock.graph.model.nodes import Tensor
from penstock.runtime.sharding.shard_report import ShardReport

from ...op_samples import same

ROWS = (7, 1, 0, 12)
COUNTS = (1, 2, 3, 5)
SUMS: tuple[Literal["ordered", "tree"], ...] = ("ordered", "tree")
Build = Callable[[], tuple[Any, Mapping[Tensor, Callable[[int], Any]]]]


def numbers(*shape: int, dtype: str = "float32") -> Callable[[int], Any]:
    """From a number of rows to an array of so many rows."""
    return lambda rows: (np.random.default_rng(rows).standard_normal((rows, *shape)) * 3).astype(dtype)


def run(build: Build, rows: int, config: tf.SessionConfig | None = None) -> list[Any]:
    with tf.Session(graph=tf.Graph(), config=config) as session, session.graph.as_default():
        fetches, feeds = build()
        session.run(tf.global_variables_initializer())
        return [np.asarray(each) for each in session.run(fetches, {t: make(rows) for t, make in feeds.items()})]


def report(build: Build, count: int = 2) -> ShardReport:
    config = tf.SessionConfig(shard={"batch": count})
    with tf.Session(graph=tf.Graph(), config=config) as session, session.graph.as_default():
        fetches, feeds = build()
        found = session.explain(fetches, list(feeds)).shards
    assert found is not None
    return found


def check(build: Build, exact: bool = True) -> None:
    """The same with any number of shards as without."""
    for rows in ROWS:
        with np.errstate(all="ignore"):
            wanted = run(build, rows)
            for count in COUNTS:
                for sums in SUMS:
                    config = tf.SessionConfig(shard={"batch": count}, sums=sums, verify=True)
                    for a, b in zip(wanted, run(build, rows, config), strict=True):
                        assert a.dtype == b.dtype and a.shape == b.shape
                        if exact:
                            assert same(a, b), (rows, count, a, b)
                        else:
                            few = 1e-5 if a.dtype.itemsize > 2 else 2e-3
                            np.testing.assert_allclose(a, b, few, few)


def rows_of(*shape: int, dtype: str = "float32") -> Tensor:
    return tf.placeholder(dtype, ["batch", *shape])


# ---- what each row gives ------------------------------------------------------------------------


def elementwise() -> Any:
    x, y = rows_of(3), rows_of(3)
    return [tf.exp(x) * y + 1.0, tf.where(x > y, x, y), tf.cast(x, tf.int32)], {x: numbers(3), y: numbers(3)}


def rows_of_other_dtypes() -> Any:
    s, b, i = rows_of(dtype="string"), rows_of(2, dtype="bool"), rows_of(dtype="int64")
    words = np.array([b"a", b"bc", b"", b"\xff"], object)
    feeds = {s: lambda n: words[np.arange(n) % 4], b: lambda n: np.arange(2 * n).reshape(n, 2) % 3 == 0,
             i: lambda n: np.arange(n) - 3}  # fmt: skip
    return [tf.equal(s, "a"), tf.logical_not(b), tf.where(tf.equal(s, "bc"), -i, i), s, tf.identity(s)], feeds


def shapes_and_sizes() -> Any:
    x = rows_of(3, 2)
    y = tf.reshape(x * 2.0, [tf.shape(x)[0], 6])
    n = tf.cast(tf.shape(y)[0], tf.float32)
    fetches = [y / n, tf.shape(y), tf.size(x + 1.0), tf.rank(y), tf.zeros_like(y), tf.fill(tf.shape(x)[:1], 3)]
    return fetches, {x: numbers(3, 2)}


def beside_whole_values() -> Any:
    x = rows_of(4)
    noise = tf.random_uniform(tf.shape(x), seed=3)
    w = tf.get_variable("w", [4], initializer=tf.ones_initializer())
    return [x * w, x + noise, tf.stack([x, noise], axis=1)], {x: numbers(4)}


def something_that_needs_all_rows() -> Any:
    x = rows_of(2)
    cumulated = tf.cumsum(x * 2.0, axis=0)
    return [cumulated + x, tf.exp(cumulated), tf.reverse(x, [True, False])], {x: numbers(2)}


def an_empty_feed_beside() -> Any:
    x, w = rows_of(2), tf.placeholder(tf.float32, [None, 2])
    return [x + tf.reduce_sum(w, 0), w * 2.0], {x: numbers(2), w: lambda n: np.ones((3, 2), "f4")}


def named_twice() -> Any:
    x = tf.placeholder(tf.float32, ["batch", "batch"])
    return [x + 1.0, tf.transpose(x)], {x: lambda n: np.arange(n * n, dtype="f4").reshape(n, n)}


def a_claim_about_sizes() -> Any:
    x = rows_of(3)
    y = tf.boolean_mask(x, tf.ones_like(x[:, 0]) > 0)
    y.set_shape(["batch", 3])
    return [x + y, y * 2.0], {x: numbers(3)}


def waits() -> Any:
    x = rows_of(2)
    with tf.control_dependencies([x * 2.0, tf.assert_equal(tf.shape(x)[1], 2)]):
        y = tf.identity(x + 1.0)
    return [y, tf.reduce_max(y, 1)], {x: numbers(2)}


def branches_and_loops() -> Any:
    x = rows_of(2)
    y = tf.cond(tf.reduce_any(x > 0), lambda: x + 1.0, lambda: x - 1.0)
    return [tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 2.0), [0, y])[1]], {x: numbers(2)}


ROWWISE = (
    elementwise, rows_of_other_dtypes, shapes_and_sizes, beside_whole_values, something_that_needs_all_rows,
    an_empty_feed_beside, named_twice, a_claim_about_sizes, waits, branches_and_loops,
)  # fmt: skip


@pytest.mark.share(3)
@pytest.mark.parametrize("build", ROWWISE, ids=lambda build: build.__name__)
def test_rows_are_the_same_bit_for_bit(build: Build) -> None:
    check(build)


# ---- what combines rows -------------------------------------------------------------------------


def test_ints_and_extremes_combine_to_the_same_bits() -> None:
    def build() -> Any:
        x, i, b = rows_of(3), rows_of(dtype="int32"), rows_of(2, dtype="bool")
        feeds = {x: numbers(3), i: lambda n: np.arange(n, dtype="i4") * 3 - 4,
                 b: lambda n: np.arange(2 * n).reshape(n, 2) % 3 > 0}  # fmt: skip
        return [tf.reduce_max(x, 0), tf.reduce_min(x), tf.reduce_sum(i), tf.reduce_prod(i), tf.reduce_all(b, 0),
                tf.reduce_any(b), tf.reduce_max(i, keepdims=True)], feeds  # fmt: skip

    check(build)


def test_sums_means_and_products_of_floats_are_close() -> None:
    def build() -> Any:
        x, h, w = rows_of(3), rows_of(dtype="float16"), tf.constant(np.eye(3, 5, dtype="f4") * 2)
        y = tf.matmul(x, w)
        mean, variance = tf.nn.moments(y, [0])
        normal = (y - mean) / tf.sqrt(variance + 1e-3)
        fetches = [tf.reduce_sum(x), tf.reduce_mean(x, 0), tf.reduce_mean(h), tf.reduce_prod(x, 0), y, mean, variance,
                   tf.matmul(x, y, transpose_a=True), tf.reduce_logsumexp(x, 0), normal]  # fmt: skip
        return fetches, {x: numbers(3), h: numbers(dtype="float16")}

    check(build, exact=False)


def test_a_mean_weighs_shards_by_their_rows() -> None:
    def build() -> Any:
        x = rows_of()
        return [tf.reduce_mean(x)], {x: lambda n: np.array([1, 2, 3, 4, 5, 6, 100], "f8")[:n].astype("f4")}

    for count in (2, 3, 5):
        assert run(build, 7, tf.SessionConfig(shard={"batch": count}))[0] == np.float32(121 / 7)


def test_nan_and_infinity_come_through_joins() -> None:
    def build() -> Any:
        x = rows_of(2)
        values = np.array([[np.nan, 1], [2, np.inf], [3, -np.inf], [4, 5]], "f4")
        return [tf.reduce_sum(x, 0), tf.reduce_mean(x, 0), tf.reduce_max(x, 0), x + 1.0], {x: lambda n: values}

    check(build)


def test_no_rows_at_all_give_what_one_machine_gives() -> None:
    def build() -> Any:
        x = rows_of(2)
        return [tf.reduce_mean(x), tf.reduce_mean(x, 0), tf.reduce_max(x, 0), tf.reduce_sum(x)], {x: numbers(2)}

    wanted = run(build, 0)
    assert np.isnan(wanted[0])
    for a, b in zip(wanted, run(build, 0, tf.SessionConfig(shard={"batch": 3})), strict=True):
        assert same(a, b)


# ---- feeds --------------------------------------------------------------------------------------


def test_a_tensor_that_is_fed_in_the_middle_is_cut() -> None:
    config = tf.SessionConfig(shard={"batch": 3}, verify=True)
    with tf.Session(graph=tf.Graph(), config=config) as session, session.graph.as_default():
        x = tf.placeholder(tf.float32, ["batch", 2], name="x")
        y = tf.exp(x, name="y")
        z = y * 2.0
        value = np.arange(10, dtype="f4").reshape(5, 2)
        found = session.explain(z, [y]).shards
        assert found is not None and [str(feed) for feed in found.feeds] == ["y:0 along axis 0"]
        assert np.array_equal(session.run(z, {y: value}), value * 2)


def test_feeds_with_different_numbers_of_rows_are_refused() -> None:
    with tf.Session(graph=tf.Graph(), config=tf.SessionConfig(shard={"batch": 2})) as session:
        with session.graph.as_default():
            x, y = rows_of(), rows_of()
        with pytest.raises(ValueError, match="cannot have two sizes"):
            session.run(x + y, {x: [1.0, 2.0], y: [1.0, 2.0, 3.0]})


def test_sizes_that_a_graph_claims_are_checked() -> None:
    with tf.Session(graph=tf.Graph(), config=tf.SessionConfig(shard={"batch": 2})) as session:
        with session.graph.as_default():
            x = rows_of()
            y = tf.boolean_mask(x, x > 0)
            y.set_shape(["batch"])
            z = x + y
        assert session.run(z, {x: [1.0, 2.0, 3.0]}).tolist() == [2.0, 4.0, 6.0]
        with pytest.raises(tf.errors.InvalidArgumentError, match="set_shape said that"):
            session.run(z, {x: [1.0, -2.0, 3.0]})


def test_a_run_is_repeated_with_other_numbers_of_rows() -> None:
    with tf.Session(graph=tf.Graph(), config=tf.SessionConfig(shard={"batch": 3})) as session:
        with session.graph.as_default():
            x = rows_of(4)
            y = tf.tanh(x) * 2.0
        for rows in (9, 2, 0, 300, 9):
            value = numbers(4)(rows)
            assert np.array_equal(session.run(y, {x: value}), np.tanh(value) * 2)


# ---- what is told -------------------------------------------------------------------------------


def test_explain_tells_what_runs_in_shards_what_is_joined_and_what_is_refused() -> None:
    def build() -> Any:
        x = tf.placeholder(tf.float32, ["batch", 2], name="x")
        y = tf.exp(x, name="y")
        return [tf.reduce_sum(y, 0, name="sum"), tf.softmax(y, 0, name="softmax")], {x: numbers(2)}

    found = report(build)
    assert found.in_shards == ("y", "sum")
    assert [str(join) for join in found.joins] == [
        "y:0: concat, softmax reads it", "sum:0: sum, it is fetched",
    ]  # fmt: skip
    (refused,) = found.refused
    assert refused.node == "softmax" and refused.place.startswith("test_sharded_stage.py:")
    assert "needs all of axis 0" in refused.why
    text = str(found)
    assert text.startswith("2 shards of batch: 2 nodes in each shard, ") and "cut: x:0 along axis 0" in text


def test_why_says_that_a_node_is_cut() -> None:
    config = tf.SessionConfig(shard={"batch": 2}, passes=())
    with tf.Session(graph=tf.Graph(), config=config) as session, session.graph.as_default():
        x = tf.placeholder(tf.float32, ["batch", 2], name="x")
        found = session.explain(tf.exp(x, name="y"), [x])
    assert found.why("y").startswith("y: cut into 2 shards, then kept: step ")
    assert "shards: 1 node -> " in str(found)


def test_a_warning_says_once_why_nothing_is_cut(caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("penstock").propagate = True
    with tf.Session(graph=tf.Graph(), config=tf.SessionConfig(shard={"batch": 2})) as session:
        with session.graph.as_default():
            x = tf.placeholder(tf.float32, [None, 2], name="rows_without_a_name")
        for _ in range(2):
            assert session.run(x + 1.0, {x: [[1.0, 2.0]]}).tolist() == [[2.0, 3.0]]
        assert session.run(x * 2.0, {x: [[1.0, 2.0]]}).tolist() == [[2.0, 4.0]]
    (line,) = [record.getMessage() for record in caplog.records]
    assert line == (
        "SessionConfig(shard={'batch': ...}): nothing runs in shards, no fed tensor has a dimension called 'batch': "
        "rows_without_a_name:0 (?, 2). Name it, as in tf.placeholder(dtype, ['batch'])"
    )


def test_an_error_in_a_shard_names_the_node_and_the_line_of_the_user() -> None:
    with tf.Session(graph=tf.Graph(), config=tf.SessionConfig(shard={"batch": 2})) as session:
        with session.graph.as_default():
            x = tf.placeholder(tf.float32, ["batch"], name="x")
            y = tf.check_numerics(x, "here", name="checked")
        with pytest.raises(tf.errors.InvalidArgumentError, match=r'here : Tensor had NaN.*\n.*"checked"') as caught:
            session.run(y, {x: [1.0, 2.0, np.nan]})
        assert caught.value.op is y.op


# ---- devices ------------------------------------------------------------------------------------


def test_copies_ask_for_the_worker_of_their_shard() -> None:
    config = tf.SessionConfig(shard={"batch": [2, 0]}, passes=())
    with tf.Session(graph=tf.Graph(), config=config) as session, session.graph.as_default():
        x = tf.placeholder(tf.float32, ["batch"], name="x")
        with tf.device("/cpu:0"):
            y = tf.exp(x, name="y")
        with tf.device("/job:ps/task:0"):
            z = tf.negative(y, name="z")
        found = session.explain([y, z], [x])
        assert session.run(z, {x: [0.0, 0.0]}).tolist() == [-1.0, -1.0]
    devices = {op.name: op.device for op in found.stages[-1].operations}
    assert devices["x.shard_0"] == "/job:worker/task:2" and devices["y.shard_1"] == "/job:worker/task:0/device:CPU:0"
    assert devices["z"] == "/job:ps/task:0" and devices["y.joined"] == ""
    assert found.shards is not None
    assert [(each.node, each.why) for each in found.shards.refused] == [
        ("z", "it asks for the device '/job:ps/task:0'")
    ]
