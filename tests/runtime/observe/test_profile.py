"""`session.profile` adds up many runs by step and op, and draws the median times."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import InvalidArgumentError
from penstock.runtime.observe.profile import profile_of


def profiled(runs: int = 3, **options: Any) -> Any:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        y = tf.exp(x * 2.0, name="y")
        total = tf.reduce_sum(tf.cumsum(tf.cumsum(y, name="first"), name="second"), name="total")
    with tf.Session(graph=graph) as session:
        return session.profile(total, {x: np.ones(100, np.float32)}, runs=runs, **options)


def test_every_step_of_the_plan_has_a_row() -> None:
    profile = profiled()
    assert profile.runs == 3
    assert [row.name for row in profile.steps] == ["y", "first", "second", "total"]
    assert profile.step("mul").nodes == ("mul", "y")
    assert sum(row.share for row in profile.steps) == pytest.approx(1.0)
    assert all(0 < row.least <= row.mean and row.least <= row.p95 for row in profile.steps)
    assert profile.step("first").bytes == 400
    with pytest.raises(KeyError, match="nobody"):
        profile.step("nobody")


def test_ops_of_one_type_are_added_up_run_by_run() -> None:
    profile = profiled(5)
    rows = {row.name: row for row in profile.by_op}
    assert rows["Cumsum"].count == 2
    assert rows["Cumsum"].mean == pytest.approx(profile.step("first").mean + profile.step("second").mean)
    assert rows["Cumsum"].bytes == 800
    assert [row.median for row in profile.by_op] == sorted((row.median for row in profile.by_op), reverse=True)
    assert profile.total.mean == pytest.approx(sum(row.mean for row in profile.steps))


def test_mean_and_percentile_are_those_of_the_recorded_times() -> None:
    with tf.Graph().as_default() as graph:
        y = tf.cumsum(tf.placeholder(tf.float32, ["n"], name="x"), name="y")
    records = []
    with tf.Session(graph=graph) as session:
        for _ in range(7):
            metadata = tf.RunMetadata()
            session.run(y, {"x:0": [1.0]}, run_metadata=metadata)
            records.append(metadata.record)
    profile = profile_of([record for record in records if record is not None])
    seconds = [record.steps[0].duration for record in records if record is not None]
    assert profile.steps[0].mean == pytest.approx(np.mean(seconds))
    assert profile.steps[0].p95 == pytest.approx(np.percentile(seconds, 95))


def test_one_slow_run_does_not_change_the_order_of_the_rows() -> None:
    with tf.Graph().as_default() as graph:
        y = tf.cumsum(tf.cumsum(tf.placeholder(tf.float32, ["n"], name="x"), name="slow"), name="fast")
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run(y, {"x:0": [1.0]}, run_metadata=metadata)
    record = metadata.record
    assert record is not None

    def with_times(*seconds: float) -> tf.RunRecord:
        steps = tuple(replace(step, duration=each) for step, each in zip(record.steps, seconds, strict=True))
        return replace(record, steps=steps)

    profile = profile_of([with_times(2e-3, 1e-3), with_times(2e-3, 5.0), with_times(2e-3, 1e-3)])
    assert profile.step("fast").mean > profile.step("slow").mean
    assert profile.step("fast").share == pytest.approx(1 / 3)
    rows = str(profile).splitlines()[2:4]
    assert [row.split()[0] for row in rows] == ["slow", "fast"] and "1 ms to 4.5 s" in rows[1]


def test_it_prints_as_two_tables_the_slowest_first() -> None:
    profile = profiled()
    lines = str(profile).splitlines()
    assert lines[0].startswith("3 runs of 4 steps: median ")
    assert lines[1].split() == ["step", "op", "median", "least", "to", "p95", "share", "bytes"]
    assert lines[2].startswith(max(profile.steps, key=lambda row: row.median).name)
    assert lines[7].split() == ["op", "steps", "median", "share"]
    assert repr(profile).startswith("<Profile of 3 runs, median ")


def test_the_picture_is_painted_by_the_median_times(tmp_path: Path) -> None:
    profile = profiled()
    text = Path(profile.export(tmp_path / "p.svg")).read_text("utf-8")
    assert "median of 3 runs" in text and "fill" in text
    assert [step.duration for step in profile.record.steps] == [row.median for row in profile.steps]
    assert profile.record.seconds == pytest.approx(sum(row.median for row in profile.steps))
    starts = [step.start for step in profile.record.steps]
    assert starts[0] == 0.0 and starts == sorted(starts)
    page = Path(profile.export(tmp_path / "p.html")).read_text("utf-8")
    assert "second" in page
    plain = Path(profile.export(tmp_path / "kind.svg", colour="kind")).read_text("utf-8")
    assert plain != text


def test_a_plan_without_steps_has_an_empty_profile() -> None:
    with tf.Graph().as_default() as graph:
        y = tf.constant(1.0)
    with tf.Session(graph=graph) as session:
        profile = session.profile(y, runs=2)
    assert profile.steps == () and profile.by_op == () and profile.total.mean == 0.0
    assert "2 runs of 0 steps" in str(profile)


@pytest.mark.parametrize(
    ("options", "error"), [({"runs": 0}, ValueError), ({"runs": 1.5}, TypeError), ({"warmup": -1}, ValueError)]
)
def test_a_number_of_runs_that_cannot_be_is_refused(options: dict[str, Any], error: type) -> None:
    with pytest.raises(error, match="profile"):
        profiled(**options) if "runs" in options else profiled(2, **options)


def test_a_run_that_fails_ends_the_profile_and_leaves_the_session_usable() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.int32, [], name="x")
        y = tf.gather([1, 2], x, name="y")
    with tf.Session(graph=graph) as session:
        with pytest.raises(InvalidArgumentError):
            session.profile(y, {x: 5})
        assert session.profile(y, {x: 1}, runs=1, warmup=0).runs == 1


def test_all_runs_of_a_profile_are_of_one_plan() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, name="x")
        w = tf.Variable(1.0, name="w")
        loss = tf.reduce_mean(tf.square(x * w - 2.0))
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    config = tf.SessionConfig(specialise_after=5)
    for runs in (3, 4, 5, 6, 12):
        with tf.Session(graph=graph, config=config) as session:
            session.run(w.initializer)
            profile = session.profile([loss, train], {x: [1.0, 3.0]}, runs=runs)
            assert profile.runs == runs
            assert session.run(w) == 1.0
    assert len(profile.steps) < len(profiled_once(graph, [loss, train], x, w).steps)


def profiled_once(graph: tf.Graph, fetches: Any, x: tf.Tensor, w: Any) -> Any:
    with tf.Session(graph=graph) as session:
        session.run(w.initializer)
        return session.profile(fetches, {x: [1.0, 3.0]}, runs=1)
