"""The import of llvmlite, on first use. No other module imports it."""

from __future__ import annotations

import sys
from functools import cache
from importlib.util import find_spec
from typing import Any

from ...graph.common.lazy_import import load

MISSING = "llvmlite is not installed, so fused groups are interpreted; to compile them: pip install llvmlite"


@cache
def is_installed() -> bool:
    """True if llvmlite is installed; does not load it, which takes 30 ms."""
    if "llvmlite" in sys.modules:
        return sys.modules["llvmlite"] is not None
    try:
        return find_spec("llvmlite") is not None
    except ImportError:  # an import hook forbids it
        return False


@cache
def llvm_or_reason() -> tuple[Any, str]:
    """(llvmlite.binding, "") if this machine can use it, else (None, what is missing and what to do)."""
    if not is_installed():
        return None, MISSING
    try:
        load("llvmlite.binding")
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
    except Exception as error:  # its shared library does not fit this machine, or a part of it is missing
        return None, f"llvmlite is installed but cannot be loaded: {type(error).__name__}: {error}"
    return llvm, ""


@cache
def versions() -> tuple[str, str]:
    """The versions of llvmlite and of its LLVM; call only if `llvm_or_reason` found them."""
    load("llvmlite")
    import llvmlite

    llvm, _ = llvm_or_reason()
    return llvmlite.__version__, ".".join(map(str, llvm.llvm_version_info))
