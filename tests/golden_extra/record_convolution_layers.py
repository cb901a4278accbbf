"""Records `convolution_layers.json`: what TensorFlow's `tf.layers` does with the programs of
`convolution_layer_cases.py`.

    TF_USE_LEGACY_KERAS=1 python -m tests.golden_extra.record_convolution_layers

Run by an interpreter that has TensorFlow 2.21 and tf_keras, which holds these layers now.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path

from .convolution_layer_cases import PROGRAMS
from .layer_cases import evaluate
from .record_layers import written


def main() -> None:
    """Record every program."""
    tf = importlib.import_module("tensorflow").compat.v1
    tf.disable_v2_behavior()
    found = {name: evaluate(tf, name, lambda graph: tf.Session(graph=graph), PROGRAMS) for name in PROGRAMS}
    lines = [json.dumps({"name": name, "expect": written(each)}) for name, each in found.items()]
    head = json.dumps({"format": 1, "kind": "convolution_layers", "system": f"tensorflow {tf.version.VERSION}"})
    path = Path(__file__).parent / "convolution_layers.json"
    path.write_text(head[:-1] + ', "cases": [\n' + ",\n".join(lines) + "\n]}\n")
    print(len(lines), "programs")


if __name__ == "__main__":
    main()
