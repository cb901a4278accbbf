"""Logical ops on bools, bitwise ops on ints.

Python's `& | ^ ~` stand for both: on bools for the logical op, on ints for the bitwise one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...graph.common.hooks import hooks
from ...graph.declare.signature import BOOL, INTEGERS
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import bool_
from ..declare.elementwise_decl import BinaryOp, binary, unary

PUBLIC_NAMES = {
    "start bitwise": "bitwise_and bitwise_or bitwise_xor invert",
    "start math": "logical_and logical_not logical_or logical_xor",
}

_TRUTHS: dict[str, Any] = {"left": (1.0, 1.0, 0.0, 0.0), "right": (1.0, 0.0, 1.0, 0.0)}

logical_and = binary("logical_and", "LogicalAnd", BOOL, "True where x and y are both True.", ufunc="logical_and",
                     commutative=True, numpy=np.logical_and, **_TRUTHS,
                     example=("tf.logical_and([True, False], True)", "[ True False]"), graphdef="->z")  # fmt: skip
logical_or = binary("logical_or", "LogicalOr", BOOL, "True where x or y or both are True.", ufunc="logical_or",
                    commutative=True, numpy=np.logical_or, **_TRUTHS,
                    example=("tf.logical_or([True, False], False)", "[ True False]"), graphdef="->z")  # fmt: skip
logical_xor = binary("logical_xor", "LogicalXor", BOOL, "True where exactly one of x and y is True.",
                     ufunc="logical_xor", commutative=True, numpy=np.logical_xor, **_TRUTHS,
                     example=("tf.logical_xor([True, False], True)", "[False  True]"),
                     graphdef="NotEqual: T=x ->z")  # fmt: skip
logical_not = unary("logical_not", "LogicalNot", BOOL, "True where x is False, and False where it is True.",
                    ufunc="logical_not", numpy=np.logical_not, at=(1.0, 0.0),
                    example=("tf.logical_not([True, False])", "[False  True]"), graphdef="->y")  # fmt: skip

bitwise_and = binary("bitwise_and", "BitwiseAnd", INTEGERS, "The bits set in x and in y.", ufunc="bitwise_and",
                     commutative=True, example=("tf.bitwise_and([6, 5], 3)", "[2 1]"))  # fmt: skip
bitwise_or = binary("bitwise_or", "BitwiseOr", INTEGERS, "The bits set in x or in y.", ufunc="bitwise_or",
                    commutative=True, example=("tf.bitwise_or([6, 5], 3)", "[7 7]"))  # fmt: skip
bitwise_xor = binary("bitwise_xor", "BitwiseXor", INTEGERS, "The bits set in exactly one of x and y.",
                     ufunc="bitwise_xor", commutative=True, example=("tf.bitwise_xor([6, 5], 3)", "[5 6]"))  # fmt: skip
invert = unary("invert", "Invert", INTEGERS, "The bits not set in x: -1 - x for signed ints.", ufunc="invert",
               example=("tf.invert([0, 5])", "[-1 -6]"))  # fmt: skip


def _by_dtype(name: str, of_bools: BinaryOp, of_ints: BinaryOp) -> Callable[[Tensor, Any], Tensor]:
    def build(x: Tensor, y: Any) -> Tensor:
        return of_bools(x, y, name) if x.dtype is bool_ else of_ints(x, y, name)

    return build


def _inverted(x: Tensor) -> Tensor:
    return logical_not(x) if x.dtype is bool_ else invert(x)


hooks.operators["and"] = hooks.numpy_functions[np.bitwise_and] = _by_dtype("and", logical_and, bitwise_and)
hooks.operators["or"] = hooks.numpy_functions[np.bitwise_or] = _by_dtype("or", logical_or, bitwise_or)
hooks.operators["xor"] = hooks.numpy_functions[np.bitwise_xor] = _by_dtype("xor", logical_xor, bitwise_xor)
hooks.operators["invert"] = hooks.numpy_functions[np.invert] = _inverted
