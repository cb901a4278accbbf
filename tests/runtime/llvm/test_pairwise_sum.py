"""Sums inside generated code are added in NumPy's order."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from penstock.runtime.llvm import pairwise_sum, tier


def test_the_order_is_numpys() -> None:
    assert pairwise_sum.is_known()


@pytest.mark.parametrize("count", [1, 7, 8, 9, 127, 128, 129, 300, 2047, 5001])
def test_the_reference_adds_as_numpy_does(count: int) -> None:
    rng = np.random.default_rng(count)
    for dtype in (np.float32, np.float64):
        numbers = rng.standard_normal(count).astype(dtype)
        assert pairwise_sum._sum(numbers) == np.add.reduce(numbers)


def test_another_order_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairwise_sum, "LEAF", 64)
    assert not pairwise_sum.is_known.__wrapped__()


@pytest.mark.skipif(not tier.on(), reason="nothing is compiled here")
@pytest.mark.parametrize("kind", ["float", "double"])
def test_the_code_adds_as_numpy_does_whatever_the_length(kind: str) -> None:
    text = f"""{pairwise_sum.rule(kind)}
define void @sums(ptr %a, i64 %n, ptr %out) #0 {{
  %x = call {kind} @sum_{kind}(ptr %a, i64 %n)
  store {kind} %x, ptr %out
  ret void
}}
attributes #0 = {{ nounwind }}
attributes #1 = {{ nounwind noinline }}
{pairwise_sum.METADATA}"""
    library = tier.build_now(tier.ModuleSource(text, ("sums",), {}))
    code = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)(library["sums"])
    numbers = np.random.default_rng(0).standard_normal(70_000).astype({"float": "f4", "double": "f8"}[kind])
    total = np.zeros(1, numbers.dtype)
    for count in [*range(1, 1200), 2047, 2048, 2049, 4099, 32767, 32768, 70_000]:
        code(numbers.ctypes.data, count, total.ctypes.data)
        assert total[0] == np.add.reduce(numbers[:count]), count
