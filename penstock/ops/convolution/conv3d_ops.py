"""The nodes of three-dimensional convolutions: Conv3D and its gradients by input and filter."""

from __future__ import annotations

from typing import Annotated

from ...graph.declare.op_declaration import op
from ...graph.declare.parameters import Operand
from ...graph.declare.signature import INT32_64, TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import int32
from .band_patches import convolve, filter_gradient, input_gradient
from .conv2d_ops import Case, attach_samples
from .convolution_attributes import Float, Format5, PlainPadding, Sizes, Steps5
from .convolution_family import Family
from .convolution_geometry import Steps, steps_of

ONES = (1, 1, 1, 1, 1)
_Sizes = Annotated[TensorLike, Operand("Tshape", INT32_64, host=True, prefer=int32)]


@op("Conv3D", graphdef="T=input strides padding data_format dilations")
def conv3d_op(
    input: Float,
    filter: Float,
    strides: Steps5,
    padding: PlainPadding,
    data_format: Format5 = "NDHWC",
    dilations: Steps5 = ONES,
    name: str | None = None,
) -> Tensor:
    """The op behind `tf.nn.conv3d`: volumes and a filter [depth, height, width, input channels, output channels]."""


@op("Conv3DBackpropInputV2", graphdef="T=filter strides padding data_format dilations Tshape=input_sizes")
def conv3d_backprop_input_v2_op(
    input_sizes: _Sizes,
    filter: Float,
    out_backprop: Float,
    strides: Steps5,
    padding: PlainPadding,
    data_format: Format5 = "NDHWC",
    dilations: Steps5 = ONES,
    name: str | None = None,
) -> Tensor:
    """The gradient of Conv3D by its input, of shape `input_sizes`."""


@op("Conv3DBackpropFilterV2", graphdef="T=input strides padding data_format dilations")
def conv3d_backprop_filter_v2_op(
    input: Float,
    filter_sizes: Sizes,
    out_backprop: Float,
    strides: Steps5,
    padding: PlainPadding,
    data_format: Format5 = "NDHWC",
    dilations: Steps5 = ONES,
    name: str | None = None,
) -> Tensor:
    """The gradient of Conv3D by its filter, of shape `filter_sizes`."""


def _steps_of_volumes(strides: tuple[int, ...], padding: str, data_format: str, dilations: tuple[int, ...]) -> Steps:
    return steps_of(strides, padding, (), data_format, dilations)


CONV3D = Family(
    conv3d_op, conv3d_backprop_input_v2_op, conv3d_backprop_filter_v2_op, _steps_of_volumes,
    (convolve, input_gradient, filter_gradient),
)  # fmt: skip
CONV3D.attach()


# ---- samples ------------------------------------------------------------------------------------

_CASES: tuple[Case, ...] = (
    ((2, 3, 4, 2, 2), (2, 3, 2, 2, 3), (ONES, "SAME", "NDHWC", ONES)),
    ((1, 4, 3, 5, 2), (2, 1, 3, 2, 2), ((1, 2, 1, 2, 1), "VALID", "NDHWC", ONES)),
    ((1, 2, 3, 4, 3), (2, 2, 2, 2, 2), (ONES, "SAME", "NCDHW", (1, 1, 1, 2, 1))),
    ((0, 3, 3, 3, 1), (2, 2, 2, 1, 2), (ONES, "VALID", "NDHWC", ONES)),
)

attach_samples(CONV3D, _CASES, 1, "i8")
