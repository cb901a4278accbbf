"""Values of LLVM IR for the formulas of random numbers: vectors with operators, and Philox on them.

An `IrValue` is a vector of 16 lanes. Its operators write instructions into an `IrWriter`, one for each, without flags
that would allow LLVM to round otherwise. `IrVocabulary` has the remaining operations of `ops.random.normal_formulas`,
so the formulas that compute arrays there write machine code here.
"""

from __future__ import annotations

from typing import Any, Final

from ....graph.common.quick_dataclass import dataclass
from ....ops.random.philox import KEY_STEPS, MASK32, MULTIPLIERS, ROUNDS
from ...llvm.number_conversion import literal

LANES: Final = 16


class IrWriter:
    """The instructions of a block, in order."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def value(self, type: str, instruction: str) -> IrValue:
        """The result of one more instruction."""
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {instruction}")
        return IrValue(self, name, type)

    def __str__(self) -> str:
        return "\n  ".join(self.lines)


@dataclass(frozen=True, slots=True)
class IrValue:
    """A vector.

    Attributes:
        writer: writes the instructions of its operators.
        name: its name in the IR.
        type: the type of a lane: "i64", "i32", "double" or "float".
        lanes: how many it has.
    """

    writer: IrWriter
    name: str
    type: str
    lanes: int = LANES

    @property
    def vector(self) -> str:
        """The type of the vector."""
        return f"<{self.lanes} x {self.type}>"

    def _with(self, other: Any, of_ints: str, of_floats: str) -> IrValue:
        instruction = of_ints if self.type[0] == "i" else of_floats
        operand = other.name if isinstance(other, IrValue) else constant(self.type, other, self.lanes)
        return self.like(f"{instruction} {self.vector} {self.name}, {operand}")

    def like(self, instruction: str, type: str | None = None) -> IrValue:
        """The result of an instruction, with as many lanes."""
        made = self.writer.value(type or self.type, instruction)
        return IrValue(self.writer, made.name, made.type, self.lanes)

    def __add__(self, other: Any) -> IrValue:
        return self._with(other, "add", "fadd")

    def __sub__(self, other: Any) -> IrValue:
        return self._with(other, "sub", "fsub")

    def __mul__(self, other: Any) -> IrValue:
        return self._with(other, "mul", "fmul")

    def __truediv__(self, other: Any) -> IrValue:
        return self._with(other, "", "fdiv")

    def __and__(self, other: Any) -> IrValue:
        return self._with(other, "and", "")

    def __or__(self, other: Any) -> IrValue:
        return self._with(other, "or", "")

    def __xor__(self, other: Any) -> IrValue:
        return self._with(other, "xor", "")

    def __lshift__(self, other: Any) -> IrValue:
        return self._with(other, "shl", "")

    def __rshift__(self, other: Any) -> IrValue:
        return self._with(other, "lshr", "")


def constant(type: str, value: float, lanes: int = LANES) -> str:
    """A vector whose lanes are all `value`."""
    text = str(value) if type[0] == "i" else literal(value)
    return "<" + ", ".join([f"{type} {text}"] * lanes) + ">"


class IrVocabulary:
    """The vocabulary of `ops.random.normal_formulas` for vectors of IR."""

    def as_float32(self, bits: IrValue) -> IrValue:
        """See `Vocabulary`; so for all."""
        return self._changed("bitcast", bits, "float")

    def as_float64(self, bits: IrValue) -> IrValue:
        """The float64 with these bits."""
        return self._changed("bitcast", bits, "double")

    def as_bits(self, x: IrValue) -> IrValue:
        """The bits of a float64."""
        return self._changed("bitcast", x, "i64")

    def float64(self, x: IrValue) -> IrValue:
        """A float32 as float64."""
        return self._changed("fpext", x, "double")

    def float32(self, x: IrValue) -> IrValue:
        """A float64 rounded to float32."""
        return self._changed("fptrunc", x, "float")

    def at_least(self, x: IrValue, low: float) -> IrValue:
        """max(x, low)."""
        least = constant(x.type, low, x.lanes)
        is_less = x.like(f"fcmp olt {x.vector} {x.name}, {least}", "i1")
        return x.like(f"select {is_less.vector} {is_less.name}, {x.vector} {least}, {x.vector} {x.name}")

    def sqrt(self, x: IrValue) -> IrValue:
        """The square root."""
        suffix = "f64" if x.type == "double" else "f32"
        return x.like(f"call {x.vector} @llvm.sqrt.v{x.lanes}{suffix}({x.vector} {x.name})")

    def choose(self, bit: IrValue, x: IrValue, y: IrValue) -> IrValue:
        """`x` where `bit` is not 0, else `y`."""
        is_set = bit.like(f"icmp ne {bit.vector} {bit.name}, zeroinitializer", "i1")
        return x.like(f"select {is_set.vector} {is_set.name}, {x.vector} {x.name}, {y.vector} {y.name}")

    def _changed(self, instruction: str, x: IrValue, type: str) -> IrValue:
        return x.like(f"{instruction} {x.vector} {x.name} to <{x.lanes} x {type}>", type)


SQRTS: Final = f"""
declare <{LANES} x double> @llvm.sqrt.v{LANES}f64(<{LANES} x double>)
declare <{LANES} x float> @llvm.sqrt.v{LANES}f32(<{LANES} x float>)
"""

STREAM: Final = "i64 %key, i64 %low, i64 %high"
"""The parameters that give a `Position`: its key, and the halves of its counter."""


def splat(writer: IrWriter, scalar: str) -> IrValue:
    """A vector whose lanes are all the i64 `scalar`."""
    one = writer.value("i64", f"insertelement <{LANES} x i64> poison, i64 {scalar}, i32 0")
    return writer.value(
        "i64", f"shufflevector <{LANES} x i64> {one.name}, <{LANES} x i64> poison, <{LANES} x i32> zeroinitializer"
    )


def blocks(writer: IrWriter, numbers: IrValue) -> tuple[IrValue, IrValue, IrValue, IrValue]:
    """The four words of blocks, by the rule of `ops.random.philox.blocks`, as i64 below 2**32."""
    low = splat(writer, "%low") + numbers
    carried = low.like(f"icmp ult {low.vector} {low.name}, {numbers.name}", "i1")
    high = splat(writer, "%high") + low.like(f"zext {carried.vector} {carried.name} to {low.vector}")
    x0, x1, x2, x3 = low & MASK32, low >> 32, high & MASK32, high >> 32
    key = splat(writer, "%key")
    key0, key1 = key & MASK32, key >> 32
    for _ in range(ROUNDS):
        # The upper halves hold anything: a product of lower halves ignores them, one instruction for eight lanes.
        p0, p1 = (x0 & MASK32) * MULTIPLIERS[0], (x2 & MASK32) * MULTIPLIERS[1]
        x0, x1, x2, x3 = (p1 >> 32) ^ x1 ^ key0, p1, (p0 >> 32) ^ x3 ^ key1, p0
        key0, key1 = key0 + KEY_STEPS[0], key1 + KEY_STEPS[1]
    return x0 & MASK32, x1 & MASK32, x2 & MASK32, x3 & MASK32


def interleaved(vectors: list[IrValue]) -> IrValue:
    """One vector of the first lanes of all of two or four, then the second lanes, and so on."""
    while len(vectors) > 1:
        half = len(vectors) // 2
        vectors = [_zipped(x, y) for x, y in zip(vectors[:half], vectors[half:], strict=True)]
    return vectors[0]


def _zipped(x: IrValue, y: IrValue) -> IrValue:
    order = ", ".join(f"i32 {i}, i32 {i + x.lanes}" for i in range(x.lanes))
    made = x.writer.value(
        x.type, f"shufflevector {x.vector} {x.name}, {y.vector} {y.name}, <{2 * x.lanes} x i32> <{order}>"
    )
    return IrValue(x.writer, made.name, made.type, 2 * x.lanes)
