"""Random programs give in shards what they give as a whole: all bits, but where floats are summed in another order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf

from ...helpers import nightly
from ...op_samples import same
from ...random_graphs import Program, random_program, resizable_program
from ...random_graphs.program import ROWS

COUNTS = (2, 3, 5)


def outcome(session: tf.Session, fetches: Any, feeds: Any) -> Any:
    """The values, or the kind of the error."""
    with np.errstate(all="ignore"):
        try:
            return [np.asarray(v, object if isinstance(v, bytes) else None) for v in session.run(fetches, feeds)]
        except tf.errors.OpError as error:
            return type(error).__name__


def check(program: Program, dimension: str, rows: tuple[int, ...] = ()) -> int:
    """The number of operations that ran in shards."""
    graph, fetches, feeds = program.build()
    if not feeds:
        return 0
    whole = tf.Session(graph=graph)
    given = [dict(feeds)] if not rows else [dict(zip(feeds, program.resized(n), strict=True)) for n in rows]
    wanted = [outcome(whole, fetches, each) for each in given]
    for count in COUNTS:
        with tf.Session(graph=graph, config=tf.SessionConfig(shard={dimension: count}, verify=True)) as session:
            for values, whole_values in zip(given, wanted, strict=True):
                found = outcome(session, fetches, values)
                assert isinstance(found, str) == isinstance(whole_values, str), f"{program}\n{count} shards: {found}"
                if isinstance(found, str):
                    assert found == whole_values, f"{program}\n{count} shards"
                    continue
                for tensor, a, b in zip(fetches, whole_values, found, strict=True):
                    assert close(a, b), f"{program}\n{count} shards: {tensor.name} is {b}, not {a}"
    with tf.Session(graph=graph, config=tf.SessionConfig(shard={dimension: 2})) as session:
        report = session.explain(fetches, list(feeds)).shards
    return 0 if report is None else len(report.in_shards)


def close(a: Any, b: Any) -> bool:
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if same(a, b):
        return True
    few = 3e-2 if a.dtype.itemsize == 2 else 1e-4
    inexact = a.dtype.kind in "fcV" or a.dtype.name == "bfloat16"
    return inexact and np.allclose(a.astype(complex), b.astype(complex), few, few, equal_nan=True)


@pytest.mark.parametrize("seeds", [range(4), *nightly([range(4, 16)])], ids=str)
def test_resizable_programs(seeds: range) -> None:
    check_resizable(seeds)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_more_resizable_programs(block: int) -> None:
    check_resizable(range(100 + block * 20, 120 + block * 20))


def check_resizable(seeds: range) -> None:
    ran = 0
    for seed in seeds:
        program = resizable_program(seed)
        program.lines = [line.replace("[None", "['rows'") for line in program.lines]
        ran += check(program, "rows", (ROWS, 1, 0))
    assert ran > len(seeds)


@pytest.mark.parametrize("seeds", [range(4), *nightly([range(4, 16), range(16, 32)])], ids=str)
def test_programs_of_every_kind_of_op(seeds: range) -> None:
    check_every_kind(seeds)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_more_programs_of_every_kind_of_op(block: int) -> None:
    check_every_kind(range(100 + block * 40, 140 + block * 40))


def check_every_kind(seeds: range) -> None:
    ran = 0
    for seed in seeds:
        program = random_program(seed)
        program.lines = [named(line) if "placeholder" in line else line for line in program.lines]
        ran += check(program, "rows")
    assert ran > len(seeds) // 2


def named(line: str) -> str:
    """A placeholder's line with the name "rows" for the size 4."""
    for old, new in (("'n4'", "'rows'"), ("[4", "['rows'"), (" 4", " 'rows'")):
        line = line.replace(old, new)
    return line
