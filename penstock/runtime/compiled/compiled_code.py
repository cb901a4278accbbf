"""`CompiledCode`: the functions of a compiled group as Python objects that can be called."""

from __future__ import annotations

import ctypes
from typing import Any, Final

import numpy as np

from ...graph.shapes.dtypes import DType, bfloat16
from ..ir.scalar_ir import Scalar
from ..llvm.array_head import require_known_data_address
from ..llvm.toolchain import Library
from ..llvm.ufunc_loops import new_ufunc
from .inner_loop import NAME

BITS: Final = np.dtype(np.uint16)
"""The dtype of the bits of a bfloat16."""


class CompiledCode:
    """Machine code of a flat nest."""

    def __init__(self, library: Library, scalar: Scalar, reductions: int) -> None:
        require_known_data_address()
        dtypes = [*scalar.inputs, *[scalar.dtype_of(o) for o in scalar.outputs]]
        self.library = library
        self.loop_address = library.addresses[NAME]
        # NumPy has no type number for bfloat16: arrays are passed as their bits.
        self.ufunc = new_ufunc(library[NAME], [_stored(d) for d in dtypes], len(scalar.inputs), "fused", library)
        head = (None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
        arrays = [ctypes.c_void_p] * len(dtypes)
        self.rows = ctypes.CFUNCTYPE(*head, *arrays)(library["rows"])
        self.reduce: Any = None
        if reductions:
            self.reduce = ctypes.CFUNCTYPE(*head, *arrays, *[ctypes.c_void_p] * reductions)(library["reduce"])


def _stored(dtype: DType) -> Any:
    return BITS if dtype is bfloat16 else dtype.np
