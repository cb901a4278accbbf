"""Compiles a source with NVRTC, NVIDIA's compiler, which needs neither driver nor GPU; its wheel is a test extra."""

from __future__ import annotations

import ctypes
import os
import re
from functools import cache
from importlib.metadata import PackageNotFoundError, files
from typing import Any, NamedTuple

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


class MachineCode(NamedTuple):
    """What NVIDIA's assembler tells of a source: registers of a thread, bytes of memory that a block shares."""

    registers: int
    shared: int


def compile_code(source: str, options: tuple[str, ...], architecture: str) -> MachineCode:
    """Compile a source to machine code, inline PTX included; AssertionError with NVRTC's log if that fails.

    architecture: of the card, as "90".
    """
    path = str(library()._name)
    more = ("-ftz=true", f"--gpu-architecture=sm_{architecture}", "--ptxas-options=-v")  # CuPy adds the first one, too
    log = _compiled(source, (*options, *more), f"{path} {os.path.getsize(path)}")
    registers = re.search(r"Used (\d+) registers", log)
    shared = re.search(r"(\d+) bytes smem", log)
    assert registers is not None, log
    code = MachineCode(int(registers[1]), int(shared[1]) if shared else 0)
    assert code.registers * 256 <= 1 << 16, log
    assert code.shared <= 48 << 10, log
    return code


@kept
def _compiled(source: str, options: tuple[str, ...], _library: str) -> str:
    nvrtc = library()
    program = ctypes.c_void_p()
    created = nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None)
    assert created == 0, created
    try:
        words = (ctypes.c_char_p * len(options))(*[o.encode() for o in options])
        status = nvrtc.nvrtcCompileProgram(program, len(options), words)
        size = ctypes.c_size_t()
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        assert status == 0, f"{log.value.decode()}\n{source}"
        nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
        assert size.value > 0
        return log.value.decode()
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
