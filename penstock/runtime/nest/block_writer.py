"""The code of a nest with short rows: many rows at once, as if their elements were one long row.

Calls of NumPy's functions and of the passes would cost more than the work on a few elements. So a block of rows is
computed in each pass; numbers of rows are repeated for their elements first, and reductions give a number for each row
of the block. The width is part of the code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..ir.nest_ir import ELEMENT, ROW, Load, Nest, RowReduction
from ..llvm.array_head import load_data
from ..llvm.pairwise_sum import AS_WRITTEN
from .column_writer import ColumnWriter, fits
from .row_stages import Home, RowPass
from .row_writer import NAME, RowWriter, picked_element
from .short_rows import copy_down, declarations, fold, repeat

WIDEST: Final = 64
"""The widest rows that are computed in blocks."""
BLOCK: Final = 1024
"""The elements of a block, about: every row of scratch memory then takes 4 or 8 KiB."""


class ShortRowWriter(RowWriter):
    """Writes the module of a nest for rows of `width` elements."""

    adds_rows = False
    is_dense = True

    def __init__(self, nest: Nest, width: int) -> None:
        super().__init__(nest)
        self.width = width
        self._rows = max(16, BLOCK // width & -16)
        self._room = 0
        self._scratch: dict[str, int] = {}
        self._helpers: dict[str, None] = {}

    def scratch(self, count: int) -> int:
        """The bytes of scratch memory."""
        values = sum([64 + 16 * self._rows * (1 + self.width) for _ in self.nest.nodes])
        return values + sum([64 + self._rows * self.width * size for size in self.stages.temporaries])

    # ---- the loop over blocks -----------------------------------------------------------------

    def main(self) -> list[str]:
        """The lines of the function."""
        nest, loads = self.nest, self.loads
        arrays = [f"ptr %x{k}" for k in loads] + [f"ptr %y{s.result}" for s in nest.stores] + ["ptr %scratch"]
        head = [f"define void @{NAME}(ptr %spec, i64 %first, i64 %last, {', '.join(arrays)}) #0 {{", "entry:"]
        head += [f"  {load_data(f'%p{k}', f'%x{k}')}" for k in loads]
        head += [f"  {load_data(f'%o{s.result}', f'%y{s.result}')}" for s in nest.stores]
        head += [f"  {load_data('%room', '%scratch')}"]
        before, inside = self._before(), self._inside()
        places = [f"  %{name} = getelementptr i8, ptr %room, i64 {at}" for name, at in self._scratch.items()]
        tail = [f"  %next = add i64 %i, {self._rows}", "  %more = icmp slt i64 %next, %last",
                "  br i1 %more, label %block, label %done", "done:", "  ret void", "}"]  # fmt: skip
        return [*self._helpers, *head, *places, *before, *inside, *tail]

    def _before(self) -> list[str]:
        """Rows that are the same for all, repeated once."""
        lines = []
        read = {v for stage in self.stages.stages if stage.elements is not None for v in stage.elements.reads}
        read |= {int(node.value) for node in self.nest.nodes if isinstance(node, RowReduction)}
        for k in self.loads:
            if self.axes[k] == ELEMENT and k in read:
                size = self.nest.dtype_of_number(k).size
                self._helpers[copy_down(size, self.width)] = None
                place = self._place(f"down{k}", size * self.width)
                lines.append(f"  call void @down{size}(ptr {place}, ptr %p{k}, i64 {self._rows})")
        return [*lines, "  %some = icmp slt i64 %first, %last", "  br i1 %some, label %block, label %done"]

    def _inside(self) -> list[str]:
        nest = self.nest
        lines = ["block:", "  %i = phi i64 [%first, %entry], [%next, %block]", "  %left = sub i64 %last, %i",
                 f"  %fits = icmp slt i64 %left, {self._rows}", f"  %m = select i1 %fits, i64 %left, i64 {self._rows}",
                 f"  %n = mul i64 %m, {self.width}", "  %is_first = icmp eq i64 %i, %first"]  # fmt: skip
        picks = {k: label for k in self.loads if (label := self.label_of(k)) is not None}
        sizes = {f"%{'row' if k in picks else 'q'}{k}": (f"%p{k}", self._step(k, nest.dtype_of_number(k).size))
                 for k in self.loads}  # fmt: skip
        for s in nest.stores:
            step = (self.width if ELEMENT in s.axes else 1) if ROW in s.axes else 0
            sizes[f"%w{s.result}"] = f"%o{s.result}", nest.dtype_of(s.value).size * step
        for name, (base, step) in sizes.items():
            lines += [f"  {name}.at = mul i64 %i, {step}", f"  {name} = getelementptr i8, ptr {base}, i64 {name}.at"]
        for k, label in picks.items():
            name = f"pick{k}"
            self._helpers[self._pick(name, k, label)] = None
            lines.append(f"  call void @{name}(ptr {self.place_of(k)}, ptr %row{k}, ptr %q{label}, i64 %m)")
        repeated: dict[int, str] = {}
        for number, stage in enumerate(self.stages.stages):
            if stage.row is not None:
                lines.append(self._called(f"row{number}", stage.row, "%m", {}))
            if stage.elements is not None:
                for v in stage.elements.reads:
                    if v not in repeated and self._is_repeated(v):
                        repeated[v] = self._place(f"repeated{v}", nest.dtype_of_number(v).size * self.width)
                        lines.append(self._repeat(v, repeated[v]))
                lines.append(self._called(f"stage{number}", stage.elements, "%n", repeated))
            for v in stage.reductions:
                node = nest.nodes[v]
                assert isinstance(node, RowReduction)  # the stages say so
                one = self.folds.fold(node, "%row", str(self.width), "%total")
                name = f"rows_{node.ufunc}_{node.dtype.name}"  # one function for all reductions of a kind
                self._helpers.update(dict.fromkeys(declarations(node, self.width)))
                self._helpers[fold(name, node, self.width, one)] = None
                lines.append(f"  call void @{name}(ptr {self.place_of(node.value)}, ptr {self.place_of(v)}, i64 %m)")
            lines += [self.added(v, "%m", str(self.width)) for v in stage.columns]
        return lines

    def _step(self, load: int, size: int) -> int:
        """The bytes from a row to the next one."""
        node = self.nest.nodes[load]
        assert isinstance(node, Load)  # it is one of the loads
        if ROW not in node.axes:
            return 0
        return size * (self.width if ELEMENT in node.reach else 1)

    def _pick(self, name: str, load: int, label: int) -> str:
        """The text of `@{name}(to, rows, labels, m)`: the element of each row that its label says."""
        kind, bits = (f"i{8 * self.nest.dtype_of_number(k).size}" for k in (load, label))
        lines = [f"define internal void @{name}(ptr %to, ptr %rows, ptr %labels, i64 %m) #1 {{", "entry:",
                 "  br label %each", "each:", "  %r = phi i64 [0, %entry], [%r1, %each]",
                 f"  %begin = mul i64 %r, {self.width}", f"  %row = getelementptr {kind}, ptr %rows, i64 %begin",
                 f"  %label_at = getelementptr {bits}, ptr %labels, i64 %r",
                 *picked_element("%x", "%row", "%label_at", self.nest, load, label, str(self.width)),
                 f"  %number = load {kind}, ptr %x, align 1", f"  %y = getelementptr {kind}, ptr %to, i64 %r",
                 f"  store {kind} %number, ptr %y, align 1", "  %r1 = add i64 %r, 1",
                 "  %more = icmp slt i64 %r1, %m", f"  br i1 %more, label %each, label %done, {AS_WRITTEN}", "done:",
                 "  ret void", "}"]  # fmt: skip
        return "\n".join(lines)

    # ---- places -------------------------------------------------------------------------------

    def _place(self, name: str, bytes_of_row: int) -> str:
        """Scratch memory of a name, of so many bytes for each row of a block."""
        if name not in self._scratch:
            self._scratch[name] = self._room
            self._room += -(-bytes_of_row * self._rows // 64) * 64
        return f"%{name}"

    def place_of(self, value: int) -> str:
        """The memory of a value in this block."""
        home = self.stages.homes.get(value)
        node = self.nest.nodes[value]
        if isinstance(node, Load) and node.at is not None:
            return self._place(f"picked{value}", self.nest.dtype_of_number(value).size)
        if home is None:
            return f"%down{int(value)}" if self.axes[value] == ELEMENT else f"%q{int(value)}"
        return self._memory(home)

    def _memory(self, home: Home) -> str:
        kind, number = home
        if kind == "result":
            return f"%w{number}"
        if kind == "slot":
            return self._place(f"slot{number}", self.nest.dtype_of_number(number).size)
        return self._place(f"temporary{number}", self.stages.temporaries[number] * self.width)

    def _is_repeated(self, value: int) -> bool:
        """True for a number of each row; a number that is the same for all rows is read as it is."""
        return ELEMENT not in self.axes[value] and not self._is_single(value)

    def _is_single(self, value: int) -> bool:
        return isinstance(self.nest.nodes[value], Load) and not self.axes[value]

    def _repeat(self, value: int, place: str) -> str:
        size = self.nest.dtype_of_number(value).size
        self._helpers[repeat(size, self.width)] = None
        return f"  call void @repeat{size}(ptr {place}, ptr {self.place_of(value)}, i64 %m)"

    def _called(self, name: str, part: RowPass, count: str, repeated: Mapping[int, str]) -> str:
        """Write the function of a pass; the line that calls it."""
        name = self.parts.tile(part.program, tuple([self._is_single(v) for v in part.reads]), name)
        places = [repeated.get(v) or self.place_of(v) for v in part.reads]
        places += [self._memory(home) for home in part.writes]
        return f"  call void @{name}({', '.join([f'ptr {place}' for place in places])}, i64 {count})"


def writer_for(nest: Nest, count: int) -> RowWriter:
    """The writer for rows of `count` elements."""
    if count <= WIDEST:
        return ShortRowWriter(nest, count)
    return ColumnWriter(nest) if fits(nest) else RowWriter(nest)
