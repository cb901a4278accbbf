"""Tables with anything in them: blocks as bytes, handles as numbers, so that tests can write what no program would."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

from penstock.interchange.checkpoints.table_blocks import FOOTER, MAGIC, TRAILER, BlockBuilder
from penstock.interchange.crc32c import crc32c, masked
from penstock.interchange.wire.wire_format import varint_bytes

Handle = tuple[int, int]


def block_of(items: Iterable[tuple[bytes, bytes]], restart_interval: int = 16) -> bytes:
    """The content of a block, without its trailer."""
    builder = BlockBuilder(restart_interval)
    for key, value in items:
        builder.add(key, value)
    return builder.finish()[:-TRAILER]


def entry(shared: int, rest: bytes, value: bytes, says: tuple[int, int] | None = None) -> bytes:
    """One entry of a block; `says` are the lengths it claims, if they are others."""
    lengths = says or (len(rest), len(value))
    return varint_bytes(shared) + varint_bytes(lengths[0]) + varint_bytes(lengths[1]) + rest + value


def raw_block(entries: bytes, restarts: Sequence[int] = (0,), count: int | None = None) -> bytes:
    """Entries as bytes with restart points; `count` is how many of these it claims."""
    return entries + struct.pack(f"<{len(restarts) + 1}I", *restarts, len(restarts) if count is None else count)


def with_trailer(content: bytes, kind: int = 0, crc: int | None = None) -> bytes:
    """A block as it stands in a file."""
    body = content + bytes([kind])
    return body + struct.pack("<I", masked(crc32c(body)) if crc is None else crc)


def table(
    blocks: Sequence[bytes],
    index: Iterable[tuple[bytes, bytes]] | None = None,
    footer: tuple[Handle, Handle] | None = None,
    index_block: bytes | None = None,
) -> bytes:
    """A file of blocks that have their trailers.

    Args:
        blocks: the data blocks.
        index: the entries of the index, (last key, handle as bytes); without it those of the blocks, with keys \\xff...
        footer: the handles of the two last blocks, if others than the true ones shall stand there.
        index_block: the block of the index with its trailer, in place of `index`.
    """
    parts, offset, handles = [], 0, []
    for content in blocks:
        handles.append(handle(offset, len(content) - TRAILER))
        parts.append(content)
        offset += len(content)
    meta = with_trailer(block_of([]))
    rows = list(index) if index is not None else [(b"\xff" * (i + 1), each) for i, each in enumerate(handles)]
    last = index_block or with_trailer(block_of(rows, 1))
    true = (offset, len(meta) - TRAILER), (offset + len(meta), len(last) - TRAILER)
    first, second = footer or true
    tail = (handle(*first) + handle(*second)).ljust(FOOTER - len(MAGIC), b"\0") + MAGIC
    return b"".join([*parts, meta, last, tail])


def handle(offset: int, size: int) -> bytes:
    """The handle of a block."""
    return varint_bytes(offset) + varint_bytes(size)
