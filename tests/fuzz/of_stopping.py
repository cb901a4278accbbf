"""The fuzz of stopping: timeouts and Ctrl-C in every tier, with bodies of 1 us to 1 s, at random moments.

    python -m tests.fuzz.of_stopping --count 2000 --seed-start 0

A run must end within `LATEST` seconds after the step that runs when it is stopped. What counts is the processor time
of the processes that compute, not the clock: other programs on the machine change nothing. A step is an operation or a
fused group; inside a compiled loop it is an iteration of the innermost loop.

    moment of the stop              end of the run
    ----|--- rest of the step ---|--- lateness ---|
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import penstock as tf
from penstock.config import jit
from penstock.runtime.execution import block_search

from ..helpers import cluster_of

LATEST: Final = 0.1
"""Seconds of processor time from the end of a step to the end of the run."""
STOPS: Final = 10
"""Stops of one program, at different moments."""
TIERS: Final = ("interpreted", "compiled", "threads", "groups", "blocks", "waiting", "cluster")
MOST_LAYERS = 150
"""Of the networks that are trained."""
ENDLESS: Final = 2**31 - 2
TICK: Final = 1 / os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 0.0


@dataclass(frozen=True)
class Stoppable:
    """A program that takes longer than anyone waits.

    Attributes:
        text: what it is.
        graph: its graph.
        fetch: what to run.
        most: fed with the number of iterations; None if it is a chain of steps.
        steps: how many steps follow each other in one iteration, or in the chain.
        start: what runs first, to give variables their values.
        is_endless: whether it waits for what never comes.
    """

    text: str
    graph: tf.Graph
    fetch: Any
    most: Any
    steps: int
    start: Any = None
    is_endless: bool = False


def light(v: Any) -> Any:
    return tf.tanh(v * 0.5 + 0.25)


def body_of(kind: str, seconds: float, of_light: float) -> tuple[Callable[[Any, Any], Any], Any, int]:
    """A body (i, v) -> v that takes about so long, the first value, and how many steps the time is made of.

    of_light: the seconds of a light iteration.
    """
    if kind == "elements":
        size = int(min(max(seconds / 4e-8, 1), 500_000))
        repeats = int(min(max(seconds / (size * 4e-9), 1), 40))

        def elements(i: Any, v: Any) -> Any:
            for _ in range(repeats):
                v = light(v)
            return v

        return elements, tf.fill([size], 0.5), 1
    if kind == "product":
        size = int(min(max((seconds * 1e10) ** (1 / 3), 2), 700))
        return lambda i, v: tf.matmul(v, v) * 0.01, tf.eye(size), 1
    if kind == "inner":
        count = int(max(seconds / of_light, 2))

        def inner(i: Any, v: Any) -> Any:
            return tf.while_loop(lambda j, w: j < count, lambda j, w: [j + 1, light(w)], [tf.constant(0), v])[1]

        return inner, tf.constant(0.5), count
    if kind == "late":
        size = int(min(max((seconds * 1e10) ** (1 / 3), 2), 700))

        def late(i: Any, v: Any) -> Any:
            return tf.cond(i < 1000, lambda: v, lambda: tf.matmul(v, v) * 0.01)

        return late, tf.eye(size), 1
    size = int(min(max((seconds / 30 * 1e10) ** (1 / 3), 2), 150))  # kind "many"

    def many(i: Any, v: Any) -> Any:
        for _ in range(30):
            v = tf.matmul(v, v) * 0.01
        return v

    return many, tf.eye(size), 30


KINDS: Final = ("elements", "product", "inner", "late", "many")


def program(rng: random.Random, tier: str) -> Stoppable:
    """A random program for a tier."""
    seconds = 10 ** rng.uniform(-6, 0)
    with tf.Graph().as_default() as graph:
        if tier == "groups":
            size = int(min(max(seconds / 1e-8, 100_000), 4_000_000))
            value = tf.placeholder_with_default(tf.fill([size], 0.5), [size])
            steps = int(min(max(0.2 / (size * 1e-8), 10), 100))
            for _ in range(steps):
                value = light(value) + tf.reduce_max(value)
            return Stoppable(f"groups of {size} elements", graph, tf.reduce_sum(value), None, 2 * steps)
        if tier == "blocks":
            return training(rng, graph)
        if tier == "waiting":
            return waiting(rng, graph)
        kind = rng.choice(KINDS)
        most = tf.placeholder(tf.int32, [], name="most")
        body, first, steps = body_of(kind, seconds, 1e-5 if tier == "interpreted" else 3e-8)

        def loop(start: Any) -> Any:
            return tf.while_loop(lambda i, v: i < most, lambda i, v: [i + 1, body(i, v)], [tf.constant(0), start])[1]

        found = loop(first)
        if tier == "threads":
            found = tf.reduce_sum(found) + tf.reduce_sum(loop(first * 0.5))
        return Stoppable(f"{kind}, about {seconds:.1g} s", graph, tf.reduce_sum(found), most, steps)


def training(rng: random.Random, graph: tf.Graph) -> Stoppable:
    """A step of training of a deep network, which becomes a block of native calls."""
    size, batch = int(10 ** rng.uniform(1.2, 2.6)), rng.choice((8, 32, 128))
    layers = int(min(max(0.5 / (6 * batch * size * size / 2e10 + 2e-5), 4), MOST_LAYERS))
    value: Any = tf.placeholder_with_default(tf.fill([batch, size], 0.5), [batch, size])
    for _ in range(layers):
        value = tf.tanh(tf.matmul(value, tf.Variable(tf.eye(size) * 0.9)))
    optimizer = rng.choice((tf.train.GradientDescentOptimizer(0.01), tf.train.AdamOptimizer()))
    train = optimizer.minimize(tf.reduce_mean(tf.square(value)))
    text = f"training of {layers} layers of {size} units, batches of {batch}"
    return Stoppable(text, graph, train, None, 8 * layers, tf.global_variables_initializer())


def waiting(rng: random.Random, graph: tf.Graph) -> Stoppable:
    """A run that waits for what never comes: of a queue, or for room in one."""
    queue = tf.FIFOQueue(2, tf.float32, [[]])
    kind = rng.choice(("dequeue", "dequeue_many", "enqueue_many"))
    fetch: Any = queue.enqueue_many([[1.0, 2.0, 3.0]])
    if kind != "enqueue_many":
        fetch = queue.dequeue() * 2.0 if kind == "dequeue" else tf.reduce_sum(queue.dequeue_many(3))
    return Stoppable(f"waiting in {kind}", graph, fetch, None, 1, is_endless=True)


class Stopping:
    """The stops of one tier.

    Args:
        target: of the cluster, for the tier of that name.
    """

    def __init__(self, target: str = "") -> None:
        self._target = target
        self.done: Counter[str] = Counter()
        self.latest: dict[str, float] = {}

    @contextmanager
    def _session(self, tier: str, graph: tf.Graph) -> Iterator[Any]:
        before = jit.mode
        jit.mode = "off" if tier == "interpreted" else "now"
        config = {"threads": tf.SessionConfig(threads=2), "blocks": tf.SessionConfig(specialise_after=1)}.get(tier)
        target = self._target if tier == "cluster" else ""
        try:
            with (
                patch.object(block_search, "AT_ONCE", (1, 2, 3)),
                tf.Session(target, graph=graph, config=config) as session,
            ):
                yield session
        finally:
            jit.mode = before

    def trial(self, seed: int, tier: str, stops: int = STOPS) -> list[str]:
        """What was late among some stops of a random program."""
        rng = random.Random(f"{seed} {tier}")
        made = program(rng, tier)
        with made.graph.as_default():
            small = tf.constant(1.0) + tf.placeholder(tf.float32, [], name="small")
        found: list[str] = []
        with self._session(tier, made.graph) as session:
            pids = worker_pids(session) if tier == "cluster" else ()
            clock = (lambda: sum(map(used_by, pids))) if pids else time.process_time
            step = self._step(session, made, clock)
            for _ in range(stops):
                way, delay = rng.choice(("timeout", "interrupt")), rng.randint(2, 80) / 1000
                late = self._stopped(session, made, small, way, delay, clock)
                if late is None:
                    continue
                self.done[f"{tier}, {way}"] += 1
                late -= step + (2 * TICK if pids else 0.0)
                self.latest[tier] = max(self.latest.get(tier, 0.0), late)
                if late > LATEST * (2 if tier == "threads" else 1):  # two threads compute
                    found.append(f"seed {seed}, {tier}: {made.text}, {way} after {delay * 1000:.0f} ms: "
                                 f"{late * 1000:.0f} ms after a step of {step * 1000:.2f} ms")  # fmt: skip
        return found

    def _step(self, session: Any, made: Stoppable, clock: Callable[[], float]) -> float:
        """The processor time of one step."""
        if made.is_endless:
            return 0.0
        if made.start is not None:
            session.run(made.start)
        if made.most is None:
            for _ in range(1 if made.start is None else 4):  # blocks are looked for in the first runs
                session.run(made.fetch)
            start = clock()
            session.run(made.fetch)
            return (clock() - start) / made.steps
        session.run(made.fetch, {made.most: 1})  # plans and compiles
        count = 1001 if made.text.startswith("late") else 1
        spent: list[float] = []
        for most in (count, count + 2):
            start = clock()
            session.run(made.fetch, {made.most: most})
            spent.append(clock() - start)
        return max(spent[1] - spent[0], 0.0) / 2 / made.steps

    def _stopped(
        self, session: Any, made: Stoppable, small: Any, way: str, delay: float, clock: Callable[[], float]
    ) -> float | None:
        """The processor time from the stop to the end of the run; None if the run ended by itself."""
        moment: list[float] = []
        ended = threading.Event()

        def strike() -> None:
            if not ended.wait(delay):
                moment.append(clock())
                if way == "interrupt":
                    assert caller is not None
                    signal.pthread_kill(caller, signal.SIGINT)

        caller = threading.main_thread().ident
        thread = threading.Thread(target=strike)
        try:
            gc.disable()  # a collection of all graphs of this process takes 130 ms, whoever computes
            was_stopped = self._run(session, made, thread, round(delay * 1000) if way == "timeout" else None)
            if clock is not time.process_time:  # the worker is free again
                session.run(small, {"small:0": 1.0})
            end = clock()
            ended.set()
            thread.join()
        except KeyboardInterrupt:  # it came when the run had ended
            ended.set()
            thread.join()
            was_stopped, end = False, 0.0
        finally:
            gc.enable()
        assert session.run(small, {"small:0": 1.0}) == 2.0
        return max(end - moment[0], 0.0) if was_stopped and moment else None

    def _run(self, session: Any, made: Stoppable, thread: threading.Thread, limit: int | None) -> bool:
        """Whether a run was stopped, by what the thread does or by a time limit in milliseconds."""
        feeds = {} if made.most is None else {made.most: ENDLESS}
        options = None if limit is None else tf.RunOptions(timeout_in_ms=limit)
        try:
            thread.start()
            session.run(made.fetch, feeds, options=options)
        except (KeyboardInterrupt, tf.errors.DeadlineExceededError):
            return True
        return False


def worker_pids(session: Any) -> tuple[int, ...]:
    """The processes of the workers of a session on a cluster of this machine."""
    client = cluster_of(session).connection._client
    return tuple(client.run(os.getpid).values())


def used_by(pid: int) -> float:
    """The processor time of a process so far."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) * TICK


def late_ones(
    seeds: Sequence[int], tiers: Sequence[str], stopping: Stopping, stops: int = STOPS, until: float = float("inf")
) -> list[str]:
    """What was late in the trials of some seeds, each in one tier after the other."""
    found: list[str] = []
    for seed in seeds:
        if time.monotonic() > until:
            break
        found += stopping.trial(seed, tiers[seed % len(tiers)], stops)
    return found


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 1 if a run ended too late."""
    from penstock.cluster.access.cluster_access import open_access

    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.of_stopping", description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="how many stops")
    parser.add_argument("--seed-start", type=int, default=0, help="the first seed")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after so long")
    parser.add_argument("--tiers", nargs="*", default=TIERS, choices=TIERS)
    chosen = parser.parse_args(arguments)
    os.environ["PENSTOCK_JIT"] = "now"  # the workers inherit it: what they compile later would look like work
    access = open_access("dask://local?workers=1&threads=1&security=none", 60.0) if "cluster" in chosen.tiers else None
    try:
        target = ""
        if access is not None:
            access.client.wait_for_workers(1, timeout=120)
            target = "dask://" + str(access.client.scheduler.address).partition("://")[2]
        stopping = Stopping(target)
        seeds = range(chosen.seed_start, chosen.seed_start + -(-chosen.count // STOPS))
        until = time.monotonic() + chosen.seconds
        late = []
        for seed in seeds:
            for text in late_ones([seed], chosen.tiers, stopping, until=until):
                late.append(text)
                print(text, flush=True)
    finally:
        if access is not None:
            access.close()
    for what, count in sorted(stopping.done.items()):
        print(f"{count:6} {what}")
    print("latest:", {tier: f"{seconds * 1000:.0f} ms" for tier, seconds in stopping.latest.items()})
    print(f"{sum(stopping.done.values())} stops, {len(late)} late")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
