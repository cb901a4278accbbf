"""Timeline of a recorded run, which chrome://tracing and ui.perfetto.dev open.

The Trace Event Format: one complete event ("X") for each step on the track of its device, a counter ("C") of the bytes
held, and names of process and tracks ("M"). Times are microseconds from the beginning of the run.

Source: "Trace Event Format" (the Chromium project's document), JSON object form.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ..runtime.observe.run_record import RunRecord, members_of

SUFFIXES = (".trace.json", ".perfetto.json")
_PROCESS = 1
_COUNTERS = 0


def timeline_text(record: RunRecord, title: str = "run") -> str:
    """The run as a trace, one event a line.

    >>> from penstock.runtime.planning.plan import Plan
    >>> text = timeline_text(RunRecord(Plan((), (), (), (), ()), ()))
    >>> json.loads(text)["traceEvents"][0]["name"]
    'process_name'
    """
    events = ",\n  ".join(json.dumps(event) for event in _events(record, title))
    about = json.dumps({"format": "penstock-run", "summary": record.headline})
    return f'{{"displayTimeUnit": "ms", "otherData": {about},\n "traceEvents": [\n  {events}\n ]}}\n'


def _events(record: RunRecord, title: str) -> Iterator[dict[str, Any]]:
    devices = {name: number for number, name in enumerate(dict.fromkeys(s.device for s in record.steps), start=1)}
    yield _named("process_name", title, _COUNTERS)
    for device, number in devices.items():
        yield _named("thread_name", device, number)
    for number, (planned, step) in enumerate(zip(record.plan.steps, record.steps, strict=False), start=1):
        told: dict[str, Any] = {
            "op": step.op,
            "step": number,
            "made": [f"{r.name} {r.type}" for r in step.results],
            "bytes": step.bytes,
        }
        if step.kernel:
            told["kernel"] = step.kernel
        members = members_of(planned)
        if members:
            told["fused"] = list(members)
        values = {r.name: str(r.value) for r in step.results if r.value is not None}
        if values:
            told["values"] = values
        yield {"name": step.node, "cat": step.op, "ph": "X", "ts": _micros(step.start), "dur": _micros(step.duration),
               "pid": _PROCESS, "tid": devices[step.device], "args": told}  # fmt: skip
        yield {"name": "bytes held", "ph": "C", "ts": _micros(step.start + step.duration), "pid": _PROCESS,
               "tid": _COUNTERS, "args": {"bytes": step.held}}  # fmt: skip


def _named(kind: str, name: str, thread: int) -> dict[str, Any]:
    return {"name": kind, "ph": "M", "pid": _PROCESS, "tid": thread, "args": {"name": name}}


def _micros(seconds: float) -> float:
    return round(seconds * 1e6, 3)
