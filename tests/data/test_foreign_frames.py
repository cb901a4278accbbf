"""Frames and columns of pandas, Arrow and Dask in `from_tensor_slices`, where these libraries are installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf


def elements(value: Any) -> list[Any]:
    with tf.Graph().as_default(), tf.Session() as session:
        element = tf.data.Dataset.from_tensor_slices(value).make_one_shot_iterator().get_next()
        found = []
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                found.append(session.run(element))
        return found


COLUMNS: dict[str, list[Any]] = {"a": [1, 2, 3], "b": [1.5, 2.5, 3.5], "s": ["x", "y", "z"]}


def test_columns_and_frames_of_pandas_are_arrays() -> None:
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    frame = pandas.DataFrame(COLUMNS)
    assert elements(frame["a"]) == [1, 2, 3] and elements(frame["s"]) == [b"x", b"y", b"z"]
    assert np.array_equal(elements(frame[["a", "b"]]), [[1, 1.5], [2, 2.5], [3, 3.5]])
    assert [each["s"] for each in elements(dict(frame))] == [b"x", b"y", b"z"]
    assert elements(pandas.Series(["u", "v"], dtype="category")) == [b"u", b"v"]
    with pytest.raises(TypeError, match=r"columns of texts and of numbers \('a': int64, .*Give dict\(frame\)"):
        elements(frame)


def test_columns_and_tables_of_arrow_are_arrays() -> None:
    arrow = pytest.importorskip("pyarrow", reason="needs pyarrow")
    table = arrow.table(COLUMNS)
    assert elements(table["a"]) == [1, 2, 3] and elements(arrow.array(["x", "y"])) == [b"x", b"y"]
    assert elements(arrow.chunked_array([[1, 2], [3]])) == [1, 2, 3]
    assert elements(arrow.chunked_array([["a"], ["b", "c"]])) == [b"a", b"b", b"c"]
    assert np.array_equal(elements(table.select(["a", "b"])), [[1, 1.5], [2, 2.5], [3, 3.5]])
    assert np.array_equal(elements(arrow.array([[1, 2], [3, 4]])), [[1, 2], [3, 4]])
    fixed = arrow.FixedSizeListArray.from_arrays(arrow.array([1.0, 2.0, 3.0, 4.0]), 2)
    assert np.array_equal(elements(fixed), [[1, 2], [3, 4]])
    assert elements(arrow.array([True, False])) == [True, False]
    assert elements(arrow.array(["u", "v", "u"]).dictionary_encode()) == [b"u", b"v", b"u"]
    assert [each["s"] for each in elements({name: table[name] for name in table.column_names})] == [b"x", b"y", b"z"]
    for value, words in (
        (table, r"Give \{name: table\[name\]"),
        (arrow.array([1, None, 3]), "has 1 nulls, and tensors have none"),
        (arrow.array([[1], [2, 3]]), "have 1 to 2 entries"),
    ):
        with pytest.raises(TypeError, match=words):
            elements(value)


def test_arrays_and_frames_of_dask_are_computed() -> None:
    array = pytest.importorskip("dask.array", reason="needs dask")
    assert elements(array.arange(6, chunks=2)) == [0, 1, 2, 3, 4, 5]
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    frames = pytest.importorskip("dask.dataframe", reason="needs dask[dataframe]")
    frame = frames.from_pandas(pandas.DataFrame(COLUMNS), npartitions=2)
    assert elements(frame["a"]) == [1, 2, 3]
    assert np.array_equal(elements(frame[["a", "b"]]), [[1, 1.5], [2, 2.5], [3, 3.5]])
