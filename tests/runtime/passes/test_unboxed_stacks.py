"""What a loop keeps in boxes for its gradient is kept as it is, where a plan knows its sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.runtime.execution.bind import kernel_for
from penstock.runtime.ir.stage import Stage
from penstock.runtime.passes.known_sizes import with_known_sizes
from penstock.runtime.passes.pipeline import ALL_PASSES, optimise
from penstock.runtime.passes.unboxed_stacks import RULE
from penstock.runtime.passes.versions import with_versions

from ...helpers import nightly
from ...op_samples import same
from .stages import after, stage_of

AFTER = 2
"""Runs with equal shapes before a session plans for them."""
X = np.random.default_rng(0).standard_normal((5, 3)).astype(np.float32)
Program = tuple[list[Any], list[Any]]


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as made:
        yield made


def decoder(also: Callable[[Any], Any] = lambda state: state, rows: Any = None, stacks: bool = True) -> Program:
    """A state that is written to a growing array until a condition on values ends the loop; its gradient, its feeds.

    stacks: whether the loss reads the array.
    """
    x, start = tf.placeholder(tf.float32, [rows, 3]), tf.placeholder(tf.float32, [rows, 3])
    steps = tf.placeholder(tf.int32, [None])
    out = tf.TensorArray(tf.float32, 0, dynamic_size=True, clear_after_read=False)

    def body(i: Any, out: Any, state: Any) -> Any:
        state = also(tf.tanh(state * 0.5 + x) + tf.matmul(tf.nn.softmax(state), tf.eye(3)))
        return i + 1, out.write(i, state), state

    last = tf.while_loop(lambda i, out, state: tf.reduce_any(i < steps), body, [0, out, start])
    loss = tf.reduce_sum(tf.square(last[2]))
    if stacks:
        loss = loss + tf.reduce_sum(tf.square(last[1].stack()))
    return [loss, *tf.gradients(loss, [x, start])], [x, start, steps]


def boxes_in(stage: Stage) -> list[str]:
    """The boxing operations of a stage, those of bodies included."""
    boxes = [op.type for op in stage.operations if op.type in ("WrapVariant", "UnwrapVariant")]
    for op in stage.operations:
        for i in op.opdef.bodies:
            boxes += boxes_in(op.args[i])
    return boxes


def loops_of(program: Program, shapes: Any) -> tuple[Stage, Any]:
    """The stage of a program for feeds of these shapes, after the pass."""
    fetches, feeds = program
    return after("loops", with_known_sizes(stage_of(fetches, feeds), shapes))


def runs(program: Program, values: list[Any], count: int, mode: Any = "on", **settings: Any) -> list[list[Any]]:
    """The results of several runs in one session."""
    fetches, feeds = program
    before, jit.mode = jit.mode, mode
    try:
        with tf.Session(graph=fetches[0].graph, config=tf.SessionConfig(verify=True, **settings)) as session:
            return [session.run(fetches, dict(zip(feeds, values, strict=True))) for _ in range(count)]
    finally:
        jit.mode = before


def test_a_plan_for_known_sizes_has_no_boxes() -> None:
    program = decoder()
    general, _ = after("loops", stage_of(*program))
    assert boxes_in(general)  # a run may have a state of another size after the first iteration
    special, notes = loops_of(program, [(5, 3), (5, 3), (5,)])
    assert not boxes_in(special)
    assert RULE in {note.rule for note in notes.notes}


def test_boxes_stay_where_sizes_change_from_iteration_to_iteration() -> None:
    program = decoder(lambda state: tf.concat(0, [state, state]))
    special, _ = loops_of(program, [(1, 3), (1, 3), (5,)])
    assert boxes_in(special)
    values = [X[:1], X[1:2], [0, 1]]
    found = runs(program, values, AFTER + 3, specialise_after=AFTER)
    plain = runs(program, values, 1, "off", specialise_after=0)[0]
    assert all(same(a, b) for each in found for a, b in zip(plain, each, strict=True))


def test_a_box_that_is_fetched_stays() -> None:
    fetches, feeds = decoder()
    forward = next(op for op in tf.get_default_graph().get_operations() if op.name.endswith("forward"))
    box = next(t for t in forward.outputs if t.dtype.is_variant and t.shape.ndims == 1)
    special, _ = loops_of(([*fetches, box], feeds), [(5, 3), (5, 3), (5,)])
    assert boxes_in(special)


@pytest.mark.parametrize("mode", ["off", "now"])
@pytest.mark.parametrize("steps", [[2, 4, 3, 1, 4], [1, 1], [0, 0, 0], []])
@pytest.mark.parametrize("rows", [None, "rows"])
def test_later_runs_have_the_bits_of_the_first(mode: Any, steps: list[int], rows: Any) -> None:
    program = decoder(rows=rows, stacks=any(steps))  # an array without elements cannot be stacked
    values = [X, X[::-1], np.array(steps, np.int32)]
    found = runs(program, values, AFTER + 4, mode, specialise_after=AFTER)
    plain = runs(program, values, 1, "off", specialise_after=0)[0]
    assert all(same(a, b) for each in found for a, b in zip(plain, each, strict=True))


@pytest.mark.parametrize("mode", ["now", *nightly(["off"])])
def test_second_derivatives_and_loops_in_loops(mode: Any) -> None:
    def inner(state: Any) -> Any:
        return tf.while_loop(lambda j, y: j < 2, lambda j, y: (j + 1, tf.sin(y) * state), [0, state])[1]

    fetches, feeds = decoder(inner)
    fetches = [*fetches, tf.gradients(tf.reduce_sum(tf.square(fetches[1])), [feeds[0]])[0]]
    values = [X, X[::-1], np.array([2, 3], np.int32)]
    found = runs((fetches, feeds), values, AFTER + 2, mode, specialise_after=AFTER)
    plain = runs((fetches, feeds), values, 1, "off", specialise_after=0)[0]
    assert all(same(a, b) for each in found for a, b in zip(plain, each, strict=True))


def two_recurrences() -> Program:
    """A GRU that begins with the last state of another; of some values its gradient reads only the sizes."""
    x, y = tf.placeholder(tf.float32, [None, None, 3]), tf.placeholder(tf.float32, [None, None, 3])
    lengths = tf.placeholder(tf.int32, [None])
    cells = [tf.nn.rnn_cell.GRUCell(3, kernel_initializer=tf.constant_initializer(0.25)) for _ in range(2)]
    with tf.variable_scope("first"):
        _, state = tf.nn.dynamic_rnn(cells[0], x, lengths, dtype=tf.float32)
    with tf.variable_scope("second"):
        rows, _ = tf.nn.dynamic_rnn(cells[1], y, initial_state=state)
    loss = tf.reduce_sum(tf.square(rows))
    return [loss, *tf.gradients(loss, [x, *tf.trainable_variables()])], [x, y, lengths]


def test_a_loop_that_begins_with_the_state_of_another_has_no_boxes() -> None:
    fetches, feeds = two_recurrences()
    values = [np.stack([X, X[::-1]]), np.stack([X * 0.5, X]), np.array([3, 5], np.int32)]
    results: dict[tuple[str, int], list[Any]] = {}
    mode: Any
    for mode, after_runs in (("off", 0), ("off", AFTER), ("now", AFTER)):
        before, jit.mode = jit.mode, mode
        try:
            with tf.Session(config=tf.SessionConfig(verify=True, specialise_after=after_runs)) as session:
                session.run(tf.global_variables_initializer())
                fed = dict(zip(feeds, values, strict=True))
                results[mode, after_runs] = [session.run(fetches, fed) for _ in range(after_runs + 2)]
        finally:
            jit.mode = before
    (plain, *_), *others = results.values()
    assert all(same(a, b) for each in others for one in each for a, b in zip(plain, one, strict=True))
    begun = with_versions(stage_of(fetches, feeds), feeds, fetches[0].graph.find_anywhere)
    general = optimise(begun, kernel_for, ALL_PASSES)
    assert boxes_in(general)
    known = with_known_sizes(begun, [(2, 5, 3), (2, 5, 3), (2,)])
    assert not boxes_in(optimise(known, kernel_for, ALL_PASSES))
