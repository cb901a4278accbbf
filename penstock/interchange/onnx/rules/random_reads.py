"""Random numbers: of the same distributions as ONNX's, never the same numbers."""

from __future__ import annotations

from typing import Any

from ....derivatives import rule_namespace as ops
from ....graph.model.nodes import Tensor
from ....graph.shapes.dtypes import float32, int32
from ....ops.random.multinomial import multinomial
from ....ops.random.random_api import random_normal, random_uniform
from ..onnx_node import OnnxNode
from ..wire.onnx_types import dtype_of
from .onnx_row import OnnxOp
from .values import as_dtype


def _seed(n: OnnxNode) -> int | None:
    found = n.float("seed", None)
    return None if found is None else int(found)


def _shape_and_dtype(n: OnnxNode, like: bool) -> tuple[Any, Any]:
    if not like:
        return n.ints("shape"), dtype_of(n.int("dtype", 1))
    x = n.tensor(0)
    return ops.shape(x), dtype_of(n.int("dtype")) if "dtype" in n.attributes else x.dtype


def _drawn(draw: Any, low: str, high: str, like: bool) -> Any:
    """Of a distribution with two parameters, of which the usual numbers are 0 and 1."""

    def read(n: OnnxNode) -> Tensor:
        shape, dtype = _shape_and_dtype(n, like)
        made = draw(shape, n.float(low, 0.0), n.float(high, 1.0), float32, seed=_seed(n))
        return as_dtype(made, dtype)

    return read


def _bernoulli(n: OnnxNode) -> Tensor:
    x = n.tensor(0)
    dtype = dtype_of(n.int("dtype")) if "dtype" in n.attributes else x.dtype
    return ops.cast(random_uniform(ops.shape(x), seed=_seed(n)) < as_dtype(x, float32), dtype)


def _multinomial(n: OnnxNode) -> Tensor:
    """ONNX's input is unnormalised log probabilities, as ours."""
    x = n.tensor(0)
    made = multinomial(as_dtype(x, float32), n.int("sample_size", 1), seed=_seed(n))
    return as_dtype(made, dtype_of(n.int("dtype", 6)) if "dtype" in n.attributes else int32)


_OTHER = "other numbers of the same distribution"

RANDOM = (
    OnnxOp("Bernoulli", _bernoulli, 15, differs=_OTHER),
    OnnxOp("Multinomial", _multinomial, 7, differs=_OTHER),
    OnnxOp("RandomNormal", _drawn(random_normal, "mean", "scale", like=False), differs=_OTHER),
    OnnxOp("RandomNormalLike", _drawn(random_normal, "mean", "scale", like=True), differs=_OTHER),
    OnnxOp("RandomUniform", _drawn(random_uniform, "low", "high", like=False), differs=_OTHER),
    OnnxOp("RandomUniformLike", _drawn(random_uniform, "low", "high", like=True), differs=_OTHER),
)

