"""Steps of the fuzz with branches and loops: expressions of `random_control` over what a program has.

In an extended program the bodies have ops with effects, ops that share memory without saying so, and ops that are not
pure.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..control_flow.random_control import ControlWriter, Named
from ..random_graphs import ROWS
from .eager import EagerWriter, GiveUp

DTYPES = ("float32", "float64", "int32", "bool")
LARGEST = 64
"""Elements of what bodies work on."""
SEEN = 10
"""So many of the newest values are in scope."""


def control(w: EagerWriter) -> None:
    """A branch, loop, map, scan or fold of a dtype and shape that a value has."""
    fit = [v for v in w.program.values if v.dtype in DTYPES and int(np.prod(v.shape)) <= LARGEST]
    if not fit:
        raise GiveUp
    scope = [Named(v.name, v.dtype, tuple(_size(w, d) for d in v.shape)) for v in fit[-SEEN:]]
    forms: tuple[str, ...] = ()
    if w.extended:
        forms = ("ops.same({a}, 0)", "ops.fresh({a}, 0)", "ops.counted({a}, 0)", "ops.turned({a}, 0)",
                 f"ops.seen({{a}}, {w.tag()})", f"ops.put({{a}}, {w.tag()})", f"ops.got({{a}}, {w.tag()})")  # fmt: skip
    writer = ControlWriter(np.random.default_rng(int(w.rng.integers(1 << 31))), more_forms=forms)
    writer.budget = int(w.rng.integers(4, 25))
    like = w.one_of(scope)
    make: Callable[..., str] = w.one_of([writer.cond, writer.loop, writer.loop, writer.over_rows])
    w.let(f"tf.identity({make(scope, like.dtype, like.shape, int(w.rng.integers(1, 4)))})")


def _size(w: EagerWriter, size: int) -> int | str:
    return "n" if w.resizable and size == ROWS else size
