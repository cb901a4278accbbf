"""Writes recorded.json: what `tensorflow.compat.v1.metrics` of TensorFlow 2.21 computes.

    PYTHONPATH=. python tests/metrics/record.py        with an interpreter that has TensorFlow
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

FOLDER = Path(__file__).parent

if __name__ == "__main__":
    sys.path.insert(0, str(FOLDER))
    metric_cases = importlib.import_module("metric_cases")
    v1 = importlib.import_module("tensorflow").compat.v1
    v1.disable_eager_execution()
    recorded = {}
    for name, (metric, batches, options) in metric_cases.cases().items():
        case = metric_cases.run_case(v1, metric, batches, options)
        case["values"] = [value.tolist() for value in case["values"]]
        case["updates"] = [value.tolist() for value in case["updates"]]
        recorded[name] = case
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(case)}" for name, case in recorded.items())
    (FOLDER / "recorded.json").write_text(f"{{\n{lines}\n}}\n", "utf-8")
