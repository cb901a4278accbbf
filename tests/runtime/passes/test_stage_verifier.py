"""The verifier finds what is wrong with a stage."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

import penstock as tf
from penstock.errors import InternalError
from penstock.graph.model.append import append_operation
from penstock.runtime.execution.bind import kernel_for
from penstock.runtime.ir.stage import Notes, Stage
from penstock.runtime.passes.pipeline import optimise
from penstock.runtime.passes.stage_verifier import verify

from ...helpers import op_of
from .stages import stage_of


@pytest.fixture(autouse=True)
def _default() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def chain() -> Stage:
    """x -> exp -> neg -> fetch."""
    x = tf.placeholder(tf.float32, [2], name="x")
    return stage_of(tf.negative(tf.exp(x, name="exp"), name="neg"), [x])


BROKEN: list[tuple[Callable[[Stage], Stage], str]] = [
    (lambda s: replace(s, operations=s.operations[::-1]), "'neg' reads 'exp:0', which nothing before it makes"),
    (lambda s: replace(s, operations=s.operations[1:]), "'neg' reads 'exp:0', which nothing before it makes"),
    (lambda s: replace(s, operations=s.operations[:1]), "the fetch 'neg:0' is not made by any node"),
    (lambda s: replace(s, operations=(*s.operations, s.operations[1])), "2 nodes are called 'neg'"),
    (lambda s: replace(s, feeds=()), "'exp' reads 'x:0', which nothing before it makes"),
    (lambda s: replace(s, targets=(s.feeds[0].op,)), "the target 'x' does not run"),
    (lambda s: replace(s, pinned=(tf.constant(1.0, name="c"),)), "the fetch 'c:0' is not made by any node"),
]


@pytest.mark.parametrize(("spoil", "words"), BROKEN)
def test_a_stage_that_cannot_run_is_named(spoil: Callable[[Stage], Stage], words: str) -> None:
    stage = chain()
    verify(stage)
    with pytest.raises(InternalError, match="verify: ") as caught:
        verify(spoil(stage))
    assert words in str(caught.value)


def test_a_node_without_origin_is_named() -> None:
    stage = chain()
    graph = tf.Graph()
    exp = stage.operations[0]
    outputs = [(t.dtype, t.shape) for t in exp.outputs]
    orphan = append_operation(graph, exp.opdef, exp.args, exp.inputs, outputs, "orphan", ())
    with pytest.raises(InternalError, match="'orphan' has no origin"):
        verify(replace(stage, operations=(orphan,), fetches=orphan.outputs))


def test_a_node_that_waits_for_one_that_runs_later_is_named() -> None:
    x = tf.placeholder(tf.float32, [2])
    first = tf.exp(x, name="first")
    with tf.control_dependencies([first]):
        second = tf.sin(x, name="second")
    stage = stage_of(second, [x])
    verify(stage)
    with pytest.raises(InternalError, match="'second' waits for 'first', which does not run before it"):
        verify(replace(stage, operations=stage.operations[::-1]))


def test_a_pass_may_not_change_what_the_user_asked_for() -> None:
    stage = chain()
    exp = stage.operations[0].outputs[0]
    with pytest.raises(InternalError, match="a pass changed the number of fetches"):
        verify(replace(stage, fetches=(*stage.fetches, exp)), stage)
    with pytest.raises(InternalError, match="a pass changed what is fed"):
        verify(replace(stage, feeds=(*stage.feeds, tf.placeholder(tf.float32))), stage)
    as_int = stage_of(tf.cast(exp, tf.int32), stage.feeds)
    with pytest.raises(InternalError, match="changed from float32 to int32"):
        verify(as_int, stage)
    longer = stage_of(tf.concat(0, [exp, exp]), stage.feeds)
    with pytest.raises(InternalError, match=r"changed its shape from \(2,\) to \(4,\)"):
        verify(longer, stage)


def test_a_pass_may_not_change_the_order_of_effects() -> None:
    x = tf.placeholder(tf.float32, [2])
    with op_of(lambda x: x, stateful=True) as effect:
        stage = stage_of([effect(x), effect(x)], [x])
    with pytest.raises(InternalError, match="because of their effects"):
        verify(replace(stage, operations=stage.operations[::-1]), stage)


def test_a_pass_may_not_drop_what_writes() -> None:
    x = tf.placeholder(tf.float32, [2])
    with op_of(lambda x: x, stateful=True) as effect:
        stage = stage_of([effect(x), tf.exp(x)], [x])
    without = replace(stage, operations=stage.operations[1:], fetches=stage.fetches[1:])
    with pytest.raises(InternalError, match="does not run any more"):
        verify(without, replace(stage, fetches=stage.fetches[1:]))


def test_a_broken_pass_is_seen_when_its_stage_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        name = "fold"

        def run(self, stage: Stage, notes: Notes) -> Stage:
            return replace(stage, operations=stage.operations[1:])

    monkeypatch.setattr("penstock.runtime.passes.pipeline.passes", lambda _: (Broken(),))
    stage = chain()
    with pytest.raises(InternalError, match="which nothing before it makes"):
        optimise(stage, kernel_for, ("fold",), check=True)


def test_a_stage_without_operations_is_well_formed() -> None:
    x = tf.placeholder(tf.float32, [2])
    verify(stage_of(x, [x]))
