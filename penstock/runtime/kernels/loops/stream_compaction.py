"""Stream compaction: loops that split the elements of a vector by a mask, or keep the selected ones.

First `mask_bits` makes one bit of each label and counts them, a register at a time. The second walk then reads one bit
instead of a label of 32, and cannot differ from what was counted. It stores each element in both results and advances
one of them, so that there is no branch to predict.
"""

from __future__ import annotations

from typing import Final

from ...llvm.toolchain import features
from .loop_ir import type_in_register
from .loop_template import template

_NEEDED: Final = {1: "avx512vbmi2", 2: "avx512vbmi2", 4: "avx512f", 8: "avx512f"}
"""The feature of a processor that moves the chosen elements of so many bytes to the front of a register of 64 bytes."""
_LANES: Final = 16


@template("mask_bits", "ppi")
def mask_bits(label_bytes: int, binary: bool) -> tuple[str, str]:
    """loop(words, labels, count) -> how many labels are not 0; -1 if `binary` and one is neither 0 nor 1.

    words: u64 [(count + 63) // 64]; bit j of word w is set where label 64 * w + j is not 0. Lowest bit first, as both
    processors have it.
    """
    one, many = f"i{8 * label_bytes}", f"<{_LANES} x i{8 * label_bytes}>"
    quarters, word, seen = [], "0", "%seen"
    for q in range(64 // _LANES):
        quarters.append(f"""%at.{q} = add nuw nsw i64 %first, {_LANES * q}
  %from.{q} = getelementptr inbounds {one}, ptr %labels, i64 %at.{q}
  %some.{q} = load {many}, ptr %from.{q}, align 1
  %true.{q} = icmp ne {many} %some.{q}, zeroinitializer
  %mask.{q} = bitcast <{_LANES} x i1> %true.{q} to i{_LANES}
  %wide.{q} = zext i{_LANES} %mask.{q} to i64
  %shifted.{q} = shl i64 %wide.{q}, {_LANES * q}
  %word.{q} = or i64 {word}, %shifted.{q}
  %seen.{q} = or {many} {seen}, %some.{q}""")
        word, seen = f"%word.{q}", f"%seen.{q}"
    wrong = "icmp ugt" if binary else "icmp ult"
    limit = f"<{', '.join([f'{one} 1'] * _LANES)}>" if binary else "zeroinitializer"
    return f"""
declare i64 @llvm.ctpop.i64(i64)
define i64 @mask_bits(ptr noalias %words, ptr noalias %labels, i64 %count) {{
entry:
  %full = lshr i64 %count, 6
  %any = icmp ne i64 %full, 0
  br i1 %any, label %loop, label %rest
loop:
  %w = phi i64 [0, %entry], [%w.next, %loop]
  %ones = phi i64 [0, %entry], [%ones.next, %loop]
  %seen = phi {many} [zeroinitializer, %entry], [{seen}, %loop]
  %first = shl nuw nsw i64 %w, 6
  {(chr(10) + "  ").join(quarters)}
  %word.at = getelementptr inbounds i64, ptr %words, i64 %w
  store i64 {word}, ptr %word.at, align 8
  %set = call i64 @llvm.ctpop.i64(i64 {word})
  %ones.next = add i64 %ones, %set
  %w.next = add nuw nsw i64 %w, 1
  %w.more = icmp ult i64 %w.next, %full
  br i1 %w.more, label %loop, label %rest
rest:
  %ones.full = phi i64 [0, %entry], [%ones.next, %loop]
  %seen.full = phi {many} [zeroinitializer, %entry], [{seen}, %loop]
  %wrong = {wrong} {many} %seen.full, {limit}
  %wrong.mask = bitcast <{_LANES} x i1> %wrong to i{_LANES}
  %is.wrong = icmp ne i{_LANES} %wrong.mask, 0
  br i1 %is.wrong, label %refuse, label %tail.begin
tail.begin:
  %done = shl i64 %full, 6
  %left = icmp ult i64 %done, %count
  br i1 %left, label %tail, label %finish
tail:
  %i = phi i64 [%done, %tail.begin], [%i.next, %tail.next]
  %last = phi i64 [0, %tail.begin], [%last.next, %tail.next]
  %at = getelementptr inbounds {one}, ptr %labels, i64 %i
  %label = load {one}, ptr %at, align 1
  %too.large = {wrong} {one} %label, {1 if binary else 0}
  br i1 %too.large, label %refuse, label %tail.next
tail.next:
  %is.one = icmp ne {one} %label, 0
  %bit = zext i1 %is.one to i64
  %place = and i64 %i, 63
  %bit.there = shl i64 %bit, %place
  %last.next = or i64 %last, %bit.there
  %i.next = add nuw nsw i64 %i, 1
  %i.more = icmp ult i64 %i.next, %count
  br i1 %i.more, label %tail, label %tail.end
tail.end:
  %last.at = getelementptr inbounds i64, ptr %words, i64 %full
  store i64 %last.next, ptr %last.at, align 8
  %last.set = call i64 @llvm.ctpop.i64(i64 %last.next)
  %ones.all = add i64 %ones.full, %last.set
  ret i64 %ones.all
finish:
  ret i64 %ones.full
refuse:
  ret i64 -1
}}
""", "mask_bits"


@template("compact", "ppppiii", saves=4e-9)
def compact(element_bytes: int, both: bool) -> tuple[str, str]:
    """loop(zeros, ones, elements, words, count, room for zeros, room for ones) -> 0.

    The elements whose bit is set go to `ones`, the others to `zeros`, or nowhere if not `both`. 64 elements are moved
    without a branch where both results have room for as many: a register at a time on processors that can (1e7 float32
    in random order into two parts: 7.2 ms in all instead of 12.1), else one at a time.
    """
    one = type_in_register(element_bytes)
    zero_fits = "%zero.end = add i64 %a, 64\n  %zero.fits = icmp sle i64 %zero.end, %room.zeros" if both else (
        "%zero.fits = or i1 true, true")  # fmt: skip
    in_registers = _NEEDED.get(element_bytes) in features()
    return f"""
declare void @llvm.memcpy.p0.p0.i64(ptr noalias, ptr noalias, i64, i1 immarg)
{_declared(element_bytes) if in_registers else ""}
define i64 @compact(ptr noalias %zeros, ptr noalias %ones, ptr noalias %elements, ptr noalias %words, i64 %count,
                   i64 %room.zeros, i64 %room.ones) {{
entry:
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %block, label %done
block:
  %first = phi i64 [0, %entry], [%first.next, %block.end]
  %b = phi i64 [0, %entry], [%b.next, %block.end]
  %a = sub i64 %first, %b
  %w = lshr i64 %first, 6
  %word.at = getelementptr inbounds i64, ptr %words, i64 %w
  %word = load i64, ptr %word.at, align 8
  %left = sub i64 %count, %first
  %is.full = icmp sge i64 %left, 64
  %source = getelementptr inbounds {one}, ptr %elements, i64 %first
  %zero.to = getelementptr inbounds {one}, ptr %zeros, i64 %a
  %one.to = getelementptr inbounds {one}, ptr %ones, i64 %b
  br i1 %is.full, label %full, label %checked
full:
  switch i64 %word, label %mixed [i64 0, label %all.zeros i64 -1, label %all.ones]
all.zeros:
  {f"call void @llvm.memcpy.p0.p0.i64(ptr %zero.to, ptr %source, i64 {64 * element_bytes}, i1 false)" if both else ""}
  br label %block.end
all.ones:
  call void @llvm.memcpy.p0.p0.i64(ptr %one.to, ptr %source, i64 {64 * element_bytes}, i1 false)
  br label %block.ones
block.ones:
  br label %block.end
mixed:
  {zero_fits}
  %one.end = add i64 %b, 64
  %one.fits = icmp sle i64 %one.end, %room.ones
  %fits = and i1 %zero.fits, %one.fits
  br i1 %fits, label %free, label %checked
free:
  {_by_registers(element_bytes, both) if in_registers else _by_elements(one, both)}
free.end:
  %f.gained = call i64 @llvm.ctpop.i64(i64 %word)
  br label %block.end
checked:
  %end = call i64 @llvm.smin.i64(i64 %left, i64 64)
  br label %careful
careful:
  %c = phi i64 [0, %checked], [%c.next, %careful.end]
  %c.bits = phi i64 [%word, %checked], [%c.rest, %careful.end]
  %c.b = phi i64 [0, %checked], [%c.b.next, %careful.end]
  %c.from = getelementptr inbounds {one}, ptr %source, i64 %c
  %c.value = load {one}, ptr %c.from, align 1
  %c.bit = and i64 %c.bits, 1
  %c.is.one = icmp ne i64 %c.bit, 0
  br i1 %c.is.one, label %careful.one, label %careful.zero
careful.one:
  %c.one = getelementptr inbounds {one}, ptr %one.to, i64 %c.b
  store {one} %c.value, ptr %c.one, align 1
  br label %careful.end
careful.zero:
  %c.a = sub nuw nsw i64 %c, %c.b
  {f"%c.zero = getelementptr inbounds {one}, ptr %zero.to, i64 %c.a" if both else ""}
  {f"store {one} %c.value, ptr %c.zero, align 1" if both else ""}
  br label %careful.end
careful.end:
  %c.b.next = add nuw nsw i64 %c.b, %c.bit
  %c.rest = lshr i64 %c.bits, 1
  %c.next = add nuw nsw i64 %c, 1
  %c.more = icmp slt i64 %c.next, %end
  br i1 %c.more, label %careful, label %block.end, !llvm.loop !2
block.end:
  %gained = phi i64 [0, %all.zeros], [64, %block.ones], [%f.gained, %free.end], [%c.b.next, %careful.end]
  %b.next = add i64 %b, %gained
  %first.next = add nuw nsw i64 %first, 64
  %more = icmp slt i64 %first.next, %count
  br i1 %more, label %block, label %done
done:
  ret i64 0
}}
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.ctpop.i64(i64)
!0 = distinct !{{!0, !1}}
!2 = distinct !{{!2, !3}}
!3 = !{{!"llvm.loop.unroll.disable"}}
!1 = !{{!"llvm.loop.unroll.count", i32 8}}
""", "compact"


def _by_elements(one: str, both: bool) -> str:
    """Store each of 64 elements in both results and advance one of them."""
    return f"""br label %each
each:
  %f = phi i64 [0, %free], [%f.next, %each]
  {"%f.zero = phi ptr [%zero.to, %free], [%f.zero.next, %each]" if both else ""}
  %f.one = phi ptr [%one.to, %free], [%f.one.next, %each]
  %f.from = getelementptr inbounds {one}, ptr %source, i64 %f
  %f.value = load {one}, ptr %f.from, align 1
  {f"store {one} %f.value, ptr %f.zero, align 1" if both else ""}
  store {one} %f.value, ptr %f.one, align 1
  %f.shifted = lshr i64 %word, %f
  %f.bit = and i64 %f.shifted, 1
  %f.other = xor i64 %f.bit, 1
  {f"%f.zero.next = getelementptr inbounds {one}, ptr %f.zero, i64 %f.other" if both else ""}
  %f.one.next = getelementptr inbounds {one}, ptr %f.one, i64 %f.bit
  %f.next = add nuw nsw i64 %f, 1
  %f.more = icmp ult i64 %f.next, 64
  br i1 %f.more, label %each, label %free.end, !llvm.loop !0"""


def _vector(element_bytes: int) -> str:
    return f"<{64 // element_bytes} x i{8 * element_bytes}>"


def _compress(element_bytes: int) -> str:
    return f"@llvm.x86.avx512.mask.compress.v{64 // element_bytes}i{8 * element_bytes}"


def _declared(element_bytes: int) -> str:
    many, lanes = _vector(element_bytes), 64 // element_bytes
    declared = f"declare {many} {_compress(element_bytes)}({many}, {many}, <{lanes} x i1>)\n"
    return declared + (f"declare i{lanes} @llvm.ctpop.i{lanes}(i{lanes})" if lanes < 64 else "")


def _by_registers(element_bytes: int, both: bool) -> str:
    """Move those with a bit, and those without, to the front of a register, and store it whole."""
    many, lanes, lines = _vector(element_bytes), 64 // element_bytes, []
    names = [("one", "%bits.{c}")] + [("zero", "%others.{c}")] * both
    for c in range(element_bytes):
        lines += [
            f"%at.{c} = getelementptr inbounds i8, ptr %source, i64 {64 * c}",
            f"%lanes.{c} = load {many}, ptr %at.{c}, align 1",
            f"%shifted.{c} = lshr i64 %word, {lanes * c}",
            f"%bits.{c} = trunc i64 %shifted.{c} to i{lanes}" if lanes < 64 else f"%bits.{c} = or i64 %shifted.{c}, 0",
            f"%others.{c} = xor i{lanes} %bits.{c}, -1",
        ]
        for name, pattern in names:
            bits, to = pattern.format(c=c), f"%{name}.to.{c}" if c else f"%{name}.to"
            lines += [
                f"%{name}.mask.{c} = bitcast i{lanes} {bits} to <{lanes} x i1>",
                f"%{name}.moved.{c} = call {many} {_compress(element_bytes)}("
                f"{many} %lanes.{c}, {many} zeroinitializer, <{lanes} x i1> %{name}.mask.{c})",
                f"store {many} %{name}.moved.{c}, ptr {to}, align 1",
                f"%{name}.set.{c} = call i{lanes} @llvm.ctpop.i{lanes}(i{lanes} {bits})",
                f"%{name}.count.{c} = zext i{lanes} %{name}.set.{c} to i64"
                if lanes < 64
                else f"%{name}.count.{c} = or i64 %{name}.set.{c}, 0",
                f"%{name}.to.{c + 1} = getelementptr inbounds i{8 * element_bytes}, ptr {to}, i64 %{name}.count.{c}",
            ]
    return "\n  ".join([*lines, "br label %free.end"])
