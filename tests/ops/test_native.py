"""Does the door to compiled loops work with nobody behind it, and with somebody?"""

from collections.abc import Iterator

import pytest

from penstock.ops import native as door
from penstock.ops.native import fill_sharing, in_shares, native, shares_of
from penstock.runtime.base.thread_pool import parallel_for
from penstock.runtime.kernels.door import find, shares


@pytest.fixture
def _nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "_find", [])
    monkeypatch.setattr(door, "_sharing", [])


@pytest.fixture
def _three_shares() -> Iterator[None]:
    fill_sharing(lambda count, seconds, step: [(0, 2), (2, 4), (4, count)], parallel_for)
    yield
    fill_sharing(shares, parallel_for)


@pytest.mark.usefixtures("_nobody")
def test_with_nobody_behind_the_door_there_are_no_loops_and_one_share() -> None:
    assert native("take", work=10**9) is None
    assert shares_of(100, 10.0, 64) == [(0, 100)]
    assert in_shares([(0, 2), (2, 5)], lambda i, a, b: 100 * i + b - a) == [2, 103]


@pytest.mark.usefixtures("_three_shares")
def test_results_of_shares_stand_in_their_order() -> None:
    divided = shares_of(5, 1.0)
    assert in_shares(divided, lambda i, a, b: 100 * i + 10 * a + b) == [2, 124, 245]


@pytest.mark.usefixtures("_three_shares")
def test_an_error_in_a_share_is_the_error_of_all() -> None:
    def fails(i: int, a: int, b: int) -> int:
        raise ValueError(f"share {i}")

    with pytest.raises(ValueError, match="share 0"):
        in_shares(shares_of(5, 1.0), fails)


def test_what_is_soon_done_is_not_shared() -> None:
    assert shares(1000, 1e-6, 1) == [(0, 1000)]
    assert find("take", 4, "i4", 1, work=10) is None
