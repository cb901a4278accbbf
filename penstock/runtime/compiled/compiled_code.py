"""`CompiledCode`: the functions of a compiled group as Python objects that can be called."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from ...graph.dtypes import DType, bfloat16
from ..ir.scalar_ir import Scalar
from ..llvm.toolchain import Library
from ..llvm.ufunc_loops import new_ufunc
from .inner_loop import NAME
from .loop_nest import DATA, Column

BITS: Final = np.dtype(np.uint16)
"""The dtype of the bits of a bfloat16."""


class CompiledCode:
    """Machine code of a scalar program for one pattern of inputs."""

    def __init__(self, library: Library, scalar: Scalar, columns: Sequence[Column]) -> None:
        if not _data_address_is_known():
            raise RuntimeError(f"arrays of NumPy {np.__version__} have a layout that is not known")
        dtypes = [*scalar.inputs, *[scalar.dtype_of(o) for o in scalar.outputs]]
        self.library = library
        # NumPy has no type number for bfloat16: arrays are passed as their bits.
        self.ufunc = new_ufunc(library[NAME], [_stored(d) for d in dtypes], len(scalar.inputs), "fused", library)
        head = (None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
        arrays = [ctypes.c_void_p] * len(dtypes)
        self.rows = ctypes.CFUNCTYPE(*head, *arrays)(library["rows"])
        self.reduce: Any = None
        if columns:
            self.reduce = ctypes.CFUNCTYPE(*head, *arrays, *[ctypes.c_void_p] * len(columns))(library["reduce"])


@cache
def _data_address_is_known() -> bool:
    """True if array objects hold the address of their data where the code reads it."""
    one = np.empty(1)
    return bool(ctypes.c_void_p.from_address(id(one) + DATA).value == one.ctypes.data)


def _stored(dtype: DType) -> Any:
    return BITS if dtype is bfloat16 else dtype.np
