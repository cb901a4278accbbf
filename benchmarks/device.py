"""GPU benchmarks: how near each engine comes to the GPU's copy bandwidth. `python -m benchmarks --device gpu`.

Inputs lie on the GPU before timing and results stay there. A figure is the median of device-event times over `rounds`
interleaved rounds. Every result is verified against NumPy at a small size first, and ours at the full size too. Each
case is shown in milliseconds and as a share of the measured bandwidth of a device-to-device copy, for the bytes that
must be read and written. Nobody need attend: the whole takes `minutes` at most. Peers, whose compiling takes long, are
left out of a case where time is short.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic
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
    DeviceCase("sum of all", lambda r, n: [floats(r, n)] * 2, elementwise.sum_all, 8),
    DeviceCase("partition into 2", _labels(2), lambda e, x, p: e.partition(x, p, 2), 12),
    DeviceCase("partition into 16", _labels(16), lambda e, x, p: e.partition(x, p, 16), 12),
    DeviceCase("gather rows", _rows, lambda e, x, i: e.gather(x, i), 8.25),
    DeviceCase("scatter rows", _vectors, lambda e, x, i: e.scatter(x, i, x), 16.25),
    DeviceCase("stitch rows", _halves, lambda e, i, j, x, y: e.stitch([i, j], [x, y]), 8.25),
    DeviceCase("transpose", _square, lambda e, x: e.transpose(x, [1, 0]), 8),
    DeviceCase("NHWC to NCHW", _image, lambda e, x: e.transpose(x, [0, 3, 1, 2]), 8),
    DeviceCase("pad", _square, lambda e, x: e.pad(x, [[1, 1], [2, 2]]), 8),
    DeviceCase("concat", lambda r, n: [floats(r, n // 2), floats(r, n // 2)], lambda e, *x: e.concat(list(x), 0), 8),
    DeviceCase("split", _rows, lambda e, x, i: e.split(x, 4, 1), 8),
    DeviceCase("the page's pipeline", lambda r, n: pipeline.third_is_minus_one(n)(r), pipeline.add_one_where, 8),
    DeviceCase("1000 nodes of 1e4", _small, thousand, 0),
    DeviceCase("one small op", lambda r, n: [floats(r, 10)], lambda e, x: x + x, 0),
)
PEERS = ("cupy", "jax", "torch")
ELEMENTS, QUICK = 100_000_000, 20_000
"""Elements of an input, and with `--quick`, where only the results count."""
ROUNDS = 5
"""Samples for each round that was asked for: one takes a millisecond."""


def ready(name: str, made: Engine, case: DeviceCase, inputs: Sequence[Array], cupy: Any) -> Callable[[], Any]:
    """A call of the case by an engine, inputs on the GPU."""
    if name == "penstock":
        with tf.Graph().as_default() as graph:
            fed = [tf.placeholder(tf.as_dtype(x.dtype), x.shape) for x in inputs]
            fetches = case.program(made, *fed)
        session = tf.Session(graph=graph, config=tf.SessionConfig(device="gpu"))
        feed = {f: cupy.asarray(x) for f, x in zip(fed, inputs, strict=True)}
        return lambda: session.run(fetches, feed, as_device=True)
    if name == "cupy":
        placed = [cupy.asarray(x) for x in inputs]
        return _fused(cupy, lambda *xs: case.program(made, *xs), placed)
    if name == "torch":
        torch = made.torch  # type: ignore[attr-defined]  # its engine's module
        there = [torch.from_numpy(x).cuda() for x in inputs]
        compiled = torch.compile(lambda *xs: case.program(made, *xs), dynamic=False)
        return lambda: compiled(*there)
    jax = made.jax  # type: ignore[attr-defined]  # its engine's module
    placed = [jax.device_put(x) for x in inputs]
    traced = jax.jit(lambda *xs: case.program(made, *xs))
    return lambda: jax.block_until_ready(traced(*placed))


def _fused(cupy: Any, program: Callable[..., Any], inputs: Sequence[Any]) -> Callable[[], Any]:
    """The program through `cupy.fuse` if that takes it, else as it is."""
    try:
        fused = cupy.fuse()(program)
        got, want = fused(*inputs), program(*inputs)
        if not isinstance(got, (list, tuple)) and bool(cupy.allclose(got, want, rtol=1e-4)):
            return lambda: fused(*inputs)
    except Exception:  # it says in many ways what it does not take
        pass
    return lambda: program(*inputs)


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


def measure(cupy: Any, timer: Timer, n: int, rounds: int, words: Sequence[str] = (), seconds: float = 1e9) -> list[str]:
    """The table, as lines of Markdown."""
    begin = monotonic()
    engines: dict[str, Engine] = {}
    notes = []
    for name in ("penstock", *PEERS):
        try:
            engines[name] = engine(name)
            notes.append(f"{name} {getattr(engines[name], 'version', '')}".strip())
        except ImportError as error:
            notes.append(f"{name} is left out ({error})")
    bandwidth = copy_bandwidth(cupy, timer, 4 * n)
    lines = [f"Copy bandwidth: {bandwidth / 1e12:.2f} TB/s. " + "; ".join(notes), "",
             "| case | " + " | ".join(f"{e} ms | of copy" for e in engines) + " |",
             "|---|" + "---|---|" * len(engines)]  # fmt: skip
    cases = [case for case in CASES if all(word in case.name for word in words)]
    late = []
    for i, case in enumerate(cases):
        spent = monotonic() - begin
        if spent > seconds:
            late.append(case.name)
            continue
        # Who is behind the clock goes on with what must be known; a peer's compiling may take a minute.
        hurried = spent > seconds * (i + 0.5) / len(cases)
        lines.append(_row(case, engines, cupy, timer, n, rounds, bandwidth, hurried))
        print(f"{lines[-1]}  [{monotonic() - begin:.0f} s]", flush=True)
    if late:
        lines += ["", f"Not measured for want of time: {', '.join(late)}."]
    return lines


def _row(case: DeviceCase, engines: dict[str, Engine], cupy: Any, timer: Timer, n: int, rounds: int,
         bandwidth: float, hurried: bool) -> str:  # fmt: skip
    calls: dict[str, Callable[[], Any]] = {}
    words: dict[str, str] = {}
    small, large = (case.inputs(np.random.default_rng(0), size) for size in (4096, n))
    want = with_numpy(case, small)
    for name, each in engines.items():
        if hurried and name in ("jax", "torch"):
            words[name] = "no time"
            continue
        try:
            if not do_agree(host(ready(name, each, case, small, cupy)(), cupy), want):
                words[name] = "WRONG"
                continue
            calls[name] = ready(name, each, case, large, cupy)
            for _ in range(4):  # compile, warm the pools, capture
                result = calls[name]()
            if name == "penstock" and not hurried and not do_agree(host(result, cupy), with_numpy(case, large)):
                words[name] = f"WRONG at {n:,}"
                del calls[name]
            result = None
        except Exception as error:  # a peer without this op is a note, not the end of the table
            words[name] = f"{type(error).__name__}: {str(error).splitlines()[0][:60] if str(error) else ''}"
            calls.pop(name, None)
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds * ROUNDS):
        for name, call in calls.items():
            times[name].append(timer(call))
    calls.clear()
    _free(cupy, engines)
    cells = []
    for name in engines:
        if name in words:
            cells += [words[name], ""]
            continue
        seconds = statistics.median(times[name])
        share = f"{case.bytes * n / seconds / bandwidth:.0%}" if case.bytes else ""
        cells += [f"{seconds * 1e3:.3f}", share]
    return f"| {case.name} | " + " | ".join(cells) + " |"


def with_numpy(case: DeviceCase, inputs: Sequence[Array]) -> list[Array]:
    found = case.program(engine("numpy"), *inputs)
    return [np.asarray(p) for p in (found if isinstance(found, (list, tuple)) else [found])]


def do_agree(got: Sequence[Array], want: Sequence[Array]) -> bool:
    return len(got) == len(want) and all(
        a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-4)) for a, b in zip(got, want, strict=True)
    )


def _free(cupy: Any, engines: dict[str, Engine]) -> None:
    """Give back what engines keep of a case, for the next one and for each other."""
    pool = getattr(cupy, "get_default_memory_pool", None)
    if pool is not None:
        pool().free_all_blocks()
    torch = getattr(engines.get("torch"), "torch", None)
    if torch is not None:
        torch.cuda.empty_cache()


def main(rounds: int, words: Sequence[str], elements: int = ELEMENTS, minutes: float = 8.0) -> list[str]:
    """Measure on this machine's GPU; a line that says what is missing where there is none."""
    from penstock.runtime.backends import find_backend, missing_reason

    backend = find_backend("gpu")
    if backend is None:
        return [f"No GPU: {missing_reason('gpu')}"]
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX would take three quarters of the memory
    cupy = backend.xp
    about = cupy.cuda.runtime.getDeviceProperties(0)
    driver = cupy.cuda.runtime.driverGetVersion()
    head = f"{about['name'].decode()}, CUDA driver {driver}, CuPy {cupy.__version__}; {elements:,} elements of float32"
    print(head, flush=True)
    return [head, "", *measure(cupy, event_timer(cupy), elements, rounds, words, 60 * minutes)]
