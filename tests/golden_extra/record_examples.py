"""Records `examples.json`: what examples with loops and branches print when TensorFlow runs them.

    python -m tests.golden_extra.record_examples

Run by an interpreter that has TensorFlow 2.21; it needs nothing of Penstock.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMES = ("bubble_sort", "lstm", "mandelbrot", "newtons_method", "power_iteration", "word2vec")
LINE = "import penstock.compat.v1 as tf\n"


def printed(tf: Any, name: str) -> list[str]:
    """The lines that an example prints with TensorFlow in the place of Penstock."""
    path = EXAMPLES / f"{name}.py"
    text = path.read_text("utf-8")
    assert LINE in text
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(text.replace(LINE, "\n"), str(path), "exec"), {"tf": tf, "__name__": "__main__"})
    return said.getvalue().splitlines()


def main() -> None:
    """Record all of them."""
    tf: Any = importlib.import_module("tensorflow").compat.v1
    tf.disable_v2_behavior()
    found = {"format": 1, "kind": "programs", "system": f"tensorflow {tf.version.VERSION}",
             "output": {name: printed(tf, name) for name in NAMES}}  # fmt: skip
    (Path(__file__).parent / "examples.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
