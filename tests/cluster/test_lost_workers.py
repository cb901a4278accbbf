"""Sessions whose workers are killed: runs are made again elsewhere, and variables that are gone are named."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.cluster.access.local_cluster import process_ids

from ..helpers import cluster_of
from .sample_program import ON

pytestmark = pytest.mark.slow


class Program:
    """A sum over two workers, and a variable on worker 1."""

    def __init__(self) -> None:
        with tf.Graph().as_default() as self.graph:
            self.x = tf.placeholder(tf.float32, [None], name="x")
            with tf.device(ON[1]):
                self.v = tf.get_variable("v", initializer=tf.constant([1.0, 2.0]))
                there = self.x + tf.random_uniform([1], seed=3)
                steps = tf.placeholder_with_default(tf.constant(1), [])
                self.steps = steps
                there = tf.while_loop(lambda i, _: i < steps, lambda i, a: (i + 1, a + 0.0), (0, there))[1]
            with tf.device(ON[0]):
                self.sum = tf.reduce_sum(there * 2.0, name="sum")
            self.printed = tf.Print(self.sum, [self.sum], "printed: ")
            self.read = self.v + 1.0
            self.more = self.v.assign_add([1.0, 1.0])  # a worker has the value then, not the client
            self.saver = tf.train.Saver()


@pytest.fixture
def program() -> Program:
    return Program()


@pytest.fixture
def session(program: Program) -> Iterator[tf.Session]:
    with tf.Session("dask://local?workers=2&threads=1", graph=program.graph) as made:
        yield made


def kill(session: Any, worker: int) -> None:
    os.kill(process_ids(cluster_of(session).connection.local_cluster)[worker], signal.SIGKILL)


def expected(program: Program, runs: int) -> list[float]:
    """What one machine gives in as many runs."""
    with tf.Session(graph=program.graph) as session:
        return [float(session.run(program.sum, {program.x: [1.0]})) for _ in range(runs)]


def test_a_run_after_a_worker_was_killed_is_made_elsewhere(program: Program, session: tf.Session) -> None:
    wanted = expected(program, 3)
    found = [float(session.run(program.sum, {program.x: [1.0]}))]
    kill(session, 1)
    found += [float(session.run(program.sum, {program.x: [1.0]})) for _ in range(2)]
    assert found == wanted


def test_a_run_in_which_a_worker_is_killed_is_made_again(program: Program, session: tf.Session) -> None:
    wanted = expected(program, 2)
    assert float(session.run(program.sum, {program.x: [1.0]})) == wanted[0]
    timer = threading.Timer(0.5, kill, (session, 1))
    timer.start()
    found = session.run(program.sum, {program.x: [1.0], program.steps: 20_000_000})
    timer.join()
    assert float(found) == wanted[1]


def test_lost_variables_are_named_with_the_last_checkpoint(program: Program, session: tf.Session) -> None:
    session.run(program.v.initializer)
    session.run(program.more.op)
    kill(session, 1)
    for _ in range(2):
        with pytest.raises(tf.errors.UnavailableError) as caught:
            session.run(program.read)
        message = str(caught.value)
        assert message.startswith("worker 1 (tls://") and "the value of 1 variable is lost ('v')" in message
        assert "there is no checkpoint of this session" in message
    session.run(program.v.initializer)
    assert session.run(program.read).tolist() == [2.0, 3.0]


def test_a_checkpoint_brings_lost_variables_back(program: Program, session: tf.Session, tmp_path: Path) -> None:
    session.run(program.v.initializer)
    session.run(program.more.op)
    path = program.saver.save(session, str(tmp_path / "model"))
    kill(session, 1)
    with pytest.raises(tf.errors.UnavailableError) as caught:
        session.run(program.read)
    assert f"the last checkpoint is {path!r}: restore it, or run the initializer" in str(caught.value)
    program.saver.restore(session, path)
    assert session.run(program.read).tolist() == [3.0, 4.0]
    assert session.run(program.more).tolist() == [3.0, 4.0]


def test_a_run_that_has_printed_is_not_made_again(
    program: Program, session: tf.Session, capfd: pytest.CaptureFixture[str]
) -> None:
    with program.graph.as_default(), tf.device(ON[1]):
        steps = tf.placeholder(tf.int32, [])
        after = tf.while_loop(lambda i, _: i < steps, lambda i, a: (i + 1, tf.sin(a)), (0, program.printed))[1]
    feeds = {program.x: [1.0]}
    session.run(after, {**feeds, steps: 1})
    timer = threading.Timer(0.5, kill, (session, 1))
    timer.start()
    with pytest.raises(tf.errors.UnavailableError, match=r"worker 1 .* is lost"):
        session.run(after, {**feeds, steps: 2_000_000_000})
    timer.join()
    assert capfd.readouterr().err.count("printed: ") == 2
    assert np.isfinite(session.run(program.sum, feeds))


def test_a_session_without_workers_says_so_and_closes(program: Program, session: tf.Session) -> None:
    kill(session, 0)
    kill(session, 1)
    for fetch in (program.sum, program.sum, program.v.initializer, [program.sum, program.x]):
        with pytest.raises(tf.errors.UnavailableError, match="all 2 workers of this session are lost") as caught:
            session.run(fetch, {program.x: [1.0]})
        assert "worker 0 (tls://" in str(caught.value) and "worker 1 (tls://" in str(caught.value)
    session.close()


def test_a_session_that_has_run_says_that_all_its_workers_are_lost(program: Program, session: tf.Session) -> None:
    assert np.isfinite(session.run(program.sum, {program.x: [1.0]}))
    kill(session, 0)
    kill(session, 1)
    for fetch in (program.sum, program.v.initializer, program.sum):
        with pytest.raises(tf.errors.UnavailableError, match="all 2 workers of this session are lost"):
            session.run(fetch, {program.x: [1.0]})


def kill_scheduler(session: Any) -> str:
    """Kill the scheduler; its address."""
    connection = cluster_of(session).connection
    connection.local_cluster.scheduler.process.kill()
    return str(connection._scheduler)


def test_a_session_whose_scheduler_is_killed_says_so_and_closes(program: Program, session: Any) -> None:
    assert np.isfinite(session.run(program.sum, {program.x: [1.0]}))
    address = kill_scheduler(session)
    with pytest.raises(tf.errors.UnavailableError) as caught:
        for _ in range(300):
            session.run(program.sum, {program.x: [1.0]})
            threading.Event().wait(0.1)
    assert f"Dask's scheduler at {address} is gone" in str(caught.value)


def test_a_run_in_which_the_scheduler_is_killed_says_that_it_is_gone(program: Program, session: Any) -> None:
    assert np.isfinite(session.run(program.sum, {program.x: [1.0]}))
    addresses: list[str] = []
    timer = threading.Timer(0.5, lambda: addresses.append(kill_scheduler(session)))
    timer.start()
    with pytest.raises(tf.errors.UnavailableError) as caught:
        session.run(program.sum, {program.x: [1.0], program.steps: 2_000_000_000})
    timer.join()
    assert f"Dask's scheduler at {addresses[0]} is gone" in str(caught.value)


def test_batches_that_were_sent_ahead_to_a_worker_that_is_killed_are_sent_elsewhere() -> None:
    rows = np.random.RandomState(5).rand(50, 4000).astype("f4")
    with tf.Graph().as_default() as graph:
        element = tf.data.Dataset.from_tensor_slices(rows).batch(10).prefetch(2).make_one_shot_iterator().get_next()
        with tf.device(ON[1]):
            total = tf.reduce_sum(tf.cast(element, tf.float64))
    wanted = [rows[i : i + 10].sum(dtype="f8") for i in range(0, 50, 10)]
    with tf.Session("dask://local?workers=2&threads=1&security=none", graph=graph) as session:
        found = [float(session.run(total)) for _ in range(2)]
        kill(session, 1)
        found += [float(session.run(total)) for _ in range(3)]
        assert found == pytest.approx(wanted)
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(total)
