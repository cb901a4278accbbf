"""Where a NumPy array object holds the address of its data: compiled code that is given the object reads it there.

Passing the object takes 0.05 us, asking the array for its address 0.5.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Final

import numpy as np

DATA: Final = object.__basicsize__
"""The offset of the data address in an array object: right behind the object header."""


@cache
def require_known_data_address() -> None:
    """Do nothing if array objects hold the address of their data where the code reads it.

    Raises:
        RuntimeError: they do not.
    """
    one = np.empty(1)
    if ctypes.c_void_p.from_address(id(one) + DATA).value != one.ctypes.data:
        raise RuntimeError(f"arrays of NumPy {np.__version__} have a layout that is not known")


def load_data(name: str, array: str) -> str:
    """The instructions that load `name`, the address of the data of the array object `array`."""
    return f"{name}.place = getelementptr i8, ptr {array}, i64 {DATA}\n  {name} = load ptr, ptr {name}.place, align 8"
