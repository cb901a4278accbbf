"""Runs that write several variables in every way, and what they leave when something stops them.

    python -m tests.variables.whole_runs --seconds 300

interrupts such runs by signals, timeouts and steps that fail, at random moments, in every tier. After each, all
variables of the run have the values of before it, or all those of after it.
"""

from __future__ import annotations

import argparse
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

import penstock as tf
from penstock.config import jit

Values = list[Any]
Mode: TypeAlias = Literal["off", "on", "now"] | None


@dataclass
class Writes:
    """A program: what is fetched, and what is fed. Its run depends on the values of variables alone."""

    fetches: Any
    feeds: dict[Any, Any]


def numbers(*shape: int, seed: int = 0) -> Any:
    return (np.random.default_rng(seed).standard_normal(shape) * 0.1).astype(np.float32)


def dense(optimizer: Any, batch: int = 8) -> Writes:
    """A training step of a small network."""
    x, y = tf.placeholder(tf.float32, [batch, 90]), tf.placeholder(tf.float32, [batch, 10])
    w, b = tf.Variable(numbers(90, 70)), tf.Variable(numbers(70))
    v = tf.Variable(numbers(70, 10, seed=1))
    loss = tf.reduce_mean(tf.square(tf.matmul(tf.tanh(tf.matmul(x, w) + b), v) - y))
    train = optimizer.minimize(loss, global_step=tf.train.get_or_create_global_step())
    return Writes([loss, train], {x: numbers(batch, 90, seed=2), y: numbers(batch, 10, seed=3)})


def sparse(optimizer: Any) -> Writes:
    """Rows of two tables."""
    ids = tf.placeholder(tf.int32, [5])
    tables = [tf.Variable(numbers(200, 8, seed=i)) for i in range(2)]
    loss = tf.reduce_sum(tf.square(tf.gather(tables[0], ids) * 3.0 + tf.gather(tables[1], ids)))
    return Writes([loss, optimizer.minimize(loss)], {ids: np.array([3, 7, 3, 199, 0], np.int32)})


def rows() -> Writes:
    """Every kind of write, in place where that can be."""
    ids = tf.placeholder(tf.int32, [3])
    a, b, c, d = [tf.Variable(numbers(100, 4, seed=i)) for i in range(4)]
    n, count = tf.Variable(np.arange(100, dtype=np.int64)), tf.Variable(0)
    new = b.assign_sub(tf.ones([100, 4]) * 0.25)
    with tf.control_dependencies([new]):
        later = tf.reduce_sum(b.read_value())
    writes = [
        tf.scatter_add(a, ids, tf.ones([3, 4])), new, tf.assign(c, tf.exp(c * 0.1) + d.value()), n.assign_add(n),
        d[2:5].assign(tf.ones([3, 4]) * later), count.assign_add(1),
    ]
    return Writes([tf.group(*writes), later], {ids: np.array([0, 99, 0], np.int32)})


def loop() -> Writes:
    """Steps of training in a loop, and a branch that writes."""
    w, total = tf.Variable(numbers(300)), tf.Variable(np.zeros(300, np.float32))

    def body(i: tf.Tensor) -> tf.Tensor:
        loss = tf.reduce_sum(tf.square(w - 3.0))
        with tf.control_dependencies([tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)]):
            return i + 1

    steps = tf.while_loop(lambda i: i < 3, body, [0])
    with tf.control_dependencies([steps]):
        added = tf.cond(w.read_value()[0] > -9.0, lambda: total.assign_add(w.read_value()), lambda: total.value())
    return Writes([steps, tf.reduce_sum(added)], {})


def calls_python() -> Writes:
    """Python in the middle, an assertion about the new value, and more writes than the compiled tier makes."""
    v, w = tf.Variable(numbers(500)), tf.Variable(numbers(500, seed=1))
    new = v.assign(v * 0.5 + 1.0)
    seen = tf.py_func(lambda x: x + np.float32(1), [new], tf.float32)
    seen.set_shape([500])
    with tf.control_dependencies([tf.assert_less(tf.reduce_max(new), 100.0)]):
        other = w.assign_add(seen)
    return Writes([tf.reduce_mean(other)], {})


def large() -> Writes:
    """Writes that several threads make."""
    v, w, n = tf.Variable(numbers(400_000)), tf.Variable(numbers(400_000, seed=1)), tf.Variable(0)
    x = tf.placeholder(tf.float32, [400_000])
    writes = [v.assign_add(tf.tanh(x) * 0.01 + w * 0.0), n.assign_add(1), w.assign_sub(tf.sin(x) * 0.01)]
    return Writes([tf.group(*writes)], {x: numbers(400_000, seed=2)})


PROGRAMS: dict[str, Callable[[], Writes]] = {
    "gradient descent": lambda: dense(tf.train.GradientDescentOptimizer(0.1), 200),
    "Momentum": lambda: dense(tf.train.MomentumOptimizer(0.1, 0.9)),
    "Adam": lambda: dense(tf.train.AdamOptimizer()),
    "RMSProp": lambda: dense(tf.train.RMSPropOptimizer(0.01)),
    "rows by gradient descent": lambda: sparse(tf.train.GradientDescentOptimizer(0.1)),
    "rows by Adagrad": lambda: sparse(tf.train.AdagradOptimizer(0.1)),
    "rows by Adam": lambda: sparse(tf.train.AdamOptimizer()),
    "every write": rows,
    "a loop": loop,
    "Python": calls_python,
    "threads": large,
}
CONFIGS: dict[str, tf.SessionConfig] = {
    "usual": tf.SessionConfig(), "1 thread": tf.SessionConfig(threads=1), "no passes": tf.SessionConfig(passes=()),
    "asynchronous": tf.SessionConfig(asynchronous=True),
}  # fmt: skip


def run_as(session: tf.Session, program: Writes, how: str) -> Callable[[], object]:
    """A run of the program: "run", "callable", "recorded" or "debugged"."""
    if how == "callable":
        call = session.make_callable(program.fetches, list(program.feeds))
        return lambda: call(*program.feeds.values())
    if how == "recorded":
        return lambda: session.run(program.fetches, program.feeds, run_metadata=tf.RunMetadata())
    if how == "debugged":
        return lambda: session.debug(program.fetches, program.feeds).finish()
    return lambda: session.run(program.fetches, program.feeds)


HOW = ("run", "callable", "recorded", "debugged")


def values_of(session: tf.Session) -> Values:
    """Copies of the values of all variables."""
    variables = tf.global_variables()
    return list(session.run(variables)) if variables else []


def same(one: Values, other: Values) -> bool:
    return all(x.tobytes() == y.tobytes() for x, y in zip(one, other, strict=True))


class Watched:
    """A session of a program, which knows what each run must leave."""

    def __init__(self, kind: str, config: str, how: str) -> None:
        self.program = PROGRAMS[kind]()
        self.session = tf.Session(config=CONFIGS[config])
        self.other = tf.Session(config=CONFIGS[config])
        self.session.run(tf.global_variables_initializer())
        self.run = run_as(self.session, self.program, how)
        self.now = values_of(self.session)

    def after(self) -> Values:
        """The values that a run of now leaves: another session finds out."""
        for variable, value in zip(tf.global_variables(), self.now, strict=True):
            variable.load(value, self.other)
        self.other.run(self.program.fetches, self.program.feeds)
        return values_of(self.other)

    def check(self, wanted: Values, where: str = "") -> bool:
        """Whether a run that may have been stopped has written; all of its variables, or none."""
        found = values_of(self.session)
        was_written = same(found, wanted)
        if not was_written and not same(found, self.now):
            names = [v.op.name for v, x, y in zip(tf.global_variables(), found, self.now, strict=True)
                     if x.tobytes() != y.tobytes()]  # fmt: skip
            raise AssertionError(f"torn {where}: {', '.join(names)} changed alone")
        self.now = found
        return was_written

    def close(self) -> None:
        self.session.close()
        self.other.close()


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """A `with` block that Ctrl-C ends after some seconds, if it has not ended by then."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-6))
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
    finally:
        signal.signal(signal.SIGALRM, before)


def attack(seed: int, strikes: int) -> Counter[str]:
    """Stops runs of one program at random moments; what happened.

    Raises:
        AssertionError: the variables of a run are at different steps.
    """
    choose = random.Random(seed)
    kind, config = choose.choice(list(PROGRAMS)), choose.choice(list(CONFIGS))
    how = choose.choice(HOW)
    modes: list[Mode] = ["now", "off", None]
    mode = choose.choice(modes)
    counts: Counter[str] = Counter()
    where = f"seed {seed}: {kind}, {config}, {how}, jit={mode}"
    jit.mode = mode
    try:
        with tf.Graph().as_default():
            watched = Watched(kind, config, how)
            begun = time.perf_counter()
            for _ in range(3):
                watched.run()
            typical = (time.perf_counter() - begun) / 3
            watched.now = values_of(watched.session)
            for _ in range(strikes):
                wanted = watched.after()
                stopped = "ended"
                try:
                    with interrupted_after(choose.random() * typical * 1.2):
                        if choose.random() < 0.3 and how == "run":
                            options = tf.RunOptions(timeout_in_ms=1)
                            watched.session.run(watched.program.fetches, watched.program.feeds, options=options)
                        else:
                            begun = time.perf_counter()
                            watched.run()
                            typical = 0.8 * typical + 0.2 * (time.perf_counter() - begun)
                except KeyboardInterrupt:
                    stopped = "interrupted"
                except tf.errors.DeadlineExceededError:
                    stopped = "too late"
                written = watched.check(wanted, where)
                assert written or stopped != "ended", f"{where}: a run that ended has written nothing"
                counts[stopped] += 1
                counts[f"{stopped}, written"] += written
            watched.close()
    finally:
        jit.mode = None
    return counts


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.variables.whole_runs", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed-start", type=int, default=0)
    parser.add_argument("--strikes", type=int, default=40, help="for each seed")
    chosen = parser.parse_args(arguments)
    until, seed, counts = time.monotonic() + chosen.seconds, chosen.seed_start, Counter[str]()
    while time.monotonic() < until:
        counts += attack(seed, chosen.strikes)
        seed += 1
    print(f"{seed - chosen.seed_start} seeds: {dict(counts)}; none torn")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
