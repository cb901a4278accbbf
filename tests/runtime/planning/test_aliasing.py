"""Values that must be separate never share memory.

Inside a run views, in-place steps and an arena make values share memory freely. Outside nothing may be seen of that: a
feed is never written, a result belongs to its caller alone, and what the caller does with either changes no other
value. Random programs of views and of steps that could work in place are run with feeds that are read-only, strided,
overlap, or are the same array twice; every buffer is checked after every run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.model.nodes import Tensor
from penstock.runtime.numpy import interpreter, writers
from penstock.runtime.planning import memory_plan

from ...feed_ways import WAYS, Fed
from ...helpers import nightly, slow
from ...op_samples import same
from ...random_graphs import Program, indexing_program, view_program
from ...reference import expected

CONFIGS = {
    "all passes": tf.SessionConfig(),
    "no passes": tf.SessionConfig(passes=()),
    "no fusion": tf.SessionConfig(passes=("fold", "merge", "simplify", "order")),
    "no arena": tf.SessionConfig(arena=False),
}


def contents(array: Any) -> Any:
    """What an array holds, to be compared bit by bit."""
    return list(array.reshape(-1)) if array.dtype.kind == "O" else array.tobytes()


def share(a: Any, b: Any) -> bool:
    """Whether two arrays have a byte in common."""
    return bool(np.may_share_memory(a, b) and np.shares_memory(a, b))


def overwrite(array: Any) -> None:
    """Change every element of a result."""
    array[...] = b"changed" if array.dtype.kind == "O" else ~array if array.dtype.kind == "b" else 42


def is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray)


# ---- the check ------------------------------------------------------------------------------------


class _Watch:
    """Runs one session again and again and looks at every buffer each time."""

    def __init__(self, session: tf.Session, fetches: Sequence[Tensor], feeds: Fed) -> None:
        self.session = session
        self.fetches = list(fetches)
        self.feeds = feeds
        self.fed = {t: contents(a) for t, a in feeds.items()}
        plan = session.plan(self.fetches, list(feeds))
        self.constants = [array for _, array, _ in plan.constants]
        self.held: list[tuple[Any, Any]] = []

    def run(self, want: Sequence[Any]) -> str | None:
        """Run once more; what is wrong, or None."""
        results = self.session.run(self.fetches, self.feeds)
        unlike = [t.name for t, a, b in zip(self.fetches, results, want, strict=True) if not same(a, b)]
        if unlike:
            return f"other values of {', '.join(unlike)}"
        arrays = [(t.name, r) for t, r in zip(self.fetches, results, strict=True) if is_array(r)]
        found = self._shared(arrays) or self._changed()
        if found:
            return found
        for _, array in arrays:
            self.held.append((array, contents(array)))
        return None

    def overwrite_last(self, count: int) -> str | None:
        """Write into the newest results, one at a time: no other buffer may change."""
        for i in range(1, count + 1):
            array, _ = self.held[-i]
            overwrite(array)
            self.held[-i] = (array, contents(array))
            if (found := self._changed()) is not None:
                return f"after a result was overwritten: {found}"
        return None

    def _shared(self, arrays: list[tuple[str, Any]]) -> str | None:
        for name, array in arrays:
            if not (array.flags.c_contiguous and array.flags.writeable):
                return f"{name} is not row-major and writable"
            for tensor, given in self.feeds.items():
                if share(array, given):
                    return f"{name} shares memory with the feed of {tensor.name}"
            if any(share(array, constant) for constant in self.constants):
                return f"{name} shares memory with a constant of the plan"
            if any(share(array, older) for older, _ in self.held):
                return f"{name} shares memory with a result of an earlier run"
        for (first, a), (second, b) in combinations(arrays, 2):
            if share(a, b):
                return f"{first} shares memory with {second}"
        return None

    def _changed(self) -> str | None:
        for tensor, array in self.feeds.items():
            if contents(array) != self.fed[tensor]:
                return f"the feed of {tensor.name} was written"
        for i, (array, was) in enumerate(self.held):
            if contents(array) != was:
                return f"held result {i} of {len(self.held)} was changed"
        return None


def complaint(program: Program, way: Callable[[Fed], Fed], config: str) -> str | None:
    """None if no buffer changes that should not, else what changed and the program that shows it."""
    graph, fetches, feeds = program.build()
    # What is fed is fetched too, and everything a second time: the cases in which a copy is easily forgotten.
    fetches = [*fetches, *feeds, *fetches]
    fed = way(feeds)
    want = expected(fetches, fed)
    with tf.Session(graph=graph, config=CONFIGS[config]) as session:
        watch = _Watch(session, fetches, fed)
        for _ in range(2):
            if (found := watch.run(want)) is not None:
                break
        else:
            count = sum(map(is_array, want))
            found = watch.overwrite_last(count) or watch.run(want)
    return None if found is None else f"{config}, feeds {way.__name__}: {found}\n{program}"


def check(programs: Callable[[int], Program], seeds: Sequence[int]) -> None:
    for seed in seeds:
        print("seed", seed)
        for config in CONFIGS:
            told = complaint(programs(seed), WAYS[seed % len(WAYS)], config)
            assert told is None, told


@pytest.fixture
def low_thresholds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small arrays lie in the arena and run in tiles."""
    monkeypatch.setattr(interpreter, "TILE", 64)
    monkeypatch.setattr(interpreter, "SMALL", 4)
    monkeypatch.setattr(memory_plan, "SMALLEST", 1)
    monkeypatch.setattr(writers, "POOLED", 1)


# ---- random programs ------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [0, *nightly(range(1, 11))])
def test_no_buffer_changes_behind_its_owners_back(batch: int) -> None:
    check(view_program, range(batch * 5, batch * 5 + 5))


@pytest.mark.parametrize("batch", [0, *nightly(range(1, 6))])
def test_no_buffer_changes_behind_its_owners_back_in_arena_and_tiles(batch: int, low_thresholds: None) -> None:
    check(view_program, range(1000 + batch * 9, 1000 + batch * 9 + 9))


@pytest.mark.parametrize("seed", [2000, *nightly(range(2001, 2006)), *slow(range(2006, 2012))])
def test_no_large_buffer_changes_behind_its_owners_back(seed: int) -> None:
    check(lambda seed: indexing_program(seed, length=12), [seed])


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(10))
def test_a_long_campaign(batch: int, low_thresholds: None) -> None:
    check(lambda seed: view_program(seed, length=24), range(10_000 + batch * 100, 10_000 + batch * 100 + 80))
    check(indexing_program, range(10_000 + batch * 100 + 80, 10_000 + batch * 100 + 90))


# ---- one fact each --------------------------------------------------------------------------------

ROWS = 50_000  # 200,000 bytes of float32: pool and arena take part


@pytest.fixture(params=[None, ()], ids=["all passes", "no passes"])
def session(request: pytest.FixtureRequest) -> tf.Session:
    return tf.Session(graph=tf.Graph(), config=tf.SessionConfig(passes=request.param))


def numbers(count: int = ROWS) -> Any:
    return np.random.default_rng(0).random(count, np.float32)


def test_the_same_array_may_be_fed_twice(session: tf.Session) -> None:
    with session.graph.as_default():
        x, y = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
        z = tf.reverse(x * 2.0, [True]) + y
    array = numbers()
    before = array.copy()
    got = session.run([z, x, y], {x: array, y: array})
    assert same(got[0], (before * 2)[::-1] + before)
    assert not any(share(a, b) for a, b in combinations([*got, array], 2))
    assert same(array, before)


def test_feeds_may_be_views_of_one_array_one_element_apart(session: tf.Session) -> None:
    with session.graph.as_default():
        x, y = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
        z = tf.exp(x + y) - x
    array = numbers()
    before = array.copy()
    first = session.run(z, {x: array[1:], y: array[:-1]})
    apart = session.run(z, {x: array[1:].copy(), y: array[:-1].copy()})
    assert same(first, apart) and same(array, before)


def test_a_feed_that_repeats_one_element_is_taken(session: tf.Session) -> None:
    with session.graph.as_default():
        x = tf.placeholder(tf.float32, [None, 4])
        doubled, copied = x + x, tf.identity(x)
    array = np.broadcast_to(np.array([[1.0, 2.0, 3.0, 4.0]], np.float32), (20_000, 4))
    got = session.run([doubled, copied], {x: array})
    got[1][0, 0] = 9.0
    assert same(got[0], np.array(array * 2)) and got[1][1, 0] == 1.0 and array[0, 0] == 1.0


@pytest.mark.parametrize("size", [3, ROWS])
def test_a_tensor_fetched_twice_comes_as_two_arrays(session: tf.Session, size: int) -> None:
    with session.graph.as_default():
        x = tf.placeholder(tf.float32, [None])
        y = tf.sqrt(x) + 1.0
    first, second = session.run([y, y], {x: numbers(size)})
    first[:] = 7.0
    assert same(second, np.sqrt(numbers(size)) + np.float32(1.0))


@pytest.mark.parametrize("size", [3, ROWS])
def test_views_of_one_value_are_fetched_apart(session: tf.Session, size: int) -> None:
    with session.graph.as_default():
        x = tf.placeholder(tf.float32, [None])
        y = tf.exp(x)
        fetches = [y, tf.reshape(y, [-1, 1]), y[1:], y[::-1], tf.expand_dims(y, 0), tf.identity(y)]
    got = session.run(fetches, {x: numbers(size)})
    wants = [g.copy() for g in got]
    for i, array in enumerate(got):
        assert array.flags.c_contiguous and array.flags.writeable
        array[...] = -1.0
        assert all(same(g, w) for g, w in zip(got[i + 1 :], wants[i + 1 :], strict=True))


@pytest.mark.parametrize("size", [3, ROWS])
def test_writing_into_a_fetched_constant_leaves_the_graphs_own_alone(session: tf.Session, size: int) -> None:
    with session.graph.as_default():
        c = tf.constant(numbers(size))
        fetches = [c, tf.reshape(c, [-1, 1]), tf.identity(c), c + 0.0, tf.stop_gradient(c)[::-1]]
    first = session.run(fetches)
    wants = [r.copy() for r in first]
    for array in first:
        array[...] = -1.0
    assert all(same(a, b) for a, b in zip(session.run(fetches), wants, strict=True))


def test_an_update_of_a_fed_tensor_leaves_the_feed_alone(session: tf.Session) -> None:
    with session.graph.as_default():
        x = tf.placeholder(tf.float32, [None])
        y = tf.tensor_scatter_nd_update(x, [[0], [2]], [9.0, 8.0])
        z = tf.tensor_scatter_nd_update(tf.reshape(x, [-1]), [[1]], [7.0])
    array = numbers()
    before = array.copy()
    got = session.run([y, z], {x: array})
    assert same(array, before)
    assert got[0][:3].tolist() == [9.0, before[1], 8.0] and got[1][:2].tolist() == [before[0], 7.0]


def test_an_update_of_a_value_that_is_read_again_changes_a_copy(session: tf.Session) -> None:
    with session.graph.as_default():
        x = tf.placeholder(tf.float32, [None])
        y = tf.exp(x)
        view = tf.reshape(y, [-1, 2])
        updated = tf.tensor_scatter_nd_update(y, [[0]], [0.0])
        after = tf.reverse(view, [True, False]) * 2.0
    array = numbers()
    got = session.run([updated, after], {x: array})
    want = np.exp(array)
    assert got[0][0] == 0.0 and same(got[0][1:], want[1:])
    assert same(got[1], want.reshape(-1, 2)[::-1] * np.float32(2.0))


def test_an_update_may_come_from_a_view_of_what_is_updated(session: tf.Session) -> None:
    with session.graph.as_default():
        x = tf.placeholder(tf.float32, [None])
        y = tf.exp(x)
        rows = tf.expand_dims(tf.range(tf.size(y)), 1)
        turned = tf.tensor_scatter_nd_update(y, rows, y[::-1])
    array = numbers()
    assert same(session.run(turned, {x: array}), np.exp(array)[::-1])


def test_results_stay_as_they_are_while_the_session_goes_on(session: tf.Session) -> None:
    with session.graph.as_default():
        x = tf.placeholder(tf.float32, [None])
        y = tf.tanh(tf.reverse(tf.exp(x), [True]) + x)
    held = []
    for i in range(10):
        result = session.run(y, {x: np.full(ROWS, i / 10, np.float32)})
        held.append((result, result.copy(), result[::-7]))
    session.close()
    for result, was, part in held:
        assert same(result, was) and same(part, was[::-7])
