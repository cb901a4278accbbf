"""A test of many cases tells each case that fails, and can be run for some of them: `helpers.every_case`."""

from __future__ import annotations

import inspect

import pytest

from .helpers import CASE, case, every_case

tried: list[int] = []


@every_case("number", range(6), parts=2)
def test_numbers_are_tried_in_two_parts(number: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert isinstance(tmp_path_factory, pytest.TempPathFactory)  # as any test may ask for
    tried.append(number)


def test_a_part_tries_every_second_number(tmp_path_factory: pytest.TempPathFactory) -> None:
    tried.clear()
    for part in range(2):
        test_numbers_are_tried_in_two_parts(part=part, tmp_path_factory=tmp_path_factory)
    assert tried == [0, 2, 4, 1, 3, 5]


def test_some_parts_are_for_the_night() -> None:
    @every_case("number", range(6), parts=3, by_day=1)
    def shared(number: int) -> None:
        del number

    [mark] = vars(shared)["pytestmark"]
    assert [getattr(each, "marks", ()) and each.marks[0].name for each in mark.args[1]] == [(), "nightly", "nightly"]


def test_all_cases_that_fail_are_told() -> None:
    @every_case("number", range(5))
    def odd(number: int) -> None:
        assert number % 2, f"{number} is even"

    with pytest.raises(ExceptionGroup, match="3 of 5 cases fail: in the case 0, in the case 2, in") as caught:
        odd()
    assert [str(error).splitlines()[0] for error in caught.value.exceptions] == [f"{n} is even" for n in (0, 2, 4)]


def test_one_case_that_fails_is_the_failure() -> None:
    @every_case("text", ["a", "b"])
    def no_b(text: str) -> None:
        if text == "b":
            raise KeyError(text)

    with pytest.raises(KeyError) as caught:
        no_b()
    assert caught.value.__notes__ == ["in the case b"]
    assert list(inspect.signature(no_b).parameters) == []


def test_some_cases_can_be_tried_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    every_case("name", ["Add", "AddN", "Mul"])(lambda name: seen.append(name))()
    monkeypatch.setenv(CASE, "Add")
    every_case("name", ["Add", "AddN", "Mul"])(lambda name: seen.append(name))()
    assert seen == ["Add", "AddN", "Mul", "Add", "AddN"]


def test_an_interrupt_ends_all_cases() -> None:
    with pytest.raises(KeyboardInterrupt), case("any"):
        raise KeyboardInterrupt
