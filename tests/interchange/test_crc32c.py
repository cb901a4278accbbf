"""CRC32C against its definition, bit by bit, in both forms: NumPy's and compiled."""

from __future__ import annotations

import ctypes
from functools import cache

import numpy as np
import pytest

from penstock.interchange import crc32c as module
from penstock.interchange.crc32c import crc32c, masked
from penstock.runtime.kernels.loops import crc32c_loop as loop_module
from penstock.runtime.kernels.loops.crc32c_loop import PART
from penstock.runtime.kernels.loops.loop_cache import TEMPLATES
from penstock.runtime.llvm import tier, toolchain
from penstock.runtime.llvm.tier import ModuleSource

LENGTHS = (0, 1, 3, 7, 8, 9, 64, 511, 512, 513, 3 * PART - 1, 3 * PART, 3 * PART + 1, 20_000, 140_001)
DATA = np.random.default_rng(5).integers(0, 256, max(LENGTHS) + 5, np.uint8)
ALL = 0xFFFFFFFF

needs_the_tier = pytest.mark.skipif(not tier.on(), reason=f"the compiled tier is off: {tier.why_off()}")


@cache
def by_definition(data: bytes, before: int = 0) -> int:
    """Division by the polynomial, one bit after the other."""
    state = before ^ ALL
    for byte in data:
        state ^= byte
        for _ in range(8):
            state = state >> 1 ^ (0x82F63B78 if state & 1 else 0)
    return state ^ ALL


@pytest.mark.parametrize("length", LENGTHS)
def test_numpy_computes_what_the_definition_says(length: int) -> None:
    data = DATA[3 : 3 + length]
    assert module._with_numpy(data, 77 ^ ALL) ^ ALL == by_definition(data.tobytes(), 77)


@needs_the_tier
@pytest.mark.parametrize("instructions", ["the processor's", "none"])
def test_compiled_code_computes_what_the_definition_says(instructions: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if instructions == "none":
        monkeypatch.setattr(loop_module, "features", frozenset)
    ir, name = TEMPLATES["crc32c"].code()
    assert ("llvm.x86" in ir or "llvm.aarch64" in ir) == (instructions != "none" and has_instruction())
    library = tier.build_now(ModuleSource(ir, (name,)))
    loop = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(library[name])
    for length in LENGTHS:
        for start in (0, 1, 5):
            data = DATA[start : start + length]
            assert loop(data.ctypes.data, length, 77 ^ ALL) ^ ALL == by_definition(data.tobytes(), 77)


def has_instruction() -> bool:
    return bool({"sse4.2", "crc32", "crc"} & toolchain.features())


def test_the_known_answers_of_rfc_3720() -> None:
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b"\xff" * 32) == 0x62A8AB43
    assert crc32c(bytes(range(32))) == 0x46DD794E
    assert crc32c(b"123456789") == 0xE3069283


def test_arrays_of_any_dtype_count_as_their_memory() -> None:
    array = np.arange(12.0).reshape(3, 4)
    assert crc32c(array) == crc32c(array.tobytes()) == crc32c(memoryview(array.tobytes()))


def test_a_masked_checksum_is_as_leveldb_masks_it() -> None:
    crc = crc32c(b"foo")
    assert masked(crc) not in (crc, masked(masked(crc)))
    assert masked(0) == 0xA282EAD8
    assert masked(ALL) == (ALL + 0xA282EAD8) & ALL
