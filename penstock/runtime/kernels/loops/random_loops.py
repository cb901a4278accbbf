"""Loops that fill memory with random numbers: words, uniform, normal and truncated normal floats, ints, shuffles.

The numbers are those of `ops.random.random_kernels`, to the bit: the formulas are the same text. A *strip* is what 16
blocks of words make: 64 float32, 32 float64. A loop writes whole strips; the caller gives it memory for them.
"""

from __future__ import annotations

from typing import Final

from ....ops.random.normal_formulas import normal_pair32, normal_pair64, uniform32, uniform64
from ....ops.random.philox import MASK32
from ....ops.random.random_kernels import TRUNCATED_AT, blocks_of_group
from ...llvm.ir_lines import IrLines
from ...llvm.number_conversion import literal
from .loop_ir import AS_WRITTEN
from .loop_template import template
from .random_values import LANES, SQRTS, STREAM, IrValue, IrVocabulary, blocks, interleaved, splat

_NAMES: Final = {"f4": "float", "f8": "double"}
_PER_BLOCK: Final = {"f4": 4, "f8": 2, "u4": 4}
_IOTA: Final = "<" + ", ".join(f"i64 {i}" for i in range(LANES)) + ">"

_TWO_52: Final = float(1 << 52)


def _numbers_of_strip(writer: IrLines) -> IrValue:
    """The numbers of the blocks of strip %strip."""
    first = splat(writer, "%strip") * LANES
    return first.like(f"add {first.vector} {first.name}, {_IOTA}")


def _uniform(kind: str, writer: IrLines, numbers: IrValue) -> IrValue:
    """The numbers that these blocks make, in the order of memory."""
    v = IrVocabulary()
    w0, w1, w2, w3 = blocks(writer, numbers)
    if kind == "f8":
        return interleaved([uniform64(v, w0, w1), uniform64(v, w2, w3)])
    pairs = interleaved([w0 | (w1 << 32), w2 | (w3 << 32)])
    words = pairs.like(f"bitcast {pairs.vector} {pairs.name} to <64 x i32>", "i32", 4 * LANES)
    return words if kind == "u4" else uniform32(v, words)


def _normal(kind: str, writer: IrLines, numbers: IrValue) -> IrValue:
    v = IrVocabulary()
    w0, w1, w2, w3 = blocks(writer, numbers)
    if kind == "f8":
        return interleaved(list(normal_pair64(v, w0, w1, w2, w3)))
    return interleaved([*normal_pair32(v, w0, w1), *normal_pair32(v, w2, w3)])


def _for_each_strip(name: str, body: IrLines, value: IrValue, parameters: str = "") -> str:
    """A module with a function that stores `value`, which `body` computes, for each strip."""
    return f"""{SQRTS}
define i64 @{name}(ptr noalias %out, {STREAM}, i64 %first, i64 %count{parameters}) #0 {{
entry:
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %strip = add i64 %first, %i
{body}
  %to = getelementptr inbounds {value.vector}, ptr %out, i64 %i
  store {value.vector} {value.name}, ptr %to, align 1
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %done, !llvm.loop !0
done:
  ret i64 0
}}
{AS_WRITTEN}"""


@template("random_uniform", "piiiii", saves=6e-9, is_of_starts=True)
def random_uniform_loop(kind: str) -> tuple[str, str]:
    """loop(out, key, low, high, first, count) -> 0: `count` strips from strip `first`; kind "u4" gives words."""
    writer = IrLines()
    made = _uniform(kind, writer, _numbers_of_strip(writer))
    return _for_each_strip("random_uniform", writer, made), "random_uniform"


@template("random_normal", "piiiii", saves=12e-9, is_of_starts=True)
def random_normal_loop(kind: str) -> tuple[str, str]:
    """loop(out, key, low, high, first, count) -> 0."""
    writer = IrLines()
    made = _normal(kind, writer, _numbers_of_strip(writer))
    return _for_each_strip("random_normal", writer, made), "random_normal"


@template("random_truncated", "ppiiiii", saves=40e-9, is_of_starts=True)
def random_truncated_loop(kind: str) -> tuple[str, str]:
    """loop(out, open, key, low, high, first, count) -> 0.

    open: i64 for each group of the strips, of any content. First the numbers of the first block of every group are
    made. A group that lacks some is noted in `open`, with how many it has; then 16 of these at a time get a further
    block, until none is open.
    """
    type, size = _NAMES[kind], _PER_BLOCK[kind]
    vector = f"<{LANES * size} x {type}>"
    writer = IrLines()
    numbers = IrValue(writer, "%numbers", "i64")
    normals = _normal(kind, writer, numbers)
    shift = size.bit_length() - 1
    apart = blocks_of_group(size)
    bits = LANES * size
    return f"""{SQRTS}
declare {vector} @llvm.fabs.v{bits}{"f32" if kind == "f4" else "f64"}({vector})
declare {type} @llvm.fabs.{"f32" if kind == "f4" else "f64"}({type})
declare i64 @llvm.cttz.i64(i64, i1)

define private fastcc void @candidates(ptr %to, {STREAM}, <{LANES} x i64> %numbers) noinline #0 {{
{writer}
  store {vector} {normals.name}, ptr %to, align 1
  ret void
}}

define private fastcc i64 @settled(ptr %group, i64 %have, ptr %from, ptr %buffer) alwaysinline #0 {{
entry:
  br label %loop
loop:
  %j = phi i64 [0, %entry], [%j.next, %loop]
  %n = phi i64 [%have, %entry], [%n.next, %loop]
  %at = getelementptr {type}, ptr %from, i64 %j
  %x = load {type}, ptr %at, align 1
  %to = getelementptr {type}, ptr %buffer, i64 %n
  store {type} %x, ptr %to, align 8
  %size = call {type} @llvm.fabs.{"f32" if kind == "f4" else "f64"}({type} %x)
  %taken = fcmp olt {type} %size, {literal(TRUNCATED_AT)}
  %one = zext i1 %taken to i64
  %n.next = add i64 %n, %one
  %j.next = add i64 %j, 1
  %more = icmp ult i64 %j.next, {size}
  br i1 %more, label %loop, label %done
done:
  ret i64 %n.next
}}

define i64 @random_truncated(ptr noalias %out, ptr noalias %open, {STREAM}, i64 %first, i64 %count) #0 {{
entry:
  %buffer = alloca [{2 * size} x {type}], align 64
  %made = alloca {vector}, align 64
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %strips, label %done

strips:
  %i = phi i64 [0, %entry], [%i.next, %strip.done]
  %found = phi i64 [0, %entry], [%found.after, %strip.done]
  %strip = add i64 %first, %i
  %group.first = mul i64 %strip, {LANES * apart}
  %s0 = insertelement <{LANES} x i64> poison, i64 %group.first, i32 0
  %s1 = shufflevector <{LANES} x i64> %s0, <{LANES} x i64> poison, <{LANES} x i32> zeroinitializer
  %strip.numbers = add <{LANES} x i64> %s1, <{", ".join(f"i64 {apart * lane}" for lane in range(LANES))}>
  %strip.at = getelementptr {vector}, ptr %out, i64 %i
  call fastcc void @candidates(ptr %strip.at, i64 %key, i64 %low, i64 %high, <{LANES} x i64> %strip.numbers)
  %all = load {vector}, ptr %strip.at, align 1
  %sizes = call {vector} @llvm.fabs.v{bits}{"f32" if kind == "f4" else "f64"}({vector} %all)
  %large = fcmp oge {vector} %sizes, <{", ".join([f"{type} {literal(TRUNCATED_AT)}"] * bits)}>
  %mask.raw = bitcast <{bits} x i1> %large to i{bits}
  {f"%mask = zext i{bits} %mask.raw to i64" if bits < 64 else "%mask = or i64 %mask.raw, 0"}
  %any = icmp ne i64 %mask, 0
  br i1 %any, label %note, label %strip.done
note:
  %rest = phi i64 [%mask, %strips], [%rest.next, %note]
  %at.found = phi i64 [%found, %strips], [%at.found.next, %note]
  %bit = call i64 @llvm.cttz.i64(i64 %rest, i1 true)
  %lane = lshr i64 %bit, {shift}
  %lane.place = shl i64 %lane, {shift}
  %group.at = getelementptr {type}, ptr %strip.at, i64 %lane.place
  %have = call fastcc i64 @settled(ptr %group.at, i64 0, ptr %group.at, ptr %buffer)
  %compact = load <{size} x {type}>, ptr %buffer, align 8
  store <{size} x {type}> %compact, ptr %group.at, align 1
  %strip.lane = shl i64 %i, 4
  %group = or i64 %strip.lane, %lane
  %group.shifted = shl i64 %group, 3
  %entry.value = or i64 %group.shifted, %have
  %open.at = getelementptr i64, ptr %open, i64 %at.found
  store i64 %entry.value, ptr %open.at, align 8
  %at.found.next = add i64 %at.found, 1
  %group.bits = shl i64 {(1 << size) - 1}, %lane.place
  %group.others = xor i64 %group.bits, -1
  %rest.next = and i64 %rest, %group.others
  %rest.more = icmp ne i64 %rest.next, 0
  br i1 %rest.more, label %note, label %strip.done
strip.done:
  %found.after = phi i64 [%found, %strips], [%at.found.next, %note]
  %i.next = add i64 %i, 1
  %i.more = icmp slt i64 %i.next, %count
  br i1 %i.more, label %strips, label %rounds

rounds:
  %left = phi i64 [%found.after, %strip.done], [%kept.next, %batch.done]
  %block = phi i64 [1, %strip.done], [%block.next, %batch.done]
  %is.open = icmp ne i64 %left, 0
  br i1 %is.open, label %batches, label %done
batches:
  %b = phi i64 [0, %rounds], [%b.next, %batch.next]
  %kept = phi i64 [0, %rounds], [%kept.next, %batch.next]
  %remaining = sub i64 %left, %b
  %is.part = icmp ult i64 %remaining, {LANES}
  %lanes = select i1 %is.part, i64 %remaining, i64 {LANES}
  br label %gather
gather:
  %g = phi i64 [0, %batches], [%g.next, %gather]
  %vec = phi <{LANES} x i64> [zeroinitializer, %batches], [%vec.next, %gather]
  %g.place = add i64 %b, %g
  %g.at = getelementptr i64, ptr %open, i64 %g.place
  %g.entry = load i64, ptr %g.at, align 8
  %vec.next = insertelement <{LANES} x i64> %vec, i64 %g.entry, i64 %g
  %g.next = add i64 %g, 1
  %g.more = icmp ult i64 %g.next, %lanes
  br i1 %g.more, label %gather, label %draw
draw:
  %groups = lshr <{LANES} x i64> %vec.next, <{", ".join(["i64 3"] * LANES)}>
  %base.first = mul i64 %first, {LANES}
  %t0 = insertelement <{LANES} x i64> poison, i64 %base.first, i32 0
  %t1 = shufflevector <{LANES} x i64> %t0, <{LANES} x i64> poison, <{LANES} x i32> zeroinitializer
  %whole.groups = add <{LANES} x i64> %groups, %t1
  %group.blocks = mul <{LANES} x i64> %whole.groups, <{", ".join([f"i64 {apart}"] * LANES)}>
  %k0 = insertelement <{LANES} x i64> poison, i64 %block, i32 0
  %k1 = shufflevector <{LANES} x i64> %k0, <{LANES} x i64> poison, <{LANES} x i32> zeroinitializer
  %further = add <{LANES} x i64> %group.blocks, %k1
  call fastcc void @candidates(ptr %made, i64 %key, i64 %low, i64 %high, <{LANES} x i64> %further)
  br label %settle
settle:
  %l = phi i64 [0, %draw], [%l.next, %settle]
  %kept.now = phi i64 [%kept, %draw], [%kept.next, %settle]
  %l.place = add i64 %b, %l
  %l.at = getelementptr i64, ptr %open, i64 %l.place
  %l.entry = load i64, ptr %l.at, align 8
  %l.group = lshr i64 %l.entry, 3
  %l.have = and i64 %l.entry, 7
  %l.number = shl i64 %l.group, {shift}
  %l.to = getelementptr {type}, ptr %out, i64 %l.number
  %before = load <{size} x {type}>, ptr %l.to, align 1
  store <{size} x {type}> %before, ptr %buffer, align 8
  %l.from.number = shl i64 %l, {shift}
  %l.from = getelementptr {type}, ptr %made, i64 %l.from.number
  %l.has = call fastcc i64 @settled(ptr %l.to, i64 %l.have, ptr %l.from, ptr %buffer)
  %after = load <{size} x {type}>, ptr %buffer, align 8
  store <{size} x {type}> %after, ptr %l.to, align 1
  %l.keep.at = getelementptr i64, ptr %open, i64 %kept.now
  %l.shifted = shl i64 %l.group, 3
  %l.kept = or i64 %l.shifted, %l.has
  store i64 %l.kept, ptr %l.keep.at, align 8
  %l.lacks = icmp ult i64 %l.has, {size}
  %l.one = zext i1 %l.lacks to i64
  %kept.next = add i64 %kept.now, %l.one
  %l.next = add i64 %l, 1
  %l.more = icmp ult i64 %l.next, %lanes
  br i1 %l.more, label %settle, label %batch.next
batch.next:
  %b.next = add i64 %b, %lanes
  %b.more = icmp ult i64 %b.next, %left
  br i1 %b.more, label %batches, label %batch.done
batch.done:
  %block.next = add i64 %block, 1
  br label %rounds
done:
  ret i64 0
}}
{AS_WRITTEN}""", "random_truncated"


@template("random_ints", "piiiiiii", saves=6e-9)
def random_ints_loop() -> tuple[str, str]:
    """loop(out, key, low, high, first, count, values, start) -> 0: int32 that are start + word % values.

    The quotient is that of float64 rounded down. It is exact: the true quotient of two ints below 2**32 is an int, or
    so far below the next one that rounding does not reach it.
    """
    v, writer = IrVocabulary(), IrLines()
    words = blocks(writer, _numbers_of_strip(writer))
    values, start = splat(writer, "%values"), splat(writer, "%start")
    divisor = _as_double(v, values)
    made = []
    for word in words:
        quotient = _as_double(v, word) / divisor
        whole = quotient.like(f"call {quotient.vector} @llvm.floor.v{LANES}f64({quotient.vector} {quotient.name})")
        made.append(((word - (v.as_bits(whole + _TWO_52) & MASK32) * values) + start) & MASK32)
    pairs = interleaved([made[0] | (made[1] << 32), made[2] | (made[3] << 32)])
    text = _for_each_strip("random_ints", writer, pairs, ", i64 %values, i64 %start")
    return f"declare <{LANES} x double> @llvm.floor.v{LANES}f64(<{LANES} x double>)\n{text}", "random_ints"


def _as_double(v: IrVocabulary, word: IrValue) -> IrValue:
    """An int below 2**32 as a float64."""
    return v.as_float64(word | 0x4330000000000000) - _TWO_52
