"""Reductions and ops that compute rows in native blocks: the same bits, whatever is reduced."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.runtime.execution import native_steps
from penstock.runtime.llvm import tier
from penstock.runtime.nest import row_launch, row_op

from ...fuzz.of_groups import same_bits

pytestmark = pytest.mark.skipif(not tier.on(), reason="nothing is compiled here")


@pytest.fixture(autouse=True)
def _mode() -> Iterator[None]:
    before = jit.mode
    yield
    jit.mode = before


def in_blocks(build: Any, *arrays: Any) -> None:
    """A graph that has run often enough for native blocks has the bits of the interpreter, on other numbers too."""
    with tf.Graph().as_default() as graph:
        places = [tf.placeholder(tf.as_dtype(x.dtype), x.shape) for x in arrays]
        fetches = build(*places)
    results: dict[str, list[Any]] = {}
    for mode in ("off", "now"):
        jit.mode = mode
        with np.errstate(all="ignore"), tf.Session(graph=graph) as session:
            for _ in range(12):
                session.run(fetches, dict(zip(places, arrays, strict=True)))
            results[mode] = session.run(fetches, {p: x[::-1].copy() for p, x in zip(places, arrays, strict=True)})
    for one, other in zip(results["now"], results["off"], strict=True):
        assert same_bits(np.asarray(one), np.asarray(other))


def counted(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> list[int]:
    """How many calls each call of a function that gives native forms gave."""
    counts: list[int] = []
    function = getattr(owner, name)

    def noted(*args: Any) -> Any:
        calls = function(*args)
        counts.append(0 if calls is None else len(calls))
        return calls

    monkeypatch.setattr(owner, name, noted)
    return counts


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_reductions_between_other_steps(monkeypatch: pytest.MonkeyPatch, dtype: str) -> None:
    counts = counted(monkeypatch, native_steps, "reduced")
    reductions = [tf.reduce_sum, tf.reduce_mean, tf.reduce_prod]
    reductions += [tf.reduce_max, tf.reduce_min]
    x = np.random.default_rng(0).integers(1, 5, (30, 8)).astype(dtype)

    def build(t: Any) -> list[Any]:
        y = tf.matmul(t, tf.ones([8, 8], dtype))
        z = tf.matmul(y, tf.ones([8, 8], dtype))
        axes: list[tuple[Any, bool]] = [(0, True), (1, False), (None, False)]
        return [reduce(z, axis, keepdims=keep) for reduce in reductions for axis, keep in axes]

    in_blocks(build, x)
    assert any(counts)


def test_a_mean_of_columns_is_divided_by_a_loop_of_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = counted(monkeypatch, row_launch.RowLaunch, "native")

    def build(t: Any) -> list[Any]:
        y = tf.matmul(t, tf.ones([9, 9]))
        mean = tf.reduce_mean(y, 0, keepdims=True)
        return [mean, tf.reduce_mean(tf.squared_difference(y, mean), 0), tf.matmul(y, tf.ones([9, 2]))]

    in_blocks(build, np.random.default_rng(0).standard_normal((40, 9)).astype("f4"))
    assert 2 in counts


def test_ops_that_compute_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = counted(monkeypatch, row_op.RowOp, "native")

    def build(t: Any) -> list[Any]:
        y = tf.matmul(t, tf.ones([9, 12]))
        losses = tf.nn.softmax_cross_entropy_with_logits(y, tf.nn.softmax(tf.matmul(t, tf.ones([9, 12]))))
        return [losses, tf.nn.log_softmax(y), tf.argmax(y, 1), tf.reduce_mean(losses), tf.matmul(y, tf.ones([12, 2]))]

    in_blocks(build, np.random.default_rng(0).standard_normal((40, 9)).astype("f4"))
    assert any(counts)
