"""Emission of LLVM IR: a flat nest (`compiled.flat_nest`) as a loop over arrays.

The module has two functions. `@tile` computes up to some hundred elements of contiguous operands. Plain instructions
become vectorised loops; between them NumPy's inner loops run on pieces of the stack that stay in the first cache:

    inputs --> loop --> piece --> exp of NumPy --> piece --> loop --> outputs

`@loop` (compiled.inner_loop) calls it. Which inputs hold one number for a whole row (`uniform`) is fixed when the code
is made; such an input is read once.

An output may lie in the memory of inputs (`over`): see `compiled.tile_passes`.
"""

from __future__ import annotations

from ...graph.shapes.dtypes import DType, bfloat16, float32
from ..ir.fused_ir import Value
from ..ir.nest_ir import ELEMENT, Load, Nest
from ..ir.scalar_ir import HALVES, Argument, CannotLower, Literal, Scalar, ScalarStep
from ..llvm import pairwise_sum
from ..llvm.tier import ModuleSource
from ..llvm.toolchain import attributes
from ..llvm.ufunc_loops import MOST_OPERANDS
from .flat_frame import frame
from .flat_nest import program_of, reductions_of
from .imported_loops import imported_loop
from .inner_loop import TILE, item
from .llvm_primitives import (
    IrFunction,
    Operand,
    constant_operand,
    emit_step,
    memory_kind,
    rounded_to_bfloat16,
)
from .tile_passes import Over, Storage, TilePasses

CHAIN = 16
"""Instructions from which a loop computes four vectors at a time. 1e6 float32, in us: 12 operations 87 and 86, 25 240
and 175, 46 (a gradient) 575 and 380, 96 1,690 and 980. Compiling the last takes 160 ms instead of 100."""
_GROUP = "!llvm.access.group !9"
# Loops that copy strided operands (!4) are not vectorised: that would take a third of the compile time.
METADATA = pairwise_sum.METADATA + """
!1 = !{!"llvm.loop.vectorize.enable", i1 true}
!2 = !{!"llvm.loop.parallel_accesses", !9}
!3 = !{!"llvm.loop.interleave.count", i32 4}
!9 = distinct !{}
"""


def generate(nest: Nest, over: Over = ()) -> ModuleSource:
    """The module, and the addresses it imports.

    Args:
        nest: the nest, for the pattern of its inputs.
        over: for each output of its elements the inputs in whose memory it may lie.

    Raises:
        CannotLower: a step has neither an instruction nor a NumPy loop, or there are too many operands.
    """
    program, reductions = program_of(nest), reductions_of(nest)
    uniform = tuple([ELEMENT not in node.axes for node in nest.nodes if isinstance(node, Load)])
    count = len(program.inputs) + len(program.outputs)
    if count > MOST_OPERANDS:
        raise CannotLower(f"it has {count} operands, more than {MOST_OPERANDS}")
    tile = TileFunction(program, uniform, over=over)
    tile.write()
    around = frame(program, uniform, bool(tile.imports), reductions)
    parts = [*tile.code.declared.values(), tile.text(in_row=True), around.ir, attributes(), *tile.metadata, METADATA]
    return around._replace(ir=once_each("\n".join(parts)), imports=tile.imports)


def calls_numpy(program: Scalar) -> bool:
    """True if its code calls NumPy's loops, which take as long for one element as for a dozen."""
    return any(not _is_direct(program, step) for step in program.steps)


def _is_direct(program: Scalar, step: ScalarStep) -> bool:
    return is_direct(step, tuple([program.dtype_of(a) for a in step.args]))


def is_direct(step: ScalarStep, dtypes: tuple[DType, ...]) -> bool:
    """True if a step on these dtypes is plain instructions; found by writing it to a discarded function."""
    return emit_step(IrFunction(), step, dtypes, tuple([_undefined(d) for d in dtypes])) is not None


def once_each(text: str) -> str:
    """The text without repeated declarations."""
    seen: set[str] = set()
    kept = []
    for line in text.split("\n"):
        if line.startswith("declare "):
            if line in seen:
                continue
            seen.add(line)
        kept.append(line)
    return "\n".join(kept)


class TileFunction:
    """`@tile(inputs ..., outputs ..., n)`, or `@tile(ptr operands, n)`.

    name: the name of the function. number: that of its first loop; loops of one module have different numbers.
    over: for each output the inputs in whose memory it may lie, element on element; () if none overlaps any.
    is_single: whether it is called for a single element, so that vectors are of no use.
    """

    def __init__(
        self, program: Scalar, uniform: tuple[bool, ...], name: str = "tile", number: int = 0, over: Over = (),
        is_single: bool = False,
    ) -> None:  # fmt: skip
        self.program = program
        self._is_single = is_single
        self.name = name
        self._over = over or ((),) * len(program.outputs)
        self.code = IrFunction()
        self.imports: dict[str, int] = {}
        self.metadata: list[str] = []
        self._registers: dict[Argument, Operand] = {}  # of uniform values
        self._first = len(program.inputs)
        self._storage = [Storage(0, one, False, f"%in{i}", not one) for i, one in enumerate(uniform)]
        self._clean: dict[Value, bool] = {}
        self._block = "entry"
        self.loops = number
        for step in program.steps:
            self._storage.append(self._classified(step))
        self._passes = TilePasses(program, self._storage)

    def _classified(self, step: ScalarStep) -> Storage:
        made = [self._storage[a] for a in step.args if isinstance(a, Value)]
        level = max([k.level for k in made], default=0)
        if _is_direct(self.program, step):
            return Storage(level, all(k.uniform for k in made), False)
        return Storage(level + 1, all(k.uniform for k in made), True)

    def _dtypes(self, step: ScalarStep) -> tuple[DType, ...]:
        return tuple([self.program.dtype_of(a) for a in step.args])

    # ---- the function -----------------------------------------------------------------------

    def write(self) -> None:
        """Write the function into `code`."""
        self._give_homes()
        for i, step in enumerate(self.program.steps):
            if self._storage[self._first + i].uniform:
                self._uniform(Value(self._first + i), step)
        for level in range(self._passes.last_level + 1):
            self._segment(level, level == self._passes.last_level)
            for value, step in self._passes.calls(level):
                self._call(step, self._storage[value].home, "%n")
        self.code.add("ret void")

    def text(self, in_row: bool = False) -> str:
        """The function as IR. in_row: whether it gets a pointer to the addresses of its operands."""
        names = [f"%in{i}" for i in range(self._first)] + [f"%out{i}" for i in range(len(self.program.outputs))]
        given = "ptr %row" if in_row else ", ".join([f"ptr {name}" for name in names])
        loads = [line for k, name in enumerate(names) for line in item(name[1:], "ptr", "row", str(k))]
        head = f"define internal void @{self.name}({given}, i64 %n) #1 {{\nentry:"
        return "\n".join([head, *self.code.allocas, *(loads if in_row else ()), *self.code.lines, "}"])

    def _give_homes(self) -> None:
        """Give memory to values read at a later level or by a NumPy loop: the output's, else a piece of the stack."""
        waiting = self._passes.waiting(self._over)
        outputs = {o: f"%out{k}" for k, o in reversed(list(enumerate(self.program.outputs)))
                   if isinstance(o, Value) and k not in waiting}  # fmt: skip
        late = {o for k, o in enumerate(self.program.outputs) if k in waiting}
        needed: dict[int, int] = {}
        for i, step in enumerate(self.program.steps):
            reader = self._storage[self._first + i]
            for a in step.args:
                if isinstance(a, Value) and not self._storage[a].home and not self._storage[a].uniform:
                    at = reader.level - 1 if reader.loop else reader.level
                    if reader.loop or self._storage[a].loop or at > self._storage[a].level:
                        needed[a] = max(needed.get(a, 0), at)
        for value, known in enumerate(self._storage):
            if known.uniform or known.home:
                continue
            if Value(value) in outputs:
                known.home = outputs[Value(value)]
            elif value in needed or known.loop or Value(value) in late:
                known.home = self._piece(self.program.dtype_of(Value(value)), TILE)

    def _piece(self, dtype: DType, count: int) -> str:
        return self.code.cell(f"[{dtype.size * count} x i8]", align=64)

    # ---- uniform values: one number for the whole tile --------------------------------------

    def _uniform(self, value: Value, step: ScalarStep) -> None:
        if not self._storage[value].loop:
            self._registers[value] = self._computed(step)
            return
        dtype = self.program.dtype_of(value)
        home = self._piece(dtype, 1)
        self._call(step, home, "1")
        self._storage[value].home, self._storage[value].strided = home, False
        self._registers[value] = self._load(home, dtype, None)

    def _computed(self, step: ScalarStep) -> Operand:
        operands = tuple([self._register(a) for a in step.args])
        if step.primitive == "astype" and step.dtype is bfloat16 and self._is_clean(step.args[0]):
            return rounded_to_bfloat16(self.code, operands[0])
        found = emit_step(self.code, step, self._dtypes(step), operands)
        assert found is not None  # `_is_direct` said so
        return found

    def _is_clean(self, argument: Argument) -> bool:
        """True if a float32 that is NaN has zeros in its low 16 bits, so that integer rounding keeps it a NaN.

        Values widened from bfloat16 have such bits, and arithmetic on them makes no other NaNs.
        """
        if isinstance(argument, Literal):
            return bool(argument.value == argument.value)
        is_clean = self._clean.get(argument)
        if is_clean is None:
            is_clean = False
            if argument >= self._first and not self._storage[argument].loop:
                step = self.program.steps[argument - self._first]
                dtypes = self._dtypes(step)
                if step.primitive == "astype":
                    is_clean = dtypes[0] is bfloat16 or dtypes[0].is_integer or dtypes[0].is_bool
                elif step.dtype is float32:
                    operands = [a for a, d in zip(step.args, dtypes, strict=True) if not d.is_bool]
                    is_clean = all(d is float32 or d.is_bool for d in dtypes) and all(map(self._is_clean, operands))
            self._clean[argument] = is_clean
        return is_clean

    def _register(self, argument: Argument) -> Operand:
        if isinstance(argument, Literal):
            return constant_operand(argument)
        if argument not in self._registers:  # a uniform input, at its first use
            self._registers[argument] = self._load(self._storage[argument].home, self.program.dtype_of(argument), None)
        return self._registers[argument]

    # ---- a loop of instructions -------------------------------------------------------------

    def _segment(self, level: int, is_last: bool) -> None:
        own = self._passes.loop(level)
        stored = [(v, self._storage[v].home) for v, _ in own if self._storage[v].home]
        copied = self._copied() if is_last else []
        if not stored and not copied:
            return
        for argument in [a for _, s in own for a in s.args] + [a for a, _ in copied]:
            if isinstance(argument, Value) and self._storage[argument].uniform:
                self._register(argument)  # read before the loop
        outer = dict(self._registers)
        head, done = f"s{self.loops}", f"d{self.loops}"
        code, before = self.code, self._block
        code.add(f"br label %{head}")
        code.label(head)
        code.add(f"%i{self.loops} = phi i64 [0, %{before}], [%next{self.loops}, %{head}]")
        index = f"%i{self.loops}"
        for value, step in own:
            for a in step.args:
                self._read(a, index)
            self._registers[value] = self._computed(step)
        for argument, _ in copied:  # before anything is stored: an output may lie over what another one copies
            self._read(argument, index)
        for value, home in stored:
            self._store(home, self.program.dtype_of(value), self._registers[value], index)
        for argument, home in copied:
            self._store(home, self.program.dtype_of(argument), self._register(argument), index)
        code.add(f"%next{self.loops} = add nuw nsw i64 {index}, 1")
        code.add(f"%more{self.loops} = icmp slt i64 %next{self.loops}, %n")
        if self._is_single:
            code.add(f"br i1 %more{self.loops}, label %{head}, label %{done}, {pairwise_sum.AS_WRITTEN}")
            code.label(done)
            return
        mark = 10 + self.loops
        code.add(f"br i1 %more{self.loops}, label %{head}, label %{done}, !llvm.loop !{mark}")
        # Long chains wait for their own results. Rounding makes them long too: ten float16 operations take 0.7 ns four
        # vectors at a time, else 1.
        waits = len(own) >= CHAIN or any(s.dtype in HALVES for _, s in own)
        self.metadata.append(f"!{mark} = distinct !{{!{mark}, !1, !2{', !3' if waits else ''}}}")
        code.label(done)
        self._block = done
        self.loops += 1
        self._registers = outer

    def _copied(self) -> list[tuple[Argument, str]]:
        """Outputs that are copied: inputs, constants, and the second use of a value as an output."""
        return [(o, f"%out{k}") for k, o in enumerate(self.program.outputs)
                if isinstance(o, Literal) or self._storage[o].home != f"%out{k}"]  # fmt: skip

    def _read(self, argument: Argument, index: str) -> None:
        if isinstance(argument, Value) and argument not in self._registers:
            self._registers[argument] = self._load(self._storage[argument].home, self.program.dtype_of(argument), index)

    def _place(self, home: str, dtype: DType, index: str | None) -> str:
        kind = memory_kind(dtype)
        element = f"[2 x {kind}]" if dtype.is_complex else kind
        return home if index is None else self.code.do(f"getelementptr inbounds {element}, ptr {home}, i64 {index}")

    def _load(self, home: str, dtype: DType, index: str | None) -> Operand:
        return self.code.load(dtype, self._place(home, dtype, index), "" if index is None else f", {_GROUP}")

    def _store(self, home: str, dtype: DType, operand: Operand, index: str) -> None:
        self.code.store(dtype, operand, self._place(home, dtype, index), f", {_GROUP}")

    # ---- calls of NumPy's loops -------------------------------------------------------------

    def _call(self, step: ScalarStep, result: str, count: str) -> None:
        dtypes = self._dtypes(step)
        loop = imported_loop(step.primitive, (*dtypes, step.dtype))
        self.imports.update(loop.imports)
        places = [self._memory_of(a) for a in step.args]
        self.code.call_loop(loop, [*places, (result, step.dtype.size if count == "%n" else 0)], [count])

    def _memory_of(self, argument: Argument) -> tuple[str, int]:
        """The memory of an operand of a NumPy loop, and its stride."""
        dtype = self.program.dtype_of(argument)
        if isinstance(argument, Value) and self._storage[argument].home:
            known = self._storage[argument]
            return known.home, dtype.size if known.strided else 0
        home = self._piece(dtype, 1)
        self.code.store(dtype, self._register(argument), home)
        return home, 0


def _undefined(dtype: DType) -> Operand:
    return ("undef", "undef") if dtype.is_complex else "undef"
