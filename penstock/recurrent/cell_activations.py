"""Activations of cells: a function, or its name in `tf.nn`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import UseError
from ..graph.common.near_names import did_you_mean
from ..graph.model.nodes import Tensor
from ..ops.elementwise.transcendental import exp, tanh
from ..ops.nn.activations import relu, relu6, sigmoid, softmax, softplus
from ..ops.nn.rectifiers import elu, leaky_relu, selu, softsign

Activation = Callable[[Tensor], Tensor] | str | None

_BY_NAME: dict[str, Callable[..., Any]] = {
    "elu": elu, "exponential": exp, "leaky_relu": leaky_relu, "linear": lambda x: x, "relu": relu, "relu6": relu6,
    "selu": selu, "sigmoid": sigmoid, "softmax": softmax, "softplus": softplus, "softsign": softsign, "tanh": tanh,
}  # fmt: skip


def activation_of(activation: Activation, default: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """The function that `activation` means.

    Raises:
        UseError: there is none of that name, or it is neither a function nor a name.
    """
    if activation is None:
        return default
    if isinstance(activation, str):
        if activation not in _BY_NAME:
            raise UseError(f"activation={activation!r}: there is no such function{did_you_mean(activation, _BY_NAME)}")
        return _BY_NAME[activation]
    if not callable(activation):
        raise UseError(f"activation={activation!r}: give a function of a tensor, such as tf.nn.relu, or its name")
    return activation
