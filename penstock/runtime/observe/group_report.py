"""The fused groups of an explanation: what each computes, from what, and its code.

The listing of a group of rows: its nest and its code for operands of given shapes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ...graph.declare.op_declaration import OPS
from ...graph.inspect.text_table import folded
from ...graph.model.nesting import within
from ...graph.shapes.dimension import Dim, Dimension, Symbol
from ..backends import backend_name
from ..base.session_config import SessionConfig
from ..compiled.llvm_listing import Listing, list_group, with_code
from ..ir.fused_ir import Body, Value, instructions_in
from ..ir.nest_of_body import nest_of
from ..ir.scalar_ir import CannotLower
from ..ir.shaped_rows import shaped_rows
from ..ir.stage import Stage
from ..ir.tiling import Shape
from ..nest.block_writer import writer_for
from ..nest.tail_group import short_rows
from ..planning.memory_plan import sizes_of_feeds
from ..planning.plan import Plan, Step


@dataclass(frozen=True, slots=True, repr=False)
class GroupReport:
    """A fused group.

    Attributes:
        node: the name of its node.
        members: the nodes in it.
        formula: what it computes from its inputs `%0`, `%1` ...
        body: its instructions.
        inputs: names of its inputs.
        single: for each input, whether it is known to hold one number per row.
        device: the requested device, "cpu" or "gpu"; it may not be available.
    """

    node: str
    members: tuple[str, ...]
    formula: str
    body: Body | None = field(default=None, repr=False)
    inputs: tuple[str, ...] = ()
    single: tuple[bool, ...] = ()
    device: str = "cpu"

    @property
    def code(self) -> Listing:
        """Its code at every stage of compilation: print it, or read `.nest`, `.ir`, `.assembly`."""
        assert self.body is not None  # only a report written by hand has none
        return list_group(self.node, self.body, self.inputs, self.single)

    def code_in(self, plan: Plan, step: Step, fed: tuple[tuple[int, ...], ...] | None) -> Listing:
        """Its code in a plan, where `step` runs it; `fed` are the shapes of the fed values, None if they are unknown.

        That of a group with reductions depends on shapes. Unknown sizes are taken as `ASSUMED`.
        """
        if self.body is None or not any(OPS[each.op].reduction is not None for each in self.body.instructions):
            return self.code
        sizes = sizes_of_feeds(plan, fed) if fed else {}
        known = zip([slot for _, slot in plan.feeds], fed or (), strict=False)
        of_feed = {slot: shape for slot, shape in known if shape}  # () stands for a feed without a value, too
        shapes = []
        for slot in step.inputs:
            dims = of_feed.get(slot, plan.slots[slot].shape)
            if dims is None:
                reason = "the rank of an operand is known only in the run"
                is_nest = self.body.is_nest
                return Listing(self.node, self.formula, str(self.body), reason=reason) if is_nest else self.code
            shapes.append(tuple([_size(dim, sizes) for dim in dims]))
        if not self.body.is_nest and short_rows(self.body, shapes) is None:
            return self.code
        return list_nest(self.node, self.body, self.inputs, shapes)

    def __str__(self) -> str:
        return f"{self.node} = {self.formula}"

    def __repr__(self) -> str:
        return "\n".join(folded([f"<GroupReport {self}>"]))


ASSUMED: Final = 1000
"""The size of a dimension whose size is unknown."""


def _size(dim: Dim, sizes: Mapping[Symbol, int]) -> int:
    if not isinstance(dim, Dimension):
        return int(dim)
    known = dim.at(sizes)
    return ASSUMED if known is None else known


def group_reports(stage: Stage, config: SessionConfig) -> Iterator[GroupReport]:
    """The groups of the last stage, in its order."""
    for op in within(stage.operations):
        body = instructions_in(op)
        if body is not None:
            shapes = [t.shape.raw for t in op.inputs]
            single = tuple([raw is not None and (not raw or raw[-1] == 1) for raw in shapes])
            members = body.nodes
            device = backend_name(op.device, config.device)
            yield GroupReport(op.name, members, body.formula, body, tuple(t.name for t in op.inputs), single, device)


def list_nest(node: str, body: Body, names: Sequence[str], shapes: Sequence[Shape]) -> Listing:
    """The listing of a group whose inputs have these names and shapes."""
    known = node, body.formula, str(body)
    operands = tuple([f"{Value(i)} {name}  {dtype.name} {list(shape)}" for i, (name, dtype, shape) in
                      enumerate(zip(names, body.inputs, shapes, strict=True))])  # fmt: skip
    form = shaped_rows(body, shapes)
    try:
        if isinstance(form, str):
            raise CannotLower(form)
        nest = nest_of(body, form)
    except CannotLower as error:
        return Listing(*known, operands=operands, reason=f"it runs in parts: {error}")
    count = form.count
    return with_code(Listing(*known, operands=operands, nest=str(nest)), lambda: writer_for(nest, count).module())
