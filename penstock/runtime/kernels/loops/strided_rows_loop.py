"""What the loop calls that runs a group's code over transposed, reversed and strided operands; it is a nest.

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

from .transpose_loop import exchanged_in_registers, lanes

ROWS: Final = 16
"""Rows of a block: as many 4-byte elements as a line of the cache holds."""
AHEAD: Final = 192
"""Bytes between what is exchanged of a row and what is fetched of it, for the block of rows after the next two: 3,162 x
3,162 float32 take 7.6 ms, without that 10.7, one block ahead 10.4."""
MOST: Final = 64
"""The most operands."""
HEAD: Final = 5
"""Numbers at the beginning of the table: rows, columns, operands, blocks of an image, elements of a piece of a row. A
row of scratch memory has room for `ROWS` more elements, so that the last piece takes a short rest with it."""
FIELDS: Final = 8
"""Numbers of each operand in the table: address, strides from image to image, row to row, element to element, bytes of
an element, kind, place in the scratch memory, stride that the code gets."""
IN_ORDER, GATHERED, TRANSPOSED = 0, 1, 2


def functions_of_walk(transposed: tuple[int, ...], gathered: tuple[int, ...]) -> str:
    """The functions that the walk calls: `turn` and `gather` for the bytes of the elements of such operands."""
    parts = [_turn(size) for size in transposed] + [_gather(size) for size in gathered]
    declared = "declare i64 @llvm.smin.i64(i64, i64)", "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)"
    return "\n".join([*declared, *parts])


def _turn(size: int) -> str:
    """`@turn4(to, from, stride, m, width)`: m elements of 16 rows that lie element beside element, to rows of `width`
    bytes."""
    side, kind = lanes(size), f"i{8 * size}"
    ahead = "\n  ".join([line for r in range(side) for line in (
        f"%ahead{r}_at = mul i64 %x_row, {r}",
        f"%ahead{r}_next = add i64 %ahead{r}_at, {AHEAD}",
        f"%ahead{r} = getelementptr i8, ptr %from, i64 %ahead{r}_next",
        f"call void @llvm.prefetch.p0(ptr %ahead{r}, i32 0, i32 2, i32 1)",
    )])  # fmt: skip
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
  {ahead}
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
    """`@gather4(to, from, stride, m)`: m elements that lie `stride` bytes apart.

    What lies backwards is read forwards and written backwards: the processor fetches ahead over the ends of rows.
    """
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
  %r.over = urem i64 %m, {some}
  %r.end = sub i64 %m, %r.over
  br label %backwards
backwards:
  %r.above = phi i64 [%r.end, %reverse], [%r, %backwards]
  %r = sub i64 %r.above, {some}
  %r_last = add i64 %r, {some - 1}
  %r_bytes = mul i64 %r_last, {-size}
  %r_from = getelementptr i8, ptr %from, i64 %r_bytes
  %r_x = load {vector}, ptr %r_from, align 1
  %r_y = shufflevector {vector} %r_x, {vector} poison, {bits} <{backwards}>
  %r_to = getelementptr {kind}, ptr %to, i64 %r
  store {vector} %r_y, ptr %r_to, align 1
  %r_more = icmp sgt i64 %r, 0
  br i1 %r_more, label %backwards, label %rest, !llvm.loop !0
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
  %begun = phi i64 [%r.end, %backwards], [%e1, %every]
  %left = icmp slt i64 %begun, %m
  br i1 %left, label %single, label %done
single:
  %start = phi i64 [0, %forward], [%begun, %rest]
  br label %one
{one}"""
