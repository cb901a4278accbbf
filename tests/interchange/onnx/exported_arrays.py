"""Random programs of TensorArrays in loops as ONNX models, run in onnxruntime.

    python -m tests.interchange.onnx.exported_arrays 0 1000

Each program of `tests.control_flow.array_programs` is written with its gradients. What has no form is counted by its
reason; what a model computes must be what the session does. The package onnxruntime is needed.
"""

from __future__ import annotations

import re
import sys
from collections import Counter

import penstock.compat.v1 as tf
from penstock.errors import GraphFormatError

from ...control_flow.array_programs import ArrayProgram
from .exported_samples import agree, run_elsewhere


def difference(seed: int) -> str | None:
    """Where the model of a seed gives something else; None if nowhere.

    Raises:
        GraphFormatError: it has no ONNX form.
        OpError, ValueError: the program is an error here.
    """
    program = ArrayProgram(seed)
    with tf.Graph().as_default() as graph:
        fed, fetches = program.build(tf)
        content = tf.save_onnx(None, {f"out_{name}": tensor for name, tensor in fetches.items()}, [*fed.values()])
        feeds = program.feeds(0)
        with tf.Session(graph=graph) as session:
            want = session.run([*fetches.values()], {fed[name]: array for name, array in feeds.items()})
    where, got = run_elsewhere(content, feeds)
    wrong = [name for name, a, b in zip(fetches, got, want, strict=True) if not agree(a, b)]
    return f"seed {seed}, {where}: {wrong} of {program}" if wrong else None


def main(first: int, count: int) -> int:
    """Compare so many programs; 1 if one differs."""
    told: Counter[str] = Counter()
    wrong = 0
    for seed in range(first, first + count):
        try:
            found = difference(seed)
        except GraphFormatError as error:
            told["no form: " + re.sub(r"'.*?'|\d+", "_", str(error)).split("\n")[2].strip()[:90]] += 1
        except (tf.errors.OpError, ValueError, TypeError) as error:
            told[f"an error here: {type(error).__name__}"] += 1
        else:
            told["equal" if found is None else "differs"] += 1
            if found is not None:
                wrong += 1
                print(found, flush=True)
    for reason, times in told.most_common():
        print(f"{times:5}  {reason}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
