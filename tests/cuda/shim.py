"""Runs a CUDA source on the CPU: a C compiler builds it with `shim.h`, and `host_cuda/gpu_threads.c` plays the GPU.

With `Watch.is_on`, `host_cuda/memory_watch.c` sees every load and store of a kernel: a race, an address that is not
aligned or lies outside of the arguments is an AssertionError.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from ..helpers import COMPILED

HEADER = Path(__file__).with_name("shim.h")
HOST = Path(__file__).with_name("host_cuda")
MACHINE, WATCH = HOST / "gpu_threads.c", HOST / "memory_watch.c"
GCC = shutil.which("gcc") or shutil.which("cc")
RESIDENT = 5
"""Blocks that run at the same time where blocks wait for each other."""


class Turns:
    """In which order blocks and threads take turns: 0 as they are numbered, other seeds draw; odd ones backwards."""

    seed = 0


class Watch:
    """Whether loads and stores are watched."""

    is_on = False


_BARRIER = re.compile(r"__sync|_sync\(")
# Most kernels run once: to optimise them takes longer than it saves.
_FLAGS = ("-O0", "-shared", "-fPIC", "-std=gnu11", "-ffp-contract=off", "-fno-strict-aliasing", "-w",
          "-fno-asynchronous-unwind-tables")  # fmt: skip
_WATCHED = ("-fsanitize=thread", "--param", "tsan-distinguish-volatile=1")
_INCLUDED = (f"-I{HEADER.parent}", f"-I{HOST}")
# Nothing of a program around it, and no -lm, which the machine has: linked sooner. -lgcc has complex arithmetic.
_AS_KERNEL = ("-nostartfiles", "-nodefaultlibs", "-lgcc")


def inside_of(source: str, name: str) -> str:
    """The text of a kernel's parameters."""
    found = re.search(rf"PS_KERNEL\s+void\s+(?:__launch_bounds__\(\w+\)\s*)?{re.escape(name)}\s*\(([^)]*)\)", source)
    assert found is not None, f"no kernel {name} in the source"
    return found[1].strip()


def parameters(source: str, name: str) -> list[str]:
    """The C types of a kernel's parameters."""
    inside = inside_of(source, name)
    return [re.sub(r"\s*\w+$", "", p.strip()) for p in inside.split(",")] if inside else []


@cache
def _compiler() -> str:
    """What the compiler says of itself: another one makes other code."""
    assert GCC is not None
    return subprocess.run([GCC, "--version"], capture_output=True, text=True, check=True).stdout


def compile_c(text: str, *more: Path | str) -> Path:
    """The library made of a C source, kept from run to run under its hash; AssertionError with the compiler's words."""
    assert GCC is not None
    key = hashlib.sha256("\n".join([text, *map(str, more), *_FLAGS, HEADER.read_text(), _compiler()]).encode())
    made = Path(os.environ[COMPILED]) / f"{key.hexdigest()}.so"
    if made.exists():
        return made
    with tempfile.TemporaryDirectory(prefix="cuda-shim-") as folder:
        source, library = Path(folder) / "kernel.c", made.with_suffix(f".{os.getpid()}")
        source.write_text(text)
        command = [GCC, *_FLAGS, *_INCLUDED, "-o", *map(str, (library, source, *more))]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{done.stderr}\n{_numbered(text)}"
    library.replace(made)  # another process may read it meanwhile
    return made


@cache
def machine() -> Path:
    """The library that plays the GPU; it brings libm, which kernels call."""
    return compile_c(f"{MACHINE.read_text()}\n{WATCH.read_text()}", "-O1", "-Wl,--no-as-needed", "-lm")


@cache
def can_watch() -> bool:
    """Whether the C compiler is GCC, which can tell of every load and store."""
    return GCC is not None and "Free Software Foundation" in _compiler()


@cache
def build(source: str, name: str, is_watched: bool) -> Any:
    """The library with one kernel of the source behind `ps_launch`."""
    passed = ", ".join(f"*({t} *)a[{i}]" for i, t in enumerate(parameters(source, name)))
    call = f"PS_QUIET static void ps_call(void **a) {{ {name}({passed}); }}"
    text = f'#include "{HEADER.name}"\n{source}\n{call}\n{_LAUNCH}'
    return ctypes.CDLL(str(compile_c(text, machine(), *_AS_KERNEL, *_WATCHED * is_watched)))


_LAUNCH = """
extern char __start_ps_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_ps_shared[] __attribute__((weak, visibility("hidden")));
PS_QUIET int ps_launch(void **a, const unsigned *grid, const unsigned *block, int waits, int resident, unsigned seed) {
  struct hc_launch how = {ps_call, a, {grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}, waits, resident,
                          seed, __start_ps_shared, __stop_ps_shared - __start_ps_shared, 0};
  return hc_run(&how);
}
"""


def launch(source: str, name: str, grid: tuple[int, ...], block: tuple[int, ...], args: list[Any]) -> None:
    """Run a kernel; arguments are NumPy arrays (their memory) and NumPy scalars (their value)."""
    library = build(source, name, Watch.is_on)
    assert min(grid) >= 1 and grid[0] < 1 << 31 and all(g < 1 << 16 for g in grid[1:]), f"{name}: grid {grid}"
    assert min(block) >= 1 and prod(block) <= 1024, f"{name}: block {block}"
    assert len(args) * 8 <= 4096, f"{name}: {len(args)} arguments"
    types = parameters(source, name)
    assert len(types) == len(args), (types, args)
    cells = []
    for arg in args:
        cells.append(np.array(arg.ctypes.data if isinstance(arg, np.ndarray) else arg))
        assert cells[-1].dtype.itemsize in (1, 2, 4, 8)
    for type_, cell, arg in zip(types, cells, args, strict=True):
        wanted = 8 if "*" in type_ else SIZES[type_.removeprefix("const ").strip()]
        assert cell.dtype.itemsize == wanted, f"{name}: a {type_} was given {arg!r}"
    pointers = (ctypes.c_void_p * len(cells))(*[c.ctypes.data for c in cells])
    three = [(ctypes.c_uint * 3)(*(*t, 1, 1, 1)[:3]) for t in (grid, block)]
    resident = RESIDENT if "PS_SPIN;" in source else 1
    if Watch.is_on:
        _begin_to_watch(source, name, args, prod(grid) * prod(block))
    error = library.ps_launch(pointers, three[0], three[1], int(bool(_BARRIER.search(source))), resident, Turns.seed)
    assert error != 1, f"{name}: threads wait for each other for ever"
    assert error == 0, f"{name}: grid {grid}, block {block}, error {error}"
    if Watch.is_on:
        fault = _watcher().hw_end()
        assert fault is None, f"{name}: {fault.decode()}\n{source}"


class _Range(ctypes.Structure):
    _fields_ = (("start", ctypes.c_void_p), ("size", ctypes.c_size_t))


@cache
def _watcher() -> Any:
    library = ctypes.CDLL(str(machine()))
    library.hw_end.restype = ctypes.c_char_p
    return library


def _begin_to_watch(source: str, name: str, args: list[Any], threads: int) -> None:
    """A kernel that reads addresses from memory may touch other memory than its arguments'."""
    ends = [byte_bounds(arg) for arg in args if isinstance(arg, np.ndarray) and arg.size]
    ranges = (_Range * len(ends))(*[_Range(low, high - low) for low, high in ends])
    names = {p.split()[-1].lstrip("*") for p in inside_of(source, name).split(",")}
    is_bounded = all(read in names for read in re.findall(r"\(u8 \*\)(v\d+)", source))
    _watcher().hw_begin(ranges, len(ends), int(is_bounded), ctypes.c_size_t(threads))


SIZES = {"i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "f32": 4, "i64": 8, "u64": 8, "f64": 8}


def _numbered(text: str) -> str:
    return "\n".join(f"{i:4} {line}" for i, line in enumerate(text.splitlines(), 1))
