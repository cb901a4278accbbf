"""Groups of rows as kernels: in parts, compiled, on threads, in given memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.runtime.base import thread_pool
from penstock.runtime.llvm import tier
from penstock.runtime.nest.row_group import RowGroup
from penstock.runtime.nest.row_launch import RowLaunch

from ...fuzz.of_groups import same_bits
from ...fuzz.of_nests import fill_free_memory
from ...helpers import nightly
from .nests import bodies_of, body_of, normalised, softmax

compiled = pytest.mark.skipif(not tier.on(), reason="nothing is compiled here")


@pytest.fixture(autouse=True)
def _mode() -> Any:
    before = jit.mode
    jit.mode = "now"
    yield
    jit.mode = before


def rows(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype("f4")


def by_hand(x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@pytest.mark.share(2)
@compiled
@pytest.mark.parametrize("shape", [(1, 2), (5, 7), (16, 16), (33, 10), (100, 64), (3, 65), (7, 1000), (2, 32768)])
def test_a_softmax_by_hand_has_the_bits_of_numpy(shape: tuple[int, int]) -> None:
    x = rows(*shape)
    group = RowGroup(body_of(softmax, [None, None]))  # with known shapes, groups of few elements are made otherwise
    (found,) = group(x)
    assert (group.tier, group.promotion) == ("compiled", "compiled")
    jit.mode = "off"
    (want,) = RowGroup(group.body)(x)
    assert same_bits(found, want)
    assert np.allclose(found, by_hand(x), rtol=1e-5)


@compiled
def test_rows_are_divided_among_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread_pool, "WORTH", 1e-9)
    for shape in [(101, 200), (1000, 10), (3, 2000)]:
        x = rows(*shape)
        group = RowGroup(body_of(softmax, shape))
        with thread_pool.thread_limit(1):
            want = group(x)[0]
        with thread_pool.thread_limit(4):
            assert same_bits(group(x)[0], want)


@compiled
def test_the_result_goes_where_the_caller_says() -> None:
    x = rows(9, 70)
    group = RowGroup(body_of(softmax, x.shape))
    place = np.zeros(x.size, "f4")
    result = group.into(place, x)
    assert np.shares_memory(result, place)
    assert same_bits(result, group.only(x))


@compiled
def test_operands_in_any_layout_are_copied_only_where_they_must_be(monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[Any] = []
    copy = RowLaunch._copied

    def noted(self: Any, load: Any, x: Any) -> Any:
        copied.append(x.strides)
        return copy(self, load, x)

    monkeypatch.setattr(RowLaunch, "_copied", noted)
    whole = rows(40, 300)
    gain, bias = rows(300, seed=1), rows(300, seed=2)
    group = RowGroup(body_of(normalised, whole.shape, gain.shape, bias.shape))
    eps = np.array(1e-5, "f4")
    want = group(whole, eps, gain, bias)[0]
    wide = np.zeros((40, 512), "f4")
    wide[:, 7:307] = whole
    turned = np.asfortranarray(whole)
    back = np.ascontiguousarray(whole[::-1])[::-1]
    assert same_bits(group(wide[:, 7:307], eps, gain, bias)[0], want)
    assert same_bits(group(back, eps, gain, bias)[0], want)
    assert copied == []
    assert same_bits(group(turned, eps, gain, bias)[0], want)
    assert same_bits(group(whole.astype(">f4"), eps, gain, bias)[0], want)
    assert len(copied) == 2


def test_shapes_that_are_not_rows_run_in_parts() -> None:
    (body,) = bodies_of(softmax, [[None, None]])
    group = RowGroup(body)
    assert group(rows(1, 1))[0].tolist() == [[1.0]]
    assert group(np.zeros((0, 5), "f4"))[0].shape == (0, 5)
    x = rows(2, 40000)
    (found,) = group(x)
    assert "40000 elements, more than 32768" in group.promotion or not tier.on()
    assert np.allclose(found, by_hand(x), rtol=1e-4)


@compiled
def test_a_batch_of_another_size_runs_by_the_same_code() -> None:
    (body,) = bodies_of(softmax, [[None, None]])
    group = RowGroup(body)
    group(rows(9, 300))
    before = tier.stats().compiled
    for shape in [(4, 300), (100, 300), (9, 77), (1, 32768)]:
        x = rows(*shape)
        assert np.allclose(group(x)[0], by_hand(x), rtol=1e-5)
    assert tier.stats().compiled == before
    group(rows(9, 59))  # the width of short rows is a part of the code
    assert tier.stats().compiled == before + 1


@pytest.mark.share(3)
@compiled
@pytest.mark.parametrize("times", [2, *nightly([5])])
@pytest.mark.parametrize("width", [1, 2, 7, 16, 8, 15, 17, 33, 64, 65, 300])
def test_zeros_and_nans_have_the_signs_that_numpy_gives_them(width: int, times: int) -> None:
    rng = np.random.default_rng(width)
    numbers = np.array([0.0, -0.0, np.nan, -1.0, 1.0, np.inf], "f4")
    arrays = [rng.choice(numbers[: 6 - fewer], (37, width)) for fewer in (0, 1, 2, 3) * times]
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [37, width])
        most, least = tf.reduce_max(x, 1, keepdims=True), tf.reduce_min(x, 1, keepdims=True)
        y = [most, least, x * most + least]
    found = []
    for passes in (("fuse",), ()):
        jit.mode = "now" if passes else "off"
        with np.errstate(all="ignore"), tf.Session(graph=graph, config=tf.SessionConfig(passes=passes)) as session:
            found.append([result for array in arrays for result in session.run(y, {x: array})])
    assert all(same_bits(a, b) for a, b in zip(*found, strict=True))


def test_an_error_names_the_node_and_leaves_the_session_usable() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, None], name="x")
        w = tf.placeholder(tf.float32, None, name="w")
        y = tf.multiply(softmax(x), w, name="scaled")
    with tf.Session(graph=graph) as session:
        with pytest.raises(tf.errors.OpError, match="scaled"):
            session.run(y, {x: rows(4, 5), w: rows(3, 3)})
        assert session.run(y, {x: rows(4, 5), w: np.float32(2)}).shape == (4, 5)


@pytest.mark.share(6)
@compiled
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u1", "c8"])
@pytest.mark.parametrize("reduce", [tf.reduce_sum, tf.reduce_prod, tf.reduce_max, tf.reduce_min, tf.reduce_mean])
def test_columns_are_reduced_row_by_row_whatever_the_number_of_threads(
    monkeypatch: pytest.MonkeyPatch, reduce: Any, dtype: str
) -> None:
    if dtype == "c8" and reduce in (tf.reduce_max, tf.reduce_min):
        return  # complex numbers have no order
    monkeypatch.setattr(thread_pool, "WORTH", 1e-9)
    rng = np.random.default_rng(0)
    for shape in [(1, 65), (2, 100), (4, 130), (9, 1000), (34, 257), (5, 2, 70), (40, 3)]:
        x, weight = (rng.integers(1, 4, size).astype(dtype) for size in (shape, (*shape[:-1], 1)))
        scale = rng.integers(1, 4, shape[-1:]).astype(dtype)
        if dtype.startswith("f"):
            x.reshape(-1)[::7] = rng.choice([np.nan, -0.0, np.inf, 0.0], len(x.reshape(-1)[::7]))

        def build(x: Any, weight: Any, scale: Any) -> Any:
            return reduce(x * weight + scale, list(range(x.shape.ndims - 1)))

        body = body_of(build, x.shape, weight.shape, scale.shape, dtype=tf.as_dtype(x.dtype).name)
        jit.mode = "off"
        want = RowGroup(body)(x, weight, scale)[0]
        jit.mode = "now"
        for threads in (1, 3):
            group = RowGroup(body)
            with thread_pool.thread_limit(threads):
                assert same_bits(group(x[::-1][::-1], weight, scale)[0], want)
            assert shape[0] == 1 or group.tier == "compiled", (shape, group.promotion)


# ---- rows and columns in one group ----------------------------------------------------------------


def with_columns(x: Any, y: Any) -> Any:
    h = x - tf.reduce_mean(x, 1, keepdims=True)
    scaled = h / tf.reduce_sum(tf.square(h), 1, keepdims=True)
    return scaled, tf.reduce_sum(h * y, 0), tf.reduce_sum(y * scaled, [0], keepdims=True), tf.reduce_max(y, 0)


def test_what_a_group_of_rows_computes_or_reads_is_reduced_over_the_rows_in_it() -> None:
    body = body_of(with_columns, [None, 100], [None, 100])
    assert sorted([each.op for each in body.instructions if each.op in ("Sum", "Max", "Mean")]) == [
        "Max", "Mean", "Sum", "Sum", "Sum",
    ]  # fmt: skip


def test_a_sum_that_the_group_needs_is_not_in_it() -> None:
    def build(x: Any, y: Any) -> Any:
        h = x - tf.reduce_mean(x, 1, keepdims=True)
        return h * y + tf.cumsum(tf.reduce_sum(y, 0))

    (body,) = bodies_of(build, [(40, 100), (40, 100)])
    assert "Sum" not in [each.op for each in body.instructions]


@pytest.mark.share(6)
@compiled
@pytest.mark.parametrize("threads", [1, 2, 3, 5])
@pytest.mark.parametrize("shape", [(7, 3), (40, 64), (4000, 130), (1, 70)])
def test_columns_of_rows_have_the_same_bits_for_all_threads(
    threads: int, shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thread_pool, "WORTH", 1e-9)
    x, y = rows(*shape), rows(*shape, seed=1)
    group = RowGroup(body_of(with_columns, [None, shape[1]], [None, shape[1]]))
    with thread_pool.thread_limit(threads):
        found = group(x, y)
        apart = f"refused: {threads} threads share its rows, and its columns are added by themselves"
        if shape[0] > 1:  # a single row is reduced over no rows: it runs in parts
            assert group.promotion == ("compiled" if threads <= 2 else apart)
    jit.mode = "off"
    with thread_pool.thread_limit(1):
        want = RowGroup(group.body)(x, y)
    for one, other in zip(found, want, strict=True):
        assert same_bits(one, other)


REDUCED = {
    "sums": lambda x: [tf.reduce_sum(x, 0), tf.reduce_mean(x, 0)],
    "axes": lambda x: [tf.reduce_max(x, 0), tf.reduce_max(x, 0, keepdims=True)],
    "three": lambda x: [
        tf.reduce_mean(x, 0, keepdims=True),
        tf.reduce_sum(x, 1),
        tf.reduce_sum(x, 0),
        tf.reduce_mean(x, 0),
    ],
}


@pytest.mark.share(4)
@compiled
@pytest.mark.parametrize("name", REDUCED)
@pytest.mark.parametrize("shape", [(3, 31), (300, 40)])
def test_columns_that_are_reduced_in_two_ways_are_both_written(name: str, shape: tuple[int, int]) -> None:
    found = []
    for jit.mode in ("off", "now"):
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.placeholder(tf.float32, [None, None])
            results = REDUCED[name](x - tf.reduce_max(x, 1, keepdims=True))
            fill_free_memory()
            found.append(session.run(results, {x: rows(*shape)}))
    assert all(map(same_bits, *found))


@pytest.mark.share(2)
@pytest.mark.parametrize("width", [1, 2, 16, 200])
def test_a_sum_of_negative_zeros_is_zero_in_a_group_too(width: int) -> None:
    jit.mode = "now"
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, width])
        y = x - tf.reduce_sum(x, 1, keepdims=True)
        assert np.signbit(session.run(y, {x: np.full((5, width), -0.0)})).all()  # -0.0 - 0.0, where -0.0 - -0.0 is 0.0


@compiled
def test_operands_that_are_copied_for_the_code_are_those_of_each_run(monkeypatch: pytest.MonkeyPatch) -> None:
    copies: list[int] = []
    copied = RowLaunch._copied

    def noted(*args: Any) -> Any:
        copies.append(1)
        return copied(*args)

    monkeypatch.setattr(RowLaunch, "_copied", noted)
    found: dict[str, list[bytes]] = {}
    for mode in ("now", "off"):
        jit.mode = mode
        with tf.Graph().as_default(), tf.Session() as session:
            x, centres = tf.placeholder(tf.float32, [1000, 2]), tf.placeholder(tf.float32, [5, 2])
            away = tf.reduce_sum(tf.square(tf.expand_dims(x, 0) - tf.expand_dims(centres, 1)), 2)
            runs = [rows(1005, 2, seed=seed) for seed in range(5)]
            found[mode] = [session.run(away, {x: run[:1000], centres: run[1000:]}).tobytes() for run in runs]
    assert found["now"] == found["off"] and len(set(found["now"])) == 5
    assert len(copies) >= 10
