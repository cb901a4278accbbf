"""Elementwise ops give the same bits wherever their operands lie: forwards, backwards, with gaps, or shifted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.shapes.dtypes import dtypes_in

from ..helpers import every_case, nightly
from ..op_samples import USERS_OPS, same

COUNT = 259
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "forwards": lambda a: a,
    "backwards": lambda a: a[::-1].copy()[::-1],
    "every second": lambda a: np.repeat(a, 2)[::2],
    "far apart": lambda a: np.repeat(a, 37)[::37],
    "shifted": lambda a: np.concatenate([a[:3], a])[3:],
    "column of a table": lambda a: np.stack([a, a, a], 1)[:, 1],
}
ELEMENTWISE = [
    type for type, op in USERS_OPS.items()
    if op.facts.elementwise and op.is_tensorwise and op.is_plain
]


def numbers(dtype: tf.DType, seed: int) -> Any:
    """Values of all magnitudes that functions take in."""
    rng = np.random.default_rng(seed)
    if dtype.is_bool:
        return rng.random(COUNT) < 0.5
    if dtype.is_integer:
        return rng.integers(1, 100, COUNT).astype(dtype.np)
    wide = rng.standard_normal(COUNT) * 10.0 ** rng.uniform(-3, 1, COUNT)
    if dtype.is_complex:
        return (wide + 1j * rng.standard_normal(COUNT)).astype(dtype.np)
    return wide.astype(dtype.np)


def cases(type: str) -> Iterator[tuple[tf.DType, ...]]:
    operands = [operand for _, _, operand in USERS_OPS[type].operands]
    choices = [[d for d in dtypes_in(o.allowed) if not d.is_string] for o in operands]
    for dtypes in product(*choices):
        variables: dict[str, tf.DType] = {}
        if all(o.var is None or variables.setdefault(o.var, d) is d for o, d in zip(operands, dtypes, strict=True)):
            yield dtypes


@pytest.mark.parametrize("type", ["Mul", "Square", "Abs", "Sinh", "Atan2"])
def test_a_single_element_has_the_bits_that_it_has_among_others(type: str) -> None:
    for dtypes in cases(type):
        arrays = [numbers(dtype, seed) for seed, dtype in enumerate(dtypes)]
        with tf.Graph().as_default() as graph:
            fed = [tf.placeholder(dtype, [None]) for dtype in dtypes]
            call = tf.Session(graph=graph).make_callable(USERS_OPS[type](*fed), fed)
            want = call(*arrays)
            for i in range(0, COUNT - 2, 2):
                # (1,) and contiguous for NumPy, with a stride that is not that of its elements
                assert same(call(*[a[i : i + 3][::-2][1:] for a in arrays]), want[i : i + 1]), f"{type} of {dtypes}"


def pairs_of_layouts(count: int, every: bool) -> Iterator[tuple[str, ...]]:
    """Layouts of the operands, in which every two layouts of two neighbours meet, or each layout and the next."""
    names = list(LAYOUTS)
    for first, step in product(range(len(names)), range(len(names)) if every and count > 1 else [1]):
        yield tuple([names[(first + step * at) % len(names)] for at in range(count)])


@every_case("type", ELEMENTWISE, parts=2)
@pytest.mark.parametrize("every_pair", [False, *nightly([True])])
def test_the_bits_of_an_elementwise_op_do_not_depend_on_the_layout(type: str, every_pair: bool) -> None:
    kinds: set[str] = set()
    place = ELEMENTWISE.index(type)
    for number, dtypes in enumerate(cases(type)):
        kind = "".join(dtype.np.kind for dtype in dtypes)  # every run tries all pairs for one dtype of each kind
        is_new = kind not in kinds
        kinds.add(kind)
        if not is_new and not every_pair and (number + place) % 3:
            continue  # a third of the other dtypes, others for the next op
        arrays = [numbers(dtype, seed) for seed, dtype in enumerate(dtypes)]
        with tf.Graph().as_default() as graph:
            fed = [tf.placeholder(dtype, [COUNT]) for dtype in dtypes]
            call = tf.Session(graph=graph, config=tf.SessionConfig(passes=())).make_callable(USERS_OPS[type](*fed), fed)
            want = call(*arrays)
            for names in pairs_of_layouts(len(arrays), every_pair or is_new):
                got = call(*[LAYOUTS[name](array) for name, array in zip(names, arrays, strict=True)])
                assert same(got, want), f"{type} of {dtypes}, {names}"
