"""The loop that reverses the first elements of each row, by a length per row.

A row that fits in a few registers is reversed as a whole: those elements of memory that end where its start ends are
loaded, reversed, and chosen for the first places; the row itself is chosen for the others. What is loaded begins before
the row, so the first row goes element by element, as long rows do.

    length 3    memory   . . . r s | a b c d e          (r, s: the end of the row before)
                           [r s a b c]  reversed:  c b a s r
                                        and the row:  a b c d e   ->   c b a d e
"""

from __future__ import annotations

from .loop_ir import MEMCPY, copy_row, load_index, size_of_row
from .loop_template import template


@template("reverse_starts", "pppiii", saves=12e-9)
def reverse_starts_loop(element_bytes: int, kind: str, width: int) -> tuple[str, str]:
    """loop(out, x, lengths, rows, width, bytes of an element) -> rows done: all, if all lengths are in range.

    The first lengths[i] elements of row i are turned around, the others kept. It stops at the first length that is
    negative or greater than the width. element_bytes: 0 if there are many. kind: of the lengths, "i4" or "i8".
    width: if rows are turned in registers, else 0.
    """
    size = size_of_row(element_bytes)
    length = load_index("%length", "%lengths", "%i", kind)
    whole = _in_registers(element_bytes, width) if width else ""
    choice = "br i1 %is_first, label %single, label %whole" if width else "br label %single"
    from_whole = ", [%next, %whole]" if width else ""
    return f"""{MEMCPY}
define i64 @reverse_starts(ptr noalias %out, ptr noalias %x, ptr noalias %lengths, i64 %rows, i64 %width, i64 %row) {{
entry:
  %row_bytes = mul i64 %width, {size}
  %some = icmp sgt i64 %rows, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [0, %entry], [%next_i, %end]
  {length}
  %inside = icmp ule i64 %length, %width
  %next = add nuw nsw i64 %i, 1
  br i1 %inside, label %move, label %outside
outside:
  ret i64 %i
move:
  %skip = mul i64 %i, %row_bytes
  %from = getelementptr i8, ptr %x, i64 %skip
  %to = getelementptr i8, ptr %out, i64 %skip
  %is_first = icmp eq i64 %i, 0
  {choice}
{whole}
single:
  %start_bytes = mul i64 %length, {size}
  %rest_bytes = sub i64 %row_bytes, %start_bytes
  %rest_from = getelementptr i8, ptr %from, i64 %start_bytes
  %rest_to = getelementptr i8, ptr %to, i64 %start_bytes
  call void @llvm.memcpy.p0.p0.i64(ptr %rest_to, ptr %rest_from, i64 %rest_bytes, i1 false)
  %last = sub i64 %length, 1
  %any = icmp sgt i64 %length, 0
  br i1 %any, label %element, label %end
element:
  %t = phi i64 [0, %single], [%t1, %element]
  %mirrored = sub i64 %last, %t
  %element_from_at = mul i64 %mirrored, {size}
  %element_from = getelementptr i8, ptr %from, i64 %element_from_at
  %element_to_at = mul i64 %t, {size}
  %element_to = getelementptr i8, ptr %to, i64 %element_to_at
  {copy_row("%element_to", "%element_from", element_bytes)}
  %t1 = add nuw nsw i64 %t, 1
  %more_elements = icmp slt i64 %t1, %length
  br i1 %more_elements, label %element, label %end
end:
  %next_i = phi i64 [%next, %single], [%next, %element]{from_whole}
  %more = icmp slt i64 %next_i, %rows
  br i1 %more, label %loop, label %done
done:
  ret i64 %rows
}}
""", "reverse_starts"


def _in_registers(element_bytes: int, width: int) -> str:
    element = f"i{8 * element_bytes}"
    vector = f"<{width} x {element}>"
    backwards = ", ".join(f"i32 {i}" for i in reversed(range(width)))
    places = ", ".join(f"{element} {i}" for i in range(width))
    narrow = "add i64 %length, 0" if element_bytes == 8 else f"trunc i64 %length to {element}"
    return f"""whole:
  %kept = load {vector}, ptr %from, align 1
  %before = sub i64 %length, {width}
  %before_bytes = mul i64 %before, {element_bytes}
  %ending = getelementptr i8, ptr %from, i64 %before_bytes
  %start = load {vector}, ptr %ending, align 1
  %turned = shufflevector {vector} %start, {vector} poison, <{width} x i32> <{backwards}>
  %few = {narrow}
  %one = insertelement {vector} poison, {element} %few, i64 0
  %all = shufflevector {vector} %one, {vector} poison, <{width} x i32> zeroinitializer
  %is_start = icmp ult {vector} <{places}>, %all
  %mixed = select <{width} x i1> %is_start, {vector} %turned, {vector} %kept
  store {vector} %mixed, ptr %to, align 1
  br label %end"""
