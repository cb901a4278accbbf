"""What TensorFlow's op definitions call the results of ops: references in functions are "node:result:0".

An op with one result has one name, even if the result is a list; those of `SEVERAL` have more. Source: TensorFlow's op
definitions (core/ops/*.cc).
"""

from __future__ import annotations

SEVERAL: dict[str, tuple[str, ...]] = {
    "BroadcastGradientArgs": ("r0", "r1"),
    "FusedBatchNorm": ("y", "batch_mean", "batch_variance"),
    "FusedBatchNormV2": ("y", "batch_mean", "batch_variance"),
    "FusedBatchNormV3": ("y", "batch_mean", "batch_variance"),
    "Merge": ("output", "value_index"),
    "Qr": ("q", "r"),
    "SoftmaxCrossEntropyWithLogits": ("loss", "backprop"),
    "SparseSoftmaxCrossEntropyWithLogits": ("loss", "backprop"),
    "StringSplit": ("indices", "values", "shape"),
    "Switch": ("output_false", "output_true"),
    "TensorArrayConcatV3": ("value", "lengths"),
    "TensorArrayGradV3": ("grad_handle", "flow_out"),
    "TensorArrayV3": ("handle", "flow"),
    "TensorListConcat": ("tensor", "lengths"),
    "TensorListConcatV2": ("tensor", "lengths"),
    "TensorListPopBack": ("output_handle", "tensor"),
    "TopKV2": ("values", "indices"),
    "Unique": ("y", "idx"),
}
"""Ops with several results."""

_ONE = {
    "activations": "Elu LeakyRelu Relu Relu6 Selu Softplus Softsign",
    "backprops": "LeakyReluGrad Relu6Grad ReluGrad",
    "components": "OptionalGetValue",
    "diagonal": "DiagPart",
    "element_shape": "TensorListElementShape",
    "handle": "EmptyTensorList TensorListReserve",
    "index": "Where",
    "item": "TensorListGetItem",
    "length": "TensorListLength",
    "logsoftmax": "LogSoftmax",
    "merged": "DynamicStitch ParallelDynamicStitch",
    "optional": "OptionalFromValue OptionalNone",
    "out": "Complex Cumprod Cumsum HistogramFixedWidth",
    "output_handle": "TensorListFromTensor TensorListPushBack TensorListResize TensorListScatterIntoExistingList "
                     "TensorListScatterV2 TensorListSetItem TensorListSplit",
    "outputs": "DynamicPartition",
    "precision": "InTopK InTopKV2",
    "product": "Cross MatMul",
    "softmax": "Softmax",
    "sum": "AddN",
    "summary": "HistogramSummary ImageSummary MergeSummary ScalarSummary TensorSummaryV2",
    "tensor": "TensorListStack",
    "values": "TensorListGather",
    "y": "Abs Acos Acosh Asin Asinh Atan Atanh Cast Ceil ComplexAbs Cos Cosh Erf Exp Expm1 Floor Inv Invert IsFinite "
         "IsInf IsNan Log Log1p LogicalNot Neg OnesLike Reciprocal Rint Round Rsqrt Sigmoid Sign Sin Sinh Sqrt Square "
         "Tan Tanh Transpose ZerosLike",
    "z": "Add AddV2 Atan2 BitwiseAnd BitwiseOr BitwiseXor DivNoNan Equal FloorDiv FloorMod Greater GreaterEqual Less "
         "LessEqual LogicalAnd LogicalOr Maximum Minimum Mul MulNoNan NotEqual Pow RealDiv SquaredDifference Sub",
}  # fmt: skip
_NAMES = {type: name for name, types in _ONE.items() for type in types.split()}


def reference(node: str, type: str, output: int) -> str:
    """How a function refers to an output of a node."""
    several = SEVERAL.get(type)
    if several is not None:
        return f"{node}:{several[output]}:0"
    return f"{node}:{_NAMES.get(type, 'output')}:{output}"
