"""Records `devices.json`: what TensorFlow answers to each case of `device_programs.py`.

    python -m tests.golden_extra.record_devices

Run by an interpreter that has TensorFlow 2.21. Its reference variables are meant, as in TensorFlow 1.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path

from .device_programs import ANSWERS, CASES


def main() -> None:
    tf = importlib.import_module("tensorflow.compat.v1")
    tf.disable_v2_behavior()
    found = {kind: [[case, ANSWERS[kind](tf, case)] for case in cases] for kind, cases in CASES.items()}
    rows = []
    for kind, pairs in found.items():
        lines = ",\n".join(json.dumps(pair) for pair in pairs)
        rows.append(f"{json.dumps(kind)}: [\n{lines}\n]")
    Path(__file__).with_name("devices.json").write_text("{\n" + ",\n".join(rows) + "\n}\n")
    print({kind: len(pairs) for kind, pairs in found.items()})


if __name__ == "__main__":
    main()
