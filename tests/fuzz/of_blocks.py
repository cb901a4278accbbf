"""The fuzz of native blocks: training with blocks gives the bits of the steps.

    python -m tests.fuzz.of_blocks --count 2000 --seed-start 0

A program of `block_programs` trains compiled, but step by step, and then with blocks, which are looked for in
its first runs: blocks as they are, in pieces, on several threads, or of groups that are not compiled yet; and step by
step, with writes that share the threads of a run. All fetches and variables are compared. (Nothing
compiled would be no reference: from a feed in another layout NumPy makes results in that layout, and adds them up so.)
"""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

import numpy as np

import penstock as tf
from penstock.runtime.base import pending_writes
from penstock.runtime.compiled.shaped_group import ShapedGroup
from penstock.runtime.compiled.single_op import PromotedOp
from penstock.runtime.execution import block_program, block_search, native_blocks

from .block_programs import BlockProgram
from .of_groups import same_bits
from .seeds import seeds_of
from .ways import Way

REFERENCE = Way("step by step", tf.SessionConfig(specialise_after=1), "now")
WAYS = (
    Way("in blocks", tf.SessionConfig(specialise_after=1, verify=True), "now"),
    Way("in pieces", tf.SessionConfig(specialise_after=1, threads=1), "now", small=True),
    Way("in blocks, three threads", tf.SessionConfig(specialise_after=0, threads=3), "now"),
    Way("in blocks of NumPy's loops", tf.SessionConfig(specialise_after=1, verify=True), "now"),
    Way("step by step, writes on three threads", tf.SessionConfig(threads=3), "now"),
)


def _not_yet(group: Any, inputs: Any, results: Any, memory: Any) -> None:
    """The native form of a group that is not compiled."""
    memory.is_early = True


def results(seed: int, way: Way, counts: Counter[str] | None = None) -> list[Any]:
    """The fetches of all runs, or how a run failed, and the variables after them; counts what blocks did."""
    program = BlockProgram(seed)
    counts = Counter() if counts is None else counts
    bound = native_blocks.NativeBlock._bound

    def counted(block: Any, inputs: Any) -> Any:
        found = bound(block, inputs)
        counts["runs of blocks"] += 1
        return found

    with ExitStack() as stack, np.errstate(all="ignore"), tf.Session(graph=program.graph, config=way.config) as session:
        stack.enter_context(patch.object(block_search, "AT_ONCE", (1, 2, 3)))
        stack.enter_context(patch.object(block_search, "FEWEST", 1))
        stack.enter_context(patch.object(native_blocks.NativeBlock, "_bound", counted))
        if way.name.startswith("step by step"):
            stack.enter_context(patch.object(block_search, "block_driver", lambda *spent: None))
        if "NumPy" in way.name:
            for promoted in (ShapedGroup, PromotedOp):
                stack.enter_context(patch.object(promoted, "native", _not_yet))
        if "writes" in way.name:
            stack.enter_context(patch.object(pending_writes, "WORTH", 1e-9))
        if way.small:
            stack.enter_context(patch.object(block_program, "PIECE", 0.0))
        mode = Way(way.name, way.config, way.jit)
        stack.enter_context(mode.settings())
        session.run(program.initializer)
        found: list[Any] = []
        for fetches, feeds in program.runs:
            try:
                found += [each for each in session.run(fetches, feeds) if each is not None]
            except tf.errors.OpError as error:
                found.append(type(error).__name__)
        return [*found, *session.run(program.variables)]


def complaint(seed: int, ways: tuple[Way, ...] = WAYS, counts: Counter[str] | None = None) -> str:
    """What differs; "" if nothing does."""
    wanted = results(seed, REFERENCE)
    for way in ways:
        made = results(seed, way, counts)
        for number, (one, other) in enumerate(zip(wanted, made, strict=False)):
            if not _is_same(one, other):
                return f"{way.name}: result {number} is {other}, not {one}"
        if len(wanted) != len(made):
            return f"{way.name}: {len(made)} results, not {len(wanted)}"
    return ""


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return type(one) is type(other) and bool(one == other)
    return same_bits(np.asarray(one), np.asarray(other))


def main() -> int:
    """Print what differs, and how often blocks ran."""
    counts: Counter[str] = Counter()
    done = differ = 0
    for seed in seeds_of("tests.fuzz.of_blocks", __doc__):
        what = complaint(seed, counts=counts)
        done += 1
        if what:
            differ += 1
            print(f"seed {seed}: {what}")
    print(f"{done} programs, {differ} differ; {dict(counts)}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
