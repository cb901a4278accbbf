"""The loops of running sums: along an axis that is not the last one row by row, along the last one row beside row.

    out[1] = out[0] + x[0]
    out[2] = out[1] + x[1]  ...

NumPy goes down one column after the other, and reads a line of the cache for each element. The same loop sums up rows
in one place. Along the last axis an addition waits for the one before it, so four rows are added at a time.
"""

from __future__ import annotations

from ...llvm.number_conversion import BF16, half_rules
from .loop_ir import AS_WRITTEN
from .loop_template import template
from .scatter_add_loop import add_row, element_sum, element_type

_TOGETHER = 4
"""Rows that are added at a time."""


@template("running_sums", "ppiiiiiii", saves=3e-9)
def running_sums_loop(dtype: str, in_place: bool) -> tuple[str, str]:
    """loop(out, x, rows, width, row of out, row of x, images, image of out, image of x) -> 0.

    out[k, i + 1] = out[k, i] + x[k, i] for i < rows, k < images, each sum rounded to the dtype. in_place: out[k] =
    out[k] + x[k, i] instead. Strides are in bytes; the elements of a row lie side by side. dtype: as in the loop "add".
    """
    parts = 2 if dtype[0] == "c" else 1  # of a complex number
    operands = "ptr %out_k" if in_place else "ptr %to, ptr %before"
    return f"""{_rules(dtype)}
{add_row(dtype, in_place)}
define i64 @running_sums(ptr %out, ptr %x, i64 %rows, i64 %width, i64 %out_row, i64 %x_row, i64 %images, i64 %out_image,
                         i64 %x_image) {{
entry:
  %length = mul i64 %width, {parts}
  %some_rows = icmp sgt i64 %rows, 0
  %some_columns = icmp sgt i64 %width, 0
  %some_images = icmp sgt i64 %images, 0
  %some_in = and i1 %some_rows, %some_columns
  %some = and i1 %some_in, %some_images
  br i1 %some, label %image, label %done
image:
  %k = phi i64 [0, %entry], [%k1, %image_end]
  %out_at = mul i64 %k, %out_image
  %x_at = mul i64 %k, %x_image
  %out_k = getelementptr i8, ptr %out, i64 %out_at
  %x_k = getelementptr i8, ptr %x, i64 %x_at
  br label %row
row:
  %i = phi i64 [0, %image], [%i1, %row]
  %x_skip = mul i64 %i, %x_row
  %from = getelementptr i8, ptr %x_k, i64 %x_skip
  %before_skip = mul i64 %i, %out_row
  %before = getelementptr i8, ptr %out_k, i64 %before_skip
  %to = getelementptr i8, ptr %before, i64 %out_row
  call void @add_row({operands}, ptr %from, i64 %length)
  %i1 = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i1, %rows
  br i1 %more, label %row, label %image_end
image_end:
  %k1 = add nuw nsw i64 %k, 1
  %more_images = icmp slt i64 %k1, %images
  br i1 %more_images, label %image, label %done
done:
  ret i64 0
}}
""", "running_sums"


@template("running_sums_of_rows", "ppiiiiii", saves=2e-9)
def running_sums_of_rows_loop(dtype: str) -> tuple[str, str]:
    """loop(out, x, rows, width, row of out, row of x, step of out, step of x) -> 0.

    out[k, i + 1] = out[k, i] + x[k, i] for i < width, k < rows, each sum rounded to the dtype. Strides and steps are in
    bytes. dtype: as in the loop "add".
    """
    return f"""{_rules(dtype)}
define i64 @running_sums(ptr noalias %out, ptr noalias %x, i64 %rows, i64 %width, i64 %out_row, i64 %x_row,
                         i64 %out_step, i64 %x_step) #0 {{
entry:
  %some = icmp sgt i64 %width, 0
  br i1 %some, label %try{_TOGETHER}, label %done
{_rows_together(dtype, _TOGETHER, "0, %entry", "try1")}
{_rows_together(dtype, 1, f"%k{_TOGETHER}, %try{_TOGETHER}", "done")}
done:
  ret i64 0
}}
{AS_WRITTEN}""", "running_sums"


def _rows_together(dtype: str, count: int, came: str, following: str) -> str:
    """As long as there are so many rows, add them beside each other; then go to `following`."""
    one = element_type(dtype)
    parts = 2 if dtype[0] == "c" else 1
    heads, sums, moves, n = [], [], [], count
    for r in range(count):
        heads.append(f"%row{n}.{r} = add i64 %k{n}, {r}")
        for array in ("out", "x"):
            heads += [
                f"%{array}{n}.{r}.skip = mul i64 %row{n}.{r}, %{array}_row",
                f"%{array}{n}.{r} = getelementptr i8, ptr %{array}, i64 %{array}{n}.{r}.skip",
            ]
        moves += [
            f"%from{n}.{r} = getelementptr i8, ptr %x{n}.{r}, i64 %x.at{n}",
            f"%to{n}.{r} = getelementptr i8, ptr %out{n}.{r}, i64 %out.at{n}",
        ]
        for p in range(parts):
            chain = f"{n}.{r}.{p}"
            heads += [
                f"%first.at{chain} = getelementptr {one}, ptr %out{n}.{r}, i64 {p}",
                f"%first{chain} = load {one}, ptr %first.at{chain}, align 1",
            ]
            sums.append(f"%old{chain} = phi {one} [%first{chain}, %begin{n}], [%sum{chain}, %element{n}]")
            one_sum = element_sum(dtype, one)
            for name in ("%old", "%new", "%sum"):
                one_sum = one_sum.replace(name, name + chain)
            moves += [
                f"%from{chain} = getelementptr {one}, ptr %from{n}.{r}, i64 {p}",
                f"%new{chain} = load {one}, ptr %from{chain}, align 1",
                one_sum,
                f"%to{chain} = getelementptr {one}, ptr %to{n}.{r}, i64 {p}",
                f"store {one} %sum{chain}, ptr %to{chain}, align 1",
            ]
    head, phis, move = ("\n  ".join(lines) for lines in (heads, sums, moves))
    return f"""try{n}:
  %k{n} = phi i64 [{came}], [%end{n}, %element{n}]
  %end{n} = add i64 %k{n}, {n}
  %fits{n} = icmp sle i64 %end{n}, %rows
  br i1 %fits{n}, label %begin{n}, label %{following}
begin{n}:
  {head}
  br label %element{n}
element{n}:
  %i{n} = phi i64 [0, %begin{n}], [%next{n}, %element{n}]
  {phis}
  %x.at{n} = mul i64 %i{n}, %x_step
  %next{n} = add i64 %i{n}, 1
  %out.at{n} = mul i64 %next{n}, %out_step
  {move}
  %more{n} = icmp slt i64 %next{n}, %width
  br i1 %more{n}, label %element{n}, label %try{n}, !llvm.loop !0"""


def _rules(dtype: str) -> str:
    """The functions that round 16-bit floats."""
    return BF16 if dtype == "bf" else half_rules() if dtype == "f2" else ""
