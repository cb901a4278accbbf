"""Values of LLVM IR for the formulas of random numbers: vectors with operators, and Philox on them.

An `IrValue` is a vector of 16 lanes. Its operators write instructions, one for each, without flags that would allow
LLVM to round otherwise. `IrVocabulary` has the remaining operations of `ops.random.normal_formulas`,
so the formulas that compute arrays there write machine code here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ....graph.common.quick_dataclass import dataclass
from ....ops.random.philox import KEY_STEPS, MASK32, MULTIPLIERS, ROUNDS
from ...llvm.ir_lines import IrLines
from ...llvm.number_conversion import literal

LANES: Final = 16


@dataclass(frozen=True, slots=True)
class IrValue:
    """A vector.

    Attributes:
        writer: writes the instructions of its operators.
        name: its name in the IR.
        type: the type of a lane: "i64", "i32", "double" or "float".
        lanes: how many it has.
    """

    writer: IrLines
    name: str
    type: str
    lanes: int = LANES

    @property
    def vector(self) -> str:
        """The type of the vector."""
        return f"<{self.lanes} x {self.type}>"

    def like(self, instruction: str, type: str | None = None, lanes: int = 0) -> IrValue:
        """The result of an instruction: a vector of the same type and as many lanes, unless it says otherwise."""
        return IrValue(self.writer, self.writer.do(instruction), type or self.type, lanes or self.lanes)

    @staticmethod
    def _operator(of_ints: str, of_floats: str = "") -> Callable[[IrValue, Any], IrValue]:
        def operator(x: IrValue, other: Any) -> IrValue:
            operand = other.name if isinstance(other, IrValue) else constant(x.type, other, x.lanes)
            return x.like(f"{of_ints if x.type[0] == 'i' else of_floats} {x.vector} {x.name}, {operand}")

        return operator

    __add__, __sub__, __mul__ = _operator("add", "fadd"), _operator("sub", "fsub"), _operator("mul", "fmul")
    __truediv__, __and__, __or__, __xor__ = _operator("", "fdiv"), _operator("and"), _operator("or"), _operator("xor")
    __lshift__, __rshift__ = _operator("shl"), _operator("lshr")


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


def splat(writer: IrLines, scalar: str) -> IrValue:
    """A vector whose lanes are all the i64 `scalar`."""
    many = f"<{LANES} x i64>"
    one = writer.do(f"insertelement {many} poison, i64 {scalar}, i32 0")
    name = writer.do(f"shufflevector {many} {one}, {many} poison, <{LANES} x i32> zeroinitializer")
    return IrValue(writer, name, "i64")


def blocks(writer: IrLines, numbers: IrValue) -> tuple[IrValue, IrValue, IrValue, IrValue]:
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
    count = 2 * x.lanes
    return x.like(f"shufflevector {x.vector} {x.name}, {y.vector} {y.name}, <{count} x i32> <{order}>", lanes=count)
