"""Attention, rotary embedding, linear attention, and convolutions that carry a state."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....derivatives import rule_namespace as ops
from ....graph.model.nodes import Tensor
from ....graph.shapes.dtypes import bool_, float32, int64
from ..onnx_errors import UnsupportedOnnx, known_size
from ..onnx_node import OnnxNode
from ..wire.onnx_types import dtype_of
from .convolution_reads import ReadWindow, channels_first, convolved
from .flow_reads import looped
from .onnx_row import OnnxOp
from .values import Size, as_dtype, constant, one_axis_indices, rank_of, reshaped, scalar, sizes, take, vector, where

_LOW = -np.inf


def _heads(x: Tensor, count: int) -> Tensor:
    """(batch, length, heads * size) as (batch, heads, length, size)."""
    batch, length, width = sizes(x)
    width = known_size(width, "the width of its queries is")
    return ops.transpose(reshaped(x, [batch, length, count, width // count]), [0, 2, 1, 3])


def _repeated(x: Tensor, times: int) -> Tensor:
    """Each head `times` times, one after the other."""
    if times == 1:
        return x
    heads = known_size(sizes(x)[1], "the number of its heads is")
    return take(x, constant(np.repeat(np.arange(heads), times)), 1)


def _allowed_after(offset: Tensor | int, queries: Size, keys: Size, per_batch: bool) -> Tensor:
    """How far each query is behind each key: (queries, keys), or (batch, 1, queries, keys)."""
    i = one_axis_indices(queries, 2, 0)
    j = one_axis_indices(keys, 2, 1)
    if per_batch:
        assert isinstance(offset, Tensor)
        return i + ops.reshape(offset, [-1, 1, 1, 1]) - j
    return i + (constant(offset) if isinstance(offset, int) else offset) - j


def _attention(n: OnnxNode) -> list[Tensor | None]:
    q, k, v = n.tensor(0), n.tensor(1), n.tensor(2)
    flat = rank_of(q) == 3
    if flat:
        q_heads, kv_heads = n.int("q_num_heads"), n.int("kv_num_heads")
        q, k, v = _heads(q, q_heads), _heads(k, kv_heads), _heads(v, kv_heads)
    past: Size = 0
    if n.has(4):
        past = sizes(n.tensor(4))[2]
        k, v = ops.concat(2, [n.tensor(4), k]), ops.concat(2, [n.tensor(5), v])
    present = [k, v]
    dtype = q.dtype
    scores, v = _scores(n, q, k, v)
    cap = n.float("softcap", 0.0)
    mode = n.int("qk_matmul_output_mode", 0)
    shown: Tensor = scores
    if cap > 0:
        scores = scalar(scores, cap) * ops.tanh(scores / scalar(scores, cap))
    if mode == 1 or (cap > 0 and mode == 0):
        shown = scores
    bias = _bias(n, q, k, past)
    if bias is not None:
        scores = scores + as_dtype(bias, dtype)
    if mode == 2:
        shown = scores
    precise = dtype_of(n.int("softmax_precision")) if n.int("softmax_precision", 0) else dtype
    chances = _masked_softmax(as_dtype(scores, precise), bias)
    if mode == 3:
        shown = as_dtype(chances, dtype)
    y = ops.matmul(as_dtype(chances, dtype), v)
    if flat:
        batch, _, length, _ = sizes(y)
        y = reshaped(ops.transpose(y, [0, 2, 1, 3]), [batch, length, -1])
    return [y, *present, as_dtype(shown, dtype)]


def _scores(n: OnnxNode, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """The products of queries and keys, and the values of each head of queries."""
    width, q_heads, kv_heads = sizes(q)[3], sizes(q)[1], sizes(k)[1]
    if not (isinstance(width, int) and isinstance(q_heads, int) and isinstance(kv_heads, int)):
        raise UnsupportedOnnx("the number of its heads or their width is not known before a run")
    k, v = _repeated(k, q_heads // kv_heads), _repeated(v, q_heads // kv_heads)
    root = scalar(q, math.sqrt(n.float("scale", 0.0) or 1 / math.sqrt(width)))
    return ops.matmul(q * root, k * root, transpose_b=True), v


def _masked_softmax(scores: Tensor, bias: Tensor | None) -> Tensor:
    """Softmax along the last axis; rows in which everything is masked are 0."""
    if bias is None:
        return ops.softmax(scores, rank_of(scores) - 1) if scores.dtype.size > 2 else as_dtype(
            ops.softmax(ops.to_float(scores), rank_of(scores) - 1), scores.dtype)  # fmt: skip
    top = ops.reduce_max(scores, -1, True)
    top = where(ops.is_finite(top), top, ops.zeros_like(top))
    weights = ops.exp(scores - top)
    total = ops.reduce_sum(weights, -1, True)
    chances = weights / where(ops.equal(total, scalar(total, 0)), ops.ones_like(total), total)
    masked = ops.equal(ops.reduce_max(bias, -1, True), scalar(bias, _LOW))
    return where(masked, ops.zeros_like(chances), chances)


def _bias(n: OnnxNode, q: Tensor, k: Tensor, past: Size) -> Tensor | None:
    """What is added to the scores: 0 where a query may look at a key, -inf where not, and the mask's own numbers."""
    queries, keys = sizes(q)[2], sizes(k)[2]
    bias: Tensor | None = None
    if n.has(3):
        mask = n.tensor(3)
        bias = where(mask, scalar(q, 0), scalar(q, _LOW)) if mask.dtype is bool_ else mask
        have = sizes(bias)[-1]
        if isinstance(have, int) and isinstance(keys, int) and have < keys:
            pads = [[0, 0]] * (rank_of(bias) - 1) + [[0, keys - have]]
            bias = where(ops.pad(ops.ones_like(bias), pads) > scalar(bias, 0), ops.pad(bias, pads),
                          scalar(bias, _LOW))  # fmt: skip
    lengths = as_dtype(n.tensor(6), int64) if n.has(6) else None
    left, right = n.int("left_window_size", -1), n.int("right_window_size", -1)
    if n.int("is_causal", 0) or left >= 0 or right >= 0:
        offset: Any = past
        if lengths is not None and not n.has(4):
            offset = lengths - (constant(queries) if isinstance(queries, int) else queries)
        behind = _allowed_after(offset, queries, keys, lengths is not None and not n.has(4))
        allowed = behind >= constant(0) if n.int("is_causal", 0) else behind >= behind
        if left >= 0:
            allowed = ops.logical_and(allowed, behind <= constant(left))
        if right >= 0:
            allowed = ops.logical_and(allowed, behind >= constant(-right))
        bias = _with(bias, where(allowed, scalar(q, 0), scalar(q, _LOW)))
    if lengths is not None:
        inside = one_axis_indices(keys, 4, 3) < ops.reshape(lengths, [-1, 1, 1, 1])
        bias = _with(bias, where(inside, scalar(q, 0), scalar(q, _LOW)))
    return bias


def _with(bias: Tensor | None, more: Tensor) -> Tensor:
    return more if bias is None else bias + more


def _flex_attention(n: OnnxNode) -> Tensor:
    """Attention whose scores and probabilities pass through graphs of the node."""
    q = n.tensor(0)
    scores, v = _scores(n, q, n.tensor(1), n.tensor(2))
    precise = q.dtype if q.dtype.size > 2 else float32
    if n.int("softmax_precision", 0):
        precise = dtype_of(n.int("softmax_precision"))
    scores = _through(n, "score_mod", as_dtype(scores, precise))
    chances = _through(n, "prob_mod", ops.softmax(scores, rank_of(scores) - 1))
    return as_dtype(ops.matmul(chances, as_dtype(v, precise)), v.dtype)


def _through(n: OnnxNode, name: str, x: Tensor) -> Tensor:
    if name not in n.attributes:
        return x
    found = n.scope.inside().read_graph(n.graph(name), [x])[0]
    assert isinstance(found, Tensor)
    return found


def _rotary(n: OnnxNode) -> Tensor:
    """Pairs of elements turned by an angle that depends on their place."""
    x, cos, sin = n.tensor(0), n.tensor(1), n.tensor(2)
    flat = rank_of(x) == 3
    heads = n.int("num_heads", 0)
    moved = x
    if flat:
        batch, length, width = sizes(x)
        width = known_size(width, "the width of its input is")
        moved = reshaped(x, [batch, length, heads, width // heads])
    else:
        moved = ops.transpose(x, [0, 2, 1, 3])
    size = sizes(moved)[3]
    turned = known_size(n.int("rotary_embedding_dim", 0) or size, "the width of its heads is")
    part, rest = moved[..., :turned], moved[..., turned:]
    if n.has(3):
        cos, sin = ops.gather(cos, n.tensor(3)), ops.gather(sin, n.tensor(3))
    cos, sin = [ops.expand_dims(t[..., : turned // 2], 2) for t in (cos, sin)]
    if n.int("interleaved", 0):
        first, second = part[..., 0::2], part[..., 1::2]
    else:
        first, second = part[..., : turned // 2], part[..., turned // 2 :]
    real, imaginary = cos * first - sin * second, sin * first + cos * second
    if n.int("interleaved", 0):
        joined = ops.reshape(ops.stack([real, imaginary], axis=4), ops.shape(part))
    else:
        joined = ops.concat(3, [real, imaginary])
    found = ops.concat(3, [joined, rest]) if turned != size else joined
    return ops.reshape(found, ops.shape(x)) if flat else ops.transpose(found, [0, 2, 1, 3])


def _causal_conv(n: OnnxNode) -> list[Tensor]:
    """A convolution of each channel that looks back only; the last elements are the state for the next call."""
    x, w = n.tensor(0), n.tensor(1)
    k = known_size(sizes(w)[2], "the size of its window is")
    if n.has(3):
        wide = ops.concat(2, [n.tensor(3), x])
    else:
        wide = ops.pad(x, [[0, 0], [0, 0], [k - 1, 0]])
    precise = as_dtype(wide, float32) if x.dtype.size == 2 else wide
    found = convolved(precise, as_dtype(w, precise.dtype), ReadWindow([k], [1], [1], [(0, 0)]))
    if n.has(2):
        found = found + channels_first(as_dtype(n.tensor(2), precise.dtype), 3)
    found = as_dtype(found, x.dtype)
    if n.text("activation", "none") in ("silu", "swish"):
        single = as_dtype(found, float32)
        found = as_dtype(single * ops.sigmoid(single), x.dtype)
    end = sizes(wide)[2]
    state = wide[:, :, end - (k - 1) :] if isinstance(end, int) else wide[:, :, end - constant(k - 1) :]
    return [found, state]


def _linear_attention(n: OnnxNode) -> list[Tensor]:
    """A state of outer products of keys and values, which decays, read by the queries: a loop over the time."""
    q, k, v = n.tensor(0), n.tensor(1), n.tensor(2)
    dtype, q_heads, kv_heads = q.dtype, n.int("q_num_heads"), n.int("kv_num_heads")
    rule = n.text("update_rule", "gated_delta")
    batch = sizes(q)[0]
    length = sizes(q)[1]

    def by_time(x: Tensor, heads: int) -> Tensor:
        width = known_size(sizes(x)[2], "the width of its inputs is")
        return ops.transpose(as_dtype(reshaped(x, [batch, length, heads, width // heads]), float32), [1, 0, 2, 3])

    rows = [by_time(q, q_heads), by_time(k, kv_heads), by_time(v, kv_heads)]
    d_k, d_v = sizes(rows[1])[3], sizes(rows[2])[3]
    gated, corrected = "gated" in rule, "delta" in rule
    if gated:
        rows.append(by_time(n.tensor(4), kv_heads))
    if corrected:
        beta_heads = sizes(n.tensor(5))[2]
        rows.append(by_time(n.tensor(5), beta_heads if isinstance(beta_heads, int) else kv_heads))
    state = as_dtype(n.tensor(3), float32) if n.has(3) else ops.cast(
        ops.fill(vector([batch, kv_heads, d_k, d_v]), constant(0.0, float32)), float32)  # fmt: skip
    assert isinstance(d_k, int)
    scale = n.float("scale", 0.0) or 1 / math.sqrt(d_k)

    def step(state: Tensor, *now: Tensor) -> list[Tensor]:
        q_t, k_t, v_t = now[:3]
        if gated:
            state = state * ops.expand_dims(ops.exp(now[3]), 3)
        if corrected:
            seen = ops.squeeze(ops.matmul(ops.expand_dims(k_t, 2), state), [2])
            v_t = now[-1] * (v_t - seen)
        state = state + ops.expand_dims(k_t, 3) * ops.expand_dims(v_t, 2)
        read = _repeated(state, q_heads // kv_heads)
        out = ops.squeeze(ops.matmul(ops.expand_dims(q_t, 2), read), [2]) * scalar(q_t, scale)
        return [state, out]

    last, outs, _ = looped([state], step, None, lambda *inputs: constant(True, bool_), rows)
    y = reshaped(ops.transpose(outs, [1, 0, 2, 3]), [batch, length, -1])
    return [as_dtype(y, dtype), as_dtype(last, n.tensor(3).dtype if n.has(3) else dtype)]


ATTENTION = (
    OnnxOp("Attention", _attention, 23),
    OnnxOp("CausalConvWithState", _causal_conv, 27),
    OnnxOp("FlexAttention", _flex_attention, 1, "ai.onnx.preview"),
    OnnxOp("LinearAttention", _linear_attention, 27),
    OnnxOp("RotaryEmbedding", _rotary, 23),
)
