"""Records `layers.json`: what TensorFlow's `tf.layers` does with the programs of `layer_cases.py`.

    TF_USE_LEGACY_KERAS=1 python -m tests.golden_extra.record_layers

Run by an interpreter that has TensorFlow 2.21 and tf_keras, which holds these layers now.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from .layer_cases import PROGRAMS, evaluate
from .record_gradients import encode

ARRAYS = ("outputs", "gradients", "after")


def written(found: dict[str, Any]) -> dict[str, Any]:
    """What `evaluate` gave, as JSON."""
    return {key: [encode(np.asarray(v)) for v in value] if key in ARRAYS else value for key, value in found.items()}


def main() -> None:
    """Record every program."""
    tf = importlib.import_module("tensorflow").compat.v1
    tf.disable_v2_behavior()
    lines = [json.dumps({"name": name, "expect": written(evaluate(tf, name, lambda graph: tf.Session(graph=graph)))})
             for name in PROGRAMS]  # fmt: skip
    head = json.dumps({"format": 1, "kind": "layers", "system": f"tensorflow {tf.version.VERSION}"})
    (Path(__file__).parent / "layers.json").write_text(head[:-1] + ', "cases": [\n' + ",\n".join(lines) + "\n]}\n")
    print(len(lines), "programs")


if __name__ == "__main__":
    main()
