"""The loop of sums over the first axes: rows are added one after the other, as NumPy adds them, in registers.

NumPy calls an inner loop for each row, which takes as long for ten elements as for a hundred.
"""

from __future__ import annotations

from ...llvm.array_head import load_data
from .loop_ir import AS_WRITTEN
from .loop_template import template

NARROW = 64
"""The most columns that are part of the key: their sums are one vector."""
_BLOCKS = (128, 16, 1)
"""Columns that are summed at a time in wider rows."""


@template("column_sums", "aaii", saves=1.3e-8)  # for each row of 10 float32; the work is the rows
def column_sums_loop(kind: str, width: int) -> tuple[str, str]:
    """loop(out, x, rows, width) -> 0: out[j] = 0 + x[0, j] + x[1, j] + ...

    kind: "f4" or "f8". width: the columns, or 0 for any number.
    """
    t = {"f4": "float", "f8": "double"}[kind]
    if width:
        parts = [_block("entry", "whole", width, t, "0", "done")]
    else:
        parts, before = [], ("entry", "0")
        for count, following in zip(_BLOCKS, [*[f"try{n}" for n in _BLOCKS[1:]], "done"], strict=True):
            parts.append(_blocks(*before, count, t, following))
            before = (f"try{count}", f"%from{count}")
    text = "\n".join(parts)
    head = "br label %whole" if width else f"br label %try{_BLOCKS[0]}"
    return f"""define i64 @column_sums(ptr %out_object, ptr %x_object, i64 %rows, i64 %width) #0 {{
entry:
  {load_data("%out", "%out_object")}
  {load_data("%x", "%x_object")}
  {head}
{text}
done:
  ret i64 0
}}
{AS_WRITTEN}""", "column_sums"


def _block(before: str, name: str, count: int, t: str, column: str, following: str) -> str:
    """The sums of `count` columns from `column` on; then it goes to `following`."""
    v = f"<{count} x {t}>"
    return f"""{name}:
  %i.{name} = phi i64 [0, %{before}], [%next.{name}, %{name}]
  %sum.{name} = phi {v} [zeroinitializer, %{before}], [%more.{name}, %{name}]
  %row.{name} = mul i64 %i.{name}, %width
  %at.{name} = add i64 %row.{name}, {column}
  %place.{name} = getelementptr {t}, ptr %x, i64 %at.{name}
  %y.{name} = load {v}, ptr %place.{name}, align 1
  %more.{name} = fadd {v} %sum.{name}, %y.{name}
  %next.{name} = add i64 %i.{name}, 1
  %again.{name} = icmp slt i64 %next.{name}, %rows
  br i1 %again.{name}, label %{name}, label %store.{name}, !llvm.loop !0
store.{name}:
  %to.{name} = getelementptr {t}, ptr %out, i64 {column}
  store {v} %more.{name}, ptr %to.{name}, align 1
  br label %{following}"""


def _blocks(before: str, start: str, count: int, t: str, following: str) -> str:
    """As many blocks of `count` columns as fit, from `start` on."""
    came = f"store.some{count}"
    return f"""try{count}:
  %from{count} = phi i64 [{start}, %{before}], [%end{count}, %{came}]
  %end{count} = add i64 %from{count}, {count}
  %fits{count} = icmp sle i64 %end{count}, %width
  br i1 %fits{count}, label %begin{count}, label %{following}
begin{count}:
  br label %some{count}
{_block(f"begin{count}", f"some{count}", count, t, f"%from{count}", f"try{count}")}"""
