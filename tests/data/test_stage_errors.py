"""An element that fails names the stage of the pipeline that failed, and the line where the program has it.

Each way to fail is a function with a line that ends in `# fails`; the error must have that line, whatever comes behind.
A kind of dataset that none of them reaches must be among those that only hand on what is before them.
"""

from __future__ import annotations

import gc
import inspect
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf
from penstock.graph.declare.op_declaration import OPS

Dataset = tf.data.Dataset
experimental = tf.data.experimental
Build = Callable[[Path], Any]


def by_zero(n: Any) -> Any:
    return 6 // n


def numbers() -> Any:
    return Dataset.from_tensor_slices([3, 0, 1])


def a_file(folder: Path, content: bytes) -> str:
    path = folder / "content"
    path.write_bytes(content)
    return str(path)


def generator_that_raises(folder: Path) -> Any:
    def broken() -> Iterator[int]:
        yield 1
        raise ValueError("broken source")

    return Dataset.from_generator(broken, tf.int64, [])  # fails


def generator_of_another_dtype(folder: Path) -> Any:
    return Dataset.from_generator(lambda: iter([1, "x"]), tf.int64, [])  # fails


def generator_of_another_shape(folder: Path) -> Any:
    return Dataset.from_generator(lambda: iter([[1, 2], [1, 2, 3]]), tf.int64, [2])  # fails


def generator_of_another_structure(folder: Path) -> Any:
    return Dataset.from_generator(lambda: iter([(1, 2), 3]), (tf.int64, tf.int64), ([], []))  # fails


def file_that_vanished(folder: Path) -> Any:
    return tf.data.TextLineDataset([a_file(folder, b"a\n"), str(folder / "gone")])  # fails


def truncated_record(folder: Path) -> Any:
    path = a_file(folder, b"")
    with tf.python_io.TFRecordWriter(path) as writer:
        writer.write(b"record")
        writer.write(b"record")
    os.truncate(path, os.path.getsize(path) - 5)
    return tf.data.TFRecordDataset(path)  # fails


def records_of_another_length(folder: Path) -> Any:
    return tf.data.FixedLengthRecordDataset(a_file(folder, b"12345"), 2)  # fails


def missing_csv(folder: Path) -> Any:
    return experimental.CsvDataset(str(folder / "gone"), [tf.int32])  # fails


def csv_with_a_wrong_field(folder: Path) -> Any:
    return experimental.CsvDataset(a_file(folder, b"1\nx\n"), [tf.int32])  # fails


def pattern_without_files(folder: Path) -> Any:
    pattern = tf.placeholder_with_default(str(folder / "*.gone"), [])
    return Dataset.list_files(pattern)  # fails


def function(folder: Path) -> Any:
    return numbers().map(by_zero)  # fails


def function_in_parallel(folder: Path) -> Any:
    return numbers().map(by_zero, num_parallel_calls=2)  # fails


def python_function(folder: Path) -> Any:
    def odd(n: Any) -> Any:
        return {0: n}[n]

    pairs = Dataset.range(2)
    return pairs.map(lambda n: tf.py_func(odd, [n], tf.int64))  # fails


def function_before_batch(folder: Path) -> Any:
    rows = numbers().map(by_zero)  # fails
    return rows.batch(2)


def parallel_function_before_batch(folder: Path) -> Any:
    rows = numbers().map(by_zero, num_parallel_calls=2)  # fails
    return rows.batch(2)


def batch_of_unequal_shapes(folder: Path) -> Any:
    rows = Dataset.range(4).map(lambda n: tf.fill([n], n))
    return rows.batch(2)  # fails


def padded_batch_too_short(folder: Path) -> Any:
    rows = Dataset.range(4).map(lambda n: tf.fill([n], n))
    return rows.padded_batch(2, [1])  # fails


def unbatch_of_unequal_rows(folder: Path) -> Any:
    rows = Dataset.from_generator(lambda: iter([([1], [1, 2])]), (tf.int64, tf.int64), ([None], [None]))
    return rows.apply(experimental.unbatch())  # fails


def predicate(folder: Path) -> Any:
    return numbers().filter(lambda n: tf.equal(by_zero(n), 2))  # fails


def predicate_of_take_while(folder: Path) -> Any:
    return numbers().apply(experimental.take_while(lambda n: tf.less(by_zero(n), 9)))  # fails


def function_that_makes_datasets(folder: Path) -> Any:
    return numbers().flat_map(lambda n: Dataset.range(tf.cast(by_zero(n), tf.int64)))  # fails


def dataset_that_a_function_makes(folder: Path) -> Any:
    def made(n: Any) -> Any:
        return Dataset.from_tensors(n).map(by_zero)  # fails

    return numbers().flat_map(made)


def interleaved_dataset(folder: Path) -> Any:
    def made(n: Any) -> Any:
        return Dataset.from_tensors(n).map(by_zero)  # fails

    return numbers().interleave(made, cycle_length=2, block_length=1)


def dataset_interleaved_by_threads(folder: Path) -> Any:
    paths = Dataset.from_tensor_slices([str(folder / "gone")])
    return paths.interleave(tf.data.TextLineDataset, 2, 1, num_parallel_calls=2)  # fails


def function_of_interleave(folder: Path) -> Any:
    return numbers().interleave(lambda n: Dataset.range(tf.cast(by_zero(n), tf.int64)), 2, 1)  # fails


def function_of_scan(folder: Path) -> Any:
    return numbers().apply(experimental.scan(1, lambda state, n: (by_zero(n), n)))  # fails


def key_of_a_group(folder: Path) -> Any:
    grouped = experimental.group_by_window(lambda n: tf.cast(by_zero(n), tf.int64), lambda _, rows: rows.batch(2), 2)
    return numbers().apply(grouped)  # fails


def choice_that_is_none(folder: Path) -> Any:
    choices = Dataset.from_tensor_slices(np.array([0, 7]))
    return experimental.choose_from_datasets([Dataset.range(3)], choices)  # fails


def cache_that_cannot_be_written(folder: Path) -> Any:
    return Dataset.range(3).cache(str(folder / "gone" / "kept"))  # fails


FAILING = [
    generator_that_raises, generator_of_another_dtype, generator_of_another_shape, generator_of_another_structure,
    file_that_vanished, truncated_record, records_of_another_length, missing_csv, csv_with_a_wrong_field,
    pattern_without_files, function, function_in_parallel, python_function, function_before_batch,
    parallel_function_before_batch, batch_of_unequal_shapes, padded_batch_too_short, unbatch_of_unequal_rows, predicate,
    predicate_of_take_while, function_that_makes_datasets, dataset_that_a_function_makes, interleaved_dataset,
    dataset_interleaved_by_threads, function_of_interleave, function_of_scan, key_of_a_group, choice_that_is_none,
    cache_that_cannot_be_written,
]  # fmt: skip

HANDS_ON: dict[str, Callable[[Any], Any]] = {
    "ConcatenateDataset": lambda rows: rows.concatenate(rows),
    "IgnoreErrorsDataset": lambda rows: rows.apply(experimental.ignore_errors()),
    "PrefetchDataset": lambda rows: rows.prefetch(2),
    "RepeatDataset": lambda rows: rows.repeat(2),
    "ShardDataset": lambda rows: rows.shard(1, 0),
    "ShuffleDataset": lambda rows: rows.shuffle(2),
    "SkipDataset": lambda rows: rows.skip(1),
    "TakeDataset": lambda rows: rows.take(9),
    "WindowDataset": lambda rows: rows.window(1).flat_map(lambda window: window),
    "ZipDataset": lambda rows: Dataset.zip((rows, Dataset.range(99))).map(lambda row, _: row),
}
"""Kinds of datasets that give what those before them give; an error comes from before."""
NEVER_FAIL = {"TensorDataset", "TensorSliceDataset", "SparseTensorSliceDataset", "RangeDataset", "RandomDataset",
              "RandomChoiceDataset"}  # fmt: skip
ONE_WITH_ANOTHER = {"RowsMapAndBatchDataset"}
"""Its function is told as that of the map."""


def marked_line(build: Callable[..., Any]) -> int:
    lines, first = inspect.getsourcelines(build)
    (at,) = [i for i, line in enumerate(lines) if line.rstrip().endswith("# fails")]
    return first + at


def error_of(rows: Any, takes: int = 9) -> tf.errors.OpError:
    """What ends a pass over a dataset before its end."""
    iterator = rows.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        try:
            session.run(iterator.initializer)
            for _ in range(takes):
                session.run(element)
        except tf.errors.OpError as error:
            return error
    raise AssertionError("no error")


STAGE = re.compile(r'^  (?:in node|inside) "([^"]+)" \((\w+)\)  (\S+)', re.M)
"""A line of an error about an operation: its name, its op, its place."""


def stage_in(error: tf.errors.OpError) -> tuple[str, str]:
    """(op, place) of the innermost dataset that an error names."""
    for _, op, place in STAGE.findall(str(error)):
        if OPS[op].facts.makes_dataset:
            return op, place
    return "", ""


@pytest.mark.parametrize("behind", [(), ("PrefetchDataset",), ("ShuffleDataset", "RepeatDataset", "TakeDataset")])
def test_an_error_names_the_stage_that_failed(behind: tuple[str, ...], tmp_path: Path) -> None:
    wrong = []
    for build in FAILING:
        folder = tmp_path / build.__name__
        folder.mkdir()
        with tf.Graph().as_default():
            rows = build(folder)
            for each in behind:
                rows = HANDS_ON[each](rows)
            error = error_of(rows)
        op, place = stage_in(error)
        if place != f"test_stage_errors.py:{marked_line(build)}":
            wrong.append(f"{build.__name__}: {op} {place}\n{error}")
    assert wrong == []


def test_every_kind_of_dataset_is_tried(tmp_path: Path) -> None:
    seen = set(HANDS_ON) | NEVER_FAIL | ONE_WITH_ANOTHER
    for build in FAILING:
        folder = tmp_path / build.__name__
        folder.mkdir()
        with tf.Graph().as_default():
            seen.add(stage_in(error_of(build(folder)))[0])
    assert {name for name, op in OPS.items() if op.facts.makes_dataset} - seen == set()


@pytest.mark.parametrize("kind", sorted(set(HANDS_ON) - {"IgnoreErrorsDataset"}))
def test_what_hands_elements_on_is_not_blamed(kind: str) -> None:
    with tf.Graph().as_default():
        rows = numbers().map(by_zero, num_parallel_calls=2)  # fails
        error = error_of(HANDS_ON[kind](rows))
        line = marked_line(test_what_hands_elements_on_is_not_blamed)
        assert stage_in(error) == ("ParallelMapDataset", f"test_stage_errors.py:{line}")


def test_readers_of_whole_datasets_name_the_stage_too() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        rows = numbers().map(by_zero)  # fails
        line = marked_line(test_readers_of_whole_datasets_name_the_stage_too)
        for total in (rows.reduce(0, lambda state, n: state + n), experimental.get_single_element(rows.skip(1))):
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                session.run(total)
            assert stage_in(caught.value) == ("MapDataset", f"test_stage_errors.py:{line}")


def test_a_pass_within_a_function_tells_its_own_stage() -> None:
    with tf.Graph().as_default():
        def total(n: Any) -> Any:
            inner = Dataset.range(3).map(lambda m: 6 // (m - tf.cast(n, tf.int64)))  # fails
            return inner.reduce(np.int64(0), lambda state, m: state + m)

        error = error_of(Dataset.range(2).map(total))
        places = [place for _, op, place in STAGE.findall(str(error)) if OPS[op].facts.makes_dataset]
        line = marked_line(test_a_pass_within_a_function_tells_its_own_stage)
        assert places == [f"test_stage_errors.py:{line}", f"test_stage_errors.py:{line + 3}"]


def test_an_error_keeps_nothing_alive() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        iterator = Dataset.zip((numbers().map(by_zero), numbers())).make_initializable_iterator()
        element = iterator.get_next()

        def errors(count: int) -> int:
            for _ in range(count):
                session.run(iterator.initializer)
                session.run(element)
                with pytest.raises(tf.errors.InvalidArgumentError):
                    session.run(element)
            return gc.collect()

        errors(3)
        assert errors(1) < 50
        assert errors(50) < 50  # no cycle for each


@pytest.mark.parametrize("calls", [None, 1, 2, 4])
def test_an_error_of_what_a_parallel_map_reads_stands_in_its_place(calls: int | None) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        numbers = tf.data.Dataset.from_tensor_slices(np.array([1, 0, 2, 0, 4], "f4"))
        inverse = numbers.map(lambda x: tf.check_numerics(1.0 / x, "1 / x"))
        element = tf.data.make_one_shot_iterator(inverse.map(lambda x: x * 2.0, num_parallel_calls=calls)).get_next()
        results: list[Any] = []
        for _ in range(7):
            try:
                results.append(float(session.run(element)))
            except tf.errors.OpError as error:
                results.append(type(error).__name__)
    refused, ended = "InvalidArgumentError", "OutOfRangeError"
    assert results == [2.0, refused, 1.0, refused, 0.5, ended, ended]
