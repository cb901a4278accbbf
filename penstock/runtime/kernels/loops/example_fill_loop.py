"""The loop that unpacks the values of features which `example_loops` has found in serialised examples."""

from __future__ import annotations

from .example_loops import CURSOR
from .loop_template import template


@template("fill_examples", "pppppppii", saves=500e-9)
def fill_examples_loop() -> tuple[str, str]:
    """loop(data, spans, kinds by key, counts, places, outs, indices, examples, wanted) -> 0, or 1 if a number is longer
    than 64 bits.

    The values of an example go to its place in the array at the address `outs[key]`: floats, ints, and of bytes where
    they begin and end. At `indices[key]`, unless it is 0, each value has the numbers of its example and in it.
    """
    return CURSOR + _FILL, "fill_examples"


_FILL = """
define i64 @fill_examples(ptr %data, ptr %spans, ptr %kinds, ptr %counts, ptr %places, ptr %outs, ptr %indices,
                          i64 %examples, i64 %wanted) {
entry:
  %stop = alloca i64, align 8
  %cells = mul i64 %examples, %wanted
  br label %each
each:
  %cell = phi i64 [0, %entry], [%cell.next, %cell.done]
  %e = phi i64 [0, %entry], [%e.next, %cell.done]
  %k = phi i64 [0, %entry], [%k.next, %cell.done]
  %some = icmp slt i64 %cell, %cells
  br i1 %some, label %one, label %good
one:
  %count.at = getelementptr i64, ptr %counts, i64 %cell
  %count = load i64, ptr %count.at, align 8
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %values, label %cell.done
values:
  %twice = shl i64 %cell, 1
  %begin.at = getelementptr i64, ptr %spans, i64 %twice
  %begin = load i64, ptr %begin.at, align 8
  %finish.at = getelementptr i64, ptr %begin.at, i64 1
  %finish = load i64, ptr %finish.at, align 8
  %place.at = getelementptr i64, ptr %places, i64 %cell
  %place = load i64, ptr %place.at, align 8
  %out.at = getelementptr i64, ptr %outs, i64 %k
  %out.address = load i64, ptr %out.at, align 8
  %out = inttoptr i64 %out.address to ptr
  %kind.at = getelementptr i64, ptr %kinds, i64 %k
  %kind = load i64, ptr %kind.at, align 8
  switch i64 %kind, label %texts [i64 2, label %floats i64 3, label %ints]
floats:
  %f = phi i64 [0, %values], [%f.next, %floats]
  %f.bytes = shl i64 %f, 2
  %f.from = add i64 %begin, %f.bytes
  %f.from.at = getelementptr i8, ptr %data, i64 %f.from
  %float = load i32, ptr %f.from.at, align 1
  %f.to = add i64 %place, %f
  %f.to.at = getelementptr i32, ptr %out, i64 %f.to
  store i32 %float, ptr %f.to.at, align 4
  %f.next = add i64 %f, 1
  %f.more = icmp slt i64 %f.next, %count
  br i1 %f.more, label %floats, label %filled
ints:
  %i = phi i64 [%begin, %values], [%i.next, %int]
  %i.to = phi i64 [%place, %values], [%i.to.next, %int]
  %i.more = icmp slt i64 %i, %finish
  br i1 %i.more, label %number, label %filled
number:
  %n = phi i64 [%i, %ints], [%i.next, %longer]
  %sum = phi i64 [0, %ints], [%sum.next, %longer]
  %shift = phi i64 [0, %ints], [%shift.next, %longer]
  %n.at = getelementptr i8, ptr %data, i64 %n
  %byte = load i8, ptr %n.at, align 1
  %wide = zext i8 %byte to i64
  %low = and i64 %wide, 127
  %moved = shl i64 %low, %shift
  %sum.next = or i64 %sum, %moved
  %i.next = add i64 %n, 1
  %shift.next = add i64 %shift, 7
  %is.last = icmp ult i64 %wide, 128
  br i1 %is.last, label %int, label %longer
longer:
  %fits = icmp ult i64 %shift.next, 70
  br i1 %fits, label %number, label %bad
int:
  %i.to.at = getelementptr i64, ptr %out, i64 %i.to
  store i64 %sum.next, ptr %i.to.at, align 8
  %i.to.next = add i64 %i.to, 1
  br label %ints
texts:
  %t = phi i64 [%begin, %values], [%text.end, %text]
  %t.to = phi i64 [%place, %values], [%t.to.next, %text]
  %t.more = icmp slt i64 %t, %finish
  br i1 %t.more, label %text.read, label %filled
text.read:
  %text.begin = call i64 @sized(ptr %data, i64 %t, i64 %finish, i8 10, ptr %stop)
  %text.bad = icmp slt i64 %text.begin, 0
  br i1 %text.bad, label %bad, label %text
text:
  %text.end = load i64, ptr %stop, align 8
  %pair = shl i64 %t.to, 1
  %pair.at = getelementptr i64, ptr %out, i64 %pair
  store i64 %text.begin, ptr %pair.at, align 8
  %pair.end.at = getelementptr i64, ptr %pair.at, i64 1
  store i64 %text.end, ptr %pair.end.at, align 8
  %t.to.next = add i64 %t.to, 1
  br label %texts
filled:
  %index.at = getelementptr i64, ptr %indices, i64 %k
  %index.address = load i64, ptr %index.at, align 8
  %has.index = icmp ne i64 %index.address, 0
  br i1 %has.index, label %number.values, label %cell.done
number.values:
  %index = inttoptr i64 %index.address to ptr
  br label %numbered
numbered:
  %v = phi i64 [0, %number.values], [%v.next, %numbered]
  %v.place = add i64 %place, %v
  %v.pair = shl i64 %v.place, 1
  %v.at = getelementptr i64, ptr %index, i64 %v.pair
  store i64 %e, ptr %v.at, align 8
  %v.at2 = getelementptr i64, ptr %v.at, i64 1
  store i64 %v, ptr %v.at2, align 8
  %v.next = add i64 %v, 1
  %v.more = icmp slt i64 %v.next, %count
  br i1 %v.more, label %numbered, label %cell.done
cell.done:
  %cell.next = add i64 %cell, 1
  %k.up = add i64 %k, 1
  %row.done = icmp eq i64 %k.up, %wanted
  %k.next = select i1 %row.done, i64 0, i64 %k.up
  %e.up = add i64 %e, 1
  %e.next = select i1 %row.done, i64 %e.up, i64 %e
  br label %each
good:
  ret i64 0
bad:
  ret i64 1
}
"""
