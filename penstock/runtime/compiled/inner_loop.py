"""`@loop`: an inner loop with NumPy's signature around the `@tile` of `compiled.emit_llvm`.

If every stride is the expected one, `@tile` works on the operands in place, on all elements at once unless it calls
NumPy loops. Otherwise operands are copied to contiguous pieces of the stack and results copied back, some hundred
elements at a time. If an input that was assumed to be one number has a stride, the pieces are single elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from ..ir.scalar_ir import Scalar

TILE: Final = 512
"""Elements per tile if NumPy's loops are called. 256 to 1,024 take the same time, 4,096 a tenth more."""
NAME: Final = "loop"


def inner_loop(program: Scalar, uniform: Sequence[bool], in_tiles: bool) -> str:
    """The text of `@loop`. in_tiles: `@tile` takes at most `TILE` elements."""
    sizes = [d.size for d in program.inputs] + [program.dtype_of(o).size for o in program.outputs]
    count, inputs = len(sizes), len(program.inputs)
    expected = [0 if k < inputs and uniform[k] else size for k, size in enumerate(sizes)]
    lines = [f"define void @{NAME}(ptr %args, ptr %dims, ptr %steps, ptr %data) #0 {{", "entry:"]
    lines += [f"  %piece{k} = alloca [{size * TILE} x i8], align 64" for k, size in enumerate(sizes) if expected[k]]
    lines += ["  %n = load i64, ptr %dims", "  %single = icmp eq i64 %n, 1"]
    for k in range(count):
        lines += [f"  %a{k} = getelementptr ptr, ptr %args, i64 {k}", f"  %p{k} = load ptr, ptr %a{k}",
                  f"  %t{k} = getelementptr i64, ptr %steps, i64 {k}", f"  %s{k} = load i64, ptr %t{k}",
                  f"  %e{k} = icmp eq i64 %s{k}, {expected[k]}"]  # fmt: skip
    lines += [*_all("%all", [f"%e{k}" for k in range(count)]), "  %fast = or i1 %all, %single",
              *_all("%uniform", [f"%e{k}" for k in range(inputs) if uniform[k]]),
              f"  %largest = select i1 %uniform, i64 {TILE}, i64 1",
              "  %some = icmp sgt i64 %n, 0", "  br i1 %some, label %which, label %done", "which:"]  # fmt: skip
    pointers = ", ".join(f"ptr %p{k}" for k in range(count))
    if in_tiles:
        lines += ["  br label %piecewise"]
    else:
        lines += ["  br i1 %fast, label %whole, label %piecewise", "whole:",
                  f"  call void @tile({pointers}, i64 %n)", "  br label %done"]  # fmt: skip
    lines += ["piecewise:", "  %i = phi i64 [0, %which], [%end, %piecewise]", "  %left = sub i64 %n, %i",
              "  %fits = icmp slt i64 %left, %largest", "  %m = select i1 %fits, i64 %left, i64 %largest"]  # fmt: skip
    operands = []
    for k, size in enumerate(sizes):
        lines += [f"  %o{k} = mul i64 %i, %s{k}", f"  %b{k} = getelementptr i8, ptr %p{k}, i64 %o{k}"]
        if not expected[k]:
            operands.append(f"ptr %b{k}")
        elif k < inputs:
            operands.append(f"ptr %g{k}")
            lines.append(f"  %g{k} = call ptr @gather{size}(ptr %piece{k}, ptr %b{k}, i64 %s{k}, i64 %m)")
        else:
            operands.append(f"ptr %g{k}")
            lines.append(f"  %g{k} = select i1 %e{k}, ptr %b{k}, ptr %piece{k}")
    lines.append(f"  call void @tile({', '.join(operands)}, i64 %m)")
    lines += [f"  call void @scatter{sizes[k]}(ptr %b{k}, ptr %piece{k}, i64 %s{k}, i64 %m)"
              for k in range(inputs, count)]  # fmt: skip
    lines += ["  %end = add i64 %i, %m", "  %again = icmp slt i64 %end, %n",
              "  br i1 %again, label %piecewise, label %done", "done:", "  ret void", "}"]  # fmt: skip
    copies = {("gather", size) for k, size in enumerate(sizes[:inputs]) if expected[k]}
    copies |= {("scatter", size) for size in sizes[inputs:]}
    return "\n".join([*[_copy(way, size) for way, size in sorted(copies)], *lines])


def _all(name: str, conditions: list[str]) -> list[str]:
    lines, found = [], "true"
    for k, condition in enumerate(conditions):
        lines.append(f"  {name}{k} = and i1 {found}, {condition}")
        found = f"{name}{k}"
    return [*lines, f"  {name} = and i1 {found}, true"]


@cache
def _copy(way: str, size: int) -> str:
    """`@gather4(piece, strided, stride, n)` copies to the piece, or returns the memory itself if it is contiguous.

    `@scatter4(strided, piece, stride, n)` copies back.
    """
    gathers = way == "gather"
    result, strided = ("ptr", "%from") if gathers else ("void", "%to")
    stay = "ret ptr %from" if gathers else "ret void"
    dense = "%to" if gathers else "%from"
    source, target = ("%far", "%near") if gathers else ("%near", "%far")
    return f"""define internal {result} @{way}{size}(ptr %to, ptr %from, i64 %stride, i64 %n) #1 {{
entry:
  %dense = icmp eq i64 %stride, {size}
  br i1 %dense, label %stay, label %copy
stay:
  {stay}
copy:
  %i = phi i64 [0, %entry], [%next, %copy]
  %offset = mul i64 %i, %stride
  %far = getelementptr i8, ptr {strided}, i64 %offset
  %near = getelementptr i{8 * size}, ptr {dense}, i64 %i
  %x = load i{8 * size}, ptr {source}, align 1
  store i{8 * size} %x, ptr {target}, align 1
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %copy, label %done, !llvm.loop !4
done:
  {"ret ptr %to" if gathers else "ret void"}
}}"""
