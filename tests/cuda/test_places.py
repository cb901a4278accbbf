"""Sequential nests on a GPU: which of them are spread over threads, and that these give what their steps give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.graph.shapes.dtypes import float32
from penstock.runtime.cuda import place_nests
from penstock.runtime.cuda.place_launch import run_places
from penstock.runtime.cuda.place_source import loops_of, places_text
from penstock.runtime.ir.scalar_ir import CannotLower
from penstock.runtime.nest.sequential.nest_builder import NestBuilder
from penstock.runtime.nest.sequential.nest_table import nest_of
from penstock.runtime.nest.sequential.sequential_ir import SequentialNest

from ..helpers import examples
from ..runtime.nest.by_steps import by_steps
from .fake_cupy import FakeCupy

SPREAD: dict[str, tuple[Any, ...]] = {
    "take": (0, "i4", 1), "put": (0, "i8", 2), "add": ("f4", 0, "i4", 1), "subtract": ("i8", 0, "i8", 3),
    "pick": (0, "i4"), "join": ((4, 8),), "cut": (4, 3), "copy_rows": (0,), "select": (16,), "cast": ("f4", "f2"),
}  # fmt: skip
IN_ORDER: dict[str, tuple[Any, ...]] = {
    "part": (0, 1), "count_labels": (4, 1), "part_by_lines": (4, 2), "add_runs": ("f4", 3, "i8"), "where": (2,),
    "running_sums": ("f4", False), "shuffle_order": (), "sorted_match": (4,), "merge": (4, False), "gathered_rows": (),
    "add": ("f2", 0, "i4", 1),  # a sum of halves is rounded once more
    "sparse_product": ("f4", ("i8", "i4"), 2, 0, True), "transpose": (4, 16), "reverse_starts": (4, "i4", 0),
}  # fmt: skip


def _bindings(nest: SequentialNest) -> tuple[str, ...]:
    lists = {"sizes": "numbers", "strides": "numbers", "addresses": "memory" if nest.name == "pick" else "arrays"}
    return tuple(["number" if p.is_number else lists.get(p.name, "memory") for p in nest.parameters()])


@pytest.mark.parametrize("name", IN_ORDER)
def test_nests_whose_rounds_depend_on_each_other_are_refused(name: str) -> None:
    nest = nest_of(name, *IN_ORDER[name])
    with pytest.raises(CannotLower):
        places_text(nest, _bindings(nest))


@pytest.mark.parametrize("name", SPREAD)
def test_nests_of_the_cpu_are_spread_over_threads(name: str) -> None:
    nest = nest_of(name, *SPREAD[name])
    text = places_text(nest, _bindings(nest))
    assert f" {name}(" in text
    assert ("atomicAdd" in text) == (name in ("add", "subtract"))
    assert ("bool inside" in text) == (name in ("take", "put", "add", "subtract", "pick"))


def test_a_value_that_is_kept_between_rounds_is_refused() -> None:
    n = NestBuilder("sums", "out x", "count")
    with n.each("i", n.count) as i:
        total = n.kept(0, float32)
        n.put(n.out, [(i, 4)], n.read(n.x, [(i, 4)], float32) + total)
    assert len(loops_of(n.done()).loops) == 1  # it begins anew in each round
    n = NestBuilder("sums", "out x", "count")
    total = n.kept(0, float32)
    with n.each("i", n.count) as i:
        n.keep(total, total + n.read(n.x, [(i, 4)], float32))
        n.put(n.out, [(i, 4)], total)
    with pytest.raises(CannotLower):
        places_text(n.done(), ("memory", "memory", "number"))
    n = NestBuilder("shifted", "out", "count")
    with n.each("i", n.count) as i:
        n.put(n.out, [(i, 4), 4], n.read(n.out, [(i, 4)], float32))
    with pytest.raises(CannotLower, match="another one may write"):
        loops_of(n.done())


# ---- what they give -----------------------------------------------------------------------------


def _bytes(rng: Any, count: int, skip: int = 0) -> Any:
    """Random bytes that begin `skip` bytes behind a multiple of 16."""
    memory = np.zeros(count + 32, "u1")
    start = -memory.ctypes.data % 16 + skip
    own = memory[start : start + count]
    own[...] = rng.integers(0, 256, count, "u1")
    return own


def _both(nest: SequentialNest, out: int, *arguments: Any) -> None:
    """Compare what the played GPU writes into argument number `out` with what the steps of the nest write.

    A list stands for arrays whose addresses the nest reads.
    """
    xp = FakeCupy()
    for_steps: list[Any] = []
    for_device: list[Any] = []
    for k, each in enumerate(arguments):
        if isinstance(each, list):
            copies = [np.array(array) for array in each] if k == out else each
            for_steps.append((np.array([array.ctypes.data for array in copies], np.int64), copies))
            for_device.append([xp.asarray(array) for array in (each if k == out else copies)])
        elif isinstance(each, np.ndarray) and each.dtype != np.int64:
            for_steps.append(each.copy() if k == out else each)
            for_device.append(xp.asarray(each))
        else:
            for_steps.append(each)
            for_device.append(each)
    by_steps(nest)(*[each[0] if isinstance(each, tuple) else each for each in for_steps])
    run_places(xp, nest, *for_device)
    want = for_steps[out][1] if isinstance(for_steps[out], tuple) else [for_steps[out]]
    got = for_device[out] if isinstance(for_device[out], list) else [for_device[out]]
    for one, other in zip(got, want, strict=True):
        assert xp.asnumpy(one).tobytes() == other.tobytes()


counts = st.sampled_from((0, 1, 2, 3, 5, 31, 257, 1025))
"""Of rows: none, one, an odd number, more than the threads of a block, several blocks."""
widths = st.lists(st.sampled_from((1, 2, 4, 6, 16, 48)), min_size=1, max_size=12)
seeds = st.integers(0, 1000)


@settings(deadline=None, max_examples=examples(2))
@given(seeds, widths, counts, st.sampled_from((0, 0, 1, 4)))
def test_joins_and_cuts_of_any_widths(seed: int, parts: list[int], rows: int, skip: int) -> None:
    rng = np.random.default_rng(seed)
    if seed % 3 == 0:
        parts = [parts[0]] * len(parts)
    arrays = [_bytes(rng, width * rows, skip) for width in parts]
    whole = _bytes(rng, sum(parts) * rows)
    _both(place_nests.join_nest(len(parts)), 0, whole, arrays, rows, *parts)
    _both(place_nests.cut_nest(len(parts)), 1, whole, arrays, rows, *parts)


@settings(deadline=None, max_examples=examples(2))
@given(seeds, counts.map(lambda n: max(1, n)), st.integers(1, 6), st.sampled_from((1, 4, 12, 16)),
       st.sampled_from(("i4", "i8")))  # fmt: skip
def test_rows_at_places_in_range(seed: int, high: int, wide: int, width: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    rows, sizes = _bytes(rng, high * wide * width), np.array([high, wide], np.int64)
    places = rng.permutation(high * wide)
    index = np.stack([places // wide, places % wide], 1).astype(kind).view("u1").reshape(-1)
    out, count = _bytes(rng, len(places) * width), len(places)
    _both(nest_of("take", 0, kind, 2), 0, out, rows, index, sizes, count, width)
    _both(nest_of("put", 0, kind, 2), 0, out, rows, index, sizes, count, width)
    tables = [_bytes(rng, count * width) for _ in range(3)]
    chosen = rng.integers(0, 3, count).astype(kind).view("u1")
    _both(nest_of("pick", 0, kind), 0, out, tables, chosen, count, 3, width)
    numbers = rng.integers(-9, 9, (2, 20)).astype("f4")
    _both(nest_of("add", "f4", 0, kind, 1), 0, numbers[0], numbers[1], rng.integers(0, 4, 5).astype(kind).view("u1"),
          np.array([5], np.int64), 5, 4)  # fmt: skip


@settings(deadline=None, max_examples=examples(2))
@given(seeds, st.lists(st.tuples(*[st.integers(0, 3)] * 2, st.integers(1, 4)), min_size=1, max_size=3),
       st.sampled_from((1, 2, 4, 8, 16)))  # fmt: skip
def test_pads_and_reversed_sequences(seed: int, axes: list[tuple[int, int, int]], size: int) -> None:
    rng = np.random.default_rng(seed)
    own, before = [c for _, _, c in axes], [b for b, _, _ in axes]
    padded = [sum(each) for each in axes]
    x, out = (_bytes(rng, int(np.prod(shape)) * size) for shape in (own, padded))
    _both(place_nests.pad_nest(len(axes), size), 0, out, x, *padded, *own, *before)
    batch, between, width = (*own, 2, 3)[:3]
    lengths = rng.integers(0, width + 1, batch).astype("i4").view("u1")
    x, out = (_bytes(rng, batch * between * width * size) for _ in range(2))
    _both(place_nests.reverse_sequence_nest("i4"), 0, out, x, lengths, batch, between, width, size)


@pytest.mark.parametrize(("height", "lengths"), [(9, (4, 1, 6)), (700, (0, 513, 1, 300)), (1, (1,))], ids=str)
def test_a_stitch_claims_places_and_fetches_rows(height: int, lengths: tuple[int, ...]) -> None:
    xp, rng = FakeCupy(), np.random.default_rng(0)
    count, starts = sum(lengths), [sum(lengths[:k]) for k in range(len(lengths))]
    lists = [rng.integers(0, height, n).astype("i4") for n in lengths]
    rows = [rng.random((len(each), 3)).astype("f4") for each in lists]
    there = [[xp.asarray(each) for each in arrays] for arrays in (lists, rows)]
    table = [*[each.data.ptr for arrays in there for each in arrays], *starts]
    owner, out = np.full(height, -1, "i4"), np.zeros((height, 3), "f4")
    on_device = xp.asarray(owner.copy())
    run_places(xp, place_nests.claim_nest(), on_device, xp.asarray(np.array(table, np.int64)), count, len(lengths))
    addresses = [*[each.ctypes.data for arrays in (lists, rows) for each in arrays], *starts]
    by_steps(place_nests.claim_nest())(owner, np.array(addresses, np.int64), count, len(lengths))
    assert np.array_equal(xp.asnumpy(on_device), owner)
    result = xp.asarray(out)
    run_places(xp, place_nests.fetch_nest(), result, on_device, xp.asarray(np.array(table, np.int64)), height,
               len(lengths), count, 12, rows=there[1])  # fmt: skip
    every, place = np.concatenate(rows), np.concatenate(lists)
    for k in range(height):
        last = np.flatnonzero(place == k)
        assert np.array_equal(xp.asnumpy(result)[k], every[last[-1]] if len(last) else np.zeros(3))
