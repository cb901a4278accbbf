"""How does a CUDA source run where there is no GPU? A C compiler builds it with `shim.h`, and the CPU plays the GPU."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

HEADER = Path(__file__).with_name("shim.h")
GCC = shutil.which("gcc") or shutil.which("cc")
RESIDENT = 5
"""Blocks that run at the same time where blocks wait for each other."""


class Turns:
    """In which order blocks and threads take turns: 0 as they are numbered, other seeds draw; odd ones backwards."""

    seed = 0


_BARRIER = re.compile(r"__sync|_sync\(")
_FLAGS = ("-O1", "-shared", "-fPIC", "-std=gnu11", "-ffp-contract=off", "-fno-strict-aliasing", "-w")


def parameters(source: str, name: str) -> list[str]:
    """The C types of a kernel's parameters."""
    found = re.search(rf"PS_KERNEL\s+void\s+(?:__launch_bounds__\(\w+\)\s*)?{re.escape(name)}\s*\(([^)]*)\)", source)
    assert found is not None, f"no kernel {name} in the source"
    inside = found[1].strip()
    return [re.sub(r"\s*\w+$", "", p.strip()) for p in inside.split(",")] if inside else []


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="cuda-shim-")


@cache
def build(source: str, name: str) -> Any:
    """The library with one kernel of the source behind `ps_launch`."""
    types = parameters(source, name)
    passed = ", ".join(f"*({t} *)ps_arguments[{i}]" for i, t in enumerate(types))
    text = (
        f'#include "{HEADER}"\n{source}\n'
        f"static void **ps_arguments;\n"
        f"void ps_take(void **a) {{ ps_arguments = a; }}\n"
        f"static void ps_call(void) {{ {name}({passed}); }}\n"
    )
    stem = Path(_folder().name) / f"k{abs(hash((source, name))):x}"
    stem.with_suffix(".c").write_text(text)
    assert GCC is not None
    done = subprocess.run(
        [GCC, *_FLAGS, "-o", f"{stem}.so", f"{stem}.c", "-lm"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stderr}\n{_numbered(text)}"
    return ctypes.CDLL(f"{stem}.so")


def launch(source: str, name: str, grid: tuple[int, ...], block: tuple[int, ...], args: list[Any]) -> None:
    """Run a kernel; arguments are NumPy arrays (their memory) and NumPy scalars (their value)."""
    library = build(source, name)
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
    library.ps_take(pointers)
    three = [(ctypes.c_uint * 3)(*(*t, 1, 1, 1)[:3]) for t in (grid, block)]
    resident = RESIDENT if "PS_SPIN;" in source else 1
    error = library.ps_launch(three[0], three[1], int(bool(_BARRIER.search(source))), resident, Turns.seed)
    assert error != 1, f"{name}: threads wait for each other for ever"
    assert error == 0, f"{name}: grid {grid}, block {block}"


SIZES = {"i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "f32": 4, "i64": 8, "u64": 8, "f64": 8}


def _numbered(text: str) -> str:
    return "\n".join(f"{i:4} {line}" for i, line in enumerate(text.splitlines(), 1))
