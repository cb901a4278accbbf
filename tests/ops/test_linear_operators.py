"""`tf.linalg.LinearOperator...`: each method gives what NumPy computes with the whole matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf

RNG = np.random.RandomState(0)
A = (RNG.rand(3, 3) + 2 * np.eye(3)).astype("f")
D = (RNG.rand(3) + 1).astype("f")
B = RNG.rand(3, 2).astype("f")
C = (D + 1j * RNG.rand(3)).astype("c8")
CASES: list[tuple[str, tuple[Any, ...], Any]] = [
    ("LinearOperatorFullMatrix", (A,), A),
    ("LinearOperatorFullMatrix", (np.stack([A, A.T]),), np.stack([A, A.T])),
    ("LinearOperatorLowerTriangular", (A,), np.tril(A)),
    ("LinearOperatorDiag", (D,), np.diag(D)),
    ("LinearOperatorDiag", (C,), np.diag(C)),
    ("LinearOperatorDiag", (np.stack([D, 2 * D]),), np.stack([np.diag(D), np.diag(2 * D)])),
    ("LinearOperatorIdentity", (3,), np.eye(3, dtype="f")),
    ("LinearOperatorScaledIdentity", (3, 2.5), 2.5 * np.eye(3, dtype="f")),
]


@pytest.mark.parametrize(("name", "args", "dense"), CASES)
def test_a_method_is_that_of_the_matrix(name: str, args: tuple[Any, ...], dense: Any) -> None:
    right = B.astype(dense.dtype)
    turned = np.conj(np.swapaxes(dense, -1, -2))
    with tf.Graph().as_default(), tf.Session() as session:
        operator: Any = getattr(tf.linalg, name)(*args)
        assert operator.shape.as_list() == list(dense.shape) and operator.dtype.np == dense.dtype
        assert operator.domain_dimension == operator.range_dimension == 3
        assert operator.batch_shape.as_list() == list(dense.shape[:-2])
        pairs = {
            "to_dense": (operator.to_dense(), dense),
            "matmul": (operator.matmul(right), dense @ right),
            "adjoint": (operator.matmul(right, adjoint=True), turned @ right),
            "adjoint_arg": (operator.matmul(right.T, adjoint_arg=True), dense @ np.conj(right)),
            "solve": (operator.solve(right), np.linalg.solve(dense, np.broadcast_to(right, (*dense.shape[:-1], 2)))),
            "solve adjoint": (operator.solve(right, adjoint=True),
                              np.linalg.solve(turned, np.broadcast_to(right, (*dense.shape[:-1], 2)))),
            "matvec": (operator.matvec(right[:, 0]), dense @ right[:, 0]),
            "diag_part": (operator.diag_part(), np.diagonal(dense, axis1=-2, axis2=-1)),
            "trace": (operator.trace(), np.trace(dense, axis1=-2, axis2=-1)),
            "determinant": (operator.determinant(), np.linalg.det(dense)),
            "log": (operator.log_abs_determinant(), np.log(np.abs(np.linalg.det(dense)))),
            "shape": (operator.shape_tensor(), np.array(dense.shape)),
            "add": (operator.add_to_tensor(np.ones_like(dense)), dense + 1),
        }  # fmt: skip
        for label, (got, expected) in pairs.items():
            np.testing.assert_allclose(session.run(got), expected, rtol=2e-5, atol=1e-6, err_msg=label)


def test_the_first_names_and_a_missing_axis() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        masked = tf.contrib.linalg.LinearOperatorTriL(tf.ones([2, 3, 3])).to_dense()
        np.testing.assert_array_equal(session.run(masked)[1], np.tril(np.ones((3, 3))))
        with pytest.raises(ValueError, match="LinearOperatorLowerTriangular: expected at least 2 dimensions"):
            tf.linalg.LinearOperatorLowerTriangular(tf.ones([3]))
