"""JSON of a plan and of a recorded run; numbers as numbers, names as names.

    {"format": "penstock-plan", "version": 1, "feeds": [["x:0", 0]], "constants": [[1, "float32 ()"]],
     "slots": [{"dtype": "float32", "shape": ["batch", 3]}], "fetches": [2],
     "steps": [{"node": "add", "op": "Add", "device": "cpu", "reads": [0, 1], "writes": [2], "frees": [0]}]}

    {"format": "penstock-run", "version": 1, "seconds": 0.001, "peak_bytes": 48, "fetches": ["y:0"], "feeds": [...],
     "steps": [{"node": "add", ..., "start": 0.0, "seconds": 0.00001, "bytes": 24, "held": 48, "kernel": "",
                "results": [{"name": "add:0", "dtype": "float32", "shape": [2, 3], "bytes": 24, "value": {...}}]}],
     "plan": {...}}

A run of a cluster also has "places", "transfers" and "waits", and each of its steps "place": see `PlaceRecord`.

A number that is NaN or infinite is written as text ("nan"), because JSON has no such numbers. Images are left out.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

from ...runtime.ir.fused_ir import instructions_in
from ...runtime.observe.run_record import ResultRecord, RunRecord, members_of
from ...runtime.observe.value_summary import Summary
from ...runtime.planning.plan import Plan
from ..content.from_plan import static_type

VERSION = 1


def plan_json(plan: Plan) -> str:
    """The plan as JSON, one step a line."""
    return _listed(_plan(plan))


def run_json(record: RunRecord) -> str:
    """The run as JSON, one step a line, with its plan."""
    steps = []
    for planned, ran in zip(record.plan.steps, record.steps, strict=False):
        row = {"node": ran.node, "op": ran.op, "device": ran.device, "start": ran.start, "seconds": ran.duration,
               "bytes": ran.bytes, "held": ran.held, "kernel": ran.kernel, "launches": ran.launches,
               "members": list(members_of(planned)),
               "results": [_result(r) for r in ran.results]}  # fmt: skip
        if ran.place:
            row["place"] = ran.place
        steps.append(row)
    elsewhere = {
        name: [asdict(each) for each in rows]
        for name, rows in (("places", record.places), ("transfers", record.transfers), ("waits", record.waits))
        if record.places
    }
    return _listed(
        {
            "format": "penstock-run",
            "version": VERSION,
            "summary": record.headline,
            "seconds": record.seconds,
            "peak_bytes": record.peak_bytes,
            "fetches": list(record.fetches),
            "feeds": [_result(r) for r in record.feeds],
            **elsewhere,
            "steps": steps,
            "plan": _plan(record.plan),
        }
    )


def _plan(plan: Plan) -> dict[str, Any]:
    steps = []
    for step in plan.steps:
        row: dict[str, Any] = {"node": step.node, "op": step.op, "device": step.device}
        row |= {"reads": list(map(int, step.inputs)), "writes": list(map(int, step.outputs))}
        row["frees"] = list(map(int, step.frees))
        if step.donor is not None:
            row["in_place_of"] = int(step.donor)
        body = instructions_in(step)
        if body is not None:
            row |= {"members": [*body.nodes], "formula": body.formula, "body": str(body)}
        steps.append(row)
    return {
        "format": "penstock-plan",
        "version": VERSION,
        "feeds": [[name, int(slot)] for name, slot in plan.feeds],
        "constants": [[int(slot), static_type(plan, slot)] for slot, _, _ in plan.constants],
        "fetches": list(map(int, plan.fetches)),
        "slots": [{"dtype": info.dtype.name, "shape": _dims(info.shape)} for info in plan.slots],
        "steps": steps,
    }


def _dims(shape: tuple[Any, ...] | None) -> list[int | str] | None:
    return None if shape is None else [dim if isinstance(dim, int) else str(dim) for dim in shape]


def _result(found: ResultRecord) -> dict[str, Any]:
    made: dict[str, Any] = {"name": found.name, "dtype": found.dtype, "shape": list(found.shape), "bytes": found.bytes}
    if found.value is not None:
        made["value"] = _value(found.value)
    return made


def _value(value: Summary) -> dict[str, Any]:
    facts = asdict(value)
    del facts["image"]
    return {name: _plain(fact) for name, fact in facts.items()}


def _plain(fact: Any) -> Any:
    if isinstance(fact, float) and not math.isfinite(fact):
        return str(fact)
    if isinstance(fact, dict):
        return {name: _plain(each) for name, each in fact.items()}
    return list(fact) if isinstance(fact, tuple) else fact


def _listed(data: dict[str, Any]) -> str:
    """JSON with one line for each step, and the rest on lines of their own."""
    parts = []
    for name, value in data.items():
        if name == "steps" and value:
            text = "[\n  " + ",\n  ".join(json.dumps(step, allow_nan=False) for step in value) + "\n ]"
        else:
            text = json.dumps(value, allow_nan=False)
        parts.append(f" {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"
