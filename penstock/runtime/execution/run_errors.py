"""How is an error of a run told?

A kernel says what is wrong with its inputs; here the node, the user's line and the shapes of the inputs are added. The
class is TensorFlow's: what a kernel raises on purpose keeps its own, a shape NumPy could not broadcast is an
InvalidArgumentError, memory is ResourceExhaustedError, and anything unforeseen an InternalError.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import InternalError, InvalidArgumentError, OpError, ResourceExhaustedError
from ...graph.diagnostics.error_report import operands_of
from ...graph.nodes import Operation
from ...graph.op_declaration import OPS
from ..ir.fused_ir import Value
from ..planning.plan import Step

FindOp = Callable[[str], Operation | None]


def run_error(error: Exception, step: Step, inputs: Sequence[Any], find_op: FindOp) -> OpError:
    """The error to raise from `Session.run` for `error`, raised by the kernel of `step` on `inputs`."""
    if isinstance(error, OpError) and error.is_inside:
        return _told_around(error, step, find_op)
    if step.op == "Fused" and step.device == "cpu":
        error, step, inputs = _inside(error, step, inputs)
    op = find_op(step.node) or find_op(step.node.rpartition(".")[0])  # "x.check" stands in for the user's "x"
    told = error if isinstance(error, OpError) else _translate(error, step, inputs)
    told.op = told.node_def = op
    lines = [told.message]
    if told.where:
        lines.append(f"  first at {told.where}")
    if op is None:
        lines.append(f'  in node "{step.node}" ({step.op})')
    else:
        lines.append(f'  in node "{op.name}" ({op.type})  {op.origin.place}  {op.origin.code}'.rstrip())
        for (_, parameter, tensor), array in zip(operands_of(op.opdef, op.args), inputs, strict=False):
            dtype = tensor.dtype.name
            shape = list(getattr(array, "shape", ()))
            made = f"{tensor.op.origin.place}  {tensor.op.origin.code}".rstrip()
            lines.append(f'    {parameter}  "{tensor.name}" {dtype} {shape}  {made}')
    told.retell("\n".join(lines))
    return told


def _told_around(error: OpError, step: Step, find_op: FindOp) -> OpError:
    """An error of a node inside a body, with the node that holds it."""
    error.is_inside = False
    op = find_op(step.node)
    where = "" if op is None else f"  {op.origin.place}  {op.origin.code}"
    error.retell(f'{error}\n  inside "{step.node}" ({step.op}){where}'.rstrip())
    return error


def _inside(error: Exception, step: Step, inputs: Sequence[Any]) -> tuple[Exception, Step, Sequence[Any]]:
    """Which op of a fused group failed, on what: the group is run once more, one whole op after the other."""
    body = step.args[-1]
    values: list[Any] = list(inputs)
    for instruction in body.instructions:
        opdef = OPS[instruction.op]
        args = [values[a] if isinstance(a, Value) else a for a in instruction.args]
        try:
            values.append((opdef.kernels.get("numpy") or opdef.kernels["*"])(np, *args))
        except Exception as found:
            alone = Step(instruction.op, instruction.node, instruction.args, (), ())
            # With its traceback it would hold this frame and the one that called it, and that one holds the error.
            return found.with_traceback(None), alone, [values[v] for v in instruction.operands]
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
