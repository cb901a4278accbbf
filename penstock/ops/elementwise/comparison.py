"""Elementwise comparison.

Every comparison with NaN is False, except `not_equal`, which is True. Strings are compared as bytes. Python's `==`
between tensors compares identity, as in TensorFlow 1; `equal` is the op.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.common.hooks import hooks
from ...graph.declare.signature import ANY, REALS
from ...graph.shapes.dtypes import bool_
from ..declare.elementwise_decl import binary

PUBLIC_NAMES = {"start math": "equal greater greater_equal less less_equal not_equal"}

_PAIRS: dict[str, Any] = {"left": (0.5, -1.5, 2.0, 3.0), "right": (2.0, -1.5, -2.0, 3.0)}

equal = binary("equal", "Equal", ANY, "True where x = y.", ufunc="equal", out=bool_, numpy=np.equal, commutative=True,
               **_PAIRS, example=('tf.equal(["a", "b"], "b")', "[False  True]"))  # fmt: skip
not_equal = binary("not_equal", "NotEqual", ANY, "True where x and y differ, and where either is NaN.",
                   ufunc="not_equal", out=bool_, numpy=np.not_equal, commutative=True, **_PAIRS,
                   example=("tf.not_equal([1, 2, 3], 2)", "[ True False  True]"))  # fmt: skip
less = binary("less", "Less", REALS, "True where x < y.", ufunc="less", out=bool_, numpy=np.less,
              **_PAIRS, example=("tf.less([1, 2, 3], 2)", "[ True False False]"))  # fmt: skip
less_equal = binary("less_equal", "LessEqual", REALS, "True where x <= y.", ufunc="less_equal",
                    out=bool_, numpy=np.less_equal, **_PAIRS,
                    example=("tf.less_equal([1, 2, 3], 2)", "[ True  True False]"))  # fmt: skip
greater = binary("greater", "Greater", REALS, "True where x > y.", ufunc="greater", out=bool_,
                 numpy=np.greater, **_PAIRS, example=("tf.greater([1, 2, 3], 2)", "[False False  True]"))  # fmt: skip
greater_equal = binary("greater_equal", "GreaterEqual", REALS, "True where x >= y.", ufunc="greater_equal", out=bool_,
                       numpy=np.greater_equal, **_PAIRS,
                       example=("tf.greater_equal([1, 2, 3], 2)", "[False  True  True]"))  # fmt: skip

# Python's operators name their nodes as the functions do, as in TensorFlow.
hooks.operators |= {"lt": less, "le": less_equal, "gt": greater, "ge": greater_equal}
