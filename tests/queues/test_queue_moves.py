"""Several runs at once that move elements from queue to queue are those runs one by one: the queues hold the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf
from penstock.runtime.session.run_hooks import runs_given_to
from tests.helpers import moves_of, plans_of

COUNT = 90
BETWEEN: dict[str, Callable[[Any], Any]] = {
    "nothing": lambda n: [n],
    "arithmetic and gather": lambda n: [n * n, tf.gather(np.arange(COUNT) * 0.5, n)],
    "text": lambda n: [n, tf.string_join([tf.as_string(n), "!"])],
    "an error at every eleventh": lambda n: [n, 7 // (n % 11 - 10)],
    "shapes that differ": lambda n: [n, tf.fill([1 + tf.cast(n, tf.int32) % 2], n)],
}
TARGETS: dict[str, Callable[..., Any]] = {
    "in order": lambda dtypes, shapes: tf.FIFOQueue(200, dtypes, shapes),
    "small": lambda dtypes, shapes: tf.FIFOQueue(5, dtypes, shapes),
    "without a limit": lambda dtypes, shapes: tf.FIFOQueue(-1, dtypes, shapes),
    "at random": lambda dtypes, shapes: tf.RandomShuffleQueue(50, 3, dtypes, shapes, seed=7),
    "by priority": lambda dtypes, shapes: tf.PriorityQueue(50, dtypes[1:], shapes[1:]),
    "padded": lambda dtypes, shapes: tf.PaddingFIFOQueue(50, dtypes, shapes),
}


class Side:
    """A source with numbers, what computes with them, and a target."""

    def __init__(self, between: str, target: str) -> None:
        with tf.Graph().as_default():
            source = tf.FIFOQueue(COUNT, tf.int64, shapes=[[]])
            made = [tf.convert_to_tensor(each) for each in BETWEEN[between](source.dequeue())]
            shapes: Any = None if between == "shapes that differ" else [each.shape for each in made]
            if target == "padded" and shapes is None:
                shapes = [[], [None]]
            if target == "by priority":
                made, shapes = [made[0], *made], None if shapes is None else [shapes[0], *shapes]
            queue = TARGETS[target]([each.dtype for each in made], shapes)
            self.put, self.take = queue.enqueue(made), queue.dequeue()
            self.close, self.sizes = source.close(), (source.size(), queue.size())
            self.session = tf.Session()
            self.session.run(source.enqueue_many([np.arange(COUNT)]))
            self.session.run(self.sizes)
            self.run_one = self.session.make_callable(self.put)

    def took(self) -> list[Any]:
        taken = self.session.run(self.take)
        return [np.asarray(each).tolist() for each in (taken if isinstance(taken, list) else [taken])]

    def one(self) -> str:
        """A run of its own: how it ends."""
        try:
            self.run_one()
        except tf.errors.OpError as error:
            return type(error).__name__
        return ""


@pytest.mark.parametrize("target", TARGETS)
def test_runs_at_once_are_runs_one_by_one(target: str) -> None:
    for between in BETWEEN:
        if between == "shapes that differ" and target == "by priority":
            continue
        singly, together = Side(between, target), Side(between, target)
        moves = moves_of(together.session, together.put)
        rng = np.random.default_rng(3)
        most = 0
        while True:
            number = moves()
            most = max(most, number)
            assert all(singly.one() == "" for _ in range(number)), between
            sizes = together.session.run(together.sizes)
            assert singly.session.run(singly.sizes) == sizes, between
            for _ in range(min(int(rng.integers(1, 9)), sizes[1] - 3)):
                assert singly.took() == together.took(), between
            if not sizes[0]:
                break
            if not number:  # it would wait or fail
                assert singly.one() == together.one(), between
        assert most > (3 if "error" in between or target == "small" else 20), between
        for side in (singly, together):
            side.session.run(side.close)
        assert moves() == 0
        assert singly.one() == together.one() == "OutOfRangeError"
        singly.session.close()
        together.session.close()
        assert moves() == 0


def test_runs_that_do_something_else_are_made_one_by_one() -> None:
    """What has effects, draws numbers, calls functions of the program or gives something is no such run."""
    with tf.Graph().as_default(), tf.Session() as session:
        source = tf.FIFOQueue(9, tf.int64, shapes=[[]])
        target = tf.FIFOQueue(9, tf.int64, shapes=[[]])
        counter = tf.Variable(0, dtype=tf.int64)
        session.run([counter.initializer, source.enqueue_many([[1, 2, 3, 4]])])
        n = source.dequeue()
        both = tf.FIFOQueue(9, tf.int64, shapes=[[]])
        puts = {
            "a variable": target.enqueue(counter.assign_add(n)),
            "random numbers": target.enqueue(n + tf.random_uniform([], maxval=3, dtype=tf.int64)),
            "a function": target.enqueue(tf.py_func(lambda v: v, [n], tf.int64)),
            "two elements": target.enqueue(n + source.dequeue()),
            "two queues": tf.group(target.enqueue(n), both.enqueue(n)),
            "the same queue": source.enqueue(n),
            "a result": source.size(),
            "a random order": target.enqueue(tf.RandomShuffleQueue(9, 0, tf.int64, shapes=[[]]).dequeue()),
        }
        for words, put in puts.items():
            assert moves_of(session, put)() == 0, words
        assert session.run(source.size()) == 4
        put = target.enqueue(n)
        moves = moves_of(session, put)
        with runs_given_to(lambda run: run.go()):
            assert moves() == 0  # who observes runs sees each
        assert moves() == 4
        assert len(plans_of(session).calls) > 0
