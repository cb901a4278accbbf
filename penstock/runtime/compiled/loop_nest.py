"""Loop nests of a group over whole arrays, in place of NumPy's iterator.

NumPy copies broadcast operands of a ufunc in pieces of some thousand elements, and has no notion of blocks that are
summed. So two functions surround the tile of a flat nest. They get the addresses of NumPy's arrays, and read those of
their data from the objects' heads. As `@flat_loop` they serve any group, by its kind (`compiled.inner_loop`).
Everything else is in `spec`, a row of i64 that is computed once per combination of shapes:

    @flat_rows(kind, spec, first, last, arrays)     spec: rank, shape ..., then for each axis the stride of every
        operand
        the loop over the last axis, for each place on the others; `first` to `last` of the first axis

    @flat_reduce(kind, spec, first, last, arrays)   spec: elements of a row, blocks of a row, then of every operand the
        stride from row to row, the stride between places in a row, and the stride of the inner loop
        the blocks `first` to `last`, each reduced into one element of the arrays of partial results

Sums of floats follow NumPy's pairwise order. NumPy halves a row (at multiples of 8) down to 128 elements. Here the
upper halvings are done before the elements exist, and some thousand elements are computed at a time, so that they stay
in the first cache. Ints use the same order. Other reductions (products and extremes of floats, complex numbers) are one
call of NumPy's loop on a whole block.

The kind of a group with reductions goes on with their number, whether blocks are computed leaf by leaf, and for each
the bytes of its total, a function that folds a row, and one that combines two totals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...ops.declare.reduction_order import BLOCK
from ..ir.nest_ir import RowReduction
from ..llvm.array_head import DATA
from . import int_reduction
from .inner_loop import COPIED, SIZES, TILE, for_each, item, of_kind

LEAF: Final = 2048
"""Elements that are computed and summed at a time: 8 or 16 KiB."""
MOST_AXES: Final = 32


def is_exact(node: RowReduction) -> bool:
    """True if the result does not depend on the order of the elements."""
    return int_reduction.is_order_free(node.ufunc, node.dtype)


def in_leaves(reductions: Sequence[RowReduction]) -> bool:
    """True if blocks are computed leaf by leaf, False if each is computed at once."""
    return all(is_exact(node) or (node.ufunc == "add" and node.dtype.is_floating) for node in reductions)


def flat_rows() -> str:
    """The text of `@flat_rows`."""
    begin = for_each("begin", "entry", [
        "  %all = phi i1 [true, %entry], [%all.next, %begin]",
        *item("x", "ptr", "arrays", "%begin.k"), f"  %head = getelementptr i8, ptr %x, i64 {DATA}",
        "  %data = load ptr, ptr %head", *item("d", "i64", "strides", "%begin.k"),
        "  %far = mul i64 %d, %first", "  %b = getelementptr i8, ptr %data, i64 %far",
        "  %a = getelementptr ptr, ptr %args, i64 %begin.k", "  store ptr %b, ptr %a",
        *item("step", "i64", "steps", "%begin.k"),
        *item("want", "i64", "wanted", "%begin.k"), "  %is.wanted = icmp eq i64 %step, %want",
        "  %all.next = and i1 %all, %is.wanted",
    ], "ready")  # fmt: skip
    zero = for_each("zero", "ready", ["  %zero.at = getelementptr i64, ptr %index, i64 %zero.k",
                                      "  store i64 0, ptr %zero.at"], "run_row", end="%rank")  # fmt: skip

    def moved(name: str, before: str, places: str, after: str) -> list[str]:
        return for_each(name, before, [*item(f"{name}.d", "i64", "own", f"%{name}.k"),
                                       *item(f"{name}.c", "ptr", "args", f"%{name}.k"),
                                       f"  %{name}.far = mul i64 %{name}.d, {places}",
                                       f"  %{name}.to = getelementptr i8, ptr %{name}.c, i64 %{name}.far",
                                       f"  store ptr %{name}.to, ptr %{name}.c.at"], after)  # fmt: skip

    return "\n".join([
        "define void @flat_rows(ptr %kind, ptr %spec, i64 %first, i64 %last, ptr %arrays) #0 {", "entry:",
        "  %tile = load ptr, ptr %kind", *of_kind("count", 1), *of_kind("tiles", 3),
        f"  %behind = add i64 %count, {SIZES}", "  %wanted = getelementptr i64, ptr %kind, i64 %behind",
        "  %args = alloca ptr, i64 %count, align 16", f"  %index = alloca [{MOST_AXES} x i64]",
        "  %span = alloca i64", "  %rank = load i64, ptr %spec", "  %inner = sub i64 %rank, 1",
        "  %shape = getelementptr i64, ptr %spec, i64 1", "  %strides = getelementptr i64, ptr %shape, i64 %rank",
        "  %alone = icmp eq i64 %inner, 0", "  %row = getelementptr i64, ptr %shape, i64 %inner",
        "  %skipped = mul i64 %inner, %count", "  %steps = getelementptr i64, ptr %strides, i64 %skipped",
        "  %length = load i64, ptr %row", "  %some = sub i64 %last, %first",
        "  %run = select i1 %alone, i64 %some, i64 %length", "  store i64 %run, ptr %span", "  br label %begin",
        *begin,
        "ready:", f"  %most = icmp sle i64 %run, {TILE}", "  %free = icmp eq i64 %tiles, 0",
        "  %fits = or i1 %most, %free", "  %is.some = icmp sgt i64 %run, 0", "  %plain = and i1 %fits, %all.next",
        "  %direct = and i1 %plain, %is.some", "  %outer = sub i64 %inner, 1", "  br label %zero", *zero,
        "run_row:", "  br i1 %direct, label %dense, label %strided",
        "dense:", "  call void %tile(ptr %args, i64 %run)", "  br label %advance",
        "strided:", "  call void @flat_loop(ptr %kind, ptr %args, ptr %span, ptr %steps)", "  br label %advance",
        "advance:", "  %axis = phi i64 [%outer, %dense], [%outer, %strided], [%further, %wrapped]",
        "  %over = icmp slt i64 %axis, 0", "  br i1 %over, label %done, label %bump",
        "bump:", "  %place = getelementptr i64, ptr %index, i64 %axis", "  %i = load i64, ptr %place",
        "  %j = add i64 %i, 1", "  %size_at = getelementptr i64, ptr %shape, i64 %axis",
        "  %size = load i64, ptr %size_at", "  %is_first = icmp eq i64 %axis, 0",
        "  %limit = select i1 %is_first, i64 %some, i64 %size", "  %base = mul i64 %axis, %count",
        "  %own = getelementptr i64, ptr %strides, i64 %base", "  %more = icmp slt i64 %j, %limit",
        "  br i1 %more, label %step_on, label %wrap",
        "step_on:", "  store i64 %j, ptr %place", "  br label %on",
        *moved("on", "step_on", "1", "run_row"),
        "wrap:", "  store i64 0, ptr %place", "  %minus = sub i64 0, %i", "  br label %back",
        *moved("back", "wrap", "%minus", "wrapped"),
        "wrapped:", "  %further = sub i64 %axis, 1", "  br label %advance", "done:", "  ret void", "}",
    ])  # fmt: skip


def flat_reduce() -> str:
    """The text of `@flat_reduce`, which calls `@flat_loop` and what copies."""
    data = for_each("data", "entry", [
        *item("x", "ptr", "arrays", "%data.k"), f"  %head = getelementptr i8, ptr %x, i64 {DATA}",
        "  %p = load ptr, ptr %head", "  %p.at = getelementptr ptr, ptr %places, i64 %data.k",
        "  store ptr %p, ptr %p.at",
    ], "which", end="%arrays.all")  # fmt: skip
    place = for_each("place", "block", [
        *item("rs", "i64", "by.row", "%place.k"), *item("ms", "i64", "moves", "%place.k"),
        *item("q", "ptr", "places", "%place.k"), "  %ro = mul i64 %rs, %row", "  %mo = mul i64 %ms, %start",
        "  %o = add i64 %ro, %mo", "  %b = getelementptr i8, ptr %q, i64 %o",
        "  %a = getelementptr ptr, ptr %args, i64 %place.k", "  store ptr %b, ptr %a",
    ], "work")  # fmt: skip
    store = for_each("store", "work", [
        "  %total.far = mul i64 %store.k, 16", "  %total = getelementptr i8, ptr %totals, i64 %total.far",
        "  %end.k = add i64 %count, %store.k", *item("to", "ptr", "places", "%end.k"),
        "  %triple = mul i64 %store.k, 3", *item("size", "i64", "folds", "%triple"),
        "  %behind = mul i64 %size, %number", "  %at = getelementptr i8, ptr %to, i64 %behind",
        f"  call void @{COPIED}(ptr %at, ptr %total, i64 0, i64 0, i64 1, i64 %size)",
    ], "next", end="%folded")  # fmt: skip
    fold = for_each("fold", "leaf", [
        "  %own.k = add i64 %begin, %fold.k", *item("piece", "ptr", "args", "%own.k"),
        "  %triple = mul i64 %fold.k, 3", "  %fold.word = add i64 %triple, 1",
        *item("fold.by", "ptr", "folds", "%fold.word"), "  %fold.far = mul i64 %fold.k, 16",
        "  %fold.to = getelementptr i8, ptr %totals, i64 %fold.far",
        "  call void %fold.by(ptr %piece, i64 %n, ptr %fold.to)",
    ], "done", end="%folded")  # fmt: skip
    later = for_each("shift", "halves", [
        *item("ms", "i64", "moves", "%shift.k"), *item("p", "ptr", "args", "%shift.k"), "  %mo = mul i64 %ms, %low",
        "  %q = getelementptr i8, ptr %p, i64 %mo", "  %q.at = getelementptr ptr, ptr %later, i64 %shift.k",
        "  store ptr %q, ptr %q.at",
    ], "second")  # fmt: skip
    both = for_each("both", "second", [
        "  %both.triple = mul i64 %both.k, 3", "  %both.word = add i64 %both.triple, 2",
        *item("both.by", "ptr", "folds", "%both.word"), "  %both.far = mul i64 %both.k, 16",
        "  %both.to = getelementptr i8, ptr %totals, i64 %both.far",
        "  %both.with = getelementptr i8, ptr %others, i64 %both.far",
        "  call void %both.by(ptr %both.to, ptr %both.with)",
    ], "done", end="%folded")  # fmt: skip
    known = [*of_kind("count", 1), "  %twice = mul i64 %count, 2", f"  %tail = add i64 %twice, {SIZES}",
             *of_kind("folded", "%tail"), "  %tail1 = add i64 %tail, 1", *of_kind("leaves", "%tail1"),
             "  %tail2 = add i64 %tail, 2", "  %folds = getelementptr i64, ptr %kind, i64 %tail2"]  # fmt: skip
    return "\n".join([
        "define void @flat_reduce(ptr %kind, ptr %spec, i64 %first, i64 %last, ptr %arrays) #0 {", "entry:", *known,
        "  %args = alloca ptr, i64 %count, align 16", "  %arrays.all = add i64 %count, %folded",
        "  %places = alloca ptr, i64 %arrays.all, align 16", "  %room = mul i64 %folded, 16",
        "  %totals = alloca i8, i64 %room, align 16", "  %long = load i64, ptr %spec",
        "  %blocks_at = getelementptr i64, ptr %spec, i64 1", "  %blocks = load i64, ptr %blocks_at",
        "  %by.row = getelementptr i64, ptr %spec, i64 2", "  %moves = getelementptr i64, ptr %by.row, i64 %count",
        "  %steps = getelementptr i64, ptr %moves, i64 %count", "  br label %data", *data,
        "which:", "  %some = icmp slt i64 %first, %last", "  br i1 %some, label %block, label %done",
        "block:", "  %number = phi i64 [%first, %which], [%number.next, %next]", "  %row = udiv i64 %number, %blocks",
        "  %done_rows = mul i64 %row, %blocks", "  %part = sub i64 %number, %done_rows",
        f"  %start = mul i64 %part, {BLOCK}", "  %rest = sub i64 %long, %start",
        f"  %fits = icmp slt i64 %rest, {BLOCK}", f"  %n = select i1 %fits, i64 %rest, i64 {BLOCK}",
        "  br label %place", *place,
        "work:", "  call void @flat_block(ptr %kind, ptr %args, i64 %n, ptr %moves, ptr %steps, ptr %totals)",
        "  br label %store", *store,
        "next:", "  %number.next = add i64 %number, 1", "  %more = icmp slt i64 %number.next, %last",
        "  br i1 %more, label %block, label %done", "done:", "  ret void", "}",
        # Computes elements and reduces them; halves a block down to leaves first if the order allows it.
        "define internal void @flat_block(ptr %kind, ptr %args, i64 %n, ptr %moves, ptr %steps, ptr %totals) #0 {",
        "entry:", *known, f"  %large = icmp sgt i64 %n, {LEAF}", "  %is.in.leaves = icmp ne i64 %leaves, 0",
        "  %cut = and i1 %large, %is.in.leaves", "  br i1 %cut, label %halves, label %leaf",
        "leaf:", "  %span = alloca i64", "  store i64 %n, ptr %span",
        "  call void @flat_loop(ptr %kind, ptr %args, ptr %span, ptr %steps)",
        "  %begin = sub i64 %count, %folded", "  br label %fold", *fold,
        "halves:", "  %later = alloca ptr, i64 %count, align 16", "  %room = mul i64 %folded, 16",
        "  %others = alloca i8, i64 %room, align 16", "  %half = lshr i64 %n, 1", "  %low = and i64 %half, -8",
        "  %high = sub i64 %n, %low",
        "  call void @flat_block(ptr %kind, ptr %args, i64 %low, ptr %moves, ptr %steps, ptr %totals)",
        "  br label %shift", *later,
        "second:", "  call void @flat_block(ptr %kind, ptr %later, i64 %high, ptr %moves, ptr %steps, ptr %others)",
        "  br label %both", *both, "done:", "  ret void", "}",
    ])  # fmt: skip
