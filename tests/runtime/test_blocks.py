"""Reductions over the last axes have one order of combination, whatever the layout, and however they are run."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penstock as tf
from penstock.graph.declare.op_declaration import OPS
from penstock.ops.declare.reduction_order import BLOCK, is_trailing, reduce_blocks, reduced, split_shape

from ..helpers import examples


@pytest.fixture(autouse=True)
def _as_in_a_run() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


REDUCTIONS = sorted(type for type, op in OPS.items() if op.reduction is not None)
LENGTHS = (1, 7, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5)
SHAPES = [*((n,) for n in LENGTHS), (3, BLOCK + 2), (40, 900), (5, 0), (0, 5), (2, 3, 4)]


def values(shape: tuple[int, ...], dtype: tf.DType, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype.is_bool:
        return rng.random(shape) < 0.5
    found = rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4, shape)
    found[rng.random(shape) < 0.2] = -0.0
    if dtype.is_floating and seed % 2:
        found[rng.random(shape) < 0.01] = np.nan
    with np.errstate(all="ignore"):
        return found.astype(dtype.np)


def by_hand(type: str, row: np.ndarray, dtype: tf.DType) -> np.ndarray:
    """One row, block by block, with a Python loop."""
    rule = OPS[type].reduction
    assert rule is not None
    wide = rule.wide(dtype).np
    parts = [rule.ufunc.reduce(row[i : i + BLOCK].astype(wide), dtype=wide) for i in range(0, len(row), BLOCK)]
    total = parts[0] if len(parts) == 1 else rule.ufunc.reduce(np.array(parts, wide), dtype=wide)
    total = np.asarray(total, wide)
    return np.asarray(total.astype(dtype.np) if rule.finish is None else rule.finish(total, len(row), dtype))


def allowed(type: str) -> list[tf.DType]:
    dtypes = [tf.bool, tf.float32, tf.float64, tf.float16, tf.bfloat16, tf.int32, tf.uint8]
    return [d for d in dtypes if d.bit & OPS[type].operands[0][2].allowed]


def same(a: np.ndarray, b: np.ndarray) -> bool:
    a, b = np.asarray(a), np.asarray(b)
    nan = a != a
    equal = a.dtype == b.dtype and a.shape == b.shape and bool(((b != b) == nan).all())
    return equal and np.where(nan, a.dtype.type(0), a).tobytes() == np.where(nan, a.dtype.type(0), b).tobytes()


@pytest.mark.parametrize("type", REDUCTIONS)
def test_a_row_is_combined_block_by_block(type: str) -> None:
    for dtype in allowed(type):
        for count in (1, 5, BLOCK, BLOCK + 1, 2 * BLOCK + 77):
            x = values((count,), dtype)
            rule = OPS[type].reduction
            assert rule is not None
            assert same(reduce_blocks(rule, x, (0,), False), by_hand(type, x, dtype)), (dtype, count)


@pytest.mark.parametrize("type", REDUCTIONS)
def test_each_row_of_a_table_is_what_it_is_alone(type: str) -> None:
    rule = OPS[type].reduction
    assert rule is not None
    for dtype in allowed(type):
        for shape in ((4, 3), (300, 200), (3, BLOCK + 9)):
            x = values(shape, dtype)
            alone = np.array([reduce_blocks(rule, row, (0,), False) for row in x], dtype.np)
            assert same(reduce_blocks(rule, x, (1,), False), alone), (dtype, shape)


@settings(max_examples=examples(2), deadline=None)
@given(st.data())
def test_the_layout_of_the_operand_changes_no_bit(data: st.DataObject) -> None:
    type = data.draw(st.sampled_from(REDUCTIONS))
    dtype = data.draw(st.sampled_from(allowed(type)))
    shape = data.draw(st.sampled_from(SHAPES))
    axis = data.draw(st.sampled_from([None, *range(len(shape)), -1]))
    x = values(shape, dtype, data.draw(st.integers(0, 3)))
    kernel = OPS[type].kernels["*"]
    axes = None if axis is None else np.array(axis, np.int32)
    wide = np.zeros((*shape[:-1], 2 * shape[-1]), dtype.np)
    wide[..., ::2] = x
    negative = np.ascontiguousarray(x[..., ::-1])[..., ::-1]
    expected = kernel(np, x, axes, False)
    for other in (np.asfortranarray(x), wide[..., ::2], negative):
        assert same(kernel(np, other, axes, False), expected)


def test_a_fused_reduction_has_the_bits_of_one_that_runs_alone() -> None:
    for shape in ((5,), (3 * BLOCK + 5,), (3, BLOCK + 9), (301, 200), (60, 7, 200)):
        graph = tf.Graph()
        with graph.as_default():
            x = tf.placeholder(tf.float32, shape)
            y = tf.placeholder(tf.float32, shape[-1:])
            z = x * y + x
            wanted = [tf.reduce_sum(z), tf.reduce_max(z, -1), tf.reduce_mean(z, -1, keepdims=True), z]
        feed = {x: values(shape, tf.float32), y: values(shape[-1:], tf.float32, 2)}
        plain = tf.Session(graph=graph, config=tf.SessionConfig(passes=()))
        fused = tf.Session(graph=graph, config=tf.SessionConfig(verify=True))
        for fetches in (wanted[:1], wanted[1:3], wanted[::3], wanted):
            for a, b in zip(plain.run(fetches, feed), fused.run(fetches, feed), strict=True):
                assert same(np.asarray(a), np.asarray(b)), shape


def test_what_counts_as_trailing() -> None:
    assert is_trailing((1, 2), 3) and is_trailing((0,), 1)
    assert not is_trailing((0,), 2) and not is_trailing((), 2) and not is_trailing((0, 2), 3)
    assert split_shape((2, 3, 4), (1, 2)) == (2, 12)
    assert reduced((2, 3, 4), (1, 2), True) == (2, 1, 1) and reduced((2, 3, 4), (1, 2), False) == (2,)
