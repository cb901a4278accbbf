"""A run that fails or is interrupted leaves all variables with their old values, or all with their new ones."""

from __future__ import annotations

import numpy as np
import pytest

import penstock as tf

from ..interrupts import interrupted_at, lines_of
from .sequential_graph import Built
from .sequential_programs import Array, Program, Run, chooser, new_node, new_program, new_run

pytestmark = pytest.mark.usefixtures("no_collector_callbacks")


def program_of(seed: int, nodes: int = 14) -> Program:
    """A random program that has several writes."""
    choose = chooser(seed)
    program = new_program(choose)
    while len(program.nodes) < nodes or sum(node.kind == "write" for node in program.nodes) < 3:
        program.nodes.append(new_node(choose, program))
    return program


def everything(program: Program) -> Run:
    """A run of all nodes."""
    return Run([], list(range(len(program.nodes))), {})


def values_after(program: Program, run: Run) -> list[list[Array]]:
    """The values that each variable has before and after a run."""
    copy = Program(program.dtype, list(program.values), program.nodes)
    copy.run(run)
    return [[old, new] for old, new in zip(program.values, copy.values, strict=True)]


def changed(got: list[Array], allowed: list[list[Array]]) -> bool:
    """Whether the variables are at the second of two moments; if not, they are all at the first."""
    for moment, values in enumerate(zip(*allowed, strict=True)):
        if all(np.array_equal(x, y, equal_nan=x.dtype.kind == "f") for x, y in zip(got, values, strict=True)):
            return bool(moment)
    raise AssertionError(f"neither before the run nor after it: {got}, {allowed}")


def noted(error: BaseException) -> bool:
    """Whether an error says that variables were written."""
    return any("had written its variables" in note for note in getattr(error, "__notes__", ()))


@pytest.mark.parametrize("passes", [None, ()], ids=["all passes", "no passes"])
@pytest.mark.parametrize("seed", range(12))
def test_every_write_fails_once(seed: int, passes: tuple[str, ...] | None) -> None:
    program = program_of(seed)
    built = Built(program, traps=True)
    run = everything(program)
    with np.errstate(all="ignore"), tf.Session(graph=built.graph, config=tf.SessionConfig(passes=passes)) as session:
        session.run(built.initializer)
        for place, node in enumerate(program.nodes):
            if node.kind != "write":
                continue
            program.values = built.values(session)
            allowed = values_after(program, run)
            built.armed = place
            with pytest.raises(Exception) as caught:
                built.run(session, run)
            assert "Trapped" in f"{caught.type.__name__} {caught.value} {caught.value.__cause__!r}"
            got = built.values(session)
            assert not changed(got, allowed) and not noted(caught.value)
        built.armed = -1
        program.values = built.values(session)
        got_now = built.run(session, Run(list(range(len(program.values))), run.targets, {}))
        program.run(run)
        assert len(got_now) == len(program.values)
        assert not changed(built.values(session), [[value] for value in program.values])


@pytest.mark.parametrize("seed", range(6))
def test_a_run_that_is_interrupted_at_any_line_leaves_all_old_or_all_new_values(seed: int) -> None:
    program = program_of(100 + seed, nodes=10)
    built = Built(program)
    run = everything(program)
    with np.errstate(all="ignore"), tf.Session(graph=built.graph) as session:
        session.run(built.initializer)
        built.run(session, run)  # the plan is made
        program.run(run)
        lines = lines_of(lambda: built.run(session, run))
        program.run(run)
        for line in range(1 + seed % 3, lines + 1, 3):
            allowed = values_after(program, run)
            was_struck = interrupted_at(line, lambda: built.run(session, run))
            got = built.values(session)
            changed(got, allowed)
            if not was_struck:  # the number of lines may differ from run to run
                assert not changed(got, [[new] for _, new in allowed])
            program.values = got
        program.run(run)
        built.run(session, run)
        assert not changed(built.values(session), [[value] for value in program.values])


def test_a_run_that_fails_before_its_first_write_changes_nothing_and_notes_nothing() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable([1.0, 2.0], name="v")
        x = tf.placeholder(tf.int32, [])
        write = v.assign_add(tf.cast(tf.floordiv([4, 6], x), tf.float32))
        session.run(v.initializer)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(write, {x: 0})
        assert session.run(v).tolist() == [1.0, 2.0] and not noted(caught.value)
        assert session.run(write, {x: 2}).tolist() == [3.0, 5.0]


def test_random_runs_after_failed_ones_still_do_what_the_model_says() -> None:
    for seed in range(20):
        choose = chooser(1000 + seed)
        program = program_of(200 + seed)
        built = Built(program, traps=True)
        writes = [place for place, node in enumerate(program.nodes) if node.kind == "write"]
        with np.errstate(all="ignore"), tf.Session(graph=built.graph) as session:
            session.run(built.initializer)
            for _ in range(6):
                run = new_run(choose, program)
                if program.writes_what_is_fed(run):
                    continue
                built.armed = writes[choose(len(writes))] if choose(2) else -1
                allowed = values_after(program, run)
                try:
                    built.run(session, run)
                except tf.errors.OpError:
                    assert built.armed >= 0
                    assert not changed(built.values(session), allowed)
                else:
                    program.run(run)
                    assert not changed(built.values(session), [[value] for value in program.values])
