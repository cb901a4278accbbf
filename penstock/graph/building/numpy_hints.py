"""Hints for methods of NumPy and of other libraries that tensors lack.

`t.sum()` is an AttributeError; its message names the function that builds the node. Tensors keep to functions, because
a method would hide that nothing is computed. Each name has a descriptor: a `__getattr__` would slow down every
attribute of every tensor.
"""

from __future__ import annotations

from typing import Any

from ..common.tracebacks import hides_frames

INSTEAD = {
    "T": "tf.transpose(t)",
    "abs": "tf.abs(t)",
    "all": "tf.reduce_all(t, axis)",
    "any": "tf.reduce_any(t, axis)",
    "argmax": "tf.argmax(t, axis)",
    "argmin": "tf.argmin(t, axis)",
    "argsort": "tf.argsort(t, axis)",
    "astype": "tf.cast(t, dtype)",
    "backward": "tf.gradients(t, [x]), the derivatives of t as tensors",
    "clip": "tf.clip_by_value(t, low, high)",
    "copy": "tf.identity(t)",
    "cumprod": "tf.cumprod(t, axis)",
    "cumsum": "tf.cumsum(t, axis)",
    "dot": "tf.matmul(a, b), or a @ b",
    "flatten": "tf.reshape(t, [-1])",
    "grad": "tf.gradients(y, [t]), the derivatives of y as tensors",
    "max": "tf.reduce_max(t, axis)",
    "mean": "tf.reduce_mean(t, axis)",
    "min": "tf.reduce_min(t, axis)",
    "minimize": "tf.train.GradientDescentOptimizer(rate).minimize(t)",
    "mT": "tf.transpose(t, perm), with the last two dimensions exchanged",
    "ndim": "t.shape.ndims, or tf.rank(t) in the graph",
    "prod": "tf.reduce_prod(t, axis)",
    "ravel": "tf.reshape(t, [-1])",
    "repeat": "tf.tile(t, multiples)",
    "reshape": "tf.reshape(t, shape)",
    "round": "tf.round(t)",
    "size": "t.shape.num_elements(), or tf.size(t) in the graph",
    "sort": "tf.sort(t, axis)",
    "sqrt": "tf.sqrt(t)",
    "squeeze": "tf.squeeze(t)",
    "split": "tf.split(split_dim, num_split, t), or tf.string_split(t, delimiter) for text",
    "std": "tf.reduce_std(t, axis)",
    "sum": "tf.reduce_sum(t, axis)",
    "take": "tf.gather(t, indices)",
    "transpose": "tf.transpose(t, perm)",
    "var": "tf.reduce_variance(t, axis)",
}
_OF_VARIABLES = ("assign", "assign_add", "assign_sub", "initialized_value", "initializer", "load")
INSTEAD |= {
    name: f"v.{name} of a tf.Variable v. `v += 1.0` makes v a tensor; v.assign_add(1.0) writes the variable"
    for name in _OF_VARIABLES
}
_FUNCTIONS_ONLY = {"nonzero": "tf.where(t)", "unique": "tf.unique(t)", "where": "tf.where(condition, x, y)"}


def nearest(function: str) -> str:
    """`, the nearest is tf.where(condition, x, y)` for "where"; "" if nothing takes the function's place."""
    found = INSTEAD.get(function) or _FUNCTIONS_ONLY.get(function)
    return f", the nearest is {found}" if found else ""


class AbsentAttribute:
    """An attribute that a tensor lacks; the message says what takes its place."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    @hides_frames
    def __get__(self, instance: object, owner: Any = None) -> AbsentAttribute:
        if instance is None:
            return self
        raise AttributeError(f"'Tensor' object has no attribute {self._name!r}: write {INSTEAD[self._name]}")


def add_hints(tensors: type) -> None:
    """Give the class of tensors a hint for each method of NumPy's that it lacks."""
    for name in INSTEAD:
        if not hasattr(tensors, name):
            setattr(tensors, name, AbsentAttribute(name))
