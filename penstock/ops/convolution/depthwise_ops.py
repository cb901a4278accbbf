"""The nodes of depthwise convolutions: DepthwiseConv2dNative and its gradients by input and filter.

Each channel of the input has filters of its own: a filter [height, width, channels, multiplier] gives
channels * multiplier channels. TensorFlow's kernels ask for equal strides; these do not.
"""

from __future__ import annotations

from ...graph.declare.op_declaration import op
from ...graph.model.nodes import Tensor
from .conv2d_ops import ONES, Case, attach_samples, steps_of_images
from .convolution_attributes import Float, Format4, Padding, Pairs4, Sizes, Steps4
from .convolution_family import Family
from .depthwise_kernels import convolve_depthwise, depthwise_filter_gradient, depthwise_input_gradient


@op("DepthwiseConv2dNative", graphdef="T=input strides padding data_format dilations explicit_paddings")
def depthwise_conv2d_native_op(
    input: Float,
    filter: Float,
    strides: Steps4,
    padding: Padding,
    explicit_paddings: Pairs4 = (),
    data_format: Format4 = "NHWC",
    dilations: Steps4 = ONES,
    name: str | None = None,
) -> Tensor:
    """The op behind `tf.nn.depthwise_conv2d`: images and a filter [height, width, channels, multiplier]."""


@op("DepthwiseConv2dNativeBackpropInput", graphdef="T=filter strides padding data_format dilations explicit_paddings")
def depthwise_conv2d_native_backprop_input_op(
    input_sizes: Sizes,
    filter: Float,
    out_backprop: Float,
    strides: Steps4,
    padding: Padding,
    explicit_paddings: Pairs4 = (),
    data_format: Format4 = "NHWC",
    dilations: Steps4 = ONES,
    name: str | None = None,
) -> Tensor:
    """The gradient of DepthwiseConv2dNative by its input, of shape `input_sizes`."""


@op("DepthwiseConv2dNativeBackpropFilter", graphdef="T=input strides padding data_format dilations explicit_paddings")
def depthwise_conv2d_native_backprop_filter_op(
    input: Float,
    filter_sizes: Sizes,
    out_backprop: Float,
    strides: Steps4,
    padding: Padding,
    explicit_paddings: Pairs4 = (),
    data_format: Format4 = "NHWC",
    dilations: Steps4 = ONES,
    name: str | None = None,
) -> Tensor:
    """The gradient of DepthwiseConv2dNative by its filter, of shape `filter_sizes`."""


DEPTHWISE = Family(
    depthwise_conv2d_native_op, depthwise_conv2d_native_backprop_input_op, depthwise_conv2d_native_backprop_filter_op,
    steps_of_images, (convolve_depthwise, depthwise_input_gradient, depthwise_filter_gradient),
    is_depthwise=True,
)  # fmt: skip
DEPTHWISE.attach()


# ---- samples ------------------------------------------------------------------------------------

_CASES: tuple[Case, ...] = (
    ((2, 4, 5, 2), (3, 2, 2, 3), (ONES, "SAME", (), "NHWC", ONES)),
    ((1, 5, 6, 3), (2, 3, 3, 1), ((1, 2, 2, 1), "VALID", (), "NHWC", ONES)),
    ((2, 2, 5, 4), (3, 3, 2, 2), ((1, 1, 2, 1), "SAME", (), "NCHW", ONES)),
    ((1, 4, 4, 1), (2, 2, 1, 2), (ONES, "EXPLICIT", (0, 0, 1, 0, 2, 1, 0, 0), "NHWC", (1, 2, 1, 1))),
    ((1, 2, 3, 1), (2, 2, 1, 2), (ONES, "SAME", (), "NHWC", ONES)),
    ((0, 3, 3, 1), (2, 2, 1, 2), (ONES, "VALID", (), "NHWC", ONES)),
)

attach_samples(DEPTHWISE, _CASES, 0)
