"""Loops that partition rows by labels.

A first loop counts the rows of each label, so that the results can be allocated; a second loop moves each row.
Labels are int32. They may change between the two (another thread may write into an array that was fed), so both loops
check them, and no row is written behind the end of its part.
"""

from __future__ import annotations

from .loop_ir import MEMCPY, copy_row, load_index, row_at, size_of_row
from .loop_template import template


@template("count_labels", "ppii", saves=5e-9)
def count_labels(tables: int) -> tuple[str, str]:
    """loop(counts, labels, number of labels, parts) -> the first label out of range, or the number of labels.

    counts: i64 [tables, parts], zeros. Several tables, used in turn, since a counter that was just written is not yet
    there to be read: 1e7 equal labels 4.5 ms instead of 6.0.
    """
    steps = "\n".join(_count_one(t, tables) for t in range(tables))
    zero = "\n  ".join(f"%table.{t} = getelementptr inbounds i64, ptr %counts, i64 %skip.{t}" for t in range(tables))
    skips = "\n  ".join(f"%skip.{t} = mul i64 %parts, {t}" for t in range(tables))
    return f"""
define i64 @count_labels(ptr noalias %counts, ptr noalias %labels, i64 %count, i64 %parts) {{
entry:
  {skips}
  {zero}
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %step.0, label %done
{steps}
done:
  ret i64 %count
}}
""", "count_labels"


def _count_one(t: int, tables: int) -> str:
    after = (t + 1) % tables
    before = (t - 1) % tables
    start = "[0, %entry], " if t == 0 else ""
    return f"""step.{t}:
  %i.{t} = phi i64 {start}[%next.{before}, %add.{before}]
  {load_index(f"%label.{t}", "%labels", f"%i.{t}", "i4")}
  %inside.{t} = icmp ult i64 %label.{t}, %parts
  br i1 %inside.{t}, label %add.{t}, label %outside.{t}
outside.{t}:
  ret i64 %i.{t}
add.{t}:
  %counter.{t} = getelementptr inbounds i64, ptr %table.{t}, i64 %label.{t}
  %old.{t} = load i64, ptr %counter.{t}, align 8
  %new.{t} = add i64 %old.{t}, 1
  store i64 %new.{t}, ptr %counter.{t}, align 8
  %next.{t} = add nuw nsw i64 %i.{t}, 1
  %more.{t} = icmp slt i64 %next.{t}, %count
  br i1 %more.{t}, label %step.{after}, label %done"""


@template("part", "pppiii", saves=5e-9)
def part(row_bytes: int) -> tuple[str, str]:
    """loop(ends, rows, labels, number of labels, parts, bytes of a row) -> how many rows were moved.

    ends: for each part two addresses: where its next row goes (it moves on), and the end of its memory.
    """
    return f"""{MEMCPY}
define i64 @part(ptr noalias %ends, ptr noalias %rows, ptr noalias %labels, i64 %count, i64 %parts, i64 %row) {{
entry:
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [0, %entry], [%next, %move]
  {load_index("%label", "%labels", "%i", "i4")}
  %inside = icmp ult i64 %label, %parts
  br i1 %inside, label %look, label %stop
look:
  %cursor = getelementptr inbounds [2 x ptr], ptr %ends, i64 %label
  %limit.at = getelementptr inbounds ptr, ptr %cursor, i64 1
  %to = load ptr, ptr %cursor, align 8
  %limit = load ptr, ptr %limit.at, align 8
  %fits = icmp ult ptr %to, %limit
  br i1 %fits, label %move, label %stop
move:
  {row_at("%from", "%rows", "%i", row_bytes)}
  {copy_row("%to", "%from", row_bytes)}
  %after = getelementptr inbounds i8, ptr %to, i64 {size_of_row(row_bytes)}
  store ptr %after, ptr %cursor, align 8
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %done
stop:
  ret i64 %i
done:
  ret i64 %count
}}
""", "part"
