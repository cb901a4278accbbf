"""The nodes of pooling volumes by the largest number: MaxPool3D, MaxPool3DGrad, MaxPool3DGradGrad.

Unlike that of images, the gradient goes to all elements of a window that are the largest, as in TensorFlow.
"""

from __future__ import annotations

import numpy as np

from ...graph.declare.op_declaration import Samples, op
from ...graph.model.nodes import Tensor
from ..convolution.convolution_attributes import Float, Format5, PlainPadding, Steps5
from .avg_pool_ops import VOLUME_CASES, forward_samples, moves_without_pairs
from .max_pool_ops import attach_samples
from .pooling_families import MaxFamily
from .pooling_kernels import to_all_equal


@op("MaxPool3D", graphdef="T=input ksize strides padding data_format")
def max_pool3d_op(
    input: Float,
    ksize: Steps5,
    strides: Steps5,
    padding: PlainPadding,
    data_format: Format5 = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The op behind `tf.nn.max_pool3d`: the largest number of each window of volumes."""


@op("MaxPool3DGrad", graphdef="T=grad ksize strides padding data_format TInput=orig_input",
    gradient_note="one operand is the result for another: TensorFlow's gradient is by the last one alone")  # fmt: skip
def max_pool3d_grad_op(
    orig_input: Float,
    orig_output: Float,
    grad: Float,
    ksize: Steps5,
    strides: Steps5,
    padding: PlainPadding,
    data_format: Format5 = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The gradient of MaxPool3D: `grad` wherever `orig_input` is `orig_output` in a window."""


@op("MaxPool3DGradGrad", graphdef="T=orig_input ksize strides padding data_format",
    gradient_note="one operand is the result for another: TensorFlow's gradient is by the last one alone")  # fmt: skip
def max_pool3d_grad_grad_op(
    orig_input: Float,
    orig_output: Float,
    grad: Float,
    ksize: Steps5,
    strides: Steps5,
    padding: PlainPadding,
    data_format: Format5 = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The gradient of MaxPool3DGrad: for each window, `grad` where `orig_input` first is `orig_output`."""


MAX_POOL3D = MaxFamily(
    max_pool3d_op, max_pool3d_grad_op, max_pool3d_grad_grad_op, moves_without_pairs, to_all_equal
)  # fmt: skip
MAX_POOL3D.attach()


# ---- samples ------------------------------------------------------------------------------------


@max_pool3d_op.samples
def max_pool3d_samples(rng: np.random.Generator) -> Samples:
    yield from forward_samples(rng, VOLUME_CASES)


attach_samples(MAX_POOL3D, VOLUME_CASES, ("f8", "f2"))
