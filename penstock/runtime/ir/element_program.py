"""`ElementProgram`: what a group computes for one element, as part of a sequential nest.

A nest that adds rows reads an element of `f(x)` by reading one of x and computing f; one that gives rows computes g
before it writes. The program is a part of the nest's key, so it says all that the code depends on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ...graph.common.quick_dataclass import dataclass
from ...graph.shapes.dtypes import DType, float16
from .fused_ir import Body, Value
from .primitive_rules import RULES
from .scalar_ir import CannotLower, ScalarStep, lower

INSTRUCTIONS: Final = frozenset({
    "absolute", "add", "astype", "bitwise_and", "bitwise_or", "bitwise_xor", "ceil", "copysign", "equal", "floor",
    "greater", "greater_equal", "less", "less_equal", "logical_not", "multiply", "negative", "not_equal", "rint",
    "sqrt", "subtract", "true_divide", "where", *RULES["float"], *RULES["int"], *RULES["bool"],
})  # fmt: skip
"""Primitives that are instructions on numbers that are not complex; others are loops of NumPy's."""
MOST_STEPS: Final = 64
"""The most steps of a program: all are in the innermost loop."""


@dataclass(frozen=True, slots=True)
class ElementProgram:
    """A scalar program with one result.

    Attributes:
        inputs: the dtypes of its operands.
        steps: its steps, numbered after the operands.
        output: its result.
        own: the operand that the nest itself has; -1 if all are read from memory.
        along: for each operand whether it has another number for each element of a row; known for arrays of a run.
    """

    inputs: tuple[DType, ...]
    steps: tuple[ScalarStep, ...]
    output: Value
    own: int = -1
    along: tuple[bool, ...] = ()

    @property
    def dtype(self) -> DType:
        """The dtype of the result."""
        count = len(self.inputs)
        return self.inputs[self.output] if self.output < count else self.steps[self.output - count].dtype

    def read(self) -> list[int]:
        """The operands that are read from memory."""
        return [p for p in range(len(self.inputs)) if p != self.own]

    def for_rows(self, along: tuple[bool, ...]) -> ElementProgram:
        """The program for operands of which some are the same for a whole row."""
        return replace(self, along=along)

    def __str__(self) -> str:
        return f"{', '.join([d.name for d in self.inputs])}: {'; '.join(map(str, self.steps))}"


def identity_program(dtype: DType, is_own: bool) -> ElementProgram:
    """The program of an element itself."""
    return ElementProgram((dtype,), (), Value(0), 0 if is_own else -1, ())


def element_program(body: Body, own: int = -1) -> ElementProgram:
    """The program of a body with one result, which computes element by element.

    own: the input that the nest has.

    Raises:
        CannotLower: it has no scalar form, or is too long; it calls NumPy's loops, or a number is complex or a
            float16.
    """
    if len(body.outputs) != 1:
        raise CannotLower("it has several results")
    (output,) = body.outputs
    program = lower(body, [(int(output), body.dtype_of(output))])
    result = program.outputs[0]
    if not isinstance(result, Value):
        raise CannotLower("its result is a constant")
    if len(program.steps) > MOST_STEPS:
        raise CannotLower(f"it has {len(program.steps)} steps")
    loops = [step.primitive for step in program.steps if step.primitive not in INSTRUCTIONS]
    if loops:
        raise CannotLower(f"{loops[0]} is a loop of NumPy's")
    dtypes = {*program.inputs, *[step.dtype for step in program.steps]}
    if any(d.is_complex for d in dtypes):
        raise CannotLower("it computes complex numbers")
    if float16 in dtypes:  # one number at a time: cumsum(x * x) of 1e6 takes 6.0 ms in a nest, 3.3 as two steps
        raise CannotLower("it converts float16")
    return ElementProgram(program.inputs, program.steps, result, own)
