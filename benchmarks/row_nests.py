"""Normalisations, reductions, partitions and stitches as multiples of a copy of the same bytes, on one thread.

    taskset -c 1 python -m benchmarks.row_nests                     Penstock
    taskset -c 1 python -m benchmarks.row_nests --engine jax        JAX, in an environment that has it
    taskset -c 1 python -m benchmarks.row_nests layer softmax       cases whose names hold one of these

CPU time in us, the least and the median of rounds in which all cases and the copy take turns.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from statistics import median
from time import process_time
from typing import Any, Final

import numpy as np

Array = np.ndarray[Any, Any]
Formula = Callable[..., Any]
"""(the functions of an engine, the arrays) -> what is computed."""
ROWS, WIDTH, LONG = 1000, 1000, 10_000_000
SECONDS: Final = 0.006
"""How long a case runs in a round."""


def softmax(f: Any, x: Any) -> Any:
    """Written by hand."""
    e = f.exp(x - f.max(x, 1))
    return e / f.sum(e, 1)


def layer_norm(f: Any, x: Any, gain: Any, offset: Any) -> Any:
    """Rows of mean 0 and spread 1, then scaled and moved."""
    distance = x - f.mean(x, 1)
    return distance / f.sqrt(f.mean(distance * distance, 1) + 1e-5) * gain + offset


def layer_norm_backward(f: Any, x: Any, dy: Any, gain: Any, mean: Any, spread: Any) -> Any:
    """The gradients for x, gain and offset, from the mean and the spread that the forward pass has kept."""
    h, w = (x - mean) / spread, dy * gain
    dx = (w - f.mean(w, 1) - h * f.mean(w * h, 1)) / spread
    return [dx, f.columns(dy * h), f.columns(dy)]


def moments(f: Any, x: Any) -> Any:
    """Mean and variance of each row."""
    mean = f.mean(x, 1)
    return [mean, f.mean((x - mean) * (x - mean), 1)]


def l2_normalize(f: Any, x: Any) -> Any:
    """Rows of length 1."""
    return x / f.sqrt(f.sum(x * x, 1) + 1e-12)


FORMULAS: Final[dict[str, tuple[Formula, str]]] = {
    "softmax by hand": (softmax, "x"),
    "layer norm": (layer_norm, "x gain offset"),
    "layer norm, backward": (layer_norm_backward, "x dy gain mean spread"),
    "layer norm, its gradients": (lambda f, x, gain, offset, dy: f.gradients(
        lambda *of: layer_norm(f, *of), [x, gain, offset], dy), "x gain offset dy"),
    "moments of rows": (moments, "x"),
    "l2 normalisation": (l2_normalize, "x"),
    "sum(x * x, 0)": (lambda f, x: f.columns(x * x), "x"),
}  # fmt: skip


def arrays() -> dict[str, Array]:
    """The same numbers for both engines."""
    rng = np.random.default_rng(0)
    x, dy = (rng.standard_normal((ROWS, WIDTH), np.float32) for _ in range(2))
    gain, offset = (rng.standard_normal(WIDTH, np.float32) for _ in range(2))
    return {"x": x, "dy": dy, "gain": gain, "offset": offset, "mean": x.mean(1, keepdims=True),
            "spread": x.std(1, keepdims=True)}  # fmt: skip


class Penstock:
    """The functions, and how a case is called."""

    def __init__(self) -> None:
        import penstock as tf
        from penstock.config import jit

        self.tf, self.jit = tf, jit
        self.exp, self.sqrt = tf.exp, tf.sqrt

    def sum(self, x: Any, axis: int) -> Any:
        """The sums of an axis, which stays."""
        return self.tf.reduce_sum(x, axis, keepdims=True)

    def mean(self, x: Any, axis: int) -> Any:
        """The means of an axis, which stays."""
        return self.tf.reduce_mean(x, axis, keepdims=True)

    def max(self, x: Any, axis: int) -> Any:
        """The largest of an axis, which stays."""
        return self.tf.reduce_max(x, axis, keepdims=True)

    def columns(self, x: Any) -> Any:
        """The sums of the columns."""
        return self.tf.reduce_sum(x, 0)

    def gradients(self, of: Formula, xs: Sequence[Any], dy: Any) -> Any:
        """The gradients of a formula."""
        return self.tf.gradients(of(*xs), list(xs), dy)

    def call(self, formula: Formula, values: Sequence[Array]) -> Callable[[], Any]:
        """A call on these arrays whose code is compiled."""
        tf = self.tf
        with tf.Graph().as_default() as graph:
            fed = [tf.placeholder(value.dtype, value.shape) for value in values]
            fetched = formula(self, *fed)
        run = tf.Session(graph=graph, config=tf.SessionConfig(threads=1)).make_callable(fetched, feed_list=fed)
        for _ in range(60 if values[0].size < LONG // 8 else 4):
            run(*values)
        self.jit.wait()
        return lambda: run(*values)


class Jax:
    """The same of JAX, compiled for these shapes."""

    def __init__(self) -> None:
        jax: Any = import_module("jax")
        jax.config.update("jax_platforms", "cpu")
        self.jax = jax
        self.exp, self.sqrt = jax.numpy.exp, jax.numpy.sqrt

    def sum(self, x: Any, axis: int) -> Any:
        """See `Penstock`."""
        return self.jax.numpy.sum(x, axis, keepdims=True)

    def mean(self, x: Any, axis: int) -> Any:
        """See `Penstock`."""
        return self.jax.numpy.mean(x, axis, keepdims=True)

    def max(self, x: Any, axis: int) -> Any:
        """See `Penstock`."""
        return self.jax.numpy.max(x, axis, keepdims=True)

    def columns(self, x: Any) -> Any:
        """See `Penstock`."""
        return self.jax.numpy.sum(x, 0)

    def gradients(self, of: Formula, xs: Sequence[Any], dy: Any) -> Any:
        """See `Penstock`."""
        return self.jax.vjp(of, *xs)[1](dy)

    def call(self, formula: Formula, values: Sequence[Array]) -> Callable[[], Any]:
        """A compiled call on these arrays."""
        there = [self.jax.device_put(value) for value in values]
        run = self.jax.jit(lambda *of: formula(self, *of)).lower(*there).compile()
        return lambda: self.jax.block_until_ready(run(*there))


def of_rows(engine: Any, wanted: Callable[[str], bool]) -> dict[str, Callable[[], Any]]:
    """The formulas on 1,000 rows of 1,000 float32."""
    known = arrays()
    return {name: engine.call(formula, [known[word] for word in words.split()])
            for name, (formula, words) in FORMULAS.items() if wanted(name)}  # fmt: skip


def of_parts(engine: Penstock, parts: int, wanted: Callable[[str], bool]) -> dict[str, Callable[[], Any]]:
    """A partition of 1e7 float32 and the stitch of its parts."""
    if not (wanted(f"partition into {parts}") or wanted(f"stitch of {parts}")):
        return {}
    tf, rng = engine.tf, np.random.default_rng(parts)
    x, labels = rng.standard_normal(LONG, np.float32), rng.integers(0, parts, LONG).astype(np.int32)
    order, cuts = np.argsort(labels, kind="stable").astype(np.int32), np.cumsum(np.bincount(labels, minlength=parts))
    places = [place.copy() for place in np.split(order, cuts[:-1])]
    calls: dict[str, Callable[[], Any]] = {}
    if wanted(f"partition into {parts}"):
        calls[f"partition into {parts}"] = engine.call(lambda f, *a: tf.dynamic_partition(*a, parts), [x, labels])
    if wanted(f"stitch of {parts}"):
        values = [*places, *[x[place] for place in places]]
        calls[f"stitch of {parts}"] = engine.call(
            lambda f, *a: tf.dynamic_stitch(list(a[:parts]), list(a[parts:])), values)  # fmt: skip
    return calls


def measured(calls: dict[str, Callable[[], Any]], size: int, rounds: int) -> list[str]:
    """Lines of a table: each call beside a copy of `size` float32, all in turns."""
    source = np.random.default_rng(1).standard_normal(size, np.float32)
    target = np.empty_like(source)
    every = {"copy": lambda: np.copyto(target, source), **calls}
    often = {name: max(1, int(SECONDS / max(seconds(call, 2), 1e-6))) for name, call in every.items()}
    times: dict[str, list[float]] = {name: [] for name in every}
    for _ in range(rounds):
        for name, call in every.items():
            times[name].append(1e6 * seconds(call, often[name]))
    least, middle = min(times["copy"]), median(times["copy"])
    return [f"{name:28} {min(own):8.0f} ({min(own) / least:5.2f}) {median(own):8.0f} ({median(own) / middle:5.2f})"
            for name, own in times.items()]  # fmt: skip


def seconds(call: Callable[[], Any], times: int) -> float:
    """CPU seconds of a call that follows another one, so that its operands are in the caches that hold them."""
    call()
    start = process_time()
    for _ in range(times):
        call()
    return (process_time() - start) / times


def main(arguments: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.row_nests", description=__doc__)
    parser.add_argument("words", nargs="*", help="cases whose names hold one of these; all by default")
    parser.add_argument("--engine", choices=("penstock", "jax"), default="penstock")
    parser.add_argument("--rounds", type=int, default=15)
    chosen = parser.parse_args(arguments)

    def wanted(name: str) -> bool:
        return not chosen.words or any(word in name for word in chosen.words)

    engine: Any = Penstock() if chosen.engine == "penstock" else Jax()
    calls = of_rows(engine, wanted)
    if calls:
        print(f"{ROWS} x {WIDTH} float32, CPU us: the least (copies), the median (copies)")
        print("\n".join(measured(calls, ROWS * WIDTH, chosen.rounds)), flush=True)
    if isinstance(engine, Penstock):
        for parts in (2, 16, 1000):
            calls = of_parts(engine, parts, wanted)
            if calls:
                print("\n".join(["1e7 float32", *measured(calls, LONG, chosen.rounds)]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
