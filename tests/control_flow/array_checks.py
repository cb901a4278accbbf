"""What is compared of random programs of TensorArrays: values, and whether a run is an error."""

from __future__ import annotations

from typing import Any

import penstock.compat.v1 as tf

from ..fuzz.ways import Way
from .array_programs import ArrayProgram
from .random_checks import PLAIN, has_the_same_bits

RUNS = 3


def results(program: ArrayProgram, way: Way) -> list[Any]:
    """For each run a dictionary of values, or the class of the error; one class where it does not build."""
    found: list[Any] = []
    with tf.Graph().as_default() as graph:
        try:
            fed, fetches = program.build(tf)
        except (ValueError, TypeError) as error:
            return [type(error).__name__]
        with way.settings(), tf.Session(graph=graph, config=way.config) as session:
            for run in range(RUNS):
                feeds = {fed[name]: array for name, array in program.feeds(run).items()}
                try:
                    found.append(session.run(fetches, feeds))
                except tf.errors.OpError as error:
                    found.append(type(error).__name__)
    return found


def complaint(program: ArrayProgram, ways: list[Way]) -> str | None:
    """Where some way gives other bits, or another error, than the interpreter without passes; None if nowhere."""
    plain = results(program, PLAIN)
    for way in ways:
        for run, (found, want) in enumerate(zip(results(program, way), plain, strict=True)):
            if isinstance(found, str) or isinstance(want, str):
                if found != want:
                    return f"run {run}, {way.name}: {found!r:.300}, without passes {want!r:.300}"
                continue
            for name in want:
                if not has_the_same_bits(found[name], want[name]):
                    return f"run {run}, {way.name}: {name} is {found[name]!r}, without passes {want[name]!r}"
    return None
