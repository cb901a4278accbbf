"""string_split and string_join: results and errors that TensorFlow 2.21 was recorded giving."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf


def run(tensor: Any, feeds: Any = None) -> Any:
    return tf.Session(graph=tf.get_default_graph()).run(tensor, feeds)


@pytest.fixture(autouse=True)
def _graph() -> Any:
    with tf.Graph().as_default():
        yield


@pytest.mark.parametrize(
    ("source", "sep", "skip_empty", "rows"),
    [
        (["hello world", "a b  c"], None, True, [["hello", "world"], ["a", "b", "c"]]),
        (["hello world", "a b  c"], None, False, [["hello", "world"], ["a", "b", "", "c"]]),
        (["a,b;c", "", ";x,"], ",;", True, [["a", "b", "c"], [], ["x"]]),
        (["a,b;c", "", ";x,"], ",;", False, [["a", "b", "c"], [], ["", "x", ""]]),
        (["abc", ""], "", True, [["a", "b", "c"], []]),
        (["a b\tc\n  d"], None, True, [["a", "b\tc\n", "d"]]),
        (["a\0b c"], " ", True, [["a\0b", "c"]]),
        (["", ""], None, True, [[], []]),
        (["", ""], None, False, [[], []]),
        (np.array([], object), None, True, []),
    ],
)
def test_strings_are_split(source: Any, sep: Any, skip_empty: bool, rows: list[list[str]]) -> None:
    found = run(tf.string_split(source, sep, skip_empty))
    assert found.values.tolist() == [part.encode() for row in rows for part in row]
    assert found.indices.tolist() == [[i, j] for i, row in enumerate(rows) for j in range(len(row))]
    assert found.indices.shape[1] == 2 and found.indices.dtype == found.dense_shape.dtype == np.int64
    assert found.dense_shape.tolist() == [len(rows), max(map(len, rows), default=0)]


def test_delimiters_are_bytes() -> None:
    assert run(tf.string_split(["aéb", "xñy"], "é")).values.tolist() == [b"a", b"b", b"x", b"\xb1y"]
    assert run(tf.string_split(["é"], "")).values.tolist() == [b"\xc3", b"\xa9"]


def test_more_strings_than_a_block_are_all_split() -> None:
    found = run(tf.string_split([f"{i} {i}" for i in range(10_000)]))
    assert found.values.tolist() == [b"%d" % (i // 2) for i in range(20_000)]
    assert found.indices[-1].tolist() == [9_999, 1]


def test_the_delimiter_has_an_older_name() -> None:
    assert run(tf.string_split(["a|b"], delimiter="|")).values.tolist() == [b"a", b"b"]
    with pytest.raises(ValueError, match="Cannot specify both 'delimiter' and 'sep'"):
        tf.string_split(["a"], sep=" ", delimiter=" ")


def test_the_delimiter_may_be_a_tensor() -> None:
    sep = tf.placeholder(tf.string, [])
    assert run(tf.string_split(["a,b"], sep), {sep: ","}).values.tolist() == [b"a", b"b"]


@pytest.mark.parametrize(("source", "sep", "rank"), [("a b", " ", 0), ([["a b"]], " ", 2), (["a,b"], [","], 1)])
def test_other_ranks_are_refused(source: Any, sep: Any, rank: int) -> None:
    with pytest.raises(ValueError, match=f"Shape must be rank . but is rank {rank}"):
        tf.string_split(source, sep)


@pytest.mark.parametrize(
    ("source", "sep", "message"),
    [("a b", " ", r"input must be a vector, got shape: \[\]"),
     (["a"], [",", ";"], r"delimiter must be a scalar, got shape: \[2\]")],
)  # fmt: skip
def test_the_run_refuses_other_ranks(source: Any, sep: Any, message: str) -> None:
    x, by = tf.placeholder(tf.string), tf.placeholder(tf.string)
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        run(tf.string_split(x, by), {x: source, by: sep})


def test_numbers_are_not_split() -> None:
    with pytest.raises(TypeError, match="Expected string"):
        tf.string_split([1])


# ---- join ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inputs", "separator", "want"),
    [
        (["a", "b"], "", b"ab"),
        ([["a", "b"], ["c", "d"]], "-", [b"a-c", b"b-d"]),
        ([["a", "b"], "x"], "-", [b"a-x", b"b-x"]),
        (["x", [["a"], ["b"]]], "-", [[b"x-a"], [b"x-b"]]),
        (["a"], "-", b"a"),
        ([], "-", b""),
        (["a", "b"], b"\xff", b"a\xffb"),
        ([np.array([], object), "a"], "", []),
    ],
)
def test_strings_are_joined(inputs: Any, separator: Any, want: Any) -> None:
    tensor = tf.string_join(inputs, separator)
    found = run(tensor)
    assert (found.tolist() if isinstance(found, np.ndarray) else found) == want
    assert tensor.shape.as_list() == list(np.shape(found))


def test_a_tensor_of_unknown_rank_may_be_a_scalar() -> None:
    x = tf.placeholder(tf.string)
    assert tf.string_join([x, "a"]).shape.ndims is None
    joined = tf.string_join([x, ["a", "b"]])
    assert joined.shape.as_list() == [2]
    assert run(joined, {x: "x"}).tolist() == [b"xa", b"xb"]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Input shapes do not match: \[3\] vs. \[2\]"):
        run(joined, {x: ["x", "y", "z"]})


def test_joined_strings_keep_the_names_of_sizes() -> None:
    x = tf.placeholder(tf.string, ["n"])
    assert str(tf.string_join(["a", x]).shape) == "(n,)"


@pytest.mark.parametrize("other", [["x"], ["x", "y", "z"]])
def test_vectors_of_other_lengths_are_refused(other: Any) -> None:
    with pytest.raises(ValueError, match=f"Dimension 0 in both shapes must be equal, but are 2 and {len(other)}"):
        tf.string_join([["a", "b"], other])


@pytest.mark.parametrize(("inputs", "separator"), [("abc", ""), ([1, "a"], ""), (["a"], 1)])
def test_what_is_no_string_is_not_joined(inputs: Any, separator: Any) -> None:
    with pytest.raises(TypeError):
        tf.string_join(inputs, separator)
