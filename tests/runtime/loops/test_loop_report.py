"""`session.explain` tells which loops may become machine code."""

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
