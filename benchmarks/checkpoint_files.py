"""Saving and restoring 1 GB beside a plain write with a flush and a plain read, in turn, in one process.

python -m benchmarks.checkpoint_files [FOLDER]

The variables are eight of 128 MiB of float32. The plain forms write and read the same arrays, 512 KiB at a time, with
nothing else; what is read goes to new arrays, as in a restore. Every file is removed before it is written again, and
reads find it in the page cache. The numbers are minima: a disk is shared.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import penstock as tf

ROUNDS = 7
COUNT, SIZE = 8, 1 << 25
PIECE = 512 << 10


def write_plain(path: Path, arrays: list[Any]) -> None:
    """A write with a flush."""
    with open(path, "wb", buffering=0) as file:
        for array in arrays:
            memory = memoryview(array.view(np.uint8))
            for start in range(0, len(memory), PIECE):
                file.write(memory[start : start + PIECE])
        os.fsync(file.fileno())


def read_plain(path: Path, arrays: list[Any]) -> list[Any]:
    """A read into new arrays."""
    found = []
    with open(path, "rb", buffering=0) as file:
        for array in arrays:
            new = np.empty_like(array)
            memory = memoryview(new.view(np.uint8))
            for start in range(0, len(memory), PIECE):
                file.readinto(memory[start : start + PIECE])
            found.append(new)
    return found


def timed(call: Callable[[], Any]) -> float:
    """Seconds of a call; its result is freed afterwards."""
    start = perf_counter()
    result = call()
    seconds = perf_counter() - start
    del result
    return seconds


def main(folder: Path) -> None:
    """Print a row for each pair."""
    arrays = [np.random.default_rng(i).random(SIZE, dtype=np.float32) for i in range(COUNT)]
    times: dict[str, list[float]] = {name: [] for name in ("write", "save", "read", "restore")}
    with tf.Graph().as_default(), tf.Session() as session:
        variables = [tf.Variable(tf.zeros([SIZE]), name=f"v{i}") for i in range(COUNT)]
        for variable, array in zip(variables, arrays, strict=True):
            variable.load(array, session)
        saver = tf.train.Saver()
        for _ in range(ROUNDS + 1):
            for path in folder.iterdir():
                path.unlink()
            times["write"].append(timed(lambda: write_plain(folder / "plain", arrays)))
            times["save"].append(timed(lambda: saver.save(session, folder / "model", write_meta_graph=False)))
            times["read"].append(timed(lambda: read_plain(folder / "plain", arrays)))
            times["restore"].append(timed(lambda: saver.restore(session, folder / "model")))
    best = {name: min(found[1:]) for name, found in times.items()}  # the first round compiles the checksum
    for ours, plain in (("save", "write"), ("restore", "read")):
        ratio = best[ours] / best[plain]
        print(f"| {ours} 1 GiB | {best[ours]:.3f} s | {best[plain]:.3f} s | {ratio:.2f} |")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
