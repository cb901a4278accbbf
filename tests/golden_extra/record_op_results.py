"""Records `op_results.txt`: what TensorFlow's op definitions call the results of ops, but for those called "output".

    python -m tests.golden_extra.record_op_results

Run by an interpreter that has TensorFlow 2.21.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any


def main() -> None:
    """Record every op that has a function among the raw ops."""
    raw: Any = importlib.import_module("tensorflow").raw_ops
    registry: Any = importlib.import_module("tensorflow.python.framework.op_def_registry")
    types: dict[str, list[str]] = {}
    for type in dir(raw):
        definition = registry.get(type)
        if definition is not None and definition.output_arg:
            types.setdefault(",".join(each.name for each in definition.output_arg), []).append(type)
    del types["output"]
    lines = [f"{names}: {' '.join(each)}" for names, each in sorted(types.items())]
    (Path(__file__).parent / "op_results.txt").write_text("\n".join(lines) + "\n")
    print(sum(map(len, types.values())), "ops")


if __name__ == "__main__":
    main()
