"""Which of TensorFlow's nodes is each of our ops?

Most differ in nothing but the spelling of their attributes: these are one line of `DIRECT`. The others have a function
to write them (`export_rules`) and one to read them (`import_rules`).

A line gives TensorFlow's name and its attributes, each with where its value comes from: the name of one of our
parameters (of an operand, its dtype; of an attribute, its value), "#name" for the number of tensors in
an operand that is a list, or a value that is always the same. Source: TensorFlow's op definitions (core/ops/*.cc).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Direct:
    """A node of TensorFlow's with our inputs in our order."""

    type: str
    attrs: dict[str, Any]


def _same(types: str, parameter: str) -> dict[str, Direct]:
    """Ops with one dtype variable T, which is that of `parameter`."""
    return {type: Direct(type, {"T": parameter}) for type in types.split()}


def _reductions(types: str, **attrs: str) -> dict[str, Direct]:
    return {type: Direct(type, {"keep_dims": "keepdims", "Tidx": "axis", **attrs}) for type in types.split()}


DIRECT: dict[str, Direct] = {
    # ---- elementwise -----------------------------------------------------------------------------
    **_same("Acos Acosh Asin Asinh Atan Atanh Ceil Cos Cosh Erf Exp Expm1 Floor Invert IsFinite IsInf IsNan Log Log1p "
            "Neg Reciprocal Rint Round Rsqrt Sigmoid Sign Sin Sinh Sqrt Square Tan Tanh", "x"),
    **_same("Relu Relu6 Softplus", "features"),
    **_same("Atan2 BitwiseAnd BitwiseOr BitwiseXor Equal FloorDiv FloorMod Greater GreaterEqual Less LessEqual Maximum "
            "Minimum Mul NotEqual Pow RealDiv SquaredDifference Sub", "x"),
    "LogicalAnd": Direct("LogicalAnd", {}),
    "LogicalNot": Direct("LogicalNot", {}),
    "LogicalOr": Direct("LogicalOr", {}),
    "AddN": Direct("AddN", {"N": "#inputs", "T": "inputs"}),
    "Cast": Direct("Cast", {"SrcT": "x", "DstT": "dtype"}),
    "Select": Direct("Select", {"T": "t"}),
    "StringToNumber": Direct("StringToNumber", {"out_type": "out_type"}),
    # ---- reductions and scans --------------------------------------------------------------------
    **_reductions("Sum Prod Mean Max Min", T="input_tensor"),
    **_reductions("All Any"),
    "ArgMax": Direct("ArgMax", {"T": "input", "Tidx": "axis", "output_type": "output_type"}),
    "ArgMin": Direct("ArgMin", {"T": "input", "Tidx": "axis", "output_type": "output_type"}),
    "Cumsum": Direct("Cumsum", {"exclusive": "exclusive", "reverse": "reverse", "T": "x", "Tidx": "axis"}),
    "Cumprod": Direct("Cumprod", {"exclusive": "exclusive", "reverse": "reverse", "T": "x", "Tidx": "axis"}),
    # ---- shapes ----------------------------------------------------------------------------------
    "Shape": Direct("Shape", {"T": "input", "out_type": "int32"}),
    "Size": Direct("Size", {"T": "input", "out_type": "int32"}),
    "Rank": Direct("Rank", {"T": "input"}),
    "Reshape": Direct("Reshape", {"T": "tensor", "Tshape": "shape"}),
    "ExpandDims": Direct("ExpandDims", {"T": "input", "Tdim": "dim"}),
    # ---- moving ----------------------------------------------------------------------------------
    "Transpose": Direct("Transpose", {"T": "a", "Tperm": "perm"}),
    "Reverse": Direct("Reverse", {"T": "tensor"}),
    "ReverseSequence": Direct(
        "ReverseSequence", {"seq_dim": "seq_dim", "batch_dim": 0, "T": "input", "Tlen": "seq_lengths"}
    ),
    "Pad": Direct("Pad", {"T": "input", "Tpaddings": "paddings"}),
    "Tile": Direct("Tile", {"T": "input", "Tmultiples": "multiples"}),
    "Slice": Direct("Slice", {"T": "input_", "Index": "begin"}),
    "Split": Direct("Split", {"num_split": "num_split", "T": "value"}),
    "SplitV": Direct("SplitV", {"num_split": "num_split", "T": "value", "Tlen": "size_splits"}),
    "Pack": Direct("Pack", {"N": "#values", "T": "values", "axis": 0}),
    "Stack": Direct("Pack", {"N": "#x", "T": "x", "axis": "axis"}),
    # ---- by index --------------------------------------------------------------------------------
    "Gather": Direct("Gather", {"Tparams": "params", "Tindices": "indices"}),
    "GatherNd": Direct("GatherNd", {"Tparams": "params", "Tindices": "indices"}),
    "ScatterNd": Direct("ScatterNd", {"T": "updates", "Tindices": "indices"}),
    "TensorScatterUpdate": Direct("TensorScatterUpdate", {"T": "tensor", "Tindices": "indices"}),
    "DynamicPartition": Direct("DynamicPartition", {"num_partitions": "num_partitions", "T": "data"}),
    "DynamicStitch": Direct("DynamicStitch", {"N": "#indices", "T": "data"}),
    "ParallelDynamicStitch": Direct("ParallelDynamicStitch", {"N": "#indices", "T": "data"}),
    "Where": Direct("Where", {"T": "condition"}),
    "Unique": Direct("Unique", {"T": "x", "out_idx": "out_idx"}),
    # ---- sources, control ------------------------------------------------------------------------
    "Placeholder": Direct("Placeholder", {"dtype": "dtype", "shape": "shape"}),
    "PlaceholderWithDefault": Direct("PlaceholderWithDefault", {"dtype": "input", "shape": "shape"}),
    "Fill": Direct("Fill", {"T": "value", "index_type": "dims"}),
    "LinSpace": Direct("LinSpace", {"T": "start", "Tidx": "num"}),
    "Range": Direct("Range", {"Tidx": "dtype"}),
    "OnesLike": Direct("OnesLike", {"T": "tensor"}),
    "ZerosLike": Direct("ZerosLike", {"T": "tensor"}),
    "Identity": Direct("Identity", {"T": "input"}),
    "StopGradient": Direct("StopGradient", {"T": "input"}),
    "NoOp": Direct("NoOp", {}),
}  # fmt: skip
"""Our type -> TensorFlow's node."""

ALWAYS: dict[tuple[str, str], Any] = {("Shape", "out_type"): 3, ("Size", "out_type"): 3}
"""Attributes that hold one dtype, by its number: int32."""
