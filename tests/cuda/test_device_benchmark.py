"""The GPU benchmark measures what it says: its cases run on the played GPU, with a clock of the host."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
import pytest

from benchmarks import device
from benchmarks.engines.cupy_engine import CuPy
from penstock.runtime.backends import register_backend, registry

from ..helpers import own_backends
from .fake_cupy import FakeCupy, FakeGpu


def test_every_case_runs_on_the_played_gpu_and_is_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    own_backends(monkeypatch)
    monkeypatch.setattr(device, "PEERS", ())
    monkeypatch.setattr(device, "host", lambda result, cupy: [
        cupy.asnumpy(p) for p in (result if isinstance(result, (list, tuple)) else [result])
    ])  # fmt: skip
    register_backend(FakeGpu())

    def timer(call: Any) -> float:
        begin = perf_counter()
        call()
        return perf_counter() - begin

    words = ["pad", "partition into 2", "scatter rows", "stitch rows", "sum of rows", "the page's pipeline", "split"]
    for word in words:
        lines = device.measure(FakeCupy(), timer, 2000, 1, [word])
        row = lines[-1].split("|")
        assert row[1].strip() == word
        assert float(row[2]) > 0, lines
        assert row[3].strip().endswith("%")


def test_without_a_gpu_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    own_backends(monkeypatch, registry.HOST)
    monkeypatch.setattr(registry, "cupy_or_reason", lambda: (None, "CuPy is not installed"))
    assert device.main(1, []) == ["No GPU: CuPy is not installed"]


def test_it_ends_in_time_and_says_what_it_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "PEERS", ())
    lines = device.measure(FakeCupy(), lambda call: 1.0, 100, 1, ["sum"], seconds=-1)
    assert lines[-1] == "Not measured for want of time: sum of rows, sum of all."


def test_the_cupy_programs_give_what_numpys_give() -> None:
    """NumPy plays CuPy: what both offer has the same names."""
    made = object.__new__(CuPy)
    made.xp = np
    for case in device.CASES:
        inputs = case.inputs(np.random.default_rng(0), 500)
        want = device.with_numpy(case, inputs)
        got = case.program(made, *inputs)
        assert device.do_agree(got if isinstance(got, list) else [got], want), case.name
