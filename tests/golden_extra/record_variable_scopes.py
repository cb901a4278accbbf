"""Records `variable_scopes.json`: the names that TensorFlow gives in each program of `variable_scope_programs.py`.

    python -m tests.golden_extra.record_variable_scopes

Run by an interpreter that has TensorFlow 2.21. Its reference variables are meant, as in TensorFlow 1.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

from .variable_scope_programs import PROGRAMS, Program


def recorded(tf: Any, program: Program) -> dict[str, Any]:
    """What a program says, and the class of the error that it ends with."""
    said: list[list[Any]] = []
    error = None
    with tf.Graph().as_default():
        try:
            program(tf, lambda *values: said.append(list(values)))
        except Exception as caught:
            error = type(caught).__name__
    return {"said": said, "error": error}


def main() -> None:
    tf = importlib.import_module("tensorflow.compat.v1")
    tf.disable_v2_behavior()
    found = {name: recorded(tf, program) for name, program in PROGRAMS.items()}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in found.items())
    Path(__file__).with_name("variable_scopes.json").write_text(f"{{\n{lines}\n}}\n")
    print(len(found), "programs")


if __name__ == "__main__":
    main()
