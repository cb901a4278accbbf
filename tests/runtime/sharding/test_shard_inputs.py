"""What a caller has to know who feeds parts in the place of a whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.model.nodes import Tensor
from penstock.runtime.execution.bind import kernel_for
from penstock.runtime.execution.executor import Program
from penstock.runtime.ir.stage import Stage
from penstock.runtime.passes.pipeline import first_stage, optimise
from penstock.runtime.passes.stage_verifier import verify
from penstock.runtime.planning.planner import make_plan
from penstock.runtime.sharding.shard_inputs import shard_inputs, with_fed_parts
from penstock.runtime.sharding.sharded_stage import with_shards


def run(stage: Stage, feeds: list[Any]) -> Any:
    plan = make_plan(optimise(stage, kernel_for), [t.name for t in stage.feeds], tf.SessionConfig())
    return Program(plan, lambda name: None, tf.SessionConfig()).run(feeds)


def stage_of(fetches: list[Tensor], feeds: list[Tensor], count: int = 3) -> Stage:
    return with_shards(first_stage(fetches, [], feeds), {"batch": count})[0]


def test_parts_sizes_and_readers_of_the_whole_are_told() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2, "batch"], name="x")
        w = tf.placeholder(tf.float32, [None], name="w")
        n = tf.shape(x, name="n")
        y, z = x * 2.0, tf.softmax(x, 1, name="z")
    (only,) = shard_inputs(stage_of([y, n, z, w], [x, w]))
    assert only.feed is x and only.axis == 1 and only.workers == (0, 1, 2)
    assert [part.name for part in only.parts] == ["x.shard_0:0", "x.shard_1:0", "x.shard_2:0"]
    assert [op.name for op in only.sizes] == ["n"] and [op.name for op in only.values] == ["z"]
    assert only.needs_whole and not only.is_fetched


def test_a_stage_takes_parts_in_the_place_of_the_whole() -> None:
    with tf.Graph().as_default():
        before = tf.placeholder(tf.float32, [], name="before")
        x = tf.placeholder(tf.float32, ["batch", 2], name="x")
        y = tf.placeholder(tf.float32, ["batch"], name="y")
        residual = tf.reduce_sum(x, 1) * before - y
        loss = tf.reduce_sum(residual * residual) / tf.cast(tf.size(x), tf.float32)
    whole = stage_of([loss], [before, x, y])
    stage, parts = with_fed_parts(whole, [x, y])
    verify(stage)
    assert [t.name for t in stage.feeds] == [
        "before:0", *[f"x.shard_{i}:0" for i in range(3)], *[f"y.shard_{i}:0" for i in range(3)],
    ]  # fmt: skip
    assert [str(t.shape) for t in parts[x]] == [f"(batch_shard_{i}_of_3, 2)" for i in range(3)]
    a, b = np.arange(14, dtype="f4").reshape(7, 2), np.arange(7, dtype="f4")
    scale = np.float32(0.5)
    found = run(stage, [scale, *np.array_split(a, 3), *np.array_split(b, 3)])
    assert np.array_equal(found[0], run(whole, [scale, a, b])[0])


def test_a_feed_that_is_needed_as_a_whole_cannot_be_fed_in_parts() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["batch"], name="x")
        stage = stage_of([x * 2.0, x], [x])
    (only,) = shard_inputs(stage)
    assert only.is_fetched and only.needs_whole
    with pytest.raises(ValueError, match="x:0 is needed as a whole"):
        with_fed_parts(stage, [x])
