"""The loop that writes the rows of several lists to the positions of their indices in one array.

The lists that `dynamic_partition` gives are sorted. They are merged block by block of the result: a block is cleared,
filled from every list, and written to memory once. Rows that stand earlier than the block at hand end the attempt, as
the order of equal indices would be lost: then the caller puts one list after the other (`gather_scatter_loops.put`).
Four indices are compared at a time, and the next list is fetched into the cache while one is read.

Milliseconds for 1e7 float32 in 2, 16 and 1,000 lists by bytes of a block, filled where it lies or in scratch that is
then written past the caches: 32 KiB 10.1, 12.9, 29.9 or 9.0, 10.4, 26.7; 64 KiB 10.3, 14.5, 20.5 or 9.4, 12.3, 18.3;
256 KiB 10.7, 13.5, 28.9 or 10.4, 12.4, 24.2.
"""

from __future__ import annotations

from typing import Final

from .loop_ir import MEMCPY, copy_row, load_index, row_at, size_of_row
from .loop_template import template

BLOCK: Final = 1 << 16
"""Bytes of the result that are filled at a time: they stay in the first two caches."""
_LANES: Final = 4


@template("merge", "ppppppiiii")
def merge(row_bytes: int, in_scratch: bool) -> tuple[str, str]:
    """loop(out, scratch, indices, rows, counts, dones, lists, low, height, row) -> 1, or 0 after a step back.

    Fills rows `low` to `height` of the result. scratch: `BLOCK` bytes, of use if `in_scratch`; then the bytes of a row
    divide 64, and row `low` begins at a multiple of 64 bytes, as does the scratch. indices, rows: addresses, one for
    each list, of int32s and rows. counts: i64, the entries of each. dones: i64, the entries of each that stand before
    `low`; the loop counts in it, and the caller compares it with what it should be. row: the bytes of a row.
    """
    together = "\n  ".join(
        f"""%i.{q} = add nuw nsw i64 %i, {q}
  {load_index(f"%place.{q}", "%index", f"%i.{q}", "u4")}
  {row_at(f"%to.{q}", "%out", f"%place.{q}", row_bytes)}
  {row_at(f"%from.{q}", "%source", f"%i.{q}", row_bytes)}
  {copy_row(f"%to.{q}", f"%from.{q}", row_bytes)}"""
        for q in range(_LANES)
    )
    fetched = "\n  ".join(
        f"%{name}.{k} = getelementptr i8, ptr %{name}, i64 {64 * k}\n  "
        f"call void @llvm.prefetch.p0(ptr %{name}.{k}, i32 0, i32 3, i32 1)"
        for name in ("n.number", "n.row")
        for k in (0, 1)
    )
    # The rows of the block at hand lie behind %out as if it were the whole result.
    base, written = "%out = getelementptr i8, ptr %result, i64 0\n", ""
    base += "  %filled = getelementptr i8, ptr %block.to, i64 0"
    if in_scratch:
        base = """%before = sub i64 0, %block.to.offset
  %out = getelementptr i8, ptr %scratch, i64 %before
  %filled = getelementptr i8, ptr %scratch, i64 0"""
        written = _WRITTEN
    lanes = f"<{_LANES} x i32>"
    return f"""{MEMCPY}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1 immarg)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
define i64 @merge(ptr noalias %result, ptr noalias %scratch, ptr %indices, ptr %rows, ptr %counts, ptr %dones,
                  i64 %lists, i64 %low, i64 %height, i64 %row) {{
entry:
  %fit = udiv i64 {BLOCK}, {size_of_row(row_bytes)}
  %step = call i64 @llvm.smax.i64(i64 %fit, i64 1)
  %some = icmp sgt i64 %height, %low
  br i1 %some, label %block, label %complete
block:
  %begin = phi i64 [%low, %entry], [%end, %block.written]
  %beyond = add nuw nsw i64 %begin, %step
  %end = call i64 @llvm.smin.i64(i64 %beyond, i64 %height)
  {row_at("%block.to", "%result", "%begin", row_bytes)}
  {base}
  %high = sub i64 %end, %begin
  %bytes = mul i64 %high, {size_of_row(row_bytes)}
  call void @llvm.memset.p0.i64(ptr %filled, i8 0, i64 %bytes, i1 false)
  %begin.raw = trunc i64 %begin to i32
  %begin.one = insertelement {lanes} poison, i32 %begin.raw, i64 0
  %begin.all = shufflevector {lanes} %begin.one, {lanes} poison, {lanes} zeroinitializer
  %high.raw = trunc i64 %high to i32
  %high.one = insertelement {lanes} poison, i32 %high.raw, i64 0
  %high.all = shufflevector {lanes} %high.one, {lanes} poison, {lanes} zeroinitializer
  br label %list
list:
  %m = phi i64 [0, %block], [%m.next, %list.next]
  %count.at = getelementptr inbounds i64, ptr %counts, i64 %m
  %count = load i64, ptr %count.at, align 8
  %done.at = getelementptr inbounds i64, ptr %dones, i64 %m
  %done = load i64, ptr %done.at, align 8
  %index.at = getelementptr inbounds ptr, ptr %indices, i64 %m
  %index = load ptr, ptr %index.at, align 8
  %source.at = getelementptr inbounds ptr, ptr %rows, i64 %m
  %source = load ptr, ptr %source.at, align 8
  %m.next = add nuw nsw i64 %m, 1
  %m.more = icmp slt i64 %m.next, %lists
  %n = select i1 %m.more, i64 %m.next, i64 %m
  %n.done.at = getelementptr inbounds i64, ptr %dones, i64 %n
  %n.done = load i64, ptr %n.done.at, align 8
  %n.index.at = getelementptr inbounds ptr, ptr %indices, i64 %n
  %n.index = load ptr, ptr %n.index.at, align 8
  %n.source.at = getelementptr inbounds ptr, ptr %rows, i64 %n
  %n.source = load ptr, ptr %n.source.at, align 8
  %n.number = getelementptr i32, ptr %n.index, i64 %n.done
  %n.skip = mul i64 %n.done, {size_of_row(row_bytes)}
  %n.row = getelementptr i8, ptr %n.source, i64 %n.skip
  {fetched}
  %left = icmp slt i64 %done, %count
  br i1 %left, label %look, label %list.next
look:
  %i = phi i64 [%done, %list], [%i.next, %move], [%i.several, %move.several]
  %i.several = add nuw nsw i64 %i, {_LANES}
  %has.several = icmp sle i64 %i.several, %count
  br i1 %has.several, label %look.several, label %one
look.several:
  %four.at = getelementptr inbounds i32, ptr %index, i64 %i
  %several = load {lanes}, ptr %four.at, align 1
  %from.several = sub {lanes} %several, %begin.all
  %are.here = icmp ult {lanes} %from.several, %high.all
  %bits = bitcast <{_LANES} x i1> %are.here to i{_LANES}
  %all.here = icmp eq i{_LANES} %bits, -1
  br i1 %all.here, label %move.several, label %one
move.several:
  {together}
  %four.more = icmp slt i64 %i.several, %count
  br i1 %four.more, label %look, label %list.end
one:
  {load_index("%place", "%index", "%i", "i4")}
  %from.begin = sub i64 %place, %begin
  %is.here = icmp ult i64 %from.begin, %high
  br i1 %is.here, label %move, label %not.here
not.here:
  %is.earlier = icmp slt i64 %place, %begin
  br i1 %is.earlier, label %disorder, label %list.end
move:
  {row_at("%to", "%out", "%place", row_bytes)}
  {row_at("%from", "%source", "%i", row_bytes)}
  {copy_row("%to", "%from", row_bytes)}
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %count
  br i1 %more, label %look, label %list.end
list.end:
  %now = phi i64 [%i, %not.here], [%i.next, %move], [%i.several, %move.several]
  store i64 %now, ptr %done.at, align 8
  br label %list.next
list.next:
  br i1 %m.more, label %list, label %block.next
block.next:
  {written}
  br label %block.written
block.written:
  %b.more = icmp slt i64 %end, %height
  br i1 %b.more, label %block, label %complete
complete:
  {"fence seq_cst" if in_scratch else ""}
  ret i64 1
disorder:
  ret i64 0
}}
!0 = !{{i32 1}}
""", "merge"


_WRITTEN: Final = """%lines = and i64 %bytes, -64
  %any.line = icmp sgt i64 %lines, 0
  br i1 %any.line, label %line, label %odd
line:
  %w = phi i64 [0, %block.next], [%w.next, %line]
  %w.from = getelementptr inbounds i8, ptr %filled, i64 %w
  %w.to = getelementptr inbounds i8, ptr %block.to, i64 %w
  %w.all = load <16 x i32>, ptr %w.from, align 64
  store <16 x i32> %w.all, ptr %w.to, align 64, !nontemporal !0
  %w.next = add nuw nsw i64 %w, 64
  %w.more = icmp slt i64 %w.next, %lines
  br i1 %w.more, label %line, label %odd
odd:
  %odd.from = getelementptr inbounds i8, ptr %filled, i64 %lines
  %odd.to = getelementptr inbounds i8, ptr %block.to, i64 %lines
  %odd.bytes = and i64 %bytes, 63
  call void @llvm.memcpy.p0.p0.i64(ptr %odd.to, ptr %odd.from, i64 %odd.bytes, i1 false)"""
