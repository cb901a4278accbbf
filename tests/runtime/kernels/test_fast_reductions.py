"""Reductions that threads share: the bits of the plain kernel, for every op, dtype, axis and number of threads."""

from collections import deque
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from penstock.graph.declare.op_declaration import OPS
from penstock.graph.shapes.dtypes import bfloat16
from penstock.runtime.kernels import fast_reductions
from penstock.runtime.kernels.loops import native_loops

from ...helpers import some_nightly
from .buffers import same_bits
from .fences import loops_at_once, needs_the_tier, run
from .test_shared_copies import THREADS, shared_by

pytestmark = needs_the_tier

DTYPES = [np.dtype(name) for name in ("i1", "i4", "u8", "f2", "f4", "f8", "c8")] + [bfloat16.np]
SHAPES = [
    (1,), (300,), (100_003,), (70, 33), (2, 40_000), (1, 65_537), (3, 5000, 2), (5, 6, 700), (4, 3, 2, 500),
    (90, 1, 7, 3),
]  # fmt: skip
OPS_OF_NUMBERS = ["Sum", "Mean", "Prod", "Max", "Min"]


@pytest.fixture(autouse=True)
def _all_is_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_reductions, "NEIGHBOURS", 256)
    monkeypatch.setattr(fast_reductions, "_FEWEST", 1)


def values(shape: Any, dtype: Any) -> Any:
    rng = np.random.default_rng(0)
    x = np.asarray(rng.normal(size=shape) * 9).astype(dtype)
    x = x if x.dtype.kind != "c" else x + np.asarray(1j * rng.normal(size=shape)).astype(dtype)
    if x.dtype.kind not in "iu":
        x.reshape(-1)[::3] = -0.0
        x.reshape(-1)[::7] = 0.0
        x.reshape(-1)[-1] = np.inf
        x.reshape(-1)[x.size // 2] = np.nan
    return x


def check(name: str, x: Any, axes: Any) -> None:
    for keepdims in (False, True):
        arguments = x, None if axes is None else np.array(axes, np.int32), keepdims
        with np.errstate(all="ignore"):
            expected = np.asarray(OPS[name].kernels["*"](np, *arguments))
            for threads in (1, *THREADS):
                for on in (True, False):
                    with shared_by(threads), loops_at_once(on):
                        assert same_bits(np.asarray(run(OPS[name], *arguments)), expected), (axes, threads)


@pytest.mark.parametrize("name", OPS_OF_NUMBERS)
@pytest.mark.parametrize("dtype", some_nightly(DTYPES, [DTYPES[i] for i in (1, 2, 4, 6, 7)]), ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_numbers(shape: tuple[int, ...], dtype: Any, name: str) -> None:
    if dtype.kind == "c" and name in ("Max", "Min"):
        return
    x = values(shape, dtype)
    check(name, x, None)
    for count in range(1, x.ndim + 1):
        for axes in combinations(range(x.ndim), count):
            check(name, x, axes)


@pytest.mark.parametrize("name", ["All", "Any"])
def test_bools(name: str) -> None:
    x = np.random.default_rng(0).random((40, 3, 900)) < 0.9
    for axes in (None, [0], [1], [2], [0, 1], [1, 2], [0, 2]):
        check(name, x, axes)


@pytest.mark.parametrize(("shape", "axes"), [
    ((100_000,), [0]),
    ((400, 500), [1]),
    ((400, 500), [0]),
    ((1, 200_000), [1]),
    ((7, 90, 300), [1]),
])  # fmt: skip
def test_the_work_is_divided(shape: tuple[int, ...], axes: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[int] = []

    def one_by_one(count: int, work: Callable[[int], object]) -> None:
        counts.append(count)
        deque(map(work, range(count)), 0)

    monkeypatch.setattr(native_loops, "parallel_for", one_by_one)
    with shared_by(2), loops_at_once():
        run(OPS["Max"], np.zeros(shape, "f4"), np.array(axes, np.int32), False)
    assert counts == [2]


def test_views_are_left_to_the_plain_kernel() -> None:
    x = values((300, 80), np.dtype("f4"))
    for view in (x.T, x[::-1], x[:, ::2]):
        check("Sum", view, [0])
        check("Max", view, [1])
