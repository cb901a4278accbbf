"""The loop that writes the rows of several lists to the positions of their indices in one array.

The lists that `dynamic_partition` gives are sorted. They are merged block by block of the result: a block is cleared,
filled from every list, and written to memory once (1e6 rows of 64 bytes in two lists: two thirds of the time; single
elements are faster one list after the other). Rows that stand earlier than the block at hand end the attempt, as
the order of equal indices would be lost: then the caller puts one list after the other (`gather_scatter_loops.put`).
"""

from __future__ import annotations

from typing import Final

from .loop_ir import MEMCPY, copy_row, load_index, row_at, size_of_row
from .loop_template import template

BLOCK: Final = 1 << 17
"""Bytes of the result that are filled at a time: they stay in the second cache."""


@template("merge", "pppppiii")
def merge(row_bytes: int) -> tuple[str, str]:
    """loop(out, indices, rows, counts, dones, lists, height, bytes of a row) -> 1 if all rows are put, else 0.

    indices, rows: addresses, one for each list, of int32s and rows. counts: i64, the entries of each. dones: i64,
    zeros, that the loop counts in.
    """
    return f"""{MEMCPY}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1 immarg)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
define i64 @merge(ptr noalias %out, ptr %indices, ptr %rows, ptr %counts, ptr %dones, i64 %lists, i64 %height,
                  i64 %row) {{
entry:
  %fit = udiv i64 {BLOCK}, {size_of_row(row_bytes)}
  %step = call i64 @llvm.smax.i64(i64 %fit, i64 1)
  %some = icmp sgt i64 %height, 0
  br i1 %some, label %block, label %check
block:
  %begin = phi i64 [0, %entry], [%end, %block.next]
  %beyond = add nuw nsw i64 %begin, %step
  %end = call i64 @llvm.smin.i64(i64 %beyond, i64 %height)
  {row_at("%cleared", "%out", "%begin", row_bytes)}
  %high = sub i64 %end, %begin
  %bytes = mul i64 %high, {size_of_row(row_bytes)}
  call void @llvm.memset.p0.i64(ptr %cleared, i8 0, i64 %bytes, i1 false)
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
  %left = icmp slt i64 %done, %count
  br i1 %left, label %look, label %list.next
look:
  %i = phi i64 [%done, %list], [%i.next, %move]
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
  %now = phi i64 [%i, %not.here], [%i.next, %move]
  store i64 %now, ptr %done.at, align 8
  br label %list.next
list.next:
  %m.next = add nuw nsw i64 %m, 1
  %m.more = icmp slt i64 %m.next, %lists
  br i1 %m.more, label %list, label %block.next
block.next:
  %b.more = icmp slt i64 %end, %height
  br i1 %b.more, label %block, label %check
check:
  %c = phi i64 [0, %entry], [0, %block.next], [%c.next, %check.next]
  %c.more = icmp slt i64 %c, %lists
  br i1 %c.more, label %check.one, label %complete
check.one:
  %c.count.at = getelementptr inbounds i64, ptr %counts, i64 %c
  %c.count = load i64, ptr %c.count.at, align 8
  %c.done.at = getelementptr inbounds i64, ptr %dones, i64 %c
  %c.done = load i64, ptr %c.done.at, align 8
  %is.all = icmp eq i64 %c.count, %c.done
  br i1 %is.all, label %check.next, label %disorder
check.next:
  %c.next = add nuw nsw i64 %c, 1
  br label %check
complete:
  ret i64 1
disorder:
  ret i64 0
}}
""", "merge"
