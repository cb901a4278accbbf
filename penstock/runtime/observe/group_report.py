"""The fused groups of an explanation: what each computes, from what, and its code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ...graph.inspect.text_table import folded
from ...graph.nesting import within
from ..backends import backend_name
from ..base.session_config import SessionConfig
from ..compiled.llvm_listing import Listing, list_group
from ..ir.fused_ir import Body, instructions_in
from ..ir.stage import Stage


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
        """Its code at every stage of compilation: print it, or read `.scalar`, `.ir`, `.assembly`."""
        assert self.body is not None  # only a report written by hand has none
        return list_group(self.node, self.body, self.inputs, self.single)

    def __str__(self) -> str:
        return f"{self.node} = {self.formula}"

    def __repr__(self) -> str:
        return "\n".join(folded([f"<GroupReport {self}>"]))


def group_reports(stage: Stage, config: SessionConfig) -> Iterator[GroupReport]:
    """The groups of the last stage, in its order."""
    for op in within(stage.operations):
        body = instructions_in(op)
        if body is not None:
            shapes = [t.shape.raw for t in op.inputs]
            single = tuple([raw is not None and (not raw or raw[-1] == 1) for raw in shapes])
            members = tuple(i.node for i in body.instructions)
            device = backend_name(op.device, config.device)
            yield GroupReport(op.name, members, body.formula, body, tuple(t.name for t in op.inputs), single, device)
