"""`ShapeClass`: what launch plans have in common whose inputs have equal sizes, or 1, in the same places."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from ...graph.shapes.dtypes import DType, bfloat16
from ..base.lazy_attribute import once
from ..ir.fused_ir import Body
from ..ir.nest_ir import Nest, RowReduction
from ..ir.scalar_ir import Scalar
from ..ir.strides import Pattern
from ..ir.tiling import Shape
from ..numpy.writers import TailReduction
from .flat_nest import for_pattern, program_of


@dataclass(frozen=True, slots=True)
class GroupReductions:
    """The reductions at the end of a body.

    Attributes:
        tails: their rules and operands.
        nodes: their nodes in the nest.
        axes: the number of axes that are kept.
        rows: the number of rows.
        count: the elements of a row.
    """

    tails: tuple[TailReduction, ...] = ()
    nodes: tuple[RowReduction, ...] = ()
    axes: int = 0
    rows: int = 0
    count: int = 0


@dataclass(eq=False)
class ShapeClass:
    """The common part of launch plans: inputs whose sizes are equal, or 1, in the same places.

    Attributes:
        body: the instructions of the group.
        nest: what it computes, for any pattern.
        pattern: which inputs hold one number per row.
        whole: the shape of the scalar program's outputs, in stand-ins for sizes.
        shapes: the shape of every value of the body, in stand-ins.
        made: the elementwise values that are results.
        ends: the reductions.
        calls: whether the code calls NumPy's loops.
    """

    body: Body
    nest: Nest
    pattern: Pattern
    whole: Shape
    shapes: tuple[Shape, ...]
    made: tuple[int, ...]
    ends: GroupReductions
    calls: bool

    @once
    def scalar(self) -> Scalar:
        """The program of one element; its outputs are the values `made`, then the operands of the reductions."""
        return program_of(self.nest)

    @once
    def own_nest(self) -> Nest:
        """The nest for the pattern of the inputs."""
        return for_pattern(self.nest, self.pattern)

    @once
    def outputs(self) -> list[DType]:
        """The dtypes of the scalar program's outputs."""
        return [self.scalar.dtype_of(o) for o in self.scalar.outputs]

    @once
    def in_bits(self) -> list[int]:
        """The positions of bfloat16 inputs."""
        return [i for i, d in enumerate(self.scalar.inputs) if d is bfloat16]

    @once
    def full(self) -> list[int]:
        """The positions of inputs with more than one element."""
        return [i for i, shape in enumerate(self.shapes[: len(self.scalar.inputs)]) if prod(shape) != 1]

    @once
    def has_columns(self) -> bool:
        """True if an input holds one number per row."""
        return any(self.pattern[i] for i in self.full)

    @once
    def expanded(self) -> ShapeClass:
        """The same for code that gets inputs with one number per row as whole arrays."""
        return replace(self, pattern=tuple([prod(shape) == 1 for shape in self.shapes[: len(self.pattern)]]))

    @once
    def is_simple(self) -> bool:
        """True if contiguous inputs need just one call of the ufunc."""
        if self.ends.tails or len(self.made) != 1 or len(self.body.outputs) != 1:
            return False
        flat = all(self.shapes[i] == self.whole for i in self.full)
        return flat and not self.in_bits and self.outputs[0] is not bfloat16

    @once
    def cost(self) -> float:
        """Estimated seconds per element on one thread."""
        moved = sum([d.size for d in self.scalar.inputs]) + sum([d.size for d in self.outputs])
        return (0.05 * moved + 0.05 * len(self.scalar.steps)) * 1e-9
