"""Recorded runs on a cluster: one record of all places, with their transfers and waiting, on one clock."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.observe.run_record import RunRecord

from .sample_program import ON, is_same, sample_program

ROUNDING = 1e-9
"""Seconds that differences of times may be off."""


@pytest.fixture(scope="module")
def session(cluster_address: str) -> Iterator[tf.Session]:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3], name="x")
        with tf.device(ON[0]):
            a = tf.add(tf.exp(x), 1.0, name="a")
            v = tf.get_variable("v", initializer=tf.constant([1.0, 2.0, 3.0]))
        with tf.device(ON[1]):
            b = tf.multiply(tf.sqrt(a), 2.0, name="b")
            tf.while_loop(lambda i, y: i < 5, lambda i, y: (i + 1, y * 1.5), [0, b], name="loop")
        with tf.device(ON[0]):
            c = tf.subtract(b, a, name="c")
            tf.assign_add(v, c, name="update")
            tf.gather([1.0, 2.0], tf.cast(x, tf.int32), name="picked")
        tf.add(tf.py_func(lambda t: t * 2, [c], tf.float32, name="here"), b, name="last")
    with tf.Session(cluster_address, graph=graph) as made:
        made.run(v.initializer)
        yield made


FETCHES = ["last:0", "loop:1", "update:0"]
FED = {"x:0": [1.0, 2.0, 3.0]}


def record_of(session: tf.Session, fetches: Any = FETCHES, values: bool = False) -> RunRecord:
    metadata = tf.RunMetadata()
    session.run(fetches, FED, tf.RunOptions(values=values), metadata)
    assert metadata.record is not None
    return metadata.record


@pytest.fixture(scope="module")
def record(session: tf.Session) -> RunRecord:
    return record_of(session)


def test_each_step_has_its_place_and_the_names_of_the_user(record: RunRecord) -> None:
    places = {step.node: step.place for step in record.steps}
    assert places["loop"] == "worker 1" and places["here"] == "client" and record.step("c").place == "worker 0"
    assert record.step("a").place == "worker 0" and record.step("b").device == "worker 1"
    assert record.step("update").writes == ("v",)


def test_steps_are_in_the_order_of_time_and_none_reads_what_is_not_there(record: RunRecord) -> None:
    starts = [step.start for step in record.steps]
    assert starts == sorted(starts) and starts[0] >= 0
    made = {slot for _, slot in record.plan.feeds} | {slot for slot, _, _ in record.plan.constants}
    ends: dict[int, float] = {}
    for planned, step in zip(record.plan.steps, record.steps, strict=True):
        assert made.issuperset(planned.inputs)
        assert all(ends.get(slot, 0.0) <= step.start + ROUNDING for slot in planned.inputs)
        made.update(planned.outputs)
        ends |= dict.fromkeys(planned.outputs, step.start + step.duration)
    assert max(ends.values()) <= record.seconds


def test_a_transfer_says_what_went_where(record: RunRecord) -> None:
    found = {(t.value, t.source, t.target): t for t in record.transfers}
    assert found["a:0", "worker 0", "worker 1"].bytes == 12
    for way in (("b:0", "worker 1", "worker 0"), ("c:0", "worker 0", "client"), ("x:0", "client", "worker 0"),
                ("loop:1", "worker 1", "client")):  # fmt: skip
        assert way in found
    ended = record.step("a").start + record.step("a").duration
    sent = found["a:0", "worker 0", "worker 1"]
    assert ended <= sent.start + ROUNDING and sent.start + sent.duration <= record.step("b").start + 1e-3
    assert all(t.duration >= 0 and 0 <= t.start <= record.seconds for t in record.transfers)


def test_a_place_waits_for_the_value_that_comes_last(session: tf.Session) -> None:
    nodes: dict[tuple[str, str], tuple[str, str]] = {}
    for _ in range(30):  # on a busy machine a value may be there before its place asks for it
        record = record_of(session)
        assert all(wait.duration > 0 for wait in record.waits)
        nodes |= {(wait.place, wait.value): (wait.node, record.step("c").node) for wait in record.waits}
        if {("worker 0", "b:0"), ("client", "c:0")} <= nodes.keys():
            break
    node, c = nodes["worker 0", "b:0"]
    assert node == c and nodes["client", "c:0"][0] == "here"


def test_places_tell_steps_memory_and_clock(record: RunRecord) -> None:
    places = {place.name: place for place in record.places}
    assert list(places) == ["client", "worker 0", "worker 1"]
    assert sum(place.steps for place in record.places) == len(record.steps)
    assert record.peak_bytes == max(place.peak_bytes for place in record.places) > 0
    assert all(place.clock_error < 10 for place in record.places)  # seconds; they are processes of one machine
    assert "on worker 1" in record.headline and "transfers" in record.headline


def test_values_are_those_of_one_machine(session: tf.Session) -> None:
    metadata = tf.RunMetadata()
    options = tf.RunOptions(values=True)
    tf.Session(graph=session.graph).run("loop:1", FED, options, metadata)
    here = metadata.record
    there = record_of(session, "loop:1", values=True)
    assert here is not None
    assert here.feeds == there.feeds
    assert [replace(r, name="") for r in here.step("loop").results] == [
        replace(r, name="") for r in there.step("loop").results
    ]
    bodies = [
        [[(s.node, s.results) for s in body.steps] for body in each.step("loop").inside] for each in (here, there)
    ]
    assert bodies[0] == bodies[1] != []


def test_a_table_has_lines_for_transfers_and_waiting(record: RunRecord) -> None:
    lines = [line.split() for line in record.table().splitlines()]
    assert ["a:0", "transfer", "worker", "0", "to", "worker", "1"] in [line[:7] for line in lines]
    assert any(line[1] == "wait" for line in lines)
    assert [line[0] for line in lines if line[0].isdigit()] == [str(i + 1) for i in range(len(record.steps))]


def test_the_timeline_has_a_process_for_each_place_and_arrows_between_them(record: RunRecord, tmp_path: Path) -> None:
    events = json.loads(record.export(tmp_path / "run.perfetto.json").read_text())["traceEvents"]
    names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    assert sorted(names.values()) == ["run: client", "run: worker 0", "run: worker 1"]
    starts = {e["id"]: e for e in events if e["ph"] == "s"}
    ends = {e["id"]: e for e in events if e["ph"] == "f"}
    ways = {(starts[i]["name"], names[starts[i]["pid"]], names[ends[i]["pid"]]) for i in starts}
    assert ("a:0", "run: worker 0", "run: worker 1") in ways and starts.keys() == ends.keys()
    slices = [e for e in events if e["ph"] == "X"]
    for flow in (*starts.values(), *ends.values()):  # an arrow begins and ends in a slice of its track
        assert any(s["pid"] == flow["pid"] and s["tid"] == flow["tid"]
                   and s["ts"] - 0.01 <= flow["ts"] <= s["ts"] + s["dur"] + 0.01 for s in slices)  # fmt: skip
    for track in {(s["pid"], s["tid"]) for s in slices}:  # slices of one track do not overlap
        mine = sorted((s["ts"], s["ts"] + s["dur"]) for s in slices if (s["pid"], s["tid"]) == track)
        assert all(before[1] <= after[0] + 0.01 for before, after in pairwise(mine))


@pytest.mark.parametrize("suffix", ["html", "json", "txt", "svg"])
def test_a_record_is_written_with_the_places(record: RunRecord, suffix: str, tmp_path: Path) -> None:
    text = record.export(tmp_path / f"run.{suffix}").read_text()
    assert "worker 1" in text
    if suffix == "json":
        data = json.loads(text)
        assert data["transfers"] and data["waits"] and {s["place"] for s in data["steps"]} == {
            "client", "worker 0", "worker 1"
        }  # fmt: skip


def test_a_failed_run_is_recorded_up_to_the_step_that_failed(session: tf.Session) -> None:
    metadata = tf.RunMetadata()
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(["picked:0"], FED, run_metadata=metadata)
    record = metadata.record
    assert record is not None
    failed = record.plan.steps[len(record.steps)]
    assert failed.node == "picked" and "it failed in" in record.headline


def test_a_record_says_which_plan_ran_and_the_session_the_same(session: tf.Session, record: RunRecord) -> None:
    told = session.plan(FETCHES, FED)
    assert {(s.node, s.op, s.device) for s in told.steps} == {(s.node, s.op, s.device) for s in record.plan.steps}
    metadata = tf.RunMetadata()
    session.run("c:0", FED, tf.RunOptions(trace=False), metadata)
    assert metadata.record is None and {step.device for step in metadata.plan.steps} == {"worker 0", "worker 1"}
    assert "on worker 1" in str(told)


def test_a_profile_tells_the_place_of_each_step(session: tf.Session) -> None:
    profile = session.profile("loop:1", FED, runs=2)
    assert profile.step("loop").place == "worker 1" and profile.step("a").place == "worker 0"
    assert "worker 1" in str(profile)


def test_recording_changes_no_result(cluster_address: str) -> None:
    graph, x, out = sample_program()
    fetches = {name: fetch for name, fetch in out.items() if name != "init"}
    found = []
    for is_recorded in (False, True):
        with tf.Session(cluster_address, graph=graph) as made:
            made.run(out["init"])
            made.set_random_state(made.random_state())
            metadata = tf.RunMetadata() if is_recorded else None
            options = tf.RunOptions(values=True) if is_recorded else None
            found.append(made.run(fetches, {x: [1.0, 2.0, 3.0]}, options, metadata))
            if metadata is not None:
                assert metadata.record is not None and str(metadata.record) and metadata.record.table()
                assert len(metadata.record.steps) == len(metadata.record.plan.steps)
    assert is_same(found[0], found[1])


# ---- watches, progress, and what is refused -----------------------------------------------------


def test_a_watch_finds_the_first_nan_at_its_worker(cluster_address: str) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None], name="x")
        with tf.device(ON[1]):
            low = tf.log(tf.add(x, 1.0, name="more"), name="log")
        with tf.device(ON[0]):
            y = tf.multiply(low, 2.0, name="y")
    found = []
    for target in ("", cluster_address):
        with tf.Session(target, graph=graph, config=tf.SessionConfig(watch=True)) as session:
            with pytest.raises(tf.errors.NonFiniteError) as caught:
                session.run(y, {x: [1.0, -2.0]})
            error = caught.value
            found.append((error.tensor, error.index, np.isnan(error.value), error.inputs, error.op, error.message))
            assert session.run(y, {x: [0.0]}).tolist() == [0.0]
    assert found[0] == found[1] and found[1][3] == {"x": -1.0}
    with tf.Session(cluster_address, graph=graph) as plain, pytest.raises(tf.errors.NonFiniteError, match="log:0"):
        plain.run(y, {x: [1.0, -2.0]}, tf.RunOptions(watch=True))
    with tf.Session(cluster_address, graph=graph, config=tf.SessionConfig(watch=tf.Watch(exclude=["log", "y"]))) as s:
        assert np.isnan(s.run(y, {x: [1.0, -2.0]})[1])


def test_progress_counts_every_step_once_on_the_callers_thread(session: tf.Session) -> None:
    calls: list[tuple[int, int, str]] = []
    threads = set()

    def hook(done: int, steps: int, node: str) -> None:
        calls.append((done, steps, node))
        threads.add(threading.get_ident())

    session.run(FETCHES, FED, tf.RunOptions(progress=hook))
    total = len(session.plan(FETCHES, FED).steps)
    assert [done for done, _, _ in calls] == list(range(total + 1))
    assert {steps for _, steps, _ in calls} == {total} and calls[-1][2] == "" and "" not in [c[2] for c in calls[:-1]]
    assert threads == {threading.get_ident()}


def test_a_progress_hook_can_end_a_run(session: tf.Session) -> None:
    def hook(done: int, steps: int, node: str) -> None:
        if done == 2:
            raise StopIteration("enough")

    before = session.run("v:0")
    with pytest.raises(StopIteration, match="enough"):
        session.run(FETCHES, FED, tf.RunOptions(progress=hook))
    assert is_same(session.run("v:0"), before)


def test_a_sessions_own_progress_hook_is_called(cluster_address: str) -> None:
    calls: list[int] = []
    config = tf.SessionConfig(progress=lambda done, steps, node: calls.append(done))
    with tf.Graph().as_default() as graph, tf.device(ON[1]):
        y = tf.identity(tf.matmul([[1.0]], [[2.0]]) + 1.0)
    with tf.Session(cluster_address, graph=graph, config=config) as made:
        made.run(y)
    assert calls == list(range(len(calls))) and calls


def test_a_time_limit_names_the_worker_that_has_not_answered(cluster_address: str) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None])
        with tf.device(ON[0]):
            fast = x + 1.0
        with tf.device(ON[1]):
            slow = tf.while_loop(lambda i, _: i < 2, lambda i, a: (i * 1, tf.sin(a)), (0, x))[1]
    with tf.Session(cluster_address, graph=graph) as made:
        made.run(fast, {x: [1.0]})
        with pytest.raises(tf.errors.DeadlineExceededError, match=r"waited for worker 1 \(tcp://[^)]*\);"):
            made.run([fast, slow], {x: [1.0]}, tf.RunOptions(timeout_in_ms=500))
        assert made.run(fast, {x: [1.0]}).tolist() == [2.0]


def test_what_a_cluster_cannot_do_is_refused_in_words(session: tf.Session) -> None:
    with pytest.raises(TypeError, match=r"runs on a cluster.*record\.places"):
        session.memory("c:0", FED)
    with pytest.raises(TypeError, match="runs on a cluster"):
        session.replace_plan("c:0", ["x:0"], session.plan("c:0"))
    with pytest.raises(TypeError, match=r"fused=True.*runs on a cluster"):
        session.debug("c:0", FED, fused=True)


def test_a_trace_and_a_debugger_run_here_on_values_of_workers(session: tf.Session) -> None:
    before = session.run("v:0")
    trace = session.trace(["update:0", "loop:1"], FED)
    assert is_same(trace["v"], before) or is_same(session.run("v:0") - trace["c"], before)
    debugger = session.debug("c:0", FED)
    while debugger.here.node != "b":
        debugger.step()
    assert is_same(debugger.value("a"), trace["a"])


def test_placement_tells_the_place_of_each_node_and_why(session: tf.Session) -> None:
    report = session.placement(["last:0", "update:0"], FED)
    nodes = {node.node: node for node in report.nodes}
    assert nodes["a"].given == "worker 0" and nodes["a"].reason == "its device asks for it"
    assert nodes["here"].given == "client" and "program" in nodes["here"].reason
    assert nodes["last"].reason == "by cost" and nodes["update"].given == "worker 0"
    assert ("b", "worker 1", "worker 0", 12) in [(c.node, c.source, c.target, c.bytes) for c in report.copies]
    assert " on worker 0" in str(report).splitlines()[0] and "its device asks for it" in str(report)


def test_what_runs_in_shards_is_recorded_and_placed(cluster_address: str, tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["batch", 3], name="x")
        y = tf.reduce_sum(tf.nn.relu(tf.matmul(x, tf.ones([3, 2]), name="product")), name="y")
    dask_array = pytest.importorskip("dask.array")
    data = np.ones((8, 3), np.float32)
    with tf.Session(cluster_address, graph=graph, config=tf.SessionConfig(shard={"batch": 2})) as made:
        report = made.placement(y, {x: data})
        assert {n.node: n.given for n in report.nodes}["product"] == "worker 0 and worker 1"
        for feed in (data, dask_array.from_array(data, chunks=(4, 3))):
            metadata = tf.RunMetadata()
            assert made.run(y, {x: feed}, tf.RunOptions(values=True), metadata) == 48.0
            assert metadata.record is not None
            places = {step.node: step.place for step in metadata.record.steps}
            assert places["product.shard_0"] == "worker 0" and places["product.shard_1"] == "worker 1"
            assert "worker 1" in metadata.record.export(tmp_path / "run.html").read_text()
