"""Random programs of reads, writes, control edges, fetches and feeds do what the sequential model says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import penstock as tf

from ..fuzz.ways import Way, ways_for
from ..helpers import examples, nightly, slow
from .sequential_graph import Built
from .sequential_programs import (
    Array,
    Choose,
    Node,
    Program,
    Run,
    chooser,
    new_node,
    new_node_of_any_kind,
    new_program,
    new_run,
)


def quick_seeds(start: int, count: int) -> list[Any]:
    """120 seeds, of which every run takes the first ones; 24 are as many as there are ways to run a program."""
    first, later = start + count, start + 48
    return [*range(start, first), *nightly(range(first, later)), *slow(range(later, start + 120))]


NewNode = Callable[[Choose, Program], Node]


def text_of(program: Program, runs: list[Run]) -> str:
    """A program and its runs in words, for a failure."""
    nodes = "\n".join(f"  {place}: {node}" for place, node in enumerate(program.nodes))
    asked = "\n".join(f"  fetch {r.fetches}, run {r.targets}, feed {sorted(r.feeds)}" for r in runs)
    return f"{program.dtype}, {len(program.values)} variables\n{nodes}\n{asked}"


def check(
    choose: Choose, way: Way, rounds: int = 4, nodes: int = 8, runs: int = 3, new_node: NewNode = new_node
) -> None:
    """One random program: some nodes are added, some runs are compared, and so on."""
    program = new_program(choose)
    built = Built(program)
    done: list[Run] = []
    with np.errstate(all="ignore"), way.settings(), tf.Session(graph=built.graph, config=way.config) as session:
        session.run(built.initializer)
        for _ in range(rounds):
            program.nodes += [new_node(choose, program) for _ in range(1)]
            for _ in range(choose(nodes)):
                program.nodes.append(new_node(choose, program))
            built.add()
            built.initialize(session)
            for _ in range(runs):
                done.append(new_run(choose, program))
                compare(built, session, done[-1], way, lambda: text_of(program, done))


def compare(built: Built, session: tf.Session, run: Run, way: Way, text: Any) -> None:
    """One run in the engine and in the model."""
    program = built.program
    if program.writes_what_is_fed(run):
        with pytest.raises(ValueError, match="is fed, and the run writes that variable"):
            built.run(session, run)
    else:
        got = built.run(session, run, way.call)
        same(got, program.run(run)[0], text)
    same(built.values(session), program.values, text)


def same(got: list[Any], want: list[Array], text: Any) -> None:
    """Bit-equal arrays, but for the bits of NaNs."""
    assert len(got) == len(want)
    for a, b in zip(got, want, strict=True):
        assert a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f"), f"{text()}\n{a}\n{b}"


@pytest.mark.parametrize("seed", quick_seeds(0, 8))
def test_a_random_program_does_what_the_model_says_in_every_way_to_run_it(seed: int) -> None:
    for way in ways_for(seed):
        check(chooser(seed), way)


@pytest.mark.parametrize("seed", quick_seeds(1000, 12))
def test_a_random_program_with_optimizers_random_numbers_and_partitions_does_what_the_model_says(seed: int) -> None:
    for way in ways_for(seed):
        check(chooser(seed), way, nodes=6, new_node=new_node_of_any_kind)


@given(st.data())
@settings(max_examples=examples(2), deadline=None, suppress_health_check=list(HealthCheck))
def test_programs_of_hypothesis_do_what_the_model_says(data: st.DataObject) -> None:
    check(lambda below: data.draw(st.integers(0, below - 1)), ways_for(1)[0], rounds=2, nodes=5, runs=2)


def test_two_variables_that_are_assigned_one_value_do_not_share_memory() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        a, b, c = (tf.Variable(np.full(3, i, "f4"), name=name) for i, name in enumerate("abc"))
        both = a.assign(b.assign_add([1.0, 1.0, 1.0]))
        three = [v.assign(c.value() * 2.0) for v in (a, b, c)]
        session.run(tf.global_variables_initializer())
        session.run(both.op)
        session.run(b.assign_add([5.0, 5.0, 5.0]))
        assert session.run([a, b])[0].tolist() == [2, 2, 2] and session.run(b).tolist() == [7, 7, 7]
        session.run([each.op for each in three])
        session.run([a.assign_add([1.0, 1.0, 1.0]), c.assign_sub([1.0, 1.0, 1.0])])
        assert [v.tolist()[0] for v in session.run([a, b, c])] == [5, 4, 3]
