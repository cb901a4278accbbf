"""`ModuleParts`: the functions of one module while it is written, and what they need beside them."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.scalar_ir import Scalar
from .emit_llvm import TileFunction
from .inner_loop import TILE
from .tile_passes import Over


class ModuleParts:
    """The parts.

    Attributes:
        functions: texts of functions.
        declared: declarations by the name of what they declare.
        imports: addresses of NumPy's loops by name.
        metadata: lines at the end of the module.
        loops: the number of loops that have marks.
    """

    def __init__(self) -> None:
        self.functions: list[str] = []
        self.declared: dict[str, str] = {}
        self.imports: dict[str, int] = {}
        self.metadata: list[str] = []
        self.loops = 0

    def tile(
        self, program: Scalar, uniform: tuple[bool, ...], name: str, over: Over = (), is_single: bool = False,
        longest: int | None = None,
    ) -> str:  # fmt: skip
        """Write the function of a program over elements; the name of the one that takes any number of them.

        Args:
            program: the program.
            uniform: for each input, whether it is one number for all of them.
            name: the name of the function.
            over: see `TileFunction`.
            is_single: see `TileFunction`.
            longest: the most elements of a call; None if that is not known.
        """
        tile = TileFunction(program, uniform, name, self.loops, over, is_single)
        tile.write()
        self.loops = tile.loops
        self.declared.update(tile.code.declared)
        self.functions.append(tile.text())
        self.metadata += tile.metadata
        self.imports.update(tile.imports)
        if not tile.imports or all(uniform) or (longest is not None and longest <= TILE):
            return name
        self.functions.append(_in_pieces(name, program, uniform))
        return f"{name}.pieces"

    def mark(self, properties: str) -> int:
        """The number of a new mark of loops with these properties."""
        number = 10 + self.loops
        self.loops += 1
        self.metadata.append(f"!{number} = distinct !{{!{number}, {properties}}}")
        return number


def _in_pieces(name: str, program: Scalar, uniform: Sequence[bool]) -> str:
    """The function that calls a tile for some hundred elements at a time, since it calls NumPy's loops."""
    sizes = [0 if one else d.size for d, one in zip(program.inputs, uniform, strict=True)]
    sizes += [program.dtype_of(o).size for o in program.outputs]
    arrays = ", ".join([f"ptr %a{k}" for k in range(len(sizes))])
    lines = [f"define internal void @{name}.pieces({arrays}, i64 %n) #1 {{", "entry:",
             "  %some = icmp sgt i64 %n, 0", "  br i1 %some, label %piece, label %done", "piece:",
             "  %at = phi i64 [0, %entry], [%end, %piece]", "  %left = sub i64 %n, %at",
             f"  %fits = icmp slt i64 %left, {TILE}", f"  %m = select i1 %fits, i64 %left, i64 {TILE}"]  # fmt: skip
    for k, size in enumerate(sizes):
        lines += [f"  %o{k} = mul i64 %at, {size}", f"  %b{k} = getelementptr i8, ptr %a{k}, i64 %o{k}"]
    operands = ", ".join([f"ptr %b{k}" for k in range(len(sizes))])
    return "\n".join([*lines, f"  call void @{name}({operands}, i64 %m)", "  %end = add i64 %at, %m",
                      "  %more = icmp slt i64 %end, %n", "  br i1 %more, label %piece, label %done", "done:",
                      "  ret void", "}"])  # fmt: skip
