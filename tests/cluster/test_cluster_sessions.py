"""The same program on one machine and on a cluster of two workers: one string changes, the results do not."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import penstock as tf
from tests.helpers import second_derivatives

from .sample_program import ON, drawn_before_a_failure, is_same, sample_program

FED = [1.0, 2.0, 3.0]


def results(target: str) -> dict[str, Any]:
    """All that three rounds of the program give, one fetch at a time, then together and in other ways."""
    graph, x, out = sample_program()
    found: dict[str, Any] = {}
    with tf.Session(target, graph=graph) as session:
        for turn in range(3):
            for name, fetch in out.items():
                if name != "init" or turn == 0:
                    found[f"{name}, turn {turn}"] = session.run(fetch, {x: FED})
        found["together"] = session.run({name: out[name] for name in out if name != "init"}, {x: FED})
        found["callable"] = session.make_callable(out["back again"], [x])([0.0, -1.0])
        found["empty"] = session.run([out["back again"], out["strings"]], {x: []})
        found["fed in the middle"] = session.run(out["joined strings"], {out["strings"]: [b"p", b"q"]})
        found["trace"] = session.trace(out["loop"], {x: FED}).result
        found["eval"] = out["variable"].eval(session=session)
    return found


@pytest.fixture(scope="module")
def both(cluster_address: str) -> tuple[dict[str, Any], dict[str, Any]]:
    return results(""), results(cluster_address)


def test_a_cluster_gives_the_results_of_one_machine(both: tuple[dict[str, Any], dict[str, Any]]) -> None:
    here, there = both
    assert [name for name in here if not is_same(here[name], there[name])] == []


def test_threads_train_towers_on_two_workers_at_the_same_time_and_no_update_is_lost(cluster_address: str) -> None:
    meeting = threading.Barrier(2)
    towers = []
    with tf.Graph().as_default() as graph:
        rows = tf.get_variable("rows", [200, 300], initializer=tf.zeros_initializer())
        count = tf.train.get_or_create_global_step()
        for device in ON:
            with tf.device(device):
                x = tf.placeholder(tf.float32, [None, 200])
                met = tf.py_func(lambda value: (meeting.wait(120.0), value)[1], [x], tf.float32)
                loss = tf.reduce_sum(tf.matmul(tf.reshape(met, [-1, 200]), rows))
                towers.append((x, tf.train.GradientDescentOptimizer(1.0).minimize(loss, global_step=count)))
        init = tf.global_variables_initializer()
    with tf.Session(cluster_address, graph=graph, config=tf.SessionConfig(asynchronous=True)) as session:
        session.run(init)
        with ThreadPoolExecutor(2) as pool:
            for _ in range(3):
                list(pool.map(lambda each: session.run(each[1], {each[0]: np.ones([2, 200])}), towers))
        assert session.run([rows, count])[1] == 6
        assert (session.run(rows) == -12.0).all()


@pytest.fixture(scope="module")
def session(cluster_address: str) -> Iterator[tf.Session]:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        with tf.device(ON[1]):
            more = tf.add(x, 1.0, name="more")
        with tf.device(ON[0]):
            tf.gather([10, 20], tf.cast(more, tf.int32), name="picked")
            v = tf.get_variable("v", initializer=tf.constant([1.0, 2.0]))
            tf.assign(v, tf.slice(v * 2.0, [0], tf.cast(x, tf.int32), name="slice"), name="write")
    with tf.Session(cluster_address, graph=graph) as made:
        made.run(v.initializer)
        yield made


def test_an_error_at_a_worker_is_that_of_the_user(session: tf.Session) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="= 6 is not in") as caught:
        session.run("picked:0", {"x:0": [5.0]})
    assert caught.value.op is session.graph.get_operation_by_name("picked")
    assert __file__.rpartition("/")[2] in str(caught.value)
    assert "worker 0" in "".join(caught.value.__notes__)


def test_a_session_goes_on_after_an_error(session: tf.Session) -> None:
    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(["more:0", "picked:0"], {"x:0": [5.0]})
        assert session.run("picked:0", {"x:0": [-1.0, 0.0]}).tolist() == [10, 20]


def test_a_failed_run_changes_no_variable(session: tf.Session) -> None:
    before = session.run("v:0")
    with pytest.raises(tf.errors.OpError):
        session.run(["write:0", "picked:0"], {"x:0": [5.0]})
    assert is_same(session.run("v:0"), before)


def test_a_result_belongs_to_the_caller(session: tf.Session) -> None:
    result = session.run("more:0", {"x:0": np.zeros(100_000, np.float32)})
    result += 1
    assert result[0] == 2


def test_explain_predicts_the_run_and_compares_it_with_the_last_one(session: tf.Session, tmp_path: Any) -> None:
    found = session.explain("picked:0", {"x:0": [0.0]}).cluster
    assert [each.place for each in found.partitions] == [1, 0]
    assert f"cluster: {found.verdict}" in str(session.explain("picked:0", {"x:0": [0.0]}))
    session.run("picked:0", {"x:0": [0.0]})
    again = session.explain("picked:0", {"x:0": [0.0]}).cluster
    assert again.measured > max(each.measured for each in again.partitions) > 0
    picture = again.export(tmp_path / "run.svg").read_text()
    assert "worker 1" in picture
    assert "measured" in picture


def test_the_client_may_compute_a_fetch_before_it_sends_and_go_on_later(cluster_address: str) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3])
        with tf.device("/job:client"):
            first = tf.exp(x)
        with tf.device(ON[1]):
            far = tf.sqrt(x)
        with tf.device("/job:client"):
            last = tf.exp(far)
    here = tf.Session(graph=graph).run([first, last], {x: FED})
    with tf.Session(cluster_address, graph=graph) as session:
        options = tf.RunOptions(timeout_in_ms=60_000)
        assert is_same(session.run([first, last], {x: FED}, options=options), here)


def test_auto_stays_here_where_that_is_faster(cluster_address: str) -> None:
    config = tf.SessionConfig(distribute="auto")
    with tf.Graph().as_default() as graph:
        v = tf.get_variable("v", initializer=tf.constant([1.0, 2.0]))
        more = tf.assign_add(v, [1.0, 1.0])
    with tf.Session(cluster_address, graph=graph, config=config) as session:
        session.run(v.initializer)
        assert session.run(more).tolist() == [2.0, 3.0]
        assert isinstance(session.variables.held("v"), np.ndarray)
        assert session.run(v).tolist() == [2.0, 3.0]


def test_a_function_of_the_program_is_called_there_whatever_its_device(cluster_address: str) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        with tf.device(ON[1]):
            y = tf.py_func(lambda t: t + 1.0, [x], tf.float32, name="here") * 2.0
    with tf.Session(cluster_address, graph=graph) as session:
        assert session.run(y, {x: [1.0, 2.0]}).tolist() == [4.0, 6.0]
        told = str(session.placement(y))
    assert "client: here: it calls a function of the program" in told and "worker 1: mul" in told


def test_a_run_that_fails_keeps_the_numbers_that_it_drew(cluster_address: str) -> None:
    def states(target: str) -> list[Any]:
        graph, x, noise, picked = drawn_before_a_failure()
        with tf.Session(target, graph=graph) as made:
            with pytest.raises(tf.errors.InvalidArgumentError):
                made.run([picked, noise], {x: 5})
            return [made.run(noise), str(made.random_state())]

    here, there = states(""), states(cluster_address)
    assert is_same(here, there)


def test_bodies_of_second_derivatives_run_on_workers(cluster_address: str) -> None:
    graph, fetches, feeds = second_derivatives()
    with tf.Session(graph=graph) as here, tf.Session(cluster_address, graph=graph) as there:
        assert is_same(here.run(fetches, feeds), there.run(fetches, feeds))
        found = there.explain(fetches, feeds).cluster
        assert found.measured is not None  # it ran there


@pytest.mark.parametrize("made", ["an operation", "a variable"])
def test_a_worker_that_is_not_there_is_told_with_the_line_that_asks_for_it(cluster_address: str, made: str) -> None:
    with tf.Graph().as_default() as graph, tf.device("/job:worker/task:7"):
        fetch = tf.negative([1.0], name="far") if made == "an operation" else tf.get_variable("far", [2]).initializer
    with tf.Session(cluster_address, graph=graph) as there:
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"'far.*there is no task 7 of the job") as caught:
            there.run(fetch)
        assert "test_cluster_sessions.py" in str(caught.value)
