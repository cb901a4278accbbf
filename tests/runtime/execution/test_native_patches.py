"""Convolutions of few multiplications, which NumPy computes, are part of native blocks with its bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.llvm.tier import why_off

from .test_native_blocks import data
from .test_native_rows import apart_of, compiled_at_once

__all__ = ["compiled_at_once"]  # a fixture of every test here

pytestmark = pytest.mark.skipif(bool(why_off()), reason=why_off() or "the compiled tier is on")

CASES: list[tuple[tuple[int, ...], tuple[int, ...], list[int], str]] = [
    ((4, 1, 8, 6), (1, 2, 6, 8), [1, 1, 1, 1], "VALID"), ((2, 5, 6, 2), (3, 2, 2, 3), [1, 1, 1, 1], "VALID"),
    ((2, 5, 6, 2), (3, 3, 2, 4), [1, 1, 1, 1], "SAME"), ((3, 4, 4, 1), (2, 2, 1, 5), [1, 1, 1, 1], "SAME"),
    ((2, 7, 6, 3), (3, 2, 3, 2), [1, 2, 2, 1], "VALID"), ((2, 7, 6, 3), (3, 2, 3, 2), [1, 2, 3, 1], "SAME"),
    ((1, 2, 2, 1), (5, 5, 1, 2), [1, 1, 1, 1], "SAME"),
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("image", "window", "strides", "padding"), CASES, ids=str)
def test_a_small_convolution_and_its_gradients_are_in_a_block(
    image: tuple[int, ...], window: tuple[int, ...], strides: list[int], padding: str, dtype: str
) -> None:
    def build() -> tuple[dict[Any, Any], list[Any]]:
        x, w = tf.placeholder(dtype, image), tf.placeholder(dtype, window)
        y = tf.nn.conv2d(x * 2.0, w + w, strides=strides, padding=padding)
        gradients = tf.gradients(y * y, [x, w])
        fed = {x: data(*image, dtype=dtype), w: data(*window, seed=3, dtype=dtype)}
        fed[x].reshape(-1)[:2] = [-0.0, np.inf]
        return fed, [y, *gradients, x - 1.0]

    apart = set(apart_of(build))
    assert not {"Conv2D", "Conv2DBackpropFilter"} & apart
    assert ("Conv2DBackpropInput" in apart) == (strides != [1, 1, 1, 1])


def test_a_convolution_with_too_many_copies_stays_apart() -> None:
    def build() -> tuple[dict[Any, Any], list[Any]]:
        x, w = tf.placeholder(tf.float32, [90, 4, 4, 1]), tf.placeholder(tf.float32, [2, 2, 1, 2])
        y = tf.nn.conv2d(x * 2.0, w, strides=[1, 1, 1, 1], padding="VALID")
        return {x: data(90, 4, 4, 1), w: data(2, 2, 1, 2)}, [y + 1.0, x + 1.0, x * x]

    assert "Conv2D" in apart_of(build)
