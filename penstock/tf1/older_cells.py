"""Private names of TensorFlow's files of cells that programs imported: `_linear`, `_Linear`, `_RNNCell`."""

from __future__ import annotations

from typing import Any

from .. import concat as joined
from .. import constant_initializer, get_variable, matmul, variable_scope, zeros_initializer
from ..control_flow.structures import flat
from ..recurrent.cell_base import RNNCell, input_size

_RNNCell = RNNCell


def _linear(args: Any, output_size: int, bias: bool, *rest: Any, **kwargs: Any) -> Any:
    """The sum of `args` times weights, plus a bias.

    Args:
        args: a tensor of shape [batch, size], or a list of them.
        output_size: the size of the result.
        bias: whether there is one.
        rest, kwargs: `bias_start` (a number) and `scope`, as until 1.1, or `bias_initializer` and `kernel_initializer`,
            as from 1.2 on, in this order.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(_linear([tf.zeros([2, 3]), tf.zeros([2, 4])], 5, True, 0.5).shape)
    (2, 5)
    """
    is_older = (bool(rest) and isinstance(rest[0], (int, float))) or "bias_start" in kwargs or "scope" in kwargs
    names = ("bias_start", "scope") if is_older else ("bias_initializer", "kernel_initializer")
    options = dict(zip(names, rest, strict=False)) | kwargs
    start = options.get("bias_initializer") or constant_initializer(options.get("bias_start", 0.0))
    if options.get("scope") is None:
        return _product(args, output_size, bias, start, options.get("kernel_initializer"))
    with variable_scope(options["scope"]):
        return _product(args, output_size, bias, start, options.get("kernel_initializer"))


def _product(args: Any, size: int, bias: bool, start: Any, kernel_start: Any) -> Any:
    tensors = flat(args)
    rows = joined(1, tensors) if len(tensors) > 1 else tensors[0]
    kernel: Any = get_variable("kernel", [input_size(rows.shape), size], rows.dtype, kernel_start)
    product = matmul(rows, kernel)
    return product + get_variable("bias", [size], rows.dtype, start) if bias else product


class _Linear:
    """`_linear` whose variables the first call's arguments decide: TensorFlow 1.4 and later.

    Args:
        args: a tensor of shape [batch, size], or a list of them.
        output_size: the size of the result.
        build_bias: whether there is a bias.
        bias_initializer: how it starts; zeros by default.
        kernel_initializer: how the weights start.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     layer = _Linear([tf.zeros([2, 3])], 5, True)
    ...     print(layer([tf.zeros([7, 3])]).shape)
    (7, 5)
    """

    def __init__(
        self, args: Any, output_size: int, build_bias: bool, bias_initializer: Any = None,
        kernel_initializer: Any = None,
    ) -> None:  # fmt: skip
        tensors = flat(args)
        dtype, size = tensors[0].dtype, sum(input_size(each.shape) for each in tensors)
        self._kernel: Any = get_variable("kernel", [size, output_size], dtype, kernel_initializer)
        self._bias: Any = get_variable("bias", [output_size], dtype, bias_initializer or zeros_initializer())
        self._has_bias = build_bias

    def __call__(self, args: Any) -> Any:
        tensors = flat(args)
        product = matmul(joined(1, tensors) if len(tensors) > 1 else tensors[0], self._kernel)
        return product + self._bias if self._has_bias else product
