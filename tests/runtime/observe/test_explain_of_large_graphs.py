"""What explanations of large graphs hold grows with the number of nodes and no faster."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import penstock as tf
from penstock.cli import main
from penstock.graph.inspect.text_table import folded
from penstock.runtime.observe.explain import MOST_RACES
from penstock.runtime.passes.rules.join_split import MOST_JOINED

from ...helpers import nightly


def test_pairs_in_a_race_are_listed_up_to_a_number() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default() as graph:
        v = tf.Variable(1.0, name="v")
        writes = [v.assign_add(1.0).op for _ in range(90)]
        found = session.explain(writes)
        assert found.races.is_cut and MOST_RACES <= len(found.races) < MOST_RACES + 90
        assert f"races: at least {len(found.races)} pairs that no path orders" in str(found)
        few = session.explain(writes[:20])
        assert not few.races.is_cut and len(few.races) == 190
        assert "races: 190 pairs" in str(few)
        assert len(graph.races()) == 90 * 89 // 2 and not graph.races().is_cut


def test_a_chain_of_concats_holds_no_lists_as_long_as_itself() -> None:
    count = 3 * MOST_JOINED
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = y = tf.placeholder(tf.float32, ["n"], name="x")
        for _ in range(count):
            y = tf.concat(0, [y, x])
        found = session.explain(y)
        operands = [len(op.inputs) for stage in found.stages[1:] for op in stage.operations]
        assert max(operands) <= MOST_JOINED + 1
        assert len(found.stages[-1].operations) < 10  # and yet a few concats do it
        assert session.run(y, {x: [1.0, 2.0]}).shape == (2 * (count + 1),)


def test_a_line_that_begins_with_many_spaces_is_folded() -> None:
    assert folded([" " * 300 + "x"], 20)[-1].strip() == "x"
    assert folded([" " * 300 + "name " * 100], 40)[-1].endswith("name ")


def test_the_rank_of_a_long_chain_is_explained_without_comparing_its_tensors() -> None:
    with tf.Graph().as_default():
        x = y = tf.placeholder(tf.float32, name="x")
        for _ in range(300):
            y = tf.matmul(y, y)
        reason = tf.why_unknown(y)[0]
    assert reason.tensor is x and len(reason.path) == 301


def calls_of(work: Callable[[], object]) -> int:
    """How many Python functions are called, steps of generators included: a measure of time without a clock."""
    counts = Counter[str]()
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, _: counts.update((event,)))
    try:
        work()
    finally:
        sys.setprofile(before)
    return counts["call"]


@pytest.mark.parametrize("kind", ["a chain", *nightly(["a concat", "a sum", "a stack"])])
def test_four_times_the_nodes_take_four_times_as_long_to_explain(kind: str, tmp_path: Path) -> None:
    def explained(count: int) -> int:
        with tf.Graph().as_default() as graph:
            x = tf.placeholder(tf.float32, [None], name="x")
            parts = [tf.sin(x) for _ in range(count)]
            if kind == "a chain":
                for _ in range(count):
                    x = tf.sin(x)
            else:
                {"a sum": tf.add_n, "a concat": lambda p: tf.concat(0, p), "a stack": tf.pack}[kind](parts)
        path = str(tf.save_graph(graph, tmp_path / "g.json"))
        return calls_of(lambda: main(["explain", path]))

    explained(20)  # what is made once
    few, many = explained(50), explained(200)
    assert many < 5 * few
