"""The compiled loops of `parse_example`, built at once, and a run that uses them, or Python alone."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from penstock.graph.common.hooks import hooks
from penstock.runtime.kernels.loops.loop_cache import TEMPLATES
from penstock.runtime.llvm import tier
from penstock.runtime.llvm.tier import ModuleSource

LOOPS = ("scan_examples", "fill_examples")
WAYS = ("python", "compiled") if tier.on() else ("python",)


@cache
def loop(name: str) -> Callable[..., int]:
    ir, symbol = TEMPLATES[name].code()
    library = tier.build_now(ModuleSource(ir, (symbol,)))
    kinds = [ctypes.c_void_p if kind == "p" else ctypes.c_int64 for kind in TEMPLATES[name].takes]
    function = ctypes.CFUNCTYPE(ctypes.c_int64, *kinds)(library[symbol])

    def call(*arguments: Any) -> int:
        call.library = library  # type: ignore[attr-defined]  # the code lives as long as it
        values = [each.ctypes.data if isinstance(each, np.ndarray) else each for each in arguments]
        return int(function(*values))

    return call


def read_by(way: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let examples be read in one way; the list gets the names of the loops that were asked for."""
    usual, asked = hooks.compiled_loop, list[str]()

    def find(name: str, *key: Any, work: int) -> Any:
        if name not in LOOPS:
            return usual(name, *key, work=work)
        asked.append(name)
        return loop(name) if way == "compiled" else None

    monkeypatch.setattr(hooks, "compiled_loop", find)
    return asked
