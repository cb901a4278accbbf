"""Ops that move rows give the same with compiled loops as without, results and errors alike."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import penstock as tf
from penstock.errors import InvalidArgumentError
from penstock.graph.declare.op_declaration import OPS, OpDef
from penstock.ops.index import gathering
from penstock.runtime.kernels import fast_gather, fast_partition, fast_scatter
from penstock.runtime.kernels.kernel_choice import rule_kernel_of
from penstock.runtime.kernels.loops import loop_cache, native_loops
from penstock.runtime.llvm import tier

from ...helpers import examples, some_nightly
from ...ops.index_cases import POOLS
from .fences import Array, Handed, loops_at_once, needs_the_tier, run

pytestmark = needs_the_tier
SIZES = (0, 1, 2, 15, 16, 17, 63, 64, 65, 130)
DTYPES = sorted(POOLS)
PLAIN = [d for d in DTYPES if d != "string"]
seeds = st.integers(0, 1 << 30)
BEYOND_CACHE = 1 << 18
"""Bytes that are written past the caches here, where 20,000 rows of three floats are not."""


@pytest.fixture(autouse=True, params=[1, 3], ids=["one share", "three shares"])
def _no_work_is_too_small(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[None]:
    monkeypatch.setattr(native_loops, "FEWEST", 1)
    monkeypatch.setattr(fast_partition, "_WINDOWS_PAY", 1)
    monkeypatch.setattr(fast_partition, "_BEYOND_CACHE", BEYOND_CACHE)
    monkeypatch.setattr(native_loops, "threads_for", lambda seconds: request.param)
    yield


checked = settings(max_examples=examples(1) + 2,
                   suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip


def outcome(op: OpDef[Any, Any], args: tuple[Any, ...]) -> Any:
    """What the kernel gives, or the words of its error."""
    try:
        return run(op, *args)
    except InvalidArgumentError as error:
        return error.message


def compared(op: Any, *args: Any) -> tuple[Any, Handed]:
    """The outcome with loops, which must be that without, and what loops there were."""
    with loops_at_once(on=False):
        expected = outcome(op, args)
    with loops_at_once() as handed:
        found = outcome(op, args)
    assert type(found) is type(expected), (found, expected)
    if isinstance(found, str):
        assert found == expected
        return found, handed
    for a, b in zip(*[x if isinstance(x, list) else [x] for x in (found, expected)], strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype
        assert a.tolist() == b.tolist() if a.dtype.kind == "O" else bits(a) == bits(b)
    return found, handed


def bits(array: Array) -> bytes:
    """The bytes of an array, where all NaNs count as one value."""
    array = np.ascontiguousarray(array).copy()
    if array.dtype.kind == "c":
        array = array.view(f"f{array.itemsize // 2}")
    wrong = array != array
    if wrong.any():
        array[wrong] = np.nan
    return array.tobytes()


def some(rng: np.random.Generator, dtype: str, *shape: int) -> Array:
    return laid_out(rng, POOLS[dtype][rng.integers(0, 8, shape)])


def laid_out(rng: np.random.Generator, array: Array) -> Array:
    """The same values, in some layout that a user could feed."""
    match rng.integers(0, 5):
        case 1:
            return array[::-1].copy()[::-1]
        case 2:
            spread = np.zeros((*array.shape, 2), array.dtype)
            spread[..., 0] = array
            return spread[..., 0]
        case 3 if array.dtype.kind != "O":
            raw = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
            raw[...] = array
            return raw
        case 4:
            return np.asfortranarray(array)
    return array


def index(rng: np.random.Generator, kind: str, high: int, *shape: int) -> Array:
    return laid_out(rng, rng.integers(0, high, shape).astype(kind))


def spoiled(rng: np.random.Generator, array: Array, spoil: bool, size: int) -> Array:
    """With one entry out of range, if asked."""
    if spoil and array.size:
        array = array.copy()
        limits = np.iinfo(array.dtype)
        bad = [size, limits.max, limits.min] + ([-1] if limits.min < 0 else [])
        bad = [b for b in bad if limits.min <= b <= limits.max and not 0 <= b < size]
        array.reshape(-1)[rng.integers(0, array.size)] = bad[rng.integers(0, len(bad))]
    return array


inner_shapes = st.sampled_from(((), (1,), (3,), (2, 4), (40,), (0,)))
spoils = st.booleans()
sizes = st.sampled_from(SIZES)
dtypes = st.sampled_from(DTYPES)
kinds = st.sampled_from(("i2", "i4", "i8"))


@checked
@given(seeds, dtypes, sizes, kinds, inner_shapes, spoils)
def test_gather(seed: int, dtype: str, count: int, kind: str, inner: tuple[int, ...], spoil: bool) -> None:
    rng = np.random.default_rng(seed)
    places = spoiled(rng, index(rng, kind, 7, count), spoil, 7)
    compared(tf.gather, some(rng, dtype, 7, *inner), places)


@checked
@given(seeds, dtypes, sizes, kinds, st.integers(0, 3), spoils)
def test_gather_nd(seed: int, dtype: str, count: int, kind: str, depth: int, spoil: bool) -> None:
    rng = np.random.default_rng(seed)
    places = spoiled(rng, index(rng, kind, 3, count, depth), spoil, 5)
    compared(tf.gather_nd, some(rng, dtype, 3, 4, 5), places)


@checked
@given(seeds, dtypes, sizes, st.sampled_from(("i2", "u2", "i4", "i8")), inner_shapes, spoils)
def test_tensor_scatter_nd_update(
    seed: int, dtype: str, count: int, kind: str, inner: tuple[int, ...], spoil: bool
) -> None:
    rng = np.random.default_rng(seed)
    places = spoiled(rng, index(rng, kind, 3, count, 2), spoil, 4)
    args = (some(rng, dtype, 3, 4, *inner), places, some(rng, dtype, count, *inner))
    compared(tf.tensor_scatter_nd_update, *args)


@checked
@given(seeds, dtypes, sizes, st.sampled_from(("i4", "i8")), inner_shapes, spoils)
def test_scatter_nd(seed: int, dtype: str, count: int, kind: str, inner: tuple[int, ...], spoil: bool) -> None:
    rng = np.random.default_rng(seed)
    places = spoiled(rng, index(rng, kind, 3, count, 2), spoil, 4)
    with np.errstate(all="ignore"):
        compared(tf.scatter_nd, places, some(rng, dtype, count, *inner), np.array((3, 4, *inner), kind))


@checked
@given(seeds, dtypes, st.sampled_from((*SIZES, 700)), st.sampled_from((1, 2, 3, 9, 20)), inner_shapes, spoils)
def test_dynamic_partition(
    seed: int, dtype: str, count: int, parts: int, inner: tuple[int, ...], spoil: bool
) -> None:
    rng = np.random.default_rng(seed)
    labels = spoiled(rng, index(rng, "i4", parts, count), spoil, parts)
    compared(tf.dynamic_partition, some(rng, dtype, count, *inner), labels, parts)


@checked
@given(seeds, dtypes, st.lists(sizes, min_size=1, max_size=3), inner_shapes, spoils, spoils)
def test_dynamic_stitch(
    seed: int, dtype: str, lengths: list[int], inner: tuple[int, ...], spoil: bool, in_order: bool
) -> None:
    rng = np.random.default_rng(seed)
    lists = [index(rng, "i4", 50, n) for n in lengths]
    lists = [np.sort(i) for i in lists] if in_order else lists
    if spoil and lists[0].size:
        lists[0] = lists[0].copy()
        lists[0][rng.integers(0, lengths[0])] = [-1, -(2**31)][rng.integers(0, 2)]
    compared(tf.dynamic_stitch, lists, [some(rng, dtype, n, *inner) for n in lengths])


@checked
@given(seeds, dtypes, sizes, inner_shapes)
def test_boolean_mask(seed: int, dtype: str, count: int, inner: tuple[int, ...]) -> None:
    rng = np.random.default_rng(seed)
    compared(gathering.masked, some(rng, dtype, count, *inner), laid_out(rng, rng.random(count) < 0.5), None)


# ---- the loops really run -------------------------------------------------------------------------

ROWS = np.arange(4096.0).reshape(1024, 4)
FLAT = ROWS.reshape(-1)
PLACES = (np.arange(1024) * 7 % 1024).astype("i4")
MANY = np.arange(100_000, dtype="f4")
MANY_LABELS = (np.arange(100_000) * 7919 % 100).astype("i4")
MANY_LISTS = [np.flatnonzero(k == MANY_LABELS).astype("i4") for k in range(100)]
PAIR = [np.flatnonzero(k == MANY_LABELS % 2).astype("i4") for k in range(2)]
RUNS: dict[str, tuple[list[str], Callable[[], tuple[Any, Handed]]]] = {
    "gather": (["take"], lambda: compared(tf.gather, ROWS, PLACES)),
    "gather_nd": (["take"], lambda: compared(tf.gather_nd, ROWS, PLACES[:, None])),
    "update": (["put"], lambda: compared(tf.tensor_scatter_nd_update, ROWS, PLACES[:, None], ROWS)),
    "add": (["add"], lambda: compared(tf.scatter_nd, PLACES[:, None], ROWS, np.array([1024, 4], "i4"))),
    "partition": (["count_labels", "part"], lambda: compared(tf.dynamic_partition, ROWS, PLACES % 3, 3)),
    "lines": (["count_labels", "part_by_lines"], lambda: compared(tf.dynamic_partition, MANY, MANY_LABELS, 100)),
    "compact": (["mask_bits", "compact"], lambda: compared(tf.dynamic_partition, FLAT[:1024], PLACES % 2, 2)),
    "mask": (["mask_bits", "compact"], lambda: compared(gathering.masked, FLAT[:1024], PLACES > 500, None)),
    "stitch": (["merge"], lambda: compared(tf.dynamic_stitch, [np.sort(PLACES)], [ROWS])),
    "stitch two": (["merge", "merge_two"], lambda: compared(tf.dynamic_stitch, PAIR, [MANY[i] for i in PAIR])),
    "stitch many": (["merge"], lambda: compared(tf.dynamic_stitch, MANY_LISTS, [MANY[i] for i in MANY_LISTS])),
    "stitch in disorder": (["merge", "put"], lambda: compared(tf.dynamic_stitch, [PLACES], [ROWS])),
    "stitch elements": (["merge"], lambda: compared(tf.dynamic_stitch, [np.sort(PLACES)], [FLAT[:1024]])),
    "stitch elements backwards": (["put"], lambda: compared(tf.dynamic_stitch, [PLACES[::-1]], [FLAT[:1024]])),
}


@pytest.mark.share(2)
@pytest.mark.parametrize("name", RUNS)
def test_an_op_runs_its_compiled_loop(name: str) -> None:
    expected, compare = RUNS[name]
    assert compare()[1].names == expected


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", some_nightly(PLAIN, sorted({*PLAIN} - {"u1", "i2", "u4", "i8"})))
def test_every_numeric_dtype_has_loops(dtype: str) -> None:
    rows, index = POOLS[dtype][np.zeros(64, int)], np.zeros((64, 1), "i4")
    for op, args in (
        ("GatherNd", (rows, index)),
        ("TensorScatterUpdate", (rows, index, rows)),
        ("ScatterNd", (index, rows, np.array([64], "i4"))),
        ("DynamicPartition", (rows, index[:, 0], 2)),
        ("DynamicStitch", ([index[:, 0]], [rows])),
    ):
        with np.errstate(all="ignore"):
            assert compared(OPS[op], *args)[1].names, op


def test_what_several_threads_do_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    shared: list[int] = []

    def threads_for(seconds: float) -> int:
        shared.append(1)
        return 4

    monkeypatch.setattr(native_loops, "threads_for", threads_for)
    for name in ("gather", "gather_nd", "partition", "lines", "compact", "mask", "stitch", "stitch two", "stitch many"):
        shared.clear()
        RUNS[name][1]()
        assert shared, name
    assert native_loops.shares(1000, 1.0, 64) == [(0, 192), (192, 448), (448, 704), (704, 1000)]
    assert native_loops.shares(3, 1.0, 1) == [(0, 1), (1, 2), (2, 3)]


def test_strings_are_left_to_numpy() -> None:
    words = np.array([b"a", b"b"] * 40, object)
    for args in ((tf.gather, words, np.zeros(64, "i4")), (tf.dynamic_partition, words, np.zeros(80, "i4"), 2)):
        assert compared(*args)[1].names == []


def test_an_update_in_place_checks_before_it_is_believed() -> None:
    tensor, rows = np.zeros((50, 2)), np.ones((20, 2))
    places = np.arange(20, dtype="i4")[:, None]
    rule = rule_kernel_of(OPS["TensorScatterUpdate"], "in place")
    with loops_at_once() as handed:
        assert rule(np, tensor, places, rows) is tensor
        assert tensor[:20].all() and not tensor[20:].any() and handed.names == ["put"]
        places[7] = 50
        with pytest.raises(InvalidArgumentError, match=r"indices\[7\] = \[50\] does not index into shape \[50,2\]"):
            rule(np, tensor, places, rows)


def test_updates_that_share_memory_with_the_target_are_left_to_numpy() -> None:
    memory = np.arange(200.0)
    with loops_at_once() as handed:
        assert not fast_scatter.put(memory[:100], np.arange(99)[:, None] + 1, memory[:99], (100,))
        places = memory.view("i8")[:99, None]
        assert not fast_scatter.put(memory[:100], places, np.zeros(99), (100,))
    assert handed.names == []


def test_arrays_in_the_other_byte_order_are_left_to_numpy() -> None:
    rows, places = np.arange(50.0), np.arange(50)
    other = rows.astype(rows.dtype.newbyteorder())
    turned = places.astype(">i4" if np.little_endian else "<i4")
    with loops_at_once() as handed:
        assert not fast_scatter.put(rows.copy(), places[:, None], other, (50,))
        assert fast_scatter.scatter_nd(np, places[:, None], other, np.array([50])) is None
        assert fast_partition.stitched(np, [places.astype("i4")] * 2, [rows, other]) is None
        assert fast_gather.taken(np, rows, turned[:, None], (50,)) is None
        assert fast_partition.parted(np, rows, turned, 50) is None
    assert handed.names == []
    with loops_at_once():  # bytes are moved as they are
        assert np.array_equal(fast_gather.taken(np, other, places[::-1, None], (50,)), rows[::-1])


# ---- through a session ----------------------------------------------------------------------------


def results(graph_of: Callable[[], Any]) -> list[Any]:
    graph = tf.Graph()
    with graph.as_default():
        fetches = graph_of()
    with tf.Session(graph=graph) as session:
        found = session.run(fetches)
    return [x for part in found for x in (part if isinstance(part, list) else [part])]


def everything() -> list[Any]:
    """One op after the other on what a run computes, 20,000 elements each."""
    count = tf.range(20_000)
    labels = tf.floormod(count * 7919, 5)
    rows = tf.reshape(tf.cast(tf.range(60_000), tf.float32), [20_000, 3])
    places = tf.floormod(count * 31, 20_000)
    parts = tf.dynamic_partition(rows, labels, 5)
    vectors = tf.expand_dims(places, 1)
    many = tf.range(100_000)  # more than `BEYOND_CACHE`
    by_label = tf.dynamic_partition(many, tf.floormod(many * 7919, 100), 100)
    return [
        tf.dynamic_stitch(by_label, [tf.square(part) for part in by_label]),
        parts,
        tf.dynamic_partition(places, tf.floormod(labels, 2), 2),
        tf.dynamic_stitch(tf.dynamic_partition(count, labels, 5), parts),
        tf.gather(rows, places),
        tf.gather_nd(rows, tf.stack([places, tf.floormod(places, 3)], 1)),
        tf.tensor_scatter_nd_update(tf.negative(rows), vectors, rows),
        tf.scatter_nd(vectors, rows, [20_000, 3]),
        tf.boolean_mask(places, tf.greater(labels, 2)),
    ]


def test_a_session_runs_the_loops_and_gives_what_it_gives_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tier, "at_once", lambda: True)
    before = {use[:2]: use.times for use in loop_cache.uses()}
    with_loops = results(everything)
    ran = {use.template for use in loop_cache.uses() if use.times > before.get(use[:2], 0)}
    assert {"count_labels", "part", "part_by_lines", "merge", "mask_bits", "compact", "take", "put", "add"} <= ran
    monkeypatch.setattr(tier, "on", lambda: False)
    without = results(everything)
    assert len(with_loops) == len(without) == 1 + 5 + 2 + 6
    for a, b in zip(with_loops, without, strict=True):
        assert a.dtype == b.dtype and np.array_equal(a, b)
