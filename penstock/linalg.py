"""`tf.linalg`: the functions of matrices under TensorFlow's names of 1.x."""

from .api.missing_names import add_hints as _add_hints
from .api.public_names import show_public_names_only as _show_public_names_only
from .ops.linalg.cross import cross
from .ops.linalg.diagonals import eye, diag as tensor_diag, diag_part as tensor_diag_part
from .ops.linalg.einsum import einsum
from .ops.linalg.factorizations import cholesky, self_adjoint_eig as eigh, self_adjoint_eigvals as eigvalsh, svd
from .ops.linalg.linear_operators import (
    LinearOperatorDiag, LinearOperatorFullMatrix, LinearOperatorIdentity, LinearOperatorLowerTriangular,
    LinearOperatorScaledIdentity,
)
from .ops.linalg.matmul import matmul
from .ops.linalg.matrix_bands import matrix_band_part as band_part
from .ops.linalg.matrix_functions import (
    adjoint, cholesky_solve, logdet, matrix_solve_ls as lstsq, matrix_transpose, matvec, norm, tensordot, trace,
    matrix_transpose as transpose,
)
from .ops.linalg.matrix_parts import matrix_diag as diag, matrix_diag_part as diag_part, matrix_set_diag as set_diag
from .ops.linalg.qr import qr
from .ops.linalg.solvers import (
    matrix_determinant as det, matrix_inverse as inv, log_matrix_determinant as slogdet, matrix_solve as solve,
    matrix_triangular_solve as triangular_solve,
)
from .ops.nn.clipping import global_norm
from .ops.reduce.norms import l2_normalize

__all__ = [
    "LinearOperatorDiag", "LinearOperatorFullMatrix", "LinearOperatorIdentity", "LinearOperatorLowerTriangular",
    "LinearOperatorScaledIdentity", "adjoint", "band_part", "cholesky", "cholesky_solve", "cross", "det", "diag",
    "diag_part", "eigh", "eigvalsh", "einsum", "eye", "global_norm", "inv", "l2_normalize", "logdet", "lstsq", "matmul",
    "matrix_transpose", "matvec", "norm", "qr", "set_diag", "slogdet", "solve", "svd", "tensor_diag",
    "tensor_diag_part", "tensordot", "trace", "transpose", "triangular_solve",
]  # fmt: skip

_add_hints(__name__)
_show_public_names_only(__name__)
