"""A step of the fuzz that calls any op that declares samples, with operands that the program computes.

So an op that is new stands between views, fused groups, updates, gradients and effects without a line written for it.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import penstock as tf

from ..op_samples import OF_VARIANTS, USERS_OPS, Call, Place, calls, runnable
from ..random_graphs import COMPLEX, FLOATS
from .eager import EagerWriter, GiveUp

LARGEST = 20_000
"""Elements up to which a value of the program is made an operand."""

CALLING_PYTHON = {"PyFuncStateless"}
"""Ops whose samples call functions of the tests, of which the reference knows nothing."""


@functools.cache
def callable_samples() -> dict[str, list[Call]]:
    """The samples of each op that gives the same in each run, by its type."""
    without = OF_VARIANTS.keys() | CALLING_PYTHON
    ops = {type: op for type, op in USERS_OPS.items() if op.facts.effects.is_pure and type not in without}
    found = {type: [call for call in calls(op) if runnable(call) and call.free] for type, op in ops.items()}
    return {type: of for type, of in found.items() if of}


def sampled(w: EagerWriter) -> None:
    """A call of some op: some operands are computed from values of the program."""
    samples = callable_samples()
    kind = w.one_of([*samples])
    call = w.one_of(samples[kind])
    replaced = ", ".join(f"{place}: {text}" for place in call.free if (text := _operand(w, call.array(place), place)))
    every = w.name()
    w.line(f"{every} = ops.sampled({kind!r}, {call.number}, {{{replaced}}})")
    results = w.namespace[every]
    if not results:
        raise GiveUp
    for output in range(len(results)):
        if not output or w.chance(0.5):
            w.let(f"tf.identity({every}[{output}])" if w.chance(0.3) else f"{every}[{output}]")
    w.features[f"sample of {kind}"] += 1


def _operand(w: EagerWriter, array: Any, place: Place) -> str:
    """What stands for an operand: nothing (it stays a constant), a placeholder, or a value of the program."""
    dtype = tf.as_dtype(array.dtype).name if array.dtype != object else "string"
    choice = w.rng.random()
    if choice < 0.2:
        return ""
    if choice < 0.5 or not array.size or dtype not in (*FLOATS, *COMPLEX):
        return w.fed(array)
    numbers = [v for v in w.program.values if v.dtype in (*FLOATS, *COMPLEX)]
    fitting = [v for v in numbers if 0 < np.prod(v.shape) < LARGEST]
    if not fitting:
        return w.fed(array)
    value = w.one_of(fitting)
    if choice < 0.65:  # numbers of the sample's own kind, some of them changed
        return f"ops.fitted({value.name}, {dtype!r}, {[*array.shape]}) * 0 + {w.fed(array)}"
    return f"ops.fitted({value.name}, {dtype!r}, {[*array.shape]})"
