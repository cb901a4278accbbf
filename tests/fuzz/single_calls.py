"""Random calls of ops whose answers TensorFlow still gives, some of them wrong. The same text calls TensorFlow's:

    python -m tests.fuzz.single_calls 0 40 tests/fuzz/single_calls.json

A call gives arrays, or that it is refused.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

Rng = np.random.RandomState


def ctc_beam_search_decoder(tf: Any, rng: Rng) -> list[Any]:
    """Logits of every dtype and spread, beams narrow and wide, some asked for more paths than there are."""
    steps, batch, classes = int(rng.randint(1, 9)), int(rng.randint(1, 4)), int(rng.randint(2, 6))
    logits = (rng.randn(steps, batch, classes) * rng.choice([0.3, 1.0, 4.0])).astype(["f4", "f8"][rng.randint(2)])
    lengths = rng.randint(0, steps + 1, batch) if rng.rand() < 0.3 else rng.randint(min(2, steps), steps + 1, batch)
    paths = int(rng.randint(1, 4))
    width = int(rng.choice([1, 2, 3, 5, 10, 100]))
    decoded, scores = tf.nn.ctc_beam_search_decoder(
        logits, lengths.astype("i4"), beam_width=width, top_paths=paths, merge_repeated=bool(rng.randint(2))
    )
    return [*(part for each in decoded for part in (each.indices, each.values, each.dense_shape)), scores]


def mutable_hash_table(tf: Any, rng: Rng) -> list[Any]:
    """A table into which keys are put, and from which they are removed, step by step; some values do not fit."""
    pairs = [(tf.string, tf.int64), (tf.string, tf.float32), (tf.int64, tf.float32), (tf.int64, tf.string)]
    kind, dtype = pairs[rng.randint(4)]  # those that TensorFlow has kernels for
    shape = [[], [], [2]][rng.randint(3)]

    def keys() -> Any:
        numbers = rng.randint(0, 6, [int(rng.randint(0, 4))] if rng.rand() < 0.8 else [2, int(rng.randint(1, 3))])
        if kind != tf.string:
            return tf.constant(numbers, kind)
        return tf.constant(np.array([b"%d" % n for n in numbers.flat], object).reshape(numbers.shape), tf.string)

    def values(sizes: Any) -> Any:
        numbers = rng.randint(-9, 9, sizes)
        if dtype != tf.string:
            return tf.constant(numbers, dtype)
        return tf.constant(np.array([b"%d" % n for n in numbers.flat], object).reshape(numbers.shape), tf.string)

    table = tf.lookup.experimental.MutableHashTable(kind, dtype, values(shape))
    outputs: list[Any] = []
    done: list[Any] = []
    for _ in range(int(rng.randint(1, 6))):
        with tf.control_dependencies(done):
            step, given = int(rng.randint(4)), keys()
            if step == 0:
                done = [table.remove(given)]
            elif step == 1:
                outputs.append(table.lookup(given))
                done = [outputs[-1].op]
            else:
                sizes = [*given.shape.as_list(), *shape]
                if rng.rand() < 0.05:
                    sizes = [*sizes, 1]
                fed = tf.placeholder_with_default(values(sizes), None)
                done = [table.insert(given, fed)]
    with tf.control_dependencies(done):
        every = tf.constant(np.arange(8), kind) if kind != tf.string else tf.as_string(tf.constant(np.arange(8)))
        return [*outputs, table.lookup(every), table.size()]


CALLS: dict[str, Callable[[Any, Rng], list[Any]]] = {
    call.__name__: call for call in (ctc_beam_search_decoder, mutable_hash_table)
}  # fmt: skip


def answer(tf: Any, name: str, seed: int) -> list[Any] | str:
    """What one call gives: lists of (dtype, shape, elements), or "refused".

    Args:
        tf: `tensorflow.compat.v1` or `penstock.compat.v1`.
        name: a key of `CALLS`.
        seed: the call.
    """
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            fetches = CALLS[name](tf, Rng(seed))
            arrays = [np.asarray(each) for each in session.run(fetches)]
        except (tf.errors.OpError, ValueError):
            return "refused"
    return [[each.dtype.str, list(each.shape), _elements(each)] for each in arrays]


def _elements(array: Any) -> list[Any]:
    flat = array.reshape(-1)
    if array.dtype.kind == "O":
        return [each.hex() for each in flat]
    if array.dtype.kind == "f":
        return [float(f"{each:.9g}") for each in flat.tolist()]
    return list(flat.tolist())


def same(ours: list[Any] | str, theirs: list[Any] | str, tolerance: float = 2e-5) -> bool:
    """Whether two answers agree, floats up to rounding."""
    if isinstance(ours, str) or isinstance(theirs, str):
        return ours == theirs
    if [each[:2] for each in ours] != [each[:2] for each in theirs]:
        return False
    return all(
        np.allclose(a[2], b[2], tolerance, tolerance, equal_nan=True) if a[0][1] == "f" else a[2] == b[2]
        for a, b in zip(ours, theirs, strict=True)
    )


def main() -> None:
    """TensorFlow's side: write what it gives to a file."""
    tf = import_module("tensorflow").compat.v1
    first, count, path, *names = sys.argv[1:]
    seeds = range(int(first), int(first) + int(count))
    found = {name: {str(seed): answer(tf, name, seed) for seed in seeds} for name in names or CALLS}
    lines = ",\n".join(f'"{name}": {{\n' + ",\n".join(f'"{seed}": {json.dumps(each)}' for seed, each in calls.items())
                       + "\n}" for name, calls in found.items())  # fmt: skip
    with open(path, "w") as file:
        file.write("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main()
