"""What TensorFlow gives for random programs of branches and loops: run by its own interpreter, from the root here.

    python -m tests.control_flow.tensorflow_side FIRST COUNT OUT.npz

The arrays are called "seed/run/fetch"; "seed/error" is the text of an error. Programs with second derivatives run with
functional If and While, which TensorFlow needs for these, the others with Switch and Merge for even seeds.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

import numpy as np

from .random_control import control_program


def results(tf: Any, seed: int) -> dict[str, Any]:
    """What the runs of the program of a seed give: values and then gradients; those that are None are left out."""
    program = control_program(seed)
    if any(slope.startswith("h") for slope in program.slopes) or seed % 2:
        tf.enable_control_flow_v2()
    else:
        tf.disable_control_flow_v2()
    config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.operation_timeout_in_ms = 20_000
    found: dict[str, Any] = {}
    with tf.Graph().as_default() as graph:
        made = program.build(tf)
        fetches = {name: made[name] for name in program.fetched}
        for name in program.slopes:
            slope = eval(name, made)
            if slope is not None:
                fetches[name] = tf.convert_to_tensor(slope)
        with tf.Session(graph=graph, config=config) as session:
            for run in range(program.runs):
                feeds = {made[name]: array for name, array in program.feeds(run).items()}
                for name, value in session.run(fetches, feeds).items():
                    found[f"{seed}/{run}/{name}"] = value
    return found


def main(first: int, count: int, path: str) -> None:
    """Write what the programs of `count` seeds give."""
    tf = importlib.import_module("tensorflow").compat.v1
    tf.disable_v2_behavior()
    found: dict[str, Any] = {}
    for seed in range(first, first + count):
        try:
            found |= results(tf, seed)
        except Exception as error:  # whatever TensorFlow says is the result
            found[f"{seed}/error"] = np.array(f"{type(error).__name__}: {error}"[:300])
    np.savez(path, **found)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
