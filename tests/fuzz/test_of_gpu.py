"""Programs on both devices give what the CPU gives; a planted fault is found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from penstock.runtime.cuda import graph_capture

from ..cuda import shim
from .extension import extension_ops
from .gpu_programs import complaint
from .seeds import in_three_shares

pytestmark = [
    pytest.mark.skipif(shim.GCC is None, reason="no C compiler (gcc or cc) to play the GPU with"),
    pytest.mark.filterwarnings("ignore"),
]
DREW_TWICE = (202, 214)
"""Seeds whose programs drew random numbers twice in the run that captured."""


@in_three_shares(1, 60, 2000, DREW_TWICE[:1])
def test_programs_give_on_both_devices_what_the_cpu_gives(seeds: Sequence[int]) -> None:
    with extension_ops() as extension:
        found = [(seed, what) for seed in seeds if (what := complaint(seed, extension))]
    assert found == []


@pytest.mark.nightly
def test_a_planted_fault_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = graph_capture.Captured.replay

    def late(self: graph_capture.Captured, xp: Any, slots: list[Any]) -> None:
        kept = [place.copy() for place in self.inputs]
        plain(self, xp, slots)
        for place, was in zip(self.inputs, kept, strict=True):  # the values of the run before
            place[...] = was
        self.graph.launch(xp.cuda.get_current_stream())

    monkeypatch.setattr(graph_capture.Captured, "replay", late)
    with extension_ops() as extension:
        assert any(complaint(seed, extension) for seed in range(60))
