"""Groups that end in reductions: short rows run in blocks of rows, with the interpreter's bits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.runtime.llvm import tier
from penstock.runtime.nest import tail_group
from penstock.runtime.nest.block_writer import WIDEST
from penstock.runtime.nest.row_launch import RowLaunch
from penstock.runtime.nest.tail_group import FEWEST_ROWS, LEAST, TailGroup
from penstock.runtime.numpy.interpreter import Interpreter

from ...fuzz.of_groups import same_bits
from .nests import body_of

pytestmark = pytest.mark.skipif(not tier.on(), reason="nothing is compiled here")


@pytest.fixture(autouse=True)
def compiled_at_once() -> Iterator[None]:
    """Everything is compiled at its first use."""
    before = jit.mode
    jit.mode = "now"
    yield
    jit.mode = before


BUILDS: dict[str, Any] = {
    "sum": lambda x, s: tf.reduce_sum(x * s, -1),
    "mean": lambda x, s: tf.reduce_mean(x * x + s, -1, keepdims=True),
    "product": lambda x, s: tf.reduce_prod(x * s, -1),
    "with its elements": lambda x, s: [x * s, tf.reduce_max(x * s, -1)],
    "functions": lambda x, s: tf.reduce_sum(tf.exp(x) * s, -1),
}


def group_of(build: Any, *operands: Any) -> TailGroup:
    """The group of a graph on operands like these."""
    return TailGroup(body_of(build, *[x.shape for x in operands], dtype=operands[0].dtype.name))


def in_rows(group: TailGroup) -> list[bool]:
    """For each combination of shapes, whether its code goes over blocks of rows."""
    return [isinstance(entry.launch, RowLaunch) for entry in group._entries.values()]


@pytest.mark.share(12)
@pytest.mark.parametrize("name", BUILDS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("scale", ["number", "row", "column", "elements"])
def test_short_rows_have_the_bits_of_the_interpreter(
    name: str, dtype: str, scale: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail_group, "LEAST", 1)
    shapes = {"number": (), "row": (33,), "column": (50, 1), "elements": (50, 33)}
    rng = np.random.default_rng(3)
    x = rng.standard_normal((50, 33)).astype(dtype)
    s = np.asarray(rng.standard_normal(shapes[scale])).astype(dtype)
    group = group_of(BUILDS[name], x, s)
    want = Interpreter(group.body)
    foreign = x.astype(x.dtype.newbyteorder())
    for given in (x, np.asfortranarray(x), x[::-1], foreign):
        with np.errstate(over="ignore"):  # products of float16
            results = zip(group(given, s), want(given, s), strict=True)
        assert all(same_bits(one, other) for one, other in results)
    assert in_rows(group) == [True]


def test_long_rows_and_few_elements_run_flat() -> None:
    build = BUILDS["sum"]
    s = np.float32(2).reshape(())
    x = np.zeros((4, 4), "f4")
    group = group_of(build, x, s)
    rows = LEAST // WIDEST
    for shape in ((rows, WIDEST), (rows, WIDEST + 1), (rows - 1, WIDEST), (LEAST, 5)):
        x = np.random.default_rng(4).standard_normal(shape).astype("f4")
        assert same_bits(group(x, s)[0], Interpreter(group.body)(x, s)[0])
    assert in_rows(group) == [True, False, False, True]
    assert group.tier == "compiled"


def test_few_rows_run_flat_and_functions_in_blocks() -> None:
    x, s = np.random.default_rng(4).standard_normal((FEWEST_ROWS, 9)).astype("f4"), np.ones((), "f4")
    group = group_of(BUILDS["functions"], x, s)
    for given in (x, x[1:]):
        assert same_bits(group(given, s)[0], Interpreter(group.body)(given, s)[0])
    assert in_rows(group) == [True, False]


def test_the_result_is_written_where_it_is_wanted() -> None:
    x = np.random.default_rng(5).standard_normal((1000, 9)).astype("f4")
    s = np.ones((), "f4")
    group = group_of(BUILDS["sum"], x, s)
    place = np.empty(1000, "f4")
    result = group.into(place, x, s)
    assert np.shares_memory(result, place)
    assert same_bits(result, Interpreter(group.body)(x, s)[0])


def test_a_row_that_an_operand_does_not_fill_runs_flat() -> None:
    x = np.random.default_rng(6).standard_normal((900, 4, 5)).astype("f4")
    s = np.random.default_rng(7).standard_normal((900, 4, 1)).astype("f4")
    group = group_of(lambda x, s: tf.reduce_sum(x * s, [1, 2]), x, s)
    assert same_bits(group(x, s)[0], Interpreter(group.body)(x, s)[0])
    assert in_rows(group) == [False]
