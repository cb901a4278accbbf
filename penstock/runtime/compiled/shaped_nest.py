"""`ShapedNest`: what launches have in common whose inputs have equal sizes, or 1, in the same places."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from ...graph.common.quick_dataclass import dataclass
from ...graph.shapes.dtypes import DType, bfloat16
from ..base.lazy_attribute import once
from ..ir.fused_ir import Body
from ..ir.nest_ir import Nest
from ..ir.scalar_ir import Scalar
from ..ir.strides import ShapedPattern
from ..ir.tiling import Shape
from .flat_nest import GroupParts, for_pattern, program_of, reductions_of


@dataclass(eq=False)
class ShapedNest:
    """The common part of launches: inputs whose sizes are equal, or 1, in the same places.

    Attributes:
        body: the instructions of the group.
        parts: its elementwise part and its reductions.
        nest: what it computes, for any pattern.
        pattern: which inputs hold one number per row.
        whole: the shape of the scalar program's outputs, in stand-ins for sizes.
        shapes: the shape of every value of the body, in stand-ins.
        axes: the number of axes that the reductions keep.
        calls: whether the code calls NumPy's loops.
    """

    body: Body
    parts: GroupParts
    nest: Nest
    pattern: ShapedPattern
    whole: Shape
    shapes: tuple[Shape, ...]
    axes: int
    calls: bool

    @once
    def scalar(self) -> Scalar:
        """The program of one element; its outputs are the elementwise results, then the operands of the reductions."""
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
    def bits(self) -> list[int]:
        """The positions of bfloat16 among inputs and outputs."""
        return [i for i, d in enumerate([*self.scalar.inputs, *self.outputs]) if d is bfloat16]

    @once
    def sizes(self) -> list[int]:
        """The bytes of an element of each input and output."""
        return [d.size for d in (*self.scalar.inputs, *self.outputs)]

    @once
    def order(self) -> list[int] | None:
        """The place of each result of the body in inputs, elementwise and reduced results; None if it is in order."""
        first = len(self.scalar.inputs)
        place = {v: first + k for k, v in enumerate([*self.parts.made, *[t.value for t in self.parts.tails]])}
        found = [place.get(int(o), int(o)) for o in self.body.outputs]
        return None if found == list(range(first, first + len(place))) else found

    @once
    def full(self) -> list[int]:
        """The positions of inputs with more than one element."""
        return [i for i, shape in enumerate(self.shapes[: len(self.scalar.inputs)]) if prod(shape) != 1]

    @once
    def has_columns(self) -> bool:
        """True if an input holds one number per row."""
        return any(self.pattern[i] for i in self.full)

    @once
    def expanded(self) -> ShapedNest:
        """The same for code that gets inputs with one number per row as whole arrays."""
        return replace(self, pattern=tuple([prod(shape) == 1 for shape in self.shapes[: len(self.pattern)]]))

    @once
    def is_flat(self) -> bool:
        """True if contiguous inputs need just one call of the ufunc."""
        return not self.parts.tails and all(self.shapes[i] == self.whole for i in self.full)

    @once
    def is_simple(self) -> bool:
        """The same for one result, and without 16-bit floats that are passed as their bits."""
        return self.is_flat and len(self.parts.made) == 1 and len(self.body.outputs) == 1 and not self.bits

    @once
    def is_ready(self) -> bool:
        """True if the totals of rows of one block are the results."""
        kinds = zip(self.parts.tails, reductions_of(self.nest), strict=True)
        return all(t.rule.finish is None and self.body.dtype_of(t.value) is node.dtype for t, node in kinds)

    @once
    def cost(self) -> float:
        """Estimated seconds per element on one thread."""
        return 0.05e-9 * (sum(self.sizes) + len(self.scalar.steps))
