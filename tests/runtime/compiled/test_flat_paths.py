"""Groups on operands that are transposed, reversed and strided: by the loop that makes rows of them, the same bits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.runtime.base import thread_pool
from penstock.runtime.compiled.flat_paths import StridedWalk
from penstock.runtime.llvm import tier

from ...fuzz.of_groups import same_bits

pytestmark = pytest.mark.skipif(not tier.on(), reason="nothing is compiled here")


@pytest.fixture(autouse=True)
def walks(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Everything is compiled at once; the keys of the loops that ran."""
    before, keys = jit.mode, []
    run = StridedWalk.run

    def noted(walk: Any, *args: Any) -> None:
        keys.append(walk.key)
        run(walk, *args)

    monkeypatch.setattr(StridedWalk, "run", noted)
    yield keys
    jit.mode = before


def group(a: Any, b: Any) -> Any:
    """Operations that are exact in every dtype, with a constant and an operand that may be broadcast."""
    return (a * b + a) * a - b


def assert_same(*arrays: Any, build: Any = group) -> None:
    """The compiled group has the bits of its operations, whatever the layout of the arrays."""
    results = []
    for mode, session, places, result in sessions_of(build, *[(tf.as_dtype(x.dtype), x.ndim) for x in arrays]):
        jit.mode = mode
        with np.errstate(all="ignore"):
            results.append(session.run(result, dict(zip(places, arrays, strict=True))))
    assert same_bits(results[1], results[0])


@cache
def sessions_of(build: Any, *kinds: tuple[tf.DType, int]) -> list[Any]:
    """Without code and with it: the mode, a session, placeholders of these dtypes and ranks, and the built result."""
    found = []
    for mode, config in (("off", tf.SessionConfig(passes=())), ("now", tf.SessionConfig())):
        with tf.Graph().as_default() as graph:
            places = [tf.placeholder(dtype, [None] * rank) for dtype, rank in kinds]
            found.append((mode, tf.Session(graph=graph, config=config), places, build(*places)))
    return found


@pytest.fixture(autouse=True, scope="module")
def _sessions_end_with_the_module() -> Iterator[None]:
    yield
    sessions_of.cache_clear()


def numbers(shape: tuple[int, ...], dtype: str = "f4") -> Any:
    rng = np.random.default_rng(len(shape))
    x = rng.standard_normal(shape) * 10
    return (x + 1j * rng.standard_normal(shape) if dtype.startswith("c") else x).astype(dtype)


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "i4", "u1", "i8", "c8", "c16"])
def test_transposed_operands(walks: list[Any], dtype: str) -> None:
    for rows, columns in [(16, 1100), (17, 1500), (300, 64), (257, 131), (1000, 90), (64, 4200)]:
        x = numbers((columns, rows), dtype)
        assert_same(x.T, numbers((rows, columns), dtype))
        assert_same(numbers((rows, columns), dtype), x.T)
        assert_same(x.T, numbers((1, columns), dtype))
        assert_same(x.T, numbers((rows, 1), dtype))
        assert_same(x.T, numbers((rows, 2 * columns), dtype)[:, ::2])
    size = np.dtype(dtype).itemsize
    assert any(size in (key[0] if size < 16 else key[1]) for key in walks)


def test_axes_of_three_dimensions(walks: list[Any]) -> None:
    shape = 20, 70, 33
    for order in [(0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]:
        x = np.transpose(numbers(shape), order)
        assert_same(x, np.ascontiguousarray(x))
        assert_same(x, np.ascontiguousarray(x)[:, ::-1])
    assert_same(np.transpose(numbers((4, 40, 40, 8)), (0, 3, 1, 2)), numbers((40, 40)))
    assert walks


@pytest.mark.share(6)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "u1", "c16"])
@pytest.mark.parametrize("step", [-1, 2, 3, -2])
def test_steps_along_rows(walks: list[Any], step: int, dtype: str) -> None:
    for count in (64, 65, 127, 128, 129, 1000):
        x = numbers((300, count * abs(step)), dtype)[:, ::step]
        assert_same(x, numbers((300, count), dtype))
        assert_same(x[::-1], x[:, ::-1])
    assert_same(numbers((40000,), dtype)[::step], numbers((40000,), dtype)[::step])
    assert walks


def test_two_results_and_functions_of_numpy(walks: list[Any]) -> None:
    def build(a: Any, b: Any) -> list[Any]:
        return [tf.exp(a) * b, tf.tanh(a) + 1.0]

    x = numbers((500, 300)).T
    results = []
    for mode in ("off", "now"):
        jit.mode = mode
        with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
            places = [tf.placeholder(tf.float32, [None, None]) for _ in range(2)]
            results.append(session.run(build(*places), dict(zip(places, (x, x[::-1]), strict=True))))
    for one, other in zip(*results, strict=True):
        assert same_bits(one, other)
    assert walks


def test_threads_share_the_blocks(walks: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread_pool, "WORTH", 1e-9)
    with thread_pool.thread_limit(3):
        for rows in (16, 33, 500):
            assert_same(numbers((300, rows)).T, numbers((rows, 300)))
            assert_same(numbers((rows, 300))[:, ::-1], numbers((rows, 300)))
    assert walks


def test_nothing_is_read_outside_of_the_operands() -> None:
    """The first and the last element of views lie at the ends of their memory."""
    for count in (64, 129, 700):
        base = numbers((100, count))
        assert_same(base[:, ::-1], base[::-1])
        wide = np.zeros((100, 2 * count - 1), "f4")
        wide[:, ::2] = base
        assert_same(wide[:, ::2], base)
        assert_same(numbers((count, 100))[:, 3:50].T, base[:47])
