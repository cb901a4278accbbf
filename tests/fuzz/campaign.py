"""Go through seeds and keep the state: how many programs, features and configurations were tried, and what failed.

The state is a JSON file, written anew from time to time and put in place of the old one at once; a campaign goes on
from it. Seeds are given out in batches to worker processes, so that a program that kills its process is a failure
like any other.
"""

from __future__ import annotations

import json
import os
import re
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from penstock.graph.model.identity_comparison import MistakeWarning

from .check import complaint, prepare
from .extension import Extension, extension_ops
from .programs import FuzzProgram, fuzz_program
from .shrink import shrunk
from .ways import Way, feed_way_for, ways_for

BATCH = 50
SAVE_EVERY = 10.0
"""Seconds."""
KEPT = 200
"""How many different failures are kept with their programs."""


@dataclass
class Found:
    """A program that gave something else than the reference."""

    seed: int
    way: str
    what: str
    program: str
    signature: str


@dataclass
class Batch:
    """What a batch of seeds gave."""

    seeds: int = 0
    features: Counter[str] = field(default_factory=Counter)
    ways: Counter[str] = field(default_factory=Counter)
    found: list[Found] = field(default_factory=list)


@dataclass
class State:
    """The totals of a campaign; `next_seed` is the first seed that is not done."""

    next_seed: int = 0
    done: int = 0
    seconds: float = 0.0
    features: Counter[str] = field(default_factory=Counter)
    ways: Counter[str] = field(default_factory=Counter)
    failures: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def load(cls, path: Path, start: int) -> State:
        """The state in `path`, or a new one that begins at seed `start`."""
        if not path.exists():
            return cls(next_seed=start)
        data = json.loads(path.read_text("utf-8"))
        return cls(**{**data, "features": Counter(data["features"]), "ways": Counter(data["ways"])})

    def save(self, path: Path) -> None:
        """Write it, all of it or nothing."""
        data = {**vars(self), "features": dict(sorted(self.features.items())), "ways": dict(sorted(self.ways.items()))}
        fresh = path.with_name(path.name + ".new")
        fresh.write_text(json.dumps(data, indent=1), "utf-8")
        os.replace(fresh, path)

    def add(self, batch: Batch) -> None:
        """Count a batch. Failures of one kind are one entry."""
        self.done += batch.seeds
        self.features += batch.features
        self.ways += batch.ways
        for found in batch.found:
            known = next((f for f in self.failures if f["signature"] == found.signature), None)
            if known is not None:
                known["count"] += 1
                known["seeds"] = [*known["seeds"], found.seed][:20]
            elif len(self.failures) < KEPT:
                self.failures.append({"signature": found.signature, "count": 1, "seeds": [found.seed], "way": found.way,
                                      "what": found.what, "program": found.program})  # fmt: skip


def run_seed(seed: int, extension: Extension, batch: Batch) -> None:
    """Try the program of one seed in its ways; the first that fails is made small and noted."""
    program = fuzz_program(seed, extension)
    batch.seeds += 1
    batch.features.update(program.features)
    feed_way = feed_way_for(seed)
    prepared = prepare(program, feed_way, extension)
    for way in ways_for(seed):
        batch.ways[way.name] += 1
        what = complaint(prepared, way, extension)
        if what is not None:
            batch.found.append(_found(program, way, feed_way, what, extension))
            return


def run_batch(seeds: range) -> Batch:
    """Try the programs of some seeds in this process."""
    batch = Batch()
    with extension_ops() as extension, warnings.catch_warnings():
        warnings.simplefilter("ignore", MistakeWarning)  # wrong nodes are what some programs are made of
        warnings.simplefilter("error", RuntimeWarning)  # NumPy's own are never seen
        for seed in seeds:
            run_seed(seed, extension, batch)
    return batch


def campaign(path: Path, count: int, start: int = 0, seconds: float = float("inf"), jobs: int = 1) -> Iterator[State]:
    """Try programs until `count` are done in all, or the time is up; the state after each batch."""
    state = State.load(path, start)
    began = saved = last = time.monotonic()
    while state.done < count and time.monotonic() - began < seconds:
        with ProcessPoolExecutor(jobs) as pool:
            for batch in _batches(pool, state, count, jobs):
                state.add(batch)
                now = time.monotonic()
                state.seconds, last = state.seconds + now - last, now
                if now - saved > SAVE_EVERY:
                    state.save(path)
                    saved = now
                yield state
                if now - began >= seconds:
                    break
    state.save(path)


def _batches(pool: ProcessPoolExecutor, state: State, count: int, jobs: int) -> Iterator[Batch]:
    """Batches until `count` programs are done, or a process has died: then its seeds are tried one by one."""
    while state.done < count:
        waiting: list[tuple[range, Future[Batch]]] = []
        for _ in range(jobs):
            size = min(BATCH, count - state.done - sum(len(s) for s, _ in waiting))
            if size <= 0:
                break
            begin = state.next_seed + sum(len(s) for s, _ in waiting)
            seeds = range(begin, begin + size)
            waiting.append((seeds, pool.submit(run_batch, seeds)))
        died = False
        for seeds, future in waiting:
            try:
                batch = future.result()
            except BrokenProcessPool:
                batch, died = _one_by_one(seeds), True
            state.next_seed = seeds.stop
            yield batch
        if died:
            return


def _one_by_one(seeds: range) -> Batch:
    total = Batch()
    for seed in seeds:
        with ProcessPoolExecutor(1) as pool:
            try:
                batch = pool.submit(run_batch, range(seed, seed + 1)).result()
            except BrokenProcessPool:
                batch = Batch(1, found=[Found(seed, "", "the process died", f"seed {seed}", "the process died")])
        total.seeds += batch.seeds
        total.features += batch.features
        total.ways += batch.ways
        total.found += batch.found
    return total


def _found(program: FuzzProgram, way: Way, feed_way: int, what: str, extension: Extension) -> Found:
    kind = kind_of(what)

    def fails(smaller: FuzzProgram) -> bool:
        found = complaint(prepare(smaller, feed_way, extension), way, extension, limit=2.0)
        return found is not None and kind_of(found) == kind

    small = shrunk(program, fails)
    told = complaint(prepare(small, feed_way, extension), way, extension, limit=2.0) or what
    return Found(program.seed, f"{way.name}, feeds {feed_way}", told[:2000], str(small), _signature(kind, told, small))


def _signature(kind: str, what: str, program: FuzzProgram) -> str:
    """The kind of a failure: its error, or else what is different and the ops or functions that it needs."""
    if kind in ERRORS:
        return f"{kind}: {re.sub('[0-9]+', '', what.splitlines()[0])[:120]}"
    text = "\n".join(program.lines)
    used = re.findall(r"ops\.\w+", text) or re.findall(r"tf\.\w+", text)
    return f"{kind}: {' '.join(sorted(set(used)))}"


def kind_of(what: str) -> str:
    """What kind of difference a complaint tells of, without the names of the program."""
    return next((words for words in KINDS if words in what), "other")


ERRORS = ("no error of a run", "nothing fails", "what fails is", "expected")
KINDS = (
    "did not end", "no error of a run", "other values", "shares memory", "effects", "calls of an op", "nothing fails",
    "what fails is", "expected", "no error", "not row-major", "was written", "changed",
)  # fmt: skip
