"""The fuzz of asynchronous runs: threads run random programs that update the same variables, and no update is lost.

    python -m tests.fuzz.of_asynchronous --count 1000 --seed-start 0
    python -m tests.fuzz.of_asynchronous --count 100 --target "dask://local?workers=2&threads=1&security=none"

Updates are sums of whole numbers, so the values in the end are known whatever the order: what variables began with, and
what each run that did not fail has added. Besides:

- Each step adds its number to `low` and to `high`. Reads of one run are of one moment, so both are equal in it.
- Counts that runs get are all different, and later ones of a thread are larger.
- Some runs fail before the updates of `low`, `high` and `table`, and on a cluster among them. None of these counts. A
  run that is made in one may have written `count`, which waits for nothing; then its error says so.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

import penstock as tf
from penstock.graph.model.nodes import Operation, Tensor

ROWS, WIDTH = 4, 3
TROUBLE = 9
"""An index that is not there."""
DEVICES = ("", "", "/job:worker/task:0", "/job:worker/task:1")


@dataclass
class Step:
    """One way to run: what is fetched, and what it adds to `low`, `high` and one row of `table` for each unit of x."""

    fetches: list[Tensor | Operation]
    factor: int
    row: int
    fails_early: bool


@dataclass
class AsynchronousProgram:
    """A graph with a few steps that update the same variables."""

    graph: tf.Graph
    x: Tensor
    early: Tensor
    late: Tensor
    steps: list[Step]
    variables: list[Any]
    init: Operation


def program_of(rng: np.random.Generator, is_placed: bool) -> AsynchronousProgram:
    """A random program."""

    def somewhere() -> Any:
        return tf.device(str(rng.choice(DEVICES)) if is_placed else "")

    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.int64, ["n"], name="x")
        early, late = tf.placeholder(tf.int32, [], name="early"), tf.placeholder(tf.int32, [], name="late")
        with somewhere():
            low = tf.get_variable("low", initializer=np.zeros(WIDTH, np.int64))
        with somewhere():
            high = tf.get_variable("high", initializer=np.zeros(WIDTH, np.int64))
        with somewhere():
            table = tf.get_variable("table", initializer=np.zeros((ROWS, WIDTH), np.int64))
        count = tf.get_variable("count", initializer=np.int64(0))
        steps = []
        for _ in range(int(rng.integers(1, 4))):
            factor, row = int(rng.integers(1, 5)), int(rng.integers(ROWS))
            with somewhere():
                total = tf.reduce_sum(x) * factor
                if rng.random() < 0.5:  # through ops of other kinds
                    parts = tf.dynamic_partition(x, tf.cast(x % 2, tf.int32), 2)
                    total = (tf.reduce_sum(parts[0]) + tf.reduce_sum(parts[1])) * factor
                if rng.random() < 0.3:
                    total = tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t), [0, total])[1]
            with somewhere():
                now = low - high + (low.value() - low)  # zeros, from values of one moment
                added = tf.fill([WIDTH], total) + now
            fails_early = bool(rng.random() < 0.7)
            checked = added + tf.cast(tf.gather([0, 0], early), tf.int64) if fails_early else added
            updates = [low.assign_add(checked)]
            if rng.random() < 0.5:  # subtracts, of the second after the first
                with tf.control_dependencies(updates):
                    updates.append(high.assign_sub(-checked))
            else:
                updates.append(high.assign_add(checked))
            rows = tf.IndexedSlices(tf.stack([checked]), tf.constant([row]))
            updates.append(table.scatter_add(rows))
            counted = count.assign_add(1)
            with tf.control_dependencies([each.op for each in updates]):
                after = tf.gather([0, 0], late)  # fails among the updates
                seen = low.read_value() - high.read_value() if rng.random() < 0.5 else now
            fetches = [now, seen, counted, after, *[each.op for each in updates]]
            steps.append(Step(fetches, factor, row, fails_early))
        init = tf.global_variables_initializer()
    return AsynchronousProgram(graph, x, early, late, steps, [low, high, table, count], init)


def complaint(seed: int, target: str = "") -> str | None:
    """What is wrong after the runs of a seed; None if nothing."""
    rng = np.random.default_rng([seed, 41])
    program = program_of(rng, bool(target) or rng.random() < 0.3)
    config = tf.SessionConfig(asynchronous=bool(rng.random() < 0.9), passes=() if rng.random() < 0.2 else None)
    threads, runs = int(rng.integers(2, 5)), int(rng.integers(3, 9))
    plans = [
        [(int(rng.integers(len(program.steps))), rng.integers(-9, 9, rng.integers(0, 6)), bool(rng.random() < 0.2))
         for _ in range(runs)]
        for _ in range(threads)
    ]  # fmt: skip
    counted: list[str] = []  # by runs that failed

    def work(plan: list[Any], session: tf.Session) -> list[tuple[int, Any, int] | str]:
        done: list[tuple[int, Any, int] | str] = []
        for which, fed, fails in plan:
            step = program.steps[which]
            is_early = fails and step.fails_early
            is_late = fails and not is_early and bool(target)
            feeds = {program.x: fed, program.early: TROUBLE * is_early, program.late: TROUBLE * is_late}
            try:
                now, seen, number, *_ = session.run(step.fetches, feeds)
            except tf.errors.InvalidArgumentError as error:
                notes = [each for each in getattr(error, "__notes__", []) if each.startswith("Variables written")]
                written = re.findall(r"'(\w+)'", "".join(notes))
                counted.extend(written)
                if not (is_early or is_late) or written not in ([], ["count"]) or (written and config.asynchronous):
                    done.append(f"step {which} failed, and wrote {written}")
                continue
            if is_early or is_late:
                done.append(f"step {which} did not fail")
            if np.any(now) or np.any(seen):
                done.append(f"step {which} read {now} and {seen}: not of one moment")
            done.append((which, fed, int(number)))
        return done

    with tf.Session(target, graph=program.graph, config=config) as session:
        session.run(program.init)
        with ThreadPoolExecutor(threads) as pool:
            found = list(pool.map(lambda plan: work(plan, session), plans))
        values = session.run([variable.value() for variable in program.variables])
    wrong = [each for done in found for each in done if isinstance(each, str)]
    good = [[each for each in done if not isinstance(each, str)] for done in found]
    low, table = np.zeros(WIDTH, np.int64), np.zeros((ROWS, WIDTH), np.int64)
    for which, fed, _ in [each for done in good for each in done]:
        step = program.steps[which]
        low += int(fed.sum()) * step.factor
        table[step.row] += int(fed.sum()) * step.factor
    numbers = [number for done in good for _, _, number in done]
    last = len(numbers) + len(counted)
    wrong += [f"{number} is no count" for number in numbers if not 1 <= number <= last]
    wrong += ["counts occur twice"] * (len(set(numbers)) < len(numbers))
    wrong += ["later counts are smaller"] * any(a[2] > b[2] for done in good for a, b in pairwise(done))
    wanted: list[Any] = [low, low, table, last]
    for name, value, want in zip(("low", "high", "table", "count"), values, wanted, strict=True):
        if not np.array_equal(value, want):
            wrong.append(f"{name} is {np.asarray(value).tolist()}, want {np.asarray(want).tolist()}")
    return "\n".join([f"{config}, {threads} threads", *wrong]) if wrong else None


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 1 if something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.of_asynchronous", description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="how many seeds")
    parser.add_argument("--seed-start", type=int, default=0, help="the first seed")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after so long")
    parser.add_argument("--target", default="", help="the target of the sessions")
    chosen = parser.parse_args(arguments)
    began, failures, tried = time.monotonic(), 0, 0
    for seed in range(chosen.seed_start, chosen.seed_start + chosen.count):
        if time.monotonic() - began > chosen.seconds:
            break
        tried += 1
        if (found := complaint(seed, chosen.target)) is not None:
            failures += 1
            print(f"seed {seed}: {found}\n", flush=True)
    print(f"{tried} programs, {failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
