"""Writes public_names_1.txt: the public names of TensorFlow 1, as `tensorflow.compat.v1` of TensorFlow 2.21 has them.

    python tests/tf1/record_public_names.py        with an interpreter that has TensorFlow

Keras, Estimator and the raw ops are left out: the table has one row for each. tf.contrib was never in compat.v1.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

SKIPPED = ("keras", "estimator", "raw_ops", "tf_decorator", "Any", "Dict", "compat")
DEPTH = 4


def names_of(space: Any, prefix: str = "") -> Iterator[str]:
    """The names in a namespace and in those below it."""
    for name in sorted(dir(space)):
        if name.startswith("_") or name in SKIPPED:
            continue
        found = getattr(space, name)
        if not isinstance(found, ModuleType):
            yield f"{prefix}{name}"
        elif getattr(found, "__name__", "").startswith("tensorflow") and prefix.count(".") < DEPTH:
            yield from names_of(found, f"{prefix}{name}.")


if __name__ == "__main__":
    names = names_of(importlib.import_module("tensorflow").compat.v1)
    Path(__file__).with_name("public_names_1.txt").write_text("\n".join(names) + "\n", "utf-8")
