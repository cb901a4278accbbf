"""How does llvmlite enter? Here, on first use, and nowhere else."""

from __future__ import annotations

import sys
from functools import cache
from importlib.util import find_spec
from typing import Any

from ...graph.lazy_import import load

MISSING = "llvmlite is not installed, so fused groups are interpreted; to compile them: pip install llvmlite"


@cache
def is_installed() -> bool:
    """Whether there is an llvmlite, without loading it: that takes 30 ms."""
    if "llvmlite" in sys.modules:
        return sys.modules["llvmlite"] is not None
    try:
        return find_spec("llvmlite") is not None
    except ImportError:  # somebody forbids it
        return False


@cache
def llvm_or_reason() -> tuple[Any, str]:
    """(llvmlite.binding, "") if it can be used on this machine, else (None, what is missing and what to do)."""
    try:
        load("llvmlite.binding")
        import llvmlite.binding as llvm
    except ImportError:
        return None, MISSING
    except OSError as error:  # its shared library does not fit this machine
        return None, f"llvmlite is installed but cannot be loaded: {error}"
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm, ""


@cache
def versions() -> tuple[str, str]:
    """The versions of llvmlite and of the LLVM in it; call only where `llvm_or_reason` found one."""
    load("llvmlite")
    import llvmlite

    llvm, _ = llvm_or_reason()
    return llvmlite.__version__, ".".join(map(str, llvm.llvm_version_info))
