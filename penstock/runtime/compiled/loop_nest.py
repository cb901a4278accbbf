"""Loop nests of a group over whole arrays, in place of NumPy's iterator.

NumPy copies broadcast operands of a ufunc in pieces of some thousand elements, and has no notion of blocks that are
summed. So two functions surround the `@loop` of `compiled.emit_llvm`. They take NumPy's arrays and read the address of
the data from the object's head. Everything else is in `spec`, a row of i64 that is computed once per combination of
shapes:

    @rows(spec, first, last, arrays ...)     spec: rank, shape ..., then for each axis the stride of every operand
        the loop over the last axis, for each place on the others; `first` to `last` of the first axis

    @reduce(spec, first, last, arrays ...)   spec: elements of a row, blocks of a row, then of every operand the
        stride from row to row, the stride between places in a row, and the stride of the inner loop
        the blocks `first` to `last`, each reduced into one element of the arrays of partial results

Sums of floats follow NumPy's pairwise order. NumPy halves a row (at multiples of 8) down to 128 elements. Here the
upper halvings are done before the elements exist, and some thousand elements are computed at a time, so that they stay
in the first cache. Ints use the same order. Other reductions (products and extremes of floats, complex numbers) are one
call of NumPy's loop on a whole block.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...ops.declare.reduction_order import BLOCK
from ..ir.nest_ir import RowReduction
from ..llvm.array_head import DATA
from . import int_reduction
from .llvm_primitives import memory_kind
from .row_folds import RowFolds

LEAF: Final = 2048
"""Elements that are computed and summed at a time: 8 or 16 KiB."""
MOST_AXES: Final = 32


def is_exact(node: RowReduction) -> bool:
    """True if the result does not depend on the order of the elements."""
    return int_reduction.is_order_free(node.ufunc, node.dtype)


def in_leaves(reductions: Sequence[RowReduction]) -> bool:
    """True if blocks are computed leaf by leaf, False if each is computed at once."""
    return all(is_exact(node) or (node.ufunc == "add" and node.dtype.is_floating) for node in reductions)


def rows(count: int) -> str:
    """The text of `@rows` for `count` operands."""
    each = range(count)
    lines = [f"define void @rows(ptr %spec, i64 %first, i64 %last, {', '.join(f'ptr %x{k}' for k in each)}) #0 {{",
             "entry:", f"  %args = alloca [{count} x ptr]", f"  %index = alloca [{MOST_AXES} x i64]",
             "  %rank = load i64, ptr %spec", "  %inner = sub i64 %rank, 1",
             "  %shape = getelementptr i64, ptr %spec, i64 1",
             "  %strides = getelementptr i64, ptr %shape, i64 %rank",
             "  %alone = icmp eq i64 %inner, 0",
             "  %row = getelementptr i64, ptr %shape, i64 %inner",
             f"  %at = mul i64 %inner, {count}", "  %steps = getelementptr i64, ptr %strides, i64 %at",
             "  %span = alloca i64", "  %length = load i64, ptr %row", "  %some = sub i64 %last, %first",
             "  %run = select i1 %alone, i64 %some, i64 %length", "  store i64 %run, ptr %span"]  # fmt: skip
    for k in each:
        lines += [*_data(k), f"  %s{k} = getelementptr i64, ptr %strides, i64 {k}", f"  %d{k} = load i64, ptr %s{k}",
                  f"  %o{k} = mul i64 %d{k}, %first", f"  %b{k} = getelementptr i8, ptr %p{k}, i64 %o{k}",
                  f"  %a{k} = getelementptr ptr, ptr %args, i64 {k}", f"  store ptr %b{k}, ptr %a{k}"]  # fmt: skip
    lines += [f"  call void @llvm.memset.p0.i64(ptr %index, i8 0, i64 {8 * MOST_AXES}, i1 false)",
              "  br label %run_row", "run_row:",
              "  call void @loop(ptr %args, ptr %span, ptr %steps, ptr null)", "  %outer = sub i64 %inner, 1",
              "  br label %advance", "advance:",
              "  %axis = phi i64 [%outer, %run_row], [%further, %wrap]", "  %over = icmp slt i64 %axis, 0",
              "  br i1 %over, label %done, label %bump", "bump:",
              "  %place = getelementptr i64, ptr %index, i64 %axis", "  %i = load i64, ptr %place",
              "  %j = add i64 %i, 1", "  %size_at = getelementptr i64, ptr %shape, i64 %axis",
              "  %size = load i64, ptr %size_at", "  %is_first = icmp eq i64 %axis, 0",
              "  %limit = select i1 %is_first, i64 %some, i64 %size",
              f"  %base = mul i64 %axis, {count}", "  %own = getelementptr i64, ptr %strides, i64 %base",
              "  %more = icmp slt i64 %j, %limit", "  br i1 %more, label %step, label %wrap", "step:",
              "  store i64 %j, ptr %place"]  # fmt: skip
    for k in each:
        lines += [*_stride("u", k), f"  %uc{k} = load ptr, ptr %a{k}",
                  f"  %un{k} = getelementptr i8, ptr %uc{k}, i64 %ud{k}", f"  store ptr %un{k}, ptr %a{k}"]  # fmt: skip
    lines += ["  br label %run_row", "wrap:", "  store i64 0, ptr %place"]
    for k in each:
        lines += [*_stride("w", k), f"  %wb{k} = mul i64 %wd{k}, %i", f"  %wo{k} = sub i64 0, %wb{k}",
                  f"  %wc{k} = load ptr, ptr %a{k}", f"  %wn{k} = getelementptr i8, ptr %wc{k}, i64 %wo{k}",
                  f"  store ptr %wn{k}, ptr %a{k}"]  # fmt: skip
    lines += ["  %further = sub i64 %axis, 1", "  br label %advance", "done:", "  ret void", "}",
              "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"]  # fmt: skip
    return "\n".join(lines)


def _data(k: int) -> list[str]:
    return [f"  %h{k} = getelementptr i8, ptr %x{k}, i64 {DATA}", f"  %p{k} = load ptr, ptr %h{k}"]


def _stride(name: str, k: int) -> list[str]:
    return [f"  %{name}s{k} = getelementptr i64, ptr %own, i64 {k}", f"  %{name}d{k} = load i64, ptr %{name}s{k}"]


def reduce(count: int, reductions: Sequence[RowReduction], imports: dict[str, int]) -> str:
    """The text of `@reduce` for `count` operands, of which the last are reduced; adds the functions it calls to
    `imports`.

    Raises:
        CannotLower: NumPy has no such loop.
    """
    folds = RowFolds()
    block = _block(count, reductions, folds)
    imports.update(folds.imports)
    parts = [*folds.rules, block]
    each, ends = range(count), range(len(reductions))
    arrays = ", ".join([f"ptr %x{k}" for k in range(count + len(reductions))])
    lines = [f"define void @reduce(ptr %spec, i64 %first, i64 %last, {arrays}) #0 {{", "entry:",
             f"  %args = alloca [{count} x ptr]", "  %count = load i64, ptr %spec",
             "  %blocks_at = getelementptr i64, ptr %spec, i64 1", "  %blocks = load i64, ptr %blocks_at",
             f"  %moves = getelementptr i64, ptr %spec, i64 {2 + count}",
             f"  %steps = getelementptr i64, ptr %spec, i64 {2 + 2 * count}"]  # fmt: skip
    lines += [f"  %total{t} = alloca [16 x i8], align 16" for t in ends]
    for k in range(count + len(reductions)):
        lines += _data(k)
    for k in each:
        lines += [f"  %rs{k} = getelementptr i64, ptr %spec, i64 {2 + k}", f"  %rd{k} = load i64, ptr %rs{k}",
                  f"  %ms{k} = getelementptr i64, ptr %moves, i64 {k}", f"  %md{k} = load i64, ptr %ms{k}",
                  f"  %a{k} = getelementptr ptr, ptr %args, i64 {k}"]  # fmt: skip
    lines += ["  %some = icmp slt i64 %first, %last", "  br i1 %some, label %block, label %done", "block:",
              "  %b = phi i64 [%first, %entry], [%next, %block]", "  %row = udiv i64 %b, %blocks",
              "  %done_rows = mul i64 %row, %blocks", "  %part = sub i64 %b, %done_rows",
              f"  %start = mul i64 %part, {BLOCK}", "  %rest = sub i64 %count, %start",
              f"  %fits = icmp slt i64 %rest, {BLOCK}", f"  %n = select i1 %fits, i64 %rest, i64 {BLOCK}"]  # fmt: skip
    for k in each:
        lines += [f"  %ro{k} = mul i64 %rd{k}, %row", f"  %mo{k} = mul i64 %md{k}, %start",
                  f"  %o{k} = add i64 %ro{k}, %mo{k}", f"  %q{k} = getelementptr i8, ptr %p{k}, i64 %o{k}",
                  f"  store ptr %q{k}, ptr %a{k}"]  # fmt: skip
    totals = ", ".join(f"ptr %total{t}" for t in ends)
    lines.append(f"  call void @block(ptr %args, i64 %n, ptr %moves, ptr %steps, {totals})")
    for t, node in enumerate(reductions):
        bits = f"i{8 * node.dtype.size}"
        lines += [f"  %v{t} = load {bits}, ptr %total{t}, align 1",
                  f"  %y{t} = getelementptr {bits}, ptr %p{count + t}, i64 %b",
                  f"  store {bits} %v{t}, ptr %y{t}, align 1"]  # fmt: skip
    lines += ["  %next = add i64 %b, 1", "  %more = icmp slt i64 %next, %last",
              "  br i1 %more, label %block, label %done", "done:", "  ret void", "}"]  # fmt: skip
    return "\n".join([*parts, *lines])


def _block(count: int, reductions: Sequence[RowReduction], folds: RowFolds) -> str:
    """`@block`: computes elements and reduces them; halves a block down to leaves first if the order allows it."""
    totals, others = (", ".join(f"ptr %{name}{t}" for t in range(len(reductions))) for name in ("total", "other"))
    head = f"define internal void @block(ptr %args, i64 %n, ptr %moves, ptr %steps, {totals}) #1 {{"
    room = ["  %span = alloca i64"]
    leaf = ["  store i64 %n, ptr %span", "  call void @loop(ptr %args, ptr %span, ptr %steps, ptr null)"]
    for t, node in enumerate(reductions):
        leaf += [f"  %at{t} = getelementptr ptr, ptr %args, i64 {count - len(reductions) + t}",
                 f"  %piece{t} = load ptr, ptr %at{t}",
                 folds.fold(node, f"%piece{t}", "%n", f"%total{t}")]  # fmt: skip
    leaf += ["  ret void"]
    if not in_leaves(reductions):
        return "\n".join([head, "entry:", *room, *leaf, "}"])
    lines = [head, "entry:", *room, f"  %later = alloca [{count} x ptr]"]
    lines += [f"  %other{t} = alloca [16 x i8], align 16" for t in range(len(reductions))]
    lines += [f"  %small = icmp sle i64 %n, {LEAF}", "  br i1 %small, label %leaf, label %halves", "leaf:", *leaf,
              "halves:", "  %half = lshr i64 %n, 1", "  %low = and i64 %half, -8", "  %high = sub i64 %n, %low",
              f"  call void @block(ptr %args, i64 %low, ptr %moves, ptr %steps, {totals})"]  # fmt: skip
    for k in range(count):
        lines += [f"  %ma{k} = getelementptr i64, ptr %moves, i64 {k}", f"  %md{k} = load i64, ptr %ma{k}",
                  f"  %mo{k} = mul i64 %md{k}, %low", f"  %pa{k} = getelementptr ptr, ptr %args, i64 {k}",
                  f"  %p{k} = load ptr, ptr %pa{k}", f"  %q{k} = getelementptr i8, ptr %p{k}, i64 %mo{k}",
                  f"  %qa{k} = getelementptr ptr, ptr %later, i64 {k}", f"  store ptr %q{k}, ptr %qa{k}"]  # fmt: skip
    lines.append(f"  call void @block(ptr %later, i64 %high, ptr %moves, ptr %steps, {others})")
    for t, node in enumerate(reductions):
        kind = memory_kind(node.dtype)
        total = f"fadd {kind} %u{t}, %w{t}"
        if is_exact(node):
            total = int_reduction.combined(node.ufunc, node.dtype, f"%u{t}", f"%w{t}")
        lines += [f"  %u{t} = load {kind}, ptr %total{t}", f"  %w{t} = load {kind}, ptr %other{t}",
                  f"  %z{t} = {total}", f"  store {kind} %z{t}, ptr %total{t}"]  # fmt: skip
    return "\n".join([*lines, "  ret void", "}"])
