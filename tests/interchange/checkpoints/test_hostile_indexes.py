"""Indexes that lie: each is one clear error, at once and without much memory."""

from __future__ import annotations

import math
import random
import resource
import struct
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penstock.errors import DataLossError, NotFoundError, OpError
from penstock.graph.shapes import dtypes
from penstock.interchange.checkpoints.bundle_entries import BundleEntry
from penstock.interchange.checkpoints.bundle_messages import (
    BundleEntryProto,
    BundleHeaderProto,
    ExtentProto,
    SliceProto,
)
from penstock.interchange.checkpoints.bundle_writer import NamedArray, write_bundle
from penstock.interchange.checkpoints.open_checkpoint import open_checkpoint
from penstock.interchange.checkpoints.save_restore import merge_bundles
from penstock.interchange.checkpoints.table_blocks import MAGIC
from penstock.interchange.checkpoints.table_builder import table_bytes
from penstock.interchange.checkpoints.tensor_slices import TensorSlice
from penstock.interchange.checkpoints.version_one import write_version_one
from penstock.interchange.crc32c import crc32c, masked
from penstock.interchange.tensorflow.wire.messages import DimProto, ShapeProto, VersionProto
from penstock.interchange.tensorflow.wire.tensor_proto import dtype_number
from penstock.interchange.wire.wire_format import encode, varint_bytes

from .tables import block_of, entry, handle, raw_block, table, with_trailer

ROOM = 1 << 30
"""How much more memory a hostile file may make a reader ask for."""
FLOAT = dtype_number(dtypes.float32)
VALUES = np.arange(12, dtype="f4")
CRC = masked(crc32c(VALUES.tobytes()))
HEADER = encode(BundleHeaderProto(1, 0, VersionProto(1)))


@pytest.fixture(autouse=True)
def _little_memory() -> Iterator[None]:
    """A reader that asks for the memory that a file claims gets a MemoryError, which no test expects."""
    with open("/proc/self/statm", encoding="ascii") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def everything(prefix: str) -> dict[str, Any]:
    """All values of a checkpoint."""
    with closing(open_checkpoint(prefix)) as checkpoint:
        return {name: checkpoint.read(name) for name in checkpoint.entries}


def written(folder: Path, index: bytes, data: bytes = VALUES.tobytes()) -> str:
    """A checkpoint of an index and one data file."""
    prefix = str(folder / "m")
    Path(prefix + ".index").write_bytes(index)
    Path(prefix + ".data-00000-of-00001").write_bytes(data)
    return prefix


def refused(prefix: str, says: str, kind: type[OpError] = DataLossError) -> None:
    with pytest.raises(kind, match=says) as caught:
        everything(prefix)
    assert prefix in caught.value.message


def index_of(*rows: tuple[bytes, bytes], header: bytes = HEADER) -> bytes:
    return table_bytes([(b"", header), *rows])


GOOD = BundleEntry(FLOAT, (3, 4), 0, 0, 48, CRC)


def test_the_good_one_is_read(tmp_path: Path) -> None:
    found = everything(written(tmp_path, index_of((b"a", GOOD.encoded()))))
    assert np.array_equal(found["a"], VALUES.reshape(3, 4))


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("dtype", ["i2", "f4", "f8", "c8"])
def test_values_of_either_byte_order_are_read(order: str, dtype: str, tmp_path: Path) -> None:
    values = np.arange(12).reshape(3, 4).astype(dtype) + 1
    content = values.astype(order + dtype).tobytes()
    number = dtype_number(dtypes.as_dtype(values.dtype))
    own = BundleEntry(number, (3, 4), 0, 0, len(content), masked(crc32c(content))).encoded()
    header = encode(BundleHeaderProto(1, int(order == ">"), VersionProto(1)))
    array = everything(written(tmp_path, index_of((b"a", own), header=header), content))["a"]
    assert array.dtype == values.dtype and np.array_equal(array, values)


# ---- the table ----------------------------------------------------------------------------------

ROWS = [(b"", HEADER), (b"a", GOOD.encoded())]
BLOCK = with_trailer(block_of(ROWS))
META = len(BLOCK), len(block_of([]))
"""The handle of the block for other facts, behind one block."""


def key_bomb() -> bytes:
    """300,000 keys of more than a million bytes each, in a block of 3 MB."""
    return raw_block(entry(0, b"", HEADER) + entry(0, b"k" * (1 << 20), b"") + b"".join(
        entry((1 << 20) + i, b"x", b"") for i in range(300_000)
    ))  # fmt: skip


TABLES: dict[str, tuple[Callable[[], bytes], str]] = {
    "an empty file": (lambda: b"", "less than the footer"),
    "a footer alone": (lambda: b"\0" * 40 + MAGIC, "(too short|beyond its end|its checksum)"),
    "another magic number": (lambda: table([BLOCK])[:-1] + b"\0", "magic number"),
    "handles without end": (lambda: b"\xff" * 40 + MAGIC, "has no end"),
    "an index beyond the file": (lambda: table([BLOCK], footer=(META, (1 << 62, 8))), "beyond its end"),
    "an index of 2^63 bytes": (lambda: table([BLOCK], footer=(META, (0, (1 << 63) - 1))), "beyond its end"),
    "a negative offset": (lambda: table([BLOCK], footer=(META, ((1 << 64) - 9, 8))), "beyond its end"),
    "an index that is no block": (lambda: table([BLOCK], index_block=with_trailer(b"\0\0")), "too short"),
    "a block beyond the file": (lambda: table([BLOCK], [(b"z", handle(1 << 40, 10))]), "beyond its end"),
    "a block with a wrong checksum": (lambda: table([with_trailer(block_of(ROWS), crc=1)]), "checksum"),
    "a block of unknown compression": (lambda: table([with_trailer(block_of(ROWS), kind=7)]), "compression 7"),
    "a block that says it is Snappy's": (lambda: table([with_trailer(block_of(ROWS), kind=1)]), "compressed content"),
    "a truncated block of Snappy": (lambda: table([with_trailer(b"\x20\x08abc", kind=1)]), "says 32"),
    "a handle without end": (lambda: table([BLOCK], [(b"z", b"\xff" * 3)]), "in its index a number .* has no end"),
    "blocks that overlap": (
        lambda: table([BLOCK], [(b"z" * i, handle(0, len(BLOCK) - 5)) for i in (1, 2)]), "inside the one before"),
    "more restart points than bytes": (
        lambda: table([with_trailer(raw_block(b"", count=1 << 31))]), "restart points, more than fit"),
    "an entry longer than the block": (
        lambda: table([with_trailer(raw_block(entry(0, b"", b"x", (0, 1 << 40))))]), "goes beyond its end"),
    "a key longer than the block": (
        lambda: table([with_trailer(raw_block(entry(0, b"k", b"", (1 << 62, 0))))]), "goes beyond its end"),
    "a first key that shares bytes": (
        lambda: table([with_trailer(raw_block(entry(5, b"k", b"")))]), "goes beyond its end"),
    "an entry without end": (lambda: table([with_trailer(raw_block(b"\xff" * 30))]), "has no end"),
    "keys in no order": (
        lambda: table([with_trailer(raw_block(entry(0, b"", HEADER) + entry(0, b"b", b"") + entry(0, b"a", b"")))]),
        "is not behind the one before"),
    "a key twice": (
        lambda: table([with_trailer(raw_block(entry(0, b"", HEADER) + entry(0, b"", HEADER)))]), "is not behind"),
    "keys that grow without bound": (lambda: table([with_trailer(key_bomb())]), "64 times the bytes of the block"),
    "no header": (lambda: table_bytes([(b"a", GOOD.encoded())]), "has no header"),
    "nothing": (lambda: table_bytes([]), "has no header"),
    "a header that is no message": (lambda: index_of(header=b"\xff\xff"), "in its header"),
    "no shards": (lambda: index_of(header=encode(BundleHeaderProto(0))), "has 0 shards"),
    "fewer shards than none": (lambda: index_of(header=encode(BundleHeaderProto(-5))), "has -5 shards"),
    "another byte order": (lambda: index_of(header=encode(BundleHeaderProto(1, 7))), "byte order that is not known"),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_a_table_that_lies_is_one_error(name: str, tmp_path: Path) -> None:
    make, says = TABLES[name]
    refused(written(tmp_path, make()), says)


def test_blocks_of_snappy_are_read(tmp_path: Path) -> None:
    content = block_of(ROWS)
    compressed = varint_bytes(len(content)) + b"".join(
        bytes([len(piece) - 1 << 2]) + piece for piece in (content[i : i + 50] for i in range(0, len(content), 50))
    )
    found = everything(written(tmp_path, table([with_trailer(compressed, kind=1)])))
    assert np.array_equal(found["a"], VALUES.reshape(3, 4))


def test_each_truncation_is_an_error(tmp_path: Path) -> None:
    index = index_of((b"a", GOOD.encoded()), (b"b", GOOD.encoded()))
    for length in range(len(index)):
        refused(written(tmp_path, index[:length]), "damaged or no checkpoint")


def test_bytes_at_random_are_one_error(tmp_path: Path) -> None:
    rng = random.Random(3)
    for _ in range(300):
        refused(written(tmp_path, rng.randbytes(rng.randrange(200)) + MAGIC * rng.randrange(2)), "no checkpoint")


# ---- entries ------------------------------------------------------------------------------------


def proto(**fields: Any) -> bytes:
    """An entry with any numbers."""
    shape = fields.pop("shape", (3, 4))
    usual = {"dtype": FLOAT, "shape": ShapeProto([DimProto(size) for size in shape]), "size": 48, "crc32c": CRC}
    return encode(BundleEntryProto(**{**usual, **fields}))


ENTRIES: dict[str, tuple[bytes, str, type[OpError]]] = {
    "no message": (b"\xff\xff\xff", "an entry is damaged", DataLossError),
    "a negative offset": (proto(offset=-8), "(negative|beyond the end)", DataLossError),
    "a negative size": (proto(size=-48), "(negative|beyond the end)", DataLossError),
    "a negative shard": (proto(shard_id=-1), "(negative|shard)", DataLossError),
    "another shard": (proto(shard_id=1), "names the shard 1 of 1", DataLossError),
    "a shard of many": (proto(shard_id=1 << 40), "names the shard", DataLossError),
    "beyond the file": (proto(offset=1), "beyond the end of shard 0", DataLossError),
    "far beyond the file": (proto(offset=1 << 62), "beyond the end of shard 0", DataLossError),
    "more bytes than the shape": (proto(shape=(3,)), "need 12", DataLossError),
    "fewer bytes than the shape": (proto(shape=(3, 5)), "need 60", DataLossError),
    "a huge shape": (proto(shape=(1 << 58,)), "need", DataLossError),
    "an impossible shape": (proto(shape=(1 << 31, 1 << 31)), "which no array has", DataLossError),
    "no elements of a huge shape": (proto(shape=(0, 1 << 59), size=0), "which no array has", DataLossError),
    "a negative dimension": (proto(shape=(-3, -4)), "shape that is not known", DataLossError),
    "300 dimensions": (proto(shape=(1,) * 300, size=4), "which no array has", DataLossError),
    "100 dimensions": (proto(shape=(1,) * 100, size=4), "which no array has", DataLossError),
    "a wrong checksum": (proto(crc32c=CRC ^ 1), "its checksum is not that of its bytes", DataLossError),
    "strings that are none": (proto(dtype=dtype_number(dtypes.string)), "the strings have", DataLossError),
    "strings without end": (proto(dtype=dtype_number(dtypes.string), shape=(1 << 40,)), "cannot hold", DataLossError),
    "a part of another rank": (
        proto(slices=[SliceProto([ExtentProto(0, 1)])]), "1 ranges for 2 dimensions", DataLossError),
    "a part that begins below zero": (
        proto(slices=[SliceProto([ExtentProto(-1, 2), ExtentProto()])]), "begins below 0", DataLossError),
    "a part beyond the shape": (
        proto(slices=[SliceProto([ExtentProto(2, 5), ExtentProto()])]), "does not fit the shape", DataLossError),
    "a part that is not there": (
        proto(slices=[SliceProto([ExtentProto(0, 2), ExtentProto()])]), "is not there", DataLossError),
    "a whole that is larger than the files": (
        proto(shape=(1 << 40,), slices=[SliceProto([ExtentProto()])]), "more elements than the files", DataLossError),
}  # fmt: skip


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_that_lies_is_one_error(name: str, tmp_path: Path) -> None:
    content, says, kind = ENTRIES[name]
    refused(written(tmp_path, index_of((b"a", content), (b"b", GOOD.encoded()))), says, kind)


def test_a_dtype_that_does_not_exist_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the dtype 99 does not exist here"):
        everything(written(tmp_path, index_of((b"a", proto(dtype=99)))))


def test_a_large_shape_without_elements_is_an_array(tmp_path: Path) -> None:
    number = dtype_number(dtypes.complex128)
    entry_ = BundleEntry(number, (0, 1 << 58), crc=masked(crc32c(b""))).encoded()
    assert everything(written(tmp_path, index_of((b"a", entry_))))["a"].shape == (0, 1 << 58)


def test_many_shards_are_not_looked_for(tmp_path: Path) -> None:
    header = encode(BundleHeaderProto(1 << 62))
    far = proto(shard_id=(1 << 62) - 1)
    refused(written(tmp_path, index_of((b"a", far), header=header)), "does not exist", NotFoundError)
    prefix = written(tmp_path, index_of(header=header))
    with pytest.raises(DataLossError, match="says that it has 4611686018427387904 shards"):
        merge_bundles([prefix], str(tmp_path / "n"))


def parts(extents: list[tuple[int, int]], shape: tuple[int, ...] = (12,), dtype: int = FLOAT) -> bytes:
    """An index of a variable in parts, (start, length) each, with those of VALUES. dtype: that of the parts."""
    slices = [TensorSlice((extent,)) for extent in extents]
    rows = {b"v": BundleEntry(FLOAT, shape, slices=tuple(slices)).encoded()}
    for each, (start, length) in zip(slices, extents, strict=True):
        crc = masked(crc32c(VALUES[start : start + length].tobytes()))
        rows[each.key(b"v")] = BundleEntry(dtype, (length,), 0, start * 4, length * 4, crc).encoded()
    return table_bytes([(b"", HEADER), *sorted(rows.items())])


def test_parts_that_fit_are_put_together(tmp_path: Path) -> None:
    assert np.array_equal(everything(written(tmp_path, parts([(5, 7), (0, 5)])))["v"], VALUES)


@pytest.mark.parametrize("extents", [[(0, 6), (0, 6)], [(0, 8), (4, 8)], [(0, 12), (3, 2)]])
def test_parts_that_overlap_are_an_error(extents: list[tuple[int, int]], tmp_path: Path) -> None:
    refused(written(tmp_path, parts(extents)), "overlaps another one")


def test_parts_of_another_dtype_are_an_error(tmp_path: Path) -> None:
    refused(written(tmp_path, parts([(0, 5), (5, 7)], dtype=dtype_number(dtypes.int32))), "has another dtype")


def test_an_element_that_is_in_no_part_is_an_error_also_if_parts_overlap(tmp_path: Path) -> None:
    refused(written(tmp_path, parts([(0, 5), (6, 6)])), "1 elements are in no part", NotFoundError)
    with closing(open_checkpoint(written(tmp_path, parts([(0, 5), (6, 6)])))) as checkpoint:
        assert np.array_equal(checkpoint.read("v", TensorSlice(((6, 3),))), VALUES[6:9])
        with pytest.raises(NotFoundError, match="1 elements are in no part"):
            checkpoint.read("v", TensorSlice(((4, 4),)))


# ---- version 1 ----------------------------------------------------------------------------------


def test_parts_of_version_one_that_overlap_are_an_error(tmp_path: Path) -> None:
    path = str(tmp_path / "old")
    halves = [NamedArray("v", VALUES[s : s + n], TensorSlice(((s, n),)), (12,)) for s, n in ((0, 8), (4, 8))]
    write_version_one(path, halves)
    refused(path, "overlaps another one")


@pytest.mark.parametrize("version", [1, 2])
def test_changed_bytes_with_true_checksums_are_one_error(version: int, tmp_path: Path) -> None:
    """Checksums keep out accidents. Someone who means harm writes true ones."""
    prefix = str(tmp_path / "m")
    arrays = [NamedArray("a", VALUES), NamedArray("b", np.arange(6, dtype="i8").reshape(2, 3))]
    if version == 1:
        write_version_one(prefix, arrays)
        path = Path(prefix)
    else:
        write_bundle(prefix, arrays)
        path = Path(prefix + ".index")
    good = path.read_bytes()
    size = _first_block(good)
    rng = random.Random(version)
    for _ in range(400):
        block = bytearray(good[:size])
        for _ in range(rng.randrange(1, 4)):
            block[rng.randrange(size)] = rng.randrange(256)
        path.write_bytes(with_trailer(bytes(block)) + good[size + 5 :])
        try:
            everything(prefix)
        except OpError:
            pass
        except ValueError as error:
            assert "dtype" in str(error)  # one that does not exist here


def _first_block(content: bytes) -> int:
    """The size of the first block: that before the empty one for other facts."""
    empty = with_trailer(block_of([]))
    place = content.index(empty)
    assert struct.unpack("<I", content[place - 4 : place]) and math.isfinite(place)
    return place - 5
