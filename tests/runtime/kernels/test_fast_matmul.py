"""Products of matrices: the fast kernel gives the bits of the plain one, and leaves to it what must be converted."""

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.declare.op_declaration import OPS
from penstock.runtime.kernels.products.fast_matmul import matmul

FLAGS = [(False, False), (True, False), (False, True), (True, True)]


def operands(dtype: str, turned: tuple[bool, bool]) -> list[Any]:
    rng = np.random.default_rng(0)
    shapes = [(70, 33)[:: -1 if turned[0] else 1], (33, 50)[:: -1 if turned[1] else 1]]
    return [rng.normal(size=shape).astype(dtype) for shape in shapes]


@pytest.mark.parametrize("turned", FLAGS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_it_gives_the_bits_of_the_plain_kernel(dtype: str, turned: tuple[bool, bool]) -> None:
    a, b = operands(dtype, turned)
    plain = OPS["MatMul"].kernels["*"]
    for flags in ((*turned, False, False), (False, False, *turned)):
        made = matmul(np, a, b, *flags)
        assert np.array_equal(made, plain(np, a, b, *flags, False, False))


@pytest.mark.parametrize("case", [
    (np.zeros((2, 2), "f2"), np.zeros((2, 2), "f2")),
    (np.zeros((2, 2), "i4"), np.zeros((2, 2), "i4")),
    (np.zeros((2, 2), "c8"), np.zeros((2, 2), "c8")),
    (np.zeros((2, 2, 2), "f4"), np.zeros((2, 2), "f4")),
    (np.zeros(2, "f4"), np.zeros((2, 2), "f4")),
    (np.zeros((4, 4), "f4")[::2, ::2], np.zeros((2, 2), "f4")),
    (np.zeros((2, 3), "f4"), np.zeros((2, 3), "f4")),
    (np.zeros((2, 2), ">f4"), np.zeros((2, 2), ">f4")),
])  # fmt: skip
def test_the_plain_kernel_gets_what_it_must_convert_or_refuse(case: tuple[Any, Any]) -> None:
    assert matmul(np, *case, False, False, False, False) is None


def test_sizes_that_do_not_fit_are_refused_by_the_run() -> None:
    a, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="Matrix size-incompatible"):
        session.run(tf.matmul(a, b), {a: np.zeros((2, 3)), b: np.zeros((2, 3))})
