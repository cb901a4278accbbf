"""A run writes all of its variables or none, whatever stops it and wherever."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.runtime.base import pending_writes, thread_pool
from penstock.runtime.session import variable_store

from ..interrupts import interrupted_at, lines_of
from .whole_runs import CONFIGS, HOW, PROGRAMS, Mode, Watched, attack

pytestmark = pytest.mark.usefixtures("no_collector_callbacks")


@pytest.fixture(autouse=True)
def graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield
    jit.mode = None


@pytest.mark.share(3)
@pytest.mark.parametrize("kind", PROGRAMS)
@pytest.mark.parametrize("mode", ["now", "off"])
def test_an_interrupt_at_any_line(kind: str, mode: Mode, request: pytest.FixtureRequest) -> None:
    jit.mode = mode
    most = 10_000 if request.config.getoption("-m") == "slow" else 15
    watched = Watched(kind, "usual", "run")
    for _ in range(3):
        watched.run()
    watched.now = watched.session.run(tf.global_variables())
    lines = lines_of(watched.run)
    watched.now = watched.session.run(tf.global_variables())
    written = {True: 0, False: 0}
    every = sorted({*range(1, lines, max(1, lines // most)), *range(max(1, lines - 20), lines)})
    for line in every:
        wanted = watched.after()
        was_struck = interrupted_at(line, watched.run)
        was_written = watched.check(wanted, f"at line {line} of {lines}")
        assert was_written or was_struck
        written[was_written] += 1
    assert written[False] > 5, "strikes came before the writes"
    watched.close()


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("config", CONFIGS)
def test_an_interrupt_near_the_end_of_every_kind_of_run(config: str, how: str) -> None:
    jit.mode = "now"
    watched = Watched("every write", config, how)
    for _ in range(2):
        watched.run()
    lines = lines_of(watched.run)
    watched.now = watched.session.run(tf.global_variables())
    for line in range(max(1, lines - 40), lines):
        wanted = watched.after()
        interrupted_at(line, watched.run)
        watched.check(wanted, f"at line {line} of {lines}")
    watched.close()


@pytest.mark.share(2)
@pytest.mark.parametrize("seed", range(6))
def test_signals_and_timeouts(seed: int) -> None:
    assert attack(seed, 15).total() >= 15


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 180))
def test_signals_and_timeouts_many(seed: int) -> None:
    assert attack(seed, 60).total() >= 60


@pytest.mark.parametrize("mode", ["now", "off"])
def test_a_bad_index_in_one_table_leaves_the_other(mode: Mode) -> None:
    jit.mode = mode
    ids, others = tf.placeholder(tf.int32, [2]), tf.placeholder(tf.int32, [2])
    a, b = tf.Variable(np.zeros((50, 3))), tf.Variable(np.zeros((50, 3)))
    count = tf.Variable(0)
    both = tf.group(tf.scatter_add(a, ids, tf.ones([2, 3], tf.float64)), count.assign_add(1),
                    tf.scatter_add(b, others, tf.ones([2, 3], tf.float64)))  # fmt: skip
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for bad in ({ids: [1, 2], others: [3, 50]}, {ids: [-1, 2], others: [3, 4]}):
            with pytest.raises(tf.errors.InvalidArgumentError, match="is not in"):
                session.run(both, bad)
            assert not any(np.any(value) for value in session.run([a, b, count]))
        session.run(both, {ids: [1, 2], others: [3, 49]})
        assert [float(np.sum(value)) for value in session.run([a, b, count])] == [6.0, 6.0, 1.0]


def test_a_bad_index_among_many_leaves_all_rows() -> None:
    jit.mode = "now"
    v = tf.Variable(np.zeros(40_000, np.float32))
    ids = tf.placeholder(tf.int32, [30_000, 1])
    write = v.assign(tf.tensor_scatter_nd_update(v, ids, tf.ones([30_000])))
    places = np.arange(30_000)[:, None]
    with tf.Session() as session:
        session.run(v.initializer)
        for _ in range(3):
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(write.op, {ids: np.where(places == 29_999, 40_000, places)})
            assert not session.run(v).any()
        session.run(write.op, {ids: places})
        assert session.run(v).sum() == 30_000


def test_no_memory_for_a_copy_leaves_all_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    v, w = tf.Variable(np.ones(100)), tf.Variable(np.ones(100))
    both = tf.group(v.assign_add(np.ones(100)), w.assign(v.value()))
    with tf.Session() as session:
        session.run([v.initializer, w.initializer])

        def none(value: Any, threads: int | None) -> Any:
            raise MemoryError

        with monkeypatch.context() as patch:
            patch.setattr("penstock.runtime.session.state_run.row_major_copy", none)
            with pytest.raises((MemoryError, tf.errors.OpError)):
                session.run(both)
        assert session.run(v).tolist() == session.run(w).tolist() == [1.0] * 100
        session.run(both)
        assert session.run(v).tolist() == [2.0] * 100


@pytest.mark.parametrize("mode", ["now", "off"])
def test_writes_that_would_take_too_long_become_copies(mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first writes fit, the rest is computed beside the old values."""
    jit.mode = mode
    made: list[int] = []
    commit = variable_store.VariableStore.commit

    def counted(self: Any, values: Any, writes: Any) -> None:
        made.append(len(writes.calls))
        commit(self, values, writes)

    monkeypatch.setattr(variable_store.VariableStore, "commit", counted)
    watched = Watched("Adam", "1 thread", "run")
    for _ in range(2):
        wanted = watched.after()
        watched.run()
        assert watched.check(wanted)
    usual = max(made)
    assert usual >= (3 if mode == "now" else 0)
    for longest in (0.0, 2e-6):
        monkeypatch.setattr(pending_writes, "LONGEST", longest)
        monkeypatch.setattr("penstock.runtime.compiled.flat_launch.LONGEST", longest)
        monkeypatch.setattr("penstock.runtime.execution.native_blocks.LONGEST", longest)
        made.clear()
        wanted = watched.after()
        watched.run()
        assert watched.check(wanted)
        assert max(made) <= usual and (longest or not any(made))
    watched.close()


def test_threads_see_no_run_by_halves() -> None:
    """Readers beside a run that writes find all variables at one step."""
    variables = [tf.Variable(np.zeros(n, np.float32)) for n in (1, 80, 3000, 300_000)]
    step = tf.group(*[v.assign_add(tf.ones_like(v.value())) for v in variables])
    sums = [tf.reduce_max(v) for v in variables] + [tf.reduce_min(v) for v in variables]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        wrong: list[Any] = []
        over = threading.Event()

        def read() -> None:
            while not over.is_set():
                found = session.run(sums)
                if len(set(map(float, found))) > 1:
                    wrong.append(found)

        readers = [threading.Thread(target=read) for _ in range(2)]
        for reader in readers:
            reader.start()
        for _ in range(150):
            session.run(step)
        over.set()
        for reader in readers:
            reader.join()
        assert not wrong
        assert set(map(float, session.run(sums))) == {150.0}


@pytest.mark.parametrize("helpers", [0, 2])
def test_calls_are_made_to_the_end_whatever_interrupts_the_caller(helpers: int) -> None:
    done: list[int] = []
    calls = [lambda i=i: done.append(i) for i in range(20)]

    def work() -> None:
        if not thread_pool.parallel_to_the_end(calls, helpers):
            raise RuntimeError

    if not helpers:
        with pytest.raises(RuntimeError):
            work()
        assert not done
        return
    work()
    for line in range(1, 60):
        done.clear()
        was_struck = interrupted_at(line, work)
        assert sorted(done) in ([], list(range(20))), f"line {line}: {done}"
        assert was_struck or done
