"""Stepping through fused groups: from member to member, as in a graph as it was written, with the bits of the group."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.runtime.debugger.debugger import Debugger

from ...helpers import frames_of

Built = tuple[tf.Graph, Any, dict[Any, Any]]


def network() -> Built:
    """Elementwise ops, reductions at the end and in the middle, a softmax, a layer norm."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["rows", 40], name="x")
        w = tf.constant(np.linspace(-1, 1, 40, dtype=np.float32), name="w")
        gate = tf.tanh(tf.add(tf.multiply(x, w, name="scaled"), 0.25, name="moved"), name="gate")
        chosen = tf.nn.softmax(tf.multiply(gate, 3.0, name="sharp"), name="chosen")
        centred = tf.subtract(chosen, tf.reduce_mean(chosen, 1, keep_dims=True, name="mean"), name="centred")
        spread = tf.reduce_mean(tf.square(centred), 1, keep_dims=True, name="spread")
        normed = tf.multiply(centred, tf.rsqrt(tf.add(spread, 1e-5, name="safe"), name="inverse"), name="normed")
        total = tf.reduce_sum(tf.exp(normed, name="grown"), name="total")
    return graph, [normed, total], {x: np.random.default_rng(3).normal(size=(30, 40)).astype(np.float32)}


def training() -> Built:
    """A loss, its gradient, and Adam."""
    rng = np.random.default_rng(4)
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["rows", 5], name="x")
        labels = tf.placeholder(tf.float32, ["rows", 3], name="labels")
        w = tf.Variable(rng.normal(size=(5, 3)).astype(np.float32), name="w")
        logits = tf.matmul(tf.nn.relu(tf.multiply(x, 2.0)), w)
        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(logits, labels), name="loss")
        step = tf.train.AdamOptimizer(0.1).minimize(loss)
    return graph, [loss, step], {x: rng.normal(size=(7, 5)), labels: np.eye(3)[rng.integers(0, 3, 7)]}


def looping() -> Built:
    """Groups in the body of a loop, and in a branch."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")

        def body(i: tf.Tensor, v: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            less = tf.subtract(tf.sin(v, name="wave"), 0.125, name="less")
            more = tf.cond(i > 1, lambda: tf.exp(tf.negative(less, name="turned"), name="grown"), lambda: less)
            return i + 1, tf.multiply(tf.square(more, name="square"), 1.5, name="h")

        loop = tf.while_loop(lambda i, v: i < 4, body, [0, x], name="steps")
        out = tf.sqrt(tf.add(loop[1], 1.0, name="more"), name="out")
    return graph, out, {x: np.linspace(-2, 2, 9, dtype=np.float32)}


BUILDERS: list[Callable[[], Built]] = [network, training, looping]


@pytest.fixture(params=["off", "now", "on"])
def tier(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Interpreted, compiled at once, and compiled where it pays."""
    monkeypatch.setattr(jit, "mode", request.param)
    return str(request.param)


def opened(build: Callable[[], Built], fused: bool = True) -> Debugger:
    """A debugger of a run."""
    graph, fetches, feed = build()
    session = tf.Session(graph=graph)
    with graph.as_default():
        session.run(tf.global_variables_initializer())
    return session.debug(fetches, feed, fused=fused)


def run_of(build: Callable[[], Built]) -> list[Any]:
    """What the run itself gives."""
    graph, fetches, feed = build()
    with tf.Session(graph=graph) as session, graph.as_default():
        session.run(tf.global_variables_initializer())
        result = session.run(fetches, feed)
    return list(result) if isinstance(result, list) else [result]


def same_bits(one: Any, other: Any) -> bool:
    """Whether two values are equal, NaN and -0.0 included."""
    return np.asarray(one).dtype == np.asarray(other).dtype and np.asarray(one).tobytes() == np.asarray(other).tobytes()


def seen(dbg: Debugger) -> dict[tuple[str, int], Any]:
    """The values of all tensors of a run, step by step: (name, how often it was made before) -> value."""
    found: dict[tuple[str, int], Any] = {}
    counts: dict[str, int] = {}
    while not dbg.has_ended:
        dbg.step()
        for frame, position, results in dbg._stepper.made:
            names = frame.code.results[position] if position not in frame.code.groups else ()
            for name, value in zip(names, results, strict=False):
                found[name, counts.get(name, 0)] = np.array(value)
                counts[name] = counts.get(name, 0) + 1
    return found


@pytest.mark.parametrize("build", BUILDERS)
def test_steps_inside_groups_have_the_bits_of_the_run(build: Callable[[], Built], tier: str) -> None:
    dbg = opened(build)
    groups = [step for step in dbg.record().plan.steps if step.op == "Fused"]
    assert groups
    stepped = seen(dbg)
    outcome = dbg.finish()
    for one, other in zip(outcome if isinstance(outcome, list) else [outcome], run_of(build), strict=True):
        assert one is other is None or same_bits(one, other)
    as_written = seen(opened(build, fused=False))
    common = stepped.keys() & as_written.keys()
    members = {name for group in groups for name in group.args[-1].nodes}
    assert len({name.partition(":")[0] for name, _ in common} & members) >= 2
    assert [key for key in common if not same_bits(stepped[key], as_written[key])] == []


@pytest.mark.parametrize("build", BUILDERS)
def test_what_a_member_has_is_the_same_stepped_or_not(build: Callable[[], Built], tier: str) -> None:
    stepped = opened(build)
    while not stepped.has_ended:
        stepped.step()
    whole = opened(build)
    while not whole.has_ended:
        whole.next()
    code = frames_of(whole)[0].code
    assert code.members
    for name in code.members:
        assert same_bits(stepped.value(name), whole.value(name)), name
    assert set(code.members) <= set(whole.computed)


def test_a_step_goes_in_and_out_goes_out() -> None:
    dbg = opened(network)
    first = dbg.step()
    assert (first.node, first.op) == ("scaled", "Mul") and first.inside[0].startswith("group ")
    assert dbg.step().node == "moved"
    where = str(dbg.where())
    assert 'x  "scaled:0" float32 (rows, 40), here [30, 40]' in where and "(Fused)" in where
    assert [frame.op for frame in dbg.frames()] == ["Fused"] and dbg.frames()[0].variables == ()
    assert "moved" in dbg.listing() and dbg.back().node == "scaled"
    assert dbg.until("chosen").op == "Softmax"
    assert dbg.out().inside == ()
    dbg.goto(0)
    group = dbg.here.node
    assert dbg.next().inside == () and dbg.here.node != group


def test_patterns_and_conditions_stop_inside() -> None:
    dbg = opened(network)
    assert dbg.until("centred").node == "centred" and dbg.here.inside
    made = dbg.break_at("total")
    stop = dbg.go()
    assert stop.node == "total" and stop.inside and stop.reason == "breakpoint 1: before total"
    dbg.delete(made)
    assert dbg.go().node == ""
    dbg.goto(0)
    dbg.break_on(lambda name, value: bool((value < -0.5).any()), names="gate")
    assert "gate:0" in dbg.go().reason
    assert dbg.value("gate").min() < -0.5


@pytest.mark.parametrize("is_whole", [True, False])
def test_back_to_a_member(is_whole: bool) -> None:
    dbg = opened(network)
    while not dbg.has_ended:
        if is_whole:
            dbg.next()
        else:
            dbg.step()
    stop = dbg.back_to("moved")
    assert stop.node == "moved" and stop.inside
    assert dbg.value("scaled").shape == (30, 40)
    with pytest.raises(tf.errors.GraphError, match="not computed yet"):
        dbg.value("gate")


@pytest.mark.parametrize("how", ["before", "inside", "after whole", "after stepped"])
@pytest.mark.parametrize("name", ["moved", "mean", "w", "x", "chosen"])
def test_set_gives_what_a_graph_as_written_gives(how: str, name: str) -> None:
    rng = np.random.default_rng(5)
    written = opened(network, fused=False)
    shape = {"w": (40,), "mean": (30, 1)}.get(name, (30, 40))
    value = rng.normal(size=shape).astype(np.float32)
    written.set(name, value)
    expected = written.finish()
    dbg = opened(network)
    if how == "inside":
        dbg.until("spread")
    while how.startswith("after") and not dbg.has_ended:
        if how == "after whole":
            dbg.next()
        else:
            dbg.step()
    where = dbg.here.node
    dbg.set(name, value)
    assert dbg.here.node == where
    if how != "before":
        assert "it depends on what was set" in str(dbg.why("centred")) and f"{name}:0" in str(dbg.why("centred"))
        assert same_bits(dbg.value("centred"), written.value("centred"))
    assert all(same_bits(a, b) for a, b in zip(dbg.finish(), expected, strict=True))
    again = opened(network)
    again.set(name, value)
    again.go()
    again.unset(name)
    assert all(same_bits(a, b) for a, b in zip(again.finish(), run_of(network), strict=True))


def test_why_names_the_member_where_nan_begins() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n"], name="x")
        less = tf.subtract(x, 1.0, name="less")
        y = tf.multiply(tf.sqrt(less, name="root"), 2.0, name="y")
    session = tf.Session(graph=graph)
    dbg = session.debug(y, {x: [2.0, 0.5]}, fused=True)
    assert "its fused group is step 1 of 1" in str(dbg.why("root"))
    dbg.next()
    why = dbg.why("y")
    assert why.origin == "root:0" and 'x  "less:0" float32 [2], at [1]: -0.5' in str(why)
    dbg.goto(0)
    dbg.break_on(nan=True)
    stop = dbg.go()
    assert stop.reason.startswith("breakpoint 1: root:0: 1 of 2 elements, the first at [1]: nan") and stop.node == "y"


def test_a_member_that_fails_is_named() -> None:
    with tf.Graph().as_default() as graph:
        n = tf.placeholder(tf.int32, ["n"], name="n")
        y = tf.add(tf.floordiv(10, tf.subtract(n, 1, name="less"), name="parts"), 1, name="y")
    session = tf.Session(graph=graph)
    dbg = session.debug(y, {n: [3, 1]}, fused=True)
    stop = dbg.run_to_failure()
    if dbg.record().plan.steps[0].op == "Fused":
        assert stop.inside
    assert stop.node == "parts" and dbg.error is not None and "parts" in str(dbg.error)
    dbg.set("less", [5, 2])
    np.testing.assert_array_equal(dbg.finish(), [3, 6])


@pytest.mark.parametrize("is_whole", [True, False])
def test_members_in_a_loop_have_addresses(is_whole: bool) -> None:
    written = opened(looping, fused=False)
    written.go()
    dbg = opened(looping)
    while dbg.here.node not in ("more", "out") or dbg.here.inside:
        if is_whole:
            dbg.next()
        else:
            dbg.step()
    for address in ("steps[0]/wave", "steps[3]/less", "steps[2]/turned", "steps[3]/square", "steps[1]/h"):
        assert same_bits(dbg.value(address), written.value(address)), address
    stop = dbg.back_to("*/square") if not is_whole else dbg.goto(0)
    if not is_whole:
        assert stop.inside[0] == "steps[3]" and stop.inside[1].startswith("group ")
        assert same_bits(dbg.value("less"), written.value("steps[3]/less"))
        assert [frame.op for frame in dbg.frames()] == ["Fused", "While"]


def test_a_watched_value_inside_a_group_is_shown() -> None:
    dbg = opened(network)
    dbg.watch("mean")
    assert dbg.here.watched == ("mean = not computed yet",)
    dbg.until("centred")
    assert dbg.here.watched[0].startswith("mean = 0.0")
    dbg.go()
    assert dbg.here.watched[0].startswith("mean = 0.0")


def test_the_page_of_a_run_that_stands_inside_a_group() -> None:
    dbg = opened(network)
    dbg.until("centred")
    assert dbg.record().debugged is not None
    html = dbg._repr_html_()
    assert html is not None and "it stands before step" in html


def test_a_listing_shows_each_result_of_a_group_in_its_own_row() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        first = tf.subtract(1.0, x, name="first")
        last = tf.exp(tf.multiply(first, 2.0, name="double"), name="last")
    dbg = tf.Session(graph=graph).debug([first, last], {x: [1.0, 2.0]}, fused=True)
    dbg.next()
    rows = {line.split()[-4 if ">" in line else 1]: line for line in dbg.listing().splitlines()[1:-1]}
    assert "[ 0. -1.]" in rows["first"] and "[ 0. -2.]" in rows["double"] and dbg.has_ended
    (own,) = [line for line in dbg.listing().splitlines() if " last " in line]
    assert "Fused" in own and "[1." in own
