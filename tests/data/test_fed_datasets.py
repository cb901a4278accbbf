"""Feeds of what a dataset is made of: taken where the iterator is initialized, refused where it begins by itself."""

from __future__ import annotations

import pytest

import penstock as tf


def test_a_constant_of_a_dataset_is_fed_where_the_iterator_is_initialized() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        rows, size = tf.constant([1, 2, 3], name="rows"), tf.constant(2, tf.int64, name="size")
        iterator = tf.data.Dataset.from_tensor_slices(rows).batch(size).make_initializable_iterator()
        element = iterator.get_next()
        session.run(iterator.initializer, {rows: [4, 5, 6], size: 3})
        assert session.run(element).tolist() == [4, 5, 6]
        session.run(iterator.initializer)
        assert session.run(element, {rows: [7, 8, 9]}).tolist() == [1, 2]


@pytest.mark.parametrize("how", ["run", "plan", "callable"])
def test_a_constant_of_a_one_shot_iterator_cannot_be_fed(how: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        rows = tf.constant([1, 2, 3], name="rows")
        element = tf.data.Dataset.from_tensor_slices(rows).make_one_shot_iterator().get_next() * 2
        with pytest.raises(ValueError, match="Use make_initializable_iterator, and feed it") as told:
            if how == "run":
                session.run(element, {rows: [4, 5, 6]})
            elif how == "plan":
                session.plan(element, feeds=[rows])
            else:
                session.make_callable(element, [rows])([4, 5, 6])
        assert "fed_0" not in str(told.value) and "test_fed_datasets.py" in str(told.value)
        assert session.run(element) == 2


def test_a_handle_that_is_computed_can_be_fed() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        first, second = (tf.data.Dataset.range(n, 9).make_initializable_iterator() for n in (0, 5))
        session.run([first.initializer, second.initializer])
        handle = tf.identity(first.string_handle())
        element = tf.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
        assert session.run(element) == 0
        assert session.run(element, {handle: session.run(second.string_handle())}) == 5


@pytest.mark.parametrize("passes", [True, False])
def test_a_constant_beside_a_one_shot_iterator_with_functions_is_fed(passes: bool) -> None:
    config = tf.SessionConfig() if passes else tf.SessionConfig().as_written()
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        rows = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).map(lambda x: x + 1.0)
        element = rows.filter(lambda x: x > 2.0).batch(2).make_one_shot_iterator().get_next()
        factor = tf.constant(2.0, name="factor")
        result = element * factor
        assert session.run(result).tolist() == [6.0, 8.0]
        assert session.run(result, {factor: 10.0}).tolist() == [50.0, 60.0]
        assert session.run(result).tolist() == [14.0]
