"""The code of the block driver: `bind`, `drive` and the copy of rows, as LLVM IR. See `block_driver`.

`bind` reads the heads of NumPy's arrays, which begin behind the object's head with the address of the data, the number
of dimensions, the addresses of sizes and strides, the base, the dtype and the flags.
"""

from __future__ import annotations

from typing import Final

from .array_head import DATA
from .capsule_functions import DECLARATIONS, function_of_rows
from .toolchain import AS_IS

COUNTS: Final = (4, 6, 8, 12, 17, 24, 40)
"""The numbers of words that a row may have."""
CHOICES: Final = {4: "penstock_choose4", 8: "penstock_choose8"}
"""By the bytes of an element: the loop of `where`, which NumPy has not."""
NAMES: Final = ("penstock_bind", "penstock_drive_block", "penstock_copy", *CHOICES.values())

_BIND: Final = f"""
@true = external global i8
@false = external global i8
@ndarray = external global i8
{DECLARATIONS}
declare ptr @memmove(ptr, ptr, i64)

; head: number of checks, their address, number of moves, their address, address of the program
define ptr @penstock_bind(ptr %self, ptr %args, i64 %given) {{
entry:
  %head = call ptr @PyCapsule_GetPointer(ptr %self, ptr null)
  %checks = load i64, ptr %head
  %check.at = getelementptr i64, ptr %head, i64 1
  %check.first = load ptr, ptr %check.at
  %moves.at = getelementptr i64, ptr %head, i64 2
  %moves = load i64, ptr %moves.at
  %move.at = getelementptr i64, ptr %head, i64 3
  %move.first = load ptr, ptr %move.at
  %base.at = getelementptr i64, ptr %head, i64 4
  %base = load ptr, ptr %base.at
  br label %check
check:                                   ; a row: flags, dtype, rank, sizes ...
  %i = phi i64 [0, %entry], [%i.next, %fits]
  %row = phi ptr [%check.first, %entry], [%row.next, %fits]
  %checked = icmp eq i64 %i, %checks
  br i1 %checked, label %move, label %class
class:
  %arg.at = getelementptr ptr, ptr %args, i64 %i
  %x = load ptr, ptr %arg.at
  %type.at = getelementptr i8, ptr %x, i64 {DATA - 8}
  %type = load ptr, ptr %type.at
  %is.array = icmp eq ptr %type, @ndarray
  br i1 %is.array, label %kind, label %no
kind:
  %wanted = load i64, ptr %row
  %flags.at = getelementptr i8, ptr %x, i64 {DATA + 48}
  %flags32 = load i32, ptr %flags.at
  %flags = zext i32 %flags32 to i64
  %common = and i64 %flags, %wanted
  %has.flags = icmp eq i64 %common, %wanted
  %dtype.at = getelementptr i64, ptr %row, i64 1
  %dtype = load ptr, ptr %dtype.at
  %own.at = getelementptr i8, ptr %x, i64 {DATA + 40}
  %own = load ptr, ptr %own.at
  %has.dtype = icmp eq ptr %own, %dtype
  %rank.at = getelementptr i64, ptr %row, i64 2
  %rank = load i64, ptr %rank.at
  %nd.at = getelementptr i8, ptr %x, i64 {DATA + 8}
  %nd32 = load i32, ptr %nd.at
  %nd = zext i32 %nd32 to i64
  %has.rank = icmp eq i64 %nd, %rank
  %a = and i1 %has.flags, %has.dtype
  %all = and i1 %a, %has.rank
  %sizes = getelementptr i64, ptr %row, i64 3
  %dims.at = getelementptr i8, ptr %x, i64 {DATA + 16}
  br i1 %all, label %begin, label %no
begin:
  %dims = load ptr, ptr %dims.at
  br label %size
size:
  %k = phi i64 [0, %begin], [%k.next, %same]
  %done = icmp eq i64 %k, %rank
  br i1 %done, label %fits, label %compare
compare:
  %size.at = getelementptr i64, ptr %sizes, i64 %k
  %expected = load i64, ptr %size.at
  %dim.at = getelementptr i64, ptr %dims, i64 %k
  %dim = load i64, ptr %dim.at
  %equal = icmp eq i64 %dim, %expected
  br i1 %equal, label %same, label %no
same:
  %k.next = add i64 %k, 1
  br label %size
fits:
  %row.next = getelementptr i64, ptr %sizes, i64 %rank
  %i.next = add i64 %i, 1
  br label %check
move:                                    ; a row: number of the argument, offset, place of the word
  %j = phi i64 [0, %check], [%j.next, %one]
  %from = phi ptr [%move.first, %check], [%from.next, %one]
  %moved = icmp eq i64 %j, %moves
  br i1 %moved, label %yes, label %one
one:
  %number = load i64, ptr %from
  %offset.at = getelementptr i64, ptr %from, i64 1
  %offset = load i64, ptr %offset.at
  %place.at = getelementptr i64, ptr %from, i64 2
  %place = load i64, ptr %place.at
  %y.at = getelementptr ptr, ptr %args, i64 %number
  %y = load ptr, ptr %y.at
  %data.at = getelementptr i8, ptr %y, i64 {DATA}
  %data = load ptr, ptr %data.at
  %address = getelementptr i8, ptr %data, i64 %offset
  %to = getelementptr i64, ptr %base, i64 %place
  store ptr %address, ptr %to
  %from.next = getelementptr i64, ptr %from, i64 3
  %j.next = add i64 %j, 1
  br label %move
yes:
  call void @Py_IncRef(ptr @true)
  ret ptr @true
no:
  call void @Py_IncRef(ptr @false)
  ret ptr @false
}}

; rows of bytes, one behind the other in each array
define i64 @penstock_copy(ptr %to, ptr %from, i64 %to.at, i64 %to.step, i64 %from.step, i64 %rows, i64 %bytes) {{
entry:
  %to.place = getelementptr i8, ptr %to, i64 {DATA}
  %to.data = load ptr, ptr %to.place
  %to.first = getelementptr i8, ptr %to.data, i64 %to.at
  %from.place = getelementptr i8, ptr %from, i64 {DATA}
  %from.first = load ptr, ptr %from.place
  br label %row
row:
  %i = phi i64 [0, %entry], [%next, %row]
  %d = phi ptr [%to.first, %entry], [%d.next, %row]
  %s = phi ptr [%from.first, %entry], [%s.next, %row]
  call ptr @memmove(ptr %d, ptr %s, i64 %bytes)
  %d.next = getelementptr i8, ptr %d, i64 %to.step
  %s.next = getelementptr i8, ptr %s, i64 %from.step
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %rows
  br i1 %more, label %row, label %done
done:
  ret i64 0
}}
"""


def _choice(name: str, size: int) -> str:
    """The loop of `where` on elements of so many bytes, with NumPy's signature."""
    lines = [f"define void @{name}(ptr %args, ptr %dims, ptr %steps, ptr %data) {{", "entry:",
             "  %n = load i64, ptr %dims"]  # fmt: skip
    for k in range(4):
        lines += [f"  %a{k} = getelementptr ptr, ptr %args, i64 {k}", f"  %first{k} = load ptr, ptr %a{k}",
                  f"  %s{k} = getelementptr i64, ptr %steps, i64 {k}", f"  %step{k} = load i64, ptr %s{k}"]  # fmt: skip
    lines += ["  br label %next", "next:", "  %i = phi i64 [0, %entry], [%j, %one]"]
    lines += [f"  %p{k} = phi ptr [%first{k}, %entry], [%q{k}, %one]" for k in range(4)]
    lines += ["  %done = icmp eq i64 %i, %n", "  br i1 %done, label %end, label %one", "one:",
              "  %c = load i8, ptr %p0", "  %is = icmp ne i8 %c, 0", "  %from = select i1 %is, ptr %p1, ptr %p2",
              f"  %x = load i{8 * size}, ptr %from, align 1", f"  store i{8 * size} %x, ptr %p3, align 1"]  # fmt: skip
    lines += [f"  %q{k} = getelementptr i8, ptr %p{k}, i64 %step{k}" for k in range(4)]
    return "\n".join([*lines, "  %j = add i64 %i, 1", "  br label %next", "end:", "  ret void", "}", ""])


def _loop() -> str:
    """The loop over rows: one call for each number of words."""
    rows = ", ".join([f"[%next{n}, %call{n}]" for n in COUNTS])
    cases = " ".join([f"i64 {n}, label %call{n}" for n in COUNTS])
    lines = ["loop:", f"  %row = phi ptr [%first, %start], {rows}", "  %done = icmp eq ptr %row, %end",
             "  br i1 %done, label %stop, label %step", "step:", "  %f = load ptr, ptr %row",
             "  %count.at = getelementptr i64, ptr %row, i64 1", "  %count = load i64, ptr %count.at",
             f"  switch i64 %count, label %bad [{cases}]"]  # fmt: skip
    for n in COUNTS:
        lines.append(f"call{n}:")
        for i in range(n):
            lines += [f"  %p{n}.{i} = getelementptr i64, ptr %row, i64 {2 + i}",
                      f"  %w{n}.{i} = load i64, ptr %p{n}.{i}"]  # fmt: skip
        words = ", ".join([f"i64 %w{n}.{i}" for i in range(n)])
        lines += [f"  %r{n} = call i64 %f({words})", f"  %next{n} = getelementptr i64, ptr %row, i64 {2 + n}",
                  "  br label %loop"]  # fmt: skip
    lines += ["bad:", "  unreachable"]
    return "\n".join(lines)


def driver_text() -> str:
    """The module. LLVM's passes would take twice as long as the rest, and save less than a tenth of a call."""
    chosen = "".join([_choice(name, size) for size, name in CHOICES.items()])
    return AS_IS + _BIND + chosen + function_of_rows("penstock_drive_block", _loop(), "true")
