"""Steps of the fuzz that differentiate what a program has made so far: several ys, repeated xs, xs in the middle.

The gradients are values of the program like any other: later steps use them, and differentiate them again.
"""

from __future__ import annotations

import numpy as np

from ..random_graphs import COMPLEX, FLOATS, Value
from .eager import EagerWriter, GiveUp

NODES = 1500
"""A program with more nodes is not differentiated again."""


def derivative(w: EagerWriter) -> None:
    """Gradients of some values with respect to others, some of them counted as constants."""
    found = [v for v in w.program.values if v.dtype in (*FLOATS, *COMPLEX)]
    if not found or len(w.graph) > NODES:
        raise GiveUp
    ys, xs = some(w, found, newest=True), some(w, found, newest=False)
    options = ""
    if any(y.dtype in COMPLEX for y in ys) or w.chance(0.3):
        weights = [f"tf.ones_like({y.name})" if y.dtype in COMPLEX or w.chance(0.5) else "None" for y in ys]
        options += f", grad_ys=[{', '.join(weights)}]"
    if w.chance(0.2):
        options += f", stop_gradients=[{w.one_of(found).name}]"
    slopes = w.name()
    try:
        w.line(f"{slopes} = tf.gradients([{_names(ys)}], [{_names(xs)}]{options})")
    except LookupError as error:  # an op of the extension says nothing about its derivative
        raise GiveUp from error
    made = [place for place, slope in enumerate(w.namespace[slopes]) if slope is not None]
    if not made:
        raise GiveUp
    for place in made:
        w.let(f"tf.convert_to_tensor({slopes}[{place}])")


def some(w: EagerWriter, values: list[Value], newest: bool) -> list[Value]:
    """One to three of `values`, perhaps one of them twice."""
    places = w.rng.integers(0, len(values), (int(w.rng.integers(1, 4)), 3))
    return [values[int(row.max() if newest else row.min())] for row in np.atleast_2d(places)]


def _names(values: list[Value]) -> str:
    return ", ".join(value.name for value in values)
