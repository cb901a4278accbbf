"""Operations that reduce along axes, as nodes of ONNX."""

from __future__ import annotations

import numpy as np

from ....graph.building.constant_evaluation import known_value
from ....graph.model.nodes import Operation
from ....graph.shapes.dtypes import bool_, int32, int64
from .elementwise_writes import WriteRule, of_real_numbers
from .move_writes import as_int64, as_vector, known_axis
from .onnx_writer import NotWritten, OnnxWriter


def _reduce(name: str, as_ints: bool = False) -> WriteRule:
    def write(w: OnnxWriter, op: Operation) -> str:
        x, axis, keep = op.args[:3]
        inputs, value = [w.cast(w.ref(x), int32) if as_ints else w.ref(x)], None
        if axis is not None:
            value = known_value(axis)
            if (value is not None and value.size == 0) or axis.shape.raw == (0,):
                return w.node("Identity", inputs)
            inputs.append(as_vector(w, axis))
        keepdims, none = int(bool(keep)), 1 if axis is not None and value is None else None
        if w.opset >= 18 or name == "ReduceSum":
            return w.node(name, inputs, keepdims=keepdims, noop_with_empty_axes=none)
        if axis is not None and value is None:
            raise NotWritten("its axes are not known before a run")
        return w.node(name, inputs[:1], keepdims=keepdims, axes=None if value is None else value.reshape(-1).tolist())

    return write


def _mean(w: OnnxWriter, op: Operation) -> str:
    """The mean of nothing is nan, which onnxruntime's ReduceMean does not know."""
    x = op.args[0]
    if x.shape.raw is not None and 0 in x.shape.raw and x.dtype.is_floating:
        return w.node("Div", [str(_reduce("ReduceSum")(w, op)), w.like(x, 0)])
    return str(_reduce("ReduceMean")(w, op))


def _reduce_bool(name: str) -> WriteRule:
    """All is the least, Any the largest; of nothing these are the ends of int32."""
    inner = _reduce(name, as_ints=True)

    def write(w: OnnxWriter, op: Operation) -> str:
        return w.node("Greater", [str(inner(w, op)), w.constant(np.array(0), int32)])

    return write


def _arg(name: str) -> WriteRule:
    def write(w: OnnxWriter, op: Operation) -> str:
        x, axis = op.args[:2]
        values = w.cast(w.ref(x), int32) if x.dtype is bool_ else w.ref(x)
        found = w.node(name, [values], axis=0 if axis is None else known_axis(axis), keepdims=0)
        return w.cast(found, op.outputs[0].dtype) if op.outputs[0].dtype is not int64 else found

    return write


def _cumulative(name: str) -> WriteRule:
    def write(w: OnnxWriter, op: Operation) -> str:
        x, axis, exclusive, reverse = op.args
        return w.node(name, [w.ref(x), as_int64(w, axis)], exclusive=int(exclusive), reverse=int(reverse))

    return write


REDUCTION_WRITES = of_real_numbers({
    "All": _reduce_bool("ReduceMin"), "Any": _reduce_bool("ReduceMax"), "ArgMax": _arg("ArgMax"),
    "ArgMin": _arg("ArgMin"), "Cumprod": _cumulative("CumProd"), "Cumsum": _cumulative("CumSum"),
    "Max": _reduce("ReduceMax"), "Mean": _mean, "Min": _reduce("ReduceMin"), "Prod": _reduce("ReduceProd"),
    "Sum": _reduce("ReduceSum"),
})  # fmt: skip
