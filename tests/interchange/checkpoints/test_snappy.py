"""Snappy's elements are undone, and content that lies about itself is one clear error."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest

from penstock.errors import DataLossError
from penstock.interchange.checkpoints.table_blocks import decompressed
from penstock.interchange.wire.wire_format import varint_bytes


def literal(content: bytes) -> bytes:
    length = len(content) - 1
    if length < 60:
        return bytes([length << 2]) + content
    wide = (length.bit_length() + 7) // 8
    return bytes([(59 + wide) << 2]) + length.to_bytes(wide, "little") + content


def copy(offset: int, length: int, wide: int = 2) -> bytes:
    """A copy whose offset has 1, 2 or 4 bytes."""
    if wide == 1:
        return bytes([(offset >> 8) << 5 | (length - 4) << 2 | 1, offset & 255])
    return bytes([(length - 1) << 2 | (2 if wide == 2 else 3)]) + offset.to_bytes(wide, "little")


def stream(size: int, *elements: bytes) -> bytes:
    return varint_bytes(size) + b"".join(elements)


@pytest.mark.parametrize("length", [1, 59, 60, 61, 256, 257, 70_000, 1 << 24])
def test_literals_of_all_lengths(length: int) -> None:
    content = random.Random(length).randbytes(min(length, 1000)) * (length // 1000 + 1)
    assert decompressed(stream(length, literal(content[:length]))) == content[:length]


@pytest.mark.parametrize("wide", [1, 2, 4])
def test_copies_repeat_earlier_output_and_may_overlap_what_they_write(wide: int) -> None:
    assert decompressed(stream(12, literal(b"abcd"), copy(4, 4, wide), copy(1, 4, wide))) == b"abcdabcddddd"
    assert decompressed(stream(15, literal(b"abcd"), copy(3, 11, wide))) == b"abcdbcdbcdbcdbc"


def test_elements_at_random_are_what_a_plain_reader_makes_of_them() -> None:
    rng = random.Random(1)
    for _ in range(300):
        out, elements = bytearray(), []
        for _ in range(rng.randrange(1, 30)):
            if not out or rng.random() < 0.4:
                piece = rng.randbytes(rng.randrange(1, 80))
                elements.append(literal(piece))
                out += piece
            else:
                wide = rng.choice([1, 2, 4])
                offset = rng.randrange(1, min(len(out), 2047 if wide == 1 else 65_535) + 1)
                length = rng.randrange(4, 12) if wide == 1 else rng.randrange(1, 65)
                elements.append(copy(offset, length, wide))
                for _ in range(length):
                    out.append(out[-offset])
        assert decompressed(stream(len(out), *elements)) == bytes(out)


HOSTILE = {
    "nothing": (b"", "ends too early"),
    "a length without end": (b"\xff" * 20, "says that it has"),
    "half a length": (b"\x80", "ends too early"),
    "a length that no block has": (stream(1 << 34, literal(b"a")), "a block has less"),
    "less than it says": (stream(10, literal(b"abc")), "has 3 bytes and says 10"),
    "more than it says": (stream(2, literal(b"abc")), "has 3 bytes and says 2"),
    "a literal that ends early": (stream(9, literal(b"abcdefghi")[:5]), "ends too early"),
    "a literal of 4 GiB": (stream(9, bytes([63 << 2]) + b"\xff\xff\xff\xff" + b"abc"), "ends too early"),
    "a literal without its length": (stream(9, bytes([62 << 2, 1])), "ends too early"),
    "a copy of nothing": (stream(4, copy(1, 4)), "copies from before its beginning"),
    "a copy with offset 0": (stream(8, literal(b"abcd"), copy(0, 4)), "copies from before its beginning"),
    "a copy from before": (stream(8, literal(b"abcd"), copy(5, 4)), "copies from before its beginning"),
    "a copy from far before": (stream(8, literal(b"abcd"), copy((1 << 32) - 1, 4, 4)), "copies from before"),
    "a copy without its offset": (stream(8, literal(b"abcd"), copy(4, 4)[:1]), "ends too early"),
    "half an offset": (stream(8, literal(b"abcd"), copy(4, 4)[:2]), "ends too early"),
    "copies without end": (stream(100, literal(b"a"), copy(1, 64) * 100_000), "says 100"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_content_that_lies_is_one_error(name: str) -> None:
    content, says = HOSTILE[name]
    with pytest.raises(DataLossError, match=says):
        decompressed(content)


def test_each_truncation_and_each_changed_byte_is_an_error_or_other_bytes_and_nothing_else() -> None:
    good = stream(40, literal(b"0123456789abcdef"), copy(16, 16), copy(3, 8, 1))
    rng = random.Random(2)
    for length in range(len(good)):
        with pytest.raises(DataLossError):
            decompressed(good[:length])
    for _ in range(3000):
        place, byte = rng.randrange(len(good)), rng.randrange(256)
        with suppress(DataLossError):
            decompressed(good[:place] + bytes([byte]) + good[place + 1 :])
