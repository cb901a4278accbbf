"""`repeat` gives what `numpy.repeat` gives, whatever is known of the shapes before the run."""

from __future__ import annotations

import numpy as np
import pytest

import penstock as tf

CASES = [
    ((3,), 2, None), ((2, 3), [1, 0, 2, 3, 0, 1], None), ((), 3, None), ((2, 3), 2, 0), ((2, 3), [0, 2], 0),
    ((2, 3), [1, 2, 3], 1), ((2, 3), [1, 2, 3], -1), ((2, 3, 4), [2], -2), ((0, 2), 3, 0), ((2, 0, 3), [4, 1], 0),
    ((2, 3), 0, 1),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "repeats", "axis"), CASES)
def test_it_is_numpys_repeat(shape: tuple[int, ...], repeats: int | list[int], axis: int | None) -> None:
    x = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
    want = np.repeat(x, repeats, axis)
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        known, open_ = tf.repeat(x, repeats, axis), tf.placeholder(tf.float32)
        times = tf.placeholder(tf.int64)
        unknown = tf.repeat(open_, times, axis)
        for got in session.run([known, unknown], {open_: x, times: repeats}):
            assert got.dtype == np.float32 and np.array_equal(got, want) and got.shape == want.shape
        assert known.shape.is_compatible_with(want.shape)
        slope = session.run(tf.convert_to_tensor(tf.gradients(unknown, open_)[0]), {open_: x, times: repeats})
        whole = np.repeat(np.arange(x.size).reshape(shape), repeats, axis)
        assert np.array_equal(slope.reshape(-1), np.bincount(whole.reshape(-1), minlength=x.size))


def test_what_it_refuses() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        with pytest.raises(ValueError, match=r"axis must be in \[-2, 2\), but is 2"):
            tf.repeat([[1, 2]], 2, axis=2)
        with pytest.raises(ValueError, match="repeats must be a number or a vector"):
            tf.repeat([1, 2], [[1, 2]])
        with pytest.raises(ValueError):
            tf.repeat([1, 2, 3], [1, 2])
        times = tf.placeholder(tf.int32)
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(tf.repeat([1, 2, 3], times), {times: [1, 2]})
