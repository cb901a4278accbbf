"""Sums that a pass of a row takes itself: which stages do, and that the bits are those of the ops one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.shapes.dtypes import DType, float32
from penstock.runtime.ir.fused_ir import Value
from penstock.runtime.ir.nest_ir import Load, Nest, Node, RowReduction, Store
from penstock.runtime.ir.scalar_ir import ScalarStep
from penstock.runtime.nest.row_stages import row_stages

from ...fuzz.ways import Way
from ...helpers import nightly


def backward(x: Any, dy: Any, gain: Any, mean: Any, spread: Any) -> list[Any]:
    h, w = (x - mean) / spread, dy * gain
    means = [tf.reduce_mean(each, 1, keepdims=True) for each in (w, w * h)]
    return [(w - means[0] - h * means[1]) / spread, tf.reduce_sum(dy * h, 0), tf.reduce_sum(dy, 0)]


def _numbers(rng: Any, dtype: Any, *shape: int) -> Any:
    found = rng.standard_normal(shape).astype(dtype)
    found.reshape(-1)[:: max(2, found.size // 7)] = -0.0
    return found


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("width", [65, 72, 127, 128, 129, 257, 1000, 4099,
                                   *nightly([71, 120, 136, 143, 255, 512, 1023])])  # fmt: skip
def test_rows_of_any_length_have_the_bits_of_the_ops(width: int, dtype: str) -> None:
    rng, rows = np.random.default_rng(width), 5
    shapes = [(rows, width), (rows, width), (width,), (rows, 1), (rows, 1)]
    values = [_numbers(rng, dtype, *shape) for shape in shapes]
    values[0][0], values[1][1] = -0.0, -0.0  # a sum of such numbers is 0.0
    with tf.Graph().as_default() as graph:
        fed = [tf.placeholder(dtype, shape) for shape in shapes]
        fetches = backward(*fed)
    feeds = dict(zip(fed, values, strict=True))
    with np.errstate(all="ignore"), tf.Session(graph=graph, config=tf.SessionConfig(passes=())) as session:
        want = session.run(fetches, feeds)
    way = Way("compiled", tf.SessionConfig(), "now")
    with np.errstate(all="ignore"), way.settings(), tf.Session(graph=graph, config=way.config) as session:
        assert len(session.plan(fetches, fed).steps) == 1
        got = session.run(fetches, feeds)
    for one, other in zip(got, want, strict=True):
        assert np.array_equal(np.isnan(one), np.isnan(other))
        assert np.where(np.isnan(one), 0, one).tobytes() == np.where(np.isnan(other), 0, other).tobytes()


def _nest(*steps: tuple[str, tuple[int, ...]], reduced: int, dtype: DType = float32) -> Nest:
    """Two rows of numbers, steps on them, the sum of one value along the row, and that of the first load over rows."""
    nodes: list[Node] = [Load(0, "ij", dtype), Load(1, "ij", dtype)]
    nodes += [ScalarStep(name, tuple([Value(a) for a in args]), dtype) for name, args in steps]
    sums = len(nodes)
    nodes += [RowReduction("add", Value(reduced), "j", dtype), RowReduction("add", Value(0), "i", dtype)]
    return Nest(tuple(nodes), (Store(0, "i", Value(sums)), Store(1, "j", Value(sums + 1))))


def test_a_stage_of_several_instructions_takes_its_sums_and_totals() -> None:
    stages = row_stages(_nest(("subtract", (0, 1)), ("multiply", (2, 2)), reduced=3), adds_rows=True)
    (first, _) = stages.stages
    assert first.elements is not None
    assert first.elements.sums == (4,) and stages.totals == (5,)
    assert stages.temporaries == () and first.reductions == () and first.columns == ()


@pytest.mark.parametrize("steps", [(("multiply", (0, 0)),), (("subtract", (0, 1)), ("exp", (2,)))], ids=str)
def test_one_instruction_and_functions_of_numpy_store_what_is_summed(steps: Any) -> None:
    reduced = 1 + len(steps)
    stages = row_stages(_nest(*steps, reduced=reduced), adds_rows=True)
    first = stages.stages[0]
    assert first.elements is not None and first.elements.sums == ()
    assert stages.temporaries == (4,) and first.reductions == (reduced + 1,)


def test_a_block_of_rows_adds_up_by_itself() -> None:
    stages = row_stages(_nest(("subtract", (0, 1)), ("multiply", (2, 2)), reduced=3))
    assert stages.totals == () and stages.stages[0].columns == (5,)
