"""Records `result_names.json`: the names of the results of calls in TensorFlow.

    python -m tests.golden_extra.record_result_names

Run by an interpreter that has TensorFlow 2.21. Calls that it refuses are left out and printed.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

from .result_name_calls import names, result, texts


def main() -> None:
    """Record every call."""
    tf: Any = importlib.import_module("tensorflow").compat.v1
    tf.disable_v2_behavior()
    found = {}
    for text in texts():
        with tf.Graph().as_default():
            try:
                found[text] = names(result(tf, text))
            except Exception as error:
                print(f"{text}: {type(error).__name__}: {str(error).splitlines()[0][:150]}")
    lines = ",\n".join(f"{json.dumps(text)}: {json.dumps(each)}" for text, each in found.items())
    (Path(__file__).parent / "result_names.json").write_text("{\n" + lines + "\n}\n")
    print(len(found), "calls")


if __name__ == "__main__":
    main()
