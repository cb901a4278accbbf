"""What layers of convolutions share: arguments in the forms that TensorFlow takes, variables, checks of inputs."""

from __future__ import annotations

from types import FunctionType
from typing import Any, Final, TypeVar

import numpy as np

from ..errors import DTypeError, ShapeError, UseError, ValueRuleError
from ..graph.declare.signature import DTypeLike, as_int
from ..graph.model.nodes import Tensor
from ..ops.convolution.convolution_arguments import FORMATS
from ..ops.nn.bias import bias_add
from ..variables.constant_initializers import ZerosInitializer
from ..variables.variable import Variable
from .layer import Activation, Layer, Window, layout_of

L = TypeVar("L", bound="ConvolutionLayer")
AXES: Final = ("depth", "height", "width")
"""What the axes of volumes are called, and the last ones those of images and of sequences."""


class WindowLayer(Layer):
    """The base of layers that move a window over 1, 2 or 3 dimensions."""

    rank = 2
    words: tuple[str, ...] = ("valid", "same")

    def _take_layout(self, padding: str, data_format: str) -> None:
        """Checks and keeps the two arguments."""
        self.padding = padding.lower() if isinstance(padding, str) else ""
        if self.padding not in self.words:
            raise ValueRuleError(f"padding must be one of {', '.join(map(repr, self.words))}, but is {padding!r}")
        self.data_format = layout_of(data_format)

    @property
    def is_channels_first(self) -> bool:
        """Whether dimension 1 are the channels."""
        return self.data_format == "channels_first"

    @property
    def layout(self) -> str:
        """The layout of the inputs, such as "NHWC"."""
        return FORMATS[self.rank][self.is_channels_first]

    def _check(self, x: Tensor) -> None:
        """The inputs have the batch, the channels and the dimensions of the window."""
        rank = x.shape.ndims
        if rank is not None and rank != self.rank + 2:
            sizes = [*AXES[-self.rank :]]
            sizes.insert(0 if self.is_channels_first else self.rank, "channels")
            form = ", ".join(["batch", *sizes])
            if rank == self.rank + 1:
                how = f"tf.expand_dims(x, {1 if self.is_channels_first else -1}) adds the dimension of one channel"
            else:
                how = f"tf.reshape(x, [-1, {', '.join(sizes)}]) gives that form"
            raise ShapeError(f"Input 0 of layer {self.name!r} is incompatible with the layer: expected ndim="
                             f"{self.rank + 2}, found ndim={rank}. Full shape received: {x.shape}. It takes [{form}]; "
                             f"{how}")  # fmt: skip


class ConvolutionLayer(WindowLayer):
    """The base of layers with a kernel over 1, 2 or 3 dimensions, and a bias for each filter."""

    def __init__(
        self, filters: int, kernel_size: Window, strides: Window, padding: str, data_format: str, dilation_rate: Window,
        activation: Activation, use_bias: bool, of_bias: tuple[Any, Any, Any], activity_regularizer: Any,
        trainable: bool, name: str | None, dtype: DTypeLike | None,
    ) -> None:  # fmt: skip
        super().__init__(trainable, name, dtype)
        self.filters = as_int(filters, "filters")
        if self.filters < 1:
            raise ValueRuleError(f"Received an invalid value for `filters`, expected a positive integer: {filters}")
        self.kernel_size = window_of(kernel_size, self.rank, "kernel_size")
        self.strides = window_of(strides, self.rank, "strides")
        self.dilation_rate = window_of(dilation_rate, self.rank, "dilation_rate")
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ValueRuleError(f"`strides > 1` not supported in conjunction with `dilation_rate > 1`: strides="
                                 f"{self.strides}, dilation_rate={self.dilation_rate}")  # fmt: skip
        self._take_layout(padding, data_format)
        if activation is not None and not callable(activation):
            raise UseError(f"activation={activation!r}: this is not a function; give one, such as tf.nn.relu")
        self.activation = activation
        self.use_bias = use_bias
        self.activity_regularizer = activity_regularizer
        self.bias: Variable | None = None
        self._of_bias = (of_bias[0] or ZerosInitializer(), *of_bias[1:])

    @property
    def channel_axis(self) -> int:
        """The axis of the channels."""
        return 1 if self.is_channels_first else self.rank + 1

    @property
    def spatial_axes(self) -> range:
        """The axes that the kernel moves along."""
        return range(2, self.rank + 2) if self.is_channels_first else range(1, self.rank + 1)

    def _channels(self, x: Tensor) -> int:
        """The channels of the inputs, which must be known and floats."""
        if not x.dtype.is_floating:
            raise DTypeError(f"{type(self).__name__} needs inputs of floats, not {x.dtype}; tf.cast(x, tf.float32) "
                             "makes floats of numbers")  # fmt: skip
        size = x.shape.raw[self.channel_axis] if x.shape.raw else None
        if not isinstance(size, int):
            raise ShapeError("The channel dimension of the inputs should be defined. Found `None`. Full input shape "
                             f"received: {x.shape}. Give it with t.set_shape")  # fmt: skip
        return size

    def _build_bias(self) -> None:
        if self.use_bias:
            self.bias = self._weight("bias", [self.filters], *self._of_bias)

    def _finished(self, y: Tensor) -> Tensor:
        """The bias and the activation."""
        return self._activated(self._with_bias(y, self.layout))

    def _with_bias(self, y: Tensor, layout: str) -> Tensor:
        return y if self.bias is None else bias_add(y, self.bias.as_operand(), layout)

    def _activated(self, y: Tensor) -> Tensor:
        return y if self.activation is None else self.activation(y)


def with_ones(layer: type[L]) -> type[L]:
    """A decorator for a class: strides and rates of the constructor that it inherits are 1 for each dimension.

    So `help` shows the defaults of TensorFlow: 1 for sequences, (1, 1) for images.
    """
    shared: Any = layer.__init__
    code = shared.__code__
    names = code.co_varnames[code.co_argcount - len(shared.__defaults__) : code.co_argcount]
    ones = 1 if layer.rank == 1 else (1,) * layer.rank
    defaults = tuple(
        ones if name in ("strides", "dilation_rate") else value
        for name, value in zip(names, shared.__defaults__, strict=True)
    )
    own = FunctionType(code, shared.__globals__, shared.__name__, defaults, shared.__closure__)
    own.__qualname__, own.__annotations__ = f"{layer.__qualname__}.__init__", shared.__annotations__
    layer.__init__ = own  # type: ignore[method-assign]
    return layer


def window_of(value: Window, rank: int, name: str) -> tuple[int, ...]:
    """`rank` positive ints, from one or from a sequence of them."""
    entries = (value,) * rank if isinstance(value, (int, np.integer)) else tuple(value)
    if len(entries) != rank:
        raise ValueRuleError(f"The `{name}` argument must be a tuple of {rank} integers. Received: {value}. It has no "
                             "entries for the batch and the channels")  # fmt: skip
    sizes = tuple([as_int(each, name) for each in entries])
    if min(sizes) < 1:
        raise ValueRuleError(f"The `{name}` argument must hold integers of at least 1. Received: {value}")
    return sizes
