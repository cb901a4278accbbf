"""Compiles a source with NVRTC, NVIDIA's compiler, which needs neither driver nor GPU; its wheel is a test extra."""

from __future__ import annotations

import ctypes
import os
from functools import cache
from importlib.metadata import PackageNotFoundError, files
from typing import Any

from ..kept_results import kept

PACKAGES = ("nvidia-cuda-nvrtc-cu12", "nvidia-cuda-nvrtc")


@cache
def library() -> Any:
    """NVRTC's library, or None where it is not installed."""
    for package in PACKAGES:
        try:
            found = files(package) or []
        except PackageNotFoundError:
            continue
        places = [f for f in found if f.name.startswith("libnvrtc.so")]
        if places:
            return ctypes.CDLL(str(places[0].locate()))
    return None


def compile_ptx(source: str, options: tuple[str, ...]) -> str:
    """The PTX of a source; AssertionError with NVRTC's log if it does not compile."""
    path = str(library()._name)
    options = (*options, "-ftz=true")  # CuPy adds it, behind all others
    return _compiled(source, options, f"{path} {os.path.getsize(path)}")


@kept
def _compiled(source: str, options: tuple[str, ...], _library: str) -> str:
    nvrtc = library()
    program = ctypes.c_void_p()
    made = nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None)
    assert made == 0, made
    try:
        given = (ctypes.c_char_p * len(options))(*[o.encode() for o in options])
        status = nvrtc.nvrtcCompileProgram(program, len(options), given)
        size = ctypes.c_size_t()
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        assert status == 0, f"{log.value.decode()}\n{source}"
        nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size))
        ptx = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetPTX(program, ptx)
        return ptx.value.decode()
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
