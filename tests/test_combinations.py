"""Every run takes a part of a test's combinations, in which each value occurs."""

from __future__ import annotations

from itertools import product

import pytest

from .combinations import beyond_a_share


def test_each_value_of_each_parameter_stays_and_at_least_half_of_many_combinations_go() -> None:
    for sizes in ((8, 6, 2), (2, 4), (3, 3), (1, 5, 3), (2, 40), (2, 2, 2, 2)):
        every = [tuple(enumerate(values)) for values in product(*map(range, sizes))]
        combinations = [tuple((f"p{i}", value) for i, value in each) for each in every]
        later = beyond_a_share(combinations, every)
        stay = [each for each in every if each not in later]
        assert {pair for each in stay for pair in each} == {pair for each in every for pair in each}, sizes
        assert len(stay) <= len(every) / 2 + 1, sizes


def test_a_test_of_one_parameter_or_of_two_that_vary_together_is_whole() -> None:
    for combinations in ([(("a", i), ("b", 3)) for i in range(50)], [(("a", i), ("b", -i)) for i in range(50)]):
        assert beyond_a_share(combinations, combinations) == []


@pytest.mark.share(2)
@pytest.mark.parametrize("number", range(4))
def test_every_second_case_is_for_the_night(number: int, request: pytest.FixtureRequest) -> None:
    assert (request.node.get_closest_marker("nightly") is None) == (number % 2 == 0)


def test_a_mark_says_how_large_the_share_is() -> None:
    every = list(product(range(4), range(2)))
    later = beyond_a_share([(("a", a), ("b", b)) for a, b in every], every, 4)
    assert [each for each in every if each not in later] == [(0, 0), (1, 0), (2, 0), (3, 1)]


def test_values_that_are_left_are_taken_together() -> None:
    every = list(product(range(2), repeat=3))
    later = beyond_a_share([tuple(zip("abc", each, strict=True)) for each in every], every, 4)
    assert [each for each in every if each not in later] == [(0, 0, 0), (1, 1, 1)]


def test_few_combinations_are_whole() -> None:
    combinations = [(("a", a), ("b", b)) for a, b in product(range(2), range(2))]
    assert beyond_a_share(combinations, combinations) == []


def test_of_many_seeds_in_a_row_half_stay_and_one_apart_stays_with_all() -> None:
    def later(seeds: list[object]) -> list[object]:
        return beyond_a_share([(("seed", ((type(seed), seed),)),) for seed in seeds], seeds)

    assert later([*range(3, 11)]) == [4, 6, 8, 10]
    assert later([*range(3, 10)]) == []
    assert later([*range(3, 11), 44]) == []
    assert later(["a", *range(8)]) == []
