"""What TensorFlow gives for programs of statements: run by its own interpreter, from the root of the repository.

    python -m tests.control_flow.statements_tensorflow_side FIRST COUNT OUT.npz

Branches and loops are those of version 1 for even seeds, of version 2 for odd ones.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

import numpy as np

from .statement_programs import RUNS, build


def main(first: int, count: int, out: str) -> None:
    """Run the programs of some seeds; "seed/run" has the last tensor and then the variables."""
    tf: Any = importlib.import_module("tensorflow").compat.v1
    tf.disable_eager_execution()
    found: dict[str, Any] = {}
    for seed in range(first, first + count):
        (tf.disable_control_flow_v2 if seed % 2 == 0 else tf.enable_control_flow_v2)()
        with tf.Graph().as_default():
            program = build(tf, seed)
            with tf.Session() as session:
                session.run(program.start)
                for run in range(RUNS):
                    last = session.run(program.last)
                    found[f"{seed}/{run}"] = np.stack([last, *session.run(program.variables)])
    np.savez(out, **found)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
