"""What TensorFlow does with programs of effects: run by its own interpreter, from the root of the repository.

    python -m tests.control_flow.effects_tensorflow_side FIRST COUNT OUT.json

{seed: [with Switch and Merge, with If and While]}; a text is the error of the build.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

from .effect_programs import EffectProgram, results


def main(first: int, count: int, out: str) -> None:
    """Run the programs of some seeds."""
    tf: Any = importlib.import_module("tensorflow").compat.v1
    tf.disable_eager_execution()
    config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.operation_timeout_in_ms = 20_000
    found: dict[int, list[Any]] = {}
    for seed in range(first, first + count):
        found[seed] = []
        for choose in (tf.disable_control_flow_v2, tf.enable_control_flow_v2):
            choose()
            try:
                program = EffectProgram(seed)
                found[seed].append(results(tf, program, lambda graph: tf.Session(graph=graph, config=config)))
            except Exception as error:  # whatever TensorFlow says is the result
                found[seed].append(f"{type(error).__name__}: {error}"[:300])
        if seed % 50 == 49:
            Path(out).write_text(json.dumps(found))
    Path(out).write_text(json.dumps(found))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
