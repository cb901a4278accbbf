"""What it costs that a step of training writes all of its variables or none: time and peak memory of a step.

python -m benchmarks.whole_steps

The same steps in two ways, each in processes of its own that run in turns: as they are, where what writes over
variables waits for the end of the run, and with each of these writes made at once, when its step has its turn. The time
is the lower quartile of the steps of one thread. The memory is measured, and planned: then, in the second way, as if
nothing that a write reads lived until the end of the run.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter
from typing import Any, Final

import numpy as np

import penstock as tf
from penstock.config import jit
from penstock.config import memory as memory_pool
from penstock.runtime.base.pending_writes import PendingWrites
from penstock.runtime.memory.buffer_pool import POOL
from penstock.runtime.planning import aliasing
from penstock.runtime.session import state_run

ROUNDS: Final = 5
WARM: Final = 100
"""Steps after which nothing is compiled any more, and a plan is native calls."""
CASES: Final = {
    "784-256-256-10, batch 32, gradient descent": ((784, 256, 256, 10), 32, "GradientDescent"),
    "784-256-256-10, batch 128, gradient descent": ((784, 256, 256, 10), 128, "GradientDescent"),
    "784-256-256-10, batch 128, Momentum": ((784, 256, 256, 10), 128, "Momentum"),
    "784-256-256-10, batch 128, Adam": ((784, 256, 256, 10), 128, "Adam"),
    "1024-1024-1024-1024-1024, batch 64, gradient descent": ((1024,) * 5, 64, "GradientDescent"),
    "1024-1024-1024-1024-1024, batch 64, Adam": ((1024,) * 5, 64, "Adam"),
}
OPTIMIZERS: Final[dict[str, Callable[[], Any]]] = {
    "GradientDescent": lambda: tf.train.GradientDescentOptimizer(0.01),
    "Momentum": lambda: tf.train.MomentumOptimizer(0.01, 0.9),
    "Adam": lambda: tf.train.AdamOptimizer(0.001),
}


class _MadeAtOnce(list[Callable[[], Any]]):
    """Makes each write that is added."""

    def append(self, call: Callable[[], Any], /) -> None:
        call()


class _Forgets(list[Any]):
    """Keeps nothing alive."""

    def append(self, kept: Any, /) -> None:
        pass

    def extend(self, kept: Any, /) -> None:
        pass


class WritesAtOnce(PendingWrites):
    """Writes that wait for nothing, so that a run that fails has changed some variables."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__()
        self.calls, self.kept = _MadeAtOnce(), _Forgets()


@dataclass(frozen=True, slots=True)
class Step:
    """A step of training in one way.

    Args:
        seconds: the lower quartile.
        memory: bytes of the pool that it takes at most beside those of the variables.
        planned: bytes of the memory plan of the interpreted step, variables included.
        loss: after the steps.
    """

    seconds: float
    memory: int
    planned: int
    loss: float


def measure(case: str, at_once: bool, steps: int = 200) -> Step:
    """The step of this process, which should be fresh."""
    jit.mode = "now"
    config = tf.ConfigProto(intra_op_parallelism_threads=1)
    with tf.Graph().as_default() as graph, tf.Session(graph=graph, config=config) as session:
        fetches, feeds = training(case)
        with end_of_lives(at_once):
            planned = session.memory(fetches).peak
    if at_once:
        setattr(state_run, "PendingWrites", WritesAtOnce)  # noqa: B010  # the other way is not the engine's
    with tf.Session(graph=graph, config=config) as session:
        session.run(graph.get_operation_by_name("init"))
        for _ in range(WARM):
            session.run(fetches, feeds)
        memory_pool.trim()
        POOL._peak = start = memory_pool.stats().in_use
        times = []
        for _ in range(steps):
            begin = perf_counter()
            loss = session.run(fetches, feeds)[0]
            times.append(perf_counter() - begin)
        memory = memory_pool.stats().peak - start
    return Step(quantiles(times, n=4)[0], memory, planned, float(loss))


def training(case: str) -> tuple[list[Any], dict[Any, Any]]:
    """Loss and step, and what is fed."""
    sizes, batch, optimizer = CASES[case]
    rng = np.random.default_rng(3)
    x, y = (tf.placeholder(tf.float32, [batch, size]) for size in (sizes[0], sizes[-1]))
    h: Any = x
    for i, (before, after) in enumerate(itertools.pairwise(sizes)):
        w = tf.Variable(rng.normal(0, before**-0.5, [before, after]).astype(np.float32))
        h = tf.matmul(h, w) + tf.Variable(np.zeros(after, np.float32))
        h = tf.nn.relu(h) if i < len(sizes) - 2 else h
    loss = tf.reduce_mean(tf.square(h - y))
    train = OPTIMIZERS[optimizer]().minimize(loss)
    tf.global_variables_initializer()
    return [loss, train], {t: rng.random((batch, size), np.float32) for t, size in ((x, sizes[0]), (y, sizes[-1]))}


@contextmanager
def end_of_lives(at_once: bool) -> Iterator[None]:
    """Plan as if what writes read were not needed until the end of the run."""
    usual = aliasing._read_at_the_end
    if at_once:
        aliasing._read_at_the_end = lambda steps: iter(())
    try:
        yield
    finally:
        aliasing._read_at_the_end = usual


def in_fresh_process(case: str, at_once: bool) -> Step:
    """The same, of a process of its own."""
    command = [sys.executable, "-m", "benchmarks.whole_steps", case, str(int(at_once))]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=600)
    return Step(*json.loads(done.stdout))


def row(case: str, rounds: int = ROUNDS) -> str:
    """A row of the table: medians of some processes of each way, in turns."""
    whole, at_once = [], []
    for _ in range(rounds):
        whole.append(in_fresh_process(case, False))
        at_once.append(in_fresh_process(case, True))
    if {step.loss for step in whole} != {step.loss for step in at_once}:
        raise AssertionError(f"{case}: the two ways do not give the same losses")
    times = [median(step.seconds for step in steps) for steps in (whole, at_once)]
    cells = [f"{times[0] * 1e3:.3f} ms", f"{times[1] * 1e3:.3f} ms", f"{times[0] / times[1]:.2f}"]
    for sizes in ([steps[0].memory for steps in (whole, at_once)], [steps[0].planned for steps in (whole, at_once)]):
        cells += [f"{size / 1e6:.1f} MB" for size in sizes]
    return f"| {case} | {' | '.join(cells)} |"


def main(arguments: Sequence[str]) -> None:
    """Print one step as JSON, or measure all and print the table."""
    if len(arguments) == 2:
        step = measure(arguments[0], arguments[1] == "1")
        print(json.dumps([step.seconds, step.memory, step.planned, step.loss]))
        return
    head = ("a step of", "all or nothing", "at once", "ratio", "memory", "at once", "planned", "at once")
    print(f"| {' | '.join(head)} |\n|---{'|--:' * 7}|")
    for case in CASES:
        print(row(case), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
