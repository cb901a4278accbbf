"""The loop that finds features in batches of serialised examples: see `ops.records.example_table`.

It reads only what every writer of examples writes: one field after the other, each once. It returns the number of the
first example that is written in another way, or damaged, and Python reads the batch instead; so it has no errors to
tell. `example_fill_loop` unpacks the values.
"""

from __future__ import annotations

from .loop_template import template

CURSOR = """
define internal i64 @sized(ptr %data, i64 %start, i64 %end, i8 %tag, ptr %stop) {
entry:
  %length.at = add i64 %start, 1
  %two = icmp slt i64 %length.at, %end
  br i1 %two, label %tagged, label %bad
tagged:
  %tag.at = getelementptr i8, ptr %data, i64 %start
  %tag.is = load i8, ptr %tag.at, align 1
  %same = icmp eq i8 %tag.is, %tag
  br i1 %same, label %loop, label %bad
loop:
  %i = phi i64 [%length.at, %tagged], [%i.next, %byte]
  %sum = phi i64 [0, %tagged], [%sum.next, %byte]
  %shift = phi i64 [0, %tagged], [%shift.next, %byte]
  %inside = icmp slt i64 %i, %end
  %fits = icmp ult i64 %shift, 35
  %go = and i1 %inside, %fits
  br i1 %go, label %byte, label %bad
byte:
  %p = getelementptr i8, ptr %data, i64 %i
  %b = load i8, ptr %p, align 1
  %w = zext i8 %b to i64
  %low = and i64 %w, 127
  %moved = shl i64 %low, %shift
  %sum.next = or i64 %sum, %moved
  %i.next = add i64 %i, 1
  %shift.next = add i64 %shift, 7
  %last = icmp ult i64 %w, 128
  br i1 %last, label %done, label %loop
done:
  %behind = add i64 %i.next, %sum.next
  %whole = icmp sle i64 %behind, %end
  br i1 %whole, label %good, label %bad
good:
  store i64 %behind, ptr %stop, align 8
  ret i64 %i.next
bad:
  ret i64 -1
}
"""


@template("scan_examples", "ppppppppiii", saves=500e-9)
def scan_examples_loop() -> tuple[str, str]:
    """loop(data, starts, slots, keys, key starts, spans, kinds, counts, examples, wanted, mask) -> examples, if all
    are read, else the number of the first one that is not.

    `slots` is a table of hashes: 1 + the number of a key, 0 where there is none. For each example and key, `kinds` gets
    1 for bytes, 2 for floats, 3 for ints, 4 for a feature without a list; `counts` the number of values, and `spans`
    where they begin and end.
    """
    return CURSOR + _SCAN, "scan_examples"


_SCAN = """
define internal i64 @find(ptr %slots, i64 %mask, ptr %keys, ptr %key.starts, ptr %data, i64 %begin, i64 %end) {
entry:
  %length = sub i64 %end, %begin
  br label %hashing
hashing:
  %i = phi i64 [%begin, %entry], [%i.next, %mix]
  %hash = phi i64 [-3750763034362895579, %entry], [%hash.next, %mix]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %mix, label %hashed
mix:
  %p = getelementptr i8, ptr %data, i64 %i
  %b = load i8, ptr %p, align 1
  %w = zext i8 %b to i64
  %x = xor i64 %hash, %w
  %hash.next = mul i64 %x, 1099511628211
  %i.next = add i64 %i, 1
  br label %hashing
hashed:
  %high = lshr i64 %hash, 32
  %first = xor i64 %hash, %high
  br label %probe
probe:
  %raw = phi i64 [%first, %hashed], [%raw.next, %next]
  %slot = and i64 %raw, %mask
  %slot.at = getelementptr i32, ptr %slots, i64 %slot
  %held = load i32, ptr %slot.at, align 4
  %none = icmp eq i32 %held, 0
  br i1 %none, label %missing, label %compare
compare:
  %held.wide = zext i32 %held to i64
  %key = sub i64 %held.wide, 1
  %from.at = getelementptr i64, ptr %key.starts, i64 %key
  %to.at = getelementptr i64, ptr %key.starts, i64 %held.wide
  %from = load i64, ptr %from.at, align 8
  %to = load i64, ptr %to.at, align 8
  %key.length = sub i64 %to, %from
  %as.long = icmp eq i64 %key.length, %length
  br i1 %as.long, label %bytes, label %next
bytes:
  %j = phi i64 [0, %compare], [%j.next, %equal]
  %all = icmp eq i64 %j, %length
  br i1 %all, label %there, label %byte
byte:
  %a.place = add i64 %from, %j
  %b.place = add i64 %begin, %j
  %a.at = getelementptr i8, ptr %keys, i64 %a.place
  %b.at = getelementptr i8, ptr %data, i64 %b.place
  %a = load i8, ptr %a.at, align 1
  %b2 = load i8, ptr %b.at, align 1
  %same = icmp eq i8 %a, %b2
  br i1 %same, label %equal, label %next
equal:
  %j.next = add i64 %j, 1
  br label %bytes
next:
  %raw.next = add i64 %raw, 1
  br label %probe
there:
  ret i64 %key
missing:
  ret i64 -1
}

define i64 @scan_examples(ptr %data, ptr %starts, ptr %slots, ptr %keys, ptr %key.starts, ptr %spans, ptr %kinds,
                          ptr %counts, i64 %examples, i64 %wanted, i64 %mask) {
entry:
  %stop = alloca i64, align 8
  br label %each
each:
  %e = phi i64 [0, %entry], [%e.next, %example.done]
  %some = icmp slt i64 %e, %examples
  br i1 %some, label %example, label %all.done
example:
  %start.at = getelementptr i64, ptr %starts, i64 %e
  %e.next = add i64 %e, 1
  %end.at = getelementptr i64, ptr %starts, i64 %e.next
  %start = load i64, ptr %start.at, align 8
  %end = load i64, ptr %end.at, align 8
  %row = mul i64 %e, %wanted
  %is.empty = icmp eq i64 %start, %end
  br i1 %is.empty, label %example.done, label %features
features:
  %first = call i64 @sized(ptr %data, i64 %start, i64 %end, i8 10, ptr %stop)
  %features.bad = icmp slt i64 %first, 0
  br i1 %features.bad, label %odd, label %features.read
features.read:
  %features.end = load i64, ptr %stop, align 8
  %features.whole = icmp eq i64 %features.end, %end
  br i1 %features.whole, label %entries, label %odd
entries:
  %at = phi i64 [%first, %features.read], [%entry.end, %stored], [%entry.end, %unwanted]
  %more = icmp slt i64 %at, %end
  br i1 %more, label %one, label %example.done
one:
  %entry.begin = call i64 @sized(ptr %data, i64 %at, i64 %end, i8 10, ptr %stop)
  %entry.bad = icmp slt i64 %entry.begin, 0
  br i1 %entry.bad, label %odd, label %key
key:
  %entry.end = load i64, ptr %stop, align 8
  %key.begin = call i64 @sized(ptr %data, i64 %entry.begin, i64 %entry.end, i8 10, ptr %stop)
  %key.bad = icmp slt i64 %key.begin, 0
  br i1 %key.bad, label %odd, label %value
value:
  %key.end = load i64, ptr %stop, align 8
  %value.begin = call i64 @sized(ptr %data, i64 %key.end, i64 %entry.end, i8 18, ptr %stop)
  %value.bad = icmp slt i64 %value.begin, 0
  br i1 %value.bad, label %odd, label %value.read
value.read:
  %value.end = load i64, ptr %stop, align 8
  %value.whole = icmp eq i64 %value.end, %entry.end
  br i1 %value.whole, label %look, label %odd
look:
  %k = call i64 @find(ptr %slots, i64 %mask, ptr %keys, ptr %key.starts, ptr %data, i64 %key.begin, i64 %key.end)
  %cell = add i64 %row, %k
  %is.unwanted = icmp slt i64 %k, 0
  br i1 %is.unwanted, label %unwanted, label %feature
unwanted:
  br label %entries
feature:
  %no.list = icmp eq i64 %value.begin, %value.end
  br i1 %no.list, label %store, label %list
list:
  %tag.at = getelementptr i8, ptr %data, i64 %value.begin
  %tag = load i8, ptr %tag.at, align 1
  %list.begin = call i64 @sized(ptr %data, i64 %value.begin, i64 %value.end, i8 %tag, ptr %stop)
  %list.bad = icmp slt i64 %list.begin, 0
  br i1 %list.bad, label %odd, label %list.read
list.read:
  %list.end = load i64, ptr %stop, align 8
  %list.whole = icmp eq i64 %list.end, %value.end
  br i1 %list.whole, label %which, label %odd
which:
  switch i8 %tag, label %odd [i8 10, label %texts i8 18, label %numbers i8 26, label %numbers]
texts:
  %t = phi i64 [%list.begin, %which], [%text.end, %text]
  %t.count = phi i64 [0, %which], [%t.count.next, %text]
  %t.more = icmp slt i64 %t, %list.end
  br i1 %t.more, label %text.read, label %store
text.read:
  %text.begin = call i64 @sized(ptr %data, i64 %t, i64 %list.end, i8 10, ptr %stop)
  %text.bad = icmp slt i64 %text.begin, 0
  br i1 %text.bad, label %odd, label %text
text:
  %text.end = load i64, ptr %stop, align 8
  %t.count.next = add i64 %t.count, 1
  br label %texts
numbers:
  %no.numbers = icmp eq i64 %list.begin, %list.end
  br i1 %no.numbers, label %store, label %packed
packed:
  %packed.begin = call i64 @sized(ptr %data, i64 %list.begin, i64 %list.end, i8 10, ptr %stop)
  %packed.bad = icmp slt i64 %packed.begin, 0
  br i1 %packed.bad, label %odd, label %packed.read
packed.read:
  %packed.end = load i64, ptr %stop, align 8
  %packed.whole = icmp eq i64 %packed.end, %list.end
  %size = sub i64 %packed.end, %packed.begin
  %is.float = icmp eq i8 %tag, 18
  br i1 %packed.whole, label %by.kind, label %odd
by.kind:
  br i1 %is.float, label %floats, label %ints
floats:
  %quarter = lshr i64 %size, 2
  %rest = and i64 %size, 3
  %floats.whole = icmp eq i64 %rest, 0
  br i1 %floats.whole, label %store, label %odd
ints:
  %i = phi i64 [%packed.begin, %by.kind], [%i.next, %int.byte]
  %i.count = phi i64 [0, %by.kind], [%i.count.next, %int.byte]
  %open = phi i1 [false, %by.kind], [%is.open, %int.byte]
  %i.more = icmp slt i64 %i, %packed.end
  br i1 %i.more, label %int.byte, label %ints.done
int.byte:
  %i.at = getelementptr i8, ptr %data, i64 %i
  %byte = load i8, ptr %i.at, align 1
  %is.open = icmp slt i8 %byte, 0
  %is.last = icmp sge i8 %byte, 0
  %one.more = zext i1 %is.last to i64
  %i.count.next = add i64 %i.count, %one.more
  %i.next = add i64 %i, 1
  br label %ints
ints.done:
  br i1 %open, label %odd, label %store
store:
  %kind = phi i8 [4, %feature], [1, %texts], [%tag, %numbers], [2, %floats], [3, %ints.done]
  %count = phi i64 [0, %feature], [%t.count, %texts], [0, %numbers], [%quarter, %floats], [%i.count, %ints.done]
  %begin = phi i64 [0, %feature], [%list.begin, %texts], [0, %numbers], [%packed.begin, %floats],
                   [%packed.begin, %ints.done]
  %finish = phi i64 [0, %feature], [%list.end, %texts], [0, %numbers], [%packed.end, %floats],
                    [%packed.end, %ints.done]
  %is.tag = icmp ugt i8 %kind, 4
  %kind.of.tag = lshr i8 %kind, 3
  %kind.known = select i1 %is.tag, i8 %kind.of.tag, i8 %kind
  %kind.at = getelementptr i8, ptr %kinds, i64 %cell
  store i8 %kind.known, ptr %kind.at, align 1
  %count.at = getelementptr i64, ptr %counts, i64 %cell
  store i64 %count, ptr %count.at, align 8
  %twice = shl i64 %cell, 1
  %begin.at = getelementptr i64, ptr %spans, i64 %twice
  store i64 %begin, ptr %begin.at, align 8
  %finish.at = getelementptr i64, ptr %begin.at, i64 1
  store i64 %finish, ptr %finish.at, align 8
  br label %stored
stored:
  br label %entries
example.done:
  br label %each
odd:
  ret i64 %e
all.done:
  ret i64 %examples
}
"""
