"""Which kernel of an op does a backend run?

Its own, if the op has one for that array module, else the one that serves every module. A kernel that cannot be
compiled on this machine gives way to that one too, with one warning.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ...errors import CannotCompile
from ...graph.op_declaration import OpDef


def kernel_of(opdef: OpDef[Any, Any], module: str) -> Callable[..., Any]:
    """The kernel of `opdef` for an array module, "numpy" or "cupy"."""
    own, general = opdef.kernels.get(module), opdef.kernels["*"]
    return general if own is None else own if module == "numpy" else _guarded(own, general)


def _guarded(own: Callable[..., Any], general: Callable[..., Any]) -> Callable[..., Any]:
    failed: list[bool] = []

    def kernel(*args: Any) -> Any:
        if not failed:
            try:
                return own(*args)
            except CannotCompile as error:
                failed.append(True)
                if not _warned:
                    _warned.append(True)
                    warnings.warn(f"{error}; CuPy's own functions are used instead, which is slower", stacklevel=2)
        return general(*args)

    return kernel


_warned: list[bool] = []
