"""Calls of random ops whose results are recorded from TensorFlow (`record_random.py`) and compared with Penstock's.

A call is made as `PKG.<function>(**arguments)` of `tf.compat.v1`, in a graph of its own with the graph seed given, and
run three times in one session.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

LONG = 20_000
"""Results with more elements are recorded as their digest, or (normal numbers) as every 97th element."""


@dataclass(frozen=True)
class RandomCall:
    """One call.

    Attributes:
        name: its key in the file.
        function: the name in `tf.compat.v1`; a dotted name is that of `tf.nn` or another module.
        arguments: by name.
        graph_seed: None for none.
    """

    name: str
    function: str
    arguments: dict[str, Any] = field(default_factory=dict)
    graph_seed: int | None = None


FLOATS = ("float16", "bfloat16", "float32", "float64")
SHAPES: tuple[list[int], ...] = ([0], [], [1], [2], [3], [4], [5], [7], [3, 5], [2, 0, 3], [255], [1001])
SEEDS = ((None, 0), (None, 1), (None, -1), (None, 2**31 - 1), (None, 2**40 + 3), (0, 0), (7, 9), (-3, 5), (42, 0))


def calls() -> Iterator[RandomCall]:
    """All calls, in a fixed order."""
    for function in ("random_uniform", "random_normal", "truncated_normal"):
        for dtype in FLOATS:
            for shape in SHAPES:
                label = "x".join(map(str, shape)) or "scalar"
                yield RandomCall(f"{function}/{dtype}/{label}", function, {"shape": shape, "dtype": dtype, "seed": 7})
        for graph_seed, seed in SEEDS:
            arguments = {"shape": [9], "seed": seed}
            yield RandomCall(f"{function}/seeds {graph_seed} {seed}", function, arguments, graph_seed)
        yield RandomCall(f"{function}/graph seed alone", function, {"shape": [9]}, 42)
        for dtype in ("float32", "float64"):
            yield RandomCall(f"{function}/long {dtype}", function, {"shape": [300_001], "dtype": dtype, "seed": 3})
    for dtype in ("float16", "bfloat16", "float32", "float64"):
        scaled = {"shape": [4, 5], "dtype": dtype, "seed": 11}
        yield RandomCall(f"random_uniform/{dtype}/-1 to 3", "random_uniform", {**scaled, "minval": -1, "maxval": 3})
        yield RandomCall(f"random_uniform/{dtype}/0 to 3", "random_uniform", {**scaled, "minval": 0, "maxval": 3})
        yield RandomCall(f"random_normal/{dtype}/scaled", "random_normal", {**scaled, "mean": 10.0, "stddev": 0.5})
        wide = {**scaled, "mean": -1.0, "stddev": 3.0}
        yield RandomCall(f"truncated_normal/{dtype}/scaled", "truncated_normal", wide)
    ranges = {
        "int32": ((0, 10), (-5, 1000003), (-(2**31), 2**31 - 1), (7, 8), (-100, -50)),
        "int64": ((0, 10), (-5, 1000003), (-(2**63), 2**63 - 1), (-(2**40), 2**41 + 1)),
    }
    for dtype, bounds in ranges.items():
        for low, high in bounds:
            for shape in ([0], [], [7], [1001]):
                label = "x".join(map(str, shape)) or "scalar"
                arguments = {"shape": shape, "minval": low, "maxval": high, "dtype": dtype, "seed": 7}
                yield RandomCall(f"random_uniform/{dtype}/{low} to {high}/{label}", "random_uniform", arguments)
        arguments = {"shape": [300_001], "minval": -7, "maxval": 1000, "dtype": dtype, "seed": 3}
        yield RandomCall(f"random_uniform/long {dtype}", "random_uniform", arguments)
    yield from _of_tensors()


def _of_tensors() -> Iterator[RandomCall]:
    for count in (0, 1, 2, 3, 5, 6, 1000, 30_000):
        value = np.arange(count, dtype=np.int32)
        yield RandomCall(f"random_shuffle/{count}", "random_shuffle", {"value": value, "seed": 5})
    matrix = np.arange(26, dtype=np.float32).reshape(13, 2)
    yield RandomCall("random_shuffle/13x2", "random_shuffle", {"value": matrix, "seed": 5})
    yield RandomCall("random_shuffle/scalar", "random_shuffle", {"value": np.float32(2), "seed": 5})
    yield RandomCall("random_shuffle/4x0", "random_shuffle", {"value": np.zeros((4, 0), "f4"), "seed": 5})
    for size in ([2, 2], [5, 1], [1, 7], [5, 7]):
        table = np.arange(35, dtype=np.int32).reshape(5, 7)
        yield RandomCall(f"random_crop/{size}", "random_crop", {"value": table, "size": size, "seed": 5})
    logits = np.array([[0.0, 1.0, 2.0, -1.0], [-np.inf, 0.0, np.nan, 1.0], [50.0, -50.0, 49.0, 3.0]])
    for dtype in ("float16", "float32", "float64"):
        for count in (0, 1, 7, 100):
            for output in ("int32", "int64"):
                arguments = {"logits": logits.astype(dtype), "num_samples": count, "seed": 5, "output_dtype": output}
                yield RandomCall(f"multinomial/{dtype}/{count}/{output}", "multinomial", arguments)
    arguments = {"logits": np.zeros((1, 1), "f4"), "num_samples": 5, "seed": 5}
    yield RandomCall("multinomial/one class", "multinomial", arguments)
    for dtype in ("float16", "float32", "float64"):
        for label, shape, alpha, beta in (
            ("vector", [5], [0.01, 0.5, 1.0, 1.5, 20.0], None), ("scalar", [], 2.5, None), ("one", [7], 1.0, 2.0),
            ("broadcast", [2, 3], [[1.0], [0.3]], [1.0, 2.0, 0.5]), ("many", [700], [0.9, 1.1], 3.0),
            ("none", [0], [1.0, 2.0], None),
        ):  # fmt: skip
            arguments = {"shape": shape, "alpha": alpha, "beta": beta, "dtype": dtype, "seed": 5}
            yield RandomCall(f"random_gamma/{dtype}/{label}", "random_gamma", arguments)
    for dtype in ("float16", "float32", "float64"):
        x = (np.arange(28) - 10.0).astype(dtype).reshape(4, 7)
        kinds: tuple[tuple[str, dict[str, Any]], ...] = (
            ("keep 0.8", {"keep_prob": 0.8}), ("rate 0.3", {"rate": 0.3}), ("keep 1", {"keep_prob": 1.0}),
            ("rate 0.9, rows", {"rate": 0.9, "noise_shape": [4, 1]}),
            ("rate 0.5, columns", {"rate": 0.5, "noise_shape": [None, 7]}),
        )  # fmt: skip
        for label, arguments in kinds:
            yield RandomCall(f"dropout/{dtype}/{label}", "nn.dropout", {"x": x, "seed": 5, **arguments})
    yield from _poisson_calls()
    yield from _stateless_calls()
    special = np.array([np.inf, -np.inf, np.nan, -0.0, 1.0] * 8, np.float32)
    yield RandomCall("dropout/special", "nn.dropout", {"x": special, "seed": 5, "rate": 0.5})


def _poisson_calls() -> Iterator[RandomCall]:
    rates: dict[str, Any] = {
        "low": [0.0, 0.5, 3.0, 9.75], "high": [[10.0], [11.5], [75.0], [1e4]], "one": 4.0, "none": np.zeros((0, 2)),
        "special": [np.inf, 2.0, -1.0],
    }  # fmt: skip
    for label, rate in rates.items():
        for dtype in ("float16", "float32", "float64", "int32", "int64"):
            if label != "special" or dtype.startswith("float"):
                arguments = {"lam": np.array(rate, np.float32), "shape": [3, 2], "dtype": dtype, "seed": 5}
                yield RandomCall(f"random_poisson/{dtype}/{label}", "random_poisson", arguments)
    for dtype in ("float16", "float64", "int32", "int64"):
        arguments = {"lam": np.array([2, 30], dtype), "shape": [4], "seed": 9}
        yield RandomCall(f"random_poisson/rates {dtype}", "random_poisson", arguments)


def _stateless_calls() -> Iterator[RandomCall]:
    seeds: tuple[Any, ...] = ([0, 0], [7, 8], [-1, 2**31 - 1], np.array([2**40, -(2**35)]))
    for kind in ("uniform", "normal", "truncated_normal"):
        for number, seed in enumerate(seeds):
            for dtype in FLOATS:
                arguments = {"shape": [3, 5], "seed": seed, "dtype": dtype}
                yield RandomCall(f"stateless_{kind}/{dtype}/{number}", f"random.stateless_{kind}", arguments)
    for number, seed in enumerate(seeds):
        for dtype in ("int32", "int64"):
            arguments = {"shape": [7], "seed": seed, "minval": -5, "maxval": 1000, "dtype": dtype}
            yield RandomCall(f"stateless_uniform/{dtype}/{number}", "random.stateless_uniform", arguments)
        logits = np.array([[0.0, 1.0, -2.0], [5.0, 0.5, 0.5]], np.float32)
        for function in ("stateless_categorical", "stateless_multinomial"):
            arguments = {"logits": logits, "num_samples": 9, "seed": seed}
            yield RandomCall(f"{function}/{number}", f"random.{function}", arguments)
    scaled = {"shape": [4], "seed": [3, 4]}
    yield RandomCall("stateless_uniform/scaled", "random.stateless_uniform", {**scaled, "minval": -1.0, "maxval": 3.0})
    yield RandomCall("stateless_normal/scaled", "random.stateless_normal", {**scaled, "mean": 10.0, "stddev": 0.5})
