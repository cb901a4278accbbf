"""Loops are asked for where there is enough to do, and their work is divided between threads."""

import pytest

from penstock.runtime.kernels.loops import native_loops
from penstock.runtime.kernels.loops.native_loops import find, in_shares, shares


@pytest.fixture
def _three_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_loops, "threads_for", lambda seconds: 3)


def test_one_share_is_worked_on_by_the_caller() -> None:
    assert shares(1000, 1e-6) == [(0, 1000)]
    assert in_shares([(2, 5)], lambda i, a, b: 100 * i + b - a) == [3]


@pytest.mark.usefixtures("_three_threads")
def test_results_of_shares_stand_in_their_order() -> None:
    divided = shares(5, 1.0)
    assert divided == [(0, 1), (1, 3), (3, 5)]
    assert in_shares(divided, lambda i, a, b: 100 * i + 10 * a + b) == [1, 113, 235]
    assert shares(1000, 1.0, 64) == [(0, 320), (320, 640), (640, 1000)]
    assert shares(100, 1.0, 64) == [(0, 100)]


@pytest.mark.usefixtures("_three_threads")
def test_an_error_in_a_share_is_the_error_of_all() -> None:
    def fails(i: int, a: int, b: int) -> int:
        raise ValueError(f"share {i}")

    with pytest.raises(ValueError, match="share 0"):
        in_shares(shares(5, 1.0), fails)


def test_few_elements_get_no_loop() -> None:
    assert find("take", 4, "i4", 1, work=10) is None
