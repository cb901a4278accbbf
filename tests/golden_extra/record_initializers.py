"""Records `initializers.json`: the values that TensorFlow's initializers make with op seeds.

    python -m tests.golden_extra.record_initializers

Run by an interpreter that has TensorFlow 2.21.
"""

from __future__ import annotations

import importlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from .initializer_cases import Case, cases


def values_of(tf: Any, case: Case) -> np.ndarray[Any, Any]:
    """What a case gives in a session of its own."""
    with tf.Graph().as_default(), tf.Session() as session:
        if case.graph_seed is not None:
            tf.set_random_seed(case.graph_seed)
        made = getattr(tf.initializers, case.name)(**case.arguments)
        dtype = None if case.dtype is None else tf.as_dtype(case.dtype)
        tensor = made(case.shape) if dtype is None else made(case.shape, dtype=dtype)
        return np.asarray(session.run(tensor))


def main() -> None:
    tf = importlib.import_module("tensorflow.compat.v1")
    tf.disable_v2_behavior()
    lines = []
    for case in cases():
        values = values_of(tf, case)
        found = {"dtype": str(values.dtype), "values": values.reshape(-1).tolist()}
        lines.append(json.dumps([asdict(case), found]))
    Path(__file__).with_name("initializers.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(len(lines), "cases")


if __name__ == "__main__":
    main()
