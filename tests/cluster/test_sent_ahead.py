"""What is sent to workers before a run needs it: not what is small, and forgotten where no run reads it."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import numpy as np

from penstock.cluster.client.sent_ahead import AheadFeeds, SentAhead


class DroppedNames:
    """Stands for the values at workers: notes which are dropped."""

    def __init__(self) -> None:
        self.dropped: list[tuple[str, list[int]]] = []

    def drop(self, name: str, workers: list[int]) -> None:
        self.dropped.append((name, workers))


PLAN: Any = SimpleNamespace(partitions=(), early=(), readers={0: {1}})
"""A plan in which worker 1 reads feed 0."""


def test_what_no_run_will_read_is_dropped_at_each_worker() -> None:
    values: Any = DroppedNames()
    names = {0: {1: "a", 2: "b"}, 3: {1: "c"}}
    SentAhead(values).drop(AheadFeeds(PLAN, {}, {}, names, Future()))
    assert values.dropped == [("a", [1]), ("b", [2]), ("c", [1])]


def test_small_feeds_are_not_sent_ahead() -> None:
    def never(*_: Any) -> Any:
        raise AssertionError("a small feed is sent with the run itself")

    values: Any = DroppedNames()
    ahead = SentAhead(values)
    ahead.send(PLAN, {0: np.zeros(3)}, values, never, never)
    assert ahead.take(PLAN, [np.zeros(3)]) is None
