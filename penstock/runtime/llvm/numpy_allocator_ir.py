"""What is the pool for large arrays in LLVM IR? See `llvm.numpy_allocator`, which tells how it works and makes NumPy
use it.

CLASSES, BYTES, SMALL and ADVISE stand for numbers and a declaration that `ir()` puts in.
"""

from __future__ import annotations

import sys
from typing import Final

SMALL: Final = 1 << 17
CLASSES: Final = 520
IS_ADVISED: Final = sys.platform.startswith("linux")

_IR: Final = """
@lock = internal global i32 0
@heads = internal global [CLASSES x ptr] zeroinitializer
@used = internal global [CLASSES x i64] zeroinitializer
@clock = internal global i64 0
@idle = global i64 0
@live = global i64 0
@beside = global i64 0
@peak = global i64 0
@cap = global i64 0
@hits = global i64 0
@misses = global i64 0
declare ptr @aligned_alloc(i64, i64)
declare ptr @malloc(i64)
declare ptr @calloc(i64, i64)
declare ptr @realloc(ptr, i64)
declare void @free(ptr)
ADVISE
declare i64 @llvm.ctlz.i64(i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.umax.i64(i64, i64)

define internal void @take() {
  br label %try
try:
  %r = cmpxchg ptr @lock, i32 0, i32 1 acquire monotonic
  %ok = extractvalue { i32, i1 } %r, 1
  br i1 %ok, label %done, label %try
done:
  ret void
}

define internal void @drop() {
  store atomic i32 0, ptr @lock release, align 4
  ret void
}

define internal i64 @add(ptr %word, i64 %change) {
  %old = load i64, ptr %word
  %new = add i64 %old, %change
  store i64 %new, ptr %word
  ret i64 %new
}

; the bytes of a class: 9 to 16 eighths of a power of two
define internal i64 @size_of(i64 %class) {
  %bits = lshr i64 %class, 3
  %eighth = and i64 %class, 7
  %many = add i64 %eighth, 9
  %shift = sub i64 %bits, 4
  %size = shl i64 %many, %shift
  ret i64 %size
}

; under the lock: free idle blocks, the class used longest ago first, until at most %limit bytes are idle
define internal i64 @shrink(i64 %limit) {
entry:
  br label %again
again:
  %freed = phi i64 [ 0, %entry ], [ %freed.more, %found ]
  %now = load i64, ptr @idle
  %fits = icmp ule i64 %now, %limit
  br i1 %fits, label %end, label %scan
scan:
  %i = phi i64 [ 0, %again ], [ %i.next, %each ]
  %best = phi i64 [ -1, %again ], [ %best.next, %each ]
  %when = phi i64 [ -1, %again ], [ %when.next, %each ]
  %more = icmp ult i64 %i, CLASSES
  br i1 %more, label %each, label %chosen
each:
  %head.at = getelementptr [CLASSES x ptr], ptr @heads, i64 0, i64 %i
  %head = load ptr, ptr %head.at
  %there = icmp ne ptr %head, null
  %used.at = getelementptr [CLASSES x i64], ptr @used, i64 0, i64 %i
  %used = load i64, ptr %used.at
  %older = icmp ult i64 %used, %when
  %better = and i1 %there, %older
  %best.next = select i1 %better, i64 %i, i64 %best
  %when.next = select i1 %better, i64 %used, i64 %when
  %i.next = add i64 %i, 1
  br label %scan
chosen:
  %none = icmp eq i64 %best, -1
  br i1 %none, label %end, label %found
found:
  %slot = getelementptr [CLASSES x ptr], ptr @heads, i64 0, i64 %best
  %block = load ptr, ptr %slot
  %next = load ptr, ptr %block
  store ptr %next, ptr %slot
  %size = call i64 @size_of(i64 %best)
  %less = sub i64 0, %size
  %ignored = call i64 @add(ptr @idle, i64 %less)
  call void @free(ptr %block)
  %freed.more = add i64 %freed, %size
  br label %again
end:
  ret i64 %freed
}

define i64 @penstock_trim(i64 %limit) {
  call void @take()
  %freed = call i64 @shrink(i64 %limit)
  call void @drop()
  ret i64 %freed
}

; in a child of a process without a GIL: another thread may have been in the middle of something
define void @penstock_forget() {
  call void @llvm.memset.p0.i64(ptr @heads, i8 0, i64 BYTES, i1 false)
  store i64 0, ptr @idle
  call void @drop()
  ret void
}

define internal ptr @large(i64 %bytes) {
entry:
  %m = sub i64 %bytes, 1
  %zeros = call i64 @llvm.ctlz.i64(i64 %m, i1 true)
  %bits = sub i64 64, %zeros
  %shift = sub i64 %bits, 4
  %down = lshr i64 %m, %shift
  %many = add i64 %down, 1
  %size = shl i64 %many, %shift
  %eighth = sub i64 %many, 9
  %first = shl i64 %bits, 3
  %class = add i64 %first, %eighth
  %slot = getelementptr [CLASSES x ptr], ptr @heads, i64 0, i64 %class
  call void @take()
  %idle.block = load ptr, ptr %slot
  %miss = icmp eq ptr %idle.block, null
  br i1 %miss, label %fresh, label %hit
hit:
  %next = load ptr, ptr %idle.block
  store ptr %next, ptr %slot
  %less = sub i64 0, %size
  %h0 = call i64 @add(ptr @idle, i64 %less)
  %l0 = call i64 @add(ptr @live, i64 %size)
  %h1 = call i64 @add(ptr @hits, i64 1)
  call void @drop()
  %again = getelementptr i8, ptr %idle.block, i64 64
  ret ptr %again
fresh:
  call void @drop()
  %total = add i64 %size, 64
  %one = call ptr @aligned_alloc(i64 64, i64 %total)
  %full = icmp eq ptr %one, null
  br i1 %full, label %clear, label %made
clear:                             ; everything idle goes back to the system, and once more
  call void @take()
  %freed = call i64 @shrink(i64 0)
  call void @drop()
  %two = call ptr @aligned_alloc(i64 64, i64 %total)
  %still = icmp eq ptr %two, null
  br i1 %still, label %fail, label %made
made:
  %block = phi ptr [ %one, %fresh ], [ %two, %clear ]
  call void @take()                  ; only what is there is counted
  %live = call i64 @add(ptr @live, i64 %size)
  %m1 = call i64 @add(ptr @misses, i64 1)
  %idle.now = load i64, ptr @idle
  %beside.now = load i64, ptr @beside
  %held.own = add i64 %live, %idle.now
  %held = add i64 %held.own, %beside.now
  %peak.old = load i64, ptr @peak
  %peak.new = call i64 @llvm.umax.i64(i64 %peak.old, i64 %held)
  store i64 %peak.new, ptr @peak
  call void @drop()
  %payload = getelementptr i8, ptr %block, i64 64
  %class.at = getelementptr i8, ptr %block, i64 56
  store i64 %class, ptr %class.at
  %huge = icmp uge i64 %total, 4194304
  br i1 %huge, label %advise, label %give
advise:                            ; as NumPy does it: huge pages make the first touch several times cheaper
  %at = ptrtoint ptr %block to i64
  %up = add i64 %at, 4095
  %page = and i64 %up, -4096
  %skip = sub i64 %page, %at
  %length = sub i64 %total, %skip
  %page.at = inttoptr i64 %page to ptr
  %told = call i32 @madvise(ptr %page.at, i64 %length, i32 14)
  br label %give
give:
  ret ptr %payload
fail:
  ret ptr null
}

define internal ptr @head_of_small(ptr %block, i64 %bytes) {
entry:
  %none = icmp eq ptr %block, null
  br i1 %none, label %out, label %set
set:
  store i64 %bytes, ptr %block
  %class.at = getelementptr i64, ptr %block, i64 1
  store i64 -1, ptr %class.at
  %payload = getelementptr i64, ptr %block, i64 2
  ret ptr %payload
out:
  ret ptr null
}

define ptr @penstock_malloc(ptr %ctx, i64 %bytes) {
entry:
  %small = icmp ult i64 %bytes, SMALL
  br i1 %small, label %little, label %much
little:
  %more = add i64 %bytes, 16
  %block = call ptr @malloc(i64 %more)
  %p = call ptr @head_of_small(ptr %block, i64 %bytes)
  ret ptr %p
much:
  %sane = icmp ult i64 %bytes, 4611686018427387904
  br i1 %sane, label %go, label %never
go:
  %q = call ptr @large(i64 %bytes)
  ret ptr %q
never:
  ret ptr null
}

define ptr @penstock_calloc(ptr %ctx, i64 %count, i64 %each) {
entry:
  %bytes = mul i64 %count, %each
  %small = icmp ult i64 %bytes, SMALL
  br i1 %small, label %little, label %much
little:
  %more = add i64 %bytes, 16
  %block = call ptr @calloc(i64 1, i64 %more)
  %p = call ptr @head_of_small(ptr %block, i64 %bytes)
  ret ptr %p
much:
  %q = call ptr @penstock_malloc(ptr null, i64 %bytes)
  %none = icmp eq ptr %q, null
  br i1 %none, label %out, label %clear
clear:
  call void @llvm.memset.p0.i64(ptr align 64 %q, i8 0, i64 %bytes, i1 false)
  br label %out
out:
  ret ptr %q
}

define void @penstock_free(ptr %ctx, ptr %p, i64 %bytes) {
entry:
  %none = icmp eq ptr %p, null
  br i1 %none, label %out, label %look
look:
  %class.at = getelementptr i8, ptr %p, i64 -8
  %class = load i64, ptr %class.at
  %small = icmp eq i64 %class, -1
  br i1 %small, label %little, label %much
little:
  %start = getelementptr i8, ptr %p, i64 -16
  call void @free(ptr %start)
  br label %out
much:
  %block = getelementptr i8, ptr %p, i64 -64
  %size = call i64 @size_of(i64 %class)
  %less = sub i64 0, %size
  %cap = load i64, ptr @cap
  call void @take()
  %live = call i64 @add(ptr @live, i64 %less)
  %alone = icmp ugt i64 %size, %cap
  br i1 %alone, label %let.go, label %keep
let.go:                            ; it alone is too much: the others are not dropped for its sake
  call void @drop()
  call void @free(ptr %block)
  br label %out
keep:
  %slot = getelementptr [CLASSES x ptr], ptr @heads, i64 0, i64 %class
  %next = load ptr, ptr %slot
  store ptr %next, ptr %block
  store ptr %block, ptr %slot
  %now = call i64 @add(ptr @clock, i64 1)
  %used.at = getelementptr [CLASSES x i64], ptr @used, i64 0, i64 %class
  store i64 %now, ptr %used.at
  %idle = call i64 @add(ptr @idle, i64 %size)
  %over = icmp ugt i64 %idle, %cap
  br i1 %over, label %too.much, label %kept
too.much:
  %freed = call i64 @shrink(i64 %cap)
  br label %kept
kept:
  call void @drop()
  br label %out
out:
  ret void
}

define ptr @penstock_realloc(ptr %ctx, ptr %p, i64 %bytes) {
entry:
  %none = icmp eq ptr %p, null
  br i1 %none, label %new, label %look
new:
  %n = call ptr @penstock_malloc(ptr null, i64 %bytes)
  ret ptr %n
look:
  %class.at = getelementptr i8, ptr %p, i64 -8
  %class = load i64, ptr %class.at
  %was.small = icmp eq i64 %class, -1
  %is.small = icmp ult i64 %bytes, SMALL
  %stays = and i1 %was.small, %is.small
  br i1 %stays, label %little, label %move
little:
  %start = getelementptr i8, ptr %p, i64 -16
  %more = add i64 %bytes, 16
  %block = call ptr @realloc(ptr %start, i64 %more)
  %r = call ptr @head_of_small(ptr %block, i64 %bytes)
  ret ptr %r
move:
  %q = call ptr @penstock_malloc(ptr null, i64 %bytes)
  %bad = icmp eq ptr %q, null
  br i1 %bad, label %out, label %copy
copy:
  br i1 %was.small, label %from.small, label %from.large
from.small:
  %size.at = getelementptr i8, ptr %p, i64 -16
  %had.small = load i64, ptr %size.at
  br label %both
from.large:
  %had.large = call i64 @size_of(i64 %class)
  br label %both
both:
  %had = phi i64 [ %had.small, %from.small ], [ %had.large, %from.large ]
  %least = call i64 @llvm.umin.i64(i64 %had, i64 %bytes)
  call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 %least, i1 false)
  call void @penstock_free(ptr null, ptr %p, i64 0)
  br label %out
out:
  ret ptr %q
}
"""


def ir() -> str:
    """The module for this system."""
    advice = "declare i32 @madvise(ptr, i64, i32)"
    if not IS_ADVISED:  # there is no such advice
        advice = "define internal i32 @madvise(ptr %p, i64 %n, i32 %a) {\n  ret i32 0\n}"
    text = _IR.replace("ADVISE", advice).replace("CLASSES", str(CLASSES)).replace("SMALL", str(SMALL))
    return text.replace("BYTES", str(CLASSES * 8))
