"""Parts of partitioned variables: their texts, their protos, their keys, and which elements of an array they are.

    "4 3 0,2:-"     of a (4, 3) variable, rows 0 and 1, and all columns
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ...errors import DataLossError, InvalidArgumentError
from .bundle_messages import ExtentProto, SliceProto

WHOLE: Final = -1
"""The length of a range that is a whole dimension."""
Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TensorSlice:
    """A range (start, length) for each dimension; a whole dimension is (0, -1)."""

    extents: tuple[tuple[int, int], ...]

    @property
    def is_whole(self) -> bool:
        """Whether it is the whole tensor."""
        return all(length == WHOLE for _, length in self.extents)

    def covers(self, shape: Shape) -> bool:
        """Whether it is the whole of a tensor of that shape, however it says so."""
        return len(shape) == len(self.extents) and all(
            length == WHOLE or (start, length) == (0, size)
            for (start, length), size in zip(self.extents, shape, strict=True)
        )

    def places(self, shape: Shape) -> tuple[slice, ...]:
        """The index of the part in an array of the whole.

        Raises:
            InvalidArgumentError: it goes beyond the shape.
        """
        if len(shape) != len(self.extents):
            raise InvalidArgumentError(message=f"the part {self} does not fit the shape {list(shape)}")
        found = []
        for (start, length), size in zip(self.extents, shape, strict=True):
            stop = size if length == WHOLE else start + length
            if start < 0 or not start <= stop <= size:
                raise InvalidArgumentError(message=f"the part {self} does not fit the shape {list(shape)}")
            found.append(slice(start, stop))
        return tuple(found)

    def proto(self) -> SliceProto:
        """The message for it."""
        return SliceProto([ExtentProto() if n == WHOLE else ExtentProto(s, n) for s, n in self.extents])

    def key(self, name: bytes) -> bytes:
        """The key of this part of the variable `name`."""
        return slice_key(name, self.extents)

    def __str__(self) -> str:
        return ":".join("-" if n == WHOLE else f"{s},{n}" for s, n in self.extents)


def whole(rank: int) -> TensorSlice:
    """The part that is everything."""
    return TensorSlice(((0, WHOLE),) * rank)


def slice_of_proto(proto: SliceProto, rank: int) -> TensorSlice:
    """The part that a message describes.

    Raises:
        DataLossError: it is for another number of dimensions, or a number in it is negative.
    """
    if len(proto.extents) != rank:
        raise DataLossError(message=f"a part has {len(proto.extents)} ranges for {rank} dimensions")
    found = tuple((e.start, WHOLE if e.length is None else e.length) for e in proto.extents)
    if any(start < 0 or length < WHOLE for start, length in found):
        raise DataLossError(message="a part has a range that begins below 0 or has a negative length")
    return TensorSlice(found)


def parse_slice(text: str) -> tuple[Shape, TensorSlice]:
    """The shape of the whole, and the part, of a text such as "4 3 0,2:-".

    Raises:
        InvalidArgumentError: it is no such text.
    """
    *sizes, ranges = text.split(" ")
    try:
        shape = tuple(int(size) for size in sizes)
        pairs = [(0, WHOLE) if each == "-" else _range(each) for each in ranges.split(":")] if ranges else []
    except ValueError:
        raise InvalidArgumentError(message=f"{text!r} is no shape and part; write them as '4 3 0,2:-'") from None
    part = TensorSlice(tuple(pairs))
    part.places(shape)
    return shape, part


def _range(text: str) -> tuple[int, int]:
    start, length = text.split(",")
    return int(start), int(length)


def overlap(a: Sequence[slice], b: Sequence[slice]) -> tuple[slice, ...] | None:
    """What two parts have in common; None if that is nothing."""
    found = tuple(slice(max(x.start, y.start), min(x.stop, y.stop)) for x, y in zip(a, b, strict=True))
    return found if all(each.start < each.stop for each in found) else None


def within(part: Sequence[slice], outer: Sequence[slice]) -> tuple[slice, ...]:
    """The index of a part in an array of `outer` alone."""
    return tuple(slice(p.start - o.start, p.stop - o.start) for p, o in zip(part, outer, strict=True))


# ---- OrderedCode ---------------------------------------------------------------------------------


# Google's OrderedCode: numbers and bytes written so that the order of the results is that of the values.
#
# Keys of the parts of a partitioned variable are written so: 0, the name, the number of dimensions, and for each of
# them start and length, where a whole dimension is 0 and -1.


def slice_key(name: bytes, extents: Iterable[tuple[int, int]]) -> bytes:
    """The key of a part of a variable, given (start, length) for each dimension."""
    rows = list(extents)
    signed = b"".join([_signed(number) for row in rows for number in row])
    return _unsigned(0) + _string(name) + _unsigned(len(rows)) + signed


def _unsigned(value: int) -> bytes:
    """The number of bytes, and the bytes from the highest."""
    content = value.to_bytes((value.bit_length() + 7) // 8, "big")
    return bytes([len(content)]) + content


def _string(value: bytes) -> bytes:
    """The bytes, with 0 as 0 255 and 255 as 255 0, and 0 1 at the end."""
    return b"".join([_ESCAPED.get(byte) or bytes([byte]) for byte in value]) + b"\x00\x01"


_ESCAPED = {0x00: b"\x00\xff", 0xFF: b"\xff\x00"}


def _signed(value: int) -> bytes:
    """Two's complement of n bytes in which the first n bits below the sign count the bytes.

    One byte holds seven bits with the sign, each further byte seven more. A number that is not negative begins with n
    ones and a zero, a negative one with n zeros and a one.
    """
    bits = (value if value >= 0 else ~value).bit_length()
    count = bits // 7 + 1
    wide = max(count, 10)
    ones = ((1 << count) - 1) << 8 * count - count
    content = (value % (1 << 8 * wide)) ^ ones
    return content.to_bytes(wide, "big")[-count:]
