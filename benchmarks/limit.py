"""The limit of the machine for a case's bytes: a C loop, compiled where it runs, that reads and writes the fewest."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from .engine import Array, Run

SOURCE = Path(__file__).with_name("move.c")
CHUNK = 16384  # bytes: half of a first-level cache


class NoCompiler(Exception):
    """There is no gcc, so there is no limit to compare with."""


def compiled() -> ctypes.CDLL:
    """The loop, from a folder that is gone when this returns."""
    compiler = shutil.which("gcc")
    if compiler is None:
        raise NoCompiler("no gcc to compile the loop with")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "move.so"
        command = [compiler, "-O3", "-march=native", "-shared", "-fPIC", "-o", str(target), str(SOURCE)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NoCompiler(f"gcc refused the loop: {done.stderr.strip()[:200]}")
        return ctypes.CDLL(str(target))


def mover(library: ctypes.CDLL, reads: list[int], writes: int) -> Run:
    """A call that reads buffers of `reads` bytes and writes one of `writes` bytes."""
    sources = [np.ones(max(size // 8, 1), np.uint64) for size in reads]
    target: Array = np.ones(max(writes // 8, 1), np.uint64)
    pointers = (ctypes.c_void_p * len(sources))(*[source.ctypes.data for source in sources])
    words = (ctypes.c_size_t * len(sources))(*[size // 8 for size in reads])
    chunks = max((sum(reads) + writes) // CHUNK, 1)
    move = library.move
    move.argtypes = [
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_size_t,
        ctypes.c_void_p,
        ctypes.c_size_t,
        ctypes.c_size_t,
    ]
    move.restype = ctypes.c_uint64
    owned = (sources, target)  # the pointers are of these arrays, which must live as long as the call

    def run() -> object:
        move(pointers, words, len(sources), target.ctypes.data, writes // 8, chunks)
        return owned

    return run


def size_of(array: Array) -> int:
    """Bytes of an array; of an array of texts, the texts and their pointers."""
    if array.dtype != object:
        return array.nbytes
    return array.nbytes + sum(len(text) for text in array.ravel())
