"""The loop that draws rows from the buffer of a shuffled dataset: see `ops.datasets.random_order`."""

from __future__ import annotations

from ...llvm.array_head import load_data
from .loop_template import template


@template("shuffle_buffer", "aaaaiiii", saves=250e-9)
def shuffle_buffer_loop() -> tuple[str, str]:
    """loop(out, held, words, items, count, first, number, size | whether items come in << 62) -> 0.

    `held` is a ring of `size` places, of which `number` are in use from `first` on. In each of `count` steps the next
    item is put behind the last one, where items come in; then comes what is words[i] % number places behind the first
    one, which is moved there.
    """
    return f"""
define i64 @shuffle_buffer(ptr %out.array, ptr %held.array, ptr %words.array, ptr %items.array, i64 %count,
                           i64 %first0, i64 %number0, i64 %packed) {{
entry:
  {load_data("%out", "%out.array")}
  {load_data("%held", "%held.array")}
  {load_data("%words", "%words.array")}
  {load_data("%items", "%items.array")}
  %comes = lshr i64 %packed, 62
  %size = and i64 %packed, 4611686018427387903
  %is.coming = icmp ne i64 %comes, 0
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [0, %entry], [%next, %draw]
  %first = phi i64 [%first0, %entry], [%first.next, %draw]
  %number = phi i64 [%number0, %entry], [%number.next, %draw]
  br i1 %is.coming, label %put, label %draw
put:
  %end = add i64 %first, %number
  %end.over = icmp uge i64 %end, %size
  %end.back = sub i64 %end, %size
  %end.place = select i1 %end.over, i64 %end.back, i64 %end
  %item.at = getelementptr i64, ptr %items, i64 %i
  %item = load i64, ptr %item.at, align 8
  %end.at = getelementptr i64, ptr %held, i64 %end.place
  store i64 %item, ptr %end.at, align 8
  br label %draw
draw:
  %now = add i64 %number, %comes
  %word.at = getelementptr i32, ptr %words, i64 %i
  %word32 = load i32, ptr %word.at, align 4
  %word = zext i32 %word32 to i64
  %step = urem i64 %word, %now
  %there = add i64 %first, %step
  %over = icmp uge i64 %there, %size
  %back = sub i64 %there, %size
  %place = select i1 %over, i64 %back, i64 %there
  %place.at = getelementptr i64, ptr %held, i64 %place
  %first.at = getelementptr i64, ptr %held, i64 %first
  %drawn = load i64, ptr %place.at, align 8
  %moved = load i64, ptr %first.at, align 8
  store i64 %moved, ptr %place.at, align 8
  %out.at = getelementptr i64, ptr %out, i64 %i
  store i64 %drawn, ptr %out.at, align 8
  %number.next = sub i64 %now, 1
  %first.up = add i64 %first, 1
  %is.last = icmp eq i64 %first.up, %size
  %first.next = select i1 %is.last, i64 0, i64 %first.up
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %done
done:
  ret i64 0
}}
""", "shuffle_buffer"
