"""Records `control_flow.json`: what TensorFlow does with the programs of `control_flow_programs`.

    python -m tests.golden_extra.record_control_flow

Run by an interpreter that has TensorFlow 2.21. Each program runs with the control flow of TensorFlow 1 (Switch, Merge,
Enter, Exit, NextIteration), and again with that of TensorFlow 2 (functional If and While); `v2` holds what differs.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from .control_flow_programs import PROGRAMS, Program, evaluate
from .record_gradients import number

Json = dict[str, Any]


def encode(array: Any) -> Any:
    """An array as in `golden/README.md`; strings as text."""
    if array is None:
        return None
    flat = array.reshape(-1)
    if array.dtype.kind in "OS":
        return {"dtype": "string", "shape": list(array.shape), "values": [bytes(v).decode() for v in flat]}
    if array.dtype.kind == "c":
        values: list[Any] = [[number(z.real), number(z.imag)] for z in flat]
    else:
        values = [number(v) if array.dtype.kind == "f" else v.item() for v in flat]
    return {"dtype": array.dtype.name, "shape": list(array.shape), "values": values}


def written(found: Json) -> Json:
    """What `evaluate` gave, as JSON."""
    if "runs" not in found:
        return found
    runs = [{"values": [encode(v) for v in run["values"]]} if "values" in run else run for run in found["runs"]]
    return {**found, "runs": runs}


def recorded(tf: Any, program: Program, session_of: Any) -> Json:
    """What TensorFlow does with a program, in both of its ways."""
    tf.disable_control_flow_v2()
    first = written(evaluate(tf, program, session_of))
    tf.enable_control_flow_v2()
    second = written(evaluate(tf, program, session_of))
    tf.disable_control_flow_v2()
    return first if first == second else {**first, "v2": second}


def main() -> None:
    """Record every program."""
    tf = importlib.import_module("tensorflow").compat.v1
    tf.disable_v2_behavior()
    tf.enable_resource_variables()  # those of TensorFlow 1 cannot be written in branches
    config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.operation_timeout_in_ms = 20_000
    np.seterr(all="ignore")
    lines = []
    for name, program in PROGRAMS.items():
        found = recorded(tf, program, lambda graph: tf.Session(graph=graph, config=config))
        lines.append(f"{json.dumps(name)}: {json.dumps(found)}")
    head = json.dumps({"format": 1, "kind": "control_flow", "system": f"tensorflow {tf.version.VERSION}"})
    text = head[:-1] + ', "programs": {\n' + ",\n".join(lines) + "\n}}\n"
    (Path(__file__).parent / "control_flow.json").write_text(text)
    print(len(lines), "programs")


if __name__ == "__main__":
    main()
