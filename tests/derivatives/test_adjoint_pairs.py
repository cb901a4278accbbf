"""The optimiser sees through pairs of adjoints in backward graphs: the plan of the gradient has neither half."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

import penstock as tf
from penstock.ops.move.split_sizes import split_sizes

from .differences import Array

Function = Callable[[tf.Tensor], tf.Tensor]


def parts_of(x: tf.Tensor, changed: Callable[[list[tf.Tensor]], Sequence[tf.Tensor]]) -> tf.Tensor:
    """The rows of x divided by the sign of their first number, changed, and stitched back."""
    labels = tf.cast(x[:, 0] > 0.0, tf.int32)
    rows = tf.dynamic_partition(tf.range(tf.shape(x)[0]), labels, 2)
    return tf.dynamic_stitch(rows, list(changed(tf.dynamic_partition(x, labels, 2))))


PAIRS: dict[str, Function] = {
    "transpose": lambda x: tf.transpose(tf.transpose(x, [1, 0])),
    "reverse": lambda x: tf.reverse(tf.reverse(x, [True, False]), [True, False]),
    "roll": lambda x: tf.roll(tf.roll(x, 1, 0), -1, 0),
    "reshape": lambda x: tf.reshape(tf.reshape(x, [-1]), tf.shape(x)),
    "expand and squeeze": lambda x: tf.squeeze(tf.expand_dims(x, 1), [1]),
    "split and concat": lambda x: tf.concat(1, tf.split(1, 3, x)),
    "split of sizes and concat": lambda x: tf.concat(1, split_sizes(x, [1, 2], 1, 2)),
    "pad and slice": lambda x: tf.slice(tf.pad(x, [[0, 0], [1, 2]]), [0, 1], tf.shape(x)),
    "pad and index": lambda x: tf.pad(x, [[0, 0], [1, 2]])[:, 1:4],
    "partition and stitch": lambda x: parts_of(x, lambda parts: parts),
}
OF_KNOWN_ROWS: dict[str, Function] = {
    "unpack and pack": lambda x: tf.pack(tf.unpack(x)),
    "unpack and stack": lambda x: tf.stack(tf.unpack(tf.transpose(x)), 1),
    "reverse_sequence": lambda x: tf.reverse_sequence(tf.reverse_sequence(x, [0, 1, 2, 3], 1), [0, 1, 2, 3], 1),
}
CASES = [*((name, each, rows) for rows in ("n", 4) for name, each in PAIRS.items()),
         *((name, each, 4) for name, each in OF_KNOWN_ROWS.items())]  # fmt: skip


def plan_of_gradient(function: Function, rows: str | int) -> tuple[list[str], Array]:
    """The ops of the plan of the gradient, weighted by a placeholder, and its value for the weights 0, 1, 2, ..."""
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x, weights = tf.placeholder(tf.float32, [rows, 3]), tf.placeholder(tf.float32, [rows, 3])
        (found,) = tf.gradients(function(x), x, grad_ys=weights)
        slope = tf.convert_to_tensor(found)
        feeds = {x: np.linspace(-1, 1, 12).reshape(4, 3), weights: np.arange(12.0).reshape(4, 3)}
        return [step.op for step in session.plan(slope).steps], np.asarray(session.run(slope, feeds))


@pytest.mark.parametrize(("name", "function", "rows"), CASES, ids=[f"{name}-{rows}" for name, _, rows in CASES])
def test_the_gradient_of_a_movement_and_its_inverse_takes_no_step(
    name: str, function: Function, rows: str | int
) -> None:
    ops, value = plan_of_gradient(function, rows)
    assert ops == [] and value.tolist() == np.arange(12.0).reshape(4, 3).tolist()


@pytest.mark.parametrize("rows", ["n", 4])
def test_changed_parts_of_a_partition_become_a_choice_in_the_backward_graph(rows: str | int) -> None:
    ops, value = plan_of_gradient(lambda x: parts_of(x, lambda p: [tf.exp(p[0]), p[1] * 2.0]), rows)
    assert {"DynamicPartition", "DynamicStitch", "Gather", "Range"}.isdisjoint(ops) and "Select" in ops
    x, g = np.linspace(-1, 1, 12).reshape(4, 3), np.arange(12.0).reshape(4, 3)
    assert np.allclose(value, np.where(x[:, :1] > 0, 2 * g, np.exp(x) * g))


def test_rows_that_are_stitched_and_divided_again_are_neither_in_the_backward_graph() -> None:
    def twice(x: tf.Tensor) -> tf.Tensor:
        labels = tf.cast(x[:, 0] > 0.0, tf.int32)
        rows = tf.dynamic_partition(tf.range(tf.shape(x)[0]), labels, 2)
        for _ in range(2):
            parts = tf.dynamic_partition(x, labels, 2)
            x = tf.dynamic_stitch(rows, [tf.cumsum(parts[0]), parts[1]])
        return x

    ops, _ = plan_of_gradient(twice, "n")
    assert ops.count("DynamicStitch") == 1 and ops.count("Gather") == 2  # of the weights, and of the result


def test_joined_values_get_their_parts_of_a_gradient_that_was_split_without_a_join() -> None:
    ops, _ = plan_of_gradient(lambda x: tf.add_n(tf.split(1, 2, tf.concat(1, [x, x * 2.0]))), "n")
    assert {"Concat", "SplitV", "Split"}.isdisjoint(ops)


def test_gathered_rows_stay_rows_and_are_added_up_only_where_a_tensor_is_needed() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.placeholder(tf.float32, ["n", 3])
        (found,) = tf.gradients(tf.gather(tf.identity(x), [2, 0]), x)
        assert isinstance(found, tf.IndexedSlices)
        assert {"UnsortedSegmentSum", "ScatterNd"}.isdisjoint(step.op for step in session.plan(found).steps)


NOT_EXACT: dict[str, Function] = {
    "a permutation, whose gradient is a sum of rows": lambda x: tf.gather(tf.gather(x, [2, 0, 1, 3]), [1, 2, 0, 3]),
    "cuts that are joined, whose gradient is a sum of pads": lambda x: tf.concat(1, [x[:, :1], x[:, 1:]]),
}


@pytest.mark.parametrize("name", NOT_EXACT)
def test_a_pair_whose_adjoint_adds_zeros_stays_because_minus_zero_plus_zero_is_zero(name: str) -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.placeholder(tf.float32, [4, 3])
        (found,) = tf.gradients(NOT_EXACT[name](x), x, grad_ys=tf.constant(-0.0, shape=[4, 3]))
        slope = tf.convert_to_tensor(found)
        assert not np.signbit(session.run(slope, {x: np.ones((4, 3))})).any()
        with tf.Session(graph=session.graph, config=tf.SessionConfig(passes=())) as plain:
            assert not np.signbit(plain.run(slope, {x: np.ones((4, 3))})).any()
