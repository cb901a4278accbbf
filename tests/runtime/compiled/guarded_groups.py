"""Compiled groups on arrays between forbidden pages: an access one byte outside ends the process.

Run as a program by `test_guarded_groups.py`; it prints how many runs of compiled code it made.
"""

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import penstock as tf
from penstock.config import jit
from penstock.runtime.compiled.promoted_group import PromotedGroup
from penstock.runtime.ir.fused_ir import Body

from ..kernels.guarded import beside

Build = Callable[[Any, Any], Any]
GRAPHS: dict[str, Build] = {
    "arithmetic": lambda a, b: (a * b + a) * b - a,
    "choice": lambda a, b: tf.where(a > b, tf.maximum(a, b), a * b),
    "cast": lambda a, b: tf.cast(a * b, tf.float64) + tf.cast(a, tf.float64),
    "narrow": lambda a, b: tf.cast(tf.where(a > b, a, b), tf.int8),
    "sum": lambda a, b: tf.reduce_sum(a * b + a, -1),
}
FLOATS: dict[str, Build] = {
    "functions": lambda a, b: tf.tanh(a) * tf.exp(-b) + tf.sigmoid(a),
    "largest": lambda a, b: tf.reduce_max(tf.exp(a) - b, -1),
}
BROADCASTS: list[list[tuple[int, ...]]] = [
    [(5, 33), (33,)], [(33, 5), (33, 1)], [(40, 3), (1, 3)], [(7, 65), (7, 65)],
]  # fmt: skip
SIZES = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 511, 512, 513, 1025)


@cache
def group_of(build: Build, shapes: tuple[Any, ...], dtype: str) -> PromotedGroup | None:
    """The fused group of a graph of two operands of these shapes; None if it is not the whole graph."""
    with tf.Graph().as_default() as graph:
        places = [tf.placeholder(dtype, shape) for shape in shapes]
        with tf.Session(graph=graph) as session:
            plan = session.plan(build(*places), places)
    body, *others = [a for step in plan.steps for a in step.args if isinstance(a, Body)]
    return None if others or len(body.inputs) != len(shapes) else PromotedGroup(body)


def run(build: Build, shapes: list[tuple[int, ...]], dtype: str, at_end: bool, known: bool = True) -> int:
    """One group on guarded arrays, its result in guarded memory; against the interpreter.

    Args:
        build: the graph.
        shapes: of its operands.
        dtype: of its operands.
        at_end: whether the arrays end where a forbidden page begins.
        known: whether the graph knows the shapes; else there is one group for arrays of any length.
    """
    group = group_of(build, tuple(shapes) if known else (("n",),) * len(shapes), dtype)
    if group is None:
        return 0  # what another group or a constant brings is the plan's affair
    rng = np.random.default_rng(0)
    given: list[Any] = [(rng.random(s) * 9).astype(tf.as_dtype(dtype).as_numpy_dtype) for s in shapes]
    want = group.interpreter(*given)
    inputs = [beside(x, at_end) for x in given]
    found = group(*inputs)
    assert all(np.array_equal(f, w) for f, w in zip(found, want, strict=True))
    if group.tier != "compiled":
        return 0
    place = beside(np.zeros(want[0].size, want[0].dtype), at_end)
    assert np.array_equal(group.into(place, *inputs), want[0])
    assert np.array_equal(place.reshape(want[0].shape), want[0])
    return 2


def main() -> int:
    """All of it, before and after forbidden pages."""
    jit.mode = "now"
    runs = 0
    for at_end in (False, True):
        for n in SIZES:
            for dtype in ("float32", "int16", "float16", "bfloat16", "float64", "uint8"):
                graphs = GRAPHS | (FLOATS if dtype.startswith("float") else {})
                for build in graphs.values() if n in (1, 17, 513) else list(graphs.values())[:1]:
                    runs += run(build, [(n,), (n,)], dtype, at_end, known=False)
        for build in (GRAPHS["arithmetic"], FLOATS["functions"], GRAPHS["sum"]):
            for shapes in BROADCASTS:
                runs += run(build, shapes, "float32", at_end)
    return runs


if __name__ == "__main__":
    sys.stdout.write(str(main()))
