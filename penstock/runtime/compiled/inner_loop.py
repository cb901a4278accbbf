"""`@flat_loop`: an inner loop with NumPy's signature around the tile of any flat nest.

What it does does not depend on the tile. If every stride is the expected one, the tile works on the operands in place,
on all elements at once unless it calls NumPy's loops. Otherwise operands are copied to contiguous pieces of the stack
and results copied back, some hundred elements at a time. If an input that was assumed to be one number has a stride,
the pieces are single elements.

So it is compiled once for all groups (`compiled.flat_frame`). A group describes itself by a row of words, its *kind*:

    the tile | operands | inputs | 1 if a call takes at most `TILE` elements | then for each operand: bytes, and stride

and its tile is `@tile(ptr operands, i64 n)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

TILE: Final = 512
"""Elements per tile if NumPy's loops are called. 256 to 1,024 take the same time, 4,096 a tenth more."""
NAME: Final = "loop"
COPIED: Final = "flat_copied"
SIZES: Final = 4
"""The word of a kind with which the bytes and strides begin."""


def of_kind(name: str, word: int | str) -> list[str]:
    """The lines that load a word of the kind; `word` is a number or a register."""
    return [f"  %{name}.at = getelementptr i64, ptr %kind, i64 {word}", f"  %{name} = load i64, ptr %{name}.at"]


def for_each(
    name: str, before: str, body: Sequence[str], after: str, first: str = "0", end: str = "%count"
) -> list[str]:
    """The lines of a block that repeats for the operands from `first` to `end`, of which there is at least one.

    Args:
        name: the name of the block, `%name.k` is the number of an operand.
        before: the block from which it is entered.
        body: its lines, which do not branch.
        after: the block that follows.
        first, end: the bounds.
    """
    return [f"{name}:", f"  %{name}.k = phi i64 [{first}, %{before}], [%{name}.next, %{name}]", *body,
            f"  %{name}.next = add i64 %{name}.k, 1", f"  %{name}.more = icmp slt i64 %{name}.next, {end}",
            f"  br i1 %{name}.more, label %{name}, label %{after}"]  # fmt: skip


def item(name: str, kind: str, array: str, k: str) -> list[str]:
    """The lines that load `%name`, and leave its address in `%name.at`."""
    return [f"  %{name}.at = getelementptr {kind}, ptr %{array}, i64 {k}", f"  %{name} = load {kind}, ptr %{name}.at"]


def flat_loop() -> str:
    """The text of `@flat_loop(kind, args, dims, steps)` and of what it calls."""
    sizes = [f"  %sizes = getelementptr i64, ptr %kind, i64 {SIZES}",
             "  %wanted = getelementptr i64, ptr %sizes, i64 %count"]  # fmt: skip
    check = for_each("check", "some", [
        "  %all = phi i1 [true, %some], [%all.next, %check]", "  %even = phi i1 [true, %some], [%even.next, %check]",
        *item("step", "i64", "steps", "%check.k"), *item("want", "i64", "wanted", "%check.k"),
        "  %is.wanted = icmp eq i64 %step, %want", "  %all.next = and i1 %all, %is.wanted",
        "  %is.row = icmp ne i64 %want, 0", "  %is.kept = or i1 %is.row, %is.wanted",
        "  %even.next = and i1 %even, %is.kept",
    ], "which")  # fmt: skip
    room = for_each("room", "pieces", ["  %bytes = phi i64 [0, %pieces], [%bytes.next, %room]",
                                       *item("room.size", "i64", "sizes", "%room.k"),
                                       "  %bytes.next = add i64 %bytes, %room.size"], "start")  # fmt: skip

    def walked(name: str) -> list[str]:
        return [*item(f"{name}.data", "ptr", "args", f"%{name}.k"), *item(f"{name}.step", "i64", "steps", f"%{name}.k"),
                *item(f"{name}.size", "i64", "sizes", f"%{name}.k"), f"  %{name}.far = mul i64 %i, %{name}.step",
                f"  %{name}.b = getelementptr i8, ptr %{name}.data, i64 %{name}.far"]  # fmt: skip

    gather = for_each("in", "piece", [
        "  %in.place = phi ptr [%memory, %piece], [%in.place.next, %in]", *walked("in"),
        *item("in.want", "i64", "wanted", "%in.k"),
        f"  %in.length = mul i64 %in.size, {TILE}",
        "  %in.place.next = getelementptr i8, ptr %in.place, i64 %in.length",
        "  %is.input = icmp slt i64 %in.k, %inputs", "  %is.same = icmp eq i64 %in.step, %in.want",
        "  %is.number = icmp eq i64 %in.want, 0", "  %in.stays = or i1 %is.same, %is.number",
        "  %in.leaves = xor i1 %in.stays, true", "  %copies = and i1 %is.input, %in.leaves",
        "  %in.n = select i1 %copies, i64 %m, i64 0",
        f"  call void @{COPIED}(ptr %in.place, ptr %in.b, i64 %in.size, i64 %in.step, i64 %in.n, i64 %in.size)",
        "  %in.operand = select i1 %in.stays, ptr %in.b, ptr %in.place",
        "  %in.at = getelementptr ptr, ptr %operands, i64 %in.k", "  store ptr %in.operand, ptr %in.at",
    ], "work")  # fmt: skip
    scatter = for_each("out", "work", [
        *walked("out"), *item("out.from", "ptr", "operands", "%out.k"),
        "  %out.same = icmp eq i64 %out.step, %out.size", "  %out.n = select i1 %out.same, i64 0, i64 %m",
        f"  call void @{COPIED}(ptr %out.b, ptr %out.from, i64 %out.step, i64 %out.size, i64 %out.n, i64 %out.size)",
    ], "again", "%inputs")  # fmt: skip
    return "\n".join([
        *_copied(),
        "define void @flat_loop(ptr %kind, ptr %args, ptr %dims, ptr %steps) #0 {", "entry:",
        "  %tile = load ptr, ptr %kind", *of_kind("count", 1), *of_kind("inputs", 2), *of_kind("tiles", 3), *sizes,
        "  %n = load i64, ptr %dims", "  %is.some = icmp sgt i64 %n, 0", "  br i1 %is.some, label %some, label %done",
        "some:", "  br label %check", *check,
        "which:", "  %single = icmp eq i64 %n, 1", "  %fast = or i1 %all.next, %single",
        f"  %most = icmp sle i64 %n, {TILE}", "  %free = icmp eq i64 %tiles, 0", "  %fits = or i1 %most, %free",
        "  %direct = and i1 %fast, %fits", "  br i1 %direct, label %whole, label %pieces",
        "whole:", "  call void %tile(ptr %args, i64 %n)", "  ret void",
        "pieces:", "  br label %room", *room,
        "start:", f"  %every = mul i64 %bytes.next, {TILE}", "  %memory = alloca i8, i64 %every, align 64",
        "  %operands = alloca ptr, i64 %count, align 16",
        f"  %largest = select i1 %even.next, i64 {TILE}, i64 1", "  br label %piece",
        "piece:", "  %i = phi i64 [0, %start], [%end, %again]", "  %left = sub i64 %n, %i",
        "  %is.last = icmp slt i64 %left, %largest", "  %m = select i1 %is.last, i64 %left, i64 %largest",
        "  br label %in", *gather,
        "work:", "  call void %tile(ptr %operands, i64 %m)", "  br label %out", *scatter,
        "again:", "  %end = add i64 %i, %m", "  %more = icmp slt i64 %end, %n",
        "  br i1 %more, label %piece, label %done",
        "done:", "  ret void", "}",
    ])  # fmt: skip


def _copied() -> list[str]:
    """The lines of `@flat_copied(to, from, stride of each, n, size)`: n elements of so many bytes."""
    lines = [f"define void @{COPIED}(ptr %to, ptr %from, i64 %to.step, i64 %from.step, i64 %n, i64 %size) #0 {{",
             "entry:", "  %some = icmp sgt i64 %n, 0", "  br i1 %some, label %which, label %done", "which:",
             "  switch i64 %size, label %done [i64 1, label %loop1 i64 2, label %loop2 i64 4, label %loop4 "
             "i64 8, label %loop8 i64 16, label %loop16]"]  # fmt: skip
    for size in (1, 2, 4, 8, 16):
        body = []
        for name in ("to", "from"):
            body += [f"  %{name}{size}.far = mul i64 %loop{size}.k, %{name}.step",
                     f"  %{name}{size} = getelementptr i8, ptr %{name}, i64 %{name}{size}.far"]  # fmt: skip
        body += [f"  %x{size} = load i{8 * size}, ptr %from{size}, align 1",
                 f"  store i{8 * size} %x{size}, ptr %to{size}, align 1"]  # fmt: skip
        lines += for_each(f"loop{size}", "which", body, "done", end="%n")
    return [*lines, "done:", "  ret void", "}"]
