"""The loop that exchanges two dimensions of an array.

A square block of it is loaded into registers, row by row, exchanged there, and stored row by row: each line of the
cache is read and written once, by whole vectors. The exchange is a butterfly: first the halves of the block change
places, then the quarters of each half, down to single elements.

    a b c d        a b i j       a e i m
    e f g h   ->   e f m n   ->  b f j n
    i j k l        c d k l       c g k o
    m n o p        g h o p       d h l p

Blocks at the far edges are moved inwards until they fit, so that some elements are written twice, with the same value.
A strip of blocks runs along the rows of the result, where writing is in order; it ends after some thousand bytes, so
that the lines which the next strip reads again are still in the cache.
"""

from __future__ import annotations

from typing import Final

from ...llvm.toolchain import features
from .loop_ir import AS_WRITTEN
from .loop_template import template


def lanes(itemsize: int) -> int:
    """Rows and columns of a block: as many elements as one of the processor's registers holds, but 4 to 16."""
    there = features()
    width = 64 if "avx512f" in there else 32 if "avx2" in there else 16
    return min(16, max(4, width // itemsize))


@template("transpose", "ppiiiiiiii", saves=0.8e-9)
def transpose_loop(itemsize: int, most: int) -> tuple[str, str]:
    """loop(out, x, rows, columns, row of x, row of out, images, image of x, image of out, strip) -> 0.

    out[k, j, i] = x[k, i, j] for i < rows, j < columns, k < images, both of which hold their last dimension without
    gaps; strides are in bytes. most: 16, 8 or 4; rows and columns are not fewer. strip is a number of rows of x, and a
    multiple of 16.
    """
    side = min(most, lanes(itemsize))
    kind = f"i{8 * itemsize}"
    exchange = _by_elements(side) if itemsize == 16 else exchanged_in_registers(kind, side)
    text = _LOOPS.replace("BLOCK", exchange).replace("SIDE", str(side)).replace("SIZE", str(itemsize))
    return text, "transpose"


def exchanged_in_registers(kind: str, side: int) -> str:
    """Lines that move `side` rows at %from, %x_row bytes apart, to columns at %to, %out_row bytes apart."""
    vector = f"<{side} x {kind}>"
    lines = []
    for r in range(side):
        lines += [
            f"%from{r}_at = mul i64 %x_row, {r}",
            f"%from{r} = getelementptr i8, ptr %from, i64 %from{r}_at",
            f"%v0_{r} = load {vector}, ptr %from{r}, align 1",
        ]
    stage, distance = 0, side // 2
    while distance:
        for r in range(side):
            if r & distance:
                continue
            pair = f"{vector} %v{stage}_{r}, {vector} %v{stage}_{r | distance}"
            low = [side + (i & ~distance) if i & distance else i for i in range(side)]
            high = [side + i if i & distance else i | distance for i in range(side)]
            for to, mask in ((r, low), (r | distance, high)):
                chosen = ", ".join(f"i32 {m}" for m in mask)
                lines.append(f"%v{stage + 1}_{to} = shufflevector {pair}, <{side} x i32> <{chosen}>")
        stage, distance = stage + 1, distance // 2
    for r in range(side):
        lines += [
            f"%to{r}_at = mul i64 %out_row, {r}",
            f"%to{r} = getelementptr i8, ptr %to, i64 %to{r}_at",
            f"store {vector} %v{stage}_{r}, ptr %to{r}, align 1",
        ]
    return "\n  ".join(lines)


def _by_elements(side: int) -> str:
    """Elements that fill a register alone are moved one by one."""
    lines = []
    for r in range(side):
        lines += [f"%from{r}_at = mul i64 %x_row, {r}", f"%from{r} = getelementptr i8, ptr %from, i64 %from{r}_at"]
        lines += [f"%to{r}_at = mul i64 %out_row, {r}", f"%to{r} = getelementptr i8, ptr %to, i64 %to{r}_at"]
    for c in range(side):
        for r in range(side):
            lines += [
                f"%from{r}_{c} = getelementptr i8, ptr %from{r}, i64 {16 * c}",
                f"%v{r}_{c} = load <2 x i64>, ptr %from{r}_{c}, align 1",
                f"%to{c}_{r} = getelementptr i8, ptr %to{c}, i64 {16 * r}",
                f"store <2 x i64> %v{r}_{c}, ptr %to{c}_{r}, align 1",
            ]
    return "\n  ".join(lines)


_LOOPS: Final = """
declare i64 @llvm.smin.i64(i64, i64)
define i64 @transpose(ptr noalias %out, ptr noalias %x, i64 %rows, i64 %columns, i64 %x_row, i64 %out_row,
                      i64 %images, i64 %x_image, i64 %out_image, i64 %strip) #0 {
entry:
  %last_row = sub i64 %rows, SIDE
  %last_column = sub i64 %columns, SIDE
  %some = icmp sgt i64 %images, 0
  br i1 %some, label %image, label %done
image:
  %k = phi i64 [0, %entry], [%k1, %image_end]
  %x_at = mul i64 %k, %x_image
  %out_at = mul i64 %k, %out_image
  %x_k = getelementptr i8, ptr %x, i64 %x_at
  %out_k = getelementptr i8, ptr %out, i64 %out_at
  br label %strips
strips:
  %start = phi i64 [0, %image], [%end, %strips_end]
  %end0 = add i64 %start, %strip
  %end = call i64 @llvm.smin.i64(i64 %end0, i64 %rows)
  br label %column
column:
  %j0 = phi i64 [0, %strips], [%j1, %column_end]
  %j = call i64 @llvm.smin.i64(i64 %j0, i64 %last_column)
  %j_bytes = mul i64 %j, SIZE
  %x_column = getelementptr i8, ptr %x_k, i64 %j_bytes
  %row_bytes = mul i64 %j, %out_row
  %out_column = getelementptr i8, ptr %out_k, i64 %row_bytes
  br label %row
row:
  %i0 = phi i64 [%start, %column], [%i1, %row]
  %i = call i64 @llvm.smin.i64(i64 %i0, i64 %last_row)
  %i_rows = mul i64 %i, %x_row
  %from = getelementptr i8, ptr %x_column, i64 %i_rows
  %i_bytes = mul i64 %i, SIZE
  %to = getelementptr i8, ptr %out_column, i64 %i_bytes
  BLOCK
  %i1 = add i64 %i0, SIDE
  %more_rows = icmp slt i64 %i1, %end
  br i1 %more_rows, label %row, label %column_end, !llvm.loop !0
column_end:
  %j1 = add i64 %j0, SIDE
  %more_columns = icmp slt i64 %j1, %columns
  br i1 %more_columns, label %column, label %strips_end
strips_end:
  %more_strips = icmp slt i64 %end, %rows
  br i1 %more_strips, label %strips, label %image_end
image_end:
  %k1 = add i64 %k, 1
  %more_images = icmp slt i64 %k1, %images
  br i1 %more_images, label %image, label %done
done:
  ret i64 0
}
""" + AS_WRITTEN
