"""The self-check of the compiled tier: every kind of call between NumPy and compiled code, on eight elements.

The kinds are a ufunc of a compiled loop, NumPy's own loop called directly, and NumPy's loop called from compiled code.
Each must give what NumPy's addition gives. If one does not (another layout of ufunc objects, a broken LLVM), the tier
stays off.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from .toolchain import AS_IS, Library
from .ufunc_loops import new_ufunc, numpy_loop

# Every new cache pays for it, and the passes take as long as making the object.
IR = AS_IS + """
declare void @numpy_add(ptr, ptr, ptr, ptr)

define void @check_own(ptr %args, ptr %dims, ptr %steps, ptr %data) {
entry:
  %n = load i64, ptr %dims
  %pb = getelementptr ptr, ptr %args, i64 1
  %po = getelementptr ptr, ptr %args, i64 2
  %a = load ptr, ptr %args
  %b = load ptr, ptr %pb
  %o = load ptr, ptr %po
  %psb = getelementptr i64, ptr %steps, i64 1
  %pso = getelementptr i64, ptr %steps, i64 2
  %sa = load i64, ptr %steps
  %sb = load i64, ptr %psb
  %so = load i64, ptr %pso
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %body]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %ia = mul i64 %i, %sa
  %ib = mul i64 %i, %sb
  %io = mul i64 %i, %so
  %qa = getelementptr i8, ptr %a, i64 %ia
  %qb = getelementptr i8, ptr %b, i64 %ib
  %qo = getelementptr i8, ptr %o, i64 %io
  %x = load float, ptr %qa, align 1
  %y = load float, ptr %qb, align 1
  %z = fadd float %x, %y
  store float %z, ptr %qo, align 1
  %next = add i64 %i, 1
  br label %loop
done:
  ret void
}

define void @check_call(ptr %args, ptr %dims, ptr %steps, ptr %data) {
  call void @numpy_add(ptr %args, ptr %dims, ptr %steps, ptr null)
  ret void
}
"""

NAMES = ("check_own", "check_call")


def imports() -> dict[str, int]:
    """The addresses that `IR` imports.

    Raises:
        RuntimeError: the layout of NumPy's ufunc objects is not known.
    """
    loop = numpy_loop("add", "ff->f")
    if loop is None or loop.data:
        raise RuntimeError(f"ufuncs of NumPy {np.__version__} have a layout that is not known")
    return {"numpy_add": loop.address}


def fault(library: Library) -> str:
    """The first kind of call that gives a wrong sum, in words; empty if all work."""
    a = np.arange(16, dtype=np.float32)[::2] * np.float32(1.1)
    b = np.linspace(-3, 5, 8, dtype=np.float32)
    want = a + b
    calls = {
        "a ufunc of compiled code": new_ufunc(library["check_own"], [np.float32] * 3, 2, "penstock_check", library),
        "a NumPy loop": _called(imports()["numpy_add"]),
        "a NumPy loop called from compiled code": _called(library["check_call"]),
    }
    for name, add in calls.items():
        found = add(a, b)
        if found.dtype != want.dtype or found.tobytes() != want.tobytes():
            return f"the self-check failed: {name} gave {found!r} for the sum {want!r}"
    return ""


def _called(address: int) -> Any:
    """The loop at `address` as a function of two rows of the same length."""
    loop = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(address)

    def call(a: Any, b: Any) -> Any:
        out = np.empty_like(a)
        arrays = (a, b, out)
        args = (ctypes.c_void_p * 3)(*[x.ctypes.data for x in arrays])
        steps = (ctypes.c_ssize_t * 3)(*[x.strides[0] for x in arrays])
        dims = (ctypes.c_ssize_t * 1)(len(a))
        loop(*[ctypes.addressof(each) for each in (args, dims, steps)], None)
        return out

    return call
