"""Elementwise operations on small arrays: consecutive ones of one shape become one loop over the elements.

Such operations form an open group until another kind of step needs one of their results. Then the group becomes a
function over rows (`compiled.module_parts`), which keeps what is needed later and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from ...graph.declare.op_declaration import OPS
from ...graph.shapes.dtypes import DType
from ..compiled.emit_llvm import calls_numpy
from ..compiled.flat_nest import nest_of_program
from ..compiled.llvm_primitives import constant_operand, kind_of
from ..ir.fused_ir import Body, Instruction, broadcast
from ..ir.fused_ir import Value as ValueNumber
from ..ir.scalar_ir import CannotLower, Literal, Scalar, lower
from ..ir.strides import broadcast_strides, coalesced
from ..ir.tiling import Shape
from .body_nests import divisor_check, row_calls
from .loop_code import LINE, NUMPY, LoopCode
from .loop_values import InMemory, Known, Number, Pending, Value, dense, require_elements
from .nest_in_loop import contiguous, run, value_in
from .number_steps import evaluated, literal_of, scalar_program


class _Group:
    """Operations whose loop is not written yet."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.inputs: list[Number | InMemory | Known] = []
        self.instructions: list[tuple[str, tuple[Any, ...], DType]] = []  # an argument is an attribute, or a reference
        self.results: list[Pending] = []


class _Ref:
    """An operand of an instruction: an input of the group or the result of an earlier instruction."""

    __slots__ = ("is_input", "number")

    def __init__(self, is_input: bool, number: int) -> None:
        self.is_input = is_input
        self.number = number


class ElementwiseSteps:
    """Writes elementwise operations.

    live: gives the values that later steps may read.
    """

    def __init__(self, code: LoopCode, live: Callable[[], Iterable[Value]]) -> None:
        self._code = code
        self._live = live
        self._group: _Group | None = None

    def result(self, op: str, args: Sequence[Any], dtype: DType) -> Value:
        """The result of an operation. `args`: values, and attributes as they are.

        Raises:
            CannotLower: it has no scalar form.
        """
        operands = [a for a in args if isinstance(a, Value)]
        if dtype.is_string or any(v.dtype.is_string for v in operands):
            raise CannotLower(f"{op} works on strings")
        self._check_divisor(op, args)
        shape = broadcast([v.shape for v in operands])
        require_elements(shape)
        if prod(shape) == 1:
            return self._number(op, args, operands, dtype, shape)
        return self._pending(op, args, dtype, shape)

    def _number(self, op: str, args: Sequence[Any], operands: Sequence[Value], dtype: DType, shape: Shape) -> Number:
        numbers = map(ValueNumber, range(len(operands)))
        form = tuple([next(numbers) if isinstance(a, Value) else a for a in args])
        program = scalar_program(op, form, tuple([v.dtype for v in operands]), dtype)
        return Number(dtype, shape, evaluated(self._code, program, [self.number(v).operand for v in operands]))

    def _pending(self, op: str, args: Sequence[Any], dtype: DType, shape: Shape) -> Pending:
        if self._group is not None and self._group.shape != shape:
            self.flush()
        given = [self._ready(a) if isinstance(a, Value) else a for a in args]
        group = self._group
        if group is None:
            group = self._group = _Group(shape)
        form = tuple([self._reference(group, a) if isinstance(a, Value) else a for a in given])
        result = Pending(dtype, shape, len(group.results))
        group.instructions.append((op, form, dtype))
        group.results.append(result)
        return result

    def _ready(self, value: Value) -> Value:
        """The value, in memory unless the open group may compute it."""
        if isinstance(value, Pending) and value.block is None and (
            self._group is None or value.shape != self._group.shape
        ):
            return self.block(value)
        return value

    def _reference(self, group: _Group, value: Value) -> _Ref:
        if isinstance(value, Pending):
            if value.block is None:
                return _Ref(False, value.number)
            value = value.block
        for i, known in enumerate(group.inputs):
            if known is value or (isinstance(value, (InMemory, Number)) and known == value):
                return _Ref(True, i)
        group.inputs.append(value)
        return _Ref(True, len(group.inputs) - 1)

    # ---- other forms of a value -------------------------------------------------------------

    def number(self, value: Value) -> Number:
        """A value of one element in registers."""
        if isinstance(value, Number):
            return value
        if isinstance(value, Known):
            return Number(value.dtype, value.shape, constant_operand(literal_of(value)))
        number = value_in(self._code, self.block(value))
        assert isinstance(number, Number)  # it has one element
        return number

    def block(self, value: Value) -> InMemory:
        """A value in memory."""
        if isinstance(value, Number):
            return self._code.spilled(value)
        if isinstance(value, Known):
            return self._code.table(np.ascontiguousarray(value.array).reshape(value.shape))
        if isinstance(value, Pending):
            if value.block is None:
                self.flush(value)
            assert value.block is not None  # the flush has written it
            return value.block
        return value

    # ---- divisors ---------------------------------------------------------------------------

    def _check_divisor(self, op: str, args: Sequence[Any]) -> None:
        """Give the iteration back if an int is divided by zero; the plain path raises the error."""
        facts = OPS[op].facts
        first = next(a for a in args if isinstance(a, Value))
        if not facts.can_fail & first.dtype.bit:
            return
        if facts.zero_fails is None:
            raise CannotLower(f"{op} may fail for some values")
        divisor = args[facts.zero_fails]
        if isinstance(divisor, Known):
            if not divisor.array.all():
                raise CannotLower(f"{op} has a divisor of zero")
            return
        code = self._code
        if prod(divisor.shape) == 1:
            code.bail_if(code.do(f"icmp eq {kind_of(divisor.dtype)} {self.number(divisor).operand}, 0"))
            return
        block = contiguous(code, self.block(divisor))
        run(code, divisor_check(block.dtype, block.size), block.pointer)

    # ---- the loop of a group ----------------------------------------------------------------

    def flush(self, *needed: Pending) -> None:
        """Write the loop of the open group. needed: results that are read besides the live ones."""
        group, self._group = self._group, None
        if group is None:
            return
        live = {id(v) for v in (*needed, *self._live())}
        results = [r for r in group.results if id(r) in live]
        if not results:
            return
        inputs = group.inputs
        dtypes = tuple([v.dtype for v in inputs])
        first = len(inputs)

        def numbered(arg: Any) -> Any:
            return ValueNumber(arg.number if arg.is_input else first + arg.number) if isinstance(arg, _Ref) else arg

        instructions = tuple([Instruction(op, tuple(map(numbered, args)), d) for op, args, d in group.instructions])
        body = Body(dtypes, instructions, tuple([ValueNumber(first + r.number) for r in results]))
        wanted = [(first + r.number, r.dtype) for r in results]
        scalar, inputs = _with_constants(lower(body, wanted, zeros_are_found=True), inputs)
        _require_even_powers(scalar, inputs)
        for result in results:
            result.block = (
                dense(result.dtype, result.shape, result.place)
                if result.place
                else self._code.intermediate(result.dtype, result.shape)
            )
        outputs = [r.block for r in results if r.block is not None]
        self._write(scalar, [self.block(v) for v in inputs], outputs, group.shape)

    def _write(self, scalar: Scalar, inputs: Sequence[InMemory], outputs: Sequence[InMemory], whole: Shape) -> None:
        """The tile function, and the nest that calls it."""
        code = self._code
        operands = list(inputs)
        for attempt in range(2):
            strides = [broadcast_strides(x.shape, x.strides, whole) for x in [*operands, *outputs]]
            shape, walks = coalesced(whole, strides)
            uneven = [k for k, x in enumerate(operands) if walks[k][-1] not in (0, x.dtype.size)]
            if not uneven:
                break
            assert attempt == 0  # contiguous operands are even
            operands = [contiguous(code, x) if k in uneven else x for k, x in enumerate(operands)]
        uniform = tuple([walk[-1] == 0 for walk in walks[: len(operands)]])
        tile = f"tile{len(code.parts.functions)}"
        name = code.parts.tile(scalar, uniform, tile, longest=shape[-1])
        code.rates[name] = (NUMPY if calls_numpy(scalar) else LINE) * len(scalar.steps)
        code.text.add(f"{name} for {shape[-1]} elements", deeper=1)
        code.text.add(nest_of_program(scalar), deeper=2)
        every = [*operands, *outputs]
        run(code, row_calls(name, shape, walks), *[x.pointer for x in every])


def _with_constants(scalar: Scalar, inputs: Sequence[Any]) -> tuple[Scalar, list[Any]]:
    """The program with known inputs of one element as constants, and the inputs that are left, used ones only."""
    used = {a for step in scalar.steps for a in step.args} | set(scalar.outputs)
    new: dict[Any, Any] = {}
    left: list[Any] = []
    for i, value in enumerate(inputs):
        number = ValueNumber(i)
        if number not in used:
            continue
        if isinstance(value, Known) and value.array.size == 1:
            new[number] = literal_of(value)
        else:
            new[number] = ValueNumber(len(left))
            left.append(value)
    before, after = len(inputs), len(left)

    def renumbered(argument: Any) -> Any:
        if isinstance(argument, Literal):
            return argument
        return new[argument] if argument < before else ValueNumber(argument - before + after)

    steps = tuple([replace(step, args=tuple(map(renumbered, step.args))) for step in scalar.steps])
    outputs = tuple(map(renumbered, scalar.outputs))
    return Scalar(tuple([v.dtype for v in left]), steps, outputs), left


def _require_even_powers(scalar: Scalar, inputs: Sequence[Any]) -> None:
    for step in scalar.steps:
        exponent = step.args[1] if step.primitive == "power" else None
        if isinstance(exponent, ValueNumber) and (exponent >= len(inputs) or prod(inputs[exponent].shape) > 1):
            raise CannotLower("NumPy's power gives other last bits for one exponent than for many")
