"""What operations give if their inputs are cut into shards along a named dimension."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

import penstock as tf
from penstock.graph.declare.distributing import distribute
from penstock.graph.declare.distribution import SIZES, WHOLE, Along, Distributed, Partial, Refused, State
from penstock.graph.model.nodes import Tensor


@pytest.fixture(autouse=True)
def graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def x(*shape: int | str | None) -> Tensor:
    return tf.placeholder(tf.float32, list(shape) or ["batch", 3])


def answer(made: Tensor, *states: State) -> Distributed | Refused:
    return distribute(made.op, states, "batch")


def given(made: Tensor, *states: State) -> object:
    """The state of the one result."""
    found = answer(made, *states)
    assert isinstance(found, Distributed), found
    (result,) = found.results
    return result


def refused(made: Tensor, *states: State) -> str:
    """Why it is refused."""
    found = answer(made, *states)
    assert isinstance(found, Refused), found
    return found.why


def test_broadcasting_moves_the_axis() -> None:
    assert given(x() + x(2, "batch", 3), Along(0), Along(1)) == Along(1)
    assert given(x("batch") * x(4, 1), Along(0), WHOLE) == Along(1)


@pytest.mark.filterwarnings("ignore::penstock.MistakeWarning")  # a broadcast trap
def test_two_cuts_that_do_not_meet_are_refused() -> None:
    assert refused(x("batch", 1) + x("batch"), Along(0), Along(0)) == (
        "`x` is cut along axis 0, `y` along axis 0, and these do not belong together"
    )


def test_an_operand_that_is_whole_along_the_cut_is_refused() -> None:
    assert refused(x() + x("batch", 3), Along(0), WHOLE) == "`x` is cut and `y` is not, which has size batch there"
    assert refused(x() + x(None, 3), Along(0), WHOLE) == "`x` is cut and `y` is not, which has size ? there"
    assert given(x() + x(1, 3), Along(0), WHOLE) == Along(0)


@pytest.mark.parametrize(("axis", "wanted"), [
    (None, Partial("sum")), (0, Partial("sum")), ([0, 1], Partial("sum")), (-1, Along(0)), ([], Along(0)),
])  # fmt: skip
def test_a_sum_is_a_part_or_stays_cut(axis: int | Sequence[int] | None, wanted: object) -> None:
    states = [Along(0)] if axis is None else [Along(0), WHOLE]
    assert given(tf.reduce_sum(x(), axis), *states) == wanted


def test_reduced_axes_in_front_shift_the_cut() -> None:
    tensor = x(4, "batch", 3)
    assert given(tf.reduce_max(tensor, 0), Along(1), WHOLE) == Along(0)
    assert given(tf.reduce_max(tensor, 0, keepdims=True), Along(1), WHOLE) == Along(1)


def test_each_reduction_says_how_parts_are_combined() -> None:
    made: dict[Any, Any] = {tf.reduce_sum: "sum", tf.reduce_mean: "mean", tf.reduce_prod: "prod", tf.reduce_max: "max",
            tf.reduce_min: "min"}  # fmt: skip
    assert all(given(reduce(x()), Along(0)) == Partial(how) for reduce, how in made.items())
    flags = tf.placeholder(tf.bool, ["batch"])
    assert given(tf.reduce_all(flags), Along(0)) == Partial("all")
    assert given(tf.reduce_any(flags), Along(0)) == Partial("any")


def test_a_mean_of_ints_or_of_shards_of_unknown_size_is_refused() -> None:
    assert "rounded" in refused(tf.reduce_mean(tf.placeholder(tf.int32, ["batch"])), Along(0))
    chosen = tf.boolean_mask(x("batch"), tf.placeholder(tf.bool, ["batch"]))
    assert "how many elements" in refused(tf.reduce_mean(chosen), Along(0))


def test_axes_that_only_a_run_knows_are_refused() -> None:
    assert "not known" in refused(tf.reduce_sum(x(), tf.placeholder(tf.int32, [])), Along(0), WHOLE)


def test_a_product_of_two_cut_matrices_is_a_part_of_a_sum() -> None:
    a, b = x("batch", 3), x("batch", 4)
    assert given(tf.matmul(a, b, transpose_a=True), Along(0), Along(0)) == Partial("sum")
    assert given(tf.matmul(a, x(3, 4)), Along(0), WHOLE) == Along(0)
    assert given(tf.matmul(x(4, 3), a, transpose_b=True), WHOLE, Along(0)) == Along(1)
    assert given(tf.matmul(x(5, 2, "batch"), b), Along(2), Along(0)) == Partial("sum")
    assert given(tf.matmul(x("batch", 2, 3), x(3, 4)), Along(0), WHOLE) == Along(0)


def test_a_product_with_one_cut_along_the_sum_is_refused() -> None:
    assert refused(tf.matmul(x(2, "batch"), x("batch", 4)), Along(1), WHOLE) == (
        "`a` is cut and `b` is not, which has size batch there"
    )
    both = tf.matmul(x("batch", 3), x("batch", 3), transpose_b=True)
    assert "do not belong together" in refused(both, Along(0), Along(0))


def test_a_reshape_keeps_the_cut_where_parts_stay_parts() -> None:
    images = x("batch", 4, 3)
    assert given(tf.reshape(images, [-1, 12]), Along(0), WHOLE) == Along(0)
    assert given(tf.reshape(images, [-1]), Along(0), WHOLE) == Along(0)
    assert given(tf.reshape(images, [1, -1, 6]), Along(0), WHOLE) == Along(1)
    assert given(tf.reshape(x("batch", "time", 3), [-1, 3]), Along(0), WHOLE) == Along(0)
    assert given(tf.reshape(x(5, "batch", 2, 3), [5, -1, 6]), Along(1), WHOLE) == Along(1)


def test_rows_of_a_batch_of_sequences_are_merged_and_parted_again() -> None:
    sequences = x("batch", "time", 8)
    rows = tf.reshape(sequences, [-1, 8])
    assert rows.shape[0] == tf.reshape(x("batch", "time", 8), [-1, 8]).shape[0]
    assert given(rows + tf.reshape(sequences * 2.0, [-1, 8]), Along(0), Along(0)) == Along(0)
    assert given(tf.matmul(rows, rows, transpose_a=True), Along(0), Along(0)) == Partial("sum")
    assert given(tf.reduce_mean(rows), Along(0)) == Partial("mean")
    assert given(tf.shape(rows), Along(0)) is SIZES
    assert answer(tf.reshape(rows, tf.shape(sequences)), Along(0), SIZES) == Distributed((Along(0),), frozenset({1}))
    assert given(tf.reshape(rows, [-1]), Along(0), WHOLE) == Along(0)


@pytest.mark.parametrize(("shape", "axis", "wanted"), [
    (["time", "batch", 3], 1, [-1, 3]), (["batch", 3], 0, [-1, 2]), (["batch", 3], 0, [2, -1]),
    (["batch", 4], 0, [2, -1]),
])  # fmt: skip
def test_a_reshape_that_mixes_parts_is_refused(shape: list[int | str], axis: int, wanted: list[int]) -> None:
    assert "not known to be parts" in refused(tf.reshape(x(*shape), wanted), Along(axis), WHOLE)


def test_sizes_flow_from_a_shape_to_what_is_made_of_them() -> None:
    images = x("batch", 4, 3)
    sizes = tf.shape(images)
    count = sizes[0]
    assert given(sizes, Along(0)) is SIZES
    assert given(count, SIZES) is SIZES
    assert given(sizes[1:], SIZES) is WHOLE
    assert given(count * 2, SIZES, WHOLE) is SIZES
    assert given(tf.cast(count, tf.float32), SIZES) is SIZES
    listed = tf.pack([count, 12])
    assert given(listed, SIZES, WHOLE) is SIZES
    assert given(tf.rank(images), Along(0)) is WHOLE
    own = Distributed((Along(0),), frozenset({1}))
    assert answer(tf.reshape(images, listed), Along(0), SIZES) == own
    assert answer(tf.broadcast_to(x(12), listed), WHOLE, SIZES) == own
    assert answer(tf.broadcast_to(x(1, 12), listed), WHOLE, SIZES) == own
    assert answer(tf.fill(listed, x("batch")[0]), SIZES, WHOLE) == Distributed((Along(0),), frozenset({0}))


def test_a_division_by_a_count_takes_that_of_the_whole() -> None:
    tensor, total = x(), tf.reduce_sum(x())
    count = tf.cast(tf.size(tensor), tf.float32)
    assert answer(tensor / count, Along(0), SIZES) == Distributed((Along(0),))
    assert answer(total / count, WHOLE, SIZES) == Distributed((WHOLE,))
    assert given(1.0 / count, WHOLE, SIZES) is SIZES


def test_sizes_with_two_entries_that_depend_on_the_dimension_are_refused() -> None:
    count = tf.shape(x())[0]
    assert refused(tf.fill(tf.pack([count, count]), tf.constant(0.0)), SIZES, WHOLE) == (
        "entries 0 and 1 of `dims` depend on batch"
    )
    assert "not known to be a multiple" in refused(tf.fill(tf.pack([count * count]), tf.constant(0.0)), SIZES, WHOLE)
    assert "not known to be a multiple" in refused(tf.fill(tf.pack([count + 1]), tf.constant(0.0)), SIZES, WHOLE)


def test_effects_and_ops_without_a_rule_are_refused_in_words() -> None:
    shape = tf.pack([tf.shape(x())[0], 2])
    numbers = tf.random_uniform(shape)
    drawing = next(op for op in numbers.graph.get_operations() if op.type == "RandomUniform").outputs[0]
    assert refused(drawing, SIZES) == "it draws random numbers, and shards would draw others"
    assert refused(tf.qr(x())[0], Along(0)) == "Qr does not say how it works on shards"


def test_a_squeeze_without_axes_is_refused() -> None:
    tensor = x("batch", 1)
    assert "list the axes" in refused(tf.squeeze(tensor), Along(0))
    assert given(tf.squeeze(tensor, [1]), Along(0)) == Along(0)


def test_a_result_of_fixed_size_is_refused() -> None:
    assert refused(tf.ensure_shape(x("batch"), [4]), Along(0)) == "its result has size 4 along axis 0, whatever is cut"


def test_a_pad_of_other_axes_keeps_the_cut() -> None:
    assert given(tf.pad(x(), [[0, 0], [1, 2]]), Along(0), WHOLE) == Along(0)
    assert refused(tf.pad(x(), [[1, 0], [1, 2]]), Along(0), WHOLE) == "it needs all of axis 0 of `input` at once"
