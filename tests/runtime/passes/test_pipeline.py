"""Passes never change a result: random graphs run without passes, with all, and with each alone."""

from collections import Counter

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.execution.bind import kernel_for
from penstock.runtime.ir.stage import Notes, Stage
from penstock.runtime.passes.known_sizes import with_known_sizes
from penstock.runtime.passes.pipeline import ALL_PASSES, first_stage, optimise
from penstock.runtime.passes.rules.rule_table import RULES

from ...helpers import nightly, slow
from ...random_graphs import Program, random_program
from .stages import run, stage_of, unlike
from .test_gradients_of_rows import FORMULAS, ROWS, program

# Random graphs broadcast rows against columns on purpose.
pytestmark = pytest.mark.filterwarnings("ignore:.*every entry meets every other one")

CHOICES: list[tuple[str, ...] | None] = [None, *((name,) for name in ALL_PASSES)]
BATCH = 6


def complaint(program: Program) -> str | None:
    """None if every choice of passes gives the same bits, else what differs and the program that shows it."""
    _, fetches, feeds = program.build()
    want = run(fetches, feeds, ())
    for passes in CHOICES:
        differ = unlike(fetches, run(fetches, feeds, passes), want)
        if differ:
            return f"with the passes {passes or ALL_PASSES} other values of {', '.join(differ)}:\n{program}"
    return None


@pytest.mark.parametrize("batch", [0, *nightly(range(1, 10)), *slow(range(10, 20))])
def test_every_choice_of_passes_gives_the_same_bits(batch: int) -> None:
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        print("seed", seed)
        told = complaint(random_program(seed))
        assert told is None, told


@pytest.mark.parametrize("seeds", [range(1000, 1002), *nightly([range(1002, 1006)])], ids=str)
def test_every_choice_of_passes_gives_the_same_bits_where_groups_run_in_tiles(seeds: range) -> None:
    for seed in seeds:
        print("seed", seed)
        told = complaint(random_program(seed, length=20, large=True))
        assert told is None, told


@pytest.mark.nightly
def test_the_random_graphs_and_gradients_without_shapes_meet_most_rules_and_every_pass() -> None:
    met: Counter[str] = Counter()

    def listen(name: str, stage: Stage, notes: Notes) -> None:
        met.update(n.rule for n in notes.notes if n.applied)

    for seed in range(100):
        _, fetches, feeds = random_program(seed).build()
        optimise(first_stage(fetches, (), tuple(feeds)), kernel_for, listener=listen)
    for name in FORMULAS:
        for rows in (1, ROWS):
            with tf.Graph().as_default():
                slopes, values = program(name, "nothing known", rows)
                stage = with_known_sizes(stage_of(slopes, list(values)), [np.shape(each) for each in values.values()])
                optimise(stage, kernel_for, listener=listen)
    assert set(met) >= {"fold", "merge", "fuse", "order"}
    assert len({rule.name for rule in RULES} & set(met)) >= 0.8 * len(RULES)


def test_a_failing_program_prints_as_code_that_builds_it_again() -> None:
    program = random_program(5)
    text = str(program)
    namespace: dict[str, object] = {}
    with tf.Graph().as_default() as graph:
        exec(text, namespace)
    assert [op.type for op in graph.get_operations()] == [op.type for op in program.build()[0].get_operations()]
    assert "# seed 5" in text


def test_a_seed_gives_one_program() -> None:
    assert str(random_program(7)) == str(random_program(7))
    assert str(random_program(7)) != str(random_program(8))


def test_passes_run_in_the_order_of_the_pipeline_whatever_the_order_they_are_named_in() -> None:
    heard: list[str] = []
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2])
        stage = stage_of(tf.exp(x) + tf.sqrt(4.0), [x])
    optimise(stage, kernel_for, ("order", "fold", "fuse"), lambda name, *_: heard.append(name))
    assert heard == ["fold", "fuse", "order"]


def test_no_passes_return_the_stage_itself() -> None:
    with tf.Graph().as_default():
        stage = stage_of(tf.constant(1.0) + 1.0)
    assert optimise(stage, kernel_for, ()) is stage
