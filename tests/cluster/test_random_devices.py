"""Random programs with random devices on a cluster and on one machine: see `of_clusters`."""

from __future__ import annotations

import warnings

import pytest

from penstock.graph.model.identity_comparison import MistakeWarning

from ..fuzz.extension import extension_ops
from ..fuzz.placed_programs import complaint


def _check(seeds: range, target: str) -> None:
    with extension_ops() as extension, warnings.catch_warnings():
        warnings.simplefilter("ignore", MistakeWarning)
        for seed in seeds:
            found = complaint(seed, extension, target)
            assert found is None, f"seed {seed}: {found}"


def test_random_programs_give_on_a_cluster_what_they_give_on_one_machine(cluster_address: str) -> None:
    _check(range(3), cluster_address)


@pytest.mark.nightly
def test_more_of_them_do(cluster_address: str) -> None:
    _check(range(3, 20), cluster_address)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1200, 50))
def test_more_random_programs_give_on_a_cluster_what_they_give_on_one_machine(
    cluster_address: str, first: int
) -> None:
    _check(range(first, first + 50), cluster_address)
