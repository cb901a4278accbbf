"""Timelines follow the documented form that Perfetto and chrome://tracing read, for any names.

The rules are those of the document "Trace Event Format": which fields an event of each phase has, of which types, and
that complete events of one thread lie one after the other or one inside the other.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from tests.graph.serial.programs import HOSTILE, hostile_graph, program

TOP = {"traceEvents": list, "displayTimeUnit": str, "otherData": dict, "systemTraceEvents": str, "stackFrames": dict}
PHASES = {"B", "E", "X", "I", "i", "C", "b", "n", "e", "S", "T", "p", "F", "s", "t", "f", "P", "N", "O", "D", "M", "V",
          "v", "R", "c", "(", ")"}  # fmt: skip
METADATA = {"process_name": "name", "process_labels": "labels", "process_sort_index": "sort_index",
            "thread_name": "name", "thread_sort_index": "sort_index"}  # fmt: skip


def complaints(text: str) -> list[str]:
    """Everything in which a trace is not of the documented form."""
    trace = json.loads(text, parse_constant=_no_constant)
    found = [
        f"{key} is no {kind.__name__}" for key, kind in TOP.items() if not isinstance(trace.get(key, kind()), kind)
    ]
    if trace.get("displayTimeUnit", "ms") not in ("ms", "ns"):
        found.append("displayTimeUnit")
    spans: dict[Any, list[tuple[float, float]]] = {}
    for number, event in enumerate(trace["traceEvents"]):
        wrong = _of_event(event)
        found += [f"event {number}: {what}" for what in wrong]
        if event.get("ph") == "X" and not wrong:
            spans.setdefault((event["pid"], event["tid"]), []).append((event["ts"], event["ts"] + event["dur"]))
    return found + [f"thread {thread}: overlap" for thread, each in spans.items() if not _nested(each)]


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def _of_event(event: dict[str, Any]) -> list[str]:
    phase = event.get("ph")
    found = [f"{key} is no text" for key in ("name", "ph", "cat") if not isinstance(event.get(key, ""), str)]
    found += [f"{key} is no number" for key in ("ts", "dur") if not _finite(event.get(key, 0))]
    found += [f"{key} is no id" for key in ("pid", "tid") if type(event.get(key, 0)) is not int]
    missing = {
        "X": ("name", "ts", "dur", "pid", "tid"),
        "C": ("name", "ts", "pid", "args"),
        "M": ("name", "pid", "args"),
    }
    found += [f"{key} is missing" for key in missing.get(str(phase), ("ts", "pid")) if key not in event]
    if phase not in PHASES:
        found.append(f"the phase {phase!r}")
    if not isinstance(event.get("args", {}), dict):
        found.append("args is no object")
    elif phase == "C" and not all(_finite(value) for value in event["args"].values()):
        found.append("a counter that does not count")
    elif phase == "M" and METADATA.get(event["name"]) not in event["args"]:
        found.append("metadata of no known kind")
    return found + ["a negative duration"] * (not found and phase == "X" and event["dur"] < 0)


def _finite(value: object) -> bool:
    return type(value) in (int, float) and math.isfinite(float(str(value)))


def _nested(spans: list[tuple[float, float]]) -> bool:
    """Whether each begins after the one before has ended, or ends before that one does."""
    open_: list[float] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        while open_ and open_[-1] <= start + 1e-6:
            open_.pop()
        if open_ and end > open_[-1] + 1e-6:
            return False
        open_.append(end)
    return True


def trace_of(graph: tf.Graph, fetches: Any, feeds: Any, folder: Path, title: str) -> str:
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run(fetches, feeds, tf.RunOptions(values=True), metadata)
    assert metadata.record is not None
    path: Path = metadata.record.export(folder / "run.trace.json", title=title)
    return path.read_text("utf-8")


def test_a_trace_has_the_documented_form(tmp_path: Path) -> None:
    text = trace_of(*program(), tmp_path, "a run")
    assert complaints(text) == []
    assert sum(event["ph"] == "X" for event in json.loads(text)["traceEvents"]) > 5


def test_a_trace_of_hostile_names_has_it_too(tmp_path: Path) -> None:
    graph = hostile_graph()
    with graph.as_default():
        numbers = [tf.placeholder(tf.float32, [2]) for _ in HOSTILE]
    made = [tf.exp(number) for number in numbers]
    for tensor, name in zip(made, HOSTILE, strict=True):
        tensor.op.name = name + "!"  # as a file can bring it
    feeds = {number: np.array([np.nan, np.inf], np.float32) for number in numbers}
    text = trace_of(graph, made, feeds, tmp_path, "".join(HOSTILE))
    assert complaints(text) == []
    names = {event["name"] for event in json.loads(text)["traceEvents"]}
    assert {'say "x"!', "<script>alert(1)</script>!", "two\nlines\r\ttab!"} <= names


GOOD = {"name": "a", "ph": "X", "ts": 1, "dur": 2, "pid": 1, "tid": 1}


@pytest.mark.parametrize(
    "events",
    [
        [{**GOOD, "ts": "1"}],
        [{**GOOD, "ph": "?"}],
        [{**GOOD, "dur": -1}],
        [{**GOOD, "name": 3}],
        [{**GOOD, "ph": "i", "dur": "long"}],
        [GOOD, {**GOOD, "ts": 2}],
        [{**GOOD, "ph": "C", "args": {"bytes": "many"}}],
        [{**GOOD, "ph": "M", "args": {"title": "x"}}],
    ],
)
def test_the_check_sees_what_is_wrong(events: list[dict[str, Any]]) -> None:
    assert complaints(json.dumps({"traceEvents": events}))
