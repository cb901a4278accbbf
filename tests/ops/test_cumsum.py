"""Running sums and products along one axis."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf
from penstock.errors import InvalidArgumentError


def run(fetch: Any, feeds: dict[Any, Any] | None = None) -> Any:
    with tf.Session(graph=fetch.graph) as session:
        return session.run(fetch, feeds)


@given(shape=st.lists(st.integers(0, 4), min_size=1, max_size=3), data=st.data(), exclusive=st.booleans(),
       reverse=st.booleans(), product=st.booleans())  # fmt: skip
def test_a_scan_is_the_sum_of_every_prefix(
    shape: list[int], data: st.DataObject, exclusive: bool, reverse: bool, product: bool
) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = np.random.default_rng(1).integers(-3, 4, shape)
    with tf.Graph().as_default():
        out = (tf.cumprod if product else tf.cumsum)(x, axis, exclusive, reverse)
    got = np.moveaxis(run(out), axis, 0)
    rows = np.moveaxis(x, axis, 0)
    for i in range(len(rows)):
        inside = rows[i + exclusive :] if reverse else rows[: i + (not exclusive)]
        np.testing.assert_array_equal(got[i], inside.prod(0) if product else inside.sum(0))
    assert out.shape.as_list() == shape


@pytest.mark.parametrize(
    ("x", "axis", "words"),
    [(1.0, 0, r"in the range \[0, 0\), but got 0"), ([1.0], 1, r"in the range \[-1, 1\), but got 1"),
     ([1.0], [0], r"ScanOp: axis must be a scalar, not \[1\]")],
)  # fmt: skip
def test_the_axis_of_a_scan_is_checked_by_the_run(x: Any, axis: Any, words: str) -> None:
    with tf.Graph().as_default():
        out = tf.cumsum(x, axis)
    with pytest.raises(InvalidArgumentError, match=words):
        run(out)
