"""Tests of the pass that computes the same thing once."""

from functools import partial

import numpy as np
import pytest

import penstock as tf

from ...helpers import op_of
from .stages import after, names, run, stage_of, types


@pytest.fixture(autouse=True)
def _default() -> object:
    with tf.Graph().as_default():
        yield


def test_two_nodes_that_compute_the_same_become_one() -> None:
    x = tf.placeholder(tf.float32, [2])
    y = tf.exp(x) * tf.exp(x)
    made, notes = after("merge", stage_of(y, [x]))
    assert types(made) == ["Exp", "Mul"]
    assert [(n.node, n.into) for n in notes.notes] == [("Exp_1", "Exp")]
    assert made.operations[-1].inputs[0] is made.operations[-1].inputs[1]


def test_chains_of_equal_nodes_are_merged_in_one_walk() -> None:
    x = tf.placeholder(tf.float32, [2])
    y = tf.sin(tf.exp(x + 1.0)) - tf.sin(tf.exp(x + 1.0))
    assert types(after("merge", stage_of(y, [x]))[0]) == ["Add", "Exp", "Sin", "Sub"]


def test_a_merged_node_keeps_the_origins_of_both() -> None:
    x = tf.placeholder(tf.float32, [2])
    one = tf.exp(x)
    two = tf.exp(x)
    made, _ = after("merge", stage_of([one, two], [x]))
    assert made.operations[0].origins == (*one.op.origins, *two.op.origins)
    assert one.op.origins != made.operations[0].origins


def test_constants_merge_by_their_bits() -> None:
    constants = [tf.constant(v) for v in (0.0, -0.0, 0.0)]
    made, _ = after("merge", stage_of(constants))
    assert names(made) == ["Const", "Const_1"]
    assert [bool(np.signbit(v)) for v in run(constants, {}, None)] == [False, True, False]


def test_constants_of_different_dtypes_do_not_merge() -> None:
    stage = stage_of([tf.constant(1), tf.constant(1, tf.int64), tf.constant(True), tf.constant(1.0)])
    assert after("merge", stage)[0] is stage


def test_attributes_must_be_equal() -> None:
    x = tf.placeholder(tf.float32, [2, 3])
    squeezed = [tf.squeeze(x[:1], [0]), tf.squeeze(x[:, :1], [1])]
    stage = stage_of([tf.cast(x, tf.int32), tf.cast(x, tf.int64), *squeezed], [x])
    assert "Cast" in types(stage)
    assert len(types(after("merge", stage)[0])) == len(types(stage))


@pytest.mark.parametrize("facts", [{"pure": False}, {"stateful": True}])
def test_an_op_that_is_not_pure_is_not_merged(facts: dict[str, bool]) -> None:
    x = tf.placeholder(tf.float32, [2])
    with op_of(lambda x: x, **facts) as opaque:
        stage = stage_of([opaque(x), opaque(x)], [x])
        assert after("merge", stage)[0] is stage


def test_a_node_that_waits_for_others_is_not_merged() -> None:
    x = tf.placeholder(tf.float32, [2])
    first = tf.exp(x)
    with tf.control_dependencies([tf.no_op()]):
        second = tf.exp(x)
    stage = stage_of([first, second], [x])
    assert after("merge", stage)[0] is stage


def test_what_waits_for_a_merged_node_waits_for_the_one_in_its_place() -> None:
    x = tf.placeholder(tf.float32, [2])
    with op_of(lambda x: x, stateful=True) as effect:
        done = effect(x)
        first, second = tf.exp(done), tf.exp(done)
        with tf.control_dependencies([second.op]):
            waits = tf.identity(x)
        made, notes = after("merge", stage_of([first, waits], [x]))
        assert [n.into for n in notes.notes] == [first.op.name]
        alone, _ = after("merge", stage_of([waits], [x]))
    waiting = next(op for op in made.operations if op.name == waits.op.name)
    assert [c.name for c in waiting.control_inputs] == [first.op.name]
    assert "OnlyForThisTest" in types(alone)


def test_nodes_on_different_devices_are_not_merged() -> None:
    x = tf.placeholder(tf.float32, [2])
    here = tf.exp(x)
    with tf.device("/gpu:0"):
        there = tf.exp(x)
    stage = stage_of([here, there], [x])
    assert after("merge", stage)[0] is stage


def test_several_outputs_are_merged_one_by_one() -> None:
    x = tf.placeholder(tf.float32, [4])
    a, b = tf.split(0, 2, x), tf.split(0, 2, x)
    made, _ = after("merge", stage_of([a[0], b[0], b[1]], [x]))
    assert types(made) == ["Split"]
    assert made.fetches[0] is made.fetches[1]
    assert [v.tolist() for v in run([a[0], b[0], b[1]], {x: [1, 2, 3, 4]}, None)] == [[1, 2], [1, 2], [3, 4]]


def test_two_fetches_of_one_value_are_two_arrays() -> None:
    x = tf.placeholder(tf.float32, [2])
    first, second = run([tf.exp(x), tf.exp(x)], {x: [0.0, 0.0]}, None)
    first[0] = 5.0
    assert second.tolist() == [1.0, 1.0]


def test_a_stage_without_duplicates_is_returned_as_it_is() -> None:
    x = tf.placeholder(tf.float32, [2])
    stage = stage_of(tf.exp(tf.sin(x)), [x])
    assert after("merge", stage)[0] is stage


def _long_with_duplicates(size: int, duplicates: int) -> tuple[tf.Tensor, tf.Tensor]:
    x = tf.placeholder(tf.float32, [size])
    y = sum([tf.exp(x) for _ in range(duplicates)], tf.exp(x))
    for _ in range(400):
        y = y + x
    return x, y


def test_a_few_duplicates_of_tiny_values_stay_where_much_would_be_copied_for_them() -> None:
    x, y = _long_with_duplicates(4, 1)
    stage = stage_of(y, [x])
    made, notes = after("merge", stage)
    assert made is stage
    assert [(n.node, n.applied) for n in notes.notes] == [("Exp_1", False)]
    assert "copied" in notes.notes[0].reason


@pytest.mark.parametrize(("size", "duplicates"), [(4, 2), (65, 1)])
def test_many_or_larger_duplicates_are_merged_in_large_graphs_too(size: int, duplicates: int) -> None:
    x, y = _long_with_duplicates(size, duplicates)
    made, _ = after("merge", stage_of(y, [x]))
    assert types(made).count("Exp") == 1


def test_a_small_graph_merges_every_duplicate() -> None:
    x = tf.placeholder(tf.float32, [4])
    made, _ = after("merge", stage_of(tf.exp(x) * tf.exp(x) + x, [x]))
    assert types(made).count("Exp") == 1


def test_attributes_that_differ_in_the_sign_of_zero_are_not_equal() -> None:
    x = tf.placeholder(tf.float32, [1])
    fetches = [tf.nn.leaky_relu(x, 0.0), tf.nn.leaky_relu(x, -0.0)]
    assert [bool(np.signbit(v[0])) for v in run(fetches, {x: [-1.0]}, None)] == [True, False]


def test_branches_that_differ_in_what_is_promised_of_a_shape_are_not_equal() -> None:
    x, chosen = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.bool, [])

    def branch(promised: bool) -> tf.Tensor:
        y = tf.identity(tf.exp(x))
        if promised:
            y.set_shape([2])
        return tf.reduce_sum(y * 2.0)

    fetches = [tf.cond(chosen, partial(branch, each), lambda: tf.reduce_sum(x)) for each in (False, True)]
    with pytest.raises(tf.errors.InvalidArgumentError, match="set_shape said"):
        run(fetches, {x: [1.0, 2.0, 3.0], chosen: True}, None)
    one, other = run(fetches, {x: [1.0, 2.0], chosen: True}, None)
    assert one == other
