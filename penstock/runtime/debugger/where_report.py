"""`Where`: the step at which a debugged run stands, with its operands, and the loops and branches around it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...graph.diagnostics.error_report import operands_of
from ...graph.inspect.text_table import folded
from ...graph.model.nodes import Operation, Tensor
from ..execution.run_errors import FindOp
from ..observe.nan_watch import on_host
from ..observe.value_summary import summary_of
from .run_state import BEGIN, RunState
from .stepping import Edits
from .stops import Stop, part_text

_SHORT = 8


@dataclass(frozen=True, slots=True)
class OperandAt:
    """One operand of a step.

    Attributes:
        parameter: what the op's signature calls it, such as "x" or "values[1]".
        tensor: the name of the tensor.
        predicted: its dtype and static shape, such as "float32 (batch, 3)".
        found: the shape that it has in this run.
        value: its elements if they are few, else a summary of them.
        line: the user's line that made it.
    """

    parameter: str
    tensor: str
    predicted: str
    found: tuple[int, ...]
    value: str
    line: str

    def __str__(self) -> str:
        what = f'{self.parameter}  "{self.tensor}" {self.predicted}, here {list(self.found)} = {self.value}'
        return f"{what}  {self.line}".rstrip()


@dataclass(frozen=True, slots=True)
class FrameAt:
    """One loop or branch that is under way.

    Attributes:
        node: the name of the node.
        op: its op; "Fused" for a fused group.
        part: the graph that runs, such as "steps[2]", "pick/true" or "group loss".
        iteration: the number of the iteration; 0 in a branch.
        variables: the loop variables at its start, by name; () in a branch.
        line: the user's line that made it.
    """

    node: str
    op: str
    part: str
    iteration: int
    variables: tuple[tuple[str, Any], ...]
    line: str

    def __str__(self) -> str:
        held = ", ".join(f"{name} = {value_text(value)}" for name, value in self.variables)
        return "  ".join(each for each in (f"in {self.part} ({self.op})", held, self.line) if each)

    def __repr__(self) -> str:
        return f"<{self}>"


@dataclass(frozen=True, slots=True)
class Where:
    """Where a debugged run stands: the next step, its operands, what it makes, what it is inside of.

    Attributes:
        stop: the place in one line.
        operands: the operands, whose values are there.
        makes: the tensors that it will make: (name, dtype and static shape).
        frames: the loops and branches around it, the innermost first.
    """

    stop: Stop
    operands: tuple[OperandAt, ...]
    makes: tuple[tuple[str, str], ...]
    frames: tuple[FrameAt, ...]

    def __str__(self) -> str:
        lines = [str(self.stop)]
        lines += [f"  {each}" for each in self.operands]
        if self.makes:
            lines.append("  makes " + ", ".join(f'"{name}" {type_text}' for name, type_text in self.makes))
        lines += [f"  {each}" for each in self.frames]
        return "\n".join(folded(lines))

    def __repr__(self) -> str:
        return str(self)


def where_at(state: RunState, find_op: FindOp, stop: Stop, edits: Edits) -> Where:
    """The report for a state."""
    if state.has_ended:
        return Where(stop, (), (), ())
    return Where(stop, tuple(_operands(state, find_op)), tuple(_makes(state)), frames_at(state, find_op, edits))


def frames_at(state: RunState, find_op: FindOp, edits: Edits) -> tuple[FrameAt, ...]:
    """The loops and branches that are under way, the innermost first."""
    frames = []
    for depth in reversed(range(1, len(state.frames))):
        outer, inner = state.frames[depth - 1], state.frames[depth]
        step = outer.code.plan.steps[outer.position]
        values = () if outer.walk is None else outer.walk.variables
        feeds = inner.code.plan.feeds[: len(values)]
        names = [label_of(name) for name, _ in feeds]
        # The walk has what the iteration began with; `edits` has what was set since.
        held = edits.at((inner.path, BEGIN)) or {}
        now = [held.get(int(slot), value) for (_, slot), value in zip(feeds, values, strict=True)]
        variables = tuple(zip(names, map(host_value, now), strict=True))
        frames.append(FrameAt(step.node, step.op, part_text(state, depth), inner.path[-1][2], variables,
                             line_of(find_op(step.node))))  # fmt: skip
    return tuple(frames)


def _operands(state: RunState, find_op: FindOp) -> Iterator[OperandAt]:
    frame = state.frame
    step = frame.code.plan.steps[frame.position]
    op = find_op(step.node)
    parameters: list[tuple[str, Tensor | None]] = []
    if op is not None and op.type == frame.code.ops[frame.position] and not op.opdef.write_reads:
        parameters = [(parameter, tensor) for _, parameter, tensor in operands_of(op.opdef, op.args)]
    names = {int(slot): name for name, slot in (*frame.code.plan.feeds, *frame.code.slot_of.items())}
    if len(parameters) != len(step.inputs):
        parameters = [(f"input {i}", None) for i in range(len(step.inputs))]
    for slot, (parameter, tensor) in zip(step.inputs, parameters, strict=True):
        info = frame.code.plan.slots[slot]
        predicted = f"{info.dtype.name} {_shape(info.shape)}"
        value = frame.slots[slot]
        name = tensor.name if tensor is not None else names.get(int(slot), str(slot))
        made = find_op(name.rpartition(":")[0]) if tensor is None else tensor.op
        yield OperandAt(parameter, name, predicted, tuple(value.shape), value_text(value), line_of(made))


def _makes(state: RunState) -> Iterator[tuple[str, str]]:
    frame = state.frame
    step = frame.code.plan.steps[frame.position]
    for name, slot in zip(frame.code.results[frame.position], step.outputs, strict=True):
        info = frame.code.plan.slots[slot]
        yield name, f"{info.dtype.name} {_shape(info.shape)}"


def line_of(op: Operation | None) -> str:
    """The user's line that made an operation, with its text."""
    return "" if op is None else f"{op.origin.place}  {op.origin.code}".rstrip()


def label_of(name: str) -> str:
    """The last part of the name of a tensor: "i" for "steps/body/i:0"."""
    return name.rpartition(":")[0].rpartition("/")[2]


def host_value(value: Any) -> Any:
    """A copy of a value of the run, as NumPy has it."""
    array = on_host(value)
    return array.copy() if array.ndim else array[()]


def value_text(value: Any) -> str:
    """The elements of a value if they are few, else their range and mean."""
    found = summary_of(on_host(value))
    return " ".join(found.preview.split()) if 0 < found.size <= _SHORT else str(found)


def _shape(dims: Any) -> str:
    if dims is None:
        return "<unknown>"
    inside = ", ".join(map(str, dims))
    return f"({inside},)" if len(dims) == 1 else f"({inside})"
