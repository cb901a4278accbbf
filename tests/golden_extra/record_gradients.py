"""Records `gradients.json`: what TensorFlow's own `tf.gradients` gives for each op, at kinks and ties too.

    python -m tests.golden_extra.record_gradients

Run by an interpreter that has TensorFlow 2.21. A call that TensorFlow refuses is left out
and printed.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from .gradient_calls import Node, Place, calls, masked

tf: Any = None
raw: Any = None
"""TensorFlow's modules, which `main` imports: a collector of tests reads this file where there is none."""

Json = dict[str, Any]

FUNCTIONS: dict[str, Any] = {
    "concat": lambda concat_dim, values: tf.concat(values, concat_dim),
    "split": lambda split_dim, num_split, value: tf.split(value, num_split, split_dim),
    "pack": lambda values: tf.stack(values),
    "stack": lambda x, axis: tf.stack(x, axis),
    "unpack": lambda value, num: tf.unstack(value, num),
    "reverse": lambda tensor, dims: raw.Reverse(tensor=tensor, dims=dims),
    "reverse_sequence": lambda input, seq_lengths, seq_dim: tf.reverse_sequence(input, seq_lengths, seq_dim, 0),
    "parallel_dynamic_stitch": lambda indices, data: raw.ParallelDynamicStitch(indices=indices, data=data),
    "pad": lambda input, paddings: tf.pad(input, paddings),
    "select": lambda condition, t, e: raw.Select(condition=condition, x=t, y=e),
    "complex": lambda x, y: tf.complex(x, y),
    "einsum": lambda equation, inputs: tf.einsum(equation, *inputs),
    "getitem": lambda tensor, index: tensor[index],
    "reduce_std": lambda input_tensor, axis: tf.math.reduce_std(input_tensor, axis),
    "reduce_variance": lambda input_tensor, axis: tf.math.reduce_variance(input_tensor, axis),
    "tensor_scatter_nd_update": lambda **given: tf.tensor_scatter_nd_update(**given),
    "cast": lambda x, dtype: tf.cast(x, dtype),
}  # fmt: skip
NN = ("relu", "relu6", "softplus", "softmax", "log_softmax", "top_k", "moments")


def function_of(op: str) -> Any:
    """The function of TensorFlow that an op name of the tests means."""
    if op in FUNCTIONS:
        return FUNCTIONS[op]
    if op in NN:
        return getattr(tf.nn, op)
    return getattr(tf, op, None) or getattr(tf.math, op)


def encode(array: Any) -> Json:
    """An array as in `golden/README.md`."""
    array = np.asarray(array)
    flat = array.reshape(-1)
    if array.dtype.kind == "c":
        values: list[Any] = [[number(z.real), number(z.imag)] for z in flat]
    else:
        values = [number(v) if array.dtype.kind == "f" else v.item() for v in flat]
    return {"dtype": array.dtype.name, "shape": list(array.shape), "values": values}


def number(value: Any) -> Any:
    """A float: its shortest digits, or a word for what JSON cannot say."""
    if np.isnan(value):
        return "nan"
    if np.isinf(value):
        return "inf" if value > 0 else "-inf"
    short = float(str(value)) if value.dtype != np.float16 else float(value)
    return int(short) if abs(short) < 1e15 and short == int(short) and (short or not np.signbit(short)) else short


class Recording:
    """One call: its placeholders and nodes, as JSON and in TensorFlow."""

    def __init__(self) -> None:
        self.placeholders: list[Json] = []
        self.pre: list[Json] = []
        self.feeds: dict[Any, Any] = {}
        self.wrt: list[str] = []
        self.tensors: list[Any] = []

    def spec(self, value: Any) -> tuple[Json, Any]:
        """An argument as JSON and as TensorFlow's object."""
        match value:
            case Place():
                name = f"p{len(self.placeholders)}"
                array = value.array
                tensor = tf.placeholder(array.dtype, array.shape, name)
                self.feeds[tensor] = array
                self.placeholders.append({"name": name, "dtype": array.dtype.name, "shape": list(array.shape),
                                          "feed": encode(array)})  # fmt: skip
                if array.dtype.kind in "fc":
                    self.wrt.append(name)
                    self.tensors.append(tensor)
                return {"ref": name}, tensor
            case Node():
                specs, values = self.arguments(value.kwargs)
                name = f"n{len(self.pre)}"
                self.pre.append({"name": name, "op": value.op, "kwargs": specs})
                made = function_of(value.op)(**values)
                if value.index is None:
                    return {"ref": name}, made
                return {"ref": name, "index": value.index}, made[value.index]
            case np.ndarray():
                return {"const": encode(value)}, tf.constant(value)
            case list() if any(isinstance(item, (Place, Node, np.ndarray)) for item in value):
                both = [self.spec(item) for item in value]
                return {"list": [s for s, _ in both]}, [v for _, v in both]
            case tuple():
                both = [self.spec(item) for item in value]
                return {"tuple": [s for s, _ in both]}, tuple(v for _, v in both)
            case slice():
                bounds = [value.start, value.stop, value.step]
                return {"slice": bounds}, value
            case _ if value is Ellipsis:
                return {"ellipsis": True}, value
        return {"py": value}, value

    def arguments(self, kwargs: dict[str, Any]) -> tuple[Json, dict[str, Any]]:
        """Keyword arguments, both ways."""
        both = {name: self.spec(value) for name, value in kwargs.items()}
        for name, (_, value) in both.items():
            if name == "index" and value is None:
                both[name] = ({"newaxis": True}, None)
        return {n: s for n, (s, _) in both.items()}, {n: v for n, (_, v) in both.items()}


def record(op: str, kwargs: dict[str, Any], order: int, rng: np.random.Generator, scale: float = 1.0) -> Json:
    """One case; `id` is missing."""
    with tf.Graph().as_default():
        recording = Recording()
        specs, values = recording.arguments(kwargs)
        result = function_of(op)(**values)
        outputs = list(result) if isinstance(result, (list, tuple)) else [result]
        config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        with tf.Session(config=config) as session:
            found = session.run(outputs, recording.feeds)
            weights: list[Any] = []
            ys: list[Any] = []
            for output, value in zip(outputs, found, strict=True):
                if np.asarray(value).dtype.kind not in "fc":
                    weights.append(None)
                    continue
                weight = np.asarray(rng.integers(-8, 9, np.shape(value)) / 4 * scale)
                if output.dtype.is_complex:
                    weight = weight + 1j * rng.integers(-8, 9, np.shape(value)) / 4
                weights.append(np.asarray(weight, output.dtype.as_numpy_dtype))
                ys.append((output, tf.constant(weights[-1])))
            grads = tf.gradients([y for y, _ in ys], recording.tensors, [w for _, w in ys])
            if order == 2:
                firsts = [tf.convert_to_tensor(g) for g in grads if g is not None]
                grads = tf.gradients(firsts, recording.tensors, [tf.ones_like(g) for g in firsts])
            slices = [isinstance(g, tf.IndexedSlices) for g in grads]
            numbers = session.run([tf.convert_to_tensor(g) for g in grads if g is not None], recording.feeds)
    waiting = iter(numbers)
    case: Json = {"op": op, "placeholders": recording.placeholders, "pre": recording.pre, "kwargs": specs,
                  "wrt": recording.wrt, "grad_ys": [None if w is None else encode(w) for w in weights],
                  "expect": {"grads": [None if g is None else encode(next(waiting)) for g in grads]}}  # fmt: skip
    if order == 2:
        case["order"] = 2
    else:
        case["expect"]["slices"] = slices
    return case


def main() -> None:
    """Record every call."""
    global tf, raw
    module = importlib.import_module("tensorflow")
    tf, raw = module.compat.v1, module.raw_ops
    rng = np.random.default_rng(20261122)
    lines, refused = list[str](), 0
    counts: dict[str, int] = {}
    everything = [(*each, order, 1.0) for each in calls() for order in (1, 2)]
    for op, kwargs, order, scale in [*everything, *((*each, 1, 0.0) for each in masked())]:
        try:
            case = record(op, kwargs, order, rng, scale)
        except Exception as error:
            refused += 1
            print(f"{op} order {order}: {type(error).__name__}: {str(error).splitlines()[0][:150]}")
            continue
        if order == 2 and all(g is None for g in case["expect"]["grads"]):
            continue
        number = counts[op] = counts.get(op, -1) + 1
        lines.append(json.dumps({"id": f"{op}-grad-x{number:03}", **case}))
    head = json.dumps({"format": 1, "kind": "gradients", "system": f"tensorflow {tf.version.VERSION}"})
    text = head[:-1] + ', "cases": [\n' + ",\n".join(lines) + "\n]}\n"
    (Path(__file__).parent / "gradients.json").write_text(text)
    print(len(lines), "cases,", refused, "refused")


if __name__ == "__main__":
    main()
