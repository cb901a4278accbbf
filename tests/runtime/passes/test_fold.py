"""Tests of the pass that computes what depends on constants alone."""

import numpy as np
import pytest

import penstock as tf

from ...helpers import op_of
from .stages import after, names, run, stage_of, types


@pytest.fixture(autouse=True)
def graph() -> tf.Graph:
    return tf.Graph()


@pytest.fixture(autouse=True)
def _default(graph: tf.Graph) -> object:
    with graph.as_default():
        yield


def test_what_depends_on_constants_alone_becomes_a_constant() -> None:
    x = tf.placeholder(tf.float32, [2])
    y = tf.add(x, tf.sqrt(tf.constant([4.0, 9.0]), name="root"), name="y")
    made, notes = after("fold", stage_of(y, [x]))
    assert types(made) == ["Add"]
    assert [n.node for n in notes.notes] == ["root"]
    assert made.operations[0].args[0].tolist() == [2.0, 3.0]


def test_the_shape_of_a_tensor_whose_sizes_are_known_becomes_a_constant() -> None:
    x = tf.placeholder(tf.float32, [2, 3])
    made, _ = after("fold", stage_of([tf.shape(x), tf.rank(x), tf.size(x)], [x]))
    assert [op.args[0].tolist() for op in made.operations] == [[2, 3], 2, 6]


def test_the_shape_of_a_tensor_with_an_open_size_is_left_to_the_run() -> None:
    x = tf.placeholder(tf.float32, ["batch", 3])
    stage = stage_of(tf.shape(x), [x])
    assert after("fold", stage)[0] is stage


def test_a_node_with_nothing_to_fold_behind_it_returns_the_stage_itself() -> None:
    x = tf.placeholder(tf.float32, [2])
    stage = stage_of(x + 1.0, [x])
    assert after("fold", stage)[0] is stage


def test_each_output_of_a_node_becomes_a_constant_of_its_own() -> None:
    made, _ = after("fold", stage_of(tf.unpack(tf.constant([1, 2]), name="rows")))
    assert names(made) == ["rows.0", "rows.1"]
    assert run([*made.fetches], {}, ()) == [1, 2]


def test_a_constant_that_would_be_much_larger_than_its_inputs_is_left_to_the_run() -> None:
    stage = stage_of(tf.tile(tf.constant([1.0]), [1_000_000], name="large"))
    made, notes = after("fold", stage)
    assert types(made) == ["Tile"]
    (note,) = notes.notes
    assert not note.applied
    assert note.reason == "the constant would take 4000000 bytes, its inputs take 8"


def test_an_error_comes_from_the_run_that_asks_for_it() -> None:
    quotient = tf.floordiv(tf.constant([1]), tf.constant([0]), name="quotient")
    made, notes = after("fold", stage_of(quotient))
    assert types(made) == ["FloorDiv"]
    assert "Integer division by zero" in notes.notes[0].reason
    with pytest.raises(tf.errors.InvalidArgumentError, match="quotient"):
        run([quotient], {}, None)
    assert run([tf.constant(1) + 1], {}, None) == [2]


@pytest.mark.parametrize("facts", [{"pure": False}, {"stateful": True}])
def test_an_op_that_is_not_pure_is_not_folded(facts: dict[str, bool]) -> None:
    with op_of(lambda x: x, **facts) as opaque:
        stage = stage_of(opaque(tf.constant(1.0)))
        assert after("fold", stage)[0] is stage


def test_a_node_that_waits_for_others_is_not_folded() -> None:
    with tf.control_dependencies([tf.no_op()]):
        stage = stage_of(tf.add(1, 2))
    assert after("fold", stage)[0] is stage


def test_a_tensor_with_a_claimed_shape_is_not_folded() -> None:
    places = tf.where(tf.constant([True, False]))
    places.set_shape([1, 1])
    stage = stage_of(places)
    assert after("fold", stage)[0] is stage


def test_a_folded_node_keeps_its_origins() -> None:
    root = tf.sqrt(tf.constant(4.0), name="root")
    made, _ = after("fold", stage_of(root))
    assert made.operations[0].origins == root.op.origins


def test_strings_and_bfloat16_fold() -> None:
    joined, halved = tf.add(tf.constant("a"), "b"), tf.cast(tf.constant([1.0, 257.0]), tf.bfloat16)
    made, _ = after("fold", stage_of([joined, halved]))
    assert types(made) == []
    values = run([joined, halved], {}, None)
    assert values[0] == b"ab"
    assert np.asarray(values[1], np.float32).tolist() == [1.0, 256.0]


def test_what_a_kernel_gives_against_its_promise_is_the_error_of_the_run() -> None:
    for passes in ((), None):
        with op_of(lambda x: x[:1]) as cut, pytest.raises(tf.errors.OpError, match="OnlyForThisTest"):
            run([cut(tf.constant([1.0, 2.0, 3.0])) + 1.0], {}, passes)
