"""The fuzz of ONNX models that are read: random nodes, opsets, attributes, dtypes and sizes, beside onnxruntime.

    python -m tests.fuzz.of_onnx_nodes --count 3000 --seed-start 0

The packages onnx and onnxruntime are needed. Each node is run alone in onnxruntime when it is chosen; what that refuses
is dropped, and what it computes is the value that the whole model must have here. Sizes are 0 to 4; If, Loop and Scan
have bodies that read values from outside. What this package does not read must be told as such. Where onnxruntime does
something else than ONNX says, or ONNX leaves it open, nothing is asked; comments say where.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.errors import GraphFormatError
from penstock.interchange.onnx import backend

from .seeds import seeds_of

FLOATS = ("f4", "f4", "f4", "f8", "f2")
INTS = ("i8", "i4", "i8", "i4", "i1", "u1", "i2")
NODES = 9
LARGEST = 400
TOLD = ("not known before a run", "is read since opset")
"""What may be told instead of a value; onnxruntime knows some operators in older opsets than ONNX."""
Choice = Callable[["Model"], None]


class Model:
    """A model that grows node by node.

    Attributes:
        rng: what chooses.
        opset: the version of the operators.
        values: what onnxruntime has computed, by name.
        nodes: the nodes so far.
        inputs, arrays: the names of the values that are fed, and of those that the file has.
        made: the names of the results of nodes.
        rough: those that have been through float16.
    """

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.opset = int(self.rng.integers(9, 24))
        self.values: dict[str, Any] = {}
        self.nodes: list[Any] = []
        self.inputs: list[str] = []
        self.arrays: list[str] = []
        self.made: list[str] = []
        self.rough: set[str] = set()

    # ---- choosing ----------------------------------------------------------------------------

    def one(self, items: Any) -> Any:
        """One of some things."""
        items = list(items)
        return items[int(self.rng.integers(len(items)))]

    def size(self) -> int:
        """A size."""
        return int(self.one((0, 1, 1, 2, 2, 3, 3, 4)))

    def draw(self, dtype: str, shape: Any) -> Any:
        """Numbers of a dtype."""
        if dtype == "?":
            return self.rng.random(shape) < 0.5
        if dtype[0] == "f":
            return self.rng.standard_normal(shape).astype(dtype)
        return self.rng.integers(0 if dtype[0] == "u" else -3, 6, shape).astype(dtype)

    def array(self, value: Any) -> str:
        """A value of the file."""
        name = f"a{len(self.values)}"
        self.values[name] = np.asarray(value)
        self.arrays.append(name)
        return name

    def ints(self, *values: int) -> str:
        """A vector of the file."""
        return self.array(np.array(values, np.int64))

    def leaf(self, dtype: str, shape: Any) -> str:
        """A value that is fed, or one of the file."""
        if self.rng.random() < 0.3:
            return self.array(self.draw(dtype, shape))
        name = f"x{len(self.values)}"
        self.values[name] = np.asarray(self.draw(dtype, shape))
        self.inputs.append(name)
        return name

    def pick(self, kinds: str = "f", ranks: Any = range(6)) -> str:
        """A value of one of some kinds of dtypes and of one of some ranks."""
        names = [k for k, v in self.values.items() if v.dtype.kind in kinds
                 and v.ndim in ranks]  # fmt: skip
        if names and self.rng.random() < 0.85:
            return str(self.one(names))
        kind = self.one(kinds)
        dtype = "?" if kind == "b" else self.one(FLOATS if kind == "f" else INTS)
        if kind == "u":
            dtype = "u1"
        rank = self.one([r for r in ranks if r <= 4])
        return self.leaf(dtype, [self.size() for _ in range(rank)])

    def beside(self, name: str) -> str:
        """A value that is broadcast with another one, of its dtype."""
        value = self.values[name]
        fitting = [k for k, v in self.values.items() if v.dtype == value.dtype and _fit(v.shape, value.shape)]
        if fitting and self.rng.random() < 0.6:
            return str(self.one(fitting))
        shape = [1 if self.rng.random() < 0.3 else size for size in value.shape]
        shape = shape[int(self.rng.integers(0, len(shape) + 1)) :] if self.rng.random() < 0.4 else shape
        return self.leaf(_code(value.dtype), shape)

    def axis(self, name: str) -> int:
        """An axis of a value of rank 1 or more, from the start or the end."""
        rank = self.values[name].ndim
        return int(self.rng.integers(-rank, rank))

    # ---- nodes -------------------------------------------------------------------------------

    def add(self, op: str, inputs: list[str], outputs: int = 1, captured: Any = (), **attributes: Any) -> None:
        """Add a node, if onnxruntime runs it."""
        from onnx import helper

        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        given = {k: v for k, v in attributes.items() if v is not None}
        node = helper.make_node(op, inputs, names, **given)
        read = [*dict.fromkeys([*[name for name in inputs if name], *captured])]
        found = _run(self.model([node], [k for k in read if k not in self.arrays], names, read), self.values)
        if found is None:
            return
        plain = [v for v in found if isinstance(v, np.ndarray)]
        if len(plain) != len(found) or any(v.size > LARGEST for v in plain):
            return
        if any(v.dtype.kind == "i" and v.size and np.abs(v.astype("f8")).max() > 2**30 for v in plain):
            return  # ints that overflow, and floats out of their range as ints, are left open
        if op == "Loop" and not plain[1].shape[0]:  # ONNX leaves open which sizes a row of no rows has
            return
        if any(v.dtype.kind == "f" and not np.isfinite(v).all() for v in plain):
            return
        self.nodes.append(node)
        self.values.update(zip(names, plain, strict=True))
        self.made += names
        if any(k in self.rough or self.values[k].dtype == np.float16 for k in [*read, *names]):
            self.rough.update(names)

    def model(self, nodes: list[Any], inputs: list[str], outputs: list[str], read: Any = None) -> bytes:
        """A file of some nodes."""
        from onnx import helper, numpy_helper

        def info(name: str) -> Any:
            value = self.values[name]
            return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)

        arrays = [numpy_helper.from_array(self.values[k], k) for k in self.arrays if read is None or k in read]
        results = [info(k) if k in self.values else helper.make_empty_tensor_value_info(k) for k in outputs]
        graph = helper.make_graph(nodes, "g", [info(k) for k in inputs], results, arrays)
        return bytes(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", self.opset)])
                     .SerializeToString())  # fmt: skip


def _run(content: bytes, values: dict[str, Any]) -> list[Any] | None:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        return list(session.run(None, {each.name: values[each.name] for each in session.get_inputs()}))
    except Exception:  # it refuses in many ways; the node is dropped
        return None


def _fit(a: Any, b: Any) -> bool:
    try:
        np.broadcast_shapes(a, b)
    except ValueError:
        return False
    return True


def _code(dtype: Any) -> str:
    return "?" if dtype.kind == "b" else f"{dtype.kind}{dtype.itemsize}"


# ---- choices -----------------------------------------------------------------------------------

_UNARY = ("Abs", "Neg", "Exp", "Tanh", "Sigmoid", "Relu", "Softplus", "Softsign", "Erf", "Floor", "Ceil", "Sign", "Sin",
          "Cos", "Atan", "Sinh", "Asinh", "Identity", "Round", "HardSwish", "Mish", "Gelu", "Selu", "Reciprocal",
          "Sqrt", "Log", "IsNaN", "IsInf", "Acos", "Tan")  # fmt: skip
_WITH_ALPHA = ("LeakyRelu", "Elu", "Celu", "ThresholdedRelu", "HardSigmoid")
_BINARY = ("Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "PRelu", "Mod", "Sum", "Mean")
_COMPARED = ("Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual")
_REDUCTIONS = ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
               "ReduceSumSquare", "ReduceLogSumExp", "ReduceLogSum")  # fmt: skip


def unary(m: Model) -> None:
    """An operator of one operand."""
    if m.rng.random() < 0.3:
        alpha = float(m.one((0.0, 0.3, 1.5)))
        m.add(m.one(_WITH_ALPHA), [m.pick()], alpha=alpha if m.rng.random() < 0.7 else None)
    else:
        m.add(m.one(_UNARY), [m.pick("fi" if m.rng.random() < 0.4 else "f")])


def binary(m: Model) -> None:
    """An operator of two operands that are broadcast."""
    a = m.pick("fiu" if m.rng.random() < 0.5 else "f")
    op = m.one(_BINARY)
    b = m.beside(a)
    if op in ("Div", "Mod", "Pow") and m.values[b].dtype.kind in "iu":
        b = m.array(np.abs(m.draw(_code(m.values[a].dtype), m.values[b].shape)) + 1)
    fmod = int(m.values[a].dtype.kind == "f" or m.rng.random() < 0.3) if op == "Mod" else None
    m.add(op, [a, b] if op == "PRelu" or m.rng.random() < 0.5 else [b, a], fmod=fmod)


def compared(m: Model) -> None:
    """A comparison, a choice, a logical operator."""
    kind = int(m.rng.integers(4))
    if kind == 0:
        a = m.pick("b")
        m.add(m.one(("And", "Or", "Xor")), [a, m.beside(a)])
    elif kind == 1:
        m.add("Not", [m.pick("b")])
    elif kind == 2:
        a = m.pick("fi")
        m.add("Where", [m.pick("b"), a, m.beside(a)])
    else:
        a = m.pick("fiu")
        m.add(m.one(_COMPARED), [a, m.beside(a)])


def cast(m: Model) -> None:
    """A cast; floats to ints only of small numbers."""
    from onnx import helper

    to = m.one(("f4", "f8", "f2", "i4", "i8", "?", "i1", "u1"))
    m.add("Cast", [m.pick("fiub" if to[0] != "u" else "iub")], to=helper.np_dtype_to_tensor_dtype(np.dtype(to)))


def reduction(m: Model) -> None:
    """A reduction over some axes, given as the opset wants."""
    op = m.one(_REDUCTIONS)
    x = m.pick("fi" if m.rng.random() < 0.3 and op != "ReduceLogSumExp" else "f")  # of ints it is exp of ints there
    rank = m.values[x].ndim
    if op == "ReduceMean" and not m.values[x].size:  # ONNX leaves the mean of nothing open
        return
    some = m.rng.permutation(rank)[: m.rng.integers(0, rank + 1)]
    axes = [int(a) - (rank if m.rng.random() < 0.4 else 0) for a in some]
    keep = m.one((0, 1, None))
    if m.opset >= (13 if op == "ReduceSum" else 18):
        inputs = [x, m.ints(*axes)] if axes or m.rng.random() < 0.5 else [x]
        m.add(op, inputs, keepdims=keep, noop_with_empty_axes=m.one((0, 1, None)))
    else:
        m.add(op, [x], keepdims=keep, axes=axes or None)


def arg(m: Model) -> None:
    """The place of an extreme; the first of some largest; running sums."""
    x = m.pick("fi", range(1, 5))
    axis = m.axis(x)
    kind = int(m.rng.integers(4))
    if kind < 2:
        last = int(m.rng.integers(2)) if m.opset >= 12 else None
        m.add(m.one(("ArgMax", "ArgMin")), [x], axis=axis, keepdims=m.one((0, 1)), select_last_index=last)
    elif kind == 2:
        count = int(m.rng.integers(0, m.values[x].shape[axis] + 1))
        m.add("TopK", [x, m.ints(count)], 2, axis=axis, largest=m.one((0, 1)) if m.opset >= 11 else None)
    else:
        m.add("CumSum", [x, m.array(np.array(axis, m.one((np.int32, np.int64))))], exclusive=m.one((0, 1)),
              reverse=m.one((0, 1)))  # fmt: skip


def softmax(m: Model) -> None:
    """Operators along one axis."""
    x = m.pick("f", range(1, 5))
    m.add(m.one(("Softmax", "LogSoftmax", "Hardmax")), [x], axis=m.axis(x) if m.rng.random() < 0.7 else None)


def reshaped(m: Model) -> None:
    """The same elements in another shape or order."""
    x = m.pick("fiub")
    shape = m.values[x].shape
    kind = int(m.rng.integers(6))
    if kind == 0:
        perm = [int(a) for a in m.rng.permutation(len(shape))]
        m.add("Transpose", [x], perm=perm if perm and m.rng.random() < 0.8 else None)
    elif kind == 1:
        target = list(m.one((shape, shape[::-1], [-1], [*shape, 1], [1, *shape], [0, -1][: len(shape)])))
        m.add("Reshape", [x, m.ints(*target)], allowzero=m.one((0, 1, None)) if m.opset >= 14 else None)
    elif kind == 2:
        m.add("Flatten", [x], axis=int(m.rng.integers(-len(shape) if m.opset >= 11 else 0, len(shape) + 1)))
    elif kind == 3:
        ones = [i for i, size in enumerate(shape) if size == 1 and m.rng.random() < 0.7]
        if m.opset >= 13:
            m.add("Squeeze", [x, m.ints(*ones)] if ones else [x])
        else:
            m.add("Squeeze", [x], axes=ones or None)
    elif kind == 4:
        axes = [int(a) for a in m.rng.permutation(len(shape) + 2)[:2]]
        axes = axes if m.rng.random() < 0.6 or m.opset < 11 else [a - len(shape) - 2 for a in axes]
        if m.opset >= 13:
            m.add("Unsqueeze", [x, m.ints(*axes)])
        else:
            m.add("Unsqueeze", [x], axes=axes)
    else:
        m.add(m.one(("Shape", "Size", "NonZero") if shape else ("Shape", "Size")), [x])  # NonZero of a scalar: ONNX
        # says that the result has no rows, onnxruntime gives one


def joined(m: Model) -> None:
    """Join and cut."""
    x = m.pick("fiub", range(1, 5))
    axis, shape = m.axis(x), m.values[x].shape
    kind = int(m.rng.integers(3))
    if kind == 0:
        other = list(shape)
        other[axis] = m.size()
        m.add("Concat", [x, m.leaf(_code(m.values[x].dtype), other), x], axis=axis)
    elif kind == 1:
        first = int(m.rng.integers(0, shape[axis] + 1))
        parts = [first, shape[axis] - first]
        if m.opset >= 18 and m.rng.random() < 0.5:
            m.add("Split", [x], 2, axis=axis, num_outputs=2)
        elif m.opset >= 13:
            m.add("Split", [x, m.ints(*parts)], 2, axis=axis)
        else:
            m.add("Split", [x], 2, axis=axis, split=parts)
    else:
        repeats = [int(m.one((0, 1, 2))) for _ in shape]
        m.add("Tile", [x, m.ints(*repeats)])


def sliced(m: Model) -> None:
    """A slice with steps of either sign, bounds beyond the ends included."""
    x = m.pick("fiub", range(1, 5))
    rank = m.values[x].ndim
    axes = [int(a) for a in m.rng.permutation(rank)[: m.rng.integers(1, rank + 1)]]
    bounds = [[int(m.one((-100, -3, -2, -1, 0, 1, 2, 3, 100))) for _ in axes] for _ in range(2)]
    if m.opset < 10:
        m.add("Slice", [x], starts=bounds[0], ends=bounds[1], axes=axes)
        return
    steps = [int(m.one((1, 1, 2, -1, -2))) for _ in axes]
    axes = [a - rank if m.rng.random() < 0.4 else a for a in axes]
    m.add("Slice", [x, m.ints(*bounds[0]), m.ints(*bounds[1]), m.ints(*axes), m.ints(*steps)])


def indexed(m: Model) -> None:
    """Gather, scatter and their kin, with places counted from either end."""
    x = m.pick("fi", range(1, 5))
    axis, shape = m.axis(x), m.values[x].shape
    size = shape[axis]
    if not size:
        return
    kind = int(m.rng.integers(5))

    def places(shape: Any) -> Any:
        return m.array(m.rng.integers(-size if m.opset >= 11 else 0, size, shape).astype(m.one((np.int32, np.int64))))

    if kind == 0:
        m.add("Gather", [x, places([m.size() for _ in range(m.rng.integers(3))])], axis=axis)
    elif kind == 1:
        own = list(shape)
        own[axis] = m.size()
        m.add("GatherElements", [x, places(own)], axis=axis)
    elif kind == 2:
        if 0 in shape:
            return
        own = [min(size, 2) for size in shape]
        order = np.stack([m.rng.permutation(size)[: own[axis]] for _ in range(int(np.prod(own) // max(own[axis], 1)))])
        rows = [own[i] for i in range(len(own)) if i != axis % len(own)]
        index = np.moveaxis(order.reshape([*rows, own[axis]]), -1, axis)
        reduction = m.one((None, "add", "mul")) if m.opset >= 16 else None
        m.add("ScatterElements", [x, m.array(index.astype(np.int64)), m.leaf(_code(m.values[x].dtype), own)], axis=axis,
              reduction=reduction)  # fmt: skip
    elif kind == 3:
        count = m.size()
        index = np.stack([m.rng.integers(0, shape[0] or 1, count)], -1).astype(np.int64)
        m.add("GatherND", [x, m.array(index)])
    else:
        depth = int(m.rng.integers(1, 5))
        m.add("OneHot", [places([m.size()]), m.ints(depth), m.array(np.array([0, 2], m.one((np.float32, np.int64))))],
              axis=int(m.rng.integers(-2, 2)))  # fmt: skip


def padded(m: Model) -> None:
    """Padding, also of less than nothing; a shape that is wider; triangles; limits."""
    x = m.pick("f", range(1, 5))
    shape = m.values[x].shape
    kind = int(m.rng.integers(5))
    if kind == 0 and 0 not in shape:  # onnxruntime pads no axis without elements
        mode = m.one(("constant", "constant", "edge", "reflect"))
        pads = [int(m.one((0, 0, 1, 2, -1) if mode == "constant" else (0, 1))) for _ in range(2 * len(shape))]
        value = [m.array(np.array(0.5, m.values[x].dtype))] if mode == "constant" and m.rng.random() < 0.5 else []
        if m.opset >= 11:
            m.add("Pad", [x, m.ints(*pads), *value], mode=mode)
        else:
            m.add("Pad", [x], pads=pads, mode=mode)
    elif kind == 1:
        m.add("Expand", [x, m.ints(*[m.one((size, 3)) if size == 1 else m.one((1, size)) for size in shape])])
    elif kind == 2:
        m.add("Trilu", [x, m.array(np.array(int(m.rng.integers(-2, 3)), np.int64))], upper=m.one((0, 1)))
    elif kind == 3 and m.opset >= 11:
        limit = m.array(np.array(0.4, m.values[x].dtype))
        m.add("Clip", m.one(([x, "", limit], [x, limit], [x, m.array(np.array(-0.3, m.values[x].dtype)), limit])))
    else:
        m.add("Clip", [x], min=-0.5, max=0.7)


def product(m: Model) -> None:
    """Products of matrices and stacks of such."""
    a = m.pick("f", range(1, 5))
    shape, code = m.values[a].shape, _code(m.values[a].dtype)
    n = m.size()
    kind = int(m.rng.integers(3))
    if kind == 0:
        stack = [m.one((size, 1)) for size in shape[:-2]] if m.rng.random() < 0.6 else []
        m.add("MatMul", [a, m.leaf(code, m.one(([*stack, shape[-1], n], [shape[-1]])))])
    elif kind == 1 and len(shape) == 2:
        ta, tb = int(m.rng.integers(2)), int(m.rng.integers(2))
        rows, inner = shape[::-1] if ta else shape
        c = [m.leaf(code, m.one(([rows, n], [n], [1], [rows, 1], [])))] if m.opset < 11 or m.rng.random() < 0.7 else []
        m.add("Gemm", [a, m.leaf(code, [n, inner] if tb else [inner, n]), *c], transA=ta, transB=tb,
              alpha=m.one((None, 0.5)), beta=m.one((None, 2.0)))  # fmt: skip
    elif len(shape) == 2:
        equation = m.one(("ij,jk->ik", "ij,jk", "ij,jk->k"))
        m.add("Einsum", [a, m.leaf(code, [shape[1], n])], equation=equation)


def network(m: Model) -> None:
    """Convolutions, pools and normalisations."""
    x = m.pick("f", (3, 4))
    shape, code = m.values[x].shape, _code(m.values[x].dtype)
    if 0 in shape:
        return
    spatial = len(shape) - 2
    kernel = [min(int(m.rng.integers(1, 3)), size) for size in shape[2:]]  # a larger one gives sizes of its own there
    strides = [int(m.rng.integers(1, 3)) for _ in range(spatial)] if m.rng.random() < 0.6 else None
    pads = [int(m.rng.integers(0, 2)) for _ in range(2 * spatial)] if m.rng.random() < 0.5 else None
    auto = m.one(("SAME_UPPER", "SAME_LOWER", "VALID")) if pads is None and m.rng.random() < 0.5 else None
    kind = int(m.rng.integers(7))
    if kind == 0:
        group = m.one((1, shape[1]))
        w = m.leaf(code, [group * int(m.rng.integers(1, 3)), shape[1] // group, *kernel])
        bias = [m.leaf(code, [m.values[w].shape[0]])] if m.rng.random() < 0.5 else []
        m.add("Conv", [x, w, *bias], group=group, strides=strides, pads=pads, auto_pad=auto)
    elif kind == 1:
        ceil = int(m.rng.integers(2)) if m.opset >= 10 and auto is None else None
        m.add("MaxPool", [x], kernel_shape=kernel, strides=strides, pads=pads, auto_pad=auto, ceil_mode=ceil)
    elif kind == 2:
        m.add("AveragePool", [x], kernel_shape=kernel, strides=strides, pads=pads, auto_pad=auto,
              count_include_pad=m.one((0, 1)))  # fmt: skip
    elif kind == 3:
        m.add(m.one(("GlobalAveragePool", "GlobalMaxPool")), [x])
    elif kind == 4:
        scale = [m.leaf(code, [shape[1]]) for _ in range(3)]
        variance = m.array(np.abs(m.draw(code, [shape[1]])) + np.asarray(0.5, code))
        m.add("BatchNormalization", [x, *scale, variance], epsilon=m.one((None, 1e-3)))
    elif kind == 5:
        m.add("InstanceNormalization", [x, m.leaf(code, [shape[1]]), m.leaf(code, [shape[1]])])
    else:
        axis = m.axis(x)
        own = list(shape[axis % len(shape) :])
        m.add("LayerNormalization", [x, m.leaf(code, own), m.leaf(code, own)], axis=axis)


# ---- bodies ------------------------------------------------------------------------------------


def _info(name: str, value: Any, ranked: bool = True) -> Any:
    from onnx import helper

    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype),
                                         [None] * value.ndim if ranked else None)  # fmt: skip


def _steps(m: Model, tag: str, x: str, outside: list[str]) -> tuple[list[Any], str]:
    """Some elementwise nodes on a value of a body and values from outside, and the name of the last value."""
    from onnx import helper

    nodes = []
    for i in range(int(m.rng.integers(1, 4))):
        made = f"{tag}_{i}"
        if m.rng.random() < 0.5:
            nodes.append(helper.make_node(m.one(("Tanh", "Sigmoid", "Neg", "Relu")), [x], [made]))
        else:
            nodes.append(helper.make_node(m.one(("Add", "Mul", "Sub")), [x, m.one(outside)], [made]))
        x = made
    return nodes, x


def branch(m: Model) -> None:
    """If, whose branches read values from outside."""
    from onnx import helper

    x = m.pick("f")
    other = m.leaf(_code(m.values[x].dtype), m.values[x].shape)
    graphs = []
    for tag in ("then", "else"):
        nodes, last = _steps(m, f"{tag}{len(m.nodes)}", x, [x, other])
        graphs.append(helper.make_graph(nodes, tag, [], [_info(last, m.values[x])]))
    pred = m.leaf("?", m.one(([], [1])))
    m.add("If", [pred], captured=[x, other], then_branch=graphs[0], else_branch=graphs[1])


def loop(m: Model) -> None:
    """Loop with a limit, a condition or both, a value that it carries, and a stack."""
    from onnx import TensorProto, helper

    x = m.pick("f")
    other = m.leaf(_code(m.values[x].dtype), m.values[x].shape)
    tag = f"loop{len(m.nodes)}"
    nodes, last = _steps(m, tag, f"{tag}_in", [other, f"{tag}_in"])
    stop = m.array(np.array(int(m.rng.integers(0, 4)), np.int64))
    nodes.append(helper.make_node("Less", [f"{tag}_i", stop], [f"{tag}_goes"]))
    nodes.append(helper.make_node("Identity", [last], [f"{tag}_row"]))
    body = helper.make_graph(
        nodes, tag,
        [helper.make_tensor_value_info(f"{tag}_i", TensorProto.INT64, []),
         helper.make_tensor_value_info(f"{tag}_before", TensorProto.BOOL, []), _info(f"{tag}_in", m.values[x])],
        [helper.make_tensor_value_info(f"{tag}_goes", TensorProto.BOOL, []), _info(last, m.values[x]),
         _info(f"{tag}_row", m.values[x])],
    )  # fmt: skip
    limit = m.leaf("i8", []) if m.rng.random() < 0.3 else m.array(np.array(int(m.rng.integers(0, 4)), np.int64))
    goes = m.leaf("?", []) if m.rng.random() < 0.4 else ""
    m.add("Loop", [limit, goes, x], 2, captured=[other, stop], body=body)


def scan(m: Model) -> None:
    """Scan of rows along an axis, in either direction, with a state and a value from outside."""
    from onnx import helper

    x = m.pick("f", range(1, 5))
    axis = m.axis(x) % m.values[x].ndim
    shape, code = m.values[x].shape, _code(m.values[x].dtype)
    if 0 in shape:  # onnxruntime 1.32 divides by the size and ends the process
        return
    row = [size for i, size in enumerate(shape) if i != axis]
    state, other = m.leaf(code, row), m.leaf(code, row)
    tag = f"scan{len(m.nodes)}"
    first = helper.make_node("Add", [f"{tag}_state", f"{tag}_row"], [f"{tag}_sum"])
    nodes, last = _steps(m, tag, f"{tag}_sum", [other, f"{tag}_row"])
    nodes = [first, *nodes, helper.make_node("Identity", [last], [f"{tag}_out"])]
    value = m.values[state]
    body = helper.make_graph(nodes, tag, [_info(f"{tag}_state", value), _info(f"{tag}_row", value)],
                             [_info(last, value), _info(f"{tag}_out", value)])  # fmt: skip
    m.add("Scan", [state, x], 2, captured=[other], body=body, num_scan_inputs=1, scan_input_axes=[axis],
          scan_input_directions=[m.one((0, 1))], scan_output_directions=[m.one((0, 1))])  # fmt: skip


CHOICES: tuple[Choice, ...] = (unary, unary, binary, binary, compared, cast, reduction, arg, softmax, reshaped,
                               reshaped, joined, sliced, indexed, padded, product, network, branch, loop,
                               scan)  # fmt: skip


# ---- the fuzz ----------------------------------------------------------------------------------


def complaint(seed: int, ran: Counter[str]) -> str:
    """What is wrong with the model of a seed; "" if nothing is."""
    m = Model(seed)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        while len(m.nodes) < NODES and len(m.values) < 12 * NODES:
            m.one(CHOICES)(m)
            ran["nodes tried"] += 1
        ran["nodes"] += len(m.nodes)
        content = m.model(m.nodes, m.inputs, m.made)
        for node in m.nodes:
            ran[f"op {node.op_type}"] += 1
        try:
            got = list(backend.prepare(content).run({k: m.values[k] for k in m.inputs}))
        except GraphFormatError as error:
            told = next((words for words in TOLD if words in str(error)), "")
            if not told:
                raise
            ran[f"told: {told}"] += 1
            return ""
    ran["models"] += 1
    for name, value in zip(m.made, got, strict=True):
        if not _near(np.asarray(value), m.values[name], name in m.rough):
            node = next(each for each in m.nodes if name in each.output)
            operands = [f"{_code(m.values[k].dtype)}{list(m.values[k].shape)}" for k in node.input if k in m.values]
            given = ", ".join(f"{a.name}" for a in node.attribute)
            return (f"opset {m.opset}: {node.op_type}({', '.join(operands)}; {given}) -> {name}: here {value!r}, "
                    f"onnxruntime {m.values[name]!r}")  # fmt: skip
    return ""


def _near(got: Any, want: Any, is_rough: bool) -> bool:
    if got.shape != want.shape or got.dtype != want.dtype:
        return False
    if want.dtype.kind != "f":
        return is_rough or bool((got == want).all())
    close = 2e-2 if is_rough else {2: 2e-2, 4: 2e-4, 8: 1e-5}[want.dtype.itemsize]
    scale = close * max(1.0, float(np.abs(want.astype("f8")).max(initial=0)))
    return bool(np.allclose(got.astype("f8"), want.astype("f8"), close, scale))


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 1 if something failed."""
    failures, tried, ran = 0, 0, Counter[str]()
    for seed in seeds_of("tests.fuzz.of_onnx_nodes", __doc__, arguments):
        tried += 1
        try:
            found = complaint(seed, ran)
        except Exception as error:
            found = f"{type(error).__name__}: {str(error)[:1000]}"
        if found:
            failures += 1
            print(f"seed {seed}: {found}\n", flush=True)
    print("\n".join(f"{count:6} {name}" for name, count in sorted(ran.items())))
    print(f"{tried} models, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
