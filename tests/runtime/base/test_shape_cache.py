"""The entries of the latest combinations of shapes are kept."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from penstock.runtime.base.shape_cache import KEPT_SHAPES, ShapeCache


def test_the_oldest_entries_go() -> None:
    cache: ShapeCache[int] = ShapeCache(3)
    assert [cache.keep((size,), size) for size in range(5)] == [0, 1, 2, 3, 4]
    assert dict(cache) == {(2,): 2, (3,): 3, (4,): 4}
    assert cache.keep((3,), 7) == 7 and list(cache) == [(2,), (3,), (4,)]


def test_threads_may_enter_at_the_same_time() -> None:
    cache: ShapeCache[int] = ShapeCache()

    def enter(thread: int) -> bool:
        return all(cache.keep((thread, size), size) == size for size in range(2000))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(enter, range(8)))
    cache.keep((), 0)
    assert len(cache) == KEPT_SHAPES and cache[()] == 0
