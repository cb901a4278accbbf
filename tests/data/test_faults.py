"""What goes wrong while data flows in: errors with the user's line, sessions that go on, and nothing left behind."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.ops.datasets import prefetching

from ..helpers import exit_code_of_child, needs_fork


@pytest.fixture
def session() -> Iterator[tf.Session]:
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


@pytest.fixture(autouse=True, params=[True, False], ids=["threads at once", "threads when slow"])
def at_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether `prefetch` makes elements in a thread from the first on, or only once they are slow."""
    is_at_once: bool = request.param
    if is_at_once:
        monkeypatch.setattr(prefetching, "SLOW", 0)
    return is_at_once


def own_threads() -> list[threading.Thread]:
    """The threads of prefetches, maps and queue runners."""
    return [each for each in threading.enumerate()
            if each.name.startswith(("penstock prefetch", "penstock map", "QueueRunnerThread"))]  # fmt: skip


def test_an_error_in_a_function_names_its_line_and_the_next_element_comes(session: tf.Session) -> None:
    element = tf.data.Dataset.from_tensor_slices([4, 0, 2]).map(lambda n: 8 // n).make_one_shot_iterator().get_next()
    assert session.run(element) == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)division by zero.*lambda n: 8 // n"):
        session.run(element)
    assert session.run(element) == 4


@pytest.mark.parametrize("ahead", [0, 2])
def test_an_exception_of_a_generator_is_the_cause_of_the_error(session: tf.Session, ahead: int) -> None:
    def numbers() -> Iterator[int]:
        yield 1
        raise KeyError("lost")

    dataset = tf.data.Dataset.from_generator(numbers, tf.int32, [])
    element = (dataset.prefetch(ahead) if ahead else dataset).make_one_shot_iterator().get_next()
    assert session.run(element) == 1
    with pytest.raises(tf.errors.UnknownError, match="KeyError: 'lost'") as caught:
        session.run(element)
    assert isinstance(caught.value.__cause__, KeyError)
    assert session.run(tf.constant(5)) == 5


@pytest.mark.parametrize("given", [[1, 2], "text", {"a": 1}])
def test_a_generator_that_gives_something_else_is_told(session: tf.Session, given: Any) -> None:
    element = tf.data.Dataset.from_generator(lambda: [given], tf.int32, []).make_one_shot_iterator().get_next()
    with pytest.raises(tf.errors.InvalidArgumentError, match="`generator` yielded"):
        session.run(element)


def test_a_file_that_is_missing_or_cut_off(session: tf.Session, tmp_path: Path) -> None:
    path = tmp_path / "a.tfrecords"
    element = tf.data.TFRecordDataset(str(path)).make_initializable_iterator()
    record = element.get_next()
    session.run(element.initializer)
    with pytest.raises(tf.errors.NotFoundError, match=r"a\.tfrecords"):
        session.run(record)
    with tf.python_io.TFRecordWriter(path) as writer:
        writer.write(b"whole")
        writer.write(b"cut off")
    path.write_bytes(path.read_bytes()[:-3])
    session.run(element.initializer)
    assert session.run(record) == b"whole"
    with pytest.raises(tf.errors.DataLossError):
        session.run(record)


@pytest.mark.parametrize("read", ["flat_map", "interleave", "interleave in threads"])
def test_a_file_that_vanishes_between_the_list_and_the_read(session: tf.Session, tmp_path: Path, read: str) -> None:
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text(f"{name}1\n{name}2\n")
    files = tf.data.Dataset.list_files(str(tmp_path / "*.txt"), shuffle=False)
    if read == "flat_map":
        lines = files.flat_map(lambda path: tf.data.TextLineDataset(path))
    else:
        calls = 1 if "threads" in read else None
        lines = files.interleave(lambda path: tf.data.TextLineDataset(path), 1, num_parallel_calls=calls)
    line = lines.make_one_shot_iterator().get_next()
    assert session.run(line) == b"a1"
    (tmp_path / "b.txt").unlink()
    assert session.run(line) == b"a2"
    with pytest.raises(tf.errors.NotFoundError, match=r"(?s)b\.txt; No such file.*line = lines\.make_one_shot"):
        session.run(line)
    assert [session.run(line) for _ in range(2)] == [b"c1", b"c2"]


def test_a_truncated_record_behind_a_queue_stops_its_coordinator(session: tf.Session, tmp_path: Path) -> None:
    path = tmp_path / "a.tfrecord"
    with tf.python_io.TFRecordWriter(path) as writer:
        for _ in range(3):
            writer.write(b"record")
    path.write_bytes(path.read_bytes()[:-5])
    _, record = tf.TFRecordReader().read(tf.train.string_input_producer([str(path)]))
    batch = tf.train.batch([record], 2)
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    assert session.run(batch).tolist() == [b"record"] * 2
    with pytest.raises(tf.errors.OutOfRangeError, match="insufficient elements"):
        session.run(batch)
    with pytest.raises(tf.errors.DataLossError, match=r"(?s)truncated record at .*tf\.TFRecordReader\(\)"):
        coordinator.join(threads)
    assert session.run(tf.constant(5)) == 5


@pytest.mark.parametrize("ignores", [False, True])
def test_an_element_that_fails_is_one_error_or_is_left_out(session: tf.Session, ignores: bool) -> None:
    numbers = tf.data.Dataset.from_tensor_slices(["1", "x", "3"]).map(tf.string_to_number)
    if ignores:
        numbers = numbers.apply(tf.data.experimental.ignore_errors())
    pairs = tf.data.Dataset.zip((tf.data.Dataset.range(9), numbers))
    element = pairs.make_one_shot_iterator().get_next()
    assert session.run(element) == (0, 1.0)
    if not ignores:
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)convert string: x.*map\(tf\.string_to_number"):
            session.run(element)
    assert session.run(element) == (1 if ignores else 2, 3.0)
    with pytest.raises(tf.errors.OutOfRangeError):
        session.run(element)


def test_an_iterator_of_a_closed_session() -> None:
    with tf.Graph().as_default():
        element = tf.data.Dataset.range(9).prefetch(1).make_one_shot_iterator().get_next()
        session = tf.Session()
        take = session.make_callable(element)
        assert take() == 0
        session.close()
        runs: list[Any] = [take, lambda: session.run(element)]
        for run in runs:
            with pytest.raises(RuntimeError, match="closed Session"):
                run()
        with tf.Session() as other:
            assert other.run(element) == 0


@pytest.mark.parametrize("kind", ["GZIP", "ZLIB"])
def test_a_packed_file_that_is_none(session: tf.Session, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text("not packed\n" * 9)
    line = tf.data.TextLineDataset(str(path), compression_type=kind).make_one_shot_iterator().get_next()
    with pytest.raises(tf.errors.DataLossError, match=f"is no {kind} file"):
        session.run(line)


def test_a_full_disk_under_a_cache(session: tf.Session, tmp_path: Path) -> None:
    """The largest file is made small, so a write fails as on a full disk, in its middle."""
    resource = pytest.importorskip("resource", reason="it limits the size of files")
    rows = tf.data.Dataset.range(3).map(lambda n: tf.fill([10_000], n)).cache(str(tmp_path / "kept"))
    iterator = rows.make_initializable_iterator()
    element = tf.reduce_max(iterator.get_next())
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    session.run(iterator.initializer)
    assert [int(session.run(element)) for _ in range(3)] == [0, 1, 2]
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)cache cannot write.*\.npz.*test_faults"):
            session.run(element)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [path.name for path in tmp_path.iterdir()] == ["kept.lockfile"]  # no part of the file is left
    session.run(iterator.initializer)
    assert [int(session.run(element)) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(tf.errors.OutOfRangeError):
        session.run(element)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept.npz"]


def test_a_cache_file_serves_strings_and_ragged_elements_to_another_session(tmp_path: Path) -> None:
    words = np.array([b"a", b"", b"word"], object)
    for number in range(2):
        with tf.Graph().as_default(), tf.Session() as session:
            dataset = tf.data.Dataset.from_tensor_slices((words, np.array([1, 0, 2])))
            dataset = dataset.map(lambda word, count: (word, tf.fill([count], word))).cache(str(tmp_path / "kept"))
            word, row = dataset.make_one_shot_iterator().get_next()
            found = [session.run([word, row]) for _ in range(3)]
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(word)
        assert [each for each, _ in found] == [b"a", b"", b"word"], number
        assert [each.tolist() for _, each in found] == [[b"a"], [], [b"word"] * 2], number


def test_two_iterators_do_not_write_one_cache_file(session: tf.Session, tmp_path: Path) -> None:
    dataset = tf.data.Dataset.range(3).cache(str(tmp_path / "kept"))
    first, second = (dataset.make_one_shot_iterator().get_next() for _ in range(2))
    session.run(first)
    with pytest.raises(tf.errors.AlreadyExistsError, match="lockfile"):
        session.run(second)


def numbers_behind(gate: threading.Event) -> tf.data.Dataset:
    """Numbers, of which each but the first four waits for an event."""

    def numbers() -> Iterator[int]:
        for i in range(9):
            assert i < 4 or gate.wait(60)
            yield i

    return tf.data.Dataset.from_generator(numbers, tf.int32, [])


@pytest.mark.parametrize("where", ["queue", "generator", "prefetch", "map"])
def test_ctrl_c_ends_a_run_that_waits(session: tf.Session, where: str) -> None:
    queue = tf.FIFOQueue(3, tf.int32, shapes=[])
    element = queue.dequeue()
    gate = threading.Event()
    if where != "queue":
        rows = numbers_behind(gate)
        behind = {"generator": rows, "prefetch": rows.prefetch(2), "map": rows.map(tf.negative, num_parallel_calls=2)}
        element = behind[where].make_one_shot_iterator().get_next()
        for i in range(4):
            assert abs(session.run(element)) == i
    timer = threading.Timer(0.1, signal.pthread_kill, [threading.get_ident(), signal.SIGINT])
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            session.run(element)
    finally:
        signal.signal(signal.SIGINT, handler)
        gate.set()
    session.run(queue.enqueue(7))
    if where in ("queue", "map"):  # elsewhere the interrupt may have come into the generator itself, which ends it
        assert session.run(element) == (7 if where == "queue" else -4)


def test_a_timeout_ends_a_run_that_waits_and_loses_no_element(session: tf.Session) -> None:
    queue = tf.FIFOQueue(3, tf.int32, shapes=[])
    three = queue.dequeue_many(3)
    session.run(queue.enqueue_many([[1, 2]]))
    with pytest.raises(tf.errors.DeadlineExceededError, match="waited for 3 elements of queue"):
        session.run(three, options=tf.RunOptions(timeout_in_ms=100))
    session.run(queue.enqueue(3))
    assert session.run(three).tolist() == [1, 2, 3]


def test_the_timeout_of_a_session_counts_the_wait_too() -> None:
    with tf.Graph().as_default(), tf.Session(config=tf.SessionConfig(timeout_in_ms=150)) as session:
        element = tf.FIFOQueue(3, tf.float32, shapes=[]).dequeue() * 2.0
        with pytest.raises(tf.errors.DeadlineExceededError, match="timeout_in_ms=150"):
            session.run(element)


def test_the_end_of_a_session_ends_runs_that_wait() -> None:
    with tf.Graph().as_default():
        queue = tf.FIFOQueue(1, tf.int32, shapes=[])
        element, put = queue.dequeue(), queue.enqueue(1)
        session = tf.Session()
        errors: list[BaseException] = []

        def wait(fetch: Any) -> None:
            try:
                session.run(fetch)
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=wait, args=[element]) for _ in range(2)]
        for each in threads:
            each.start()
        while len(queue_line(session)) < 2:
            threads[0].join(0.01)
        session.close()
        for each in threads:
            each.join(60)
    assert [type(error) for error in errors] == [tf.errors.CancelledError] * 2
    assert put.type == "QueueEnqueueV2"


def queue_line(session: tf.Session) -> Any:
    """The runs that wait behind the only queue of a session."""
    made = list(session.objects._by_handle.values())
    return made[0]._behind if made else ()


def test_a_run_that_waits_holds_no_variable(session: tf.Session) -> None:
    queue = tf.FIFOQueue(3, tf.float32, shapes=[])
    w = tf.Variable(1.0)
    step = w.assign_add(queue.dequeue())
    session.run(w.initializer)
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(session.run(step)))
    thread.start()
    while not queue_line(session):
        thread.join(0.01)
    assert session.run(w.assign(5.0)) == 5.0  # another run writes w meanwhile
    session.run(queue.enqueue(2.0))
    thread.join(60)
    assert results == [7.0]


def test_no_thread_outlives_its_session() -> None:
    with tf.Graph().as_default():
        dataset = tf.data.Dataset.range(100).map(lambda n: n + 1, num_parallel_calls=2).prefetch(2)
        element = dataset.make_one_shot_iterator().get_next()
        number = tf.train.range_input_producer(9).dequeue()
        for _ in range(5):
            with tf.Session() as session:
                coordinator = tf.train.Coordinator()
                threads = tf.train.start_queue_runners(session, coordinator)
                session.run([element, number])
                coordinator.request_stop()
                coordinator.join(threads)
    assert own_threads() == []


@pytest.mark.slow
def test_no_thread_outlives_one_of_a_thousand_sessions() -> None:
    with tf.Graph().as_default():
        element = tf.data.Dataset.range(9).map(lambda n: n + 0, num_parallel_calls=2).prefetch(1)
        fetch = element.make_one_shot_iterator().get_next()
        for _ in range(1000):
            with tf.Session() as session:
                session.run(fetch)
    assert own_threads() == []


def test_a_session_that_is_dropped_ends_its_threads(at_once: bool) -> None:
    with tf.Graph().as_default():
        element = tf.data.Dataset.range(100).map(lambda n: n + 0).prefetch(2).make_one_shot_iterator().get_next()
        session = tf.Session()
        session.run(element)
        assert bool(own_threads()) == at_once
        del session
        gc.collect()
        for each in own_threads():
            each.join(60)
    assert own_threads() == []


@pytest.mark.share(2)
def test_ten_thousand_epochs_leave_nothing_behind(session: tf.Session) -> None:
    iterator = tf.data.Dataset.range(2).shuffle(2).map(lambda n: n).batch(2).make_initializable_iterator()
    element = iterator.get_next()

    def epochs(count: int) -> int:
        for _ in range(count):
            session.run(iterator.initializer)
            session.run(element)
        gc.collect()
        return len(gc.get_objects())

    epochs(2000)  # what is compiled and imported once comes before that
    before = epochs(100)
    after = epochs(int(os.environ.get("PENSTOCK_EPOCHS", "1000")))
    assert after - before < 200


def test_elements_that_are_slow_are_made_ahead_by_a_thread(session: tf.Session) -> None:
    made: list[int] = []

    def numbers() -> Iterator[int]:
        for i in range(8):
            time.sleep(0.002)
            made.append(i)
            yield i

    element = tf.data.Dataset.from_generator(numbers, tf.int32, []).prefetch(2).make_one_shot_iterator().get_next()
    for i in range(4):
        assert session.run(element) == i
    end = time.monotonic() + 60
    while len(made) < 6 and time.monotonic() < end:
        time.sleep(0.01)
    assert made[:6] == [0, 1, 2, 3, 4, 5]
    assert [session.run(element) for _ in range(4)] == [4, 5, 6, 7]
    with pytest.raises(tf.errors.OutOfRangeError):
        session.run(element)


def test_a_thread_of_elements_that_are_fast_again_ends(session: tf.Session) -> None:
    def numbers() -> Iterator[int]:
        for i in range(1000):
            time.sleep(0.002 if i < 8 or i == 700 else 0.0)
            yield i

    element = tf.data.Dataset.from_generator(numbers, tf.int32, []).prefetch(2).make_one_shot_iterator().get_next()
    assert [session.run(element) for _ in range(6)] == list(range(6))
    assert len(own_threads()) == 1
    assert [session.run(element) for _ in range(6, 1000)] == list(range(6, 1000))
    with pytest.raises(tf.errors.OutOfRangeError):
        session.run(element)
    assert own_threads() == []


@needs_fork
@pytest.mark.parametrize("way", ["prefetch", "map", "map and batch", "interleave"])
def test_a_forked_child_goes_on_with_an_iterator_that_works_ahead(way: str) -> None:
    """The child does not hang, and lacks at most the element on which a thread of the parent was working."""

    def slow(n: tf.Tensor) -> tf.Tensor:
        def wait(value: Any) -> Any:
            time.sleep(0.002)
            return value * 2

        made: tf.Tensor = tf.py_func(wait, [n], tf.int64)
        made.set_shape([])
        return made

    numbers = tf.data.Dataset.range
    with tf.Graph().as_default(), tf.Session() as session:
        rows = {
            "prefetch": lambda: numbers(50).map(slow).prefetch(3),
            "map": lambda: numbers(50).map(slow, num_parallel_calls=3),
            "map and batch": lambda: numbers(50).map(slow, num_parallel_calls=2).batch(1),
            "interleave": lambda: numbers(1).interleave(lambda _: numbers(50).map(slow), 1, num_parallel_calls=1),
        }[way]()
        element = rows.make_one_shot_iterator().get_next()
        first = [int(np.max(session.run(element))) for _ in range(5)]
        assert first == [0, 2, 4, 6, 8]

        def child() -> int:
            seen = [int(np.max(session.run(element))) for _ in range(10)]
            return 0 if sorted(set(seen)) == seen and seen[0] in (10, 12) and seen[-1] <= 30 else 1

        assert exit_code_of_child(child) == 0
        assert int(np.max(session.run(element))) == 10


@pytest.mark.parametrize(
    ("size", "shift", "drops", "given"),
    [  # as TensorFlow 2.21 gives it
        (2, 2, False, [12, 6, "error", "error", "error", "end"]),
        (2, 3, False, [12, 6, 3, 2, "error", "end"]),
        (9, 1, True, ["end"]),
        (1, 1, False, [12, 6, "error", 3, 2, "error", "error", 4, "end"]),
    ],
)
def test_a_window_with_an_element_that_fails_is_an_error(
    session: tf.Session, size: int, shift: int, drops: bool, given: list[Any]
) -> None:
    numbers = tf.data.Dataset.from_tensor_slices([1, 2, 0, 4, 5, 0, 0, 3]).map(lambda n: 12 // n)
    windows = numbers.window(size, shift, 1, drops).flat_map(lambda window: window)
    element = windows.make_one_shot_iterator().get_next()
    found: list[Any] = []
    while "end" not in found:
        try:
            found.append(int(session.run(element)))
        except tf.errors.OutOfRangeError:
            found.append("end")
        except tf.errors.InvalidArgumentError:
            found.append("error")
    assert found == given
