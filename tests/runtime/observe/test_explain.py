"""An explanation says what becomes of every node on the way to the plan."""

import dataclasses
from collections.abc import Iterator

import pytest

import penstock as tf
from penstock.graph.model.nodes import Tensor
from penstock.runtime.observe.explain import MOST_LINES, Explanation

from ...helpers import Counter, op_of
from ...random_graphs import random_program


@pytest.fixture
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as made:
        yield made


@pytest.fixture
def page(graph: tf.Graph) -> Explanation:
    """The reference page's pipeline, with something to fold, to merge, to fuse, and something nobody asks for."""
    x = tf.placeholder(tf.float32, ["n"], name="x")
    known = tf.cast(tf.not_equal(x, -1.0, name="mask"), tf.int32, name="known")
    again = tf.cast(tf.not_equal(x, -1.0, name="mask_again"), tf.int32, name="known_again")
    parts = tf.dynamic_partition(x, known, 2, name="parts")
    step = tf.multiply(tf.constant(2.0, name="two"), tf.constant(3.0, name="three"), name="six")
    parts[1] = tf.sqrt(tf.add(parts[1], step, name="shifted"), name="root")
    places = tf.dynamic_partition(tf.range(tf.shape(x)[0], name="numbers"), again, 2, name="places")
    y = tf.dynamic_stitch(places, parts, name="y")
    tf.exp(y, name="unused")
    with tf.Session(graph=graph) as session:
        return session.explain(y, {x: [1.0]})


def test_an_explanation_counts_what_is_built_and_needed(page: Explanation) -> None:
    assert page.fetches == ("y:0",)
    assert page.feeds == ("x:0",)
    assert len(page.built) == len(page.kept) + len(page.pruned)
    assert [str(a) for a in page.pruned] == ["x: fed", "unused: not needed by any fetch"]


def test_each_pass_reports_its_nodes_and_what_it_did(page: Explanation) -> None:
    reports = {report.name: report for report in page.passes}
    assert list(reports) == ["fold", "merge", "simplify", "fuse", "order"]
    assert [n.node for n in reports["fold"].applied] == ["six"]
    assert ("known_again", "known") in [(n.node, n.into) for n in reports["merge"].applied]
    assert [(n.rule, n.node) for n in reports["simplify"].applied] == [("StitchOfPartitions", "y")]
    assert "parts" in reports["merge"].nodes
    assert "parts" not in reports["simplify"].nodes


@pytest.mark.parametrize(
    ("node", "words"),
    [
        ("x", "x: fed"),
        ("unused", "unused: not needed by any fetch"),
        ("six", "six: folded into a constant, then kept: a constant of the plan"),
        ("two", "two: not needed any more after fold"),
        ("parts", "parts: not needed any more after simplify (StitchOfPartitions)"),
        ("places", "places: not needed any more after simplify (StitchOfPartitions)"),
        ("y:0", "y: rewritten by StitchOfPartitions, then "),
        ("known_again", "known_again: merged with known, then not needed any more after simplify"),
        ("mask_again", "mask_again: merged with mask, then "),
        ("shifted", "shifted: replaced by shifted.all, then inside the group "),
    ],
)
def test_why_says_what_became_of_one_node(page: Explanation, node: str, words: str) -> None:
    assert page.why(node).startswith(words)


def test_why_knows_every_node_of_the_graph_and_no_other(page: Explanation) -> None:
    for node in page.built:
        assert page.why(node).removeprefix(f"{node}: ") not in ("", page.why(node))
    with pytest.raises(KeyError, match="no node of that name"):
        page.why("nobody")
    name = next(node for node in page.built if len(node) > 4)
    with pytest.raises(KeyError, match=f"did you mean '{name}'"):
        page.why(name[:-1] + name[-1].swapcase())


def test_an_explanation_prints_every_stage(page: Explanation) -> None:
    text = str(page)
    headlines = [line.partition(":")[0] for line in text.splitlines() if not line.startswith(" ")]
    passes = ["fold", "merge", "simplify", "fuse", "order"]
    assert headlines == ["fetching y", "built", "pruned", *passes, "plan", "memory"]
    assert "  StitchOfPartitions, 1 time: dynamic_stitch(dynamic_partition(range(n), p, K)" in text
    assert "    known_again with known\n" in text
    assert str(page.plan).splitlines()[-1] in text


def test_an_explanation_is_frozen_data(page: Explanation) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        page.fetches = ()  # type: ignore[misc]  # what the test is about


def test_the_plan_is_the_one_that_runs(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, ["n"])
    y = tf.exp(x + 1.0) * 2.0
    with tf.Session(graph=graph) as session:
        explained, ran = session.explain(y, {x: [1.0]}).plan, session.plan(y, [x])
        assert str(explained) == str(ran)


def test_nothing_is_run(graph: tf.Graph) -> None:
    kernel = Counter()
    with op_of(kernel) as counted, tf.Session(graph=graph) as session:
        x = tf.placeholder(tf.float32, [2])
        session.explain(counted(x), {x: [1.0, 2.0]})
    assert kernel.calls == 0


def test_what_lies_behind_a_fed_tensor_is_named_with_it(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [2], name="x")
    middle = tf.exp(tf.sin(x, name="inner"), name="middle")
    y = tf.sqrt(middle, name="y")
    with tf.Session(graph=graph) as session:
        found = session.explain(y, {middle: [1.0, 2.0]})
    assert [str(a) for a in found.pruned] == [
        "x: behind the fed tensor middle:0", "inner: behind the fed tensor middle:0", "middle: fed"
    ]  # fmt: skip


def test_a_feed_nobody_needs_is_told(graph: tf.Graph) -> None:
    x, y = tf.placeholder(tf.float32, [2], name="x"), tf.placeholder(tf.float32, [2], name="y")
    with tf.Session(graph=graph) as session:
        found = session.explain(tf.exp(x), {x: [1.0, 2.0], y: [1.0, 2.0]})
    assert found.why("y") == "y: fed, but not needed by any fetch"


def test_a_near_miss_is_told_with_its_reason(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [2])
    y = tf.add(x, 0.0, name="y")
    with tf.Session(graph=graph) as session:
        found = session.explain(y, {x: [1.0, 2.0]})
    assert "  near misses:\n    NeutralElement not at y: -0.0 + 0.0 is 0.0\n" in str(found)
    (note,) = [n for report in found.passes for n in report.refused]
    assert (note.rule, note.node) == ("NeutralElement", "y")


def test_passes_that_do_not_run_are_not_reported(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [2])
    with tf.Session(graph=graph, config=tf.SessionConfig(passes=("fuse",))) as session:
        found = session.explain(tf.exp(x) + 1.0, {x: [1.0, 2.0]})
    assert [report.name for report in found.passes] == ["fuse"]
    assert found.why("Exp").startswith("Exp: inside the group ")


def test_long_lists_are_cut_in_the_text_and_whole_in_the_data(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [2])
    y: Tensor = x
    for i in range(MOST_LINES + 5):
        y = y + tf.sqrt(tf.constant(float(i)))
    with tf.Session(graph=graph) as session:
        found = session.explain(y, {x: [1.0, 2.0]})
    assert "    ... and 5 more\n" in str(found)
    assert len(found.passes[0].applied) == MOST_LINES + 5


def test_an_operation_can_be_explained_too(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [2])
    done = tf.group(tf.exp(x, name="work"), name="done")
    with tf.Session(graph=graph) as session:
        found = session.explain(done, {x: [1.0, 2.0]})
    assert found.fetches == ("done",)
    assert "work" in found.kept


def test_every_node_of_random_graphs_has_a_fate() -> None:
    for seed in range(10):
        made, fetches, feeds = random_program(seed).build()
        with tf.Session(graph=made) as session:
            found = session.explain(fetches, feeds)
        for node in found.built:
            assert found.why(node).removeprefix(f"{node}: "), (seed, node)
        assert str(found)


def test_versions_say_which_read_sees_which_write() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable(1.0, name="v")
        before = v.read_value()
        with tf.control_dependencies([before]):
            first = v.assign_add(1.0, name="first")
        with tf.control_dependencies([first]):
            second = v.assign(before * 2.0, name="second")
        with tf.control_dependencies([second]):
            after = tf.add(v.read_value(), 2.0, name="after")
        lines = str(tf.Session(graph=graph).explain([before, after])).splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("versions:"))
    assert lines[at + 1 : at + 5] == [
        "    v/read reads v as it is at the start", "    first writes v", "    second writes v",
        "    v/read_1 reads v as second leaves it",
    ]  # fmt: skip
