"""`session.explain` tells which loops may become machine code, and shows that code with its nests."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.llvm import tier

pytestmark = pytest.mark.skipif(bool(tier.why_off()), reason="the compiled tier is off")


def explained(make: Any, shape: Any, feeds: Any = None) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, shape)
        made = make(x)
        return session.explain(made, [x] if feeds is None else {x: feeds})


def doubled(x: Any) -> Any:
    return tf.while_loop(lambda i, a: tf.less(i, 9), lambda i, a: (i + 1, a * 2.0), [tf.constant(0), x])[1]


def test_a_loop_that_may_be_compiled() -> None:
    found = explained(doubled, [3])
    assert [str(loop) for loop in found.loops] == ["while: compiled when it has run for some time"]
    assert "loops: 1\n  while: compiled when it has run for some time" in str(found)


def test_a_loop_on_shapes_that_are_fed() -> None:
    assert "shapes that only a run knows" in str(explained(doubled, [None]).loops[0])
    assert explained(doubled, [None], np.zeros(4, np.float32)).loops[0].reason == ""


def test_a_loop_with_a_step_that_has_no_compiled_form() -> None:
    def make(x: Any) -> Any:
        return tf.while_loop(lambda a: tf.less(tf.reduce_sum(a), 9.0), lambda a: [tf.cumsum(a)], [x])

    (loop,) = explained(make, [3]).loops
    assert loop.reason == "Cumsum (while/body/Cumsum): it has no compiled form in loops"


def test_a_loop_inside_a_loop_that_is_not_compiled() -> None:
    def make(x: Any) -> Any:
        return tf.while_loop(lambda a: tf.less(tf.reduce_sum(a), 9.0), lambda a: [doubled(tf.cumsum(a))], [x])

    outer, inner = explained(make, [3]).loops
    assert "Cumsum" in outer.reason
    assert inner.reason == ""


def test_the_code_of_a_loop_shows_its_steps_with_their_nests() -> None:
    def make(x: Any) -> Any:
        return tf.while_loop(lambda i, a: i < 9, lambda i, a: (i + 1, a[i] + a[::-1] * 2.0), [tf.constant(0), x])

    listing = explained(make, [3, 4]).code("while")
    assert listing.nest == """\
condition
  t3 = Less(t0, t2)  # "while/cond/Less"  free t0 t2
body
  t3 = Add(t0, t2)  # "while/body/add"  free t2
  t4 = StridedSlice(t1, [<tensor 0>], [t0])  # "while/body/strided_slice"  free t0
    place(index)
    %1 = less(index, 0)  bool
    %2 = add(index, 3)  int64
    %3 = where(%1, %2, index)  int64
    check %3 < 3, else -1
    %4 = multiply(%3, 16)  int64
    %4
  t5 = StridedSlice(t1, [::-1])  # "while/body/strided_slice_1"  free t1
  t7 = Fused([t5, t6, t4], <2 ops>)  # "while/body/add_1"  free t4 t5 t6
  tile0 for 4 elements
    for i, j
    %0 = x0[i, j]  float32
    %1 = x1[i, j]  float32
    %2 = multiply(%0, 2.0)  float32
    %3 = add(%1, %2)  float32
    y0[i, j] = %3
  elements(x0, x1, x2)
  for a0 < 3
    tile0(x0[a0*-16], x1[0], x2[a0*16], 4)
  0"""
    assert listing.operands == ("t1 int32 [], a variable", "t0 float32 [3, 4], a variable")
    assert "define i64 @run(ptr %frame)" in listing.ir
    assert str(listing).startswith("node while\nformula: t2, t3, t4 = While\nnest:\n  condition\n")


def test_the_code_of_a_loop_that_has_none_says_why() -> None:
    def make(x: Any) -> Any:
        return tf.while_loop(lambda a: tf.less(tf.reduce_sum(a), 9.0), lambda a: [tf.cumsum(a)], [x])

    listing = explained(make, [3]).code("while")
    assert not listing.ir and "interpreted: Cumsum (while/body/Cumsum): it has no compiled form" in str(listing)
    assert "shapes that only a run knows" in explained(doubled, [None]).code("while").reason
