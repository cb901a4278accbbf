"""A kernel from outside that breaks its promise ends the run, with the node and what it returned."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.extend import Tensor, op
from penstock.graph.declare.op_declaration import OPS, OpDef
from penstock.graph.declare.signature import T

RETURNS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "nothing": (lambda x: None, r"returned None; it must be an array of float32 \(3,\)"),
    "another shape": (lambda x: np.zeros((7, 2), x.dtype), r"an array of float32 \(7, 2\); .*, as the op's shape rule"),
    "a number": (lambda x: 3.0, r"returned 3\.0; it must be an array of float32 \(3,\), as the op's shape rule says"),
    "another dtype": (lambda x: x.astype("f8"), r"an array of float64 \(3,\); .* Write \.astype\('float32'\)"),
    "two results": (lambda x: (x, x), "returned a tuple of 2"),
}


@pytest.fixture
def identity() -> Iterator[OpDef[Any, Any]]:
    @op("Promising")
    def promising(x: T, name: str | None = None) -> Tensor:  # type: ignore[empty-body]  # a declaration
        """Its operand."""

    @promising.shape
    def _(x: Tensor) -> tf.TensorShape:
        return x.shape

    yield promising
    del OPS["Promising"]


@pytest.mark.parametrize("known", [[3], [None]])
@pytest.mark.parametrize("name", RETURNS)
def test_a_broken_promise_is_an_error_of_the_node(
    name: str, known: list[int | None], identity: OpDef[Any, Any]
) -> None:
    given, told = RETURNS[name]
    identity.kernel(lambda xp, x: given(x))
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, known)
        y = identity(x, name="broken")
        for fetch in (y, y + 1.0):
            with pytest.raises(tf.errors.InternalError, match=told.replace(r"\(3,\)", r"\((3|\?),\)")) as caught:
                session.run(fetch, {x: np.ones(3, "f4")})
            assert caught.value.op is y.op


def test_a_kept_promise_is_no_error(identity: OpDef[Any, Any]) -> None:
    def same(value: Any, kernel: Callable[..., Any]) -> bool:
        identity.kernel(kernel)
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.placeholder(tf.as_dtype("string" if value.dtype == object else value.dtype), value.shape)
            return bool(np.array_equal(session.run(identity(x), {x: value}), value))

    assert same(np.array(2.0, "f4"), lambda xp, x: np.float32(2.0))
    assert same(np.array(2.0, "f4"), lambda xp, x: 2)
    assert same(np.ones((2, 0), "f4"), lambda xp, x: x + 1)
    assert same(np.array(True), lambda xp, x: np.True_)
    assert same(np.array([b"a", b"bc"], object), lambda xp, x: np.array([b"a", b"bc"]))
    assert same(np.array(b"abc", object), lambda xp, x: b"abc")
