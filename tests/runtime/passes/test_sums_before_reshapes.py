"""A row that is added to a product in another shape is added to the product itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.execution.bind import kernel_for
from penstock.runtime.passes.fuse import Fuse
from penstock.runtime.passes.pipeline import optimise
from penstock.runtime.passes.rules.sums_before_reshapes import RULE

from ...op_samples import same
from .stages import after, plan_of_run, stage_of, types

RNG = np.random.default_rng(0)
X = RNG.standard_normal((6, 5, 16), np.float32)
W = RNG.standard_normal((16, 24), np.float32)
B = RNG.standard_normal(24).astype(np.float32)


@pytest.fixture(autouse=True)
def _default() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def dense(x: Any, w: Any, b: Any, first: bool = False) -> tf.Tensor:
    """A dense layer on sequences; first: the bias is the first operand."""
    product = tf.reshape(tf.matmul(tf.reshape(x, [-1, 16]), w), [-1, 5, 24])
    return tf.add(b, product) if first else tf.add(product, b)


def feeds() -> dict[tf.Tensor, Any]:
    return {
        tf.placeholder(tf.float32, [None, 5, 16]): X,
        tf.placeholder(tf.float32, [16, 24]): W,
        tf.placeholder(tf.float32, [24]): B,
    }


@pytest.mark.parametrize("first", [False, True])
def test_the_sum_follows_the_product(first: bool) -> None:
    fed = feeds()
    x, w, b = fed
    result = dense(x, w, b, first)
    stage, notes = after(Fuse.name, stage_of(result, list(fed)))
    assert types(stage) == ["Reshape", "MatMul", "Add", "Reshape"]
    assert RULE in {note.rule for note in notes.notes}
    steps = [step.op for step in plan_of_run([result], fed).steps]
    assert steps[steps.index("MatMul") + 1] == "Add"
    with tf.Session(config=tf.SessionConfig(passes=(), specialise_after=0)) as session:
        plain = session.run(result, fed)
    with tf.Session(config=tf.SessionConfig(verify=True, check=True, specialise_after=1)) as session:
        assert all(same(session.run(result, fed), plain) for _ in range(4))


def two_readers(x: Any, w: Any, b: Any) -> list[tf.Tensor]:
    product = tf.reshape(tf.matmul(tf.reshape(x, [-1, 16]), w), [-1, 5, 24])
    return [product + b, tf.reduce_max(product)]


def other_row(x: Any, w: Any, b: Any) -> list[tf.Tensor]:
    product = tf.matmul(tf.reshape(x, [-1, 16]), w)
    return [tf.reshape(product, [-1, 5, 2, 12]) + b[:12]]


def whole_columns(x: Any, w: Any, b: Any) -> list[tf.Tensor]:
    product = tf.matmul(tf.reshape(x, [-1, 16]), w)
    return [tf.reshape(product, [24, -1]) + tf.expand_dims(b, 1)]


def awaited(x: Any, w: Any, b: Any) -> list[tf.Tensor]:
    view = tf.reshape(tf.matmul(tf.reshape(x, [-1, 16]), w), [-1, 5, 24])
    with tf.control_dependencies([view]):
        other = tf.exp(b)
    return [view + b, other]


def difference(x: Any, w: Any, b: Any) -> list[tf.Tensor]:
    return [tf.reshape(tf.matmul(tf.reshape(x, [-1, 16]), w), [-1, 5, 24]) - b]


@pytest.mark.parametrize("build", [two_readers, other_row, whole_columns, awaited, difference])
def test_other_sums_stay_where_they_are(build: Callable[..., list[tf.Tensor]]) -> None:
    fed = feeds()
    results = build(*fed)
    stage, notes = after(Fuse.name, stage_of(results, list(fed)))
    assert RULE not in {note.rule for note in notes.notes}
    order = types(stage)
    assert order.index("Reshape", order.index("MatMul")) == order.index("MatMul") + 1


def test_a_sum_in_a_group_stays_in_it() -> None:
    fed = feeds()
    x, w, b = fed
    stage = optimise(stage_of(tf.nn.relu(dense(x, w, b)), list(fed)), kernel_for)
    assert types(stage) == ["Reshape", "MatMul", "Reshape", "Fused"]


def test_a_reshape_that_does_not_fit_fails_as_before() -> None:
    fed = feeds()
    sizes = tf.placeholder(tf.int32, [3])
    x, w, b = fed
    view = tf.reshape(tf.matmul(tf.reshape(x, [-1, 16]), w), sizes, name="view")
    view.set_shape([None, None, 24])
    result = view + b
    with tf.Session() as session:
        assert session.run(result, fed | {sizes: [6, 5, 24]}).shape == (6, 5, 24)
        for wrong in ([7, 5, 24], [5, 6, 12]):
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(result, fed | {sizes: wrong})
