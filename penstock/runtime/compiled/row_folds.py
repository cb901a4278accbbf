"""Reductions of a row that lies in memory, with NumPy's bits: its order of additions, or its own loop."""

from __future__ import annotations

from ..ir.nest_ir import RowReduction
from ..llvm import pairwise_sum
from . import int_reduction
from .imported_loops import imported_loop
from .llvm_primitives import IrFunction, kind_of, memory_kind


class RowFolds:
    """Writes folds; collects the functions that they need.

    Attributes:
        rules: texts of functions and declarations.
        imports: addresses of NumPy's loops by name.
    """

    def __init__(self) -> None:
        self.rules: dict[str, None] = {}
        self.imports: dict[str, int] = {}

    def fold(self, node: RowReduction, row: str, count: str, total: str) -> str:
        """The line that reduces `count` elements at `row` to the number at `total`.

        Raises:
            CannotLower: NumPy has no such loop.
        """
        return f"  call void @{self.function(node)}(ptr {row}, i64 {count}, ptr {total})"

    def function(self, node: RowReduction) -> str:
        """The name of the function (row, count, total) that such a line calls.

        Raises:
            CannotLower: NumPy has no such loop.
        """
        code, kind = IrFunction(), memory_kind(node.dtype)
        if int_reduction.is_order_free(node.ufunc, node.dtype):
            self.rules[int_reduction.rule(node.ufunc, node.dtype)] = None
            name = int_reduction.name(node.ufunc, node.dtype)
            code.add(f"store {kind} {code.do(f'call {kind} @{name}(ptr %row, i64 %count)')}, ptr %total, align 1")
        elif node.ufunc == "add" and node.dtype.is_floating and pairwise_sum.is_known():
            self.rules[pairwise_sum.rule(kind_of(node.dtype))] = None
            plain = code.do(f"call {kind} @sum_{kind}(ptr %row, i64 %count)")
            # A sum begins with 0.0, which makes 0.0 of -0.0.
            code.add(f"store {kind} {code.do(f'fadd {kind} {plain}, 0.0')}, ptr %total, align 1")
        else:
            self._by_numpy(code, node)
        name = f"row_{node.ufunc}_{node.dtype.name}"
        head = f"define internal void @{name}(ptr %row, i64 %count, ptr %total) #0 {{\nentry:"
        self.rules["\n".join([*code.declared.values(), head, *code.allocas, *code.lines, "  ret void\n}"])] = None
        return name

    def _by_numpy(self, code: IrFunction, node: RowReduction) -> None:
        """NumPy's loop over a whole row, which begins as `ufunc.reduce` does."""
        loop = imported_loop(node.ufunc, [node.dtype] * 3)
        self.imports.update(loop.imports)
        bits, size = f"i{8 * node.dtype.size}", node.dtype.size
        start = {"add": 0, "multiply": 1}.get(node.ufunc)
        row, count = "%row", "%count"
        if start is None:  # begin with the first element
            code.add(f"store {bits} {code.do(f'load {bits}, ptr {row}, align 1')}, ptr %total, align 1")
            row, count = code.do(f"getelementptr i8, ptr {row}, i64 {size}"), code.do(f"sub i64 {count}, 1")
        else:
            one: bytes = node.dtype.np.type(start).tobytes()
            code.add(f"store {bits} {int.from_bytes(one, 'little')}, ptr %total, align 1")
        code.call_loop(loop, [("%total", 0), (row, size), ("%total", 0)], [count])
