"""Threads that update the same variables lose no update, and the fuzz that says so notices one: `of_asynchronous`."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.runtime.session.asynchronous_run import HalfRun

from ..fuzz.of_asynchronous import complaint

MANY = pytest.param(range(12, 400), marks=pytest.mark.slow)


@pytest.mark.parametrize("seeds", [range(12), MANY], ids=["some", "many"])
def test_random_programs_lose_no_update(seeds: range) -> None:
    assert [found for seed in seeds if (found := complaint(seed)) is not None] == []


@pytest.mark.slow
def test_random_programs_lose_no_update_on_a_cluster(cluster_address: str) -> None:
    assert [found for seed in range(150) if (found := complaint(seed, cluster_address)) is not None] == []


def test_an_update_that_is_made_twice_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = HalfRun.run

    def twice(half: HalfRun, arrays: Any, handed: Any = ()) -> Any:
        if handed:  # the second half
            real(half, arrays, handed)
        return real(half, arrays, handed)

    monkeypatch.setattr(HalfRun, "run", twice)
    found = [complaint(seed) for seed in range(4)]
    assert any(each is not None and "low is" in each for each in found)
