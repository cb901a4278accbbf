"""`penstock.config` changes the settings, and refuses what is not a setting."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penstock import config
from penstock.runtime.memory.buffer_pool import POOL, MemoryStats

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(autouse=True)
def _same_cap_afterwards() -> Iterator[None]:
    before = config.memory.cap
    yield
    config.memory.cap = before


def in_a_process(program: str, cap: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PENSTOCK_MEMORY_CAP": cap}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)


def test_the_cap_is_the_pools_and_takes_numbers_and_text() -> None:
    config.memory.cap = "3MiB"
    assert config.memory.cap == POOL.cap == 3 << 20
    config.memory.cap = 0
    POOL.empty((1 << 20,), np.uint8)
    assert config.memory.stats().idle == 0


@pytest.mark.parametrize(
    ("value", "error"), [("many", ValueError), (-1, ValueError), (1.5, TypeError), (None, TypeError)]
)
def test_a_bad_cap_is_refused_and_changes_nothing(value: Any, error: type[Exception]) -> None:
    before = config.memory.cap
    with pytest.raises(error, match=r"^config\.memory\.cap is .*; a size is .*; units are"):
        config.memory.cap = value
    assert config.memory.cap == before


def test_trim_gives_memory_back_and_says_how_much() -> None:
    config.memory.cap = "64MiB"
    config.memory.trim()
    POOL.empty((1 << 20,), np.uint8)
    POOL.empty((2 << 20,), np.uint8)
    assert config.memory.trim("2MiB") == 1 << 20
    assert config.memory.trim() == 2 << 20
    with pytest.raises(ValueError, match=r"^config\.memory\.trim\(to\) is 'all'"):
        config.memory.trim("all")


def test_stats_are_the_pools() -> None:
    before = config.memory.stats()
    array = POOL.empty((1 << 20,), np.uint8)
    after = config.memory.stats()
    assert isinstance(after, MemoryStats)
    assert after.in_use - before.in_use == array.nbytes
    assert after.hits + after.misses - before.hits - before.misses == 1
    assert "in_use=" in repr(config.memory)


def test_a_misspelt_setting_is_an_error() -> None:
    with pytest.raises(AttributeError):
        config.memory.cpa = 1  # type: ignore[attr-defined]  # the point of the test


def test_what_holds_settings_is_no_setting() -> None:
    with pytest.raises(AttributeError, match=r"config\.jit is no setting itself.*write config\.jit\.enabled = False"):
        config.jit = False  # type: ignore[misc, assignment]  # the point of the test
    with pytest.raises(AttributeError, match=r"write config\.memory\.cap = '512MiB'"):
        config.memory = "1 GiB"  # type: ignore[misc, assignment]  # the point of the test
    assert config.jit.mode


def test_switching_the_compiled_tier_off_changes_the_mode() -> None:
    before = config.jit.mode
    try:
        config.jit.enabled = False
        assert (config.jit.mode, config.jit.enabled) == ("off", False)
    finally:
        config.jit.mode = before


def test_the_environment_sets_the_cap_until_the_program_does() -> None:
    program = "from penstock.config import memory; print(memory.cap); memory.cap = 5; print(memory.cap)"
    assert in_a_process(program, "2 MiB").stdout.split() == ["2097152", "5"]


def test_a_bad_environment_is_an_error_at_first_use_and_not_at_import() -> None:
    program = "from penstock.config import memory; print('imported'); memory.cap"
    result = in_a_process(program, "plenty")
    assert result.stdout == "imported\n"
    assert "ValueError: PENSTOCK_MEMORY_CAP is 'plenty'; a size is" in result.stderr


def test_what_holds_settings_may_be_set_to_itself() -> None:
    before = config.jit
    config.jit = config.jit  # type: ignore[misc]  # the point of the test
    assert config.jit is before
