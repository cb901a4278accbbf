"""`Session.data_flow`, `watch_data` and what `explain` says of pipelines and queues."""

from __future__ import annotations

import json
import re
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.observe.data_flow import DataFlow, StageFlow


@pytest.fixture
def session() -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def stages(flow: DataFlow) -> dict[str, StageFlow]:
    stage = flow.iterators[0].stage
    assert stage is not None
    return {each.label: each for each in stage.all()}


def rows(count: int = 20) -> tf.data.Dataset:
    return tf.data.Dataset.from_tensor_slices(np.arange(count))


def test_without_data_there_is_nothing_to_tell(session: tf.Session) -> None:
    assert str(session.data_flow()) == "no data flows: the session has no iterator and no queue"


def test_a_watch_counts_the_elements_of_each_stage(session: tf.Session) -> None:
    element = rows().shuffle(4, seed=1).map(lambda n: tf.stack([n, n])).batch(3).make_one_shot_iterator().get_next()
    with session.watch_data() as watch:
        for _ in range(3):
            session.run(element)
    found = stages(watch.flow())
    assert {label: stage.elements for label, stage in found.items() if label != "from_tensor_slices"} == {
        "batch": 3, "map": 9, "shuffle": found["shuffle"].elements}  # fmt: skip
    assert found["shuffle"].elements in range(9, 21)  # rows are read ahead
    assert str(found["batch"]) == "batch(3)"
    assert found["shuffle"].level is not None and found["shuffle"].level[1] == 4
    session.run(element)
    assert stages(watch.flow())["batch"].elements == 3  # it has ended


def test_the_time_of_a_stage_is_its_own_and_the_slowest_is_named(session: tf.Session) -> None:
    def wait(value: Any) -> Any:
        time.sleep(0.004)
        return value

    def slow(n: tf.Tensor) -> Any:
        return tf.py_func(wait, [n], tf.int64)

    mapped = rows().map(slow)
    element = mapped.batch(2).prefetch(1).make_one_shot_iterator().get_next()
    with session.watch_data() as watch:
        for _ in range(5):
            session.run(element)
    flow = watch.flow()
    found = stages(flow)
    assert found["map"].own > 10 * found["batch"].own
    assert found["prefetch"].own == 0.0
    assert found["batch"].seconds >= found["map"].seconds >= 0.04
    line = re.search(r"test_data_flow.py:(\d+)", found["map"].place)
    assert line is not None and "rows().map(slow)" in Path(__file__).read_text().splitlines()[int(line[1]) - 1]
    assert re.search(r"the runs wait for the data \d+% of the time; map in test_data_flow.py:\d+ takes", str(flow))


def test_runs_that_do_not_wait_are_told(session: tf.Session) -> None:
    element = rows().batch(2).make_one_shot_iterator().get_next()
    with session.watch_data() as watch:
        session.run(element)
        time.sleep(0.2)
    assert "the data waits for the runs" in str(watch.flow())


def test_several_passes_and_datasets_of_datasets_are_counted_together(session: tf.Session) -> None:
    inner = rows(6).flat_map(lambda n: tf.data.Dataset.range(n))
    element = tf.data.Dataset.zip((inner.repeat(2), rows(100))).make_one_shot_iterator().get_next()
    session.run(element)
    with session.watch_data() as watch:
        for _ in range(29):
            session.run(element)
    found = stages(watch.flow())
    assert found["zip"].elements == found["repeat"].elements == found["flat_map"].elements == 29
    assert len(found["zip"].inputs) == 2


def test_a_watch_hears_of_iterators_that_are_made_later(session: tf.Session) -> None:
    with session.watch_data() as watch:
        iterator = rows().batch(5).make_initializable_iterator()
        element = iterator.get_next()
        for _ in range(2):
            session.run(iterator.initializer)
            session.run(element)
        assert stages(watch.flow())["batch"].elements is not None
        with pytest.raises(TypeError, match="watched already"):
            session.watch_data()
    with session.watch_data() as again:
        session.run(element)
    assert stages(again.flow())["batch"].elements == 1


def test_threads_that_watch_and_run_at_the_same_time(session: tf.Session) -> None:
    element = rows(10**6).map(lambda n: n + 1, num_parallel_calls=2).prefetch(2).make_one_shot_iterator().get_next()
    is_over = threading.Event()
    errors: list[BaseException] = []

    def work() -> None:
        try:
            while not is_over.is_set():
                session.run(element)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for each in threads:
        each.start()
    for _ in range(20):
        with session.watch_data() as watch:
            time.sleep(0.01)
            assert str(watch.flow())
    is_over.set()
    for each in threads:
        each.join(60)
    assert errors == []


def test_queues_are_told_with_those_who_wait(session: tf.Session) -> None:
    queue = tf.FIFOQueue(2, tf.int32, shapes=[[]], name="numbers")
    put, taken, more = queue.enqueue_many([[1, 2]]), queue.dequeue(), queue.enqueue(3)
    session.run(put)
    waiting = threading.Thread(target=session.run, args=(more,))
    waiting.start()
    end = time.monotonic() + 60
    while not session.data_flow().queues[0].waiting_for_room and time.monotonic() < end:
        time.sleep(0.01)
    (flow,) = session.data_flow().queues
    assert (flow.name, flow.kind, flow.held, flow.capacity, flow.waiting_for_room) == ("numbers", "FIFOQueue", 2, 2, 1)
    assert session.run(taken) == 1
    waiting.join(60)
    (flow,) = session.data_flow().queues
    assert (flow.put_in, flow.taken_out, flow.held, flow.waiting_for_room) == (3, 1, 2, 0)
    assert flow.waited_for_room > 0.0 and flow.waited_for_elements == 0.0
    assert "1 now" not in str(session.data_flow())


def test_a_queue_without_a_limit_says_so(session: tf.Session) -> None:
    limited, free = tf.FIFOQueue(7, tf.int32, name="limited"), tf.FIFOQueue(-1, tf.int32, name="free")
    session.run([limited.enqueue(1), free.enqueue(1)])
    told = str(session.data_flow())
    assert "1 of 7" in told and "1 of no limit" in told and "of -1" not in told


def test_explain_tells_of_the_pipeline_before_the_first_run_and_after_it(session: tf.Session) -> None:
    iterator = rows().shuffle(3).batch(2).make_initializable_iterator()
    total = tf.reduce_sum(iterator.get_next())
    before = session.explain(total)
    assert before.data is not None
    assert [each.label for each in before.data.iterators[0].stage.all()] == ["batch", "shuffle", "from_tensor_slices"]  # type: ignore[union-attr]
    assert "data:\n  iterator" in str(before)
    session.run(iterator.initializer)
    session.run(total)
    assert "1 element given" in str(session.explain(total))
    assert session.explain(tf.constant(1.0) + 1.0).data is None


def test_explain_tells_of_the_pipelines_of_its_runs_and_of_no_others(session: tf.Session) -> None:
    session.run(rows().make_one_shot_iterator().get_next())
    others = rows().map(lambda n: n + 1).batch(2).make_one_shot_iterator().get_next()
    (flow,) = session.explain(others).data.iterators  # type: ignore[union-attr]  # as planned: it has not begun
    assert flow.stage is not None and flow.stage.label == "map" and flow.given == 0
    session.run(others)
    (flow,) = session.explain(others).data.iterators  # type: ignore[union-attr]
    assert flow.given == 1
    queue = tf.FIFOQueue(5, tf.int64, shapes=[[]], name="numbers")
    session.run(queue.enqueue(others[0]))
    assert [each.name for each in session.explain(queue.dequeue()).data.queues] == ["numbers"]  # type: ignore[union-attr]
    assert session.explain(others).data.queues == ()  # type: ignore[union-attr]


@pytest.mark.parametrize("calls", [None, 2])
def test_explain_says_that_a_map_is_one_pass_over_a_batch(session: tf.Session, calls: int | None) -> None:
    lines = tf.data.Dataset.from_tensor_slices(["1,2"] * 8)
    for dataset, label in (
        (rows().map(lambda n: n * 2 + 1, calls).batch(4), "map(all rows at once"),
        (lines.map(lambda n: tuple(tf.decode_csv(n, [[0], [0]])), calls).batch(4), "map and batch(4, all rows at once"),
        (rows().map(lambda n: tf.py_func(lambda v: v, [n], tf.int64), calls).batch(4), ""),
        (rows().batch(4).map(lambda n: n + 1, calls), ""),
    ):
        element = dataset.make_one_shot_iterator().get_next()
        before = str(session.explain(element).data)
        assert ("all rows at once" in before) == bool(label)
        session.run(element)
        after = str(session.explain(element).data)
        assert label in after if label else "all rows at once" not in after
        assert after.count("test_data_flow.py") == after.count("\n") - 1 == before.count("\n") - 1


@pytest.mark.parametrize("suffix", ["svg", "html", "txt", "dot", "mmd"])
def test_a_flow_is_drawn(session: tf.Session, tmp_path: Path, suffix: str) -> None:
    queue = tf.FIFOQueue(5, tf.int32, shapes=[[]], name="numbers")
    session.run(queue.enqueue(1))
    element = tf.data.Dataset.zip((rows(), rows().map(lambda n: n * 2))).batch(2).make_one_shot_iterator().get_next()
    with session.watch_data() as watch:
        session.run(element)
    text = watch.flow().export(tmp_path / f"flow.{suffix}").read_text("utf-8")
    for word in ("from_tensor_slices", "zip", "batch", "numbers", "a second"):
        assert word in text, word
    assert session.data_flow()._repr_svg_() is not None


def test_another_suffix_is_refused_in_the_call_of_the_user(session: tf.Session, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"DataFlow.export\(.*supported suffixes"):
        session.data_flow().export(tmp_path / "flow.xyz")


def test_a_closed_session_flows_no_more(session: tf.Session) -> None:
    session.close()
    for call in (session.data_flow, session.watch_data):
        with pytest.raises(RuntimeError, match="closed Session"):
            call()


def test_a_recorded_run_tells_what_flowed_into_it_and_its_page_shows_it(session: tf.Session, tmp_path: Path) -> None:
    element = rows().batch(4).make_one_shot_iterator().get_next()
    queue = tf.FIFOQueue(10, [tf.int32], shapes=[[]], name="numbers")
    fill, number = queue.enqueue_many([[1, 2, 3]]), queue.dequeue()
    session.run(fill)
    metadata = tf.RunMetadata()
    with session.watch_data():
        session.run([tf.reduce_sum(element), number], run_metadata=metadata)
    record = metadata.record
    assert record is not None and record.data is not None
    words, told = record.data.at(element.op) or ("", [])
    assert words.startswith("iterator 'OneShotIterator': 1 element given; the ")
    assert [name for name, _ in told] == ["from_tensor_slices(20 rows)", "batch(4)"]
    counted = r"1 element, [\d,]+ a second; waited .*% of the time, itself .*%; test_data_flow.py:\d+"
    assert re.fullmatch(counted, told[1][1])
    assert record.data.at(number.op) == record.data.at(number.op.inputs[0].op)
    assert (record.data.at(number.op) or ("", []))[1][:3] == [("holds", "2 of 10"), ("put in", "3"), ("taken out", "1")]
    assert record.data.at(fill) is None
    text = record.export(tmp_path / "run.html").read_text("utf-8")
    data = json.loads(re.findall(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)[0])
    assert data["facts"]["flow"].keys() == {element.op.name, "OneShotIterator", number.op.name, "numbers"}


def test_a_run_without_data_records_none(session: tf.Session) -> None:
    metadata = tf.RunMetadata()
    session.run(tf.constant(1), run_metadata=metadata)
    assert metadata.record is not None and metadata.record.data is None
