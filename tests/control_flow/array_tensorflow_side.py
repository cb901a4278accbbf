"""What TensorFlow gives for random programs of TensorArrays: run by its own interpreter, from the root here.

    python -m tests.control_flow.array_tensorflow_side FIRST COUNT OUT.npz

The arrays are called "seed/run/fetch". A text "seed/run" is the class of the error of a run, "seed" that of the build.
Loops are those of Switch and Merge: functional ones have lists in place of TensorArrays, whose elements may be read
twice.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

import numpy as np

from .array_programs import ArrayProgram

RUNS = 3


def results(tf: Any, seed: int) -> dict[str, Any]:
    """What the runs of the program of a seed give."""
    program = ArrayProgram(seed, hands_on=False)
    config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.operation_timeout_in_ms = 20_000
    found: dict[str, Any] = {}
    with tf.Graph().as_default() as graph:
        try:
            fed, fetches = program.build(tf)
        except Exception as error:  # whatever TensorFlow says is the result
            return {f"{seed}": np.array(f"{type(error).__name__}: {error}"[:300])}
        with tf.Session(graph=graph, config=config) as session:
            for run in range(RUNS):
                feeds = {fed[name]: array for name, array in program.feeds(run).items()}
                try:
                    values = session.run(fetches, feeds)
                except tf.errors.OpError as error:
                    found[f"{seed}/{run}"] = np.array(f"{type(error).__name__}: {error.message}"[:300])
                else:
                    found |= {f"{seed}/{run}/{name}": np.asarray(value) for name, value in values.items()}
    return found


def main(first: int, count: int, path: str) -> None:
    """Write what the programs of `count` seeds give."""
    tf = importlib.import_module("tensorflow").compat.v1
    tf.disable_v2_behavior()
    tf.disable_control_flow_v2()
    found: dict[str, Any] = {}
    for seed in range(first, first + count):
        found |= results(tf, seed)
    np.savez(path, **found)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
