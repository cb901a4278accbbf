"""cross against the formula in exact ints, and in every dtype it takes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf

from .index_cases import run, same


@given(st.integers(0, 99), st.sampled_from(["i1", "u1", "i4", "i8", "f2", "f4", "f8", "bfloat16"]), st.booleans())
def test_a_product_is_that_of_exact_ints(seed: int, dtype: str, known: bool) -> None:
    real = tf.bfloat16.np if dtype == "bfloat16" else np.dtype(dtype)
    a, b = np.random.default_rng(seed).integers(0, 9, (2, 4, 2, 3))
    got = run(tf.cross, a.astype(real), b.astype(real), known=known)
    assert same(got, np.cross(a, b).astype(real))


def test_shapes_of_the_run_are_checked() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Both inputs must be of same shape"):
        run(tf.cross, np.zeros(3), np.zeros((1, 3)), known=False)
    with pytest.raises(tf.errors.FailedPreconditionError, match="only defined for 3-element vectors"):
        run(tf.cross, np.zeros(2), np.zeros(2), known=False)


def test_the_known_size_of_either_operand_serves_both() -> None:
    with tf.Graph().as_default():
        out = tf.cross(tf.placeholder(tf.float32, ["n", None]), tf.placeholder(tf.float32, [None, 3]))
        assert str(out.shape) == "(n, 3)"
        with pytest.raises(ValueError, match="Dimension must be 3 but is 2"):
            tf.cross([1.0, 2.0], [1.0, 2.0])
