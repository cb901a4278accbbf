"""How many files of `penstock/runtime` a run goes through, and how often it changes from one to another.

`python -m tests.runtime.test_files_of_a_run` prints them.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

import penstock as tf

ROOT = Path(__file__).resolve().parents[2]
RUNTIME = os.path.join(os.path.dirname(tf.__file__), "runtime", "")

STEADY = {"arguments", "base", "compiled", "execution", "llvm", "numpy", "session"}
"""The folders that a run goes through whose plan is there."""
FIRST = STEADY | {"ir", "passes", "planning"}
"""And those of a first run: of what its graph does not have (loops, reductions, shards, devices) it meets nothing."""
FIRST_FILES, STEADY_FILES = 60, 24
"""About a third more than there are: the rules below see the kind of a file, this sees many."""
FIRST_RETURNS, STEADY_RETURNS = 7, 2
"""How often a run comes to each of these files, on average. Parts that ask each other again and again are above it."""


def crossed(run: Callable[[], object]) -> list[str]:
    """The files of the runtime in which functions are called during `run`, in order, each change of file once."""
    files: list[str] = []

    def heard(frame: object, event: str, _: object) -> None:
        if event == "call":
            name = frame.f_code.co_filename  # type: ignore[attr-defined]  # a frame
            if name.startswith(RUNTIME) and (not files or files[-1] != name):
                files.append(name)

    sys.setprofile(heard)
    try:
        run()
    finally:
        sys.setprofile(None)
    return [name.removeprefix(RUNTIME) for name in files]


def main() -> None:
    """Print the files and changes of file of the first run, and of the shortest of some runs about the hundredth."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None], name="x")
        y = tf.reverse(tf.tanh(x * 2 + 1), [True])
    session = tf.Session(graph=graph)
    feed = {x: np.arange(5, dtype=np.float32)}
    first = crossed(lambda: session.run(y, feed))
    for _ in range(94):
        session.run(y, feed)
    # A run in which the group looks whether it is time to be compiled goes through a few files more: on a busy machine
    # most do.
    steady = min((crossed(lambda: session.run(y, feed)) for _ in range(31)), key=len)
    files, changes = len(set(steady)), len(steady)
    print(f"first run: {len(set(first))} files, {len(first)} changes; hundredth: {files} files, {changes} changes")
    print("first:", *dict.fromkeys(first), sep="\n    ")
    print("hundredth:", *dict.fromkeys(steady), sep="\n    ")


def test_a_run_goes_through_few_files() -> None:
    command = [sys.executable, "-m", "tests.runtime.test_files_of_a_run"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    files, changes, steady_files, steady_changes = map(int, re.findall(r"\d+", done.stdout.splitlines()[0]))
    first, steady = [{line.strip().partition("/")[0] for line in part.splitlines()[1:]}
                     for part in done.stdout.split("\n", 1)[1].split("hundredth:")]  # fmt: skip
    assert "passes" in first <= FIRST, done.stdout
    assert "execution" in steady <= STEADY, done.stdout
    assert files <= FIRST_FILES and changes <= FIRST_RETURNS * files, done.stdout
    assert steady_files <= STEADY_FILES and steady_changes <= STEADY_RETURNS * steady_files, done.stdout


if __name__ == "__main__":
    main()
