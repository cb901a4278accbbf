"""ONNX Runtime: the calls write an ONNX model, its session optimises and runs it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine import Array, Engine, Run, Unsupported, load

OPSET = 21


class Model:
    """The nodes written so far."""

    def __init__(self) -> None:
        self.onnx = load("onnx")
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def type_of(self, dtype: str) -> int:
        """ONNX's number of a dtype."""
        number: int = getattr(
            self.onnx.TensorProto, {"float32": "FLOAT", "float64": "DOUBLE"}.get(dtype, dtype.upper())
        )
        return number

    def constant(self, value: Any, dtype: str = "int64") -> Value:
        """A named constant."""
        if dtype == "bfloat16":
            raise Unsupported("no bfloat16 kernels on the CPU")
        name = f"c{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(np.asarray(value, dtype), name))
        return Value(self, name, dtype)

    def write(self, op: str, *operands: Value, dtype: str | None = None, outputs: int = 1, **attrs: Any) -> list[Value]:
        """One node; its results have the dtype of the first operand unless another is given."""
        names = [f"t{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(self.onnx.helper.make_node(op, [x.name for x in operands], names, **attrs))
        return [Value(self, name, dtype or operands[0].dtype) for name in names]


@dataclass(frozen=True, slots=True)
class Value:
    """A result of a node."""

    model: Model
    name: str
    dtype: str

    def _with(self, op: str, other: Any, dtype: str | None = None, swapped: bool = False) -> Value:
        second = other if isinstance(other, Value) else self.model.constant(other, self.dtype)
        operands = (second, self) if swapped else (self, second)
        return self.model.write(op, *operands, dtype=dtype)[0]

    def __add__(self, other: Any) -> Value:
        return self._with("Add", other)

    def __sub__(self, other: Any) -> Value:
        return self._with("Sub", other)

    def __mul__(self, other: Any) -> Value:
        return self._with("Mul", other)

    def __radd__(self, other: Any) -> Value:
        return self._with("Add", other, swapped=True)

    def __rmul__(self, other: Any) -> Value:
        return self._with("Mul", other, swapped=True)

    def __gt__(self, other: Any) -> Value:
        return self._with("Greater", other, "bool")

    def __lt__(self, other: Any) -> Value:
        return self._with("Less", other, "bool")


class OnnxRuntime(Engine):
    """One thread; arrays go in and come out as they do for everyone."""

    name = "onnxruntime"

    def __init__(self) -> None:
        self.runtime = load("onnxruntime")
        load("onnx")
        self.version = self.runtime.__version__

    def build(self, program: Callable[..., Any], inputs: Sequence[Array], through: str = "run") -> Run:
        if any(x.dtype.name == "bfloat16" for x in inputs):
            raise Unsupported("no bfloat16 kernels on the CPU")
        model = Model()
        helper = model.onnx.helper
        kinds = ["string" if x.dtype == object else x.dtype.name for x in inputs]
        made = program(self, *[Value(model, f"x{i}", kind) for i, kind in enumerate(kinds)])
        results = made if isinstance(made, list) else [made]
        graph = helper.make_graph(
            model.nodes, "case",
            [helper.make_tensor_value_info(f"x{i}", model.type_of(k), x.shape)
             for i, (k, x) in enumerate(zip(kinds, inputs, strict=True))],
            [helper.make_tensor_value_info(r.name, model.type_of(r.dtype), None) for r in results],
            model.constants,
        )  # fmt: skip
        whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)
        feeds = {f"x{i}": _strings(x) if x.dtype == object else x for i, x in enumerate(inputs)}
        ready: list[Any] = []

        def run() -> Any:
            if not ready:
                options = self.runtime.SessionOptions()
                options.intra_op_num_threads = options.inter_op_num_threads = 1
                options.log_severity_level = 4
                written = whole.SerializeToString()
                ready.append(self.runtime.InferenceSession(written, options, providers=["CPUExecutionProvider"]))
            return ready[0].run(None, feeds)

        return run

    def exp(self, x: Any) -> Any:
        return x.model.write("Exp", x)[0]

    def tanh(self, x: Any) -> Any:
        return x.model.write("Tanh", x)[0]

    def sigmoid(self, x: Any) -> Any:
        return x.model.write("Sigmoid", x)[0]

    def minimum(self, x: Any, y: Any) -> Any:
        return x.model.write("Min", x, y)[0]

    def not_equal(self, x: Any, y: Any) -> Any:
        return x.model.write("Not", x._with("Equal", y, "bool"))[0]

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        return x.model.write("Where", condition, x, y, dtype=x.dtype)[0]

    def cast(self, x: Any, dtype: str) -> Any:
        if dtype == "bfloat16":
            raise Unsupported("no bfloat16 in NumPy's arrays")
        return x.model.write("Cast", x, dtype=dtype, to=x.model.type_of(dtype))[0]

    def sum(self, x: Any, axis: int | None = None) -> Any:
        axes = () if axis is None else (x.model.constant([axis]),)
        return x.model.write("ReduceSum", x, *axes, keepdims=0)[0]

    def partition(self, x: Any, labels: Any, parts: int) -> list[Any]:
        if parts > 16:
            raise Unsupported("partition: one pass per part")
        return [x.model.write("Compress", x, labels._with("Equal", part, "bool"), axis=0)[0] for part in range(parts)]

    def stitch(self, indices: list[Any], data: list[Any]) -> Any:
        rows = self.concat(data, 0)
        at = self.cast(rows.model.write("Unsqueeze", self.concat(indices, 0), rows.model.constant([1]))[0], "int64")
        return rows.model.write("ScatterND", rows, at, rows)[0]

    def positions(self, x: Any) -> Any:
        height = self.cast(x.model.write("Size", x, dtype="int64")[0], "int32")
        constant = x.model.constant
        return x.model.write("Range", constant(0, "int32"), height, constant(1, "int32"))[0]

    def gather(self, x: Any, indices: Any) -> Any:
        return x.model.write("Gather", x, indices)[0]

    def scatter(self, x: Any, indices: Any, updates: Any) -> Any:
        return x.model.write("ScatterND", x, self.cast(indices, "int64"), updates)[0]

    def reverse_sequence(self, x: Any, lengths: Any) -> Any:
        return x.model.write("ReverseSequence", x, self.cast(lengths, "int64"), batch_axis=0, time_axis=1)[0]

    def transpose(self, x: Any, perm: Sequence[int]) -> Any:
        return x.model.write("Transpose", x, perm=list(perm))[0]

    def concat(self, values: list[Any], axis: int) -> Any:
        return values[0].model.write("Concat", *values, axis=axis)[0]

    def split(self, x: Any, parts: int, axis: int) -> list[Any]:
        made: list[Any] = x.model.write("Split", x, outputs=parts, axis=axis, num_outputs=parts)
        return made

    def pad(self, x: Any, widths: Sequence[Sequence[int]]) -> Any:
        sides = [pair[0] for pair in widths] + [pair[1] for pair in widths]
        return x.model.write("Pad", x, x.model.constant(sides))[0]

    def tile(self, x: Any, times: Sequence[int]) -> Any:
        return x.model.write("Tile", x, x.model.constant(times))[0]

    def stack(self, values: list[Any], axis: int) -> Any:
        place = values[0].model.constant([axis])
        return self.concat([x.model.write("Unsqueeze", x, place)[0] for x in values], axis)

    def reverse(self, x: Any, axis: int) -> Any:
        start, end, at, step = (x.model.constant([n]) for n in (-1, np.iinfo(np.int64).min + 1, axis, -1))
        return x.model.write("Slice", x, start, end, at, step)[0]

    def to_number(self, x: Any) -> Any:
        return self.cast(x, "float32")


def _strings(x: Array) -> Array:
    """It takes text as str only, and would read the letter b of bytes."""
    return np.array([text.decode() for text in x], object)
