"""Loops of a session: the switch to machine code, interrupts, timeouts, errors and refusals."""

from __future__ import annotations

import _thread
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.ops.control.loop_run import LoopRun
from penstock.runtime.llvm import tier
from penstock.runtime.llvm.promotion import Promotion, State
from penstock.runtime.loops import promoted_loop
from penstock.runtime.loops.native_loop import NativeLoop
from penstock.runtime.loops.promoted_loop import TRIAL, PromotedLoop

pytestmark = pytest.mark.skipif(bool(tier.why_off()), reason="the compiled tier is off")


@pytest.fixture
def loops(monkeypatch: pytest.MonkeyPatch) -> list[PromotedLoop]:
    """The loops that sessions make during the test."""
    made: list[PromotedLoop] = []
    init = PromotedLoop.__init__

    def noted(self: PromotedLoop, *args: Any) -> None:
        init(self, *args)
        made.append(self)

    monkeypatch.setattr(PromotedLoop, "__init__", noted)
    return made


@pytest.fixture
def mode() -> Iterator[Callable[[Any], None]]:
    """Sets when code is compiled; the setting ends with the test."""
    before = jit.mode

    def set_mode(value: Any) -> None:
        jit.mode = value

    yield set_mode
    jit.mode = before


def run(fetches: Any, feeds: Any = None, **options: Any) -> Any:
    with tf.Session() as session:
        return session.run(fetches, feeds, **options)


def collatz(start: int) -> Any:
    return tf.while_loop(
        lambda i, n: tf.not_equal(n, 1),
        lambda i, n: (i + 1, tf.cond(tf.equal(tf.mod(n, 2), 0), lambda: tf.floordiv(n, 2), lambda: 3 * n + 1)),
        [tf.constant(0), tf.constant(start, tf.int64)],
    )


def test_a_loop_is_compiled_and_gives_the_same(loops: list[PromotedLoop], mode: Callable[[Any], None]) -> None:
    found = []
    for each in ("off", "now"):
        mode(each)
        with tf.Graph().as_default():
            found.append(run(collatz(837799)))
    assert found[0] == found[1] == [524, 1]
    assert loops[-1].kernel.now().tier == "compiled"


def test_a_loop_of_few_iterations_is_compiled_when_its_runs_have_taken_long(
    loops: list[PromotedLoop], monkeypatch: pytest.MonkeyPatch, mode: Callable[[Any], None]
) -> None:
    mode("on")
    ticks = count(step=10.0)
    monkeypatch.setattr(promoted_loop, "perf_counter", lambda: next(ticks))
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [30])
        _, y = tf.while_loop(lambda i, h: i < 4, lambda i, h: (i + 1, tf.tanh(h * 0.5) + x), [0, x])
        feeds = {x: np.linspace(-1, 1, 30, dtype=np.float32)}
        first = session.run(y, feeds)
        loop = loops[-1]
        for _ in range(TRIAL // 4 - 1):
            assert loop.kernel.now().promotion == State.INTERPRETED.value  # nothing is asked before
            session.run(y, feeds)
        session.run(y, feeds)
        for _ in range(1000):
            if loop.kernel.now().tier == "compiled":
                break
            time.sleep(0.01)
        calls: list[int] = []
        advance = NativeLoop.advance

        def noted(self: NativeLoop, run: LoopRun) -> None:
            calls.append(1)
            advance(self, run)

        monkeypatch.setattr(NativeLoop, "advance", noted)
        assert np.array_equal(session.run(y, feeds), first)
        assert calls


def test_a_run_switches_to_machine_code_at_the_border_of_an_iteration(
    loops: list[PromotedLoop], monkeypatch: pytest.MonkeyPatch, mode: Callable[[Any], None]
) -> None:
    mode("on")
    borders: list[int] = []
    advance = NativeLoop.advance

    def noted(self: NativeLoop, run: LoopRun) -> None:
        borders.append(run.done)
        advance(self, run)

    monkeypatch.setattr(NativeLoop, "advance", noted)
    asked = [0]

    class Late(Promotion[Any]):
        def code_for(self, patience: float) -> Any:
            asked[0] += 1
            if asked[0] == 3:
                self._make(tier.build_now)
            return self.code

    monkeypatch.setattr(promoted_loop, "Promotion", Late)
    x = np.linspace(-1, 1, 30, dtype=np.float32)
    with tf.Graph().as_default():
        given = tf.constant(x)
        made = tf.scan(lambda a, row: tf.tanh(a) * 0.5 + row * given, tf.constant(np.arange(30000.0, dtype=np.float32)),
                       initializer=given)  # fmt: skip
        rows = run(made)
    assert borders and 0 < borders[0] < 30000
    a = x
    for i in range(30000):
        a = np.tanh(a) * np.float32(0.5) + np.float32(i) * x
        assert i % 5000 or np.array_equal(rows[i], a)
    assert np.array_equal(rows[-1], a)


def test_an_error_inside_machine_code_is_that_of_the_plain_path(mode: Callable[[Any], None]) -> None:
    texts = []
    for each in ("off", "now"):
        mode(each)
        with tf.Graph().as_default():
            made = tf.while_loop(lambda i, n: tf.less(i, 50), lambda i, n: (i + 1, tf.floordiv(n, 20 - i, name="q")),
                                 [tf.constant(0), tf.constant(9)])  # fmt: skip
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                run(made)
        texts.append("\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])]))
    assert texts[0] == texts[1]
    assert "Integer division by zero" in texts[0]
    assert "iteration 20" in texts[0]


def test_an_index_out_of_range_is_the_error_of_the_plain_path(mode: Callable[[Any], None]) -> None:
    texts = []
    for each in ("off", "now"):
        mode(each)
        with tf.Graph().as_default():
            table = tf.constant(np.arange(10.0))
            made = tf.while_loop(lambda i, s, t: tf.less(i, 50), lambda i, s, t: (i + 1, s + tf.gather(t, i), t),
                                 [tf.constant(0), tf.constant(0.0, tf.float64), table])  # fmt: skip
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                run(made)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
    assert "10 is not in [0, 10)" in texts[0]


def endless() -> Any:
    return tf.while_loop(lambda i: tf.greater_equal(i, 0), lambda i: [tf.mod(i + 1, 1000)], [tf.constant(0)])


@pytest.mark.parametrize("each", ["now", "on", "off"])
def test_an_endless_loop_can_be_interrupted(mode: Callable[[Any], None], each: str) -> None:
    mode(each)
    with tf.Graph().as_default(), tf.Session() as session:
        made, fine = endless(), tf.constant(3) + 4
        timer = threading.Timer(0.15, _thread.interrupt_main)
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            session.run(made)
        timer.join()
        assert session.run(fine) == 7


@pytest.mark.parametrize("each", ["now", "on"])
def test_an_endless_loop_obeys_a_timeout(mode: Callable[[Any], None], each: str) -> None:
    mode(each)
    with tf.Graph().as_default(), tf.Session() as session:
        made = endless()
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(made, options=tf.RunOptions(timeout_in_ms=100))


def test_values_that_the_code_depends_on_may_change_between_runs(
    loops: list[PromotedLoop], mode: Callable[[Any], None]
) -> None:
    mode("now")
    with tf.Graph().as_default(), tf.Session() as session:
        axis = tf.placeholder(tf.int32, [])
        x = tf.constant(np.arange(6.0, dtype=np.float32).reshape(2, 3))

        def body(i: Any, a: Any) -> Any:
            return i + 1, a * 0.5 + tf.reduce_sum(a, axis, True) * 0.1

        made = tf.while_loop(lambda i, a: tf.less(i, 4), body, [tf.constant(0), x])[1]
        found = [session.run(made, {axis: value}) for value in (1, -1, 1)]
        assert np.array_equal(found[0], found[1]) and np.array_equal(found[0], found[2])
        assert loops[0].kernel.now().tier == "compiled"
        mode("off")
        assert np.array_equal(session.run(made, {axis: 1}), found[0])


def test_other_shapes_get_code_of_their_own(mode: Callable[[Any], None]) -> None:
    mode("now")
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None])
        made = tf.while_loop(lambda i, a: tf.less(i, 3), lambda i, a: (i + 1, a * 2.0), [tf.constant(0), x])[1]
        for size in (1, 5, 0, 700, 5):
            given = np.arange(size, dtype=np.float32)
            assert np.array_equal(session.run(made, {x: given}), given * 8)


def test_a_loop_with_an_effect_stays_on_the_plain_path(loops: list[PromotedLoop], mode: Callable[[Any], None]) -> None:
    mode("now")
    with tf.Graph().as_default():
        made = tf.while_loop(lambda i, a: tf.less(i, 3), lambda i, a: (i + 1, a + tf.random_uniform([], seed=1)),
                             [tf.constant(0), tf.constant(0.0)])  # fmt: skip
        run(made)
    assert loops[0].kernel.now().promotion.startswith("refused: RandomUniform")


def test_gradients_of_a_loop_of_unknown_length_stack_what_they_need(mode: Callable[[Any], None]) -> None:
    found = []
    for each in ("off", "now"):
        mode(each)
        with tf.Graph().as_default():
            x = tf.constant(np.linspace(0.1, 1, 7, dtype=np.float32))
            a = tf.while_loop(lambda a, x: tf.less(tf.reduce_sum(a), 500.0),
                              lambda a, x: [a + tf.tanh(a * x) * 0.3, x], [x, x])[0]  # fmt: skip
            found.append(run([a, *tf.gradients(a, x)]))
    assert all(np.array_equal(p, q) for p, q in zip(*found, strict=True))


def test_a_loop_without_iterations_and_a_limit(mode: Callable[[Any], None]) -> None:
    mode("now")
    with tf.Graph().as_default():
        start = [tf.constant(5), tf.constant([1.0, 2.0])]
        never = tf.while_loop(lambda i, a: tf.less(i, 5), lambda i, a: (i + 1, a * 2.0), start)
        some = tf.while_loop(lambda i, a: tf.less(i, 99), lambda i, a: (i + 1, a * 2.0), start, maximum_iterations=3)
        first, second = run([list(never), list(some)])
    assert first[0] == 5 and first[1].tolist() == [1.0, 2.0]
    assert second[0] == 8 and second[1].tolist() == [8.0, 16.0]


def test_many_threads_run_one_loop(mode: Callable[[Any], None]) -> None:
    mode("now")
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float64, [3])
        made = tf.while_loop(lambda i, a: tf.less(i, 2000), lambda i, a: (i + 1, tf.sin(a) + x), [tf.constant(0), x])[1]
        expected = [session.run(made, {x: np.full(3, float(k))}) for k in range(4)]
        found: list[Any] = [None] * 4

        def work(k: int) -> None:
            for _ in range(20):
                found[k] = session.run(made, {x: np.full(3, float(k))})

        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert all(np.array_equal(a, b) for a, b in zip(expected, found, strict=True))


def test_a_short_loop_asks_for_code_in_later_runs(
    monkeypatch: pytest.MonkeyPatch, mode: Callable[[Any], None]
) -> None:
    """Code is asked for after so many iterations of all runs together."""
    mode("on")
    asked: list[float] = []

    class Never(Promotion[Any]):
        def code_for(self, patience: float) -> None:
            asked.append(patience)

    monkeypatch.setattr(promoted_loop, "Promotion", Never)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [3])
        _, last = tf.while_loop(lambda i, y: i < 5, lambda i, y: (i + 1, tf.tanh(y) + x), [0, x])
        counts = []
        for _ in range(6):
            session.run(last, {x: [1.0, 2.0, 3.0]})
            counts.append(len(asked))
    # The fifth run has 20 iterations behind it, more than the trial of 16; slow ones are asked about more than once.
    assert counts[:4] == [0] * 4 and 0 < counts[4] < counts[5]
    assert all(patience > 0 for patience in asked)


def test_a_stack_without_rows_is_that_of_the_plain_path(mode: Callable[[Any], None]) -> None:
    """Where not even the rank of a row is known, code that is made for a row of three numbers gives no other result."""
    found = []
    for way in ("off", "now"):
        mode(way)
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.placeholder(tf.float32, None)
            stacked = tf.map_fn(lambda row: tf.identity(row), tf.tanh(x - 3.0))
            session.run(stacked, {x: np.ones((4, 3), np.float32)})
            none = [np.ones((0, *more), np.float32) for more in ((3,), (3, 2), ())]
            found.append([session.run(stacked, {x: each}).shape for each in none])
    assert found[0] == found[1]
