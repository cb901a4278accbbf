"""Sums inside generated code are added in NumPy's order."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.runtime.llvm import pairwise_sum


def test_the_order_is_numpys() -> None:
    assert pairwise_sum.is_known()


@pytest.mark.parametrize("count", [1, 7, 8, 9, 127, 128, 129, 300, 2047, 5001])
def test_the_reference_adds_as_numpy_does(count: int) -> None:
    rng = np.random.default_rng(count)
    for dtype in (np.float32, np.float64):
        numbers = rng.standard_normal(count).astype(dtype)
        assert pairwise_sum._sum(numbers) == np.add.reduce(numbers)


def test_another_order_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairwise_sum, "LEAF", 64)
    assert not pairwise_sum.is_known.__wrapped__()
