"""Ctrl-C while a graph is built: at whatever moment it comes, nothing stays entered, locked, half made or switched off.

Python raises KeyboardInterrupt where a function begins and where a built-in function returns. A profile function raises
it at the n-th such place, for places all over a program that builds a graph, so each run is the same.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.model.context import defaults
from penstock.graph.model.journal import evaluation_depth as _depth
from penstock.graph.shapes.size_claims import collector

# Where it hits a generator that is being thrown away, Python prints it instead of raising it.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

POSITIONS = 50
"""How many places of each program are tried: evenly spread, and the last 20."""


def scopes(x: tf.Tensor) -> None:
    with tf.name_scope("s", show="open"), tf.device("/cpu:0"), tf.control_dependencies([x]):
        y = tf.add(x, 1.0, name="y")
        with x.graph.as_default(), tf.name_scope("t"):
            tf.multiply(y, y)


def composites(x: tf.Tensor) -> None:
    y = tf.reduce_logsumexp(tf.clip_by_value(x, 0.0, 2.0 - x), [1])
    tf.SparseTensor([[0]], y[:1], [4])
    tf.div(1.0, tf.convert_to_tensor([y, y]))


def values(x: tf.Tensor) -> None:
    n = tf.shape(x)[0] * 2 // tf.constant(2) + np.float32(1e-30).astype(np.int32)
    y = tf.reshape(x, tf.pack([n, tf.cast(tf.constant(1.5e10) * 0.0, tf.int32) + 3]))
    tf.zeros([tf.size(tf.constant([1.0, 2.0])) * 3])
    y.set_shape([None, 3])
    y.graph.add_to_collection("c", tf.pack([y, tf.zeros([4, 3])]))


PROGRAMS: dict[str, Callable[[tf.Tensor], None]] = {f.__name__: f for f in (scopes, composites, values)}


class Interrupt:
    """Raises KeyboardInterrupt at the n-th place inside of a call; counts the places."""

    def __init__(self, at: int) -> None:
        self.at = at
        self.seen = 0

    def __call__(self, frame: Any, event: str, arg: Any) -> None:
        if event not in ("call", "c_return"):
            return
        self.seen += 1
        if self.seen == self.at:
            sys.setprofile(None)
            raise KeyboardInterrupt

    def run(self, program: Callable[[], None]) -> bool:
        """Run `program`; was it interrupted?"""
        sys.setprofile(self)
        try:
            program()
        except KeyboardInterrupt:
            return True
        finally:
            sys.setprofile(None)
        return False


def built(program: Callable[[tf.Tensor], None], at: int) -> tuple[Interrupt, tf.Graph]:
    """The graph of `program`, interrupted at place number `at`."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, ["n", 3], name="x")
        interrupt = Interrupt(at)
        interrupt.run(lambda: program(x))
    return interrupt, graph


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    """What is imported or made once is there before."""
    for program in PROGRAMS.values():
        built(program, 0)


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_interrupted_build_leaves_everything_as_it_was(name: str) -> None:
    program = PROGRAMS[name]
    errors, stack = np.geterr(), list(defaults.stack)
    count = built(program, 0)[0].seen
    assert count >= 300
    whole = [op.name for op in built(program, 0)[1].get_operations()]
    for at in sorted({*range(1, count, max(1, count // POSITIONS)), *range(count - 20, count)}):
        _, graph = built(program, at)
        where = f"{name}, interrupted at place {at} of {count}"
        assert np.geterr() == errors, where
        assert defaults.stack == stack, where
        assert collector.found is None and _depth.value == 0, where
        assert graph.journal.log is None, where
        assert is_free(graph.lock), where
        assert_whole(graph, where)
        names = [op.name for op in graph.get_operations()]
        assert names == whole[: len(names)], where
        with graph.as_default():
            program(graph.get_tensor_by_name("x:0"))  # and one can go on


@pytest.mark.share(2)
@pytest.mark.parametrize("at", range(1, 400, 7))
def test_an_interrupted_composite_adds_nothing_or_all(at: int) -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, ["n", 3], name="x")
        Interrupt(at).run(lambda: consume(tf.clip_by_value(x, 0.0, 1.0)))
        names = [op.name for op in graph.get_operations()]
        assert len(names) in (1, 5)
        if names == ["x"]:
            assert tf.clip_by_value(x, 0.0, 1.0).name == "clip_by_value:0"


def consume(tensor: tf.Tensor) -> None:
    """Nothing, as a statement."""


def test_a_second_interrupt_while_undoing_is_undone_too() -> None:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, ["n", 3], name="x")

        def build() -> None:
            graph.add_to_collection("c", tf.add(x, 1.0))
            x.set_shape([3, 3])
            graph.journal.note(interrupt_once, [])
            raise KeyboardInterrupt

        def interrupt_once(done: list[bool]) -> None:
            if not done:
                done.append(True)
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            graph.journal.all_or_nothing(build)
    assert len(graph) == 1 and graph.get_all_collection_keys() == [] and str(x.shape) == "(n, 3)"
    assert is_free(graph.lock) and graph.journal.log is None


def is_free(lock: Any) -> bool:
    """Can another thread take the lock?"""
    found: list[bool] = []

    def take() -> None:
        found.append(lock.acquire(blocking=False))
        if found[0]:
            lock.release()

    thread = threading.Thread(target=take)
    thread.start()
    thread.join()
    return found[0]


def assert_whole(graph: tf.Graph, where: str) -> None:
    """The surroundings are those of no block, and every node is there with what it takes."""
    around = graph.surroundings
    assert (around.prefix, around.device, around.controls) == ("", "", ()), where
    operations = graph.get_operations()
    known = set(operations)
    for index, op in enumerate(operations):
        assert op.index == index and graph.get_operation_by_name(op.name) is op, where
        assert {t.op for t in op.inputs} | set(op.control_inputs) <= known, where
    assert all(op in known for op, _, _ in graph.equations), where
    assert all(t.op in known for t in (*graph.pinned, *graph.get_collection("c"))), where
