"""Branches, loops and variables as nodes of ONNX.

`If` is ONNX's If: its branches see the values outside by their names. `While` is ONNX's Loop, whose condition is
computed at the end of an iteration for the next one, so that it is written twice: before the loop, and in its body.

    rows      iteration i takes row i of a value outside
    stacks    are Loop's scan outputs; if the loop runs from the end, they are turned around after it

The gradient of a loop in a loop keeps the inner loop's stacks, of another length each time, as variants: a variant is
the tensor that it holds, and a stack of variants is a sequence, which Loop carries and extends.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....graph.model.nodes import Operation, Tensor
from ....graph.model.subgraph import SubGraph
from ....graph.shapes.dtypes import bool_, int64, variant
from ....graph.shapes.shape import TensorShape
from ....ops.control.while_op import always_goes_on
from ..wire.onnx_messages import OnnxGraphProto
from .array_writes import WRITTEN_ELSEWHERE
from .elementwise_writes import WriteRule
from .graph_order import needed_operations
from .onnx_writer import NotWritten, OnnxWriter, number_of, sequence_info, value_info

_FAR = (1 << 62) - 1


def write_body(w: OnnxWriter, body: SubGraph, names: Sequence[str], results: Sequence[Tensor]) -> list[str]:
    """Write the operations of a body that some results need; the names of these."""
    for tensor, name in zip(body.inputs, names, strict=True):
        w.values[tensor] = name
    w.write(w, needed_operations(results, body.inputs, body.operations), results)
    return [w.ref(tensor) for tensor in results]


def closed(w: OnnxWriter, names: Sequence[str], results: Sequence[Tensor]) -> list[Any]:
    """The outputs of a graph inside a node, each by an Identity of its own: it may be a value from outside."""
    found = []
    for name, tensor in zip(names, results, strict=True):
        made = w.node("Identity", [name])
        found.append(value_info(made, tensor.dtype, _rank_only(tensor.shape)))
    return found


def _rank_only(shape: TensorShape) -> TensorShape:
    """Sizes inside are not claimed: those of one iteration may differ from those of another."""
    return TensorShape(None) if shape.raw is None else TensorShape([None] * len(shape.raw))


def _if(w: OnnxWriter, op: Operation) -> list[str]:
    pred, operands, then_branch, else_branch = op.args[:4]
    names = [w.ref(t) for t in operands]
    wanted = [i for i, t in enumerate(op.outputs) if t in w.needed] or [0]
    graphs: dict[str, Any] = {}
    for key, branch in (("then_branch", then_branch), ("else_branch", else_branch)):
        inner = w.inside()
        inner.begin(op)
        results = [branch.outputs[i] for i in wanted]
        made = write_body(inner, branch, names, results)
        inner.begin(op)
        graphs[key] = OnnxGraphProto(name=f"{w.label}_{key}", outputs=closed(inner, made, results))
        graphs[key].nodes = inner.nodes
    found = w.several("If", [_scalar(w, pred)], len(wanted), **graphs)
    return _placed(op, wanted, found)


def _scalar(w: OnnxWriter, tensor: Tensor) -> str:
    return w.ref(tensor) if tensor.shape.ndims == 0 else w.reshape(w.ref(tensor), [])


def _placed(op: Operation, wanted: Sequence[int], found: Sequence[str]) -> list[str]:
    names = [""] * len(op.outputs)
    for i, name in zip(wanted, found, strict=True):
        names[i] = name
    return names


def _while(w: OnnxWriter, op: Operation) -> list[str]:
    limit, operands, cond, body, variables, rows, reverse = op.args[:7]
    names = [w.ref(t) for t in operands]
    carried = _carried(body, variables)
    endless = always_goes_on(cond)
    _refuse_rows_in(cond, variables, rows)
    most = _most(w, limit, operands[variables : variables + rows])
    if reverse and not endless:
        raise NotWritten("it runs from the end and may end early, for which ONNX has no form")
    first = "" if endless else _condition(w, op, cond, [*names[:variables], *[""] * rows, *names[variables + rows :]])
    kept = [i for i in range(variables, len(body.outputs)) if op.outputs[i] in w.needed]
    stacks = [i for i in kept if op.outputs[i].dtype is not variant]
    sequences = [i for i in kept if op.outputs[i].dtype is variant]
    counts = op.outputs[-1] in w.needed
    state = [*[names[i] for i in carried], *([w.constant(np.array(0))] if counts else [])]
    state += [w.node("SequenceEmpty", [], dtype=number_of(_held(body.outputs[i]).dtype)) for i in sequences]
    graph = _body(w, op, stacks, sequences, counts, names, most, endless)
    inputs = [most, first, *state]
    found = w.several("Loop", inputs, len(state) + len(stacks), body=graph)
    last = list(names[:variables])  # an array that no iteration changes is what it was
    for i, name in zip(carried, found, strict=False):
        last[i] = name
    rolled = [_turned(w, name) if reverse else name for name in found[len(state) :]]
    made = [*last, *[""] * (len(op.outputs) - variables)]
    for i, name in zip([*stacks, *sequences], [*rolled, *found[len(state) - len(sequences) : len(state)]], strict=True):
        made[i] = name
    if counts:
        made[-1] = found[len(carried)]
    return made


def _carried(body: SubGraph, variables: int) -> list[int]:
    """The loop variables that iterations change: tensors. An array that they only read is seen from inside.

    Raises:
        NotWritten: they change an array.
    """
    arrays = [i for i in range(variables) if body.inputs[i].dtype is variant]
    if any(body.outputs[i] is not body.inputs[i] for i in arrays):
        raise NotWritten(WRITTEN_ELSEWHERE)
    return [i for i in range(variables) if i not in arrays]


def _refuse_rows_in(cond: SubGraph, variables: int, rows: int) -> None:
    given = set(cond.inputs[variables : variables + rows])
    if given & ({t for op in cond.operations for t in op.inputs} | set(cond.outputs)):
        raise NotWritten("its condition looks at a row, which ONNX's Loop cannot know before the iteration")


def _most(w: OnnxWriter, limit: Tensor | None, rows: Sequence[Tensor]) -> str:
    """The largest number of iterations; "" for none."""
    sizes = []
    for tensor in sorted(rows, key=lambda t: t.dtype is variant)[:1]:
        if tensor.dtype is variant:
            sizes.append(w.node("SequenceLength", [w.ref(tensor)]))
        else:
            sizes.append(w.node("Squeeze", [w.node("Shape", [w.ref(tensor)], start=0, end=1), w.ints(0)]))
    if limit is not None:
        sizes.append(_scalar(w, limit))
    return "" if not sizes else sizes[0] if len(sizes) == 1 else w.node("Min", sizes)


def _held(tensor: Tensor) -> Tensor:
    """The tensor that a variant holds.

    Raises:
        NotWritten: it may hold something else than a tensor.
    """
    if tensor.op.type != "WrapVariant" or tensor.op.inputs[0].dtype is variant:
        raise NotWritten("the gradient of loops three deep keeps sequences of sequences, which onnxruntime does not "
                         "read; write one of the loops with operations on whole arrays")  # fmt: skip
    found: Tensor = tensor.op.inputs[0]
    return found


def _condition(w: OnnxWriter, op: Operation, cond: SubGraph, names: Sequence[str]) -> str:
    """Whether there is a next iteration, for these values."""
    for tensor in [t for each in cond.operations for t in each.outputs]:
        w.values.pop(tensor, None)
    (made,) = write_body(w, cond, names, cond.outputs)
    w.begin(op)
    return w.reshape(made, []) if cond.outputs[0].shape.ndims != 0 else made


def _body(
    w: OnnxWriter, op: Operation, stacks: Sequence[int], sequences: Sequence[int], counts: bool, names: Sequence[str],
    most: str, endless: bool,
) -> OnnxGraphProto:  # fmt: skip
    _, operands, cond, body, variables, rows, reverse = op.args[:7]
    inner = w.inside()
    inner.begin(op)
    number, goes_on = inner.free(f"{w.label}/i"), inner.free(f"{w.label}/goes_on")
    graph = OnnxGraphProto(name=f"{w.label}_body")
    graph.inputs = [value_info(number, int64, TensorShape([])), value_info(goes_on, bool_, TensorShape([]))]
    state, carried = list(names[:variables]), _carried(body, variables)
    for i in carried:
        state[i] = inner.free(f"{w.label}/state")
        graph.inputs.append(value_info(state[i], body.inputs[i].dtype, _rank_only(body.inputs[i].shape)))
    if counts:
        so_far = inner.free(f"{w.label}/count")
        graph.inputs.append(value_info(so_far, int64, TensorShape([])))
    so_long = [inner.free(f"{w.label}/sequence") for _ in sequences]
    kinds = [_held(body.outputs[i]) for i in sequences]
    graph.inputs += [sequence_info(name, t.dtype, t.shape) for name, t in zip(so_long, kinds, strict=True)]
    at = number
    if reverse:
        at = inner.node("Sub", [inner.node("Sub", [most, inner.constant(np.array(1))]), number])
    taken = [inner.node("SequenceAt", [name, at]) if tensor.dtype is variant
             else inner.node("Gather", [name, at], axis=0)
             for name, tensor in list(zip(names, operands, strict=True))[variables : variables + rows]]  # fmt: skip
    captured = names[variables + rows :]
    results = [*body.outputs[:variables], *[body.outputs[i] for i in (*stacks, *sequences)]]
    written = write_body(inner, body, [*state, *taken, *captured], results)
    inner.begin(op)
    following = goes_on if endless else _condition(inner, op, cond, [*written[:variables], *[""] * rows, *captured])
    graph.outputs = [value_info(inner.node("Identity", [following]), bool_, TensorShape([])),
                     *closed(inner, [written[i] for i in carried], [results[i] for i in carried])]  # fmt: skip
    if counts:
        one = inner.node("Add", [so_far, inner.constant(np.array(1))])
        graph.outputs.append(value_info(one, int64, TensorShape([])))
    until = variables + len(stacks)
    for name, added, tensor in zip(so_long, written[until:], kinds, strict=True):
        place = [inner.constant(np.array(0))] if reverse else []
        longer = inner.node("SequenceInsert", [name, added, *place])
        graph.outputs.append(sequence_info(longer, tensor.dtype, tensor.shape))
    graph.outputs += closed(inner, written[variables:until], results[variables:until])
    graph.nodes = inner.nodes
    return graph


def _variant(w: OnnxWriter, op: Operation) -> str:
    """A variant is the tensor that it holds."""
    if variant in (op.inputs[0].dtype, op.outputs[0].dtype) and op.inputs[0].dtype is op.outputs[0].dtype:
        raise NotWritten("a variant within a variant has no ONNX form")
    return w.ref(op.inputs[0])


def _turned(w: OnnxWriter, name: str) -> str:
    return w.node("Slice", [name, w.ints(-1), w.ints(-_FAR), w.ints(0), w.ints(-1)])


# ---- variables ---------------------------------------------------------------------------------


def _read(w: OnnxWriter, op: Operation) -> str:
    name = w.top.variables[op.get_attr("resource")]
    return w.node("Identity", [name])


def _variable(w: OnnxWriter, op: Operation) -> str:
    return w.top.variables[str(op.get_attr("resource"))]


def _initialized(w: OnnxWriter, op: Operation) -> str:
    return w.top.variables[str(op.get_attr("resource"))]


def _is_initialized(w: OnnxWriter, op: Operation) -> str:
    return w.constant(np.array(True))


FLOW_WRITES: dict[str, WriteRule] = {
    "If": _if, "InitializedValue": _initialized, "IsVariableInitialized": _is_initialized, "LatestValue": _variable,
    "ReadVariableOp": _variable, "UnwrapVariant": _variant, "VariableV2": _variable, "While": _while,
    "WrapVariant": _variant,
}  # fmt: skip
