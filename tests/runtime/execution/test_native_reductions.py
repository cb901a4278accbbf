"""Reductions and places of extremes are part of native blocks, with the bits of NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.kernels.native_reductions import MOST_CALLS
from penstock.runtime.llvm.tier import why_off

from .test_native_rows import apart_of, compiled_at_once

__all__ = ["compiled_at_once"]  # a fixture of every test here

pytestmark = pytest.mark.skipif(bool(why_off()), reason=why_off() or "the compiled tier is on")

SHAPES: list[tuple[tuple[int, ...], Any]] = [
    ((7,), None), ((1,), 0), ((5, 3), 0), ((5, 3), 1), ((5, 3), None), ((4, 1, 6), 1), ((3, 5, 4), 1),
    ((3, 5, 4), [1, 2]), ((3, 5, 4), [0, 1]), ((2, 3, 4, 5), [1, 2]), ((2, 3, 4, 5), 3), ((1, 200), 1), ((200, 1), 0),
    ((3, 300), 0),
    ((MOST_CALLS, 2), 1), ((MOST_CALLS + 1, 2), 1), ((8, 9, 1), 1),
]  # fmt: skip
SPECIAL = [0.0, -0.0, np.nan, np.inf, -np.inf, 1e-40, 3.0, -3.0]


def values(shape: tuple[int, ...], dtype: str, seed: int) -> Any:
    """Numbers, some of which are special."""
    rng = np.random.default_rng(seed)
    x = (rng.normal(size=shape) * 9).astype(dtype)
    if dtype.startswith("float"):
        x.reshape(-1)[rng.random(x.size) < 0.2] = rng.choice(SPECIAL, 1).astype(dtype)
        x.reshape(-1)[rng.random(x.size) < 0.2] = rng.choice(SPECIAL[:2], 1).astype(dtype)
    return x


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize(("shape", "axis"), SHAPES, ids=str)
def test_sums_means_and_extremes_along_any_axes(shape: tuple[int, ...], axis: Any, dtype: str) -> None:
    reductions: list[Callable[..., Any]] = [tf.reduce_sum, tf.reduce_max, tf.reduce_min]
    if dtype.startswith("float"):
        reductions.append(tf.reduce_mean)
    for seed in range(3):

        def build(seed: int = seed) -> tuple[dict[Any, Any], list[Any]]:
            x = tf.placeholder(dtype, shape)
            y = tf.identity(x) * tf.constant(1, dtype)
            return {x: values(shape, dtype, seed)}, [
                y * y, *[each(y, axis, keepdims=bool(seed % 2)) for each in reductions], y + y,
            ]  # fmt: skip

        apart = set(apart_of(build))
        if np.prod(shape) <= MOST_CALLS:
            assert not {"Sum", "Max", "Min", "Mean"} & apart


def test_parts_of_an_array_are_reduced_in_a_block() -> None:
    def build() -> tuple[dict[Any, Any], list[Any]]:
        x = tf.placeholder(tf.float32, [6, 9])
        y = x * x
        others = y[:, 2:]
        return {x: values((6, 9), "float32", 5)}, [tf.reduce_max(others, 1), tf.reduce_sum(others, 1), y + 1.0]

    assert not {"Sum", "Max"} & set(apart_of(build))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize("shape", [(3, 300), (1, 4), (7, 2, 3), (5, 1)], ids=str)
@pytest.mark.parametrize("kind", ["int32", "int64"])
def test_places_of_extremes_along_the_first_axis(shape: tuple[int, ...], dtype: str, kind: str) -> None:
    for seed in range(4):

        def build(seed: int = seed) -> tuple[dict[Any, Any], list[Any]]:
            x = tf.placeholder(dtype, shape)
            y = x + tf.constant(0, dtype)
            fed = values(shape, dtype, seed)
            if dtype.startswith("float") and seed == 3:
                fed[0] = np.nan
            return {x: fed}, [tf.argmin(y, 0, output_type=kind), tf.argmax(y, 0, output_type=kind), y * y, y - 1]

        assert not {"ArgMin", "ArgMax"} & set(apart_of(build))


def test_sums_by_the_place_of_an_extreme_and_by_joined_indices_are_in_the_same_block() -> None:
    def k_means() -> tuple[dict[Any, Any], list[Any]]:
        points, centres = tf.placeholder(tf.float32, [40, 2]), tf.placeholder(tf.float32, [3, 2])
        apart = tf.square(tf.expand_dims(points, 0) - tf.expand_dims(centres, 1))
        nearest = tf.argmin(tf.reduce_sum(apart, 2), 0)
        fed = {points: values((40, 2), "int32", 1), centres: values((3, 2), "int32", 2)}
        return fed, [tf.unsorted_segment_sum(points, nearest, 3), nearest]

    def joined() -> tuple[dict[Any, Any], list[Any]]:
        rows, a, b = tf.placeholder(tf.float32, [9, 4]), tf.placeholder(tf.int32, [3]), tf.placeholder(tf.int32, [2, 1])
        index = tf.concat(0, [a, tf.reshape(b, [2])])
        fed = {rows: values((9, 4), "float64", 1), a: [1, 8, 0], b: [[3], [3]]}
        return fed, [tf.gather(rows + rows, index) * 2.0, rows * rows]

    assert not apart_of(k_means)
    assert not apart_of(joined)


def test_a_joined_index_out_of_range_is_the_error_of_the_step() -> None:
    rows, a, b = tf.placeholder(tf.float32, [9, 4]), tf.placeholder(tf.int32, [3]), tf.placeholder(tf.int32, [2])
    fetches = [tf.gather(rows + rows, tf.concat(0, [a, b]), name="picked") * 2.0, rows * rows]
    feeds: dict[Any, Any] = {rows: values((9, 4), "float32", 1), a: [1, 8, 0], b: [3, 3]}
    with tf.Session() as session:
        for _ in range(5):
            before = session.run(fetches, feeds)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)9 is not in \[0, 9\).*picked"):
            session.run(fetches, {**feeds, b: [3, 9]})
        after = session.run(fetches, feeds)
        assert all(x.tobytes() == y.tobytes() for x, y in zip(before, after, strict=True))
