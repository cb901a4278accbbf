"""Nests in CUDA C have the bits of their definition: NumPy's functions, in the order in which a kernel combines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penstock.graph.shapes.dtypes import DType, float32, float64
from penstock.runtime.cuda import nest_launch, nest_source, tile_source
from penstock.runtime.cuda.cuda_source import OPTIONS
from penstock.runtime.cuda.nest_layout import layout_of
from penstock.runtime.ir.fused_ir import Value
from penstock.runtime.ir.nest_ir import ELEMENT, ROW, Load, Nest, RowReduction, Store
from penstock.runtime.ir.scalar_ir import Literal, ScalarStep
from tests.runtime.nest import by_numpy

from ..helpers import nightly, slow
from . import nvrtc, shim
from .fake_cupy import FakeCupy
from .random_nests import RandomNest, as_on_a_card, in_the_order_of_a_gpu
from .test_groups import same_bits

SUM_OF_PIECES = 37
"""A nest in which blocks share the rows of a sum."""


def first_of(ufunc: Any, dtype: Any) -> Any:
    """The number with which a total begins."""
    if ufunc not in (np.maximum, np.minimum):
        return dtype.type(ufunc.identity)
    ends = (-np.inf, np.inf) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return dtype.type(ends[ufunc is np.minimum])


def difference(xp: Any, program: RandomNest, monkeypatch: pytest.MonkeyPatch) -> str | None:
    """What is wrong with a nest; None if nothing is."""
    if not isinstance(xp, FakeCupy):
        program.arrays = list(map(as_on_a_card, program.arrays))
    nest, outer = program.nest, len(program.whole) - program.axes
    shapes = {"ij": program.whole, "i": program.whole[:outer]}
    outs = [xp.zeros(shapes[s.axes], nest.dtype_of(s.value).np) for s in nest.stores]
    arrays = [xp.asarray(x) for x in program.arrays]
    asked: list[tuple[int, int]] = []
    text = nest_source.rows_text

    def noted(nest: Any, layout: Any, lanes: int, *rest: Any) -> str:
        asked.append((lanes, layout.width))
        return text(nest, layout, lanes, *rest)

    monkeypatch.setattr(nest_launch, "rows_text", noted)
    monkeypatch.setattr(shim.Turns, "seed", program.seed % 3)
    nest_launch.run_nest(xp, nest, arrays, outs, program.whole, program.axes)
    monkeypatch.setattr(nest_launch, "rows_text", text)

    def reduced(ufunc: Any, rows: Any, dtype: Any) -> Any:
        ((lanes, width),) = asked
        pieces = nest_launch.pieces_of(program.rows, program.count) if not lanes else 1
        first = first_of(ufunc, dtype.np)
        return in_the_order_of_a_gpu(ufunc, rows, first, lanes or 256, width, pieces)

    monkeypatch.setattr(by_numpy, "_reduced", reduced)
    with np.errstate(all="ignore"):
        wanted = by_numpy.by_numpy(nest, program.operands(), program.rows, program.count)
    for store, got, want in zip(nest.stores, outs, wanted, strict=True):
        if not same_bits(xp.asnumpy(got).reshape(-1), want.reshape(-1)):
            return f"seed {program.seed}, {program.whole}, {program.axes} axes, {asked}, y{store.result}:\n{nest}"
    return None


@pytest.mark.parametrize("dtype", [float32, float64], ids=str)
def test_constants_have_their_bits(xp: Any, dtype: DType) -> None:
    numbers = np.array([-0.0, 0.0, 3.0, -2.0, 0.1, 1e-40, 2.0**24, np.inf], dtype.np)
    axes = ROW + ELEMENT
    steps = [ScalarStep("multiply", (Value(0), Literal(dtype, each.tobytes())), dtype) for each in numbers]
    stores = [Store(i, axes, Value(1 + i)) for i in range(len(numbers))]
    outs = [xp.zeros((1,), dtype.np) for _ in numbers]
    nest_launch.run_nest(
        xp, Nest((Load(0, axes, dtype), *steps), tuple(stores)), [xp.ones((1,), dtype.np)], outs, (1,), 0
    )
    assert same_bits(np.concatenate([xp.asnumpy(each) for each in outs]), numbers)


@pytest.mark.parametrize(("shape", "pitch", "aligned", "width"), [
    ((4, 8), 12, True, 4), ((4, 8), 10, True, 2), ((4, 8), 9, True, 1), ((4, 6), 12, True, 2), ((4, 8), 12, False, 1),
])  # fmt: skip
def test_as_many_elements_are_read_at_once_as_all_addresses_allow(
    shape: tuple[int, int], pitch: int, aligned: bool, width: int
) -> None:
    """The played GPU reads from any address, a real one does not."""
    for outer in (None, 1):
        operands = ((shape, (pitch, 1)), (shape[1:], (1,)))
        assert layout_of(shape, outer, operands, 4, aligned, True).width == width


@pytest.mark.parametrize("block", [0, *nightly(range(1, 40)), *slow(range(40, 400))])
def test_random_nests_have_the_bits_of_their_definition(xp: Any, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    reduced = 0
    for seed in (SUM_OF_PIECES, *range(6 * block, 6 * block + 6)):
        program = RandomNest(seed)
        with monkeypatch.context() as patch:
            found = difference(xp, program, patch)
        assert found is None, found
        reduced += any(isinstance(node, RowReduction) for node in program.nest.nodes)
    assert reduced > 2


@pytest.mark.parametrize("block", [0, *nightly(range(1, 12)), *slow(range(12, 60))])
def test_turned_operands_go_through_tiles(
    xp: Any, block: int, monkeypatch: pytest.MonkeyPatch, sources: set[str]
) -> None:
    """Of any dtype, several of them, beside others; tiles are smaller than the matrices, and larger."""
    monkeypatch.setattr(tile_source, "TILED", 1)
    tile_source.tiles_of.cache_clear()
    for seed in range(5 * block, 5 * block + 5):
        program = RandomNest(seed, is_turned=True)
        with monkeypatch.context() as patch:
            patch.setattr(tile_source, "SHARED", (16 << 10, 512)[seed % 2])
            wrong = difference(xp, program, patch)
        assert wrong is None, wrong
    tile_source.tiles_of.cache_clear()
    turned = [code for code in sources if " turned(" in code]
    assert len(turned) > 1 or not sources
    if nvrtc.library() is not None:
        for i, code in enumerate(sorted(turned)):
            architecture = ("70", "80", "90")[i % 3]
            nvrtc.compile_code(code, OPTIONS, architecture)


@pytest.mark.skipif(nvrtc.library() is None, reason="NVRTC is not installed: pip install nvidia-cuda-nvrtc-cu12")
@pytest.mark.parametrize("block", [*nightly([0]), *slow(range(1, 10))])
def test_nvidias_compiler_takes_random_nests(
    xp: Any, sources: set[str], block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shim, "launch", lambda *args: None)  # the other test runs them
    for seed in range(25 * block, 25 * block + 25):
        program = RandomNest(seed)
        outs = [xp.zeros(program.whole, program.nest.dtype_of(s.value).np) for s in program.nest.stores]
        nest_launch.run_nest(
            xp, program.nest, [xp.asarray(x) for x in program.arrays], outs, program.whole, program.axes
        )
    for i, code in enumerate(sorted(sources)):
        architecture = ("70", "80", "90")[i % 3]
        nvrtc.compile_code(code, OPTIONS, architecture)
