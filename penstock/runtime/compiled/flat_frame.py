"""What surrounds the tile of a flat nest: its kind, and the functions that other code calls.

The functions that walk over arrays are the same for all groups, and most of what a group would compile. So they are a
module of their own, compiled once on a machine, and a group has its tile, its kind and calls of these. A module with
`x * 2 + y` takes LLVM 20 ms instead of 80. What folds the rows of one dtype is a module, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from ..ir.nest_ir import RowReduction
from ..ir.scalar_ir import Scalar
from ..llvm import pairwise_sum
from ..llvm.tier import ModuleSource
from ..llvm.toolchain import AS_IS, attributes
from . import int_reduction
from .inner_loop import COPIED, NAME, flat_loop
from .llvm_primitives import memory_kind
from .loop_nest import flat_reduce, flat_rows, in_leaves, is_exact
from .row_folds import RowFolds

_WALKS: Final = {NAME: "ptr, ptr, ptr, ptr", "rows": "ptr, ptr, i64, i64, ptr", "reduce": "ptr, ptr, i64, i64, ptr"}
"""The parameters of the shared function behind each function of a group."""


@cache
def walks() -> ModuleSource:
    """The module of `@flat_loop` and `@flat_rows`. Passes would take several times as long as making its object."""
    text = "\n".join([AS_IS, flat_loop(), flat_rows(), attributes()])
    return ModuleSource(text, (COPIED, f"flat_{NAME}", "flat_rows"))


@cache
def block_walks() -> ModuleSource:
    """The module of `@flat_reduce`."""
    declared = f"declare void @flat_{NAME}({_WALKS[NAME]})\ndeclare void @{COPIED}(ptr, ptr, i64, i64, i64, i64)"
    return ModuleSource("\n".join([AS_IS, declared, flat_reduce(), attributes()]), ("flat_reduce",), needs=(walks(),))


def frame(program: Scalar, uniform: Sequence[bool], in_tiles: bool, reductions: Sequence[RowReduction]) -> ModuleSource:
    """The text around `@tile`, the names of its functions, and the modules that it needs.

    Args:
        program: what the tile computes.
        uniform: for each input whether it is one number.
        in_tiles: whether a call of the tile takes at most `TILE` elements.
        reductions: what becomes of the last results.
    """
    sizes = [d.size for d in program.inputs] + [program.dtype_of(o).size for o in program.outputs]
    count, inputs = len(sizes), len(program.inputs)
    strides = [0 if k < inputs and uniform[k] else size for k, size in enumerate(sizes)]
    words = ["ptr @tile", *[f"i64 {word}" for word in (count, inputs, int(in_tiles), *sizes, *strides)]]
    needs = {"": walks()}
    names = [NAME, "rows"]
    if reductions:
        names.append("reduce")
        needs["blocks"] = block_walks()
        words += [f"i64 {len(reductions)}", f"i64 {int(in_leaves(reductions))}"]
    declared: dict[str, None] = {}
    for node in reductions:
        fold, both = _fold_names(node)
        needs[fold] = folds(node)
        declared |= dict.fromkeys([f"declare void @{fold}(ptr, i64, ptr)", f"declare void @{both}(ptr, ptr)"])
        words += [f"i64 {node.dtype.size}", f"ptr @{fold}", f"ptr @{both}"]
    kinds = ", ".join([word.split()[0] for word in words])
    lines = [*declared, *[f"declare void @flat_{name}({_WALKS[name]})" for name in names],
             f"@kind = internal constant {{ {kinds} }} {{ {', '.join(words)} }}",
             f"define void @{NAME}(ptr %args, ptr %dims, ptr %steps, ptr %data) #0 {{",
             f"  call void @flat_{NAME}(ptr @kind, ptr %args, ptr %dims, ptr %steps)", "  ret void", "}",
             _walk("rows", count)]  # fmt: skip
    if reductions:
        lines.append(_walk("reduce", count + len(reductions)))
    return ModuleSource("\n".join(lines), tuple(names), needs=tuple(needs.values()))


def _walk(name: str, count: int) -> str:
    """The function that calls a shared one with its arrays in a row."""
    arrays = ", ".join([f"ptr %x{k}" for k in range(count)])
    lines = [f"define void @{name}(ptr %spec, i64 %first, i64 %last, {arrays}) #0 {{",
             f"  %arrays = alloca [{count} x ptr], align 16"]  # fmt: skip
    for k in range(count):
        lines += [f"  %at{k} = getelementptr ptr, ptr %arrays, i64 {k}", f"  store ptr %x{k}, ptr %at{k}"]
    return "\n".join([*lines, f"  call void @flat_{name}(ptr @kind, ptr %spec, i64 %first, i64 %last, ptr %arrays)",
                      "  ret void", "}"])  # fmt: skip


def _fold_names(node: RowReduction) -> tuple[str, str]:
    return f"flat_fold_{node.ufunc}_{node.dtype.name}", f"flat_both_{node.ufunc}_{node.dtype.name}"


def folds(node: RowReduction) -> ModuleSource:
    """The module of what folds a row, and what combines two totals.

    Raises:
        CannotLower: NumPy has no such loop.
    """
    rules = RowFolds()
    kind, names = memory_kind(node.dtype), _fold_names(node)
    line = rules.fold(node, "%row", "%n", "%total")
    both = []
    if in_leaves([node]):
        total = int_reduction.combined(node.ufunc, node.dtype, "%x", "%y") if is_exact(node) else f"fadd {kind} %x, %y"
        both = [f"  %x = load {kind}, ptr %to", f"  %y = load {kind}, ptr %with", f"  %z = {total}",
                f"  store {kind} %z, ptr %to"]  # fmt: skip
    text = [*rules.rules, f"define void @{names[0]}(ptr %row, i64 %n, ptr %total) #0 {{", line, "  ret void", "}",
            f"define void @{names[1]}(ptr %to, ptr %with) #0 {{", *both, "  ret void", "}", attributes(),
            pairwise_sum.METADATA]  # fmt: skip
    return ModuleSource("\n".join(text), names, rules.imports)
