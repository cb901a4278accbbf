"""Timeline of a recorded run, which chrome://tracing and ui.perfetto.dev open.

The Trace Event Format: one complete event ("X") for each step on the track of its device, a counter ("C") of the bytes
held, and names of process and tracks ("M"). Times are microseconds from the beginning of the run.

A run of a cluster has a process for each place. Transfers have tracks of their own in the process that sends, times of
waiting lie between the steps, and an arrow ("s", "f") leads from the step that made a value to the first that reads it
elsewhere.

Source: "Trace Event Format" (the Chromium project's document), JSON object form.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...runtime.observe.run_record import RunRecord, StepRecord, members_of

SUFFIXES = (".trace.json", ".perfetto.json")
_PROCESS = 1
_COUNTERS = 0
_SENDS = 100
"""The first track of transfers."""


def timeline_text(record: RunRecord, title: str = "run") -> str:
    """The run as a trace, one event a line.

    >>> from penstock.runtime.planning.plan import Plan
    >>> text = timeline_text(RunRecord(Plan((), (), (), (), ()), ()))
    >>> json.loads(text)["traceEvents"][0]["name"]
    'process_name'
    """
    made = _events_of_places(record, title) if record.places else _events(record, title)
    events = ",\n  ".join(json.dumps(event) for event in made)
    about = json.dumps({"format": "penstock-run", "summary": record.headline})
    return f'{{"displayTimeUnit": "ms", "otherData": {about},\n "traceEvents": [\n  {events}\n ]}}\n'


def _events(record: RunRecord, title: str) -> Iterator[dict[str, Any]]:
    devices = {name: number for number, name in enumerate(dict.fromkeys(s.device for s in record.steps), start=1)}
    yield _named("process_name", title, _COUNTERS)
    for device, number in devices.items():
        yield _named("thread_name", device, number)
    yield from _steps(record, lambda step: (_PROCESS, devices[step.device]))


def _events_of_places(record: RunRecord, title: str) -> Iterator[dict[str, Any]]:
    processes = {each.name: number for number, each in enumerate(record.places, start=_PROCESS)}
    tracks: dict[tuple[str, str], int] = {}
    for name, process in processes.items():
        yield _named("process_name", f"{title}: {name}", _COUNTERS, process)
        for device in dict.fromkeys(step.device for step in record.steps if step.place == name):
            tracks[name, device] = sum(place == name for place, _ in tracks) + 1
            yield _named("thread_name", device, tracks[name, device], process)
    yield from _steps(record, lambda step: (processes[step.place], tracks[step.place, step.device]))
    for wait in record.waits:
        if wait.place in processes:
            yield {"name": f"waits for {wait.value}", "cat": "wait", "ph": "X", "ts": _micros(wait.start),
                   "dur": _micros(wait.duration), "pid": processes[wait.place], "tid": 1,
                   "args": {"value": wait.value, "then": wait.node}}  # fmt: skip
    yield from _transfers(record, processes)
    yield from _arrows(record, lambda step: {"pid": processes[step.place], "tid": tracks[step.place, step.device]})


def _transfers(record: RunRecord, processes: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    """Transfers on as few tracks as hold them without overlaps."""
    free: dict[str, list[float]] = {}
    for each in sorted(record.transfers, key=lambda transfer: transfer.start):
        if each.source not in processes:
            continue
        lanes = free.setdefault(each.source, [])
        lane = next((i for i, end in enumerate(lanes) if end <= each.start), len(lanes))
        if lane == len(lanes):
            lanes.append(0.0)
            yield _named("thread_name", "sends", _SENDS + lane, processes[each.source])
        lanes[lane] = each.start + each.duration
        yield {"name": f"{each.value} to {each.target}", "cat": "transfer", "ph": "X", "ts": _micros(each.start),
               "dur": _micros(each.duration), "pid": processes[each.source], "tid": _SENDS + lane,
               "args": {"value": each.value, "bytes": each.bytes, "to": each.target}}  # fmt: skip


def _arrows(record: RunRecord, track_of: Callable[[StepRecord], dict[str, int]]) -> Iterator[dict[str, Any]]:
    """An arrow for each value that crosses places."""
    makers: dict[int, tuple[StepRecord, str]] = {}
    drawn: set[tuple[int, str]] = set()
    for planned, step in zip(record.plan.steps, record.steps, strict=False):
        for slot in planned.inputs:
            maker, name = makers.get(slot, (step, ""))
            if maker.place != step.place and (slot, step.place) not in drawn:
                drawn.add((slot, step.place))
                flow = {"name": name, "cat": "value", "id": len(drawn)}
                yield flow | {"ph": "s", "ts": _micros(maker.start + maker.duration)} | track_of(maker)
                yield flow | {"ph": "f", "bp": "e", "ts": _micros(step.start)} | track_of(step)
        makers.update((slot, (step, r.name)) for slot, r in zip(planned.outputs, step.results, strict=False))


def _steps(record: RunRecord, track_of: Callable[[StepRecord], tuple[int, int]]) -> Iterator[dict[str, Any]]:
    for number, (planned, step) in enumerate(zip(record.plan.steps, record.steps, strict=False), start=1):
        process, track = track_of(step)
        details: dict[str, Any] = {
            "op": step.op,
            "step": number,
            "made": [f"{r.name} {r.type}" for r in step.results],
            "bytes": step.bytes,
        }
        if step.kernel:
            details["kernel"] = step.kernel
        members = members_of(planned)
        if members:
            details["fused"] = list(members)
        values = {r.name: str(r.value) for r in step.results if r.value is not None}
        if values:
            details["values"] = values
        yield {"name": step.node, "cat": step.op, "ph": "X", "ts": _micros(step.start), "dur": _micros(step.duration),
               "pid": process, "tid": track, "args": details}  # fmt: skip
        yield {"name": "bytes held", "ph": "C", "ts": _micros(step.start + step.duration), "pid": process,
               "tid": _COUNTERS, "args": {"bytes": step.held}}  # fmt: skip


def _named(kind: str, name: str, thread: int, process: int = _PROCESS) -> dict[str, Any]:
    return {"name": kind, "ph": "M", "pid": process, "tid": thread, "args": {"name": name}}


def _micros(seconds: float) -> float:
    return round(seconds * 1e6, 3)
