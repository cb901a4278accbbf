"""A table with weak keys: entries go with their objects, and nothing written in Python runs then."""

from __future__ import annotations

import gc
import sys
from threading import Thread
from typing import Any

import pytest

from penstock.graph.common.weak_table import WeakTable


class Thing:
    """What can be referred to weakly; all are equal, and none can be hashed."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


def test_entries_are_told_apart_by_identity_and_go_with_their_objects() -> None:
    table = WeakTable[Thing, int]()
    things = [Thing() for _ in range(5)]
    for number, thing in enumerate(things):
        table[thing] = number
    assert [table.get(thing) for thing in things] == [0, 1, 2, 3, 4]
    table[things[0]] = 7
    assert table.setdefault(things[0], 9) == 7 and table.setdefault(Thing(), 9) == 9
    del thing
    del things[1:3]
    assert [table.get(key) for key in table] == [7, 3, 4]
    table.discard(things[1])
    assert things[1] not in table and things[2] in table and table.get(things[1]) is None
    things[2:] = []
    assert list(table) == things[:1]
    table.clear()
    assert list(table) == []


def test_an_object_in_a_cycle_goes_with_the_collector() -> None:
    table = WeakTable[Any, int]()
    thing: Any = Thing()
    thing.own = thing
    table[thing] = 1
    del thing
    gc.collect()
    assert list(table) == []


def test_no_python_code_runs_when_an_object_dies() -> None:
    table = WeakTable[Thing, int]()
    thing = Thing()
    table[thing] = 1
    table[thing] = 2
    seen: list[str] = []
    sys.setprofile(lambda frame, event, value: seen.append(frame.f_code.co_name) if event == "call" else None)
    try:
        del thing
    finally:
        sys.setprofile(None)
    assert seen == [] and list(table) == []


@pytest.mark.parametrize("count", [4])
def test_threads_may_use_it_side_by_side(count: int) -> None:
    table = WeakTable[Thing, int]()
    wrong: list[Any] = []

    def work(number: int) -> None:
        for _ in range(2000):
            thing = Thing()
            table[thing] = number
            if table.get(thing) != number or not any(key is thing for key in table):
                wrong.append(number)

    threads = [Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [] and list(table) == []
