"""How is an error of a run told?

A kernel says what is wrong with its inputs; here the node, the user's line and the shapes of the inputs are added. The
class is TensorFlow's: what a kernel raises on purpose keeps its own, a shape NumPy could not broadcast is an
InvalidArgumentError, memory is ResourceExhaustedError, and anything unforeseen an InternalError.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import InternalError, InvalidArgumentError, OpError, ResourceExhaustedError
from ..graph.opdef import OPS
from ..graph.operation import Operation
from ..graph.story import operands_of
from .plan import Step


def run_error(error: Exception, step: Step, inputs: Sequence[Any], op: Operation | None) -> OpError:
    """The error to raise from `Session.run` for `error`, raised by the kernel of `step` on `inputs`."""
    told = error if isinstance(error, OpError) else _translate(error, step, inputs)
    told.op = told.node_def = op
    lines = [told.message]
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


def _translate(error: Exception, step: Step, inputs: Sequence[Any]) -> OpError:
    if isinstance(error, MemoryError):
        return ResourceExhaustedError(message=f"out of memory: {error or 'the result does not fit'}")
    opdef = OPS.get(step.op)
    if opdef is not None and opdef.elementwise and len(inputs) >= 2:
        shapes = [tuple(x.shape) for x in inputs]
        try:
            np.broadcast_shapes(*shapes)
        except ValueError:
            words = " vs. ".join("[" + ",".join(map(str, s)) + "]" for s in shapes)
            return InvalidArgumentError(message=f"Incompatible shapes: {words}")
    return InternalError(message=f"the kernel of {step.op} failed: {type(error).__name__}: {error}")
