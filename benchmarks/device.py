"""How near to a GPU's copy bandwidth does each engine come? `python -m benchmarks --device gpu`.

Inputs lie on the GPU before timing and results stay there. A figure is the median of device-event times over `rounds`
interleaved rounds; every result is verified against NumPy at a small size first. Each case is shown in milliseconds and
as a share of the measured bandwidth of a device-to-device copy, for the bytes that must be read and written.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import penstock as tf

from .engine import Array, Engine
from .engines import engine
from .families import elementwise, pipeline

Inputs = Callable[[np.random.Generator, int], list[Array]]
Timer = Callable[[Callable[[], Any]], float]


@dataclass(frozen=True, slots=True)
class DeviceCase:
    """A program, its inputs for a number of elements, and the bytes an element must move, read and written."""

    name: str
    inputs: Inputs
    program: Callable[..., Any]
    bytes: float


def floats(rng: np.random.Generator, *shape: int) -> Array:
    """float32 in [0.5, 1)."""
    values: Array = rng.random(shape, np.float32) * np.float32(0.5) + np.float32(0.5)
    return values


def _labels(parts: int) -> Inputs:
    return lambda rng, n: [floats(rng, n), rng.integers(0, parts, n, np.int32)]


def _rows(rng: np.random.Generator, n: int) -> list[Array]:
    rows = max(1, n // 16)
    return [floats(rng, rows, 16), rng.permutation(rows).astype(np.int32)]


def _vectors(rng: np.random.Generator, n: int) -> list[Array]:
    rows, index = _rows(rng, n)
    return [rows, index[:, None]]


def _square(rng: np.random.Generator, n: int) -> list[Array]:
    side = max(2, int(n**0.5))
    return [floats(rng, side, side)]


def _image(rng: np.random.Generator, n: int) -> list[Array]:
    side = max(2, int((n / 96) ** 0.5))
    return [floats(rng, 32, side, side, 3)]


def _halves(rng: np.random.Generator, n: int) -> list[Array]:
    rows = max(2, n // 16)
    mask = rng.random(rows) < 0.5
    places = np.flatnonzero(mask).astype(np.int32), np.flatnonzero(~mask).astype(np.int32)
    return [*places, *(floats(rng, len(p), 16) for p in places)]


def _matrix(rng: np.random.Generator, n: int) -> list[Array]:
    side = max(2, int(n**0.5))
    return [floats(rng, side, side), floats(rng, side), floats(rng, side, 1)]


def _small(rng: np.random.Generator, n: int) -> list[Array]:
    return [floats(rng, 10_000), floats(rng, 10_000)]


def thousand(_: Engine, x: Any, y: Any) -> Any:
    """A graph of 1000 nodes that are not one group: every tenth is a reversal, which ends one."""
    t = x
    for _round in range(100):
        t = _.reverse(t, 0)
        for _step in range(4):
            t = t * y + x
        t = t - x
    return t


CASES = (
    DeviceCase("chain of 10", lambda r, n: [floats(r, n), floats(r, n)], elementwise.chain, 12),
    DeviceCase("polynomial", lambda r, n: [floats(r, n)], elementwise.polynomial, 8),
    DeviceCase("exp tanh sigmoid", lambda r, n: [floats(r, n), floats(r, n)], elementwise.transcendental, 12),
    DeviceCase("row and column", _matrix, elementwise.broadcast, 8),
    DeviceCase("compare select cast", lambda r, n: [floats(r, n), floats(r, n)], elementwise.select("float64"), 16),
    DeviceCase("sum of rows", lambda r, n: [floats(r, n // 1000 or 1, 1000)] * 2, elementwise.sum_rows, 8),
    DeviceCase("partition into 2", _labels(2), lambda e, x, p: e.partition(x, p, 2), 12),
    DeviceCase("partition into 16", _labels(16), lambda e, x, p: e.partition(x, p, 16), 12),
    DeviceCase("gather rows", _rows, lambda e, x, i: e.gather(x, i), 8.25),
    DeviceCase("scatter rows", _vectors, lambda e, x, i: e.scatter(x, i, x), 16.25),
    DeviceCase("stitch rows", _halves, lambda e, i, j, x, y: e.stitch([i, j], [x, y]), 8.25),
    DeviceCase("transpose", _square, lambda e, x: e.transpose(x, [1, 0]), 8),
    DeviceCase("NHWC to NCHW", _image, lambda e, x: e.transpose(x, [0, 3, 1, 2]), 8),
    DeviceCase("pad", _square, lambda e, x: e.pad(x, [[1, 1], [2, 2]]), 8),
    DeviceCase("concat", lambda r, n: [floats(r, n // 2), floats(r, n // 2)], lambda e, *x: e.concat(list(x), 0), 8),
    DeviceCase("the page's pipeline", lambda r, n: [floats(r, n)], pipeline.add_one_where, 8),
    DeviceCase("1000 nodes of 1e4", _small, thousand, 0),
    DeviceCase("one small op", lambda r, n: [floats(r, 10)], lambda e, x: x + x, 0),
)
PEERS = ("jax", "torch")


def ready(name: str, made: Engine, case: DeviceCase, inputs: Sequence[Array], cupy: Any) -> Callable[[], Any]:
    """A call of the case by an engine, inputs on the GPU."""
    if name == "penstock":
        with tf.Graph().as_default() as graph:
            fed = [tf.placeholder(tf.as_dtype(x.dtype), x.shape) for x in inputs]
            fetches = case.program(made, *fed)
        session = tf.Session(graph=graph, config=tf.SessionConfig(device="gpu"))
        feed = {f: cupy.asarray(x) for f, x in zip(fed, inputs, strict=True)}
        return lambda: session.run(fetches, feed, as_device=True)
    if name == "torch":
        torch = made.torch  # type: ignore[attr-defined]  # its engine's module
        there = [torch.from_numpy(x).cuda() for x in inputs]
        compiled = torch.compile(lambda *xs: case.program(made, *xs))
        return lambda: compiled(*there)
    jax = made.jax  # type: ignore[attr-defined]  # its engine's module
    placed = [jax.device_put(x) for x in inputs]
    traced = jax.jit(lambda *xs: case.program(made, *xs))
    return lambda: jax.block_until_ready(traced(*placed))


def host(result: Any, cupy: Any) -> list[Array]:
    """Results as NumPy arrays."""
    parts = result if isinstance(result, (list, tuple)) else [result]
    return [np.asarray(p.get() if hasattr(p, "get") else p.cpu() if hasattr(p, "cpu") else p) for p in parts]


def copy_bandwidth(cupy: Any, timer: Timer, size: int) -> float:
    """Bytes a second, read and written, of a device-to-device copy."""
    x = cupy.zeros(size // 4, np.float32)
    y = cupy.empty_like(x)

    def copy() -> None:
        cupy.copyto(y, x)

    copy()
    moved: int = 2 * x.nbytes
    return moved / statistics.median([timer(copy) for _ in range(10)])


def event_timer(cupy: Any) -> Timer:
    """Seconds of a call by device events; the host's part is in it where the device waits for the host."""

    def timed(call: Callable[[], Any]) -> float:
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        cupy.cuda.Device().synchronize()
        begin.record()
        call()
        end.record()
        end.synchronize()
        milliseconds: float = cupy.cuda.get_elapsed_time(begin, end)
        return milliseconds / 1e3

    return timed


def measure(cupy: Any, timer: Timer, n: int, rounds: int, words: Sequence[str] = ()) -> list[str]:
    """The table, as lines of Markdown."""
    engines: dict[str, Engine] = {}
    missing = []
    for name in ("penstock", *PEERS):
        try:
            engines[name] = engine(name)
        except ImportError as error:
            missing.append(f"{name} is left out ({error})")
    bandwidth = copy_bandwidth(cupy, timer, 4 * n)
    lines = [f"Copy bandwidth: {bandwidth / 1e12:.2f} TB/s. " + "; ".join(missing), "",
             "| case | " + " | ".join(f"{e} ms | of copy" for e in engines) + " |",
             "|---|" + "---|---|" * len(engines)]  # fmt: skip
    for case in CASES:
        if all(word in case.name for word in words):
            lines.append(_row(case, engines, cupy, timer, n, rounds, bandwidth))
            print(lines[-1], flush=True)
    return lines


def _row(case: DeviceCase, engines: dict[str, Engine], cupy: Any, timer: Timer, n: int, rounds: int,
         bandwidth: float) -> str:  # fmt: skip
    calls: dict[str, Callable[[], Any]] = {}
    wrong: dict[str, str] = {}
    small, large = (case.inputs(np.random.default_rng(0), size) for size in (4096, n))
    want = None
    for name, each in engines.items():
        try:
            got = host(ready(name, each, case, small, cupy)(), cupy)
            want = want or got
            if not all(np.allclose(a, b, rtol=1e-4) for a, b in zip(got, want, strict=True)):
                wrong[name] = "WRONG"
                continue
            calls[name] = ready(name, each, case, large, cupy)
            for _ in range(4):  # compile, warm the pools, capture
                calls[name]()
        except Exception as error:  # a peer without this op is a note, not the end of the table
            wrong[name] = f"{type(error).__name__}: {str(error)[:60]}"
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(timer(call))
    cells = []
    for name in engines:
        if name in wrong:
            cells += [wrong[name], ""]
            continue
        seconds = statistics.median(times[name])
        share = f"{case.bytes * n / seconds / bandwidth:.0%}" if case.bytes else ""
        cells += [f"{seconds * 1e3:.3f}", share]
    return f"| {case.name} | " + " | ".join(cells) + " |"


def main(rounds: int, words: Sequence[str], elements: int = 100_000_000) -> list[str]:
    """Measure on this machine's GPU; a line that says what is missing where there is none."""
    from penstock.runtime.backends import find_backend, missing_reason

    backend = find_backend("gpu")
    if backend is None:
        return [f"No GPU: {missing_reason('gpu')}"]
    cupy = backend.xp
    about = cupy.cuda.runtime.getDeviceProperties(0)
    driver = cupy.cuda.runtime.driverGetVersion()
    head = f"{about['name'].decode()}, CUDA driver {driver}, CuPy {cupy.__version__}; {elements:,} elements of float32"
    print(head, flush=True)
    return [head, "", *measure(cupy, event_timer(cupy), elements, rounds, words)]
