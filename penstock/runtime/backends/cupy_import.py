"""The import of CuPy, on first use. No other module imports it."""

from __future__ import annotations

from functools import cache
from typing import Any

from ...graph.common.lazy_import import load


@cache
def cupy_or_reason() -> tuple[Any, str]:
    """(cupy, "") if this machine can use it, else (None, what is missing and what to install)."""
    try:
        load("cupy")
        import cupy
    except ImportError:
        return None, "CuPy is not installed; for an NVIDIA GPU: pip install 'penstock[gpu]'"
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return None, f"CuPy is installed but finds no usable GPU: {error}"
    if not count:
        return None, "CuPy is installed but this machine has no GPU"
    try:
        cupy.cuda.nvrtc.getVersion()
    except Exception as error:  # CuPy raises several classes when it does not find a library
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        return None, (
            f"CuPy is installed but finds no NVRTC, CUDA's compiler ({first}); pip install 'penstock[gpu]' brings it"
        )
    return cupy, ""
