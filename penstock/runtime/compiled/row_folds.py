"""Reductions of a row that lies in memory, with NumPy's bits: its order of additions, or its own loop."""

from __future__ import annotations

from typing import Any

from ..ir.nest_ir import RowReduction
from ..ir.scalar_ir import CannotLower
from ..llvm import pairwise_sum
from ..llvm.ufunc_loops import numpy_loop
from . import int_reduction
from .llvm_primitives import kind_of, memory_kind, symbol

CALL_ROOM = ("  %call.args = alloca [3 x ptr]", "  %call.steps = alloca [3 x i64]", "  %call.dims = alloca [3 x i64]")
"""What the calls of NumPy's loops need in the function that contains them."""


class RowFolds:
    """Writes folds; collects the functions that they need.

    Attributes:
        rules: texts of functions and declarations.
        imports: addresses of NumPy's loops by name.
    """

    def __init__(self) -> None:
        self.rules: dict[str, None] = {}
        self.imports: dict[str, int] = {}

    def fold(self, node: RowReduction, name: str, row: str, count: str, total: str) -> list[str]:
        """Lines that reduce `count` elements at `row` to the number at `total`; their registers begin with `name`.

        Raises:
            CannotLower: NumPy has no such loop.
        """
        kind = memory_kind(node.dtype)
        if int_reduction.is_order_free(node.ufunc, node.dtype):
            self.rules[int_reduction.rule(node.ufunc, node.dtype)] = None
            function = int_reduction.name(node.ufunc, node.dtype)
            return [f"  %{name} = call {kind} @{function}(ptr {row}, i64 {count})",
                    f"  store {kind} %{name}, ptr {total}, align 1"]  # fmt: skip
        if node.ufunc == "add" and node.dtype.is_floating and pairwise_sum.is_known():
            self.rules[pairwise_sum.rule(kind_of(node.dtype))] = None
            return [f"  %{name}.sum = call {kind} @sum_{kind}(ptr {row}, i64 {count})",
                    f"  %{name} = fadd {kind} %{name}.sum, 0.0",  # a sum begins with 0.0, which makes 0.0 of -0.0
                    f"  store {kind} %{name}, ptr {total}, align 1"]  # fmt: skip
        return self._by_numpy(node, name, row, count, total)

    def _by_numpy(self, node: RowReduction, name: str, row: str, count: str, total: str) -> list[str]:
        """NumPy's loop over a whole row, which begins as `ufunc.reduce` does."""
        call, data = self._numpy(node)
        bits, size = f"i{8 * node.dtype.size}", node.dtype.size
        start = {"add": 0, "multiply": 1}.get(node.ufunc)
        lines = []
        if start is None:  # begin with the first element
            lines += [f"  %{name}.first = load {bits}, ptr {row}, align 1",
                      f"  store {bits} %{name}.first, ptr {total}, align 1",
                      f"  %{name}.rest = getelementptr i8, ptr {row}, i64 {size}",
                      f"  %{name}.count = sub i64 {count}, 1"]  # fmt: skip
            row, count = f"%{name}.rest", f"%{name}.count"
        else:
            one: Any = node.dtype.np.type(start).tobytes()
            lines.append(f"  store {bits} {int.from_bytes(one, 'little')}, ptr {total}, align 1")
        places = [(total, 0), (row, size), (total, 0)]
        for k, (place, stride) in enumerate(places):
            lines += [f"  %{name}.a{k} = getelementptr ptr, ptr %call.args, i64 {k}",
                      f"  store ptr {place}, ptr %{name}.a{k}",
                      f"  %{name}.s{k} = getelementptr i64, ptr %call.steps, i64 {k}",
                      f"  store i64 {stride}, ptr %{name}.s{k}"]  # fmt: skip
        return [*lines, f"  store i64 {count}, ptr %call.dims",
                f"  call void {call}(ptr %call.args, ptr %call.dims, ptr %call.steps, ptr {data})"]  # fmt: skip

    def _numpy(self, node: RowReduction) -> tuple[str, str]:
        letter = node.dtype.np.char
        loop = numpy_loop(node.ufunc, f"{letter}{letter}->{letter}")
        if loop is None:
            raise CannotLower(f"NumPy has no {node.ufunc} of {node.dtype.name}")
        name = symbol(node.ufunc, f"{letter}{letter}->{letter}")
        self.imports[name] = loop.address
        self.rules[f"declare void @{name}(ptr, ptr, ptr, ptr)"] = None
        if not loop.data:
            return f"@{name}", "null"
        self.imports[f"{name}_data"] = loop.data
        self.rules[f"declare void @{name}_data()"] = None
        return f"@{name}", f"@{name}_data"
