"""Random programs of branches and loops that read and write variables do what the sequential model says."""

from __future__ import annotations

import numpy as np
import pytest

import penstock as tf

from ..fuzz.ways import Way, ways_for
from ..helpers import nightly, slow
from .sequential_bodies import VARIABLES, Built, Maker, Model, text_of


def check(seed: int, way: Way | None = None, depth: int = 3) -> None:
    """One random program, run a few times with various fetches."""
    maker = Maker(seed)
    rng = maker.rng
    nodes = maker.nodes([], rng.randrange(3, 9), depth)
    model = Model([maker.array() for _ in range(VARIABLES)])
    built = Built(nodes, model.values)
    config = None if way is None else way.config
    with tf.Session(graph=built.graph, config=config) as session:
        session.run([v.initializer for v in built.variables])
        for _ in range(3):
            fetches = rng.sample(nodes, rng.randint(1, len(nodes)))
            got = session.run([built.elements[n] for n in fetches])
            wanted = model.run(nodes, fetches)
            told = f"seed {seed}\n{text_of(nodes)}\nfetch {[nodes.index(n) for n in fetches]}"
            for a, b in zip(got, wanted, strict=True):
                assert np.array_equal(a, b), f"{told}\n{got}\n{wanted}"
            values = session.run([v.value() for v in built.variables])
            assert np.array_equal(values, model.values), f"{told}\n{values}\n{model.values}"


@pytest.mark.parametrize(
    "first", [0, *nightly(range(20, 120, 20)), *slow(range(120, 400, 20))]
)
def test_random_programs_with_variables_in_bodies_do_what_the_model_says(first: int) -> None:
    for seed in range(first, first + 20):
        check(seed)


@pytest.mark.parametrize("seed", [*range(5), *nightly(range(5, 12))])
def test_they_do_in_every_way_to_run_them(seed: int) -> None:
    for way in ways_for(seed):
        with way.settings():
            check(1000 + seed, way)
