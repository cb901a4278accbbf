"""Convolutions, their gradients and pooling beside TensorFlow: CPU time of one thread, or time of several.

    python -m benchmarks.convolutions --peers peers [--rounds 5] [--threads 1] [--only cifar1,pool28]

Both run in processes of their own, in turns; a number is the lower quartile of a round, a ratio the median of rounds.
"f" is the op, "d" its gradient by the input, "w" its gradient by the filter; of pooling "b" is "f" and "d" in one run,
as in a training step. Operands are variables, and results are not fetched. With several threads the clock on the wall
counts, and the last column is one thread's time of this package divided by that of several.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import IO, Any, Final

import numpy as np

from .client import python_of

ROOT: Final = Path(__file__).resolve().parents[1]
CASES: Final[dict[str, tuple[int, int, int, int, int, int, int | None, int, str]]] = {
    "mnist1": (64, 28, 28, 1, 5, 5, 32, 1, "SAME"),
    "mnist2": (64, 14, 14, 32, 5, 5, 64, 1, "SAME"),
    "cifar0": (32, 32, 32, 3, 3, 3, 64, 1, "SAME"),
    "cifar1": (32, 32, 32, 64, 3, 3, 64, 1, "SAME"),
    "res3x3": (8, 56, 56, 64, 3, 3, 64, 1, "SAME"),
    "res3x3v": (8, 56, 56, 64, 3, 3, 64, 1, "VALID"),
    "res1x1": (8, 56, 56, 256, 1, 1, 64, 1, "SAME"),
    "res3x3s2": (8, 56, 56, 64, 3, 3, 128, 2, "SAME"),
    "text": (64, 1, 100, 128, 1, 5, 128, 1, "SAME"),
    "dw32": (8, 112, 112, 32, 3, 3, None, 1, "SAME"),
    "dw128": (8, 56, 56, 128, 3, 3, None, 1, "SAME"),
}
"""Images, height, width, channels, window, filters (None: depthwise), stride, padding."""
WARM: Final = 1.0
"""Seconds of a case before it is timed: code is compiled beside its first runs."""
POOLS: Final = {"pool28": (64, 28, 28, 32), "pool14": (64, 14, 14, 64), "pool112": (8, 112, 112, 64)}


def programs() -> list[tuple[str, str]]:
    """All cases and ops."""
    return [*[(case, op) for case in CASES for op in "fdw"], *[(case, op) for case in POOLS for op in "fdb"]]


# ---- the process of one engine --------------------------------------------------------------------


def targets_of(tf: Any, case: str, op: str) -> Any:
    """The operation to run, or several."""
    random = np.random.default_rng(0)

    def variable(shape: tuple[int, ...]) -> Any:
        return tf.Variable(random.standard_normal(shape, dtype=np.float32))

    if case in POOLS:
        images, height, width, channels = POOLS[case]
        x = variable(POOLS[case])
        y = tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
        if op == "f":
            return y.op
        dx = tf.gradients(y, x, variable((images, height // 2, width // 2, channels)))[0]
        return dx.op if op == "d" else [y.op, dx.op]
    images, height, width, channels, rows, columns, filters, stride, padding = CASES[case]
    cut = (rows - 1, columns - 1) if padding == "VALID" else (0, 0)
    places = [-(-(size - less) // stride) for size, less in zip((height, width), cut, strict=True)]
    shapes = (images, height, width, channels), (rows, columns, channels, filters or 1)
    strides = [1, stride, stride, 1]
    dy = None if op == "f" else variable((images, *places, filters or channels))
    x = variable(shapes[0]) if op in "fw" else None
    w = variable(shapes[1]) if op in "fd" else None
    if filters is None:
        if op == "f":
            return tf.nn.depthwise_conv2d(x, w, strides, padding).op
        if op == "d":
            return tf.nn.depthwise_conv2d_native_backprop_input(list(shapes[0]), w, dy, strides, padding).op
        return tf.nn.depthwise_conv2d_native_backprop_filter(x, list(shapes[1]), dy, strides, padding).op
    if op == "f":
        return tf.nn.conv2d(x, w, strides=strides, padding=padding).op
    if op == "d":
        return tf.nn.conv2d_backprop_input(list(shapes[0]), w, dy, strides=strides, padding=padding).op
    return tf.nn.conv2d_backprop_filter(x, list(shapes[1]), dy, strides=strides, padding=padding).op


def work(package: str, threads: int) -> None:
    """Answer requests, a line with a case, an op and a number of runs each: seconds of a run."""
    tf: Any = import_module(f"{package}.compat.v1")
    if package == "penstock":
        session = tf.Session()
    else:
        tf.disable_eager_execution()
        session = tf.Session(
            config=tf.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=1)
        )
    clock = time.process_time if threads == 1 else time.perf_counter
    calls: dict[tuple[str, str], Callable[[], Any]] = {}
    print("ready", flush=True)
    for line in sys.stdin:
        case, op, times = line.split()
        if (case, op) not in calls:
            calls.clear()
            targets = targets_of(tf, case, op)
            session.run(tf.global_variables_initializer())
            calls[case, op] = session.make_callable(targets)
            until = time.perf_counter() + WARM
            for _ in range(3):
                calls[case, op]()
            while time.perf_counter() < until:
                calls[case, op]()
        call, found = calls[case, op], []
        for _ in range(int(times)):
            began = clock()
            call()
            found.append(clock() - began)
        print(sorted(found)[len(found) // 4], flush=True)


# ---- the command ----------------------------------------------------------------------------------


class Engine:
    """A process that answers requests."""

    def __init__(self, python: Path, package: str, threads: int) -> None:
        one = {name: str(threads) for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")}
        environment = os.environ | one | {"TF_CPP_MIN_LOG_LEVEL": "3"}
        command = [str(python), "-m", "benchmarks.convolutions", "--work", package, "--threads", str(threads)]
        if threads == 1 and sys.platform == "linux":
            command = ["taskset", "-c", "0", *command]
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        while self._output().readline().strip() != "ready":
            pass

    def _output(self) -> IO[str]:
        assert self._process.stdout is not None
        return self._process.stdout

    def seconds(self, case: str, op: str, times: int) -> float:
        """The time of a run."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{case} {op} {times}\n")
        return float(self._output().readline())


def mean(ratios: list[float]) -> float:
    """The geometric mean."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def main() -> None:
    """Print the table."""
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--peers", type=Path, help="a venv that holds TensorFlow")
    cli.add_argument("--rounds", type=int, default=5)
    cli.add_argument("--threads", type=int, default=1)
    cli.add_argument("--only", default="", help="cases, with commas between them")
    cli.add_argument("--work", choices=["penstock", "tensorflow"], help=argparse.SUPPRESS)
    chosen = cli.parse_args()
    if chosen.work:
        work(chosen.work, chosen.threads)
        return
    engines = {
        "penstock": Engine(Path(sys.executable), "penstock", chosen.threads),
        "tensorflow": Engine(python_of(chosen.peers), "tensorflow", chosen.threads),
    }
    if chosen.threads > 1:
        engines["one thread"] = Engine(Path(sys.executable), "penstock", 1)
    print("| case | penstock (ms) | tensorflow (ms) | ratio |" + (" speedup |" if chosen.threads > 1 else ""))
    print("|---|--:|--:|--:|" + ("--:|" if chosen.threads > 1 else ""))
    groups: dict[str, list[float]] = {}
    for case, op in programs():
        if chosen.only and case not in chosen.only.split(","):
            continue
        once = {name: engine.seconds(case, op, 1) for name, engine in engines.items()}
        times: dict[str, list[float]] = {name: [] for name in engines}
        for _ in range(chosen.rounds):
            for name, engine in engines.items():
                times[name].append(engine.seconds(case, op, max(3, min(30, int(0.04 / once[name])))))
        ratio = median(a / b for a, b in zip(times["penstock"], times["tensorflow"], strict=True))
        kind = "pooling" if case in POOLS else "depthwise" if CASES[case][6] is None else "convolutions"
        groups.setdefault(kind, []).append(ratio)
        row = f"| {case} {op} | {median(times['penstock']) * 1e3:.3f} | {median(times['tensorflow']) * 1e3:.3f} "
        row += f"| {ratio:.2f} |"
        if chosen.threads > 1:
            speedup = median(a / b for a, b in zip(times["one thread"], times["penstock"], strict=True))
            row += f" {speedup:.2f} |"
        print(row, flush=True)
    for kind, ratios in groups.items():
        print(f"{kind}: geometric mean {mean(ratios):.2f}, largest {max(ratios):.2f}")


if __name__ == "__main__":
    main()
