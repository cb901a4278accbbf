"""Records `derivative_orders.json`: which derivatives TensorFlow has, and the first ones where the result is fed.

    python -m tests.golden_extra.record_derivative_orders

Run by an interpreter that has TensorFlow 2.21. A call that TensorFlow refuses is left out and printed.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

from .derivative_orders_calls import expressions, observed


def main() -> None:
    """Record every call."""
    tf: Any = importlib.import_module("tensorflow").compat.v1
    tf.disable_v2_behavior()
    found, refused = {}, 0
    for name, text in expressions().items():
        try:
            found[name] = observed(tf, text)
        except Exception as error:
            refused += 1
            print(f"{name}: {type(error).__name__}: {str(error).splitlines()[0][:150]}")
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(each)}" for name, each in found.items())
    (Path(__file__).parent / "derivative_orders.json").write_text("{\n" + lines + "\n}\n")
    print(len(found), "calls,", refused, "refused")


if __name__ == "__main__":
    main()
