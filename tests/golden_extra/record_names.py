"""Records `names.json` and `later_names.json`: what TensorFlow does with the calls of their modules of cases.

    python -m tests.golden_extra.record_names [FILE...]

Run by an interpreter that has TensorFlow 2.21.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

from . import later_name_cases, name_cases
from .nn_cases import evaluate
from .record_nn import written


def main() -> None:
    """Record every case in each of its dtypes."""
    tf = importlib.import_module("tensorflow").compat.v1
    config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    for file, cases in (("names.json", name_cases.cases()), ("later_names.json", later_name_cases.cases())):
        if sys.argv[1:] and file not in sys.argv[1:]:
            continue
        lines = []
        for case in cases:
            for dtype in case.dtypes:
                found = evaluate(tf, case, dtype, lambda graph: tf.Session(graph=graph, config=config))
                lines.append(json.dumps({"name": case.name, "dtype": dtype, "expect": written(found)}))
        head = json.dumps({"format": 1, "kind": "nn", "system": f"tensorflow {tf.version.VERSION}"})
        text = head[:-1] + ', "cases": [\n' + ",\n".join(lines) + "\n]}\n"
        (Path(__file__).parent / file).write_text(text)
        print(file, len(lines), "cases")


if __name__ == "__main__":
    main()
