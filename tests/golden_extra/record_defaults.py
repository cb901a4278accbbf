"""Records `defaults.json`: what arguments of TensorFlow's functions and classes are where a call leaves them out.

    TF_USE_LEGACY_KERAS=1 python -m tests.golden_extra.record_defaults
"""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MODULES = (
    "", "bitwise", "distributions", "image", "initializers", "io", "layers", "linalg", "losses", "math", "metrics",
    "nn", "nn.rnn_cell", "queue", "random", "saved_model", "sets", "signal", "sparse", "spectral", "strings",
    "summary", "train",
)  # fmt: skip
"""The parts of `compat.v1` whose names are compared."""
PLAIN = (int, float, str, type(None))


def defaults_of(tf: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """(name, defaults by parameter) of public functions and classes; only defaults that JSON has.

    What names nodes is left out: `tests/compat/test_result_names.py` compares the names.
    """
    for module in MODULES:
        namespace = tf
        for part in filter(None, module.split(".")):
            namespace = getattr(namespace, part, None)
        for name in dir(namespace) if namespace is not None else ():
            value = None if name.startswith("_") else getattr(namespace, name, None)
            if not callable(value) or inspect.ismodule(value):
                continue
            try:
                parameters = inspect.signature(value).parameters.values()
            except (TypeError, ValueError):
                continue
            plain = {p.name: p.default for p in parameters if p.name != "name" and isinstance(p.default, PLAIN)}
            if plain:
                yield f"{module}.{name}".lstrip("."), plain


def main() -> None:
    """Write the file."""
    tf: Any = importlib.import_module("tensorflow").compat.v1
    lines = ",\n".join(f'"{name}": {json.dumps(plain)}' for name, plain in sorted(defaults_of(tf)))
    (Path(__file__).parent / "defaults.json").write_text("{\n" + lines + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
