"""`tf.linalg`: the functions of matrices under TensorFlow's names of 1.x."""

from .api.missing_names import add_hints as _add_hints
from .api.public_names import show_public_names_only as _show_public_names_only
from .ops.linalg.cross import cross as cross
from .ops.linalg.diagonals import diag as tensor_diag
from .ops.linalg.diagonals import diag_part as tensor_diag_part
from .ops.linalg.diagonals import eye as eye
from .ops.linalg.einsum import einsum as einsum
from .ops.linalg.factorizations import cholesky as cholesky
from .ops.linalg.factorizations import self_adjoint_eig as eigh
from .ops.linalg.factorizations import self_adjoint_eigvals as eigvalsh
from .ops.linalg.factorizations import svd as svd
from .ops.linalg.matmul import matmul as matmul
from .ops.linalg.matrix_bands import matrix_band_part as band_part
from .ops.linalg.matrix_functions import adjoint as adjoint
from .ops.linalg.matrix_functions import cholesky_solve as cholesky_solve
from .ops.linalg.matrix_functions import logdet as logdet
from .ops.linalg.matrix_functions import matrix_solve_ls as lstsq
from .ops.linalg.matrix_functions import matrix_transpose as matrix_transpose
from .ops.linalg.matrix_functions import matrix_transpose as transpose
from .ops.linalg.matrix_functions import matvec as matvec
from .ops.linalg.matrix_functions import norm as norm
from .ops.linalg.matrix_functions import tensordot as tensordot
from .ops.linalg.matrix_functions import trace as trace
from .ops.linalg.matrix_parts import matrix_diag as diag
from .ops.linalg.matrix_parts import matrix_diag_part as diag_part
from .ops.linalg.matrix_parts import matrix_set_diag as set_diag
from .ops.linalg.qr import qr as qr
from .ops.linalg.solvers import log_matrix_determinant as slogdet
from .ops.linalg.solvers import matrix_determinant as det
from .ops.linalg.solvers import matrix_inverse as inv
from .ops.linalg.solvers import matrix_solve as solve
from .ops.linalg.solvers import matrix_triangular_solve as triangular_solve
from .ops.nn.clipping import global_norm as global_norm
from .ops.reduce.norms import l2_normalize as l2_normalize

__all__ = [
    "adjoint", "band_part", "cholesky", "cholesky_solve", "cross", "det", "diag", "diag_part", "eigh", "eigvalsh",
    "einsum", "eye", "global_norm", "inv", "l2_normalize", "logdet", "lstsq", "matmul", "matrix_transpose",
    "matvec", "norm", "qr", "set_diag", "slogdet", "solve", "svd", "tensor_diag", "tensor_diag_part", "tensordot",
    "trace", "transpose", "triangular_solve",
]  # fmt: skip

_add_hints(__name__)
_show_public_names_only(__name__)
