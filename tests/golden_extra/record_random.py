"""Records `random.npz`: what TensorFlow's random ops give for seeds.

    python -m tests.golden_extra.record_random

Run by an interpreter that has TensorFlow 2.21. One thread: TensorFlow's `multinomial` draws other numbers on several.
"""

from __future__ import annotations

import hashlib
import importlib
import os
from pathlib import Path
from typing import Any

import numpy as np

from .random_calls import LONG, RandomCall, calls

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"


def main() -> None:
    """Run all calls and write the file."""
    tensorflow = importlib.import_module("tensorflow")
    tf = tensorflow.compat.v1
    tf.disable_eager_execution()
    found: dict[str, Any] = {}
    for call in calls():
        for number, value in enumerate(_three_runs(tf, call)):
            found[f"{call.name}/run {number}"] = _recorded(call, value)
    np.savez_compressed(Path(__file__).with_name("random.npz"), **found)
    print(f"{len(found)} results of TensorFlow {tensorflow.__version__}")


def _three_runs(tf: Any, call: RandomCall) -> list[Any]:
    config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = -1
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        if call.graph_seed is not None:
            tf.set_random_seed(call.graph_seed)
        function = tf
        for part in call.function.split("."):
            function = getattr(function, part)
        result = function(**call.arguments)
        return [session.run(result) for _ in range(3)]


def _recorded(call: RandomCall, value: Any) -> Any:
    if value.dtype.name == "bfloat16":
        value = value.astype(np.float32)
    if value.size <= LONG:
        return value
    if "normal" in call.function:
        return value.reshape(-1)[::97]
    return np.frombuffer(hashlib.sha256(value.tobytes()).digest(), np.uint8)


if __name__ == "__main__":
    main()
