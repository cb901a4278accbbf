"""Records `result_names.json`: the names of the results of calls in TensorFlow.

    python -m tests.golden_extra.record_result_names ["tf.nn.new(X, name=N)" ...]

Run by an interpreter that has TensorFlow 2.21 and tf-keras, with TF_USE_LEGACY_KERAS=1. It calls again what the file
has, and the calls that it is given, each with a name and without one. Calls that TensorFlow refuses are left out and
printed.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

from .result_name_calls import FILE, RECORDED, names, result, with_and_without_name


def main() -> None:
    """Record every call."""
    tf: Any = importlib.import_module("tensorflow").compat.v1
    tf.disable_v2_behavior()
    found = {}
    for text in with_and_without_name([*RECORDED, *sys.argv[1:]]):
        with tf.Graph().as_default():
            try:
                found[text] = names(result(tf, text))
            except Exception as error:
                print(f"{text}: {type(error).__name__}: {str(error).splitlines()[0][:150]}")
    lines = ",\n".join(f"{json.dumps(text)}: {json.dumps(each)}" for text, each in found.items())
    FILE.write_text("{\n" + lines + "\n}\n")
    print(len(found), "calls")


if __name__ == "__main__":
    main()
