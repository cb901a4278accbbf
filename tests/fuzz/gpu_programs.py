"""Random programs with operations on the CPU and on the played GPU, and what they must give: what the CPU alone gives.

- Results and variables are equal after every run but for the last bits of floats: sums have another order on a GPU, and
  C's functions are not NumPy's.
- A run fails on both or on none, with the same class and first line, and at the same operation, but for what
  `docs/gpu.md` lists: an index out of range is no error on a GPU.
- The state of random numbers is the same.
- Every third program has its loads and stores watched: a race or an address out of place is an error.
- Two sessions of one graph have nothing in common, in whatever order they run.
- A run that finds no memory, or is interrupted between two kernels, leaves a session that gives what it gave before.

A program runs several times in one session: whole, until its segments are replayed, with some fetches, in a run that
fails, with other feeds and other sizes, with a fed intermediate, and whole again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

import penstock as tf
from penstock.runtime.backends import registry

from ..cuda import shim
from ..cuda.fake_cupy import FakeCupy, FakeGpu
from .debugged_programs import Debugged, Heard, debugged_program
from .debugger_walks import drawn, first_line
from .extension import Extension
from .placed_programs import Run, other_feeds, with_fed

MOST_WATCHED = 5000
"""Elements of the largest array of a program that is watched: of 200,000 rows a partition takes minutes."""
DEVICES = ("", "", "/gpu:0", "/gpu:0", "/gpu:0", "/cpu:0")


def complaint(seed: int, extension: Extension) -> str | None:
    """What the played GPU gives for the program of a seed that the CPU does not; None if nothing."""
    rng = np.random.default_rng([seed, 29])
    program = debugged_program(seed, extension)
    if "ops." in program.text.partition("ops = Extension()")[2]:
        return None  # ops of the fuzz's own, whose kernels are NumPy's
    with program.graph.as_default():
        divisor = tf.placeholder(tf.int32, [3], name="divisor")
        broken = tf.floordiv([5, -6, 7], divisor, name="broken")
    runs = _runs(program, rng, broken, divisor)
    passes = () if rng.random() < 0.25 else None
    host = _all(program, tf.SessionConfig(device="cpu", passes=passes), runs)
    place(program.graph, rng)
    kind = "gpu" if rng.random() < 0.5 else "cpu"
    config = tf.SessionConfig(device=kind, passes=passes, asynchronous=rng.random() < 0.2)
    is_watched = seed % 3 == 0 and max([np.size(v) for v in program.feeds.values()], default=0) < MOST_WATCHED
    with played_gpu(), patch.object(shim.Watch, "is_on", is_watched):
        there = _all(program, config, runs, again=program.is_stateless)
        found = _difference(runs, there, host, kind)
        if found is None and program.is_stateless:
            found = _stopped(program, config, runs[0], host[0], rng)
    if found is None:
        return None
    devices = "".join(f"{op.name}: {op.device}\n" for op in program.graph.get_operations() if op.device)
    return f"{found}\n{config}\n{program.text}\n{devices}"


@contextmanager
def played_gpu() -> Iterator[FakeGpu]:
    """The played GPU, known as "gpu"."""
    gpu = FakeGpu()
    with patch.dict(registry._registered, {"gpu": gpu}):
        yield gpu


def place(graph: tf.Graph, rng: np.random.Generator) -> None:
    """Give operations random devices; often the one of the operation before."""
    device, stays = "", float(rng.choice([0.0, 0.5, 0.9]))
    for op in graph.get_operations():
        if rng.random() >= stays:
            device = str(rng.choice(DEVICES))
        op.device = device


def _runs(program: Debugged, rng: np.random.Generator, broken: Any, divisor: Any) -> list[Run]:
    fetches, feeds = program.fetches, program.feeds
    some = [each for each in fetches if rng.random() < 0.6] or fetches
    others = {x: other_feeds(v, rng) for x, v in feeds.items()}
    return [
        (fetches, feeds),
        (fetches, feeds),
        (fetches, feeds),  # segments are replayed from here on
        (some, feeds),
        ([*fetches, broken], {**feeds, divisor: [1, 0, 2]}),
        (some, others),
        (fetches, with_fed(program, feeds)),
        ([broken, *fetches], {**feeds, divisor: [1, -2, 2]}),
        (fetches, feeds),
    ]


def _all(program: Debugged, config: tf.SessionConfig, runs: list[Run], again: bool = False) -> list[dict[str, Any]]:
    """What the runs of a session give. again: another session of the same graph runs between them."""
    with Heard(program.log), np.errstate(all="ignore"), program.session(config) as session:
        if not again:
            return [_run(session, program, *run) for run in runs]
        found = []
        with program.session(config) as other:
            for fetches, feeds in runs:
                found.append(_run(session, program, fetches, feeds))
                _run(other, program, fetches, feeds)
        return found


def _run(session: tf.Session, program: Debugged, fetches: list[Any], feeds: dict[Any, Any]) -> dict[str, Any]:
    program.log.clear()
    error, op, values = None, None, None
    try:
        values = session.run(fetches, feeds)
    except tf.errors.OpError as caught:
        error, op = (type(caught).__name__, first_line(caught)), caught.op
    except (ValueError, TypeError) as caught:
        error = (type(caught).__name__, first_line(caught))
    return {
        "error": error,
        "op": op,
        "results": values,
        "variables": [np.array(value) for value in program.values(session)],
        "random state": drawn(session),
    }


def _difference(
    runs: list[Run], there: list[dict[str, Any]], host: list[dict[str, Any]], kind: str
) -> str | None:
    for number, (run, got, want) in enumerate(zip(runs, there, host, strict=True)):
        if want["error"] is not None or got["error"] is not None:
            if got["error"] != want["error"] and not _is_dropped_index(want, kind):
                return f"run {number}: {got['error']} there, {want['error']} on the CPU"
            return None  # what was written and drawn before the error depends on the order of steps
        for part in ("results", "variables"):
            for place, (a, b) in enumerate(zip(got[part], want[part], strict=True)):
                if not near(a, b):
                    what = run[0][place] if part == "results" else ""
                    return f"run {number}, {part} {place} {what}: there\n{a!r}\non the CPU\n{b!r}"
        if got["random state"] != want["random state"]:
            return f"run {number}: {got['random state']} there, {want['random state']} on the CPU"
    return None


def _is_dropped_index(want: dict[str, Any], kind: str) -> bool:
    """Whether the CPU refused an index of an operation that is on the GPU there, where it is no error."""
    if want["error"] is None or " is not in [" not in want["error"][1] or want["op"] is None:
        return False
    return (want["op"].device or kind).endswith(("gpu", "gpu:0"))


def near(got: Any, want: Any) -> bool:
    """Equal but for the last bits of floats, where C's functions and NumPy's differ."""
    if want is None or got is None:
        return got is want
    got, want = np.asarray(got), np.asarray(want)
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    if got.dtype.kind == "O":
        return bool(got.tolist() == want.tolist())
    if got.dtype.kind not in "fcV":
        return bool(np.array_equal(got, want))
    wide = np.complex128 if got.dtype.kind == "c" else np.float64
    digits = {2: 2e-2, 4: 1e-4, 8: 1e-4 if got.dtype.kind == "c" else 1e-9, 16: 1e-9}[got.dtype.itemsize]
    with np.errstate(all="ignore"):
        return bool(np.allclose(got.astype(wide), want.astype(wide), rtol=digits, atol=digits, equal_nan=True))


# ---- runs that stop -----------------------------------------------------------------------------


def _stopped(
    program: Debugged, config: tf.SessionConfig, run: Run, want: dict[str, Any], rng: np.random.Generator
) -> str | None:
    """A run without memory, an interrupted one, and then the same run."""
    with Heard(program.log), np.errstate(all="ignore"), program.session(config) as session:
        for stop in (_no_memory(int(rng.integers(1, 8))), _interrupt(int(rng.integers(1, 6))), None):
            if stop is not None:
                with stop as count:
                    try:
                        session.run(*run)
                    except KeyboardInterrupt:
                        if not count:
                            return "an interrupt that nothing raised"
                    except tf.errors.ResourceExhaustedError as error:
                        if "GPU" not in str(error) and "memory" not in str(error):
                            return f"no memory: {error}"
                    except (tf.errors.OpError, ValueError, TypeError) as error:
                        if want["error"] is None:
                            return f"stopped: {type(error).__name__}: {error}"
                    continue
            program.start(session)
            for _ in range(4):
                got = _run(session, program, *run)
                got["random state"] = want["random state"]
                found = _difference([run], [got], [want], config.device)
                if found is not None and not want["random state"]:
                    return f"after a run that stopped: {found}"
    return None


@contextmanager
def _no_memory(number: int) -> Iterator[list[int]]:
    """The allocation of that number and those behind it find no memory."""
    plain, count = FakeCupy.__getattr__, [0]

    def empty(self: Any, name: str) -> Any:
        found = plain(self, name)
        if name not in ("empty", "zeros", "full"):
            return found

        def refused(*args: Any, **kwargs: Any) -> Any:
            count[0] += 1
            if count[0] >= number:
                raise MemoryError("Out of memory allocating 512 bytes (allocated so far: 0 bytes).")
            return found(*args, **kwargs)

        return refused

    with patch.object(FakeCupy, "__getattr__", empty):
        yield count


@contextmanager
def _interrupt(number: int) -> Iterator[list[int]]:
    """Ctrl-C at the launch of that number."""
    plain, count = shim.launch, [0]

    def launch(*args: Any) -> None:
        count[0] += 1
        if count[0] == number:
            raise KeyboardInterrupt
        plain(*args)

    with patch.object(shim, "launch", launch):
        yield count
