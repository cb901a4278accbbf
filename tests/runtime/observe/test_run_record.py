"""A recorded run: what each step made, what was held, and values from before their memory was used again."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.execution.step_listener import ListenerGroup
from penstock.runtime.observe.recorder import Recorder
from penstock.runtime.observe.run_record import byte_text, time_text
from penstock.runtime.planning.slot_names import results_of

F32 = np.float32


def recorded(
    graph: tf.Graph, fetches: Any, feeds: dict[Any, Any], values: bool = True, **config: Any
) -> tuple[Any, tf.RunRecord]:
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph, config=tf.SessionConfig(**config)) as session:
        result = session.run(fetches, feeds, tf.RunOptions(values=values), metadata)
    assert metadata.record is not None
    return result, metadata.record


def chain(count: int, size: int) -> tuple[tf.Graph, tf.Tensor, tf.Tensor]:
    """Steps that each need memory of their own size, one after another: the arena gives them the same place."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [size], name="x")
        y = x
        for i in range(count):
            y = tf.cumsum(tf.add(y, 1.0, name=f"add_{i}"), name=f"sums_{i}")
    return graph, x, y


def test_values_are_summarised_before_their_memory_is_used_again() -> None:
    graph, x, y = chain(6, 5000)
    fed = np.zeros(5000, F32)
    _, record = recorded(graph, y, {x: fed})
    value = fed
    for i in range(6):
        added = value + F32(1)
        value = np.cumsum(added, dtype=F32)
        for name, expected in ((f"add_{i}", added), (f"sums_{i}", value)):
            found = record.step(name).results[0].value
            assert found is not None
            assert (found.minimum, found.maximum) == (expected.min(), expected.max()), name


def test_shapes_that_depend_on_values_are_those_of_the_run() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        kept = tf.boolean_mask(x, tf.greater(x, 0.0), name="kept")
        parts = tf.dynamic_partition(x, tf.cast(tf.greater(x, 1.0), tf.int32), 2, name="parts")
    _, record = recorded(graph, [kept, parts], {x: [1.0, -1.0, 2.0, 3.0]}, values=False)
    assert [r.shape for r in record.step("kept").results] == [(3,)]
    assert [r.shape for r in record.step("parts").results] == [(2,), (2,)]
    assert [r.name for r in record.step("parts").results] == ["parts:0", "parts:1"]
    assert record.feeds[0].type == "float32 (4,)"
    assert all(r.value is None for step in record.steps for r in step.results) and not record.has_values


def test_results_of_a_fused_step_are_called_like_the_tensors_that_leave_it() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [8], name="x")
        inner = tf.multiply(x, 2.0, name="inner")
        y = tf.tanh(inner, name="y")
    result, record = recorded(graph, [inner, y], {x: np.arange(8)})
    (step,) = record.steps
    assert {r.name for r in step.results} == {"inner:0", "y:0"}
    highest = {r.name: r.value.maximum for r in step.results if r.value is not None}
    assert highest == {"inner:0": result[0].max(), "y:0": result[1].max()}
    assert step.kernel in ("interpreted", "compiled") and record.step("inner") is step
    assert results_of(record.plan.steps[0]) == tuple(r.name for r in step.results)


@pytest.mark.parametrize("arena", [True, False])
def test_bytes_held_are_those_of_all_values_alive_with_shared_memory_counted_once(arena: bool) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [1000], name="x")
        doubled = tf.cumsum(x, name="doubled")
        seen = tf.reshape(doubled, [10, 100], name="seen")  # a view
        total = tf.reduce_max(seen, name="total")
    _, record = recorded(graph, total, {x: np.ones(1000)}, values=False, arena=arena)
    constants = sum(array.nbytes for _, array, _ in record.plan.constants)
    held = {step.node: step.held - constants for step in record.steps}
    assert held["doubled"] == 8000 and held["seen"] == 4000
    assert record.peak_bytes == max(step.held for step in record.steps)


def test_a_run_with_unhealthy_values_says_where_they_begin() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3], name="x")
        y = tf.cumsum(tf.log(x, name="logs"), name="sums")
    _, record = recorded(graph, y, {x: [1.0, 0.0, -1.0]}, passes=())
    assert [r.name for r in record.unhealthy] == ["logs:0", "sums:0"]
    assert [step.is_healthy for step in record.steps] == [False, False]
    assert "NaN or Inf first in logs:0" in record.headline
    logs = record.step("logs").results[0].value
    assert logs is not None and (logs.infs, logs.nans, logs.first_bad) == (1, 1, (1,))


def test_a_failed_run_tells_of_the_steps_before() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        at = tf.placeholder(tf.int32, [], name="at")
        y = tf.gather(tf.cumsum(x, name="sums"), at, name="taken")
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session, pytest.raises(tf.errors.InvalidArgumentError):
        session.run(y, {x: [1.0, 2.0], at: 9}, tf.RunOptions(values=True), metadata)
    record = metadata.record
    assert record is not None
    assert [step.node for step in record.steps] == ["sums"]
    assert "it failed in step 2 of 2, taken" in record.headline
    with pytest.raises(KeyError, match="no recorded step ran"):
        record.step("taken")


def test_metadata_tells_of_the_last_run_it_was_given_to() -> None:
    graph, x, y = chain(1, 4)
    metadata = tf.RunMetadata()
    assert metadata.record is None and metadata.steps == [] and metadata.peak_bytes == 0
    with tf.Session(graph=graph) as session:
        session.run(y, {x: np.ones(4)}, run_metadata=metadata)
        first = metadata.record
        session.run(y, {x: np.ones(4)}, run_metadata=metadata)
        assert metadata.record is not first and len(metadata.steps) == 2
        session.run(y, {x: np.ones(4)}, tf.RunOptions(trace=False), metadata)
    assert metadata.record is None and metadata.plan is not None


def test_a_record_keeps_no_value_of_the_run_alive() -> None:
    graph, x, y = chain(2, 100_000)
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        fed = np.ones(100_000, F32)
        result = session.run(y, {x: fed}, tf.RunOptions(values=True), metadata)
        gone = weakref.ref(fed)
        del fed, result
        gc.collect()
        assert gone() is None
        assert metadata.record is not None and len(metadata.record.steps) == 4


def test_times_do_not_hold_what_the_values_cost() -> None:
    graph, x, y = chain(3, 200_000)
    _, record = recorded(graph, y, {x: np.ones(200_000)})
    ends = [step.start + step.duration for step in record.steps]
    assert record.seconds == ends[-1]
    assert all(end <= step.start for end, step in zip(ends[:-1], record.steps[1:], strict=True))


def test_recorded_and_unrecorded_runs_give_the_same_bits() -> None:
    graph, x, y = chain(4, 3000)
    fed = np.random.default_rng(1).random(3000, F32)
    recorded_result, _ = recorded(graph, y, {x: fed})
    with tf.Session(graph=graph) as session:
        assert session.run(y, {x: fed}).tobytes() == recorded_result.tobytes()


def test_several_listeners_hear_the_same_run() -> None:
    graph, x, y = chain(2, 10)
    with tf.Session(graph=graph) as session:
        plan = session.plan(y, [x])
    one, other = Recorder(plan), Recorder(plan, values=True)
    both = ListenerGroup(one, other)
    both.begin([np.ones(10, F32)] + [None] * (len(plan.slots) - 1))
    both.step(0, 1.0, 2.0, [np.ones(10, F32)])
    assert one.record().steps[0].results[0].shape == other.record().steps[0].results[0].shape == (10,)
    assert one.record().steps[0].results[0].value is None
    assert other.record().steps[0].results[0].value is not None


def test_a_record_prints_as_a_table_with_a_line_for_each_step() -> None:
    graph, x, y = chain(2, 10)
    _, record = recorded(graph, y, {x: np.ones(10)})
    lines = str(record).split("\n")
    assert lines[0] == record.headline and lines[0].startswith("4 steps in ")
    assert lines[1].split()[:3] == ["step", "node", "op"]
    assert [line.split()[1] for line in lines[2:]] == [step.node for step in record.steps]
    assert lines[2].endswith("  all 2")
    assert repr(record) == f"<RunRecord: {record.headline}>"


def test_a_record_prints_few_elements_as_they_are_and_leaves_out_columns_that_values_need() -> None:
    graph, x, y = chain(2, 3)
    _, record = recorded(graph, y, {x: np.array([1.0, 2.0, 3.0])})
    lines = str(record).split("\n")
    assert lines[1].split() == ["step", "node", "op", "made", "time", "bytes", "values"]
    assert lines[2].endswith("  [2.0, 3.0, 4.0]")
    assert record.table().split("\n")[0].split()[-3:] == ["bytes", "held", "values"]


def test_a_long_record_prints_its_beginning() -> None:
    graph, x, y = chain(60, 2)
    _, record = recorded(graph, y, {x: np.ones(2)}, values=False, passes=())
    assert len(str(record).split("\n")) == 41 and "more steps" in str(record)
    assert len(record.table().split("\n")) == len(record.steps) + 1


@pytest.mark.parametrize(
    ("seconds", "text"), [(2.0, "2 s"), (0.5, "500 ms"), (1e-3, "1 ms"), (1.5e-6, "1.5 us"), (0.0, "0 us")]
)
def test_durations_have_the_unit_that_suits_them(seconds: float, text: str) -> None:
    assert time_text(seconds) == text


@pytest.mark.parametrize(("count", "text"), [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (1 << 40, "1 TiB")])
def test_sizes_have_the_unit_that_suits_them(count: int, text: str) -> None:
    assert byte_text(count) == text


def test_a_record_says_what_a_variant_holds() -> None:
    with tf.Graph().as_default() as graph:
        array = tf.TensorArray(tf.float32, 4).write(0, [1.0, 2.0]).write(2, [3.0, 4.0])
        rows = tf.data.Dataset.from_tensor_slices([1, 2, 3]).batch(2).make_one_shot_iterator().get_next()
        metadata = tf.RunMetadata()
        with tf.Session(graph=graph) as session:
            session.run([array.read(0), rows], options=tf.RunOptions(values=True), run_metadata=metadata)
    table = str(metadata.record)
    assert "variant" not in table and "<" not in table
    lines = {line.split()[1]: " ".join(line.split()[3:]) for line in table.splitlines()[2:]}
    assert lines["TensorArrayWrite_1"].startswith("TensorArray (4)")
    assert lines["TensorArrayWrite_1"].endswith("2 of 4 float32 written")
    assert lines["BatchDatasetV2"].startswith("dataset") and lines["BatchDatasetV2"].endswith("batch")
