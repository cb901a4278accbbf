"""Calls of float functions: which derivatives they have, and what these are where the result is fed.

Each is text that runs with TensorFlow 1 and with `penstock.compat.v1`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

INPUTS: dict[str, Any] = {
    "x": np.array([[-1.5, 0.25, 6.5], [0.75, 2.0, -0.5]]),
    "y": np.array([[0.5, -2.0, 1.5], [3.0, 0.25, 0.75]]),
    "p": np.array([[0.5, 0.125, 0.75], [0.25, 0.625, 0.875]]),
    "m": np.array([[2.0, 0.5], [-1.0, 1.5]]),
}
"""The placeholders: any numbers, others, numbers between 0 and 1, a square."""

ONE = ("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "erf", "exp", "expm1", "floor",
       "identity", "log", "log1p", "log_sigmoid", "negative", "nn.crelu", "nn.elu", "nn.l2_loss", "nn.leaky_relu",
       "nn.log_softmax", "nn.relu", "nn.relu6", "nn.selu", "nn.softmax", "nn.softplus", "nn.softsign", "ones_like",
       "reciprocal", "reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_sum", "rint",
       "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "square", "stop_gradient", "tan", "tanh",
       "zeros_like", "diag_part", "transpose", "diag")  # fmt: skip
TWO = ("add", "atan2", "divide", "div_no_nan", "floordiv", "floormod", "losses.absolute_difference",
       "losses.hinge_loss", "losses.huber_loss", "losses.log_loss", "losses.mean_pairwise_squared_error",
       "losses.mean_squared_error", "losses.sigmoid_cross_entropy", "losses.softmax_cross_entropy", "maximum",
       "minimum", "multiply", "pow", "squared_difference", "subtract", "truediv")  # fmt: skip
OTHERS: dict[str, str] = {
    "global_norm": "tf.global_norm([x])",
    "losses.cosine_distance": "tf.losses.cosine_distance(x, y, axis=1)",
    "sigmoid cross entropy": "tf.nn.sigmoid_cross_entropy_with_logits(labels=p, logits=x)",
    "matmul": "tf.matmul(x, y, transpose_b=True)",
    "leaky_relu 0": "tf.nn.leaky_relu(x, 0.0)",
    "leaky_relu -1": "tf.nn.leaky_relu(x, -1.0)",
    "weighted cross entropy": "tf.nn.weighted_cross_entropy_with_logits(y, x, 2.0)",
    "softmax cross entropy": "tf.nn.softmax_cross_entropy_with_logits_v2(labels=p, logits=x)",
    "sparse cross entropy": "tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[2, 0], logits=x)",
    "clip_by_value": "tf.clip_by_value(x, -1.0, 1.0)",
    "clip between tensors": "tf.clip_by_value(x, -p, p)",
    "clip_by_norm": "tf.clip_by_norm(x, 1.0)",
    "clip_by_norm of a large norm": "tf.clip_by_norm(x, 100.0)",
    "clip_by_average_norm": "tf.clip_by_average_norm(x, 0.5)",
    "clip_by_global_norm": "tf.clip_by_global_norm([x, y], 1.0)[0][0]",
    "l2_normalize": "tf.nn.l2_normalize(x, 1)",
    "moments": "tf.nn.moments(x, [0])[1]",
    "bias_add": "tf.nn.bias_add(x, y[0])",
    "xw_plus_b": "tf.nn.xw_plus_b(m, x, y[0])",
    "batch normalization": "tf.nn.batch_normalization(x, y, p, p, y, 0.001)",
    "where": "tf.where(x > y, x, y)",
    "where of products": "tf.where(x > 0.0, x * y, y)",
    "where behind a comparison": "tf.where(x > 0.0, y, -y)",
    "cast of a comparison": "y * tf.cast(x > 0.0, tf.float64)",
    "cast to float32": "tf.cast(x, tf.float32)",
    "cast to int32": "tf.cast(tf.cast(x, tf.int32), tf.float64)",
    "complex": "tf.real(tf.complex(x, y) * tf.complex(y, x))",
    "abs of complex": "tf.abs(tf.complex(x, y))",
    "gather": "tf.gather(x, [1, 0, 1])",
    "gather along": "tf.gather(x, [2, 0], axis=1)",
    "gather_nd": "tf.gather_nd(x, [[1, 2], [0, 0]])",
    "boolean_mask": "tf.boolean_mask(x, [True, False])",
    "getitem": "x[:, 1:]",
    "slice": "tf.slice(x, [0, 1], [2, 2])",
    "concat": "tf.concat([x, y], 1)",
    "stack": "tf.stack([x, y], 1)",
    "unstack": "tf.unstack(x)[1]",
    "split": "tf.split(x, 3, 1)[1]",
    "split by sizes": "tf.split(x, [1, 2], 1)[1]",
    "tile": "tf.tile(x, [2, 1])",
    "pad": "tf.pad(x, [[1, 0], [0, 1]])",
    "reverse": "tf.reverse(x, [1])",
    "roll": "tf.roll(x, 1, 1)",
    "reshape": "tf.reshape(x, [-1])",
    "squeeze": "tf.squeeze(tf.expand_dims(x, 1))",
    "broadcast_to": "tf.broadcast_to(x, [2, 2, 3])",
    "fill": "tf.fill([2], m[0, 0])",
    "cumsum": "tf.cumsum(x, 1)",
    "cumprod": "tf.cumprod(x, 1)",
    "top_k": "tf.nn.top_k(x, 2)[0]",
    "sort": "tf.sort(x, 1)",
    "reduce_max along": "tf.reduce_max(x, 1)",
    "reduce_min along": "tf.reduce_min(x, 0)",
    "reduce_prod along": "tf.reduce_prod(x, 1)",
    "reduce_logsumexp along": "tf.reduce_logsumexp(x, 1)",
    "segment_sum": "tf.segment_sum(x, [0, 1])",
    "segment_mean": "tf.segment_mean(x, [0, 0])",
    "segment_max": "tf.segment_max(x, [0, 0])",
    "segment_min": "tf.segment_min(x, [0, 0])",
    "unsorted_segment_max": "tf.unsorted_segment_max(x, [1, 0], 2)",
    "unsorted_segment_prod": "tf.unsorted_segment_prod(x, [1, 1], 2)",
    "dynamic_partition": "tf.dynamic_partition(x, [1, 0], 2)[0]",
    "dynamic_stitch": "tf.dynamic_stitch([[0, 2], [1, 3]], [x, y])",
    "scatter_nd": "tf.scatter_nd([[1], [3]], x, [4, 3])",
    "tensor_scatter_update": "tf.tensor_scatter_nd_update(x, [[1]], y[:1])",
    "einsum": "tf.einsum('ij,kj->ik', x, y)",
    "cross": "tf.cross(x, y)",
    "add_n": "tf.add_n([x, y, x])",
    "linspace": "tf.linspace(m[0, 0], m[1, 1], 3)",
    "check_numerics": "tf.check_numerics(x, 'bad')",
    "placeholder_with_default": "tf.placeholder_with_default(x, [2, 3])",
    "print": "tf.Print(x, [], 'x')",
    "map_fn": "tf.map_fn(lambda r: tf.nn.relu(r) * 2.0, x)",
    "cond": "tf.cond(x[0, 0] > 0.0, lambda: x, lambda: tf.nn.relu(x))",
    "relu of relu6": "tf.nn.relu(tf.nn.relu6(x) - y)",
    "maximum of minimum": "tf.maximum(tf.minimum(x, y), p)",
    "relu times y": "tf.nn.relu(x) * y",
    "abs of a difference": "tf.abs(x - y)",
    "extremes": "tf.reduce_max(x, 1) - tf.reduce_min(y, 1)",
}  # fmt: skip


def expressions() -> dict[str, str]:
    """Each call by its name."""
    found = {name: f"tf.{name}(x)" if not name.startswith("ac") and name not in ("asin", "atanh") else f"tf.{name}(p)"
             for name in ONE}  # fmt: skip
    found |= {"acosh": "tf.acosh(p + 1.0)", "log": "tf.log(p)", "sqrt": "tf.sqrt(p)", "rsqrt": "tf.rsqrt(p)",
              "log1p": "tf.log1p(p)", "diag_part": "tf.diag_part(m)",
              "diag": "tf.diag(m)"}  # fmt: skip
    found |= {name: f"tf.{name}(x, y)" for name in TWO}
    found |= {"pow": "tf.pow(p, y)", "losses.log_loss": "tf.losses.log_loss(p, p * 0.5)",
              "losses.softmax_cross_entropy": "tf.losses.softmax_cross_entropy(p, x)"}  # fmt: skip
    return found | OTHERS


def kind_of(gradient: Any) -> str:
    """What there is of a gradient: "none", "zeros", "values"."""
    if gradient is None:
        return "none"
    return "values" if np.any(np.nan_to_num(np.asarray(gradient), nan=1.0)) else "zeros"


def other_values(result: Any) -> Any:
    """What is fed in the place of a result."""
    result = np.asarray(result)
    return (result * 0.5 + 0.375).astype(result.dtype)


def observed(tf: Any, text: str) -> dict[str, Any]:
    """Of the inputs that a call reads: which derivatives there are up to the third, and the first of a fed result."""
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = {name: tf.placeholder(tf.float64, array.shape, name) for name, array in INPUTS.items()}
        feeds = {inputs[name]: array for name, array in INPUTS.items()}
        result = eval(text, {"tf": tf, "np": np, **inputs})
        found: dict[str, Any] = {"orders": {}, "fed": {}}
        value = session.run(result, feeds)
        for name, x in inputs.items():
            first = tf.gradients(result, x)[0]
            if first is None:
                found["orders"][name] = ["none"]
                continue
            kinds = []
            gradient = first
            for order in range(3):
                kinds.append(kind_of(None if gradient is None else session.run(tf.convert_to_tensor(gradient), feeds)))
                if gradient is None or order == 2:
                    break
                # Weighted, because the sum of a row of a softmax has the derivative 0.
                weighted = tf.convert_to_tensor(gradient) * INPUTS["y" if name != "m" else "m"] if x.shape == (
                    gradient.shape) else gradient  # fmt: skip
                try:
                    gradient = tf.gradients(weighted, x)[0]
                except (LookupError, TypeError):  # TensorFlow has none of some
                    kinds.append("refused")
                    break
            found["orders"][name] = kinds
            fed = session.run(tf.convert_to_tensor(first), {**feeds, result: other_values(value)})
            found["fed"][name] = np.asarray(fed).tolist()
        return found
