"""The module of a loop: `@run(frame)`, which runs iterations until the loop ends, its time is over, or one bails.

    entry   addresses and numbers from the frame
    head    as many iterations as there may be?  time left?  the condition
    body    the steps; rows of stacks; new values of the loop variables
    bail    an iteration that the plain path has to run: a division by zero, an index out of range

An iteration writes arrays of loop variables into a second buffer and swaps at its end, so that an iteration that bails
has changed nothing. The frame is a row of 64-bit words: see `LoopMemory`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from ...graph.shapes.dtypes import DType
from ..compiled.emit_llvm import METADATA, once_each
from ..ir.scalar_ir import CannotLower
from ..ir.tiling import Shape
from ..llvm.tier import ModuleSource
from ..llvm.toolchain import features
from .body_variables import BodyVariable, next_places, store_next
from .body_writer import BodyWriter
from .chunk_clock import IS_LATE, SLICE, native_clock
from .loop_code import LoopCode
from .loop_form import (
    BAILED,
    BORDER,
    ENDED,
    FIRST,
    HARD,
    ITERATION,
    LAST,
    RAN,
    ROWS,
    SCRATCH,
    SOFT,
    STARVED,
    STATUS,
    LoopMemory,
    ShapedLoop,
)
from .loop_values import Known, Value, dense, require_elements
from .nest_in_loop import value_in

ANY = 1 << 61
"""No bound of the iterations until the next look at the clock, where the work is counted."""
MOST_BYTES = 1 << 22
"""The most bytes of an operand, apart from rows."""

_COLD = "attributes #2 = { nounwind noinline cold }"

def loop_module(form: ShapedLoop, pinned: dict[int, Any]) -> tuple[ModuleSource, LoopMemory]:
    """The module of a loop and the layout of its frame.

    pinned: values of captures, by the number of the operand, that the code may depend on.

    Raises:
        CannotLower: a step has no compiled form here, or the loop is too large.
    """
    return LoopModule(form, pinned).made()


class LoopModule:
    """Writes the module of a loop.

    Attributes:
        text: what the code does, for people.
    """

    def __init__(self, form: ShapedLoop, pinned: dict[int, Any]) -> None:
        self._form = form
        self._pinned = pinned
        self._code = LoopCode()
        self.text = self._code.text
        self._writer = BodyWriter(self._code)
        self._count = len(form.dtypes)
        for k, (dtype, shape) in enumerate(zip(form.dtypes, form.shapes, strict=True)):
            require_elements(shape)
            if dtype.kind == "s" or dtype.np.kind not in "biufcV":
                raise CannotLower(f"an operand is {dtype.name}")
            if prod(shape) * dtype.size > MOST_BYTES and not self._is_row(k):
                raise CannotLower("an operand is large")

    def _is_row(self, k: int) -> bool:
        return self._form.variables <= k < self._form.variables + self._form.rows

    def made(self) -> tuple[ModuleSource, LoopMemory]:
        """See `loop_module`."""
        form, code, writer = self._form, self._code, self._writer
        values, state = self._operands()
        code.jump("slice")
        code.label("slice")
        border = code.do("load i64, ptr %border")
        code.jump("head")
        code.label("head")
        i = code.do("load i64, ptr %iteration")
        inside = code.new_label("in.borders")
        code.branch(code.do(f"icmp slt i64 {i}, {border}"), inside, "stopped")
        code.label(inside)
        begin = len(code.lines)
        place = code.do(f"sub i64 %rows.last, {i}") if form.reverse else i
        for k in range(form.variables):
            values[k] = state[k].begin()
        for k in range(form.variables, form.variables + form.rows):
            values[k] = self._row(k, place)
        feeds = [v for v in values if v is not None]
        writer.kept = feeds
        with code.text.inside("condition"):
            (condition,) = writer.results(form.cond, feeds)
        if len(condition.shape) or not condition.dtype.is_bool:
            raise CannotLower("its condition is no scalar")
        flag = writer.elements.number(condition)
        body = code.new_label("body")
        code.branch(str(flag.operand), body, "ended")
        code.label(body)
        stacks = self._body(feeds, state, place)
        following = code.do(f"add i64 {i}, 1")
        code.add(f"store i64 {following}, ptr %iteration")
        each = max(int(SLICE / max(code.work, 1.0)), 1)
        if code.counts_work:
            code.pay()
            each = ANY
        code.jump("head")
        if code.counts_work:  # only now it is known
            iteration = code.lines[begin:]
            del code.lines[begin:]
            code.look(code.do("load i64, ptr %fuel"), SOFT, "ran")
            code.lines += iteration
        layout = LoopMemory(self._count, form.variables, tuple(stacks), tuple(code.tables), tuple(code.turned),
                            code.scratch)  # fmt: skip
        return self._module(layout, state, each), layout

    # ---- operands ---------------------------------------------------------------------------

    def _operands(self) -> tuple[list[Value | None], list[BodyVariable]]:
        """The captures, and the variables with the values that they have when the function is called."""
        form, code = self._form, self._code
        values: list[Value | None] = [None] * self._count
        state = []
        for k in range(form.variables):
            state.append(BodyVariable(code, form.dtypes[k], form.shapes[k], (f"%in{k}", f"%other{k}")))
            if state[k].is_number:
                bits = _bits(form.dtypes[k])
                code.add(f"store {bits} {code.do(f'load {bits}, ptr %in{k}, align 1')}, ptr {state[k].now}")
        for k in range(form.variables + form.rows, self._count):
            dtype, shape = form.dtypes[k], form.shapes[k]
            if k in self._pinned:
                values[k] = Known(self._pinned[k])
                continue
            values[k] = value_in(code, dense(dtype, shape, f"%in{k}"))
            if prod(shape) > 1:
                code.captures[f"%in{k}"] = k, shape
        return values, state

    def _row(self, k: int, place: str) -> Value:
        dtype, shape, code = self._form.dtypes[k], self._form.shapes[k], self._code
        pointer = code.offset(f"%in{k}", code.scaled(place, prod(shape) * dtype.size))
        return value_in(code, dense(dtype, shape, pointer))

    # ---- the body ---------------------------------------------------------------------------

    def _body(self, feeds: Sequence[Value], state: Sequence[BodyVariable], place: str) -> list[tuple[DType, Shape]]:
        """Write the body; gives dtype and row shape of each stack."""
        form, code, writer = self._form, self._code, self._writer
        fetches = form.body.fetches
        targets = next_places(fetches, state)
        stack_rows: list[str] = []
        for number, slot in enumerate(fetches[form.variables :]):
            offset = code.do(f"mul i64 {place}, {_row_bytes(number)}")
            stack_rows.append(code.offset(f"%stack{number}", offset))
            targets.setdefault(int(slot), stack_rows[number])
        with code.text.inside("body"):
            results = writer.results(form.body, feeds, targets)
        writer.kept = [*feeds, *results]
        stacks = []
        for number, value in enumerate(results[form.variables :]):
            require_elements(value.shape)
            writer.put(value, stack_rows[number])
            stacks.append((value.dtype, value.shape))
        sizes = {_row_bytes(k): str(prod(shape) * dtype.size) for k, (dtype, shape) in enumerate(stacks)}
        if sizes:
            code.lines[:] = [_with_sizes(line, sizes) for line in code.lines]
        store_next(code, writer.elements, writer.put, state, results[: form.variables])
        return stacks

    # ---- the text ---------------------------------------------------------------------------

    def _module(self, layout: LoopMemory, state: Sequence[BodyVariable], each: int) -> ModuleSource:
        """each: after so many iterations the clock is looked at."""
        code, clock = self._code, native_clock()
        lines = ["define i64 @run(ptr %frame) #0 {", "entry:", *code.allocas,
                 "  %iteration = alloca i64, align 16", "  %fuel = alloca i64, align 16",
                 *_word("%iteration.in", "i64", ITERATION),
                 "  %border = alloca i64, align 16",
                 *_word("%last", "i64", LAST), *_word("%room", "i64", BORDER), *_word("%rows.count", "i64", ROWS),
                 *_word("%soft", "i64", SOFT), *_word("%hard", "i64", HARD),
                 "  %begin = call i64 @now()", "  %soft.end = add i64 %begin, %soft",
                 "  %hard.end = add i64 %begin, %hard",
                 *_out("%soft.end", "i64", SOFT), *_out("%hard.end", "i64", HARD),
                 *_border("first", "%iteration.in", each),
                 *_word("%scratch", "ptr", SCRATCH), "  %rows.last = sub i64 %rows.count, 1",
                 "  store i64 %iteration.in, ptr %iteration", f"  store i64 {SLICE}, ptr %fuel"]  # fmt: skip
        for k in range(layout.operands):
            lines += _word(f"%in{k}", "ptr", FIRST + k)
        for k in range(layout.variables):
            lines += _word(f"%other{k}", "ptr", layout.second + k)
        for k in range(len(layout.stacks)):
            lines += _word(f"%stack{k}", "ptr", layout.first_stack + k)
        for k in range(len(layout.tables)):
            lines += _word(f"%table{k}", "ptr", layout.first_table + k)
        for k in range(len(layout.turned)):
            lines += _word(f"%turned{k}", "ptr", layout.first_turned + k)
        lines += code.lines
        lines += ["stopped:", "  %stopped.at = load i64, ptr %iteration",
                  "  %is.over = icmp sge i64 %stopped.at, %last", "  br i1 %is.over, label %ended, label %not.over",
                  "not.over:", "  %is.full = icmp sge i64 %stopped.at, %room",
                  "  br i1 %is.full, label %ran, label %look",
                  "look:", f"  %is.late = call i1 @is_late(ptr %frame, i64 {SOFT})",
                  "  br i1 %is.late, label %ran, label %more",
                  "more:", *_border("next", "%stopped.at", each), "  br label %slice",
                  "ran:", "  br label %out", "ended:", "  br label %out", "bail:", "  br label %out",
                  "starved:", "  br label %out", "out:",
                  f"  %status = phi i64 [{RAN}, %ran], [{ENDED}, %ended], [{BAILED}, %bail], [{STARVED}, %starved]",
                  "  %iteration.out = load i64, ptr %iteration", ]  # fmt: skip
        lines += [*_out("%iteration.out", "i64", ITERATION), *_out("%status", "i64", STATUS)]
        for k, variable in enumerate(state):
            if variable.is_number:
                bits = _bits(variable.dtype)
                lines += [f"  %last{k} = load {bits}, ptr {variable.now}",
                          f"  store {bits} %last{k}, ptr %in{k}, align 1"]  # fmt: skip
            else:
                lines += [f"  %array{k} = load ptr, ptr {variable.now}", *_out(f"%array{k}", "ptr", FIRST + k),
                          f"  %spare{k} = load ptr, ptr {variable.spare}",
                          *_out(f"%spare{k}", "ptr", layout.second + k)]  # fmt: skip
        lines += ["  ret i64 %status", "}"]
        width = ' "prefer-vector-width"="512"' if "avx512f" in features() else ""
        attributes = f"attributes #0 = {{ nounwind{width} }}\nattributes #1 = {{ nounwind{width} }}\n{_COLD}"
        functions = [*code.declared.values(), clock.text, IS_LATE, *code.parts.functions]
        text = "\n".join([*functions, *lines, attributes, *code.parts.metadata, METADATA])
        return ModuleSource(once_each(text), ("run",), code.parts.imports | clock.imports)


def _row_bytes(number: int) -> str:
    """What stands in the text for the size of a row of a stack until the row is written: then its shape is known."""
    return f"<row {number}>"


def _with_sizes(line: str, sizes: Mapping[str, str]) -> str:
    head, sign, name = line.rpartition(", <row ")
    return f"{head}, {sizes['<row ' + name]}" if sign else line


def _bits(dtype: DType) -> str:
    return f"i{8 * dtype.size}"


def _word(name: str, kind: str, number: int) -> list[str]:
    return [f"  {name}.at = getelementptr i64, ptr %frame, i64 {number}", f"  {name} = load {kind}, ptr {name}.at"]


def _out(name: str, kind: str, number: int) -> list[str]:
    return [f"  {name}.to = getelementptr i64, ptr %frame, i64 {number}", f"  store {kind} {name}, ptr {name}.to"]


def _border(name: str, after: str, each: int) -> list[str]:
    """Set the border: so many iterations later, but not behind the room."""
    return [f"  %{name}.border = add i64 {after}, {each}", f"  %{name}.fits = icmp slt i64 %{name}.border, %room",
            f"  %{name}.least = select i1 %{name}.fits, i64 %{name}.border, i64 %room",
            f"  store i64 %{name}.least, ptr %border"]  # fmt: skip
