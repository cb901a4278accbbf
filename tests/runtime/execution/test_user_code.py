"""Code from outside in a run: in the caller's context, and free to run a session, but not the run it is part of."""

from __future__ import annotations

import functools
import os
import signal
import warnings
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.extend import find_op
from penstock.runtime.base.thread_pool import LIMIT
from penstock.runtime.execution import nested_runs

from ...helpers import in_thread, op_of

SEEN: ContextVar[str] = ContextVar("seen", default="nothing")
FailedPreconditionError = tf.errors.FailedPreconditionError


@pytest.fixture
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as made:
        yield made


CONFIGS = {
    "plain": tf.SessionConfig(),
    "no passes": tf.SessionConfig(passes=()),
    "one thread": tf.SessionConfig(threads=1),
    "watched": tf.SessionConfig(watch=True),
    "with progress": tf.SessionConfig(progress=lambda done, steps, node: None),
}
configs = pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)


@configs
@pytest.mark.parametrize("alone", [True, False])
def test_a_kernel_from_outside_sees_and_sets_the_callers_variables(
    config: tf.SessionConfig, alone: bool, graph: tf.Graph
) -> None:
    def kernel(x: Any) -> Any:
        found.append(SEEN.get())
        SEEN.set("set by the kernel")
        return x + 1.0

    found: list[str] = []
    with op_of(kernel) as plus:
        x = tf.placeholder(tf.float32, [2])
        y = plus(x) if alone else tf.exp(plus(tf.log(x) * 2.0))
        token = SEEN.set("set by the caller")
        try:
            with tf.Session(graph=graph, config=config) as session:
                session.run(y, {x: [1.0, 2.0]})
            assert found == ["set by the caller"]
            assert SEEN.get() == "set by the kernel"
        finally:
            SEEN.reset(token)


@configs
def test_what_a_kernel_says_of_numpys_errors_ends_with_it(config: tf.SessionConfig, graph: tf.Graph) -> None:
    def kernel(x: Any) -> Any:
        found.append(np.geterr()["divide"])
        np.seterr(all="raise")
        return x + 0.0

    found: list[str] = []
    before = np.geterr()
    with op_of(kernel) as same, warnings.catch_warnings():
        warnings.simplefilter("error")
        x = tf.placeholder(tf.float32, [2])
        y, z = 1.0 / same(x * 1.0), 1.0 / x
        with tf.Session(graph=graph, config=config) as session:
            for _ in range(3):
                if config.watch:
                    session.run(y, {x: [1.0, 2.0]})
                else:
                    assert session.run(y, {x: [0.0, 1.0]}).tolist() == [np.inf, 1.0]
                    assert session.run(z, {x: [0.0, 1.0]}).tolist() == [np.inf, 1.0]
    assert found == ["ignore"] * 3
    assert np.geterr() == before


@configs
def test_the_callers_error_state_does_not_reach_our_own_kernels_beside_one_from_outside(
    config: tf.SessionConfig, graph: tf.Graph
) -> None:
    with op_of(lambda x: np.log(x)) as outer_log:
        x = tf.placeholder(tf.float32, [2])
        y = tf.exp(tf.log(x)) + tf.exp(outer_log(x))
        with tf.Session(graph=graph, config=config) as session, np.errstate(all="raise"):
            fed = [1.0, 2.0] if config.watch else [0.0, 2.0]
            assert np.allclose(session.run(y, {x: fed}), [2 * each for each in fed])


def test_the_limit_of_threads_holds_in_our_own_kernels_beside_one_from_outside(
    graph: tf.Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[int | None] = []
    cumsum = find_op("Cumsum")
    real = cumsum.kernels["*"]

    def noted(*args: Any) -> Any:
        found.append(LIMIT.get())
        return real(*args)

    monkeypatch.setitem(cumsum.kernels, "*", noted)
    with op_of(lambda x: x + 0.0) as same:
        x = tf.placeholder(tf.float32, [2])
        y = tf.cumsum(same(x))
        with tf.Session(graph=graph, config=tf.SessionConfig(threads=1)) as session:
            assert session.run(y, {x: [1.0, 2.0]}).tolist() == [1.0, 3.0]
    assert found == [1]
    assert LIMIT.get() is None


@pytest.mark.parametrize("where", ["config", "options"])
def test_a_hook_sees_and_sets_what_is_the_callers(where: str, graph: tf.Graph) -> None:
    def hook(done: int, steps: int, node: str) -> None:
        found.append((SEEN.get(), np.geterr()["divide"]))
        SEEN.set("set by the hook")

    found: list[tuple[str, str]] = []
    x = tf.placeholder(tf.float32, [2])
    y = 1.0 / x
    config = tf.SessionConfig(progress=hook if where == "config" else None)
    options = None if where == "config" else tf.RunOptions(progress=hook)
    token = SEEN.set("set by the caller")
    try:
        with tf.Session(graph=graph, config=config) as session, np.errstate(divide="raise"):
            assert session.run(y, {x: [0.0, 1.0]}, options=options).tolist() == [np.inf, 1.0]
        assert found == [("set by the caller", "raise"), ("set by the hook", "raise")]
        assert SEEN.get() == "set by the hook"
    finally:
        SEEN.reset(token)


def test_what_a_hook_says_of_numpys_errors_is_the_callers_and_not_of_later_runs(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [2])
    y = 1.0 / x
    with np.errstate(), warnings.catch_warnings(), tf.Session(graph=graph) as session:
        warnings.simplefilter("error")
        fed = {x: [0.0, 1.0]}
        options = tf.RunOptions(progress=lambda done, steps, node: np.seterr(divide="raise"))
        for _ in range(2):
            assert session.run(y, fed, options=options).tolist() == [np.inf, 1.0]
            assert session.run(y, fed).tolist() == [np.inf, 1.0]
            assert np.geterr()["divide"] == "raise"


# ---- runs inside runs ------------------------------------------------------------------------------


class Nested:
    """A graph with a kernel from outside that calls `inside`, whatever that is by then."""

    def __init__(self, config: tf.SessionConfig | None = None) -> None:
        self.inside: Callable[[], Any] = lambda: 0.0
        self.depth = 0
        self.x = tf.placeholder(tf.float32, [2], name="x")
        self.other = tf.exp(self.x, name="other")
        self.config = config

    def kernel(self, x: Any) -> Any:
        self.depth += 1
        assert self.depth < 200, "without end"
        return x + np.float32(self.inside())


@pytest.fixture
def nested(graph: tf.Graph) -> Iterator[tuple[Nested, tf.Session, tf.Tensor]]:
    made = Nested()
    with op_of(made.kernel) as plus, tf.Session(graph=graph) as session:
        yield made, session, tf.negative(plus(made.x, name="inner"), name="y")


FED = [1.0, 2.0]


def test_a_kernel_may_run_its_session_for_something_else(nested: tuple[Nested, tf.Session, tf.Tensor]) -> None:
    made, session, y = nested
    made.inside = lambda: session.run(made.other, {made.x: [0.0, 0.0]})[0]
    for _ in range(3):
        assert session.run(y, {made.x: FED}).tolist() == [-2.0, -3.0]


@pytest.mark.parametrize("size", [128, 0], ids=["plans are kept", "plans are not kept"])
def test_a_kernel_that_starts_the_run_it_is_part_of_fails_in_words(size: int, graph: tf.Graph) -> None:
    made = Nested()
    config = tf.SessionConfig(plan_cache_size=size)
    with op_of(made.kernel) as plus, tf.Session(graph=graph, config=config) as session:
        y = tf.negative(plus(made.x, name="inner"))
        made.inside = lambda: session.run(y, {made.x: FED})[0]
        with pytest.raises(FailedPreconditionError, match=r'kernel of node "inner".*without end'):
            session.run(y, {made.x: FED})
        assert made.depth == (1 if size else nested_runs.DEEPEST)
        made.inside = lambda: 0.0
        assert session.run(y, {made.x: FED}).tolist() == [-1.0, -2.0]


def test_two_kernels_that_start_each_others_runs_fail_in_words(graph: tf.Graph) -> None:
    calls: list[float] = []

    def kernel(x: Any) -> Any:
        calls.append(float(x[0]))
        assert len(calls) < 200, "without end"
        return session.run(*(("two:0", {"q:0": [-1.0, 0.0]}) if x[0] > 0 else ("one:0", {"p:0": [1.0, 0.0]})))

    p, q = tf.placeholder(tf.float32, [2], name="p"), tf.placeholder(tf.float32, [2], name="q")
    with op_of(kernel) as run_other, tf.Session(graph=graph) as session:
        one = run_other(p, name="one")
        run_other(q, name="two")
        with pytest.raises(FailedPreconditionError, match=r'kernel of node "one".*without end'):
            session.run(one, {p: [1.0, 0.0]})
    assert calls == [1.0, -1.0]


def test_the_same_run_in_another_thread_meanwhile_is_no_run_inside(
    nested: tuple[Nested, tf.Session, tf.Tensor],
) -> None:
    made, session, y = nested

    def once_more() -> float:
        made.inside = lambda: 1.0
        return float(in_thread(lambda: session.run(y, {made.x: FED}))[0])

    made.inside = once_more
    assert session.run(y, {made.x: FED}).tolist() == [1.0, 0.0]


def test_a_hook_that_starts_the_run_it_is_told_of_fails_in_words(graph: tf.Graph) -> None:
    calls: list[int] = []

    def hook(done: int, steps: int, node: str) -> None:
        calls.append(done)
        assert len(calls) < 200, "without end"
        session.run(y, {x: FED})

    x = tf.placeholder(tf.float32, [2])
    y = tf.exp(x) + 1.0
    with tf.Session(graph=graph, config=tf.SessionConfig(progress=hook)) as session:
        with pytest.raises(FailedPreconditionError, match="the progress hook started the run that it is part of"):
            session.run(y, {x: FED})
        assert calls == [0]


def test_a_hook_may_run_the_same_fetch_where_it_is_not_told_of_it(graph: tf.Graph) -> None:
    found: list[Any] = []
    x = tf.placeholder(tf.float32, [2])
    y = x + 1.0
    with tf.Session(graph=graph) as session:
        hook = tf.RunOptions(progress=lambda *_: found.append(session.run(y, {x: [0.0, 0.0]}).tolist()))
        assert session.run(y, {x: FED}, options=hook).tolist() == [2.0, 3.0]
    assert found == [[1.0, 1.0]] * 2


class Handler:
    """A handler that is an object, and has a method that could be one."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self.work = work

    def __call__(self, number: int, frame: Any) -> None:
        self.work()

    def method(self, number: int, frame: Any) -> None:
        self.work()


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="this system has no signals of the user's")
@pytest.mark.parametrize("form", ["function", "partial", "method", "object"])
def test_a_signal_handler_may_start_the_very_run_that_it_interrupts_in_a_kernel_from_outside(
    form: str, nested: tuple[Nested, tf.Session, tf.Tensor]
) -> None:
    made, session, y = nested
    found: list[Any] = []

    def work() -> None:
        made.inside = lambda: 10.0
        found.append(session.run(y, {made.x: FED}).tolist())

    def function(number: int, frame: Any) -> None:
        work()

    def interrupted() -> float:
        os.kill(os.getpid(), signal.SIGUSR1)  # Python's handler runs before the next line
        return 0.0

    made.inside = interrupted
    handler = Handler(work)
    forms: dict[str, Any] = {"function": function, "partial": functools.partial(function),
                             "method": handler.method, "object": handler}  # fmt: skip
    before = signal.signal(signal.SIGUSR1, forms[form])
    try:
        assert session.run(y, {made.x: FED}).tolist() == [-1.0, -2.0]
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert found == [[-11.0, -12.0]]


def test_a_group_of_elementwise_ops_from_outside_and_our_own_runs_in_the_callers_context(graph: tf.Graph) -> None:
    found: list[str] = []

    def kernel(x: Any) -> Any:
        found.append(SEEN.get())
        return x + 1.0

    with op_of(kernel, elementwise=True) as plus:
        x = tf.placeholder(tf.float32, [2])
        y = tf.exp(plus(x * 2.0) - 3.0)
        token = SEEN.set("set by the caller")
        try:
            with tf.Session(graph=graph) as session:
                session.run(y, {x: [1.0, 2.0]})
        finally:
            SEEN.reset(token)
    assert set(found) == {"set by the caller"}


class _InterruptedAfterSet:
    """A context variable that Ctrl-C strikes as soon as it is set for the first time."""

    def __init__(self) -> None:
        self._value: Any = ()
        self._sets = 0

    def get(self) -> Any:
        return self._value

    def set(self, value: Any) -> None:
        self._value = value
        self._sets += 1
        if self._sets == 1:
            raise KeyboardInterrupt


def test_an_interrupt_before_the_users_code_leaves_no_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    variable = _InterruptedAfterSet()
    monkeypatch.setattr(nested_runs, "_under_way", variable)
    guarded = nested_runs.RecursionGuard("the kernel").around(lambda x: x + 1, quiet=False)
    with pytest.raises(KeyboardInterrupt):
        guarded(1)
    assert variable.get() == () and guarded(1) == 2
