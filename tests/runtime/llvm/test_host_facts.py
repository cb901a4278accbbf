"""What LLVM says of the processor is noted for processes that have not loaded it, and a wrong note harms nobody."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from penstock.runtime.llvm import host_facts
from penstock.runtime.llvm.host_facts import HostFacts, note_facts, noted_facts
from penstock.runtime.llvm.object_cache import ObjectCache

from ...warm_python import run_warm
from ..kernels.fences import needs_the_tier

FACTS = HostFacts(frozenset({"avx2", "f16c"}), "llvmlite 1\nx86-64")


@pytest.fixture
def cache(tmp_path: Path) -> ObjectCache:
    return ObjectCache(tmp_path / "objects", 1 << 20)


def test_a_note_is_read_back(cache: ObjectCache) -> None:
    if host_facts.processor_key() is None:
        return  # this system does not tell of its processor: nothing is noted
    assert noted_facts(cache) is None
    note_facts(cache, FACTS)
    note_facts(cache, FACTS)
    assert noted_facts(cache) == FACTS
    assert len(cache.entries()) == 1


@pytest.mark.parametrize("text", ["", "no json", "[]", '{"features": 3}', '{"features": ["avx2"]}'])
def test_a_note_that_says_nothing_is_none(cache: ObjectCache, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(host_facts, "processor_key", lambda: "a processor")
    cache.note("a processor", text)
    assert noted_facts(cache) is None


def test_another_processor_or_llvmlite_has_a_note_of_its_own(
    cache: ObjectCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_facts, "processor_key", lambda: "a processor")
    note_facts(cache, FACTS)
    monkeypatch.setattr(host_facts, "processor_key", lambda: "another")
    assert noted_facts(cache) is None
    monkeypatch.setattr(host_facts, "processor_key", lambda: None)
    assert noted_facts(cache) is None


PROGRAM = """
import json, sys
import numpy as np
import penstock as tf
from penstock.config import jit
from penstock.runtime.llvm import host_facts, tier
from penstock.runtime.llvm.promotion import Promotion
jit.mode = "on"
assert "llvmlite.binding" not in sys.modules
x = tf.placeholder(tf.float32, [300_000])
y = tf.exp(x) * tf.tanh(x) + 1.0
looked = []
is_cached = tier.is_cached
def noted(source):
    looked.append((is_cached(source), "llvmlite.binding" in sys.modules))
    return looked[-1][0]
tier.is_cached = noted
with tf.Session() as session:
    value = np.linspace(-1, 1, 300_000, dtype="f4")
    for _ in range(400):
        total = float(session.run(y, {x: value}).sum())
        if jit.stats().compiled > 1 or jit.stats().why_off:
            break
    tier.wait(60)
    total = float(session.run(y, {x: value}).sum())
stats = jit.stats()
print(json.dumps([total, looked[:1], stats.misses, stats.hits, stats.why_off]))
"""


def in_a_process(folder: Path, first: str = "") -> Any:
    """What the program tells of a process that has the package, and has neither loaded LLVM nor looked for it."""
    done = run_warm(["-c", first + PROGRAM], env=os.environ | {"PENSTOCK_CACHE_DIR": str(folder)}, timeout=240)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def first_process(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float, int]:
    """A cache that one process has filled, what it computed, and how much it had to compile."""
    if host_facts.processor_key() is None:
        pytest.skip("this processor is not noted")
    folder = tmp_path_factory.mktemp("filled")
    total, _, misses, _, _ = in_a_process(folder)
    return folder, total, misses


@needs_the_tier
def test_a_later_process_finds_its_code_before_it_loads_llvm(first_process: tuple[Path, float, int]) -> None:
    folder, total, misses = first_process
    assert misses > 0
    later, looked, misses, hits, why_off = in_a_process(folder)
    assert (later, looked, misses, why_off) == (total, [[True, False]], 0, "")
    assert hits > 1


@needs_the_tier
def test_after_a_wrong_note_nothing_is_compiled_until_the_next_process(
    tmp_path: Path, first_process: tuple[Path, float, int]
) -> None:
    filled, total, _ = first_process
    folder = shutil.copytree(filled, tmp_path / "cache")
    wrong = """
from penstock.runtime.llvm import tier
from penstock.runtime.llvm.host_facts import HostFacts, note_facts
note_facts(tier.cache(), HostFacts(frozenset({"avx99"}), "another"))
"""
    found, _, _, _, why_off = in_a_process(folder, wrong)
    assert abs(found - total) < abs(total) * 1e-4 and "wrong note of this processor" in why_off
    assert in_a_process(folder)[4] == ""
