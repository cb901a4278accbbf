"""Records `unknown_shapes.json`: which calls TensorFlow builds and runs where static shapes leave out what.

    python -m tests.golden_extra.record_unknown_shapes

Run by an interpreter that has TensorFlow 2.21. Calls that TensorFlow has not are left out and printed.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

from .unknown_shape_calls import WAYS, calls, values


def main() -> None:
    """Record every call: the ways in which it builds and runs."""
    tf: Any = importlib.import_module("tensorflow").compat.v1
    tf.disable_v2_behavior()
    found = {}
    for text in calls():
        ways = []
        for way in ("shapes", *WAYS):
            try:
                values(tf, text, way)
                ways.append(way)
            except Exception as error:
                print(f"{text}, {way}: {type(error).__name__}: {str(error).splitlines()[0][:150]}")
        if "shapes" in ways:
            found[text] = ways[1:]
    lines = ",\n".join(f"{json.dumps(text)}: {json.dumps(ways)}" for text, ways in found.items())
    (Path(__file__).parent / "unknown_shapes.json").write_text("{\n" + lines + "\n}\n")
    print(len(found), "calls")


if __name__ == "__main__":
    main()
