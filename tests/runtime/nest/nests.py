"""Bodies of rows for tests: graphs of one group, and runs of the group by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import penstock as tf
from penstock.runtime.ir.fused_ir import Body
from penstock.runtime.ir.shaped_rows import ShapedRows, shaped_rows

Build = Callable[..., Any]


def softmax(x: Any) -> Any:
    """exp(x) / sum(exp(x)) over the last axis, written by hand."""
    e = tf.exp(x - tf.reduce_max(x, -1, keepdims=True))
    return e / tf.reduce_sum(e, -1, keepdims=True)


def normalised(x: Any, gain: Any, bias: Any) -> Any:
    """Layer normalisation over the last axis, written by hand."""
    d = x - tf.reduce_mean(x, -1, keepdims=True)
    v = tf.reduce_mean(tf.square(d), -1, keepdims=True)
    return d / tf.sqrt(v + 1e-5) * gain + bias


def bodies_of(build: Build, shapes: Sequence[Sequence[int | None]], dtype: str = "float32") -> list[Body]:
    """The fused groups of a graph whose placeholders have these shapes."""
    with tf.Graph().as_default() as graph:
        places = [tf.placeholder(dtype, shape) for shape in shapes]
        with tf.Session(graph=graph) as session:
            plan = session.plan(build(*places), places)
    return [a for step in plan.steps for a in step.args if isinstance(a, Body)]


def body_of(build: Build, *shapes: Sequence[int | None], dtype: str = "float32") -> Body:
    """The only fused group."""
    (body,) = bodies_of(build, shapes, dtype)
    return body


def form_of(body: Body, *shapes: tuple[int, ...]) -> ShapedRows:
    """The form of a body on inputs of these shapes."""
    form = shaped_rows(body, shapes)
    assert isinstance(form, ShapedRows), form
    return form
