"""Loops that partition rows by labels; `part`, which moves rows of any size, is a nest (`nest_loops`).

The first loop counts the rows of each label, so that the results can be allocated, and writes the labels down in one or
two bytes each. Another thread may write into labels that were fed. So the loops that move rows read only what the first
one wrote: they need no checks, and less memory passes.
"""

from __future__ import annotations

from typing import Final

from .loop_ir import load_index, row_at, type_in_register
from .loop_template import template

_BLOCK: Final = 4096
_AT_A_TIME: Final = 4


@template("count_labels", "pppii", saves=5e-9)
def count_labels(tables: int, label_bytes: int) -> tuple[str, str]:
    """loop(counts, narrow, labels, number of labels, parts) -> the largest label, read as a number without a sign.

    counts: i64 [tables, parts], zeros; of no use if a label is out of range. Several tables, used in turn, since a
    counter that was just written is not yet there to be read: 1e7 equal labels 4.5 ms instead of 6.0.
    narrow: the labels in `label_bytes` each; one out of range becomes the last one.

    A block is narrowed, in vectors, before it is counted: stores that miss the cache would hold up the counters behind
    them (all of a partition of 1e7 float32 into 16: 15 ms instead of 25).
    """
    kind = f"u{label_bytes}"

    def count_one(number: int, position: str) -> str:
        k = f".{number}"
        return f"""{load_index(f"%found{k}", "%narrow", position, kind)}
  %counter{k} = getelementptr inbounds i64, ptr %table.{number % tables}, i64 %found{k}
  %old{k} = load i64, ptr %counter{k}, align 8
  %new{k} = add i64 %old{k}, 1
  store i64 %new{k}, ptr %counter{k}, align 8"""

    starts = "\n  ".join(
        f"%skip.{t} = mul i64 %parts, {t}\n  %table.{t} = getelementptr inbounds i64, ptr %counts, i64 %skip.{t}"
        for t in range(tables)
    )
    several = "\n  ".join(f"%i.{k} = add nuw nsw i64 %i, {k}\n  {count_one(k, f'%i.{k}')}" for k in range(_AT_A_TIME))
    return f"""
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)
declare i64 @llvm.smin.i64(i64, i64)
define i64 @count_labels(ptr noalias %counts, ptr noalias %narrow, ptr noalias %labels, i64 %count, i64 %parts) {{
entry:
  {starts}
  %parts.32 = trunc i64 %parts to i32
  %top = sub i32 %parts.32, 1
  br label %block
block:
  %begin = phi i64 [0, %entry], [%end, %rest]
  %largest = phi i32 [0, %entry], [%larger.last, %rest]
  %some = icmp slt i64 %begin, %count
  br i1 %some, label %narrow.begin, label %done
narrow.begin:
  %beyond = add nuw nsw i64 %begin, {_BLOCK}
  %end = call i64 @llvm.smin.i64(i64 %beyond, i64 %count)
  br label %narrow.one
narrow.one:
  %n = phi i64 [%begin, %narrow.begin], [%n.next, %narrow.one]
  %larger = phi i32 [%largest, %narrow.begin], [%larger.next, %narrow.one]
  %label.at = getelementptr inbounds i32, ptr %labels, i64 %n
  %label = load i32, ptr %label.at, align 1
  %larger.next = call i32 @llvm.umax.i32(i32 %larger, i32 %label)
  %clamped = call i32 @llvm.umin.i32(i32 %label, i32 %top)
  {"%short = add i32 %clamped, 0" if label_bytes == 4 else f"%short = trunc i32 %clamped to i{8 * label_bytes}"}
  %short.at = getelementptr inbounds i{8 * label_bytes}, ptr %narrow, i64 %n
  store i{8 * label_bytes} %short, ptr %short.at, align 1
  %n.next = add nuw nsw i64 %n, 1
  %n.more = icmp slt i64 %n.next, %end
  br i1 %n.more, label %narrow.one, label %count.begin
count.begin:
  %larger.last = phi i32 [%larger.next, %narrow.one]
  %size = sub nuw nsw i64 %end, %begin
  %even = and i64 %size, -{_AT_A_TIME}
  %full = add nuw nsw i64 %begin, %even
  br label %head
head:
  %i = phi i64 [%begin, %count.begin], [%next, %step]
  %more = icmp slt i64 %i, %full
  br i1 %more, label %step, label %rest
step:
  {several}
  %next = add nuw nsw i64 %i, {_AT_A_TIME}
  br label %head
rest:
  %last = phi i64 [%full, %head], [%last.next, %one]
  %left = icmp slt i64 %last, %end
  br i1 %left, label %one, label %block
one:
  {count_one(_AT_A_TIME, "%last")}
  %last.next = add nuw nsw i64 %last, 1
  br label %rest
done:
  %worst = zext i32 %largest to i64
  ret i64 %worst
}}
""", "count_labels"


@template("part_by_lines", "pppppii", saves=5e-9)
def part_by_lines(row_bytes: int, label_bytes: int) -> tuple[str, str]:
    """loop(places, starts, lines, elements, narrow labels, number of labels, parts) -> 0.

    With hundreds of parts, each element goes to another page. So those of a part are collected in a line of 64 bytes in
    the cache, and the line is written to memory at once, past the caches. places, starts: the address of the next and
    of the first element of each part, multiples of `row_bytes`. lines: 64 * parts bytes, aligned to 64.
    """
    one = type_in_register(row_bytes)
    return f"""
define i64 @part_by_lines(ptr noalias %places, ptr noalias %starts, ptr noalias %lines, ptr noalias %rows,
                          ptr noalias %labels, i64 %count, i64 %parts) {{
entry:
  br label %head
head:
  %i = phi i64 [0, %entry], [%i.next, %next]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %step, label %finish
step:
  {load_index("%label", "%labels", "%i", f"u{label_bytes}")}
  %place.at = getelementptr inbounds i64, ptr %places, i64 %label
  %place = load i64, ptr %place.at, align 8
  %after = add i64 %place, {row_bytes}
  store i64 %after, ptr %place.at, align 8
  {row_at("%from", "%rows", "%i", row_bytes)}
  %value = load {one}, ptr %from, align 1
  %line = getelementptr inbounds [64 x i8], ptr %lines, i64 %label
  %slot = and i64 %place, 63
  %slot.at = getelementptr inbounds i8, ptr %line, i64 %slot
  store {one} %value, ptr %slot.at, align {row_bytes}
  %i.next = add nuw nsw i64 %i, 1
  %is.full = icmp eq i64 %slot, {64 - row_bytes}
  br i1 %is.full, label %full, label %next, !prof !1
full:
  %begin = sub i64 %after, 64
  %start.at = getelementptr inbounds i64, ptr %starts, i64 %label
  %start = load i64, ptr %start.at, align 8
  %is.own = icmp uge i64 %begin, %start
  br i1 %is.own, label %whole, label %edge, !prof !2
whole:
  %to = inttoptr i64 %begin to ptr
  %all = load <16 x i32>, ptr %line, align 64
  store <16 x i32> %all, ptr %to, align 64, !nontemporal !0
  br label %next
edge:
  %e = phi i64 [%start, %full], [%e.next, %edge]
  {_one_of_a_line("e", "%line", one, row_bytes)}
  %e.more = icmp ult i64 %e.next, %after
  br i1 %e.more, label %edge, label %next
next:
  br label %head
finish:
  %f = phi i64 [0, %head], [%f.next, %last.next]
  %f.more = icmp slt i64 %f, %parts
  br i1 %f.more, label %last, label %done
last:
  %end.at = getelementptr inbounds i64, ptr %places, i64 %f
  %end = load i64, ptr %end.at, align 8
  %first.at = getelementptr inbounds i64, ptr %starts, i64 %f
  %first = load i64, ptr %first.at, align 8
  %even = and i64 %end, -64
  %last.start = call i64 @llvm.umax.i64(i64 %even, i64 %first)
  %last.line = getelementptr inbounds [64 x i8], ptr %lines, i64 %f
  br label %some
some:
  %g = phi i64 [%last.start, %last], [%g.next, %one.more]
  %g.more = icmp ult i64 %g, %end
  br i1 %g.more, label %one.more, label %last.next
one.more:
  {_one_of_a_line("g", "%last.line", one, row_bytes)}
  br label %some
last.next:
  %f.next = add nuw nsw i64 %f, 1
  br label %finish
done:
  fence seq_cst
  ret i64 0
}}
declare i64 @llvm.umax.i64(i64, i64)
!0 = !{{i32 1}}
!1 = !{{!"branch_weights", i32 1, i32 {64 // row_bytes - 1}}}
!2 = !{{!"branch_weights", i32 1000, i32 1}}
""", "part_by_lines"


def _one_of_a_line(name: str, line: str, one: str, row_bytes: int) -> str:
    """Write the element for address %name from its place in the line; %name.next is the address after it."""
    return f"""%{name}.slot = and i64 %{name}, 63
  %{name}.at = getelementptr inbounds i8, ptr {line}, i64 %{name}.slot
  %{name}.value = load {one}, ptr %{name}.at, align {row_bytes}
  %{name}.to = inttoptr i64 %{name} to ptr
  store {one} %{name}.value, ptr %{name}.to, align {row_bytes}
  %{name}.next = add i64 %{name}, {row_bytes}"""
