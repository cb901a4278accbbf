"""The loop that computes a CRC32C (Castagnoli), the checksum of TensorFlow's checkpoints and event files.

A step takes eight bytes: one instruction where the processor has it (SSE 4.2, or the CRC extension of ARM), else eight
table look-ups. The instruction takes three cycles but can be started every cycle, so three parts of a block are
computed side by side and put together: the state after `a b` is the state after `a`, moved on by the length of `b`,
xor the state that `b` alone gives from zero. Moving on by a fixed length is linear in the bits: four look-ups.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from ...llvm.toolchain import features
from .loop_template import template

PART: Final = 2048
"""Bytes of one of the three parts of a block: putting them together takes 3 % of the time."""
_POLYNOMIAL: Final = 0x82F63B78


@template("crc32c", "pii", saves=0.7e-9)
def crc32c_loop() -> tuple[str, str]:
    """loop(bytes, count, state) -> the state after these bytes; the checksum is the complement of the last state."""
    bytewise = _table_of_bytes()
    steps = [bytewise]  # steps[k]: a byte followed by k zero bytes
    for _ in range(7):
        steps.append([bytewise[s & 255] ^ s >> 8 for s in steps[-1]])
    tables = _constant("bytewise", bytewise)
    tables += "".join(_constant(f"skip{k}", [_moved(b << 8 * k) for b in range(256)]) for k in range(4))
    text = _step(steps) + _BODY.replace("PART2", str(2 * PART)).replace("BLOCK", str(3 * PART))
    return tables + text.replace("PART", str(PART)), "crc32c"


def _table_of_bytes() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (_POLYNOMIAL if byte & 1 else 0)
        table.append(byte)
    return table


def _moved(state: int) -> int:
    """The state after `PART` zero bytes."""
    return _apply(_skip(), state)


def _apply(columns: list[int], state: int) -> int:
    result = 0
    for bit, column in enumerate(columns):
        if state >> bit & 1:
            result ^= column
    return result


@cache
def _skip() -> list[int]:
    """The images of the 32 bits under `PART` zero bytes, a power of two: squares of the image under one."""
    table = _table_of_bytes()
    columns = [bit >> 8 ^ table[bit & 255] for bit in (1 << i for i in range(32))]
    for _ in range(PART.bit_length() - 1):
        columns = [_apply(columns, column) for column in columns]
    return columns


def _constant(name: str, values: list[int]) -> str:
    entries = ", ".join(f"i32 {value}" for value in values)
    return f"@{name} = private unnamed_addr constant [256 x i32] [{entries}]\n"


def _step(steps: list[list[int]]) -> str:
    """@step(state, eight bytes) -> state, for this processor."""
    if "sse4.2" in features() or "crc32" in features():
        return _X86
    if "crc" in features():
        return _ARM
    # Byte i of the word is followed by 7 - i others.
    tables = "".join(_constant(f"word{i}", steps[7 - i]) for i in range(8))
    lines = ["define internal i32 @step(i32 %state, i64 %word) alwaysinline {", "  %wide = zext i32 %state to i64",
             "  %x = xor i64 %word, %wide"]  # fmt: skip
    total = "0"
    for i in range(8):
        lines += [
            f"  %r{i} = lshr i64 %x, {8 * i}",
            f"  %b{i} = and i64 %r{i}, 255",
            f"  %p{i} = getelementptr i32, ptr @word{i}, i64 %b{i}",
            f"  %v{i} = load i32, ptr %p{i}, align 4",
            f"  %t{i} = xor i32 {total}, %v{i}",
        ]
        total = f"%t{i}"
    return tables + "\n".join([*lines, f"  ret i32 {total}", "}\n"])


_X86: Final = """
declare i64 @llvm.x86.sse42.crc32.64.64(i64, i64)
define internal i32 @step(i32 %state, i64 %word) alwaysinline {
  %wide = zext i32 %state to i64
  %next = call i64 @llvm.x86.sse42.crc32.64.64(i64 %wide, i64 %word)
  %result = trunc i64 %next to i32
  ret i32 %result
}
"""
_ARM: Final = """
declare i32 @llvm.aarch64.crc32cx(i32, i64)
define internal i32 @step(i32 %state, i64 %word) alwaysinline {
  %next = call i32 @llvm.aarch64.crc32cx(i32 %state, i64 %word)
  ret i32 %next
}
"""
_BODY: Final = """
define internal i32 @look(ptr %table, i32 %state, i32 %shift) alwaysinline {
  %moved = lshr i32 %state, %shift
  %byte = and i32 %moved, 255
  %place = zext i32 %byte to i64
  %at = getelementptr i32, ptr %table, i64 %place
  %value = load i32, ptr %at, align 4
  ret i32 %value
}
define internal i32 @skip(i32 %state) alwaysinline {
  %a = call i32 @look(ptr @skip0, i32 %state, i32 0)
  %b = call i32 @look(ptr @skip1, i32 %state, i32 8)
  %c = call i32 @look(ptr @skip2, i32 %state, i32 16)
  %d = call i32 @look(ptr @skip3, i32 %state, i32 24)
  %ab = xor i32 %a, %b
  %cd = xor i32 %c, %d
  %all = xor i32 %ab, %cd
  ret i32 %all
}
define i64 @crc32c(ptr %data, i64 %count, i64 %given) {
entry:
  %first = trunc i64 %given to i32
  br label %blocks
blocks:
  %p = phi ptr [%data, %entry], [%p.next, %joined]
  %left = phi i64 [%count, %entry], [%left.next, %joined]
  %state = phi i32 [%first, %entry], [%state.next, %joined]
  %whole = icmp uge i64 %left, BLOCK
  br i1 %whole, label %parts, label %words
parts:
  %i = phi i64 [0, %blocks], [%i.next, %parts]
  %s0 = phi i32 [%state, %blocks], [%n0, %parts]
  %s1 = phi i32 [0, %blocks], [%n1, %parts]
  %s2 = phi i32 [0, %blocks], [%n2, %parts]
  %i1 = add i64 %i, PART
  %i2 = add i64 %i, PART2
  %a0 = getelementptr i8, ptr %p, i64 %i
  %a1 = getelementptr i8, ptr %p, i64 %i1
  %a2 = getelementptr i8, ptr %p, i64 %i2
  %w0 = load i64, ptr %a0, align 1
  %w1 = load i64, ptr %a1, align 1
  %w2 = load i64, ptr %a2, align 1
  %n0 = call i32 @step(i32 %s0, i64 %w0)
  %n1 = call i32 @step(i32 %s1, i64 %w1)
  %n2 = call i32 @step(i32 %s2, i64 %w2)
  %i.next = add i64 %i, 8
  %done = icmp eq i64 %i.next, PART
  br i1 %done, label %joined, label %parts
joined:
  %m0 = call i32 @skip(i32 %n0)
  %m1 = xor i32 %m0, %n1
  %m2 = call i32 @skip(i32 %m1)
  %state.next = xor i32 %m2, %n2
  %p.next = getelementptr i8, ptr %p, i64 BLOCK
  %left.next = sub i64 %left, BLOCK
  br label %blocks
words:
  %q = phi ptr [%p, %blocks], [%q.next, %word]
  %rest = phi i64 [%left, %blocks], [%rest.next, %word]
  %sw = phi i32 [%state, %blocks], [%sw.next, %word]
  %enough = icmp uge i64 %rest, 8
  br i1 %enough, label %word, label %bytes
word:
  %w = load i64, ptr %q, align 1
  %sw.next = call i32 @step(i32 %sw, i64 %w)
  %q.next = getelementptr i8, ptr %q, i64 8
  %rest.next = sub i64 %rest, 8
  br label %words
bytes:
  %r = phi ptr [%q, %words], [%r.next, %byte]
  %few = phi i64 [%rest, %words], [%few.next, %byte]
  %sb = phi i32 [%sw, %words], [%sb.next, %byte]
  %any = icmp ne i64 %few, 0
  br i1 %any, label %byte, label %end
byte:
  %b = load i8, ptr %r, align 1
  %bw = zext i8 %b to i32
  %x = xor i32 %sb, %bw
  %found = call i32 @look(ptr @bytewise, i32 %x, i32 0)
  %shifted = lshr i32 %sb, 8
  %sb.next = xor i32 %found, %shifted
  %r.next = getelementptr i8, ptr %r, i64 1
  %few.next = sub i64 %few, 1
  br label %bytes
end:
  %result = zext i32 %sb to i64
  ret i64 %result
}
"""
