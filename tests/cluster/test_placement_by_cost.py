"""Where free operations go, which partitions follow, and what a run is expected to take: without a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.cluster.placing import placement_by_cost
from penstock.cluster.placing.cluster_placement import held_together
from penstock.cluster.placing.cluster_plan import cluster_plan
from penstock.cluster.placing.partitions import Partition, partitions_of
from penstock.cluster.placing.placement_by_cost import place_by_cost
from penstock.cluster.placing.places import Link
from penstock.cluster.placing.prediction import predict
from penstock.cluster.placing.stage_costs import Speed, stage_costs
from penstock.runtime.ir.stage import Stage
from penstock.runtime.passes.pipeline import first_stage
from penstock.runtime.sharding.shard_inputs import shard_inputs
from penstock.runtime.sharding.sharded_stage import with_shards

LINK = Link(call_s=1.4e-3, per_partition_s=0.3e-3, latency_s=0.8e-3, bytes_per_s=1e9)


def placed(stage: Stage, shapes: list[Any], fixed: Mapping[tf.Operation, int], workers: int = 2) -> dict[Any, int]:
    costs = stage_costs(stage, shapes, Speed())
    homes = [None] * len(stage.feeds)
    return place_by_cost(stage, fixed, held_together(stage), homes, costs, range(workers), LINK)


def towers(count: int, layers: int, width: int) -> tuple[Stage, list[tf.Tensor]]:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n", width], name="x")
        ends = []
        for i in range(count):
            with tf.name_scope(f"tower_{i}"):
                h = x
                for _ in range(layers):
                    h = tf.tanh(tf.matmul(h, tf.ones([width, width])))
                ends.append(tf.reduce_sum(h))
        return first_stage([tf.add_n(ends)], (), [x]), ends


def places_of_scopes(places: Mapping[tf.Operation, int]) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for op, place in places.items():
        found.setdefault(op.name.partition("/")[0], set()).add(place)
    return found


def test_independent_towers_go_to_different_workers() -> None:
    stage, _ = towers(4, 3, 256)
    scopes = places_of_scopes(placed(stage, [(4000, 256)], {}))
    assert all(len(scopes[f"tower_{i}"]) == 1 for i in range(4))
    assert sorted(min(scopes[f"tower_{i}"]) for i in range(4)) == [0, 0, 1, 1]


@pytest.mark.parametrize("most", [4, 12, 40])
def test_a_large_graph_is_scheduled_in_few_units(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n", 256], name="x")
        ends = []
        for i in range(4):
            with tf.name_scope(f"tower_{i}"):
                h = tf.tanh(tf.matmul(x, tf.ones([256, 256])))
                lights = [tf.reduce_sum(h[k]) for k in range(12)]  # each reads the tower, and the next one
                ends.append(tf.add_n([a * b for a, b in pairwise(lights)]))
        stage = first_stage([tf.add_n(ends)], (), [x])
    monkeypatch.setattr(placement_by_cost, "MOST_UNITS", most)
    units: list[int] = []
    coarse = placement_by_cost._coarse

    def noted(*args: Any) -> list[int]:
        numbers: list[int] = coarse(*args)
        units.append(sum(number == at for at, number in enumerate(numbers)))
        return numbers

    monkeypatch.setattr(placement_by_cost, "_coarse", noted)
    places = placed(stage, [(4000, 256)], {})
    assert 1 <= units[0] <= most
    assert {op for op in stage.operations if not op.opdef.facts.is_constant} <= {*places}
    assert {*places.values()} <= {0, 1}


def test_a_small_graph_stays_on_one_worker() -> None:
    stage, _ = towers(4, 3, 8)
    assert len(set(placed(stage, [(4, 8)], {}).values())) == 1


def test_a_chain_stays_on_one_worker() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n"], name="x")
        y = x
        for _ in range(300):
            y = tf.tanh(y + 1.0)
        stage = first_stage([y], (), [x])
    assert len(set(placed(stage, [(100_000,)], {}).values())) == 1


def test_what_is_fixed_stays_and_others_follow_it() -> None:
    stage, ends = towers(1, 3, 8)
    product = next(op for op in stage.operations if op.type == "MatMul")
    places = placed(stage, [(4, 8)], {product: 1})
    assert places[product] == 1
    assert places[ends[0].op] == 1


def test_groups_that_wait_for_each_other_are_placed() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [1000], name="x")
        one, other = (tf.TensorArray(tf.float32, size=4, clear_after_read=False).write(0, x) for _ in range(2))
        for i in range(1, 4):
            one, other = one.write(i, tf.exp(other.read(i - 1))), other.write(i, tf.sqrt(one.read(i - 1)))
        stage = first_stage([one.stack(), other.stack()], (), [x])
    together = held_together(stage)
    fixed = {leader: place for place, leader in enumerate(dict.fromkeys(together.values()))}
    places = placed(stage, [(1000,)], fixed)
    assert len(fixed) == 2
    assert all(places[op] == fixed[leader] for op, leader in together.items())


def random_stage(seed: int) -> tuple[Stage, dict[tf.Operation, int]]:
    rng = np.random.default_rng(seed)
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [4], name="x")
        pool: list[tf.Tensor] = [x]
        array = tf.TensorArray(tf.float32, size=8)
        for i in range(60):
            one, other = (pool[int(k)] for k in rng.integers(max(0, len(pool) - 9), len(pool), 2))
            pool.append(tf.add(one, other) if rng.random() < 0.7 else tf.add(one, float(i)))
            if i % 8 == 0:
                array = array.write(i // 8, pool[-1])
        stage = first_stage([pool[-1], pool[-4], array.stack()], (), [x])
    free = [op for op in stage.operations if not op.opdef.facts.is_constant]
    together = held_together(stage)
    return stage, {op: int(rng.integers(-1, 3)) for op in free if rng.random() < 0.3 and op not in together}


@pytest.mark.parametrize("seed", range(12))
def test_partitions_have_no_cycles_and_lose_nothing(seed: int) -> None:
    stage, fixed = random_stage(seed)
    places = placed(stage, [(4,)], fixed, 3)
    assert {op: places[op] for op in fixed} == fixed
    partitions = partitions_of(stage, places)  # which checks that each comes after what it needs
    computed = [op for each in partitions for op in each.operations if not op.opdef.facts.is_constant]
    assert sorted(op.name for op in computed) == sorted(op.name for op in places)
    assert all(places[op] == each.place for each in partitions for op in each.operations if op in places)


@pytest.mark.parametrize("seed", range(4))
def test_values_that_cannot_be_sent_do_not_change_place(seed: int) -> None:
    stage, fixed = random_stage(seed)
    places = placed(stage, [(4,)], fixed, 3)
    assert all(
        places[op] == places[t.op]
        for op in places
        for t in op.inputs
        if t.dtype.is_variant and t.op in places
    )  # fmt: skip


def test_a_partition_waits_for_what_it_only_follows() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [4], name="x")
        first = tf.add(x, 1.0)
        with tf.control_dependencies([first]):
            second = tf.add(x, 2.0)
        stage = first_stage([second], (), [x])
    one, other = partitions_of(stage, {first.op: 0, second.op: 1})
    assert (one.after, other.after) == ((), (0,))
    assert isinstance(one, Partition)


def test_the_prediction_tells_what_pays() -> None:
    words = []
    for width, rows in ((512, 4000), (8, 4)):
        stage, _ = towers(2, 3, width)
        costs = stage_costs(stage, [(rows, width)], Speed())
        places = placed(stage, [(rows, width)], {})
        found = predict(cluster_plan(stage, places, {}), costs, LINK, [None], costs.total)
        words.append(found.verdict)
        assert costs.total < found.local_seconds < costs.total + 1e-4
        assert found.crossing >= rows * width * 4
    assert words[0].endswith("here: use the cluster")
    assert words[1].endswith("here: stay local")


def test_sizes_that_only_the_run_finds_are_counted() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["n"], name="x")
        picked = tf.boolean_mask(x, x > 0.0) * 2.0
        stage = first_stage([picked], (), [x])
    costs = stage_costs(stage, [(1000,)], Speed())
    assert costs.guessed > 0
    assert costs.sizes[picked] == 4000


def test_the_first_shards_are_expected_to_have_the_rows_that_remain() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, ["batch", 1000], name="x")
        stage = with_shards(first_stage([tf.reduce_sum(x * 2.0)], (), [x]), {"batch": 3})[0]
    costs = stage_costs(stage, [(8, 1000)], Speed())
    (cut,) = shard_inputs(stage)
    assert [costs.sizes[part] for part in cut.parts] == [12_000, 12_000, 8_000]


def test_a_loop_is_expected_to_take_several_times_what_its_body_takes() -> None:
    def seconds(is_loop: bool) -> float:
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32, [300, 300], name="x")
            y = tf.while_loop(lambda t: tf.reduce_sum(t) < 9.0, lambda t: tf.matmul(t, t), [x]) if is_loop else None
            return stage_costs(first_stage([tf.matmul(x, x) if y is None else y], (), [x]), [(300, 300)], Speed()).total

    assert seconds(True) > 5 * seconds(False)


def test_what_stays_inside_of_a_group_is_expected_to_move_no_memory() -> None:
    def seconds(count: int) -> float:
        with tf.Graph().as_default():
            x = y = tf.placeholder(tf.float32, [3_000_000], name="x")
            for _ in range(count):
                y = y + 1.0
            return stage_costs(first_stage([y], (), [x]), [(3_000_000,)], Speed()).total

    assert seconds(4) < 2.5 * seconds(1)
