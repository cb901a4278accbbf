"""Chunks of a compiled loop end in time, whatever an iteration costs: by a clock that each look moves on a millisecond.

So no test here measures anything: how many iterations a chunk has is what counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.runtime.llvm import tier
from penstock.runtime.loops import loop_module, native_loop
from penstock.runtime.loops.chunk_clock import CHUNK, SEGMENT, SLICE, Clock, native_clock
from penstock.runtime.loops.loop_code import PRODUCT
from penstock.runtime.loops.loop_form import ITERATION
from penstock.runtime.loops.native_loop import NativeLoop, NativeLoopFrame

pytestmark = pytest.mark.skipif(bool(tier.why_off()), reason="the compiled tier is off")

LOOKS = round(CHUNK * 1000)
"""Looks at the clock in a chunk, where each takes a millisecond."""
EACH_LOOK_IS_A_MILLISECOND = """
@looks = internal global i64 0
define internal i64 @now() #2 {
  %before = load i64, ptr @looks
  %after = add i64 %before, 1
  store i64 %after, ptr @looks
  ret i64 %after
}
"""


@pytest.fixture(autouse=True)
def graph(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    clock = Clock(EACH_LOOK_IS_A_MILLISECOND, {}, 1000)
    monkeypatch.setattr(loop_module, "native_clock", lambda: clock)
    monkeypatch.setattr(native_loop, "native_clock", lambda: clock)
    jit.mode = "now"
    with tf.Graph().as_default():
        yield
    jit.mode = None


@pytest.fixture
def begins(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The iteration at which each chunk begins."""
    noted: list[int] = []
    room = NativeLoopFrame.room

    def note(self: Any) -> int:
        noted.append(int(self.words[ITERATION]))
        return room(self)

    monkeypatch.setattr(NativeLoopFrame, "room", note)
    return noted


@pytest.fixture
def codes(monkeypatch: pytest.MonkeyPatch) -> list[NativeLoop]:
    """The compiled loops that are run."""
    noted: list[NativeLoop] = []
    advance = NativeLoop.advance

    def note(self: NativeLoop, run: Any) -> None:
        noted.append(self)
        advance(self, run)

    monkeypatch.setattr(NativeLoop, "advance", note)
    return noted


def counted(most: int, body: Callable[[Any, Any], Any], first: Any) -> tf.Tensor:
    """A loop of so many iterations over one value."""
    found = tf.while_loop(lambda i, v: i < most, lambda i, v: [i + 1, body(i, v)], [tf.constant(0), first])[1]
    assert isinstance(found, tf.Tensor)
    return found


def run(loop: Any, feeds: Any = None) -> Any:
    with tf.Session() as session:
        return session.run(loop, feeds)


def lengths(begins: list[int]) -> list[int]:
    return [b - a for a, b in pairwise(begins)]


def test_the_first_chunk_of_a_heavy_body_is_short_too(begins: list[int]) -> None:
    run(counted(100, lambda i, v: tf.matmul(v, v) * 0.01, tf.eye(128)))  # 128**3 multiplications: over SLICE
    assert lengths(begins) and max(lengths(begins)) <= LOOKS


@pytest.mark.parametrize("kind", ["elements", "a sum of rows", "a scan", "a map"])
def test_every_kind_of_work_counts(kind: str, begins: list[int]) -> None:
    v, rows = (tf.placeholder(tf.float32, [size, 250]) for size in (250, 100))
    many = tf.placeholder(tf.float32, [200, 16384])
    loops: dict[str, Callable[[], Any]] = {
        "elements": lambda: counted(100, lambda i, v: tf.tanh(v * 0.5) + tf.exp(-v), v),
        "a sum of rows": lambda: counted(100, lambda i, v: v * 0.5 + tf.reduce_sum(v, 0, keepdims=True) * 1e-3, v),
        "a scan": lambda: tf.scan(lambda a, row: a * 0.5 + tf.expand_dims(row, 0), rows, initializer=v),
        "a map": lambda: tf.map_fn(lambda row: tf.matmul(tf.reshape(row, [128, 128]), tf.eye(128))[:2], many),
    }
    run(loops[kind](), {v: np.full([250, 250], 0.5), rows: np.zeros([100, 250]), many: np.zeros([200, 16384])})
    assert len(begins) > 2  # chunks, where a bound of 1,024 iterations gave one
    assert max(lengths(begins)) < 100 * (1 + (kind == "a map"))


def test_light_iterations_before_heavy_ones_do_not_make_a_chunk_long(begins: list[int]) -> None:
    def body(i: Any, v: Any) -> Any:
        return tf.cond(i < 100_000, lambda: v, lambda: tf.matmul(v, v) * 0.01)

    run(counted(100_200, body, tf.eye(128)))
    heavy = [length for begin, length in zip(begins, lengths(begins), strict=False) if begin >= 100_000]
    assert max(heavy) <= LOOKS
    assert len(heavy) >= 200 // LOOKS - 2


def test_a_tiny_body_is_seldom_interrupted(begins: list[int]) -> None:
    run(counted(1_000_000, lambda i, v: v * 0.5 + 1.0, tf.constant(1.0)))
    assert len(begins) <= 1_000_000 * 20 / SLICE / LOOKS + 2


def test_iterations_of_an_inner_loop_count_as_they_are(begins: list[int]) -> None:
    def body(i: Any, v: Any) -> Any:
        return tf.while_loop(lambda j, w: j < i, lambda j, w: [j + 1, w * 0.5 + 1.0], [tf.constant(0), v])[1]

    run(counted(6000, body, tf.constant(1.0)))
    assert len(lengths(begins)) > 2
    assert lengths(begins)[0] > lengths(begins)[-1]  # later iterations take longer


@pytest.mark.parametrize("kind", ["an inner loop", "many steps"])
def test_an_iteration_that_takes_long_is_left_to_the_plain_path(
    kind: str, codes: list[NativeLoop], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native_loop, "LONGEST", 0.003)

    def inner(i: Any, v: Any) -> Any:
        return tf.while_loop(lambda j, w: j < 200_000, lambda j, w: [j + 1, tf.tanh(w * 0.5 + 1.0)], [0, v])[1]

    def steps(i: Any, v: Any) -> Any:
        for _ in range(30):
            v = tf.matmul(v, square)
        return v

    square = tf.eye(1000)
    assert 30 * 1000**2 * PRODUCT / SEGMENT > 0.003 * 1000
    got = run(counted(8, *((inner, tf.constant(1.0)) if kind == "an inner loop" else (steps, tf.ones([1, 1000])))))
    outer = codes[0]
    assert outer.is_too_slow
    assert sum(code is outer for code in codes) == native_loop.MOST_STARVED
    assert np.isfinite(got).all()


def test_the_clock_of_this_system_is_that_of_seconds() -> None:
    import ctypes
    import time

    from penstock.runtime.llvm.tier import ModuleSource
    from penstock.runtime.llvm.toolchain import build

    clock = native_clock()
    text = clock.text + "\ndefine i64 @read() { %t = call i64 @now() ret i64 %t }\nattributes #2 = { noinline }\n"
    source = ModuleSource(text.replace(") ret", ")\n ret"), ("read",), clock.imports)
    library = build(source.ir, source.names, source.imports)
    read = ctypes.CFUNCTYPE(ctypes.c_int64)(library["read"])
    before, start = time.monotonic(), read()
    time.sleep(0.05)
    ticks, seconds = read() - start, time.monotonic() - before
    assert 0.05 <= ticks / clock.ticks <= seconds + 0.05
