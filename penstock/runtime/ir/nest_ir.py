"""The nest: what a group computes, as loads, steps, reductions and stores over named axes.

Values are numbered. Each has the axes that it depends on: that of a load are those of its index, that of a step the
axes of its operands, that of a reduction one less. Steps are those of the scalar IR, so no op is defined again:

    for i, j
    %0 = x0[i, j]  float32
    %1 = reduce maximum over j: %0  float32
    %2 = subtract(%0, %1)  float32
    %3 = exp(%2)  float32
    %4 = reduce add over j: %3  float32
    %5 = true_divide(%3, %4)  float32
    y0[i, j] = %5

`i` is the row and `j` the element of a row, whatever axes of the arrays they stand for; an index without an axis is the
same for all of it. `nest_verifier` checks a nest, `row_writer` writes its code, with which tests compare what NumPy
computes (`tests.runtime.nest.by_numpy`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ...graph.common.quick_dataclass import dataclass
from ...graph.shapes.dtypes import DType
from .fused_ir import Value
from .scalar_ir import Argument, Literal, ScalarStep

Axes: TypeAlias = str
"""The axes of a value, in order: "ij", "i", "j" or ""."""
ROW, ELEMENT = "i", "j"


@dataclass(frozen=True, slots=True)
class Load:
    """An element of operand number `operand`, which has these axes; `rank` is that of the arrays it broadcasts to.

    at: the number of the operand that says for each row which of its elements is read, a place in the row; None if each
        one is.
    """

    operand: int
    axes: Axes
    dtype: DType
    rank: int = 2
    at: int | None = None

    @property
    def reach(self) -> Axes:
        """The axes along which the operand lies."""
        return self.axes if self.at is None else ROW + ELEMENT

    def __str__(self) -> str:
        places = ", ".join([*self.axes, *([] if self.at is None else [f"x{int(self.at)}[i]"])])
        return f"x{int(self.operand)}[{places}]  {self.dtype.name}"


@dataclass(frozen=True, slots=True)
class RowReduction:
    """The elements of `value` along an axis, combined by NumPy's function `ufunc` in NumPy's order."""

    ufunc: str
    value: Value
    axis: str
    dtype: DType

    def __str__(self) -> str:
        return f"reduce {self.ufunc} over {self.axis}: {self.value}  {self.dtype.name}"


@dataclass(frozen=True, slots=True)
class Store:
    """`value` as an element of result number `result`, which has these axes."""

    result: int
    axes: Axes
    value: Argument

    def __str__(self) -> str:
        return f"y{int(self.result)}[{', '.join(self.axes)}] = {self.value}"


Node: TypeAlias = Load | ScalarStep | RowReduction


@dataclass(frozen=True, eq=False)
class Nest:
    """A nest over rows and their elements. Value k is that of `nodes[k]`."""

    nodes: tuple[Node, ...]
    stores: tuple[Store, ...]

    def __str__(self) -> str:
        lines = ["for i, j", *[f"{Value(k)} = {node}" for k, node in enumerate(self.nodes)]]
        return "\n".join([*lines, *map(str, self.stores)])

    def dtype_of(self, argument: Argument) -> DType:
        """The dtype of a value or a constant."""
        return argument.dtype if isinstance(argument, Literal) else self.nodes[argument].dtype

    def dtype_of_number(self, value: int) -> DType:
        """The dtype of the value of a node."""
        return self.nodes[value].dtype

    def operands_of(self, value: int) -> Sequence[Argument]:
        """The values and constants that a node reads."""
        node = self.nodes[value]
        return () if isinstance(node, Load) else (node.value,) if isinstance(node, RowReduction) else node.args

    def axes(self) -> list[Axes]:
        """The axes of each value."""
        found: list[Axes] = []
        for value, node in enumerate(self.nodes):
            if isinstance(node, Load):
                found.append(node.axes)
                continue
            read = {axis for a in self.operands_of(value) if isinstance(a, Value) for axis in found[a]}
            if isinstance(node, RowReduction):
                read.discard(node.axis)
            found.append("".join([axis for axis in (ROW, ELEMENT) if axis in read]))
        return found

    def levels(self) -> list[int]:
        """For each value how many reductions of a row stand behind it, one after the other."""
        found: list[int] = []
        for value, node in enumerate(self.nodes):
            behind = max([found[a] for a in self.operands_of(value) if isinstance(a, Value)], default=0)
            found.append(behind + (isinstance(node, RowReduction) and node.axis == ELEMENT))
        return found
