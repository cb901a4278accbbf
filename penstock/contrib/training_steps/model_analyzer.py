"""`tf.contrib.slim.model_analyzer`: how many numbers and bytes the variables or operations of a model have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...graph.model.default_graph import get_default_graph


def tensor_description(var: Any) -> str:
    """The dtype and the shape of a tensor or variable, such as "(float32 3x4)".

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     tf.contrib.slim.model_analyzer.tensor_description(tf.zeros([3, 4]))
    '(float32 3x4)'

    Source: TensorFlow 1.x, `tf.contrib.slim.model_analyzer.tensor_description`.
    """
    sizes = "x".join("?" if size.value is None else str(size.value) for size in var.get_shape())
    return f"({var.dtype.name} {sizes})"


def analyze_vars(variables: Iterable[Any], print_info: bool = False) -> tuple[int, int]:
    """The total number of numbers and of bytes of variables, and with `print_info` a line for each.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     w = tf.get_variable("w", [3, 4])
    ...     total = tf.contrib.slim.model_analyzer.analyze_vars(tf.trainable_variables(), print_info=True)
    ---------
    Variables: name (type shape) [size]
    ---------
    w:0 (float32 3x4) [12, bytes: 48]
    Total size of variables: 12
    Total bytes of variables: 48
    >>> total
    (12, 48)

    Source: TensorFlow 1.x, `tf.contrib.slim.model_analyzer.analyze_vars`.
    """
    rule, total, total_bytes = "-" * 9, 0, 0
    if print_info:
        print(rule, "Variables: name (type shape) [size]", rule, sep="\n")
    for variable in variables:
        size = variable.get_shape().num_elements() or 0
        count = size * variable.dtype.base_dtype.size
        total, total_bytes = total + size, total_bytes + count
        if print_info:
            print(variable.name, tensor_description(variable), f"[{size}, bytes: {count}]")
    if print_info:
        print(f"Total size of variables: {total}\nTotal bytes of variables: {total_bytes}")
    return total, total_bytes


def analyze_ops(graph: Any = None, print_info: bool = False) -> int:
    """The total number of numbers of the results of a graph's operations, and with `print_info` a line for each.

    >>> import penstock as tf
    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.zeros([3, 4], name="x")
    ...     tf.contrib.slim.model_analyzer.analyze_ops(graph)
    15

    Source: TensorFlow 1.x, `tf.contrib.slim.model_analyzer.analyze_ops`.
    """
    total, rule = 0, "-" * 9
    if print_info:
        print(rule, "Operations: name -> (type shapes) [size]", rule, sep="\n")
    for op in (graph or get_default_graph()).get_operations():
        size = sum(each.get_shape().num_elements() or 0 for each in op.outputs)
        total += size
        if print_info:
            print(op.name, "->", ", ".join(map(tensor_description, op.outputs)), f"[{size}]")
    if print_info:
        print(rule, f"Total size: {total}", sep="\n")
    return total


__all__ = ["analyze_ops", "analyze_vars", "tensor_description"]
