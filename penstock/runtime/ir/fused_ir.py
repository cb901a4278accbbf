"""What does a fused group compute, written down?

A `Body` is a list of instructions in single-assignment form: values are numbered, inputs first, then one for each
instruction. It is what every tier starts from, and it prints as the formula it is:

    (%0 float32, %1 float32) -> %3
    %2 = Mul(%0, %1)  float32
    %3 = Add(%2, %1)  float32
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from ...graph.dtypes import DType
from ...graph.effects import PURE, Effects

LARGEST = 96
"""Instructions of one group: enough that memory is touched once for many ops, few enough to stay readable. Groups of
tiny values have as many as there are: see `runtime.compiled.tiny_groups`."""


class Value(int):
    """The number of a value; prints as `%2`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"%{int(self)}"

    __str__ = __repr__


_VALUES = [Value(i) for i in range(512)]


def value_of(number: int) -> Value:
    """`Value(number)`; the small ones, which most are, are made once."""
    return _VALUES[number] if number < len(_VALUES) else Value(number)


class Instruction(NamedTuple):
    """One op of the group: its type, its arguments in the order of the signature (Values for operands), the dtype."""

    op: str
    args: tuple[Any, ...]
    dtype: DType
    node: str = ""

    @property
    def operands(self) -> tuple[Value, ...]:
        """The values it reads."""
        args = self.args
        for a in args:
            if a.__class__ is not Value:
                return tuple([a for a in args if a.__class__ is Value])
        return args

    def __str__(self) -> str:
        return f"{self.op}({', '.join(map(str, self.args))})  {self.dtype.name}"


@dataclass(frozen=True, eq=False)
class Body:
    """A group: dtypes of the inputs, the instructions, which values are results, and the effects of all its ops.
    Compared by identity."""

    inputs: tuple[DType, ...]
    instructions: tuple[Instruction, ...]
    outputs: tuple[Value, ...]
    effects: Effects = PURE

    def dtype_of(self, value: int) -> DType:
        """The dtype of any value."""
        count = len(self.inputs)
        return self.inputs[value] if value < count else self.instructions[value - count].dtype

    def __str__(self) -> str:
        inputs = ", ".join(f"{Value(i)} {d.name}" for i, d in enumerate(self.inputs))
        lines = [f"({inputs}) -> {', '.join(map(str, self.outputs))}"]
        first = len(self.inputs)
        lines += [f"{Value(first + i)} = {instruction}" for i, instruction in enumerate(self.instructions)]
        return "\n".join(lines)

    @property
    def formula(self) -> str:
        """The results as nested expressions where that is short, else the number of instructions."""
        texts = [str(Value(i)) for i in range(len(self.inputs))]
        for instruction in self.instructions:
            args = ", ".join(texts[a] if isinstance(a, Value) else str(a) for a in instruction.args)
            text = f"{instruction.op}({args})"
            texts.append(text if len(text) <= 160 else "...")
        found = ", ".join(texts[o] for o in self.outputs)
        return found if len(found) <= 400 else f"{len(self.instructions)} instructions"
