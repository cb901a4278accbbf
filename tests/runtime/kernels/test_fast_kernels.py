"""Fast kernels give what plain kernels give: on every sample, in every layout, with loops and without."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import InvalidArgumentError
from penstock.graph.declare.op_declaration import OPS, OpDef
from penstock.graph.shapes.dtypes import as_dtype, bfloat16, int32
from penstock.ops.index.gathering import masked
from penstock.ops.random.philox import stream_start
from penstock.runtime.kernels.convolution import fast_convolution
from penstock.runtime.kernels.fast_kernels import IN_PLACE, OF_ONE_TIER, ON_NUMPY, fast_kernel
from penstock.runtime.kernels.kernel_choice import kernel_of
from penstock.runtime.kernels.loops import native_loops

from ...helpers import EVERY, at_most, every_case, some_nightly
from .buffers import same_bits
from .fences import loops_at_once, run

FEW = native_loops.FEWEST
BLOCK = 1 << 15
DTYPES = ["?", bfloat16.np, "f4", "c8", "c16", object]  # of 1, 2, 4, 8 and 16 bytes, and Python objects
LENGTHS = [0, 1, FEW, BLOCK + 3]
Array = np.ndarray[Any, np.dtype[Any]]

every_dtype = pytest.mark.parametrize("dtype", some_nightly(DTYPES, ["?", bfloat16.np, "f4", "c16", object]), ids=str)


@pytest.fixture(params=[True, False], ids=["loops", "no loops"])
def _loops(request: pytest.FixtureRequest) -> Iterator[None]:
    with loops_at_once(request.param):
        yield


@pytest.fixture
def _nothing_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_loops, "FEWEST", 2)
    monkeypatch.setattr(fast_convolution, "FEWEST", 1)


def values(shape: Any, dtype: Any, seed: int = 0) -> Array:
    numbers = np.random.default_rng(seed).integers(0, 200, shape)
    if dtype is object:
        texts = np.empty(shape, object)
        texts[...] = np.array([b"%d" % n for n in range(200)], object)[numbers]
        return texts
    return np.asarray(numbers, dtype)


def few_objects(length: int, dtype: Any) -> int:
    """50 where more than FEW Python objects are asked for: they never take the fast ways, and are slow to compare."""
    return length if dtype is not object or length <= FEW else 50


def layouts(array: Array) -> list[Array]:
    """The same values in other memory: column-major, backwards, with gaps, read-only."""
    turned = (slice(None, None, -1),) * array.ndim
    wide = np.repeat(array, 2, axis=-1)[..., ::2] if array.ndim else array
    locked = array.copy()
    locked.flags.writeable = False
    if not array.ndim:
        return [array] * 5
    return [array, np.asfortranarray(array), array[turned].copy()[turned], wide, locked]


def assert_same(got: Array, want: Array, *inputs: Array) -> None:
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    if want.dtype == object:
        assert got.tolist() == want.tolist()
    else:
        assert same_bits(got, want)
    assert not any(np.shares_memory(got, given) for given in inputs)


def assert_near(got: Array, want: Array, *inputs: Array) -> None:
    """As `assert_same`, but for rounding."""
    eps = 2.0 ** (-10 if want.dtype == np.float16 else -20)
    assert_same(got.astype(np.float64), np.where(np.isclose(got, want, eps, eps), got, want).astype(np.float64))
    assert got.dtype == want.dtype
    assert not any(np.shares_memory(got, given) for given in inputs)


def flat(args: Any) -> list[Array]:
    return [a for arg in args for a in (arg if isinstance(arg, list) else [arg]) if isinstance(a, np.ndarray)]


def in_layouts(args: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """The arguments of a kernel with all arrays in one layout after the other."""
    for i in range(5):
        yield tuple(
            [[layouts(a)[i] for a in arg] if isinstance(arg, list) else
             layouts(arg)[i] if isinstance(arg, np.ndarray) else arg for arg in args]
        )  # fmt: skip


def arguments(op: OpDef[Any, Any]) -> Iterator[tuple[Any, ...]]:
    """What the kernel gets in a run of each sample."""
    assert op.sample_rule is not None
    for each in op.sample_rule(np.random.default_rng(0)):
        with tf.Graph().as_default():
            made = op(*each.args, **each.kwargs)
            node = (made[0] if isinstance(made, (list, tuple)) else made).op
        args = []
        for arg in node.args:
            is_list = isinstance(arg, tuple) and any(isinstance(t, tf.Tensor) for t in arg)
            values = [t.op.args[0] for t in arg] if is_list else arg
            args.append(values.op.args[0] if isinstance(values, tf.Tensor) else values)
        yield tuple(args)


OF_OTHER_FILES = [type_ for type_ in ON_NUMPY if any(word in type_ for word in ("Pool", "Conv", "Random", "Truncated"))]
"""Ops of which each sample has code of its own, and whose loops have tests of their own."""


@pytest.mark.usefixtures("_loops", "_nothing_is_small")
@every_case("type_", ON_NUMPY, parts=2)
def test_a_fast_kernel_gives_on_every_sample_what_the_plain_one_gives(type_: str) -> None:
    check_samples(type_, 1 if type_ in OF_OTHER_FILES else EVERY)


@pytest.mark.nightly
@pytest.mark.usefixtures("_loops", "_nothing_is_small")
@every_case("type_", OF_OTHER_FILES)
def test_fast_kernels_with_tests_of_their_own_give_it_on_the_other_samples_too(type_: str) -> None:
    check_samples(type_, EVERY)


def check_samples(type_: str, most: int) -> None:
    op, fast = OPS[type_], fast_kernel(type_, "numpy")
    assert fast is not None
    for sample in at_most(arguments(op), most):
        for args in in_layouts(sample):
            place = [] if op.draws_rule is None else [stream_start(1, 2)]
            found = fast(np, *place, *args)
            if found is None:
                continue
            want = op.kernels["*"](np, *place, *args)
            several = isinstance(want, (list, tuple))
            check = assert_near if type_ in OF_ONE_TIER else assert_same
            for a, b in zip(found if several else [found], want if several else [want], strict=True):
                check(np.asarray(a), np.asarray(b), *flat(args))


def test_every_name_in_the_tables_is_a_function() -> None:
    for table, name in ((ON_NUMPY, "numpy"), (IN_PLACE, "in place")):
        assert all(callable(fast_kernel(op, name)) and op in OPS for op in table)
    assert fast_kernel("Add", "numpy") is None


def test_a_kernel_that_was_put_in_is_not_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    def mine(xp: Any, *args: Any) -> Any:
        return np.zeros(0)

    monkeypatch.setitem(OPS["Gather"].kernels, "*", mine)
    assert kernel_of(OPS["Gather"], "numpy") is mine
    monkeypatch.setitem(OPS["Tile"].kernels, "numpy", mine)
    assert kernel_of(OPS["Tile"], "numpy") is mine


@pytest.mark.share(10)
@pytest.mark.usefixtures("_loops")
@every_dtype
@pytest.mark.parametrize("length", LENGTHS)
def test_rows_are_taken_chosen_and_parted_as_by_indexing(dtype: Any, length: int) -> None:
    length = few_objects(length, dtype)
    rng = np.random.default_rng(length)
    for width in ((), (3,), (0,)):
        rows = values((length, *width), dtype)
        index = rng.integers(0, max(length, 1), length).astype("i4")
        mask, labels = rng.random(length) < 0.3, rng.integers(0, 20, length).astype("i4")
        for array in layouts(rows) if length <= FEW else [rows]:
            assert_same(run(OPS["Gather"], array, index), rows[index], array)
            assert_same(run(masked, array, mask, None), rows[mask], array)
            assert_same(run(masked, array, mask * np.float32(0.5), None), rows[mask], array)
            for count in (3, 20):
                parts = run(OPS["DynamicPartition"], array, labels % count, count)
                assert len(parts) == count
                for k, part in enumerate(parts):
                    assert_same(part, rows[labels % count == k], array)


@pytest.mark.share(4)
@pytest.mark.usefixtures("_loops")
@pytest.mark.parametrize("count", [255, 256, 257, 300, 65_535, 65_536, 65_537, 70_000])
def test_labels_at_the_ends_of_8_and_16_bits_part_as_well(count: int) -> None:
    labels = np.random.default_rng(count).integers(0, count, 5 * FEW).astype("i4")
    labels[:4] = 0, count - 1, count // 2, count - 2
    parts = run(OPS["DynamicPartition"], np.arange(5 * FEW), labels, count)
    for k in {0, 1, 254, 255, 256, count // 2, count - 2, count - 1} & set(range(count)):
        assert parts[k].tolist() == np.flatnonzero(labels == k).tolist()


@pytest.mark.share(10)
@pytest.mark.usefixtures("_loops")
@every_dtype
@pytest.mark.parametrize("length", LENGTHS)
def test_a_choice_between_two_is_that_of_where(dtype: Any, length: int) -> None:
    length = few_objects(length, dtype)
    t, e = values(length, dtype), values(length, dtype, seed=1)
    rng = np.random.default_rng(0)
    random = rng.random(length) < 0.5
    for mask in (random, np.sort(random), random | True, random & False):
        want = np.where(mask, t, e)
        for one, other in product(layouts(t), layouts(e)[:2]):
            assert_same(run(OPS["Select"], mask, one, other), want, one, other)
        rows, others = np.repeat(t[:, None], 2, 1), np.repeat(e[:, None], 2, 1)
        for one in layouts(rows):
            assert_same(run(OPS["Select"], mask, one, others), np.repeat(want[:, None], 2, 1), one, others)


@pytest.mark.usefixtures("_loops")
def test_a_choice_keeps_the_bits_of_nan_and_of_negative_zero() -> None:
    t = np.resize(np.array([0x7FC00001, 0x80000000, 0xFF800001, 1], "u4"), BLOCK).view("f4")
    mask = np.random.default_rng(0).random(BLOCK) < 0.5
    got = run(OPS["Select"], mask, t, -t)
    assert got.view("u4").tolist() == np.where(mask, t.view("u4"), (-t).view("u4")).tolist()


SHAPES = [(0, 3), (7,), (FEW,), (200, 100), (FEW, 1), (FEW // 4, 2, 3), (FEW, 0), (1, FEW)]


@pytest.mark.share(10)
@pytest.mark.usefixtures("_loops")
@every_dtype
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_joining_repeating_and_padding_give_what_numpy_gives(dtype: Any, shape: tuple[int, ...]) -> None:
    if dtype is object:
        shape = tuple([min(d, 50) for d in shape])  # Python objects never take the fast ways, however many they are
    a, b = values(shape, dtype), values(shape, dtype, seed=1)
    for one in layouts(a):
        for axis in range(a.ndim):
            got = run(OPS["Concat"], np.array(axis), [one, b, one])
            assert_same(got, np.concatenate([a, b, a], axis), one, b)
        for axis in range(-a.ndim - 1, a.ndim + 1):
            assert_same(run(OPS["Stack"], [one, b], axis), np.stack([a, b], axis), one, b)
        assert_same(run(OPS["Pack"], [one, b]), np.stack([a, b]), one, b)
        for factors in product((0, 1, 2), repeat=a.ndim):
            assert_same(run(OPS["Tile"], one, np.array(factors)), np.tile(a, factors), one)
        if dtype is not object:
            for frame in product(((0, 0), (2, 1)), repeat=a.ndim):
                assert_same(run(OPS["Pad"], one, np.array(frame)), np.pad(a, frame), one)


@pytest.mark.share(10)
@pytest.mark.usefixtures("_loops")
@every_dtype
@pytest.mark.parametrize("shape", [(10_000, 5), (10_000, 5, 3), (60, 300), (5, 4000, 2)], ids=str)
def test_starts_are_reversed_row_by_row(dtype: Any, shape: tuple[int, ...]) -> None:
    shape = (few_objects(shape[0] * shape[1], dtype) // shape[1], *shape[1:])
    lengths = np.random.default_rng(0).integers(0, shape[1] + 1, shape[0])
    rows = values(shape, dtype)
    want = rows.copy()
    for row, length in zip(want, lengths, strict=True):
        row[:length] = row[:length][::-1].copy()
    for given in layouts(rows):
        assert_same(run(OPS["ReverseSequence"], given, lengths, 1), want, given)
    last = np.moveaxis(rows, 1, -1)
    assert_same(run(OPS["ReverseSequence"], last, lengths, rows.ndim - 1), np.moveaxis(want, 1, -1), rows)


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "i8", "u8"])
def test_ints_close_together_have_the_same_unique_values_as_by_sorting(dtype: str) -> None:
    unique = OPS["Unique"]
    near = np.random.default_rng(0).integers(0, 100, 5000).astype(dtype)
    ends = np.iinfo(dtype)
    for low in (0, ends.min, ends.max - 100):
        x = near + np.array(low, dtype)
        for got, want in zip(run(unique, x, int32), unique.kernels["*"](np, x, int32), strict=True):
            assert_same(got, want, x)


@pytest.mark.share(6)
@pytest.mark.parametrize("shape", [(3 * BLOCK + 1,), (300, 400), (0, 5), (20, 30, 40)], ids=str)
@pytest.mark.parametrize("dtype", ["?", "i4", "f4", "c8"])
def test_the_places_of_what_is_true_are_those_of_argwhere(shape: tuple[int, ...], dtype: str) -> None:
    condition = np.asarray(values(shape, "i4") % 3, dtype)
    for array in layouts(condition):
        assert_same(run(OPS["Where"], array), np.argwhere(condition), array)


KINDS: list[Any] = ["?", "i1", "u2", "i4", "i8", "u8", "f2", bfloat16.np, "f4", "f8", "c8", "c16"]


@pytest.mark.share(3)
@pytest.mark.usefixtures("_loops")
@pytest.mark.parametrize("source", KINDS, ids=str)
def test_many_numbers_are_cast_as_few_are(source: Any) -> None:
    kind = np.dtype(source)
    given = np.resize([0, 1, 2.5, 100, 3, 7], FEW + 5).astype(source)
    cases = [given]
    if kind.kind in "fcV":
        wild = given.copy()
        wild[3:9] = [np.nan, np.inf, -np.inf, -0.0, 3e4, -3e4]
        if kind.itemsize > 2:
            wild[-3:] = [3e9, -3e9, 1e20]
        cases.append(wild)
    for array in cases:
        for target in KINDS:
            dtype = as_dtype(np.dtype(target))
            if dtype.np == kind:
                continue
            cast = OPS["Cast"]
            with np.errstate(all="ignore"):
                few = [run(cast, array[i : i + 100], dtype) for i in range(0, len(array), 100)]
                for layout in layouts(array):
                    assert_same(run(cast, layout, dtype), np.concatenate(few), layout)


@pytest.mark.share(10)
@pytest.mark.usefixtures("_loops")
@every_dtype
@pytest.mark.parametrize(("width", "times"), [(1, 9), (8, 2), (9, 3), (33, 17)])
def test_columns_are_repeated_whatever_their_width(dtype: Any, width: int, times: int) -> None:
    rows = values((FEW // width + 3, width), dtype)
    for given in layouts(rows):
        assert_same(run(OPS["Tile"], given, np.array([1, times])), np.tile(given, (1, times)), given)


@pytest.mark.share(6)
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64", "bfloat16"])
@pytest.mark.parametrize(("start", "count", "delta"), [(0, FEW, 1), (-7, 2 * BLOCK + 3, 3), (5, BLOCK, -2)])
def test_many_numbers_are_counted_as_few_are(dtype: str, start: int, count: int, delta: int) -> None:
    made = as_dtype(dtype)
    bounds = [np.array(n, made.np) for n in (start, start + count * delta, delta)]
    try:
        assert_same(run(OPS["Range"], *bounds, made), OPS["Range"].kernels["*"](np, *bounds, made))
    except InvalidArgumentError:  # so many numbers are not to be told apart in 16 bits
        assert made is bfloat16
