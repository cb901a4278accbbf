"""`tf.train.maybe_batch` and its like: which examples are kept, and what is refused."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import penstock as tf


def batches(build: Callable[[], Any], count: int = 2) -> list[list[Any]]:
    """The first batches, once runners are started; building warns of nothing."""
    with tf.Graph().as_default(), tf.Session() as session:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            wanted = build()
        session.run([tf.local_variables_initializer(), tf.global_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        found = [[part.tolist() for part in session.run(wanted)] for _ in range(count)]
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=30)
        return found


def numbers(count: int) -> tf.Tensor:
    made = tf.train.range_input_producer(count, shuffle=False, num_epochs=1).dequeue()
    assert isinstance(made, tf.Tensor)
    return made


def test_some_of_the_examples() -> None:
    def build() -> Any:
        x = numbers(9)
        return tf.train.maybe_batch([x, x * 2], tf.equal(x % 2, 0), 2)

    assert batches(build) == [[[0, 2], [0, 4]], [[4, 6], [8, 12]]]


def test_some_of_several_examples_at_once() -> None:
    def build() -> Any:
        x = tf.train.range_input_producer(12, shuffle=False, num_epochs=1).dequeue_many(4)
        return tf.train.maybe_batch([x], tf.equal(x % 3, 0), 2, enqueue_many=True)

    assert batches(build) == [[0, 3], [6, 9]]  # a list of one tensor gives a tensor


def test_several_threads() -> None:
    def build() -> Any:
        x, y = numbers(4), numbers(4) + 10
        return tf.train.maybe_batch_join([[x], [y]], tf.constant(True), 8)

    assert sorted(batches(build, 1)[0]) == [0, 1, 2, 3, 10, 11, 12, 13]


def test_some_of_the_examples_in_random_order() -> None:
    def build() -> Any:
        x = numbers(30)
        return tf.train.maybe_shuffle_batch([x], 10, 40, 5, x < 20, seed=3)

    found = [n for batch in batches(build) for n in batch]
    assert sorted(found) == list(range(20)) and found != sorted(found)

    def join() -> Any:
        x = numbers(30)
        return tf.train.maybe_shuffle_batch_join([[x]], 10, 40, 5, x < 20, seed=3)

    assert sorted(n for batch in batches(join) for n in batch) == list(range(20))


@pytest.mark.parametrize(
    ("keep", "many", "words"),
    [
        ([True], False, r"keep_input must be a scalar \(a vector with enqueue_many=True\), but has shape \(1,\)"),
        ([[True]], True, r"keep_input must be a scalar, or a vector with enqueue_many=True"),
    ],
)
def test_other_shapes_are_refused(keep: Any, many: bool, words: str) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3])
        before = graph.version
        with pytest.raises(ValueError, match=words):
            tf.train.maybe_batch([x], keep, 2, enqueue_many=many)
        assert graph.version == before
        with pytest.raises(TypeError, match="keep_input"):
            tf.train.maybe_batch([x], 1.5, 2)


def test_files_are_looked_up_once(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n")
    with tf.Graph().as_default(), tf.Session() as session:
        files = tf.train.match_filenames_once(str(tmp_path / "*.txt"))
        assert files.name == "matching_filenames:0" and files in tf.local_variables()
        session.run(tf.local_variables_initializer())
        (tmp_path / "b.txt").write_text("2\n")
        assert [Path(each.decode()).name for each in session.run(files)] == ["a.txt"]
        session.run(tf.local_variables_initializer())
        assert len(session.run(files)) == 2
        queue = tf.train.string_input_producer(files, shuffle=False)
        _, line = tf.TextLineReader().read(queue)
        session.run(tf.local_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        assert [session.run(line) for _ in range(3)] == [b"1", b"2", b"1"]
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=30)
