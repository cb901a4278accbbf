"""Branches and loops inside loops: machine code gives the bits of the plain path."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.ir.scalar_ir import CannotLower
from penstock.runtime.llvm import tier

from .loop_programs import agree, program

pytestmark = pytest.mark.skipif(bool(tier.why_off()), reason="the compiled tier is off")


def below(n: int) -> Any:
    return lambda i, *rest: tf.less(i, n)


def test_a_branch_on_numbers() -> None:
    def body(i: Any, n: Any) -> Any:
        even = tf.equal(tf.mod(n, 2), 0)
        return i + 1, tf.cond(even, lambda: tf.floordiv(n, 2), lambda: 3 * n + 1)

    loop = program(lambda i, n: tf.not_equal(n, 1), body, [np.int32(0), np.int64(27)], 2)
    native = loop.native()
    assert native.iterations == 111
    assert agree(loop.plain(), native)


def test_a_branch_on_arrays() -> None:
    def body(i: Any, x: Any, y: Any) -> Any:
        large = tf.greater(tf.reduce_sum(x), 3.0)
        a, b = tf.cond(large, lambda: [tf.tanh(x), x[0]], lambda: [x + y * 2.0, y[1]])
        return i + 1, a * 1.5, a, b

    rng = np.random.default_rng(1)
    operands = [np.int32(0), rng.normal(size=20).astype("f4"), rng.normal(size=20).astype("f4")]
    loop = program(below(50), body, operands, 2)
    assert agree(loop.plain(), loop.native())


def test_a_branch_reads_a_value_that_was_not_computed_yet() -> None:
    def body(i: Any, x: Any) -> Any:
        shared = x * 2.0 + 1.0  # still an open group when the branch begins
        made = tf.cond(tf.equal(tf.mod(i, 3), 0), lambda: shared - x, lambda: tf.sin(shared))
        return i + 1, made + shared * 0.25

    loop = program(below(20), body, [np.int32(0), np.linspace(-1, 1, 33)], 2)
    assert agree(loop.plain(), loop.native())


def test_a_loop_in_a_loop() -> None:
    def body(i: Any, total: Any, x: Any) -> Any:
        def inner(j: Any, s: Any, v: Any) -> Any:
            return j + 1, s + tf.cast(j, "float32") * 0.5, tf.tanh(v) + s

        _, s, v = tf.while_loop(lambda j, *rest: tf.less(j, i), inner, [tf.constant(0), total, x])
        return i + 1, s * 0.5, v

    loop = program(below(12), body, [np.int32(0), np.float32(0.25), np.linspace(0, 1, 9, dtype="f4")], 3)
    assert agree(loop.plain(), loop.native())


def test_a_map_in_a_loop() -> None:
    def body(i: Any, x: Any) -> Any:
        rows = tf.map_fn(lambda row: row * tf.reduce_sum(row), x)
        return i + 1, rows * 0.1

    loop = program(below(5), body, [np.int32(0), np.arange(12.0).reshape(4, 3)], 2)
    assert agree(loop.plain(), loop.native())


def test_a_branch_in_a_loop_in_a_loop() -> None:
    def body(i: Any, x: Any) -> Any:
        def inner(j: Any, v: Any) -> Any:
            return j + 1, tf.cond(tf.greater(v[0], 0.0), lambda: v - 1.0, lambda: tf.reverse(v, [True]) + 0.75)

        return i + 1, tf.while_loop(lambda j, v: tf.less(j, 4), inner, [tf.constant(0), x])[1]

    loop = program(below(9), body, [np.int32(0), np.array([0.5, -0.5, 2.0])], 2)
    assert agree(loop.plain(), loop.native())


def test_an_inner_loop_that_takes_all_fuel_is_given_back() -> None:
    def body(i: Any, n: Any) -> Any:
        return i + 1, tf.while_loop(lambda j: tf.less(j, 50_000_000), lambda j: [j + 1], [n])

    loop = program(below(3), body, [np.int32(0), np.int32(0)], 2)
    native = loop.native()
    assert (native.iterations, native.ended) == (3, True) or not native.ended


def test_a_division_by_zero_in_a_branch_gives_the_iteration_back() -> None:
    def body(i: Any, n: Any) -> Any:
        return i + 1, tf.cond(tf.greater(i, 5), lambda: tf.floordiv(n, i - 8), lambda: n + 1)

    loop = program(below(20), body, [np.int32(0), np.int32(7)], 2)
    native = loop.native()
    assert (native.iterations, native.ended) == (8, False)
    assert agree(loop.plain(8), native)


def test_a_scan_in_a_loop() -> None:
    def body(i: Any, x: Any) -> Any:
        return i + 1, tf.scan(lambda a, b: a * 0.5 + b, tf.tile(x, [2]))[:3]

    loop = program(below(3), body, [np.int32(0), np.arange(3.0)], 2)
    assert agree(loop.plain(), loop.native())


def test_stacks_whose_length_the_run_finds_are_refused() -> None:
    def body(i: Any, x: Any) -> Any:
        rows = tf.map_fn(lambda v: v * 2.0, tf.boolean_mask(x, tf.greater(x, 0.0)))
        return i + 1, x + tf.reduce_sum(rows)

    with pytest.raises(CannotLower, match="BooleanMask"):
        program(below(3), body, [np.int32(0), np.arange(3.0)], 2).native()
