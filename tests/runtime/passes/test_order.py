"""Tests of the pass that looks for an order with a low peak of memory."""

from collections.abc import Iterator

import pytest

import penstock as tf
from penstock.graph.model.nodes import Tensor
from penstock.runtime.passes.order import peak

from ...helpers import op_of
from ...random_graphs import random_program
from .stages import after, names, run, stage_of


@pytest.fixture(autouse=True)
def _default() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def parts_and_sums(count: int) -> tuple[Tensor, Tensor]:
    """Large parts made one after the other, and then their sums: in this order all parts are alive at once."""
    x = tf.placeholder(tf.float32, [1000])
    parts = [tf.sin(x + float(i), name=f"part_{i}") for i in range(count)]
    return tf.add_n([tf.reduce_sum(part, name=f"sum_{i}") for i, part in enumerate(parts)]), x


def test_parts_are_made_when_they_are_needed() -> None:
    y, x = parts_and_sums(8)
    stage = stage_of(y, [x])
    made, notes = after("order", stage)
    # Created: eight parts are alive, beside the last one's operand. In the new order one part, and eight sums at most.
    assert peak(stage.operations, stage) == 8 * 4000 + 4000
    assert peak(made.operations, made) < 3 * 4000
    assert names(made).index("sum_0") < names(made).index("part_1")
    assert "peak 36000 -> " in notes.notes[0].node


def test_the_order_of_creation_stays_where_it_is_no_worse() -> None:
    x = tf.placeholder(tf.float32, [1000])
    stage = stage_of(tf.exp(x) + tf.sin(x), [x])
    assert after("order", stage)[0] is stage


def test_the_larger_operand_is_computed_first() -> None:
    x, small = tf.placeholder(tf.float32, [1000]), tf.placeholder(tf.float32, [10])
    few = tf.tile(tf.exp(small), [10], name="few")
    one = tf.reduce_sum(tf.sin(tf.exp(x)), name="one")
    stage = stage_of(few + one, [x, small])
    made, _ = after("order", stage)
    assert peak(made.operations, made) <= peak(stage.operations, stage)
    assert run([few + one], {x: [0.0] * 1000, small: [0.0] * 10}, None)[0].shape == (100,)


def test_operations_with_effects_keep_their_order() -> None:
    y, x = parts_and_sums(6)
    with op_of(lambda x: x, stateful=True) as effect:
        effects = [effect(x, name=f"effect_{i}") for i in range(3)]
        stage = stage_of([effects[2], y, effects[0], effects[1]], [x])
        made, _ = after("order", stage)
    assert made is not stage
    assert [name for name in names(made) if name.startswith("effect")] == ["effect_0", "effect_1", "effect_2"]


def test_what_waits_for_another_operation_runs_after_it() -> None:
    y, x = parts_and_sums(6)
    with tf.control_dependencies([y]):
        late = tf.exp(x, name="late")
    made, _ = after("order", stage_of([late, y], [x]))
    assert names(made)[-1] == "late"


def test_a_new_order_has_the_same_operations_and_no_higher_peak() -> None:
    for seed in range(15):
        _, fetches, feeds = random_program(seed).build()
        stage = stage_of(fetches, list(feeds))
        made, _ = after("order", stage)
        assert set(made.operations) == set(stage.operations), seed
        assert peak(made.operations, made) <= peak(stage.operations, stage), seed


def test_the_order_does_not_depend_on_the_run() -> None:
    y, x = parts_and_sums(5)
    stage = stage_of(y, [x])
    assert names(after("order", stage)[0]) == names(after("order", stage)[0])
