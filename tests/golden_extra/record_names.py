"""Records `names.json`: what TensorFlow does with the calls of `name_cases.py`.

    python -m tests.golden_extra.record_names

Run by an interpreter that has TensorFlow 2.21.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path

from .name_cases import cases
from .nn_cases import evaluate
from .record_nn import written


def main() -> None:
    """Record every case in each of its dtypes."""
    tf = importlib.import_module("tensorflow").compat.v1
    config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    lines = []
    for case in cases():
        for dtype in case.dtypes:
            found = evaluate(tf, case, dtype, lambda graph: tf.Session(graph=graph, config=config))
            lines.append(json.dumps({"name": case.name, "dtype": dtype, "expect": written(found)}))
    head = json.dumps({"format": 1, "kind": "nn", "system": f"tensorflow {tf.version.VERSION}"})
    text = head[:-1] + ', "cases": [\n' + ",\n".join(lines) + "\n]}\n"
    (Path(__file__).parent / "names.json").write_text(text)
    print(len(lines), "cases")


if __name__ == "__main__":
    main()
