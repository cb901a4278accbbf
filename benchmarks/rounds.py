"""The order of measurements: engines take turns in every round, so that a busy moment disturbs all alike.

A result is a `Row`: per engine the samples of each figure, or the reason why there are none.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from .case import Case, Timed
from .client import Client, Place, Silent
from .families import FAMILIES

SAMPLE = 0.02  # seconds of calls in one sample of a short case
TIME = "seconds"


@dataclass(slots=True)
class Row:
    """One case: engine -> figure -> samples, and engine -> why there are none."""

    case: str
    timed: bool
    samples: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)

    def add(self, engine: str, figures: dict[str, float]) -> None:
        """One more sample of each figure."""
        for figure, value in figures.items():
            self.samples.setdefault(engine, {}).setdefault(figure, []).append(value)

    def value(self, engine: str, figure: str = TIME) -> float | None:
        """The lower quartile of the samples."""
        samples = self.samples.get(engine, {}).get(figure)
        if not samples:
            return None
        return samples[0] if len(samples) == 1 else statistics.quantiles(samples, n=4, method="inclusive")[0]


def chosen_cases(family: str, quick: bool, words: Sequence[str]) -> list[Case]:
    """The cases whose names hold every one of `words`."""
    return [case for case in FAMILIES[family].cases(quick) if all(word in case.name for word in words)]


def measure(place: Place, engines: Sequence[str], cases: Sequence[Case], rounds: int) -> Iterator[Row]:
    """A row per case, as soon as it is there."""
    timed = [case for case in cases if isinstance(case, Timed)]
    names = list(engines) + (["limit"] if any(case.limited for case in timed) else [])
    clients = {name: Client(name, place) for name in names} if timed else {}
    try:
        for case in cases:
            row = Row(case.name, isinstance(case, Timed))
            if isinstance(case, Timed):
                _measure_timed(case, row, clients, place, rounds)
            else:
                _measure_probe(case, row, engines, place, min(rounds, 3))
            yield row
    finally:
        for client in clients.values():
            client.end()


def _measure_timed(case: Timed, row: Row, clients: dict[str, Client], place: Place, rounds: int) -> None:
    for name in clients:
        if not clients[name].alive and clients[name].version:
            clients[name] = Client(name, place)  # it was ended in the case before
        client = clients[name]
        if client.version is None:
            row.reasons[name] = f"not installed: {client.missing}"
        elif name in case.unsupported:
            row.reasons[name] = case.unsupported[name]
        else:
            _ask(row, client, do="prepare", name=case.name)
    for _ in range(rounds):
        for name, client in clients.items():
            if name not in row.reasons:
                answer = _ask(row, client, do="time", seconds=0 if place.quick else SAMPLE)
                if answer:
                    row.add(name, answer)


def _measure_probe(case: Case, row: Row, engines: Sequence[str], place: Place, rounds: int) -> None:
    for _ in range(rounds):
        for name in engines:
            if name in case.unsupported:
                row.reasons[name] = case.unsupported[name]
            if name in row.reasons:
                continue
            client = Client(name, place)
            if client.version is None:
                row.reasons[name] = f"not installed: {client.missing}"
            else:
                answer = _ask(row, client, do="probe", name=case.name)
                if answer:
                    row.add(name, answer["figures"])
            client.end()


def _ask(row: Row, client: Client, **request: Any) -> dict[str, Any] | None:
    """The answer; None, and the reason in the row, if there is no figure."""
    try:
        answer = client.ask(**request)
    except Silent as reason:
        row.reasons[client.name] = str(reason)
        row.samples.pop(client.name, None)
        return None
    for kind in ("unsupported", "wrong", "failed"):
        if kind in answer:
            row.reasons[client.name] = {"wrong": "WRONG: ", "failed": "failed: "}.get(kind, "") + answer[kind]
            return None
    return answer
