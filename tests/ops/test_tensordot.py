"""`tensordot` gives NumPy's products, whatever is known of its operands when it is built."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf


@pytest.mark.parametrize("seed", range(12))
def test_products_of_known_partly_known_and_unknown_ranks(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ranks = rng.integers(1, 5, 2)
    count = int(rng.integers(0, min(ranks) + 1))
    of_a, of_b = ([int(axis) for axis in rng.permutation(rank)[:count]] for rank in ranks)
    sizes_a, sizes_b = (rng.integers(0, 4, rank) for rank in ranks)
    sizes_b[of_b] = sizes_a[of_a]
    a, b = rng.random(sizes_a), rng.random(sizes_b)
    pairs = zip((of_a, of_b), ranks, strict=True)
    axes = [[axis - int(rng.choice([0, rank])) for axis in each] for each, rank in pairs]
    ways: list[tuple[Any, Any]] = [
        (a.shape, b.shape), (None, None), ([None] * a.ndim, None), (None, b.shape), ([None] * a.ndim, b.shape)
    ]  # fmt: skip
    for shapes in ways:
        with tf.Graph().as_default(), tf.Session() as session:
            x, y = (tf.placeholder(tf.float64, shape) for shape in shapes)
            product = tf.tensordot(x, y, axes)
            found = session.run([product, *tf.gradients(product, [x, y])], {x: a, y: b})
        assert found[0].shape == np.tensordot(a, b, (of_a, of_b)).shape
        assert np.allclose(found[0], np.tensordot(a, b, (of_a, of_b)))
        assert [each.shape for each in found[1:]] == [a.shape, b.shape]


def test_axes_that_do_not_exist_are_refused_in_the_run_where_the_rank_is_not_known() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        product = tf.tensordot(x, y, [[3], [0]])
        with pytest.raises(tf.errors.InvalidArgumentError, match="transpose expects a vector of size 2"):
            session.run(product, {x: np.ones((2, 3)), y: np.ones((3, 2))})
