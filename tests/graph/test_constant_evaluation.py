"""What is known of values at build: all of it, entry by entry, or nothing; never at the price of time or stack."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock.graph.building.constant_evaluation import (
    LIMIT,
    known_entries,
    known_int,
    known_scalar,
    known_shape,
    known_value,
    known_vector,
)
from penstock.graph.declare.op_declaration import OPS


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as g:
        yield g


def placeholder(*dims: int | str | None, dtype: Any = tf.float32) -> tf.Tensor:
    return tf.placeholder(dtype, list(dims))


def text(tensor: tf.Tensor) -> str:
    entries = known_entries(tensor)
    return "<unknown>" if entries is None else str([str(e) for e in entries] if isinstance(entries, tuple) else entries)


# ---- full values ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "value"),
    [
        (lambda: tf.constant([1, 2]), [1, 2]),
        (lambda: tf.constant([1, 2]) + 3, [4, 5]),
        (lambda: tf.range(2, 8, 3), [2, 5]),
        (lambda: tf.gather([5, 6, 7], [2, 0]), [7, 5]),
        (lambda: tf.concat(0, [[1], tf.reverse([2, 3], [True])]), [1, 3, 2]),
        (lambda: tf.transpose([[1, 2], [3, 4]]), [[1, 3], [2, 4]]),
        (lambda: tf.cast([1.9, -1.9], tf.int32), [1, -1]),
        (lambda: tf.string_to_number(["7", "8"], tf.int32), [7, 8]),
        (lambda: tf.pack([1, tf.constant(2)]), [1, 2]),
        (lambda: tf.unpack(tf.constant([[1, 2], [3, 4]]))[1], [3, 4]),
        (lambda: tf.split(0, 2, [1, 2, 3, 4])[1], [3, 4]),
        (lambda: tf.dynamic_stitch([[1], [0]], [[10], [20]]), [20, 10]),
        (lambda: tf.scatter_nd([[1]], [5], [3]), [0, 5, 0]),
        (lambda: tf.zeros([2], tf.int32), [0, 0]),
        (lambda: tf.shape(placeholder(2, 3)), [2, 3]),
        (lambda: tf.rank(placeholder(None, 3)), 2),
        (lambda: tf.size(placeholder(2, 3)), 6),
        (lambda: tf.shape(placeholder(None, 3))[1], 3),
        (lambda: tf.unpack(tf.shape(placeholder(None, 3)))[1], 3),
        (lambda: tf.shape(placeholder(None, 3))[1] * 2 + 1, 7),
        (lambda: tf.identity([1, 2]), [1, 2]),
    ],
)
def test_what_follows_from_constants_and_known_shapes_is_known(build: Any, value: Any) -> None:
    found = known_value(build())
    assert found is not None
    assert found.tolist() == value


@pytest.mark.parametrize(
    "build",
    [
        lambda: placeholder(2, dtype=tf.int32),
        lambda: tf.add(placeholder(2, dtype=tf.int32), [1, 2]),
        lambda: tf.shape(placeholder(None, 3)),
        lambda: tf.size(placeholder(None, 3)),
        lambda: tf.rank(tf.placeholder(tf.float32)),
        lambda: tf.concat(0, [[1], placeholder(1, dtype=tf.int32)]),
        lambda: tf.placeholder_with_default([1, 2], [2]),
    ],
)
def test_what_a_run_may_change_is_not_known(build: Any) -> None:
    assert known_value(build()) is None


def test_a_known_value_has_the_tensors_dtype_and_shape() -> None:
    for t in (tf.cast([1.5, 2.5], tf.bfloat16), tf.shape(placeholder(2, 3)), tf.constant([b"a"]), tf.range(3)):
        found = known_value(t)
        assert found is not None
        assert found.dtype == t.dtype.np
        assert t.shape == list(found.shape)


def test_a_value_that_a_run_would_refuse_is_not_known_and_no_error() -> None:
    assert known_value(tf.gather([1, 2], [5])) is None
    assert known_value(tf.string_to_number(["abc"])) is None
    assert known_value(tf.constant(1) // 0) is None


def test_a_known_value_is_worked_out_once_and_is_not_the_users_to_change() -> None:
    t = tf.constant([1, 2]) + 1
    first = known_value(t)
    assert first is not None
    assert known_value(t) is first


def test_values_beyond_the_limit_are_not_worked_out() -> None:
    largest = tf.zeros([LIMIT], tf.int32)
    assert known_value(largest + 1) is not None
    assert known_value(tf.zeros([LIMIT + 1], tf.int32)) is None
    assert known_value(tf.range(LIMIT + 1)) is None
    assert known_value(tf.constant(np.zeros(LIMIT + 1, "i4")) + 1) is None
    assert known_value(tf.reduce_sum(tf.constant(np.zeros(LIMIT + 1, "i4")))) is None


def test_a_value_is_dropped_with_the_call_that_failed(graph: tf.Graph) -> None:
    before = len(graph)
    with pytest.raises(ValueError):
        tf.reshape(tf.zeros([2, 3]), tf.constant([2, 2]) + 2)
    t = tf.constant([2, 2]) + 1
    assert known_value(t) is not None
    assert all(key.op.index < len(graph) for key in graph.known_values)
    assert len(graph) > before


def test_no_kernel_that_a_run_would_choose_runs_while_a_graph_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any) -> Any:
        raise AssertionError("a kernel was called")

    for opdef in OPS.values():
        monkeypatch.setattr(opdef, "kernels", dict.fromkeys(opdef.kernels, refuse))
    x = placeholder("n", 4)
    rows = tf.shape(x)[0]
    shaped = tf.reshape(x, tf.pack([rows * 2, tf.constant(1) + 1]))
    assert str(shaped.shape) == "(2*n, 2)"
    assert known_value(tf.gather(tf.range(10), [3]) * 2) is not None


# ---- entry by entry, the list of the specification, 1.2 ---------------------------------------------


@pytest.mark.parametrize(
    ("build", "entries"),
    [
        (lambda: tf.constant([2, -1]), "['2', '-1']"),
        (lambda: tf.constant(5), "5"),
        (lambda: tf.shape(placeholder("n", None, 3)), "['n', '?', '3']"),
        (lambda: tf.shape(tf.placeholder(tf.float32)), "<unknown>"),
        (lambda: tf.pack([tf.shape(placeholder("n"))[0], 3, placeholder(dtype=tf.int32)]), "['n', '3', 'None']"),
        (lambda: tf.convert_to_tensor([placeholder(dtype=tf.int32), 3]), "['None', '3']"),
        (lambda: tf.concat(0, [tf.shape(placeholder("n", 2)), [7]]), "['n', '2', '7']"),
        (lambda: tf.concat(0, [[7], placeholder(2, dtype=tf.int32)]), "['7', 'None', 'None']"),
        (lambda: tf.concat(0, [[7], placeholder(None, dtype=tf.int32)]), "<unknown>"),
        (lambda: tf.shape(placeholder("n", 2, 3))[1:], "['2', '3']"),
        (lambda: tf.shape(placeholder("n", 2, 3))[:-1], "['n', '2']"),
        (lambda: tf.cast(tf.shape(placeholder("n", 2)), tf.int64), "['n', '2']"),
        (lambda: placeholder(2, dtype=tf.int32), "['None', 'None']"),
        (lambda: placeholder(None, dtype=tf.int32), "<unknown>"),
        (lambda: tf.placeholder(tf.int32), "<unknown>"),
        (lambda: tf.expand_dims(tf.shape(placeholder("n"))[0], 0), "['n']"),
        (lambda: tf.shape(placeholder("n"))[0] + 1, "n+1"),
        (lambda: tf.shape(placeholder("n"))[0] * 2, "2*n"),
    ],
)  # fmt: skip
def test_entries_are_known_as_the_specification_lists_them(build: Any, entries: str) -> None:
    assert text(build()) == entries


def test_a_vector_describes_a_shape_and_minus_one_is_open() -> None:
    assert str(known_shape(tf.constant([2, -1]))) == "(2, ?)"
    assert str(known_shape(tf.shape(placeholder("n", 3)))) == "(n, 3)"
    assert str(known_shape(tf.placeholder(tf.int32))) == "<unknown>"
    with pytest.raises(ValueError, match="Invalid value in tensor used for shape: -2"):
        known_shape(tf.constant([2, -2]))


def test_scalars_and_vectors_are_told_apart() -> None:
    assert known_vector(tf.constant(3)) is None
    assert known_vector(tf.constant([3])) == (3,)
    assert known_scalar(tf.constant(3)) == known_scalar(tf.constant([3])) == 3
    assert known_scalar(tf.constant([3, 4])) is None
    assert str(known_scalar(tf.shape(placeholder("n"))[0])) == "n"
    assert known_int(tf.shape(placeholder("n"))[0]) is None
    assert known_int(tf.constant(3)) == 3


def test_floats_and_matrices_have_no_entries() -> None:
    assert known_entries(tf.constant([[1, 2], [3, 4]])) is None
    assert known_entries(tf.constant([1.5])) in (None, (None,))


@given(st.lists(st.integers(-3, 5), min_size=1, max_size=4), st.lists(st.integers(-3, 5), min_size=1, max_size=4))
def test_entries_of_joined_vectors_are_those_of_the_joined_values(a: list[int], b: list[int]) -> None:
    with tf.Graph().as_default():
        assert known_entries(tf.concat(0, [a, tf.constant(b)])) == tuple(a + b)


# ---- long chains ------------------------------------------------------------------------------------

DEEP = 3000


def test_a_deep_chain_of_constants_does_not_exhaust_the_stack() -> None:
    assert sys.getrecursionlimit() <= DEEP
    t = tf.constant(0)
    for _ in range(DEEP):
        t = t + 1
    found = known_value(t)
    assert found is not None
    assert int(found) == DEEP


@pytest.mark.parametrize("start", [lambda: tf.shape(placeholder("n"))[0], lambda: placeholder(dtype=tf.int32)])
def test_a_deep_chain_over_what_is_not_known_does_not_exhaust_the_stack(start: Any) -> None:
    t = start()
    for _ in range(DEEP):
        t = tf.identity(t)
    known_entries(t)
    assert known_value(t) is None
    assert tf.zeros(tf.pack([t])).shape.ndims == 1


def test_a_chain_that_doubles_at_every_step_costs_one_visit_a_node() -> None:
    """x + x, 200 times over: a walk without memory would take 2**200 steps."""
    t, unknown = tf.constant(0), tf.shape(placeholder("n"))[0]
    for _ in range(200):
        t, unknown = t + t, unknown + unknown
    found = known_value(t)
    assert found is not None
    assert int(found) == 0
    assert known_value(unknown) is None
    known_entries(unknown)


def test_a_doubling_chain_of_vectors_costs_one_visit_a_node_too() -> None:
    t = tf.shape(placeholder("n", 3))
    for _ in range(200):
        t = tf.identity(t + t)[0:2]
    known_entries(t)
    assert str(tf.zeros(t).shape.ndims) == "2"


def test_a_partly_known_entry_survives_a_chain_of_moderate_length() -> None:
    rows = tf.shape(placeholder("n"))[0]
    for _ in range(20):
        rows = tf.identity(rows)
    assert str(known_scalar(rows)) == "n"
