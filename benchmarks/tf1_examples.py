"""A training step of each program of examples/tf1, beside TensorFlow 2.21's compat.v1, which runs the same file.

    python -m benchmarks.tf1_examples --peers peers [--threads 1] [--only gan kmeans]

A program runs unchanged up to its first training step. That step is then repeated: 200 times, with the time since the
process began, and on until it is steady; the figure is the lower quartile of the last 300, CPU time and time. Each side
has processes of its own, in turns, and an empty cache of machine code. The two programs that need `tf.contrib` are
beside equivalents written by hand (`tf1_by_hand`).
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import os
import runpy
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np

from .client import python_of
from .tf1_by_hand import BY_HAND

ROOT: Final = Path(__file__).resolve().parents[1]
FOLDER: Final = ROOT / "examples" / "tf1"
PROGRAMS: Final = sorted(path.stem for path in FOLDER.glob("*.py"))
OF_0: Final = ("autoencoder", "kmeans", "softmax_regression")
FIRST, STEADY = 200, 1000


class _Measured(Exception):
    """The step of a program has been timed; the rest of it does not run."""


def measure(session: Any, run: Any, began: float, *args: Any, **kwargs: Any) -> dict[str, Any]:
    """Seconds since `began` after steps 1, 20 and 200, and what a step takes later, in ms: (CPU time, time)."""
    since = []
    for _ in range(FIRST):
        run(session, *args, **kwargs)
        since.append(time.time() - began)
    count = int(min(STEADY, max(300, 3.0 / max((since[-1] - since[-51]) / 50, 1e-6))))
    times = []
    for _ in range(count):
        cpu, wall = time.process_time(), time.perf_counter()
        run(session, *args, **kwargs)
        times.append((time.process_time() - cpu, time.perf_counter() - wall))
    return {"since": [since[0], since[19], since[-1]], "step": (np.quantile(times[-300:], 0.25, 0) * 1e3).tolist()}


def watch(tf: Any, threads: int, began: float, found: dict[str, Any]) -> None:
    """Let sessions have so many threads, datasets no end, and the first run that fetches a step be measured."""
    run, init, repeat = tf.Session.run, tf.Session.__init__, tf.data.Dataset.repeat
    config = tf.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads)

    def begun(session: Any, *args: Any, **kwargs: Any) -> None:
        init(session, *args, **{"config": config, **kwargs})

    def watched(session: Any, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        kinds = {isinstance(each, tf.Operation) for each in fetches} if isinstance(fetches, list) else set()
        if len(kinds) < 2:
            return run(session, fetches, *args, **kwargs)
        found.update(measure(session, run, began, fetches, *args, **kwargs))
        raise _Measured

    tf.Session.run, tf.Session.__init__ = watched, begun
    tf.data.Dataset.repeat = lambda dataset, count=None: repeat(dataset)


def work(side: str, name: str, threads: int) -> dict[str, Any]:
    """The figures of one program in this process."""
    began, found = float(os.environ["STARTED"]), dict[str, Any]()
    path = str(FOLDER / f"{name}.py")
    sys.argv = [path]
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.suppress(_Measured))
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        if side == "penstock":
            penstock = importlib.import_module("penstock")
            stack.enter_context(penstock.tensorflow_stand_in("0" if name in OF_0 else "1"))
            watch(importlib.import_module("penstock.compat.v1"), threads, began, found)
            runpy.run_path(path, run_name="__main__")
            return found
        tf = importlib.import_module("tensorflow").compat.v1
        tf.disable_v2_behavior()
        watch(tf, threads, began, found)
        if name in BY_HAND:
            fetches, feed = BY_HAND[name](tf)
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                session.run(fetches, feed)
        sys.path.insert(0, str(ROOT))
        of_0 = importlib.import_module("tests.tf1.record_examples").namespace_of_0
        sys.modules["tensorflow"] = of_0(tf) if name in OF_0 else tf
        runpy.run_path(path, run_name="__main__")
    return found


def in_process(python: Path, side: str, name: str, threads: int, cache: str) -> dict[str, Any]:
    """The same in a process of its own."""
    environment = os.environ | {"STARTED": repr(time.time()), "PENSTOCK_CACHE_DIR": cache, "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [str(python), "-m", "benchmarks.tf1_examples", "--work", side, name, str(threads)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        sys.exit(f"{side} {name}: {done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def cells(runs: list[dict[str, Any]]) -> tuple[str, str, float]:
    """Medians: the first steps, a step in ms, its CPU time."""
    cpu, wall = (median(each["step"][i] for each in runs) for i in (0, 1))
    since = ", ".join(f"{median(each['since'][i] for each in runs):.2f}" for i in range(3))
    return since, f"{cpu:.3f} ({wall:.3f})", cpu


def main() -> None:
    """Print the table."""
    cli = argparse.ArgumentParser(description=__doc__)
    cli.add_argument("--peers", type=Path, help="a venv that holds TensorFlow")
    cli.add_argument("--threads", type=int, default=1)
    cli.add_argument("--rounds", type=int, default=3)
    cli.add_argument("--only", nargs="*", default=PROGRAMS)
    cli.add_argument("--work", nargs=3, help="measure in this process: a package, a program, threads")
    chosen = cli.parse_args()
    if chosen.work:
        side, name, threads = chosen.work
        print(json.dumps(work(side, name, int(threads))))
        return
    print("| program | penstock: 1st, 20th, 200th step (s) | a step (ms) | tensorflow | a step (ms) | ratio |\n"
          "|---|---|--:|---|--:|--:|")  # fmt: skip
    for name in chosen.only:
        ours, theirs = [], []
        for _ in range(chosen.rounds):
            with tempfile.TemporaryDirectory() as cache:
                ours.append(in_process(Path(sys.executable), "penstock", name, chosen.threads, cache))
            theirs.append(in_process(python_of(chosen.peers), "tensorflow", name, chosen.threads, ""))
        (first, step, cpu), (other_first, other_step, other_cpu) = cells(ours), cells(theirs)
        print(f"| {name} | {first} | {step} | {other_first} | {other_step} | {cpu / other_cpu:.2f} |", flush=True)


if __name__ == "__main__":
    main()
