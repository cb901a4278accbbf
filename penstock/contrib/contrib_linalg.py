"""`tf.contrib.linalg`: the linear operators under their first names."""

from ..linalg import LinearOperatorDiag as LinearOperatorDiag
from ..linalg import LinearOperatorFullMatrix as LinearOperatorFullMatrix
from ..linalg import LinearOperatorIdentity as LinearOperatorIdentity
from ..linalg import LinearOperatorLowerTriangular as LinearOperatorLowerTriangular
from ..linalg import LinearOperatorLowerTriangular as LinearOperatorTriL
from ..linalg import LinearOperatorScaledIdentity as LinearOperatorScaledIdentity

__all__ = [
    "LinearOperatorDiag", "LinearOperatorFullMatrix", "LinearOperatorIdentity", "LinearOperatorLowerTriangular",
    "LinearOperatorScaledIdentity", "LinearOperatorTriL",
]  # fmt: skip
