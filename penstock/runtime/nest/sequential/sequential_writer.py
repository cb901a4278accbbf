"""The code of a sequential nest: one function in LLVM IR, loop for loop.

Memory is accessed with `align 1`, because fed arrays may be unaligned, and parameters are taken not to overlap. Rounds
that are computed at once are the lanes of a vector (`lanes`), or the same instructions for each of them (`together`);
a value that is the same for all of them is computed once. What is kept from round to round is a variable on the stack,
of which LLVM makes a register.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ....graph.shapes.dtypes import DType, int64
from ...compiled.llvm_primitives import (
    IrFunction,
    Operand,
    constant_operand,
    emit_step,
    kind_of,
    memory_kind,
)
from ...ir.fused_ir import Value
from ...ir.scalar_ir import Argument, CannotLower, Literal, ScalarStep
from ...kernels.loops.loop_ir import AS_WRITTEN, MEMCPY, copy_row
from ...kernels.loops.loop_keys import LONGEST_ROW
from ...llvm.array_head import load_data
from .sequential_ir import (
    BoundCheck,
    Fetch,
    For,
    FunctionCall,
    Keep,
    Leave,
    LocalValue,
    MemoryPlace,
    Parameter,
    Read,
    RepeatedBody,
    Scratch,
    SequentialNest,
    Statement,
    When,
    Write,
    numbers_read,
)
from .vector_steps import AtOnce, emit_vector_step, reversed_vector, splat

_GROUP: Final = "!llvm.access.group !9"
_OF_PLACES: Final = {"remainder": "urem", "floor_divide": "udiv", "left_shift": "shl", "right_shift": "lshr"}
"""For numbers that are not negative, divisors that are not 0, shifts below 64."""
_END: Final = AS_WRITTEN + """!7 = !{i32 1}
!8 = !{!"llvm.loop.parallel_accesses", !9}
!9 = distinct !{}
"""


def code_of(nest: SequentialNest) -> str:
    """The module of a nest; its function has the name of the nest.

    Raises:
        CannotLower: a step has no instructions.
    """
    writer = NestCode(nest)
    writer.write()
    return writer.text()


class NestCode:
    """Writes the statements of a nest: here as a function of its own; other classes say otherwise."""

    def __init__(self, nest: SequentialNest, code: IrFunction | None = None) -> None:
        self.nest = nest
        self.code = IrFunction() if code is None else code
        self.block = "entry"
        self.made: dict[Value, list[Operand]] = {}
        self.rows: dict[Value, list[str]] = {}  # the address of each row that is moved
        self.at_once: AtOnce | None = None
        self.vectors: set[Value] = set()
        self.group = ""
        self.metadata: list[str] = []
        self.passes_caches = False
        self._labels = 0
        self._behind: list[str] = []  # where those go on who leave a loop without an end

    # ---- the function -------------------------------------------------------------------------

    def write(self) -> None:
        for k, node in enumerate(self.nest.nodes):
            if isinstance(node, Parameter):
                self.made[Value(k)] = [f"%{node.name}"]
                if node.of_array:
                    self.code.add(load_data(f"%{node.name}.data", f"%{node.name}").replace("\n", "\n  "))
                    self.made[Value(k)] = [f"%{node.name}.data"]
        self.body(self.nest.body)
        if self.passes_caches:
            self.code.add("fence seq_cst")
        self.code.add(f"ret i64 {self.one(self.nest.result)}")

    def text(self) -> str:
        given = ", ".join([f"i64 %{p.name}" if p.is_number else f"ptr noalias %{p.name}"
                           for p in self.nest.parameters()])  # fmt: skip
        head = f"define i64 @{self.nest.name}({given}) #0 {{\nentry:"
        body = [head, *self.code.allocas, *self.code.lines, "}"]
        return "\n".join([MEMCPY, *self.code.declared.values(), *body, *self.metadata, _END])

    def body(self, statements: Sequence[Statement]) -> None:
        for each in statements:
            if isinstance(each, Value):
                self.value(each)
            elif isinstance(each, Write):
                self.put(each)
            elif isinstance(each, Keep):
                for k, variable in enumerate(self.made[each.kept]):
                    self.store_kept(each.kept, str(variable), self.operand(each.value, k, each.kept in self.vectors))
            elif isinstance(each, BoundCheck):
                self.check(self.code.do(f"icmp ult i64 {self.one(each.value)}, {self.one(each.bound)}"), each.otherwise)
            elif isinstance(each, FunctionCall):
                self.call(each)
            elif isinstance(each, Fetch):
                self.code.declared["fetch"] = "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)"
                self.code.add(f"call void @llvm.prefetch.p0(ptr {self.address(each.place, 0)}, i32 0, i32 3, i32 1)")
            elif isinstance(each, When):
                there, on = self.label("when"), self.label("on")
                self.code.add(f"br i1 {self.one(each.condition)}, label %{there}, label %{on}")
                self.begin(there)
                self.body(each.body)
                self.code.add(f"br label %{on}")
                self.begin(on)
            elif isinstance(each, RepeatedBody):
                again = self.label("again")
                self._behind.append(self.label("behind"))
                self.code.add(f"br label %{again}")
                self.begin(again)
                self.body(each.body)
                self.code.add(f"br label %{again}")
                self.begin(self._behind.pop())
            elif isinstance(each, Leave):
                on = self.label("on")
                self.code.add(f"br i1 {self.one(each.condition)}, label %{self._behind[-1]}, label %{on}")
                self.begin(on)
            else:
                self.loop(each)

    def check(self, inside: str, otherwise: Argument) -> None:
        """End with `otherwise` unless `inside`."""
        ends, on = self.label("ends"), self.label("on")
        self.code.add(f"br i1 {inside}, label %{on}, label %{ends}")
        self.begin(ends)
        self.code.add(f"ret i64 {self.one(otherwise)}")
        self.begin(on)

    def call(self, each: FunctionCall) -> None:
        words = [f"ptr {self.address(a, 0)}" if isinstance(a, MemoryPlace) else f"i64 {self.one(a)}"
                 for a in each.arguments]  # fmt: skip
        called = each.function if isinstance(each.function, str) else ""
        function = f"@{called}" if called else self.code.do(f"inttoptr i64 {self.one(each.function)} to ptr")  # type: ignore[arg-type]  # it is no name
        self.code.add(f"call void {function}({', '.join(words)})")

    def label(self, word: str) -> str:
        self._labels += 1
        return f"{word}{self._labels}"

    def begin(self, label: str) -> None:
        self.code.label(label)
        self.block = label

    # ---- loops --------------------------------------------------------------------------------

    def loop(self, each: For) -> None:
        size, start = self.one(each.size), "0"
        for count in each.lanes or each.together or (1,):
            start = self.rounds(each, size, start, count)

    def rounds(self, each: For, size: str, start: str, count: int) -> str:
        """As many times `count` rounds as fit; the position behind them."""
        code, position = self.code, each.position
        head, inside, done = (self.label(word) for word in ("head", "body", "done"))
        i, following = f"%i.{head}", f"%next.{head}"
        before = self.block
        code.add(f"br label %{head}")
        self.begin(head)
        code.add("")  # the phi, once the last block is known
        at = len(code.lines) - 1
        code.add(f"{following} = add nuw nsw i64 {i}, {count}")
        fits = code.do(f"icmp sle i64 {following}, {size}")
        code.add(f"br i1 {fits}, label %{inside}, label %{done}")
        self.begin(inside)
        outer, group = self.at_once, self.group
        mark = self.mark(each)
        if each.lanes or each.together:
            self.at_once = AtOnce(position, count, i, bool(each.lanes) and count > 1)
            steps = 1 if each.lanes else count
            self.made[position] = [i, *[code.do(f"add nuw nsw i64 {i}, {k}") for k in range(1, steps)]]
        else:
            self.made[position] = [i]
        if each.is_parallel:
            self.group = f", {_GROUP}"
        self.body(each.body)
        self.at_once, self.group = outer, group
        code.lines[at] = f"  {i} = phi i64 [{start}, %{before}], [{following}, %{self.block}]"
        code.add(f"br label %{head}{mark}")
        self.begin(done)
        return i

    def mark(self, each: For) -> str:
        """What LLVM is to know of a loop: words behind the jump back."""
        if each.is_parallel:
            number = 10 + len(self.metadata)
            width = f", !{{!\"llvm.loop.vectorize.width\", i32 {each.vector}}}" if each.vector else ""
            self.metadata.append(f"!{number} = distinct !{{!{number}, !8{width}}}")
            return f", !llvm.loop !{number}"
        as_written = self.at_once is not None or each.lanes or each.together or each.vector == 1
        return ", !llvm.loop !0" if as_written else ""

    # ---- values -------------------------------------------------------------------------------

    def value(self, value: Value) -> None:
        node = self.nest.nodes[value]
        count = self.count_of(value)
        lanes = self.at_once is not None and self.at_once.lanes and self.is_varying(value)
        self.vectors.discard(value)
        if lanes:
            self.vectors.add(value)
        if isinstance(node, Read):
            if node.size is not None:
                self.rows[value] = [self.address(node.place, k) for k in range(count)]
            else:
                self.made[value] = [self.read(node.place, node.dtype, k, lanes) for k in range(count)]
        elif isinstance(node, ScalarStep):
            self.made[value] = [self.step(node, k, lanes) for k in range(count)]
        elif isinstance(node, Scratch):
            self.made[value] = [self.code.do(f"ptrtoint ptr {self.code.cell(f'[{node.size} x i8]', 64)} to i64")]
        elif isinstance(node, LocalValue):
            self.made[value] = []
            for k in range(count):
                kind = self.kind(node.dtype, True) if lanes else memory_kind(node.dtype)
                variable = self.code.cell(f"[{2 if node.dtype.is_complex else 1} x {kind}]", align=64)
                self.made[value].append(variable)
                self.store_kept(value, variable, self.operand(node.first, k, lanes))

    def is_varying(self, value: Value) -> bool:
        """True if a value differs between rounds that are computed at once."""
        assert self.at_once is not None  # the caller has looked
        node = self.nest.nodes[value]
        if value == self.at_once.position or isinstance(node, LocalValue):
            return True
        return any(self.varies(a) for a in numbers_read(node))

    def varies(self, argument: Argument) -> bool:
        if self.at_once is None or isinstance(argument, Literal):
            return False
        return argument == self.at_once.position or argument in self.vectors or len(self.copies(argument)) > 1

    def copies(self, value: Value) -> Sequence[Operand]:
        return self.rows[value] if value in self.rows else self.made[value]

    def count_of(self, value: Value) -> int:
        """The number of copies of a value."""
        if self.at_once is None or self.at_once.lanes:
            return 1
        return self.at_once.count if self.is_varying(value) else 1

    def one(self, argument: Argument) -> str:
        return str(self.operand(argument))

    def operand(self, argument: Argument, k: int = 0, lanes: bool = False) -> Operand:
        """Copy k of a value, or its only one; as a vector if `lanes`."""
        if isinstance(argument, Literal):
            register, is_vector = constant_operand(argument), False
        else:
            copies, node = self.made[argument], self.nest.nodes[argument]
            register, is_vector = copies[k if len(copies) > 1 else 0], argument in self.vectors
            if isinstance(node, LocalValue):
                register = self.load_kept(argument, str(register))
        if not lanes or is_vector:
            return register
        assert self.at_once is not None  # the caller has looked
        dtype = self.nest.dtype_of(argument)
        if argument == self.at_once.position:
            return self.positions(str(register))
        return splat(self.code, kind_of(dtype), str(register), self.at_once.count)

    def positions(self, start: str) -> str:
        assert self.at_once is not None  # the caller has looked
        count = self.at_once.count
        places = ", ".join([f"i64 {k}" for k in range(count)])
        return self.code.do(f"add <{count} x i64> {splat(self.code, 'i64', start, count)}, <{places}>")

    def kind(self, dtype: DType, lanes: bool) -> str:
        assert not lanes or self.at_once is not None  # the caller has looked
        return f"<{self.at_once.count} x {kind_of(dtype)}>" if lanes and self.at_once else kind_of(dtype)

    def step(self, node: ScalarStep, k: int, lanes: bool) -> Operand:
        dtypes = tuple([self.nest.dtype_of(a) for a in node.args])
        operands = tuple([self.operand(a, k, lanes) for a in node.args])
        if lanes:
            assert self.at_once is not None  # the caller has looked
            return emit_vector_step(self.code, node, dtypes, operands, self.at_once.count)
        found = emit_step(self.code, node, dtypes, operands)
        if found is None and node.primitive in _OF_PLACES and dtypes[0].is_integer:
            found = self.code.do(f"{_OF_PLACES[node.primitive]} {kind_of(dtypes[0])} {operands[0]}, {operands[1]}")
        if found is None:
            raise CannotLower(f"{node.primitive} of {dtypes[0].name} is a loop of NumPy's")
        return found

    def load_kept(self, value: Value, variable: str) -> Operand:
        return self._load(self.nest.dtype_of(value), variable, value in self.vectors)

    def store_kept(self, value: Value, variable: str, operand: Operand) -> None:
        self._store(self.nest.dtype_of(value), operand, variable, value in self.vectors)

    # ---- memory -------------------------------------------------------------------------------

    def address(self, place: MemoryPlace, k: int, lanes: bool = False) -> str:
        """The address of a place; of the first lane, or of the last one if they go backwards."""
        code = self.code
        base = self.operand(place.base, k)
        if not isinstance(self.nest.nodes[place.base], Parameter):
            base = code.do(f"inttoptr i64 {base} to ptr")
        constant = 0
        if lanes and self.along(place) < 0:
            assert self.at_once is not None  # the caller has looked
            constant += self.along(place) * (self.at_once.count - 1)
        for a, b in place.terms:
            if isinstance(a, Literal) and isinstance(b, Literal):
                constant += int(a.value) * int(b.value)
            elif isinstance(b, Literal) and int(b.value) > 0:
                # Not a product: one of a bool would become a branch.
                base = code.do(f"getelementptr [{int(b.value)} x i8], ptr {base}, i64 {self.operand(a, k)}")
            else:
                skip = code.do(f"mul i64 {self.operand(a, k)}, {self.operand(b, k)}")
                base = code.do(f"getelementptr i8, ptr {base}, i64 {skip}")
        return code.do(f"getelementptr i8, ptr {base}, i64 {constant}") if constant else str(base)

    def along(self, place: MemoryPlace) -> int:
        """The bytes from lane to lane."""
        assert self.at_once is not None  # the caller has looked
        steps = [b for a, b in place.terms if a == self.at_once.position]
        others = [a for term in place.terms for a in term if a != self.at_once.position and self.varies(a)]
        if others or len(steps) != 1 or not isinstance(steps[0], Literal):
            raise CannotLower("its lanes do not lie side by side")
        return int(steps[0].value)

    def read(self, place: MemoryPlace, dtype: DType, k: int, lanes: bool) -> Operand:
        address = self.address(place, k, lanes)
        if not lanes:
            return self.code.load(dtype, address, self.group)
        assert self.at_once is not None  # the caller has looked
        count, step = self.at_once.count, self.along(place)
        if abs(step) != dtype.size or dtype.is_complex or dtype.is_bool:
            raise CannotLower("its lanes do not lie side by side")
        vector = str(self._load(dtype, address, lanes=True))
        return vector if step > 0 else reversed_vector(self.code, vector, self.kind(dtype, True), count)

    def put(self, each: Write) -> None:
        value, place = each.value, each.place
        row = self.nest.nodes[value] if isinstance(value, Value) and value in self.rows else None
        many = self.at_once is not None and not self.at_once.lanes
        for k in range(self.at_once.count if many and self.at_once is not None else 1):
            if isinstance(row, Read):
                assert isinstance(value, Value)  # it is a row
                source = self.rows[value][k if len(self.rows[value]) > 1 else 0]
                if each.past_caches:
                    self.passes_caches = True
                    line = self.code.do(f"load <16 x i32>, ptr {source}, align 64")
                    self.code.add(f"store <16 x i32> {line}, ptr {self.address(place, k)}, align 64, !nontemporal !7")
                else:
                    self.move(self.address(place, k), source, row, k)
                continue
            dtype = self.nest.dtype_of(value)
            lanes = self.at_once is not None and self.at_once.lanes and any(
                self.varies(a) for term in place.terms for a in term)  # fmt: skip
            address = self.address(place, k, lanes)
            operand = self.operand(value, k, lanes)
            if value in self.vectors if not lanes else self.along(place) != dtype.size:
                raise CannotLower("its lanes do not lie side by side")
            self._store(dtype, operand, address, lanes, self.group)

    def move(self, to: str, source: str, row: Read, k: int) -> None:
        size = row.size
        if isinstance(size, Literal) and 0 < int(size.value) <= LONGEST_ROW:
            self.code.lines.append(f"  {copy_row(to, source, int(size.value), self.label('row'))}")
            return
        assert size is not None  # it is a row
        count = self.operand(size, k)
        self.code.add(f"call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {source}, i64 {count}, i1 false)")

    def _load(self, dtype: DType, address: str, lanes: bool) -> Operand:
        if lanes:
            return self.code.do(f"load {self.kind(dtype, True)}, ptr {address}, align 1")
        return self.code.load(dtype, address)

    def _store(self, dtype: DType, operand: Operand, address: str, lanes: bool, mark: str = "") -> None:
        if lanes:
            self.code.add(f"store {self.kind(dtype, True)} {operand}, ptr {address}, align 1{mark}")
        else:
            self.code.store(dtype, operand, address, mark)


assert int64.size == 8, "places are counted in the bits of an address"
