"""A progress hook is called for every step, and the bar needs tqdm."""

from __future__ import annotations

import io
import sys
import types
from typing import Any, ClassVar

import pytest

import penstock as tf
from penstock.errors import InvalidArgumentError

from ...warm_python import run_fresh

Calls = list[tuple[int, int, str]]


def chain() -> tuple[tf.Graph, Any, Any]:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        y = tf.cumsum(tf.cumsum(tf.cumsum(x, name="a"), name="b"), name="c")
    return graph, x, y


def test_a_hook_hears_of_every_step_and_of_the_one_that_comes() -> None:
    graph, x, y = chain()
    calls: Calls = []
    config = tf.SessionConfig(progress=lambda *told: calls.append(told))
    with tf.Session(graph=graph, config=config) as session:
        assert session.run(y, {x: [1.0, 1.0]}).tolist() == [1.0, 4.0]
    assert calls == [(0, 3, "a"), (1, 3, "b"), (2, 3, "c"), (3, 3, "")]


def test_one_run_can_have_a_hook_of_its_own_and_a_record_beside_it() -> None:
    graph, x, y = chain()
    calls: Calls = []
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run(y, {x: [1.0]})
        session.run(y, {x: [1.0]}, tf.RunOptions(progress=lambda *told: calls.append(told)), metadata)
        session.run(y, {x: [1.0]})
    assert len(calls) == 4 and len(metadata.steps) == 3


def test_callables_and_watched_runs_are_told_too() -> None:
    graph, x, y = chain()
    calls: Calls = []
    hook = lambda *told: calls.append(told)  # noqa: E731  # one name for two configs
    with tf.Session(graph=graph, config=tf.SessionConfig(progress=hook)) as session:
        session.make_callable(y, [x])([1.0])
        assert len(calls) == 4
        session.run(y, {x: [1.0]}, tf.RunOptions(watch=True))
        assert len(calls) == 8 and calls[-1][2] == ""


def test_a_run_without_steps_is_done_at_once() -> None:
    with tf.Graph().as_default() as graph:
        y = tf.constant(1.0)
    calls: Calls = []
    with tf.Session(graph=graph, config=tf.SessionConfig(progress=lambda *told: calls.append(told))) as session:
        assert session.run(y) == 1.0
    assert calls == [(0, 0, "")]


def test_what_a_hook_raises_ends_the_run_and_leaves_the_session_usable() -> None:
    graph, x, y = chain()

    class Enough(Exception):
        pass

    def stop(done: int, steps: int, node: str) -> None:
        if done == 2:
            raise Enough

    with tf.Session(graph=graph) as session:
        with pytest.raises(Enough):
            session.run(y, {x: [1.0]}, tf.RunOptions(progress=stop))
        assert session.run(y, {x: [1.0]}).tolist() == [1.0]


def test_what_cannot_be_called_is_refused() -> None:
    with pytest.raises(TypeError, match=r"a function of \(done, steps, node\) is expected"):
        tf.SessionConfig(progress=3)  # type: ignore[arg-type]  # the mistake under test


class FakeBar:
    """What a bar is asked to do."""

    made: ClassVar[list[FakeBar]] = []

    def __init__(self, **options: Any) -> None:
        self.options = options
        self.log: list[Any] = []
        FakeBar.made.append(self)

    def set_postfix_str(self, text: str, refresh: bool = True) -> None:
        self.log.append(text)

    def update(self, count: int) -> None:
        self.log.append(count)

    def close(self) -> None:
        self.log.append("closed")


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> list[FakeBar]:
    module = types.ModuleType("tqdm.auto")
    module.tqdm = FakeBar  # type: ignore[attr-defined]  # a stand-in for the package
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    monkeypatch.setattr(FakeBar, "made", [])
    return FakeBar.made


def test_a_bar_begins_with_each_run_and_is_closed_at_its_end(bars: list[FakeBar]) -> None:
    graph, x, y = chain()
    with tf.Session(graph=graph, config=tf.SessionConfig(progress=tf.progress_bar(desc="run"))) as session:
        del bars[:]
        session.run(y, {x: [1.0]})
        session.run(y, {x: [1.0]})
    assert [bar.options["total"] for bar in bars] == [3, 3] and bars[0].options["desc"] == "run"
    assert bars[0].log == ["a", "b", 1, "c", 1, "", 1, "closed"] == bars[1].log


def test_the_bar_of_a_failed_run_is_closed_by_the_next(bars: list[FakeBar]) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.int32, [], name="x")
        y = tf.gather([1, 2], tf.negative(x), name="y")
    with tf.Session(graph=graph, config=tf.SessionConfig(progress=tf.progress_bar())) as session:
        del bars[:]
        with pytest.raises(InvalidArgumentError):
            session.run(y, {x: -5})
        assert "closed" not in bars[0].log
        assert session.run(y, {x: -1}) == 2
    assert bars[0].log[-1] == "closed" and bars[1].log[-1] == "closed"


def test_without_tqdm_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError) as error:
        tf.progress_bar()
    assert str(error.value) == "progress_bar: the package tqdm is not installed; run `pip install penstock[progress]`"


def test_the_real_tqdm_draws_a_bar() -> None:
    pytest.importorskip("tqdm", reason="tqdm, an optional package, is not installed")
    graph, x, y = chain()
    stream = io.StringIO()
    hook = tf.progress_bar(file=stream, mininterval=0.0)
    with tf.Session(graph=graph) as session:
        session.run(y, {x: [1.0]}, tf.RunOptions(progress=hook))
    assert "3/3" in stream.getvalue()


def test_importing_penstock_imports_no_tqdm() -> None:
    code = "import sys, penstock as tf; assert not [m for m in sys.modules if m.split('.')[0] == 'tqdm']"
    assert run_fresh(code).returncode == 0
