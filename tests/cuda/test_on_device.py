"""Does every op give on a GPU what NumPy gives? The GPU is played: CUDA sources are built by gcc and run on the CPU."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.backends import find_backend, missing_reason, register_backend, registry

from ..op_samples import USERS_OPS, Call, all_known, calls, run, runnable, shown
from .fake_cupy import FakeGpu


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGpu]:
    """The played GPU, known as "gpu" for one test."""
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    made = FakeGpu()
    register_backend(made)
    yield made


def on_device(call: Call) -> bool:
    arrays = [a for v in call.values for a in (v if isinstance(v, list) else [v]) if isinstance(a, np.ndarray)]
    return runnable(call) and not call.op.host_only and not any(a.dtype == object for a in arrays)


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


EVERY = sorted(t for t, o in USERS_OPS.items() if not o.must_feed and not o.host_only)


@pytest.mark.parametrize("type_", EVERY)
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
