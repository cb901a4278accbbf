"""Fixtures of the CUDA tests: the array module (played, or CuPy), and the sources that a test compiles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from penstock.runtime.backends import find_backend, missing_reason
from penstock.runtime.cuda import cuda_source

from . import shim
from .fake_cupy import FakeCupy


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without a C compiler nothing plays the GPU."""
    if shim.GCC is None:
        for item in items:
            if "/cuda/" in item.nodeid and item.get_closest_marker("gpu") is None:
                item.add_marker(pytest.mark.skip(reason="no C compiler (gcc or cc) to play the GPU with"))


@pytest.fixture(params=["played", pytest.param("real", marks=pytest.mark.gpu)])
def xp(request: pytest.FixtureRequest) -> Any:
    """The array module: one that plays CuPy, and with `-m gpu` CuPy."""
    if request.param == "played":
        return FakeCupy()
    found = find_backend("gpu")
    if found is None:
        pytest.skip(missing_reason("gpu"))
    return found.xp


@pytest.fixture
def sources(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """The sources that are compiled during the test."""
    seen: set[str] = set()
    plain = FakeCupy.RawModule

    def recording(self: FakeCupy, code: str, options: tuple[str, ...] = (), **more: Any) -> Any:
        seen.add(code)
        return plain(self, code, options, **more)

    monkeypatch.setattr(FakeCupy, "RawModule", recording)
    cuda_source.compiled_functions.cache_clear()
    yield seen
    cuda_source.compiled_functions.cache_clear()
