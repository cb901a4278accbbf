"""Cells written with NumPy, for what TensorFlow 2 does not have any more: one step, from the values of variables."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

import penstock.compat.v1 as tf

Values = dict[str, Any]


def filled(session: Any) -> Values:
    """Random values for all variables, by their names."""
    held = {}
    for variable in tf.global_variables():
        rng = np.random.default_rng(zlib.crc32(variable.name.encode()))
        held[variable.name[:-2]] = rng.standard_normal(tuple(variable.shape)) * 0.5
        variable.load(held[variable.name[:-2]], session)
    return held


def below(values: Values, scope: str) -> Values:
    """The values of a scope, without its name."""
    return {key.removeprefix(f"{scope}/"): value for key, value in values.items() if key.startswith(f"{scope}/")}


def sigmoid(x: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-x))


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def lstm(values: Values, x: Any, state: Any, forget_bias: float = 1.0, clip: float | None = None) -> Any:
    """(output, (c, h)) with peepholes if there are any."""
    c, h = state
    i, j, f, o = np.split(np.concatenate([x, h], 1) @ values["kernel"] + values["bias"], 4, 1)
    i, f = i + values.get("w_i_diag", 0.0) * c, f + forget_bias + values.get("w_f_diag", 0.0) * c
    c = c * sigmoid(f) + sigmoid(i) * np.tanh(j)
    c = c if clip is None else np.clip(c, -clip, clip)
    h = np.tanh(c) * sigmoid(o + values.get("w_o_diag", 0.0) * c)
    return h, (c, h)


def layer_norm_lstm(values: Values, x: Any, state: Any) -> Any:
    """(output, (c, h)) with layer normalization of gates and memory."""

    def normal(t: Any, name: str) -> Any:
        t = (t - t.mean(1, keepdims=True)) / np.sqrt(t.var(1, keepdims=True) + 1e-12)
        return t * values[f"{name}/gamma"] + values[f"{name}/beta"]

    c, h = state
    i, j, f, o = np.split(np.concatenate([x, h], 1) @ values["kernel"], 4, 1)
    i, j, f, o = normal(i, "input"), normal(j, "transform"), normal(f, "forget"), normal(o, "output")
    c = normal(c * sigmoid(f + 1.0) + sigmoid(i) * np.tanh(j), "state")
    h = np.tanh(c) * sigmoid(o)
    return h, (c, h)


def gru(values: Values, x: Any, h: Any, names: tuple[str, ...] = (
    "gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")) -> Any:  # fmt: skip
    """(output, state)."""
    k, b, m, d = (values[name] for name in names)
    r, u = np.split(sigmoid(np.concatenate([x, h], 1) @ k + b), 2, 1)
    h = u * h + (1.0 - u) * np.tanh(np.concatenate([x, r * h], 1) @ m + d)
    return h, h


def steps(cell: Any, x: Any, state: Any, lengths: Any) -> Any:
    """(outputs, last state) of a cell over x [time, batch, depth], with zeros and kept states behind the lengths."""
    outputs = []
    for time, row in enumerate(x):
        output, after = cell(row, state)
        over = (time >= np.asarray(lengths))[:, None]
        outputs.append(np.where(over, 0.0, output))
        if isinstance(state, tuple):
            state = tuple(np.where(over, old, new) for old, new in zip(state, after, strict=True))
        else:
            state = np.where(over, state, after)
    return np.stack(outputs), state
