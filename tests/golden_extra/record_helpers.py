"""Records what TensorFlow's helpers do, in `helpers.json`.

    python -m tests.golden_extra.record_helpers

Run by an interpreter that has TensorFlow 2.21.
"""

from __future__ import annotations

import importlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"


def main() -> None:
    """Writes the file."""
    tf: Any = importlib.import_module("tensorflow.compat.v1")
    from .helper_programs import GROUPS, outcome

    tf.disable_v2_behavior()
    found: dict[str, dict[str, object]] = {}
    for group, calls in GROUPS.items():
        for label, call in calls:
            with tempfile.TemporaryDirectory() as folder:
                found.setdefault(group, {})[label] = outcome(tf, call, folder)
    lines = [f" {json.dumps(group)}: {{\n" + ",\n".join(f"  {json.dumps(label)}: {json.dumps(each)}"
             for label, each in cases.items()) + "\n }" for group, cases in found.items()]  # fmt: skip
    text = '{\n "kind": "helpers",\n' + ",\n".join(lines) + "\n}\n"
    Path(__file__).with_name("helpers.json").write_text(text)


if __name__ == "__main__":
    main()
