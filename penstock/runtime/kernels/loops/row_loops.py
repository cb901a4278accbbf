"""Loops that move short rows between arrays with different strides.

    join        rows of several arrays one after another: concat and tile along the last axis
    cut         the inverse: every part of a split along the last axis, in one pass
    copy_rows   strided rows into contiguous rows: one part of a split along the last axis
    pick        row i of the array that index[i] names: multiplex; select with a condition for whole rows
"""

from __future__ import annotations

from .loop_ir import MEMCPY, copy_row, for_each_row, load_index, load_part, row_at
from .loop_template import template


@template("join", "pppi", fewest=1 << 15, saves=0.3e-9)
def join_loop(widths: tuple[int, ...]) -> tuple[str, str]:
    """loop(out, addresses, strides, count) -> 0: out[i] is row i of each array, one behind the other.

    widths: the bytes of a row of each array. addresses, strides: int64, of each array, the strides in bytes.
    """
    heads, start = [], 0
    moves = [f"%row_out_at = mul i64 %i, {sum(widths)}", "%row_out = getelementptr i8, ptr %out, i64 %row_out_at"]
    for p, width in enumerate(widths):
        heads += [
            *load_part(p),
            f"%stride{p}_at = getelementptr i64, ptr %strides, i64 {p}",
            f"%stride{p} = load i64, ptr %stride{p}_at, align 8",
        ]
        moves += [
            f"%skip{p} = mul i64 %i, %stride{p}",
            f"%from{p} = getelementptr i8, ptr %part{p}, i64 %skip{p}",
            f"%to{p} = getelementptr i8, ptr %row_out, i64 {start}",
            copy_row(f"%to{p}", f"%from{p}", width),
        ]
        start += width
    parameters = "ptr noalias %out, ptr %addresses, ptr %strides, i64 %count"
    return for_each_row("join", parameters, moves, "\n  ".join(heads)), "join"


@template("cut", "ppii", fewest=1 << 15, saves=0.6e-9)
def cut_loop(row_bytes: int, parts: int) -> tuple[str, str]:
    """loop(x, addresses, count, stride of x) -> 0: row i of part p is what lies p rows behind byte i * stride of x.

    addresses: int64, of each part; the parts have no gaps.
    """
    heads, moves = [], ["%skip = mul i64 %i, %stride", "%row_x = getelementptr i8, ptr %x, i64 %skip"]
    for p in range(parts):
        heads += load_part(p)
        moves += [
            f"%from{p} = getelementptr i8, ptr %row_x, i64 {p * row_bytes}",
            row_at(f"%to{p}", f"%part{p}", "%i", row_bytes),
            copy_row(f"%to{p}", f"%from{p}", row_bytes),
        ]
    parameters = "ptr noalias %x, ptr %addresses, i64 %count, i64 %stride"
    return for_each_row("cut", parameters, moves, "\n  ".join(heads)), "cut"


@template("copy_rows", "ppiiiii", saves=0.3e-9)
def copy_rows_loop(row_bytes: int) -> tuple[str, str]:
    """loop(out, x, count, stride of x, images, image of x, bytes of a row) -> 0.

    Row i of image k of `x` becomes row k * count + i of `out`, which has no gaps. Strides are in bytes.
    """
    return f"""{MEMCPY}
define i64 @copy_rows(ptr noalias %out, ptr noalias %x, i64 %count, i64 %stride, i64 %images, i64 %x_image, i64 %row) {{
entry:
  %some_rows = icmp sgt i64 %count, 0
  %some_images = icmp sgt i64 %images, 0
  %some = and i1 %some_rows, %some_images
  br i1 %some, label %image, label %done
image:
  %k = phi i64 [0, %entry], [%k1, %image_end]
  %x_at = mul i64 %k, %x_image
  %x_k = getelementptr i8, ptr %x, i64 %x_at
  %first = mul i64 %k, %count
  {row_at("%out_k", "%out", "%first", row_bytes)}
  br label %loop
loop:
  %i = phi i64 [0, %image], [%next, %loop]
  %skip = mul i64 %i, %stride
  %from = getelementptr i8, ptr %x_k, i64 %skip
  {row_at("%to", "%out_k", "%i", row_bytes)}
  {copy_row("%to", "%from", row_bytes)}
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %image_end
image_end:
  %k1 = add nuw nsw i64 %k, 1
  %more_images = icmp slt i64 %k1, %images
  br i1 %more_images, label %image, label %done
done:
  ret i64 0
}}
""", "copy_rows"


@template("pick", "pppiii")  # 5 ms to compile; 1e6 rows of 16 float32 out of 4 arrays then save 25 ms
def pick_loop(row_bytes: int, kind: str) -> tuple[str, str]:
    """loop(out, addresses, index, count, arrays, bytes of a row) -> rows done: `count` if all of `index` are in range.

    out[i] = array index[i] [i]. addresses: int64, of each array. kind: "i4", "i8", or "b1" for bools, of which each
    that is not 0 is True. It stops at the first index that names no array.
    """
    index = load_index("%chosen", "%index", "%i", kind)
    if kind == "b1":
        index = load_index("%byte", "%index", "%i", "u1")
        index += "\n  %truth = icmp ne i64 %byte, 0\n  %chosen = zext i1 %truth to i64"
    moves = [
        "%address_at = getelementptr i64, ptr %addresses, i64 %chosen",
        "%address = load i64, ptr %address_at, align 8",
        "%array = inttoptr i64 %address to ptr",
        row_at("%from", "%array", "%i", row_bytes),
        row_at("%to", "%out", "%i", row_bytes),
        copy_row("%to", "%from", row_bytes),
    ]
    parameters = "ptr noalias %out, ptr noalias %addresses, ptr noalias %index, i64 %count, i64 %arrays, i64 %row"
    inside = f"{index}\n  %inside = icmp ult i64 %chosen, %arrays"
    return for_each_row("pick", parameters, moves, inside=inside), "pick"


@template("select", "ppppi", saves=5e-9)  # np.where guesses: 8 ms for 1e6 float32 and a random condition
def select_loop(itemsize: int) -> tuple[str, str]:
    """loop(out, condition, t, e, count) -> 0: out[i] = t[i] where byte i of `condition` is not 0, else e[i]."""
    kind = f"i{8 * itemsize}"
    moves = [
        "%condition_at = getelementptr inbounds i8, ptr %condition, i64 %i",
        "%byte = load i8, ptr %condition_at, align 1",
        "%is_true = icmp ne i8 %byte, 0",
        f"%t_at = getelementptr inbounds {kind}, ptr %t, i64 %i",
        f"%then = load {kind}, ptr %t_at, align 1",
        f"%e_at = getelementptr inbounds {kind}, ptr %e, i64 %i",
        f"%other = load {kind}, ptr %e_at, align 1",
        f"%chosen = select i1 %is_true, {kind} %then, {kind} %other",
        f"%out_at = getelementptr inbounds {kind}, ptr %out, i64 %i",
        f"store {kind} %chosen, ptr %out_at, align 1",
    ]
    parameters = "ptr noalias %out, ptr noalias %condition, ptr noalias %t, ptr noalias %e, i64 %count"
    return for_each_row("select", parameters, moves), "select"
