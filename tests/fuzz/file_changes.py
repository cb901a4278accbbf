"""Changes of files that keep enough of their form to get past the first check: lengths, nesting, types, repetition.

Each function makes one changed file of a good one. JSON is changed as a document, protobuf as fields, records and
tables with true checksums, archives member by member; `bytes_changed` changes any file.
"""

from __future__ import annotations

import copy
import gzip
import io
import json
import random
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

from penstock.errors import PenstockError
from penstock.interchange.checkpoints.table_blocks import checked_block, entries
from penstock.interchange.crc32c import crc32c, masked
from penstock.interchange.records.record_files import framed
from penstock.interchange.wire.wire_format import varint_bytes

from ..interchange.checkpoints.tables import block_of, handle, table, with_trailer

Change = Callable[[bytes, random.Random], bytes]

TEXTS = ["", "\ud800", "\x1b[2J", "a\nb", "x:0", "^x", "a" * 70_000, "../../x", "\x00", "{", "\u202e", "\udcff\udcfe",
         "1e999", "float32", "variant", "string", "Const", "While", "c0", "?0", "nan"]  # fmt: skip
NUMBERS = [0, 1, -1, 2, 5, 7, 255, 65_536, (1 << 31) - 1, 1 << 31, 1 << 32, 1 << 39, (1 << 63) - 1, 1 << 63,
           (1 << 64) - 1, 10**30]  # fmt: skip
VALUES: list[Any] = [
    None, True, False, 1.5, -0.0, 1e308, [], {}, [[]], [None], {"a": 1}, {"": 0}, {"shape": [-1]}, {"list": [None]},
    {"dtype": "nope"}, {"array": {}}, {"npz": ["c0"]}, {"npz": "c9"}, {"base64": "!!"}, {"float": "nan"}, [0] * 300,
    {"shape": [1 << 40, 1 << 40]}, {"array": {"dtype": "float64", "shape": [1 << 34], "values": []}}, *TEXTS, *NUMBERS,
]  # fmt: skip


def bytes_changed(content: bytes, rng: random.Random) -> bytes:
    """A file with bytes changed, left out, repeated or cut off."""
    data = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 8, 64])):
        size = len(data)
        start = rng.randrange(size + 1)
        end = min(size, start + rng.choice([1, 2, 4, 8, 100]))
        match rng.randrange(7):
            case 0:
                del data[start:end]
            case 1:
                data[start:start] = data[start:end] * rng.choice([1, 2, 50])
            case 2:
                data[start:start] = rng.randbytes(rng.choice([1, 4, 9]))
            case 3:
                del data[start:]
            case 4:
                data[start:end] = rng.choice([b"\xff", b"\0", b"\x7f", b"\x80"]) * (end - start)
            case _ if size:
                data[rng.randrange(size)] = rng.randrange(256)
    return bytes(data)


# ---- JSON ---------------------------------------------------------------------------------------


def json_changed(content: bytes, rng: random.Random) -> bytes:
    """A document with other values in its places."""
    document = json.loads(content)
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        document = _exchanged(document, rng)
    made = json.dumps(document)
    if rng.random() < 0.1:  # what no document of Python's can have: keys twice, constants, depth
        place = rng.randrange(len(made))
        for old, new in rng.sample([('"name":', '"name": "x", "name":'), ("1", "NaN"), ("[", "[" * 3000), ('"', '"\\u'),
                                    ("{", '{"op": "NoOp", '), ("0", "1" * 5000), ("1", "-Infinity")], 2):  # fmt: skip
            made = made[:place] + made[place:].replace(old, new, 1)
    return made.encode()


def _exchanged(document: Any, rng: random.Random) -> Any:
    way = _place(document, rng)
    if not way:
        return copy.deepcopy(rng.choice(VALUES)) if rng.random() < 0.1 else document
    parent = document
    for key in way[:-1]:
        parent = parent[key]
    key = way[-1]
    match rng.randrange(8):
        case 0 | 1:
            parent[key] = copy.deepcopy(rng.choice(VALUES))
        case 2:
            del parent[key]
        case 3:
            other = document
            for step in _place(document, rng):
                other = other[step]
            if len(json.dumps(other)) < 20_000:
                parent[key] = copy.deepcopy(other)
        case 4 if isinstance(parent, list):
            parent[key:key] = [parent[key]] * rng.choice([1, 2, 40])
        case 4:
            parent[rng.choice(["name", "op", "extra", "\x1b", "\ud800", "", "list"])] = parent[key]
        case 5:
            for _ in range(rng.choice([1, 2, 40, 400])):
                parent[key] = rng.choice([[parent[key]], {"list": parent[key]}])
        case 6 if isinstance(parent[key], int):
            parent[key] += rng.choice([1, -1, 1000, -1000, 1 << 33])
        case _ if isinstance(parent[key], str):
            text, at = parent[key], rng.randrange(len(parent[key]) + 1)
            parent[key] = text[:at] + rng.choice(TEXTS) + text[at + rng.randrange(3) :]
        case _:
            parent[key] = rng.choice(NUMBERS)
    return document


def _place(document: Any, rng: random.Random) -> list[Any]:
    """A way to a part of a document, the deeper the more often."""
    way: list[Any] = []
    while isinstance(document, (dict, list)) and document and rng.random() < 0.9:
        key = rng.choice(list(document)) if isinstance(document, dict) else rng.randrange(len(document))
        way.append(key)
        document = document[key]
    return way


# ---- protobuf -----------------------------------------------------------------------------------

Field = tuple[int, int, bytes | int]


def fields_of(data: bytes) -> list[Field] | None:
    """The fields of a message (number, wire type, content); None if the bytes are none."""
    found: list[Field] = []
    at = 0
    while at < len(data):
        head, at = _varint(data, at)
        if at < 0 or head >> 3 == 0:
            return None
        wire = head & 7
        if wire == 0:
            number, at = _varint(data, at)
            if at < 0:
                return None
            found.append((head >> 3, wire, number))
            continue
        size, at = (8, at) if wire == 1 else (4, at) if wire == 5 else _varint(data, at) if wire == 2 else (0, -1)
        if at < 0 or at + size > len(data):
            return None
        found.append((head >> 3, wire, data[at : at + size]))
        at += size
    return found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while at < len(data) and shift < 70:
        number |= (data[at] & 127) << shift
        at += 1
        if data[at - 1] < 128:
            return number, at
        shift += 7
    return 0, -1


def message_of(fields: list[Field]) -> bytes:
    """The bytes of a message."""
    parts = []
    for number, wire, content in fields:
        parts.append(varint_bytes(number << 3 | wire))
        if isinstance(content, int):
            parts.append(varint_bytes(content & (1 << 64) - 1))
        else:
            parts.append((varint_bytes(len(content)) if wire == 2 else b"") + content)
    return b"".join(parts)


def message_changed(content: bytes, rng: random.Random) -> bytes:
    """A message with fields changed, at any depth."""
    for _ in range(rng.choice([1, 1, 2, 6])):
        content = _message_changed(content, rng, content)
    return content


def _message_changed(content: bytes, rng: random.Random, whole: bytes) -> bytes:
    fields = fields_of(content)
    if not fields:
        return bytes_changed(content, rng) if content else rng.randbytes(rng.randrange(5))
    at = rng.randrange(len(fields))
    number, wire, value = fields[at]
    if isinstance(value, bytes) and wire == 2 and value and rng.random() < 0.75:
        fields[at] = (number, wire, _message_changed(value, rng, whole))
        return message_of(fields)
    match rng.randrange(8):
        case 0:
            del fields[at]
        case 1:
            fields[at:at] = [fields[at]] * rng.choice([1, 1, 2, 30, 400])
        case 2:
            rng.shuffle(fields)
        case 3 if isinstance(value, int):
            fields[at] = (number, wire, rng.choice([*NUMBERS, value + 1, value - 1, value ^ 1 << rng.randrange(64)]))
        case 3:
            fields[at] = (number, wire, rng.choice(TEXTS).encode("utf-8", "surrogatepass"))
        case 4:
            fields[at] = (rng.choice([number + 1, number - 1 or 1, rng.randrange(1, 25)]), wire, value)
        case 5:
            other = rng.choice(fields_of(whole) or fields)
            fields.insert(at, other)
        case 6 if isinstance(value, bytes):
            for _ in range(rng.choice([1, 10, 300])):
                value = varint_bytes(number << 3 | 2) + varint_bytes(len(value)) + value
            fields[at] = (number, 2, value)
        case _:
            made = message_of(fields[:at]), message_of(fields[at:])
            false = varint_bytes(number << 3 | 2) + varint_bytes(rng.choice(NUMBERS) & (1 << 64) - 1)
            return made[0] + false + made[1]
    return message_of(fields)


def text_changed(content: bytes, rng: random.Random) -> bytes:
    """A text with words changed, left out or repeated."""
    words = content.split(b" ")
    for _ in range(rng.choice([1, 1, 2, 6])):
        at = rng.randrange(len(words))
        match rng.randrange(5):
            case 0:
                del words[at : at + rng.choice([1, 2, 5])]
                words = words or [b""]
            case 1:
                words[at:at] = words[at : at + rng.choice([1, 5, 40])] * rng.choice([1, 3, 60])
            case 2:
                words[at] = str(rng.choice(NUMBERS)).encode()
            case 3:
                mark = rng.choice([b"{", b"}", b"node {", b"[", b"<", b'"', b"'\\377", b"nan", b"#", b":"])
                words[at] = mark * rng.choice([1, 1, 500])
            case _:
                words[at] = b'"' + rng.choice(TEXTS).encode("utf-8", "surrogatepass") + b'"'
    return b" ".join(words)


# ---- records ------------------------------------------------------------------------------------


def records_in(content: bytes) -> list[bytes]:
    """The records of a good file that is not compressed."""
    found, at = [], 0
    while at < len(content):
        (length,) = struct.unpack_from("<Q", content, at)
        found.append(content[at + 12 : at + 12 + length])
        at += 16 + length
    return found


def records_changed(content: bytes, rng: random.Random) -> bytes:
    """A record file with other records, or with records that say that they are longer; checksums are true."""
    records = records_in(content)
    parts = [framed(message_changed(each, rng) if rng.random() < 0.3 else each) for each in records]
    match rng.randrange(6):
        case 0:
            parts *= rng.choice([2, 20])
        case 1:
            parts.insert(rng.randrange(len(parts) + 1), framed(b"") * rng.choice([1, 100, 20_000]))
        case 2:
            parts.insert(rng.randrange(len(parts) + 1), framed(bytes(rng.choice([10, 1 << 20, 9 << 20]))))
        case 3:
            size = struct.pack("<Q", rng.choice(NUMBERS) & (1 << 64) - 1)
            parts.insert(rng.randrange(len(parts) + 1), size + struct.pack("<I", masked(crc32c(size))))
        case 4:
            parts[-1] = parts[-1][: rng.randrange(len(parts[-1]) + 1)]
        case _:
            rng.shuffle(parts)
    return b"".join(parts)


def packed_records(pack: Callable[[bytes], bytes]) -> Change:
    """`records_changed` of a compressed file; some bombs unpack to a hundred megabytes."""

    def changed(content: bytes, rng: random.Random) -> bytes:
        unpacked = gzip.decompress(content) if pack is gzip.compress else zlib.decompress(content)
        if rng.random() < 0.03:
            length = rng.choice([(60 << 20), (65 << 20), (100 << 20)])
            size = struct.pack("<Q", length)
            return pack(unpacked + size + struct.pack("<I", masked(crc32c(size))) + bytes(length))
        made = pack(records_changed(unpacked, rng))
        return bytes_changed(made, rng) if rng.random() < 0.3 else made

    return changed


# ---- tables -------------------------------------------------------------------------------------


def table_changed(content: bytes, rng: random.Random) -> bytes:
    """A table with other keys and values; its checksums are true."""
    rows = _rows_of(content)
    if not rows:
        return bytes_changed(content, rng)
    for _ in range(rng.choice([1, 1, 3])):
        at = rng.randrange(len(rows))
        key, value = rows[at]
        match rng.randrange(7):
            case 0 | 1 | 2:
                rows[at] = (key, message_changed(value, rng))
            case 3:
                rows[at] = (bytes_changed(key, rng), value)
            case 4:
                del rows[at]
                rows = rows or [(b"", b"")]
            case 5:
                rows[at:at] = [(key + bytes([i % 256]) * (i % 7), value) for i in range(rng.choice([1, 300]))]
            case _:
                rows[at] = (key, rng.choice(rows)[1])
    if rng.random() < 0.8:
        rows = sorted(dict(rows).items())
    block = block_of(rows, rng.choice([1, 2, 16, 1000]))
    if rng.random() < 0.2:
        block = message_changed(block, rng) if rng.random() < 0.5 else bytes_changed(block, rng)
    made = with_trailer(block)
    if rng.random() < 0.15:
        made = with_trailer(_snappy(block, rng), kind=1)
    blocks = [made] * rng.choice([1, 1, 1, 1, 2, 100])
    if rng.random() < 0.1:
        return table(blocks, footer=((rng.choice(NUMBERS[:12]), rng.choice(NUMBERS[:12])), (0, len(made) - 5)))
    if rng.random() < 0.1:
        return table(blocks, [(b"\xff" * i, handle(0, len(made) - 5)) for i in range(1, rng.choice([2, 3, 500]))])
    return table(blocks)


def _rows_of(content: bytes) -> list[tuple[bytes, bytes]]:
    """The rows of the first block of a good file: it is as long as the offset of the block after it says."""
    empty = with_trailer(block_of([]))
    try:
        return list(entries(checked_block(content[: content.index(empty)])))
    except (PenstockError, ValueError):
        return []


def _snappy(content: bytes, rng: random.Random) -> bytes:
    """Snappy's form of a block: literals, and sometimes copies that say more than there is."""
    pieces = [content[i : i + 50] for i in range(0, len(content), 50)]
    body = b"".join(bytes([len(piece) - 1 << 2]) + piece for piece in pieces)
    size = len(content)
    if rng.random() < 0.5:
        count = rng.choice([1, 100, 100_000])
        body += bytes([63 << 2 | 2]) + struct.pack("<H", rng.choice([1, 5, 40, 60_000])) if count == 1 else (
            bytes([63 << 2 | 2]) + struct.pack("<H", 1)) * count
        size = rng.choice([size, size + 64 * count, 1 << 29, 1 << 31])
    return varint_bytes(size) + body


# ---- archives -----------------------------------------------------------------------------------


def archive_changed(content: bytes, rng: random.Random) -> bytes:
    """An npz file with other members, some of them compressed."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    for _ in range(rng.choice([1, 1, 2])):
        at = rng.randrange(len(members))
        name, data = members[at]
        match rng.randrange(6):
            case 0:
                head = data[:128]
                for old, new in rng.sample([(b"<f4", b"<f8"), (b"<f4", b"|O8"), (b"(", b"(1, "), (b"False", b"True "),
                                            (b"(", b"(9**9"), (b"}", b"{"), (b"Y\x01", b"Y\x09"), (b",", b";"),
                                            (b"descr", b"shape"), (b"'", b"'''")], 2):  # fmt: skip
                    head = head.replace(old, new, 1)
                members[at] = (name, head + data[128:])
            case 1:
                members[at] = (name, bytes_changed(data, rng))
            case 2:
                members[at] = (rng.choice(["c0.npy", "c1.npy", "../x.npy", "c0", "c0.ends.npy"]), data)
            case 3:
                members.append(rng.choice(members))
            case 4:
                members[at] = (name, data[:128] + bytes(rng.choice([0, 8 << 20])))
            case _:
                members[at] = (name, rng.choice(members)[1])
    buffer = io.BytesIO()
    form = rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # names twice are on purpose
        with zipfile.ZipFile(buffer, "w", form) as archive:
            for name, data in members:
                archive.writestr(name, data)
    made = buffer.getvalue()
    return bytes_changed(made, rng) if rng.random() < 0.4 else made


def header_changed(content: bytes, rng: random.Random) -> bytes:
    """A safetensors file with another header, whose length is true most times."""
    (size,) = struct.unpack_from("<Q", content)
    header = json_changed(content[8 : 8 + size], rng)
    said = len(header) if rng.random() < 0.9 else rng.choice(NUMBERS) & (1 << 64) - 1
    return struct.pack("<Q", said) + header + content[8 + size :]
