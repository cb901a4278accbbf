"""Every op gives on a GPU what NumPy gives. The GPU is played: gcc builds the CUDA sources, and the CPU runs them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import penstock as tf
import penstock.compat.v1 as v1
from penstock.runtime.backends import find_backend, missing_reason, register_backend

from ..helpers import every_case, own_backends
from ..op_samples import USERS_OPS, Call, all_known, calls, run, runnable, shown
from .fake_cupy import FakeGpu


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGpu]:
    """The played GPU, known as "gpu" for one test."""
    own_backends(monkeypatch)
    made = FakeGpu()
    register_backend(made)
    yield made


def on_device(call: Call) -> bool:
    arrays = [a for v in call.values for a in (v if isinstance(v, list) else [v]) if isinstance(a, np.ndarray)]
    return runnable(call) and not call.op.facts.host_only and not any(a.dtype == object for a in arrays)


def near(got: Any, want: Any) -> bool:
    """Equal but for the last bits of floats, where C's functions and NumPy's differ."""
    got, want = np.asarray(got), np.asarray(want)
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    if got.dtype.kind in "fcV":
        wide = np.complex128 if got.dtype.kind == "c" else np.float64
        digits = {2: 2e-2, 4: 1e-5, 8: 1e-5 if got.dtype.kind == "c" else 1e-12, 16: 1e-12}[got.dtype.itemsize]
        return bool(np.allclose(got.astype(wide), want.astype(wide), rtol=digits, atol=digits, equal_nan=True))
    return bool(np.array_equal(got, want))


EVERY = sorted(t for t, o in USERS_OPS.items() if not o.facts.must_feed and not o.facts.host_only)


@every_case("type_", EVERY, parts=8, by_day=2)
def test_every_op_gives_on_the_played_gpu_what_numpy_gives(gpu: FakeGpu, type_: str) -> None:
    assert_near_there(type_)


@pytest.mark.gpu
@pytest.mark.parametrize("type_", EVERY)
def test_every_op_gives_on_the_gpu_what_numpy_gives(type_: str) -> None:
    if find_backend("gpu") is None:
        pytest.skip(missing_reason("gpu"))
    assert_near_there(type_)


def assert_near_there(type_: str) -> None:
    for call in filter(on_device, calls(USERS_OPS[type_])):
        config = tf.SessionConfig(device="gpu", passes=())
        with tf.Graph().as_default() as g:
            outputs, feeds = call.with_placeholders(all_known(call))
            expected = run(outputs, feeds)
            with tf.Session(graph=g, config=config) as session:
                found = session.run(outputs, feeds)
            with tf.Session(graph=g, config=replace(config, passes=None)) as session:
                for _ in range(4):  # the last ones are replays
                    again = session.run(outputs, feeds)
        for got, want in zip([*found, *again], [*expected, *expected], strict=True):
            assert near(got, want), f"{call}: {shown(got)} there, {shown(want)} with NumPy"


def test_a_run_tells_what_it_launched(gpu: FakeGpu) -> None:
    with tf.Graph().as_default() as g:
        x = tf.placeholder(tf.float32, [6, 4], name="x")
        y = tf.transpose(tf.sqrt(x * x + 1.0) - x, name="turned")
        z = tf.reduce_sum(y * 2.0 + y, 1)
    feed = {x: np.ones((6, 4), "f4")}
    with tf.Session(graph=g, config=tf.SessionConfig(device="gpu")) as session:
        metadata = tf.RunMetadata()
        session.run(z, feed, None, metadata)
        started = [(s.op, s.launches) for s in metadata.steps if s.launches]
        assert started == [("Fused", 1), ("Transpose", 1), ("Fused", 1)]
        assert metadata.record is not None
        assert metadata.launches == metadata.record.launches == 3
        assert "launches" in metadata.record.table()
        for _ in range(3):
            session.run(z, feed)
        session.run(z, feed, tf.RunOptions(trace=False), metadata)
        assert metadata.launches == 1  # a replay
    with tf.Session(graph=g) as session:
        session.run(z, feed, None, metadata)
        assert metadata.launches == 0
        assert metadata.record is not None
        assert "launches" not in metadata.record.table()


def test_parts_of_a_split_are_views_for_groups_and_one_launch_for_who_would_copy_them(gpu: FakeGpu) -> None:
    config = tf.SessionConfig(device="gpu")
    value = np.arange(60, dtype="f4").reshape(5, 12)
    with tf.Graph().as_default() as g:
        x = tf.placeholder(tf.float32, [5, 12], name="x")
        a, b, c = tf.split(1, 3, x * 2.0 + 1.0)
        fused = (a + b) * c
        turned = [tf.transpose(a), tf.concat(0, [b, b])]
        rows = [tf.transpose(r) for r in tf.split(0, 5, x * 2.0 + 1.0)]
    with tf.Session(graph=g, config=config) as session:
        for fetches, launches in ((fused, 0), (turned, 1), ([a, b, c], 1), (turned[0], 0), (rows, 0)):
            metadata = tf.RunMetadata()
            got = session.run(fetches, {x: value}, None, metadata)
            assert [s.launches for s in metadata.steps if s.op == "Split"] == [launches]
            with tf.Session(graph=g) as host:
                want = host.run(fetches, {x: value})
            for p, q in zip(*[v if isinstance(v, list) else [v] for v in (got, want)], strict=True):
                assert np.array_equal(p, q)


def test_rows_and_uneven_parts_of_strided_memory_are_copied_in_one_launch_too(gpu: FakeGpu) -> None:
    value = np.arange(27, dtype="f4").reshape(3, 3, 3)
    with tf.Graph().as_default() as g:
        x = tf.placeholder(tf.float32, [3, 3, 3], name="x")
        rows = tf.unpack(tf.slice(x * 2.0, [0, 0, 1], [3, 3, 2]))  # the slice is not contiguous, nor are its rows
        even = tf.unpack(tf.slice(x * 2.0, [0, 0, 0], [3, 3, 3]))
        uneven = v1.split(x * 2.0, [1, 2], 2)
    with tf.Session(graph=g, config=tf.SessionConfig(device="gpu")) as session, tf.Session(graph=g) as host:
        for fetches, launches in ((rows, 1), (even, 0), (uneven, 1)):
            metadata = tf.RunMetadata()
            got = session.run(fetches, {x: value}, None, metadata)
            assert [s.launches for s in metadata.steps if s.op in ("Unpack", "SplitV")] == [launches]
            assert all(map(np.array_equal, got, host.run(fetches, {x: value})))


def test_a_reduction_takes_what_another_of_its_group_gives(gpu: FakeGpu) -> None:
    value = np.arange(12, dtype="f4").reshape(3, 4)
    with tf.Graph().as_default() as g:
        x = tf.placeholder(tf.float32, [3, 4])
        y = x * 2.0 + 1.0
        most = tf.reduce_max(y, 1, keep_dims=True)
        fetches = [tf.reduce_sum(most, 0), tf.reduce_sum(tf.reduce_max(y, 0)), tf.reduce_sum(tf.reduce_sum(y, 1))]
        with tf.Session(graph=g, config=tf.SessionConfig(device="gpu")) as session, tf.Session(graph=g) as host:
            for wanted in (fetches, [fetches[0], most], fetches[1:2], fetches[2:]):
                assert all(map(np.array_equal, session.run(wanted, {x: value}), host.run(wanted, {x: value})))


# ---- where CuPy's own functions are not NumPy's -------------------------------------------------


@pytest.fixture(params=["played", pytest.param("real", marks=pytest.mark.gpu)])
def there(request: pytest.FixtureRequest) -> Any:
    """The played GPU, and with `-m gpu` the real one; what a graph gives there, op by op."""
    if request.param == "played":
        request.getfixturevalue("gpu")
    elif find_backend("gpu") is None:
        pytest.skip(missing_reason("gpu"))

    def run_there(outputs: Any, feeds: Any) -> Any:
        with tf.Session(graph=outputs[0].graph, config=tf.SessionConfig(device="gpu", passes=())) as session:
            return session.run(outputs, feeds)

    return run_there


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_a_rest_is_exact_for_large_quotients_and_infinite_divisors(there: Any, dtype: str) -> None:
    kind = tf.as_dtype(dtype)
    x = np.array([5, -5, 6e4, -6e4, 0.0, -0.0, 1, np.inf, np.nan, 3, -1.5, 7], kind.np)
    y = np.array([np.inf, np.inf, 0.7, 0.3, 2, 3, 0, 2, 1, np.nan, -np.inf, -2.5], kind.np)
    with tf.Graph().as_default():
        p, q = tf.placeholder(kind, [12]), tf.placeholder(kind, [12])
        [got] = there([tf.mod(p, q)], {p: x, q: y})
    with np.errstate(all="ignore"):
        want = np.remainder(x, y)
    assert got.dtype == want.dtype
    assert np.array_equal(got.astype("f8"), want.astype("f8"), equal_nan=True)
    zero = want == 0
    assert np.array_equal(np.signbit(got[zero]), np.signbit(want[zero]))


def test_a_choice_of_brain_floats_is_one_of_them(there: Any) -> None:
    x = np.arange(6).astype(tf.bfloat16.np)
    with tf.Graph().as_default():
        p = tf.placeholder(tf.bfloat16, [6])
        chosen = tf.where(p > 2, p, -p)
        got, more = there([chosen, chosen + chosen], {p: x})
    assert got.dtype == more.dtype == tf.bfloat16.np
    assert got.astype("f4").tolist() == [0, -1, -2, 3, 4, 5]


SUMMED = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16",
          "float32", "float64", "complex64", "complex128")  # fmt: skip


@pytest.mark.share(3)
@pytest.mark.parametrize("dtype", SUMMED)
@pytest.mark.parametrize("index", ["int32", "int64"])
def test_rows_of_every_dtype_are_summed_by_index(there: Any, dtype: str, index: str) -> None:
    kind = tf.as_dtype(dtype)
    few = np.random.default_rng(1).integers(0, 100, (4, 3))
    cases = [([1, 3, 1, 0], few[:, 0]), ([1, 3, 1, 0], few)]
    if kind.is_integer:  # sums that wrap, also many times
        cases.append(([2] * 601, np.full(601, kind.max)))
    for rows, numbers in cases:
        places, updates = np.array(rows, index)[:, None], numbers.astype(kind.np)
        inner = updates.shape[1:]
        with tf.Graph().as_default():
            fed = tf.placeholder(kind, updates.shape)
            outputs, feeds = [tf.scatter_nd(places, fed, [5, *inner])], {fed: updates}
            [got], [want] = there(outputs, feeds), run(outputs, feeds)
        assert got.dtype == want.dtype
        assert np.array_equal(got, want)
