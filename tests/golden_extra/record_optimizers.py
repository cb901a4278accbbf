"""Records `optimizers.json`: what TensorFlow's own optimizers, learning rates and moving averages do.

    python -m tests.golden_extra.record_optimizers

Run by an interpreter that has TensorFlow 2.21; it needs nothing of Penstock.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from .optimizer_cases import AVERAGES, CALLS, RATES, Json, averages, learning_rates, train
from .record_gradients import number


def plain(value: Any) -> Any:
    """A result as JSON: arrays become flat lists of the shortest digits that give the number back."""
    if isinstance(value, np.ndarray):
        flat = value.reshape(-1)
        return [v.item() for v in flat] if value.dtype.kind in "iu" else [number(v) for v in flat]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def main() -> None:
    """Record everything."""
    tf: Any = importlib.import_module("tensorflow").compat.v1
    tf.disable_v2_behavior()

    def session_of(graph: Any) -> Any:
        config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        return tf.Session(graph=graph, config=config)

    lines: list[str] = []

    def add(of: str, place: int, dtype: str, result: Json) -> None:
        lines.append(json.dumps({"of": of, "place": place, "dtype": dtype, "expect": plain(result)},
                                separators=(",", ":")))  # fmt: skip

    for place, call in enumerate(CALLS):
        for dtype in call.dtypes:
            add("CALLS", place, dtype, train(tf, call, dtype, session_of))
    for place, rate in enumerate(RATES):
        for dtype in ("float32", "float64") if "learning_rate" in rate.arguments else ("float32",):
            try:
                add("RATES", place, dtype, learning_rates(tf, rate, dtype, session_of))
            except (TypeError, ValueError) as error:
                print(rate, dtype, str(error).splitlines()[0][:150])
    for place, arguments in enumerate(AVERAGES):
        for dtype in ("float32", "float64"):
            add("AVERAGES", place, dtype, averages(tf, arguments, dtype, session_of))
    head = json.dumps({"format": 1, "kind": "optimizers", "system": f"tensorflow {tf.version.VERSION}"})
    text = head[:-1] + ', "cases": [\n' + ",\n".join(lines) + "\n]}\n"
    (Path(__file__).parent / "optimizers.json").write_text(text)
    print(len(lines), "cases,", len(text), "characters")


if __name__ == "__main__":
    main()
