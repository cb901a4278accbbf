"""Random programs with branches and loops in the configurations of the fuzz, beside Python loops on NumPy arrays."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import penstock.compat.v1 as tf
from penstock.config import jit
from penstock.graph.model.identity_comparison import MistakeWarning

from ..fuzz.ways import Way
from .effect_programs import EffectProgram
from .effect_programs import results as results_of_effects
from .plain_loops import plain_results
from .random_control import ControlProgram

PLAIN = Way("no passes, interpreted", tf.SessionConfig(passes=(), arena=False), "off")
NEAR = {"float32": 1e-4, "float64": 1e-9}


def results(program: ControlProgram, way: Way) -> list[list[Any]]:
    """What the program gives in each of its runs, gradients after the values; those that are None are left out."""
    found = []
    before = jit.mode
    with tf.Graph().as_default() as graph:
        made = program.build(tf)
        slopes = [eval(slope, made) for slope in program.slopes]
        fetches = [made[name] for name in program.fetched]
        fetches += [tf.convert_to_tensor(slope) for slope in slopes if slope is not None]
        try:
            with way.settings(), tf.Session(graph=graph, config=way.config) as session:
                for run in range(program.runs):
                    feeds = {made[name]: array for name, array in program.feeds(run).items()}
                    if way.call == "callable":
                        found.append(list(session.make_callable(fetches, list(feeds))(*feeds.values())))
                    else:
                        metadata = tf.RunMetadata() if way.call == "recorded" else None
                        found.append(session.run(fetches, feeds, run_metadata=metadata))
        finally:
            jit.mode = before
    return found


def complaint(program: ControlProgram, ways: list[Way]) -> str | None:
    """What is wrong with a program: values other than NumPy's, or other bits in another configuration; else None."""
    plain = results(program, PLAIN)
    for run, found in enumerate(plain):
        wanted = plain_results(program.lines, program.feeds(run), program.fetched)
        for name, value, want in zip(program.fetched, found, wanted, strict=False):
            if not is_near(value, want):
                return f"run {run}: {name} is {value!r}, with Python loops {want!r}"
    for way in ways:
        for run, (found, want) in enumerate(zip(results(program, way), plain, strict=True)):
            for place, (value, other) in enumerate(zip(found, want, strict=True)):
                if not has_the_same_bits(value, other):
                    return f"run {run}, {way.name}: fetch {place} is {value!r}, without passes {other!r}"
    return None


def complaint_of_effects(program: EffectProgram, ways: list[Way]) -> str | None:
    """What is wrong with a program of effects: another number of writes, or an error, in another configuration."""
    plain = _effects(program, PLAIN)
    for way in ways:
        for run, (found, want) in enumerate(zip(_effects(program, way), plain, strict=True)):
            if (found is None) is not (want is None):
                return f"run {run}, {way.name}: {found}; without passes {want}"
            if found is not None and (found[1] != want[1] or not has_the_same_bits(
                list(found[0].values()), list(want[0].values())
            )):  # fmt: skip
                return f"run {run}, {way.name}: {found}; without passes {want}"
    return None


def _effects(program: EffectProgram, way: Way) -> list[Any]:
    with warnings.catch_warnings(), way.settings():
        warnings.simplefilter("ignore", MistakeWarning)  # of writes that no result needs
        return results_of_effects(tf, program, lambda graph: tf.Session(graph=graph, config=way.config))


def is_near(value: Any, want: Any) -> bool:
    """Whether two arrays have one shape and dtype, and equal values but for rounding."""
    value, want = np.asarray(value), np.asarray(want)
    if value.shape != want.shape or value.dtype != want.dtype:
        return False
    near = NEAR.get(value.dtype.name, 0.0)
    return bool(np.allclose(value, want, rtol=near, atol=near, equal_nan=True))


def has_the_same_bits(value: Any, other: Any) -> bool:
    """Whether two arrays are the same; a NaN is like any other."""
    value, other = np.asarray(value), np.asarray(other)
    if value.shape != other.shape or value.dtype != other.dtype:
        return False
    if value.dtype.kind == "f":
        value, other = (np.where(np.isnan(x), np.nan, x).astype(value.dtype) for x in (value, other))
    return bool(value.tobytes() == other.tobytes())
