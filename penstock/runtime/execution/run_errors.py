"""Errors of a run: the node, the user's line and the input shapes are added to a kernel's error.

The class is TensorFlow's. An error that a kernel raises on purpose keeps its class, shapes that do not broadcast are an
InvalidArgumentError, missing memory is a ResourceExhaustedError, and anything else an InternalError.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import DeadlineExceededError, InternalError, InvalidArgumentError, OpError, ResourceExhaustedError
from ...graph.declare.op_declaration import OPS
from ...graph.diagnostics.error_report import operands_of
from ...graph.model.nodes import Operation
from ...ops.text.value_text import first_elements
from ..ir.fused_ir import Value
from ..planning.plan import Plan, Step

SHOWN = 6
"""The most elements of a loop variable in an error."""
MOST_VARIABLES = 12
FindOp = Callable[[str], Operation | None]


def run_error(error: Exception, step: Step, inputs: Sequence[Any], find_op: FindOp) -> OpError:
    """The error to raise from `Session.run` for `error`, raised by the kernel of `step` on `inputs`."""
    if isinstance(error, OpError) and error.stage:
        stage, error.stage = find_op(error.stage), ""
        if stage is not None:
            error = run_error(error, Step(stage.type, stage.name, (), (), ()), (), find_op)
            error.is_inside = True
    if isinstance(error, OpError) and error.is_inside:
        return _with_holder(error, step, find_op)
    if step.op == "Fused" and step.device == "cpu" and not isinstance(error, DeadlineExceededError):
        error, step, inputs = _failed_member(error, step, inputs)
    holder, _, last = step.node.rpartition("/")
    part = find_op(holder) if last == step.op else None  # what a write "w" is made of: "w/EnsureShape"
    # A pass made "x.check" from the user's "x".
    op = find_op(step.node) or find_op(step.node.rpartition(".")[0]) or part
    raised = error if isinstance(error, OpError) else _translate(error, step, inputs)
    raised.op = raised.node_def = op
    lines = [raised.message]
    if raised.where:
        lines.append(f"  first at {raised.where}")
    if op is None:
        lines.append(f'  in node "{step.node}" ({step.op})')
    else:
        lines.append(f'  in node "{op.name}" ({op.type})  {op.origin.place}  {op.origin.code}'.rstrip())
        arrays = inputs[1:] if op.opdef.write_reads and op is not part else inputs  # the first is the variable's value
        for (_, parameter, tensor), array in zip(operands_of(op.opdef, op.args), arrays, strict=False):
            dtype = tensor.dtype.name
            shape = list(getattr(array, "shape", ()))
            made = f"{tensor.op.origin.place}  {tensor.op.origin.code}".rstrip()
            lines.append(f'    {parameter}  "{tensor.name}" {dtype} {shape}  {made}')
    if raised.iteration is not None:
        lines += [f"  in iteration {raised.iteration[0]:,}", *_loop_variables(raised, step)]
    raised.replace_text("\n".join(lines))
    return raised


def _with_holder(error: OpError, step: Step, find_op: FindOp) -> OpError:
    """The error of a node inside a body, with a line about the node that holds the body."""
    error.is_inside = False
    op = find_op(step.node)
    where = "" if op is None else f"  {op.origin.place}  {op.origin.code}"
    at = "" if error.iteration is None else f"iteration {error.iteration[0]:,} of "
    lines = [f'{error}\n  inside {at}"{step.node}" ({step.op}){where}'.rstrip(), *_loop_variables(error, step)]
    error.replace_text("\n".join(lines))
    return error


def _loop_variables(error: OpError, step: Step) -> list[str]:
    """A line for each loop variable, with its value when the iteration began; none if the error is of no iteration."""
    if error.iteration is None:
        return []
    _, values = error.iteration
    error.iteration = None
    (body,) = [arg for arg in step.args if isinstance(arg, Plan)][1:]
    lines = []
    for (name, slot), value in zip(body.feeds, values, strict=False):
        label = name.rpartition(":")[0].rpartition("/")[2]
        dtype = body.slots[slot].dtype
        words = f"{dtype.name} {list(value.shape)}"
        if not dtype.is_variant:
            words += f" = {first_elements(value, SHOWN)}"
        lines.append(f"    {label}  {words}")
    return lines[:MOST_VARIABLES] + ([f"    and {len(lines) - MOST_VARIABLES} more"] if len(lines) > MOST_VARIABLES
                                     else [])  # fmt: skip


def _failed_member(error: Exception, step: Step, inputs: Sequence[Any]) -> tuple[Exception, Step, Sequence[Any]]:
    """The error of the op that failed in a fused group, with its inputs: the group is run again op by op."""
    body = step.args[-1]
    values: list[Any] = list(inputs)
    for instruction in body.instructions:
        opdef = OPS[instruction.op]
        args = [values[a] if isinstance(a, Value) else a for a in instruction.args]
        try:
            values.append((opdef.kernels.get("numpy") or opdef.kernels["*"])(np, *args))
        except Exception as found:
            member = Step(instruction.op, instruction.node, instruction.args, (), ())
            # Without the traceback, which would hold this frame and its caller, and so the error itself.
            return found.with_traceback(None), member, [values[v] for v in instruction.operands]
    return error, step, inputs


def _translate(error: Exception, step: Step, inputs: Sequence[Any]) -> OpError:
    if isinstance(error, MemoryError):
        return ResourceExhaustedError(message=f"out of memory: {error or 'the result does not fit'}")
    opdef = OPS.get(step.op)
    if opdef is not None and opdef.facts.elementwise and len(inputs) >= 2:
        shapes = [tuple(x.shape) for x in inputs]
        try:
            np.broadcast_shapes(*shapes)
        except ValueError:
            words = " vs. ".join("[" + ",".join(map(str, s)) + "]" for s in shapes)
            return InvalidArgumentError(message=f"Incompatible shapes: {words}")
    return InternalError(message=f"the kernel of {step.op} failed: {type(error).__name__}: {error}")
