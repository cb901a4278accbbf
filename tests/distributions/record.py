"""Writes recorded.json: what TensorFlow 2.21 gives for the calls of cases.py, by its compat.v1.

    python -m tests.distributions.record        with an interpreter that has TensorFlow
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path

from .cases import DISTRIBUTIONS, tensors

if __name__ == "__main__":
    v1 = importlib.import_module("tensorflow").compat.v1
    recorded = {}
    for name in DISTRIBUTIONS:
        with v1.Graph().as_default(), v1.Session() as session:
            found = session.run(tensors(v1, name))
            recorded[name] = {key: [value.dtype.name, value.tolist()] for key, value in found.items()}
    Path(__file__).with_name("recorded.json").write_text(json.dumps(recorded, indent=1) + "\n", "utf-8")
