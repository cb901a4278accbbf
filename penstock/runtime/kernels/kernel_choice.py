"""Kernel choice: which function computes a step on a backend.

The first of these is used: a kernel registered for the array module; the fast kernel of the op
(`kernels.fast_kernels`), if its plain kernel belongs to the package; the plain kernel. If a fast kernel returns None,
or cannot be compiled on this machine (one warning), the plain kernel runs.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ...errors import CannotCompile
from ...graph.declare.op_declaration import OpDef
from .fast_kernels import fast_kernel

Call = Callable[..., Any]


def kernel_of(opdef: OpDef[Any, Any], module: str) -> Call:
    """The kernel of `opdef` for an array module, "numpy" or "cupy"."""
    own, plain = opdef.kernels.get(module), opdef.kernels["*"]
    if own is not None:
        return own if module == "numpy" else _first(own, plain)
    fast = fast_kernel(opdef.type, module) if has_own_kernel(opdef) else None
    return plain if fast is None else _first(fast, plain)


def has_own_kernel(opdef: OpDef[Any, Any]) -> bool:
    """Whether NumPy's kernel of an op is the one of its declaration, so that another form of it may stand for it."""
    return "numpy" not in opdef.kernels and opdef.kernels["*"] is opdef.own_kernel


def rule_kernel_of(opdef: OpDef[Any, Any], table: str) -> Call:
    """The kernel of `opdef` on NumPy that changes an operand ("in place"), or prepares the change ("prepared")."""
    rule = opdef.in_place_rule if table == "in place" else opdef.prepared_rule
    assert rule is not None  # the caller asked
    fast = fast_kernel(opdef.type, table) if rule.__module__ == opdef.__module__ else None
    return rule if fast is None else _first(fast, rule)


def _first(fast: Call, plain: Call) -> Call:
    """A call of `fast`, or of `plain` if `fast` returns None or cannot be compiled."""
    failed: list[bool] = []

    def kernel(*args: Any) -> Any:
        if not failed:
            try:
                found = fast(*args)
            except CannotCompile as error:
                failed.append(True)
                if not _warned:
                    _warned.append(True)
                    warnings.warn(f"{error}; CuPy's own functions are used instead, which is slower", stacklevel=2)
            else:
                if found is not None:
                    return found
        return plain(*args)

    return kernel


_warned: list[bool] = []
