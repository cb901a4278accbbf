"""Random calls of what no other fuzz reaches, beside TensorFlow: mathematics, movements, matrices, signals, strings,
sparse tensors, losses, metrics, distributions, images, assertions, runs in parts. TensorFlow's side is the same text:

    python -m tests.fuzz.random_calls 0 40 tests/fuzz/random_calls.json

A call gives arrays, with the shapes that are known before the run, or that it is refused.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from . import array_calls, elementwise_calls, model_calls, text_calls, wider_calls
from .call_operands import Operands, Rng

CALLS: dict[str, Callable[[Operands], list[Any]]] = {
    call.__name__: call for call in (
        elementwise_calls.of_one, elementwise_calls.of_two, elementwise_calls.over_axes, elementwise_calls.by_number,
        elementwise_calls.histograms_and_order, array_calls.movements, array_calls.slices, array_calls.gathers,
        array_calls.diagonals, array_calls.matrices, array_calls.signals, text_calls.strings,
        text_calls.sparse_tensors, text_calls.edits,
        model_calls.losses, model_calls.metrics, model_calls.distributions_of_all_kinds, model_calls.functions_of_nn,
        model_calls.images, wider_calls.assertions, wider_calls.initial_values, wider_calls.partial_runs,
        wider_calls.brain_floats, wider_calls.counted_segments, wider_calls.images_of_any_rank,
        wider_calls.deep_pictures, wider_calls.truncated_floats, wider_calls.borders_of_any_rank, wider_calls.triangles,
    )
}  # fmt: skip

TOLERANCE = {"bfloat16": 1e-2, "float16": 4e-3, "float32": 2e-4, "complex64": 2e-4, "float64": 1e-7, "complex128": 1e-7}


def answer(tf: Any, name: str, seed: int) -> list[Any] | str:
    """What one call gives: lists of (dtype, known shape, shape, elements), or that it is refused, and why."""
    with warnings.catch_warnings(), np.errstate(all="ignore"), tf.Graph().as_default(), tf.Session() as session:
        warnings.simplefilter("ignore")
        operands = Operands(tf, Rng(seed))
        try:
            fetches = [tf.convert_to_tensor(each) for each in CALLS[name](operands)]
        except (tf.errors.OpError, ValueError, TypeError) as error:
            return f"refused: {error}"[:200]
        try:
            for each in operands.before:
                session.run(each, operands.feeds)
            arrays = [np.asarray(each) for each in session.run(fetches, operands.feeds)]
        except (tf.errors.OpError, ValueError, TypeError) as error:
            return f"refused in a run: {error}"[:200]
    shapes = [each.shape.as_list() if each.shape.rank is not None else None for each in fetches]
    return [
        [fetch.dtype.name, shape, list(array.shape), _elements(array)]
        for fetch, shape, array in zip(fetches, shapes, arrays, strict=True)
    ]


def _elements(array: Any) -> list[Any]:
    flat = array.reshape(-1)
    if array.dtype.kind in "OS":
        return [each.hex() if isinstance(each, bytes) else str(each) for each in flat]
    if array.dtype.kind == "c":
        return [float(f"{part:.9g}") for each in flat.tolist() for part in (each.real, each.imag)]
    if array.dtype.kind not in "biu":
        return [float(f"{float(each):.9g}") for each in flat.tolist()]
    return list(flat.tolist())


def complaint(ours: list[Any] | str, theirs: list[Any] | str) -> str | None:
    """What differs between two answers: floats may be rounded otherwise, shapes known better; None if nothing does.

    TensorFlow refuses some calls because a kernel or a gradient is missing, so that an answer here alone is not told.
    """
    if isinstance(theirs, str):
        return None
    if isinstance(ours, str):
        return "refused here alone"
    if len(ours) != len(theirs):
        return "numbers of results"
    for place, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        if a[0] != b[0]:
            return f"dtype of {place}: {a[0]} and {b[0]}"
        if a[2] != b[2]:
            return f"shape of {place}: {a[2]} and {b[2]}"
        if not _fits(a[1], a[2]):
            return f"known shape of {place}: {a[1]}, which is {a[2]}"
        if a[0] not in TOLERANCE:
            if a[3] != b[3]:
                return f"elements of {place}"
            continue
        x, y, tolerance = np.array(a[3], "f8"), np.array(b[3], "f8"), TOLERANCE[a[0]]
        scale = np.max(np.abs(y[np.isfinite(y)]), initial=1.0)
        if not np.allclose(x, y, tolerance, tolerance * min(scale, 1e3), equal_nan=True):
            return f"elements of {place}"
    return None


def _fits(known: list[int | None] | None, shape: list[int]) -> bool:
    return known is None or (
        len(known) == len(shape) and all(a is None or a == b for a, b in zip(known, shape, strict=True))
    )


def _theirs(tf: Any, name: str, seed: int) -> list[Any] | str:
    """TensorFlow's answer; its errors are of any class."""
    try:
        return answer(tf, name, seed)
    except Exception as error:
        return f"refused: {type(error).__name__}: {error}"[:200]


def main() -> None:
    """TensorFlow's side: write what it gives to a file."""
    tf = import_module("tensorflow").compat.v1
    tf.disable_eager_execution()
    first, count, path, *names = sys.argv[1:]
    seeds = range(int(first), int(first) + int(count))
    answers = {name: {str(seed): _theirs(tf, name, seed) for seed in seeds} for name in names or CALLS}
    lines = ",\n".join(f'"{name}": {{\n' + ",\n".join(f'"{seed}": {json.dumps(each)}' for seed, each in calls.items())
                       + "\n}" for name, calls in answers.items())  # fmt: skip
    with open(path, "w") as file:
        file.write("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main()
