"""Timeouts and interrupts at random moments in every tier: see `of_stopping`."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from penstock.cluster.access.cluster_access import open_access

from . import of_stopping
from .of_stopping import TIERS, Stopping, late_ones

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to a thread")


@pytest.mark.parametrize("tier", [tier for tier in TIERS if tier != "cluster"])
def test_runs_are_stopped_after_the_step_that_runs(tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_stopping, "MOST_LAYERS", 50)
    stopping = Stopping()
    for seed in range(3, 13):  # a stop and the end of a run may fall together
        late_ones([seed], [tier], stopping, stops=2)  # how late is for the slow test: a busy machine disturbs it
        if stopping.done:
            return
    pytest.fail("no run was stopped")


@pytest.fixture
def target(tier: str) -> Iterator[str]:
    """The address of a cluster of one worker, which compiles at once."""
    if tier != "cluster":
        yield ""
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PENSTOCK_JIT", "now")
        access = open_access("dask://local?workers=1&threads=1&security=none", 30.0)
    access.client.wait_for_workers(1, timeout=60)
    yield "dask://" + str(access.client.scheduler.address).partition("://")[2]
    access.close()


@pytest.mark.slow
@pytest.mark.parametrize("tier", TIERS)
def test_no_run_ends_later_than_a_tenth_of_a_second_after_the_step(tier: str, target: str) -> None:
    stopping = Stopping(target)
    assert late_ones(range(100, 106), [tier], stopping) == []
