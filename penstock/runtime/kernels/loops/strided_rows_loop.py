"""The loop that runs a group's code over operands whose elements do not lie in order: transposed, reversed, strided.

A group's code takes rows whose elements lie together. Here such rows are made of the operands, some hundred elements at
a time, in memory that stays in the first cache, and the code runs on them: the operands are read once, and nothing is
copied in between. The rest of a row comes when all rows are so far, so that the lines and pages which the next block
of 16 rows reads are still near. For each block:

    transposed     a block of 16 rows is exchanged in registers, as in `transpose_loop`: whole lines are read
    other strides  a row is gathered: backwards and every second element by vectors, others one by one
    in order       the row is read where it lies

The code is called by its address, so one such loop serves all groups.
"""

from __future__ import annotations

from typing import Final

from .loop_ir import AS_WRITTEN
from .loop_template import template
from .transpose_loop import exchanged_in_registers, lanes

ROWS: Final = 16
"""Rows of a block: as many 4-byte elements as a line of the cache holds."""
MOST: Final = 64
"""The most operands."""
HEAD: Final = 5
"""Numbers at the beginning of the table: rows, columns, operands, blocks of an image, elements of a piece of a row. A
row of scratch memory has room for `ROWS` more elements, so that the last piece takes a short rest with it."""
FIELDS: Final = 8
"""Numbers of each operand in the table: address, strides from image to image, row to row, element to element, bytes of
an element, kind, place in the scratch memory, stride that the code gets."""
IN_ORDER, GATHERED, TRANSPOSED = 0, 1, 2


@template("strided_rows", "ippii", saves=0.8e-9)
def strided_rows_loop(transposed: tuple[int, ...], gathered: tuple[int, ...]) -> tuple[str, str]:
    """loop(address of the code, table, scratch, first, last) -> 0: the blocks `first` to `last` of all images.

    transposed, gathered: the bytes of the elements of such operands.
    """
    parts = [_turn(size) for size in transposed] + [_gather(size) for size in gathered]
    return "\n".join(["declare i64 @llvm.smin.i64(i64, i64)", "declare i64 @llvm.smax.i64(i64, i64)", *parts,
                      _walk(transposed, gathered), AS_WRITTEN]), "strided_rows"  # fmt: skip


def _turn(size: int) -> str:
    """`@turn4(to, from, stride, m, width)`: m elements of 16 rows that lie element beside element, to rows of `width`
    bytes."""
    side, kind = lanes(size), f"i{8 * size}"
    return f"""define internal void @turn{size}(ptr %scratch, ptr %x, i64 %x_row, i64 %m, i64 %out_row) #0 {{
entry:
  %last = sub i64 %m, {side}
  br label %part
part:
  %rr = phi i64 [0, %entry], [%rr1, %part_end]
  %rr_bytes = mul i64 %rr, {size}
  %x_part = getelementptr i8, ptr %x, i64 %rr_bytes
  %rr_rows = mul i64 %rr, %out_row
  %out_part = getelementptr i8, ptr %scratch, i64 %rr_rows
  br label %block
block:
  %c0 = phi i64 [0, %part], [%c1, %block]
  %c = call i64 @llvm.smin.i64(i64 %c0, i64 %last)
  %c_rows = mul i64 %c, %x_row
  %from = getelementptr i8, ptr %x_part, i64 %c_rows
  %c_bytes = mul i64 %c, {size}
  %to = getelementptr i8, ptr %out_part, i64 %c_bytes
  {exchanged_in_registers(kind, side)}
  %c1 = add i64 %c0, {side}
  %more = icmp slt i64 %c1, %m
  br i1 %more, label %block, label %part_end, !llvm.loop !0
part_end:
  %rr1 = add i64 %rr, {side}
  %on = icmp slt i64 %rr1, {ROWS}
  br i1 %on, label %part, label %done, !llvm.loop !0
done:
  ret void
}}"""


def _gather(size: int) -> str:
    """`@gather4(to, from, stride, m)`: m elements that lie `stride` bytes apart."""
    kind = "<2 x i64>" if size == 16 else f"i{8 * size}"
    head = f"define internal void @gather{size}(ptr %to, ptr %from, i64 %stride, i64 %m) #0 {{"
    one = f"""one:
  %i = phi i64 [%start, %single], [%i1, %one]
  %at = mul i64 %i, %stride
  %p = getelementptr i8, ptr %from, i64 %at
  %x = load {kind}, ptr %p, align 1
  %q = getelementptr {kind}, ptr %to, i64 %i
  store {kind} %x, ptr %q, align 1
  %i1 = add i64 %i, 1
  %more = icmp slt i64 %i1, %m
  br i1 %more, label %one, label %done, !llvm.loop !0
done:
  ret void
}}"""
    if size == 16:
        return f"{head}\nentry:\n  br label %single\nsingle:\n  %start = add i64 0, 0\n  br label %one\n{one}"
    some = 64 // size
    vector, bits = f"<{some} x {kind}>", f"<{some} x i32>"
    backwards = ", ".join([f"i32 {some - 1 - k}" for k in range(some)])
    second = ", ".join([f"i32 {2 * k}" for k in range(some)])
    return f"""{head}
entry:
  %many = icmp sgt i64 %m, {some}
  %is_back = icmp eq i64 %stride, {-size}
  %is_second = icmp eq i64 %stride, {2 * size}
  %back = and i1 %many, %is_back
  %skip = and i1 %many, %is_second
  br i1 %back, label %reverse, label %forward
forward:
  br i1 %skip, label %every, label %single
reverse:
  %r = phi i64 [0, %entry], [%r1, %reverse]
  %r_last = add i64 %r, {some - 1}
  %r_bytes = mul i64 %r_last, {-size}
  %r_from = getelementptr i8, ptr %from, i64 %r_bytes
  %r_x = load {vector}, ptr %r_from, align 1
  %r_y = shufflevector {vector} %r_x, {vector} poison, {bits} <{backwards}>
  %r_to = getelementptr {kind}, ptr %to, i64 %r
  store {vector} %r_y, ptr %r_to, align 1
  %r1 = add i64 %r, {some}
  %r_left = sub i64 %m, %r1
  %r_more = icmp sge i64 %r_left, {some}
  br i1 %r_more, label %reverse, label %rest, !llvm.loop !0
every:
  %e = phi i64 [0, %forward], [%e1, %every]
  %e_bytes = mul i64 %e, {2 * size}
  %e_from = getelementptr i8, ptr %from, i64 %e_bytes
  %e_next = getelementptr i8, ptr %e_from, i64 64
  %e_x = load {vector}, ptr %e_from, align 1
  %e_y = load {vector}, ptr %e_next, align 1
  %e_z = shufflevector {vector} %e_x, {vector} %e_y, {bits} <{second}>
  %e_to = getelementptr {kind}, ptr %to, i64 %e
  store {vector} %e_z, ptr %e_to, align 1
  %e1 = add i64 %e, {some}
  %e_left = sub i64 %m, %e1
  %e_more = icmp sgt i64 %e_left, {some}
  br i1 %e_more, label %every, label %rest, !llvm.loop !0
rest:
  %begun = phi i64 [%r1, %reverse], [%e1, %every]
  %left = icmp slt i64 %begun, %m
  br i1 %left, label %single, label %done
single:
  %start = phi i64 [0, %forward], [%begun, %rest]
  br label %one
{one}"""


_FIELDS: Final = "\n".join([
    f"""  %k.{name}.at = getelementptr i64, ptr %k.entry, i64 {place}
  %k.{name} = load i64, ptr %k.{name}.at, align 8"""
    for place, name in enumerate(("address", "by_image", "by_row", "by_column", "size", "kind", "scratch"))
])  # fmt: skip


def _by_size(call: str, end: str, sizes: tuple[int, ...], size: str, arguments: str) -> str:
    """Lines that call `@{call}{size}` for the size of an operand and go on at `end`."""
    cases = " ".join([f"i64 {each}, label %{call}{each}" for each in sizes])
    lines = [f"  switch i64 {size}, label %{end} [{cases}]"]
    for each in sizes:
        lines += [f"{call}{each}:", f"  call void @{call}{each}({arguments})", f"  br label %{end}"]
    return "\n".join(lines)


def _walk(transposed: tuple[int, ...], gathered: tuple[int, ...]) -> str:
    arguments = "ptr %k.to, ptr %k.from, i64 %k.by_column, i64 %m"
    turn = _by_size("turn", "placed", transposed, "%k.size", f"{arguments}, i64 %k.width")
    gather = _by_size("gather", "gathered", gathered, "%g.size", "ptr %g.to, ptr %g.from, i64 %g.by_column, i64 %m")
    gathers = f"""
each:
  %g = phi i64 [0, %row], [%g1, %gathered]
  %g.source = getelementptr ptr, ptr %sources, i64 %g
  %g.from = load ptr, ptr %g.source, align 8
  %g.is = icmp ne ptr %g.from, null
  br i1 %g.is, label %gather, label %gathered
gather:
  %g.place = mul i64 %g, {FIELDS}
  %g.entry = getelementptr i64, ptr %operands, i64 %g.place
  %g.row.at = getelementptr i64, ptr %g.entry, i64 2
  %g.by_row = load i64, ptr %g.row.at, align 8
  %g.column.at = getelementptr i64, ptr %g.entry, i64 3
  %g.by_column = load i64, ptr %g.column.at, align 8
  %g.size.at = getelementptr i64, ptr %g.entry, i64 4
  %g.size = load i64, ptr %g.size.at, align 8
  %g.next = getelementptr i8, ptr %g.from, i64 %g.by_row
  store ptr %g.next, ptr %g.source, align 8
  %g.slot = getelementptr ptr, ptr %args, i64 %g
  %g.to = load ptr, ptr %g.slot, align 8
{gather}
gathered:
  %g1 = add i64 %g, 1
  %g.more = icmp slt i64 %g1, %count
  br i1 %g.more, label %each, label %run, !llvm.loop !0"""
    return f"""define i64 @strided_rows(i64 %code, ptr %table, ptr %scratch, i64 %first, i64 %last) #0 {{
entry:
  %loop = inttoptr i64 %code to ptr
  %args = alloca [{MOST} x ptr]
  %steps = alloca [{MOST} x i64]
  %onward = alloca [{MOST} x i64]
  %sources = alloca [{MOST} x ptr]
  %dims = alloca i64
  %rows = load i64, ptr %table, align 8
  %columns.at = getelementptr i64, ptr %table, i64 1
  %columns = load i64, ptr %columns.at, align 8
  %count.at = getelementptr i64, ptr %table, i64 2
  %count = load i64, ptr %count.at, align 8
  %blocks.at = getelementptr i64, ptr %table, i64 3
  %blocks = load i64, ptr %blocks.at, align 8
  %most.at = getelementptr i64, ptr %table, i64 4
  %most = load i64, ptr %most.at, align 8
  %room = add i64 %most, {ROWS}
  %operands = getelementptr i64, ptr %table, i64 {HEAD}
  %fit0 = sub i64 %rows, {ROWS}
  %fit = call i64 @llvm.smax.i64(i64 %fit0, i64 0)
  br label %step
step:
  %s = phi i64 [0, %entry], [%s1, %step]
  %s.place = mul i64 %s, {FIELDS}
  %s.entry = add i64 %s.place, {FIELDS - 1}
  %s.at = getelementptr i64, ptr %operands, i64 %s.entry
  %s.step = load i64, ptr %s.at, align 8
  %s.to = getelementptr i64, ptr %steps, i64 %s
  store i64 %s.step, ptr %s.to, align 8
  %s1 = add i64 %s, 1
  %s.more = icmp slt i64 %s1, %count
  br i1 %s.more, label %step, label %begin, !llvm.loop !0
begin:
  %some = icmp slt i64 %first, %last
  br i1 %some, label %piece, label %done
piece:
  %c0 = phi i64 [0, %begin], [%c1, %piece_end]
  %left = sub i64 %columns, %c0
  %is_last = icmp sle i64 %left, %room
  %m = select i1 %is_last, i64 %left, i64 %most
  store i64 %m, ptr %dims, align 8
  br label %block
block:
  %b = phi i64 [%first, %piece], [%b1, %block_end]
  %image = udiv i64 %b, %blocks
  %before = mul i64 %image, %blocks
  %number = sub i64 %b, %before
  %r0 = mul i64 %number, {ROWS}
  %r.more = add i64 %r0, {ROWS}
  %r.end = call i64 @llvm.smin.i64(i64 %r.more, i64 %rows)
  %rt = call i64 @llvm.smin.i64(i64 %r0, i64 %fit)
  %skipped = sub i64 %r0, %rt
  br label %place
place:
  %k = phi i64 [0, %block], [%k1, %placed]
  %k.place = mul i64 %k, {FIELDS}
  %k.entry = getelementptr i64, ptr %operands, i64 %k.place
{_FIELDS}
  %k.is_turned = icmp eq i64 %k.kind, {TRANSPOSED}
  %k.is_gathered = icmp eq i64 %k.kind, {GATHERED}
  %k.row = select i1 %k.is_turned, i64 %rt, i64 %r0
  %k.base = inttoptr i64 %k.address to ptr
  %k.a = mul i64 %image, %k.by_image
  %k.b = mul i64 %k.row, %k.by_row
  %k.c = mul i64 %c0, %k.by_column
  %k.ab = add i64 %k.a, %k.b
  %k.abc = add i64 %k.ab, %k.c
  %k.from = getelementptr i8, ptr %k.base, i64 %k.abc
  %k.to = getelementptr i8, ptr %scratch, i64 %k.scratch
  %k.width = mul i64 %room, %k.size
  %k.skip = mul i64 %k.width, %skipped
  %k.there = getelementptr i8, ptr %k.to, i64 %k.skip
  %k.near = select i1 %k.is_gathered, ptr %k.to, ptr %k.from
  %k.arg = select i1 %k.is_turned, ptr %k.there, ptr %k.near
  %k.slot = getelementptr ptr, ptr %args, i64 %k
  store ptr %k.arg, ptr %k.slot, align 8
  %k.stays = select i1 %k.is_gathered, i64 0, i64 %k.by_row
  %k.on = select i1 %k.is_turned, i64 %k.width, i64 %k.stays
  %k.onward = getelementptr i64, ptr %onward, i64 %k
  store i64 %k.on, ptr %k.onward, align 8
  %k.source = select i1 %k.is_gathered, ptr %k.from, ptr null
  %k.sources = getelementptr ptr, ptr %sources, i64 %k
  store ptr %k.source, ptr %k.sources, align 8
  br i1 %k.is_turned, label %turn, label %placed
turn:
{turn}
placed:
  %k1 = add i64 %k, 1
  %k.more = icmp slt i64 %k1, %count
  br i1 %k.more, label %place, label %row, !llvm.loop !0
row:
  %r = phi i64 [%r0, %placed], [%r1, %moved]
  br label {"%each" if gathered else "%run"}{gathers if gathered else ""}
run:
  call void %loop(ptr %args, ptr %dims, ptr %steps, ptr null)
  br label %move
move:
  %o = phi i64 [0, %run], [%o1, %move]
  %o.slot = getelementptr ptr, ptr %args, i64 %o
  %o.arg = load ptr, ptr %o.slot, align 8
  %o.on.at = getelementptr i64, ptr %onward, i64 %o
  %o.on = load i64, ptr %o.on.at, align 8
  %o.next = getelementptr i8, ptr %o.arg, i64 %o.on
  store ptr %o.next, ptr %o.slot, align 8
  %o1 = add i64 %o, 1
  %o.more = icmp slt i64 %o1, %count
  br i1 %o.more, label %move, label %moved, !llvm.loop !0
moved:
  %r1 = add i64 %r, 1
  %r.again = icmp slt i64 %r1, %r.end
  br i1 %r.again, label %row, label %block_end, !llvm.loop !0
block_end:
  %b1 = add i64 %b, 1
  %b.more = icmp slt i64 %b1, %last
  br i1 %b.more, label %block, label %piece_end, !llvm.loop !0
piece_end:
  %c1 = add i64 %c0, %m
  %c.more = icmp slt i64 %c1, %columns
  br i1 %c.more, label %piece, label %done, !llvm.loop !0
done:
  ret i64 0
}}"""
