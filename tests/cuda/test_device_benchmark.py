"""Does the GPU benchmark measure what it says? Its cases run on the played GPU, with a clock of the host."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import pytest

from benchmarks import device
from penstock.runtime.backends import register_backend, registry

from .fake_cupy import FakeCupy, FakeGpu


def test_every_case_runs_on_the_played_gpu_and_is_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    monkeypatch.setattr(device, "PEERS", ())
    monkeypatch.setattr(device, "host", lambda result, cupy: [
        cupy.asnumpy(p) for p in (result if isinstance(result, (list, tuple)) else [result])
    ])  # fmt: skip
    register_backend(FakeGpu())

    def timer(call: Any) -> float:
        begin = perf_counter()
        call()
        return perf_counter() - begin

    words = ["pad", "partition into 2", "scatter rows", "stitch rows", "sum of rows", "the page's pipeline"]
    for word in words:
        lines = device.measure(FakeCupy(), timer, 2000, 1, [word])
        row = lines[-1].split("|")
        assert row[1].strip() == word
        assert float(row[2]) > 0, lines
        assert row[3].strip().endswith("%")


def test_without_a_gpu_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", {"cpu": registry.HOST})
    monkeypatch.setattr(registry, "cupy_or_reason", lambda: (None, "CuPy is not installed"))
    assert device.main(1, []) == ["No GPU: CuPy is not installed"]
