"""Random programs of ops with derivatives over plain numbers, for comparison with another system.

Half of the programs have numbers of sixteenths, with many ties and zeros; the other half has none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import penstock as tf
from penstock.graph.model.nodes import Tensor

from ..fuzz import steps
from ..fuzz.derivative_steps import some
from ..fuzz.eager import EagerWriter, GiveUp
from ..fuzz.extension import Extension
from ..fuzz.vocabulary_steps import VOCABULARY
from ..random_graphs import COMPLEX, FLOATS, Shape
from ..random_graphs.index_steps import INDEXING
from ..random_graphs.steps import STEPS

DTYPES = ("float64", "float64", "float64", "float32", "complex128", "int32")
SHAPES: tuple[Shape, ...] = ((3,), (2, 3), (3, 3), (1, 3), (), (4, 1, 3), (2, 1))
FORMS = (
    "tf.sigmoid({x})", "tf.tanh({x})", "tf.softplus({x})", "tf.square({x})", "tf.sin({x})", "tf.exp(-tf.abs({x}))",
    "tf.sqrt(tf.abs({x}) + 0.5)", "tf.log(tf.abs({x}) + 0.5)", "tf.softmax({x})", "tf.log_softmax({x})",
    "tf.cumsum({x})", "tf.cumprod({x})", "tf.cumprod({x}, exclusive=True, reverse=True)", "tf.erf({x})",
    "tf.clip_by_value({x}, -1.0, 1.0)", "tf.reduce_logsumexp({x})", "tf.reduce_mean({x}, -1)", "tf.reduce_prod({x}, 0)",
    "tf.moments({x}, [0])[1]", "tf.pow(tf.abs({x}) + 0.5, {y})", "tf.divide({x}, tf.square({y}) + 0.5)",
    "tf.maximum({x}, {y})", "tf.minimum({x}, {y})", "tf.squared_difference({x}, {y})", "tf.multiply({x}, {y})",
    "tf.atan2({x}, {y} + 3.0)", "tf.matmul({x}, {x}, transpose_b=True)", "tf.matmul({x}, {x}, transpose_a=True)",
    "tf.einsum('...i,...i->...', {x}, {x})", "tf.reduce_max({x}, 0)", "tf.reduce_min({x}, [0], True)", "tf.relu({x})",
    "tf.floormod({x}, tf.square({y}) + 0.5)", "tf.gather({x}, [0, 0])", "tf.gather_nd({x}, [[0], [0]])",
    "tf.boolean_mask({x}, tf.greater({x}, 0.0))", "tf.roll({x}, 1, 0)", "tf.reverse_sequence({x}, [1, 1], 1)",
    "tf.segment_max({x}, tf.zeros_like(tf.range(tf.shape({x})[0])))", "tf.relu6({x} * 4.0)",
    "tf.unsorted_segment_mean({x}, tf.range(tf.shape({x})[0]) % 2, 3)", "{x}[::-2]", "{x}[..., None, 0]",
    "tf.where(tf.greater({x}, 0.0), {x}, tf.square({x}))", "tf.tile({x}, tf.ones_like(tf.shape({x})) * 2)",
    "tf.clip_by_norm({x}, 1.0)", "tf.diag({x})", "tf.cross({x}, {y})", "tf.add_n([{x}, {x}, {x}])",
    "tf.scatter_nd([[1], [0], [1]], {x}[:3], [4])", "tf.broadcast_to({x}, [2, 3])", "tf.expm1({x})",
    "tf.log1p(tf.abs({x}))", "tf.asinh({x})", "tf.asin(tf.sin({x}) * 0.9)", "tf.acos(tf.sin({x}) * 0.9)",
    "tf.atanh(tf.sin({x}) * 0.9)", "tf.acosh(tf.square({x}) + 1.5)", "tf.rsqrt(tf.square({x}) + 0.5)",
    "tf.reciprocal(tf.square({x}) + 0.5)", "tf.tan({x} * 0.3)", "tf.cast(tf.cast({x}, 'float32'), {x}.dtype)",
)  # fmt: skip
"""Expressions of floats; a form that a value does not fit is left out."""


class TameWriter(EagerWriter):
    """A writer whose arrays hold plain numbers."""

    def array(self, dtype: str, shape: Shape) -> Any:
        ties = self.program.seed % 2 == 0
        if dtype in FLOATS:
            sixteenths = self.rng.integers(-40, 41, shape) / 16
            return np.asarray(sixteenths if ties else sixteenths + self.rng.normal(size=shape)).astype(dtype)
        if dtype in COMPLEX:
            return np.asarray(self.rng.normal(size=shape) + 1j * self.rng.normal(size=shape)).astype(dtype)
        if dtype in ("int32", "int64"):
            return np.asarray(self.rng.integers(-3, 4, shape)).astype(dtype)
        return super().array(dtype, shape)


@dataclass(frozen=True, slots=True)
class TameProgram:
    """A graph, its feeds, and what is differentiated with respect to what."""

    lines: str
    graph: tf.Graph
    feeds: dict[Tensor, Any]
    ys: list[Tensor]
    xs: list[Tensor]
    stops: list[Tensor]


def smooth(w: EagerWriter) -> None:
    """One of FORMS."""
    x = steps.picked(w, ("float64", "float32"), least=0)
    made = w.let(str(w.one_of(FORMS)).replace("{y}", w.like(x).name).replace("{x}", x.name))
    if int(np.prod(made.shape)) > 500 or len(made.shape) > 5:
        raise GiveUp


def tame_program(seed: int, extension: Extension) -> TameProgram | None:
    """The program of a seed; None if it came out without floats, or with too many."""
    w = TameWriter(seed, DTYPES, SHAPES, extension)
    others: tuple[tuple[Callable[..., object], ...], ...] = (STEPS, INDEXING, VOCABULARY)
    for _ in range(3):
        w.leaf(w.one_of(DTYPES[:4]), w.shape())
    for _ in range(int(w.rng.integers(2, 16))):
        w.take(smooth if w.chance(0.7) else w.one_of(w.one_of(others)))
    values = [v for v in w.program.values if v.dtype in ("float32", "float64", *COMPLEX)]
    if not values:
        return None
    ys, xs = some(w, values, newest=True), some(w, values, newest=False)
    if any(int(np.prod(y.shape)) > 3000 for y in ys):
        return None
    stops = [w.one_of(values)] if w.chance(0.15) else []
    feeds = {w.namespace[n]: a for n, a in w.program.arrays.items() if n.startswith("x") and n in w.namespace}
    found = ([w.namespace[v.name] for v in part] for part in (ys, xs, stops))
    return TameProgram("\n".join(w.program.lines), w.graph, feeds, *found)
