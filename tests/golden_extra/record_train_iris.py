"""Records `train_iris.json`: what `examples/train_iris.py` prints when TensorFlow runs it.

    python -m tests.golden_extra.record_train_iris

Run by an interpreter that has TensorFlow 2.21; it needs nothing of Penstock.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
from pathlib import Path
from typing import Any

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "train_iris.py"


def main() -> None:
    """Run the example with TensorFlow in the place of Penstock."""
    tf: Any = importlib.import_module("tensorflow").compat.v1
    tf.disable_v2_behavior()
    text = EXAMPLE.read_text("utf-8")
    assert "import penstock.compat.v1 as tf\n" in text
    program = compile(text.replace("import penstock.compat.v1 as tf\n", "\n"), str(EXAMPLE), "exec")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(program, {"tf": tf, "__file__": str(EXAMPLE), "__name__": "__main__"})
    found = {"format": 1, "kind": "program", "system": f"tensorflow {tf.version.VERSION}",
             "output": said.getvalue().splitlines()}  # fmt: skip
    (Path(__file__).parent / "train_iris.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
