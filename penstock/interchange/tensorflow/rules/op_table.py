"""The table of ops: which of TensorFlow's nodes each of our ops is.

Most differ only in the spelling of their attributes: these are one line of `DIRECT`. The others have a function to
write them (`export_rules`) and one to read them (`import_rules`).

A line gives TensorFlow's name and its attributes, each with where its value comes from: the name of one of our
parameters (of an operand, its dtype; of an attribute, its value), "#name" for the number of tensors in an operand that
is a list, "*name" for the dtypes of these, "=out" for the dtype of the result, or a value that is always the same.
Source: TensorFlow's op definitions (core/ops/*.cc).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ....graph.shapes.dtypes import float32, int32


@dataclass(frozen=True, slots=True)
class TableRow:
    """A node of TensorFlow's with our inputs in our order."""

    type: str
    attrs: dict[str, Any]


def _same(types: str, parameter: str) -> dict[str, TableRow]:
    """Ops with one dtype variable T, which is that of `parameter`."""
    return {type: TableRow(type, {"T": parameter}) for type in types.split()}


def _reductions(types: str, **attrs: str) -> dict[str, TableRow]:
    return {type: TableRow(type, {"keep_dims": "keepdims", "Tidx": "axis", **attrs}) for type in types.split()}


def _segments(types: str, **attrs: str) -> dict[str, TableRow]:
    return {type: TableRow(type, {"T": "data", "Tindices": "segment_ids", **attrs}) for type in types.split()}


def _samplers(types: str, *attrs: str) -> dict[str, TableRow]:
    common = ("num_true", "num_sampled", "unique", *attrs, "seed", "seed2")
    return {type: TableRow(type, {each: each for each in common}) for type in types.split()}


def _random(types: str, **attrs: str) -> dict[str, TableRow]:
    return {type: TableRow(type, {"seed": "seed", "seed2": "seed2", **attrs}) for type in types.split()}


def _convolutions(types: str, data: str, **attrs: str) -> dict[str, TableRow]:
    """Nodes of convolutions; `data` is an operand that has their dtype."""
    same = {name: name for name in ("strides", "padding", "data_format", "dilations")}
    return {type: TableRow(type, {"T": data, **same, **attrs}) for type in types.split()}


def _pooling(types: str, data: str, **attrs: Any) -> dict[str, TableRow]:
    """Nodes of pooling; `data` is an operand that has their dtype."""
    same = {name: name for name in ("ksize", "strides", "padding")}
    return {type: TableRow(type, {"T": data, **same, **attrs}) for type in types.split()}


def _resizing(types: str, data: str) -> dict[str, TableRow]:
    ways = {name: name for name in ("align_corners", "half_pixel_centers")}
    return {type: TableRow(type, {"T": data, **ways}) for type in types.split()}


_LRN = {name: name for name in ("depth_radius", "bias", "alpha", "beta")}
_EXPLICIT = {"explicit_paddings": "explicit_paddings"}

DIRECT: dict[str, TableRow] = {
    # ---- elementwise -----------------------------------------------------------------------------
    **_same("Acos Acosh Asin Asinh Atan Atanh Ceil Cos Cosh Erf Exp Expm1 Floor Invert IsFinite IsInf IsNan Log Log1p "
            "Neg Reciprocal Rint Round Rsqrt Sigmoid Sign Sin Sinh Sqrt Square Tan Tanh", "x"),
    **_same("Digamma Erfc Erfinv Lgamma Ndtri", "x"),
    **_same("Igamma IgammaGradA Igammac Polygamma", "a"),
    **_same("LeftShift RightShift TruncateDiv TruncateMod Xdivy Xlog1py Xlogy Zeta", "x"),
    "Betainc": TableRow("Betainc", {"T": "a"}),
    "BroadcastArgs": TableRow("BroadcastArgs", {"T": "shape_x"}),
    "ListDiff": TableRow("ListDiff", {"T": "x", "out_idx": "out_idx"}),
    "InvertPermutation": TableRow("InvertPermutation", {"T": "x"}),
    "UnravelIndex": TableRow("UnravelIndex", {"Tidx": "indices"}),
    **{type: TableRow(type, {"T": "tensor", "Tindices": "indices"})
       for type in ("TensorScatterAdd", "TensorScatterMax", "TensorScatterMin", "TensorScatterSub")},
    **_same("Cholesky LogMatrixDeterminant MatrixDeterminant", "input"),
    "MatrixInverse": TableRow("MatrixInverse", {"T": "input", "adjoint": "adjoint"}),
    "MatrixSolve": TableRow("MatrixSolve", {"T": "matrix", "adjoint": "adjoint"}),
    "MatrixTriangularSolve": TableRow(
        "MatrixTriangularSolve", {"T": "matrix", "lower": "lower", "adjoint": "adjoint"}
    ),
    "MatrixBandPart": TableRow("MatrixBandPart", {"T": "input", "Tindex": "num_lower"}),
    "SelfAdjointEigV2": TableRow("SelfAdjointEigV2", {"T": "input", "compute_v": "compute_v"}),
    "Svd": TableRow("Svd", {"T": "input", "compute_uv": "compute_uv", "full_matrices": "full_matrices"}),
    **{type: TableRow(type, {"Tcomplex": "input"}) for type in ("FFT", "FFT2D", "FFT3D", "IFFT", "IFFT2D", "IFFT3D")},
    **{type: TableRow(type, {}) for type in ("StringStrip", "DecodeBase64")},
    "EncodeBase64": TableRow("EncodeBase64", {"pad": "pad"}),
    "StringLower": TableRow("StringLower", {"encoding": "encoding"}),
    "StringUpper": TableRow("StringUpper", {"encoding": "encoding"}),
    "StringLength": TableRow("StringLength", {"unit": "unit"}),
    "Substr": TableRow("Substr", {"T": "pos", "unit": "unit"}),
    **_same("Elu Relu Relu6 Selu Softplus Softsign", "features"),
    "LeakyRelu": TableRow("LeakyRelu", {"T": "features", "alpha": "alpha"}),
    **_same("ReluGrad Relu6Grad", "features"),
    "LeakyReluGrad": TableRow("LeakyReluGrad", {"T": "features", "alpha": "alpha"}),
    "BiasAdd": TableRow("BiasAdd", {"T": "value"}),
    "SoftmaxCrossEntropyWithLogits": TableRow("SoftmaxCrossEntropyWithLogits", {"T": "features"}),
    "SparseSoftmaxCrossEntropyWithLogits": TableRow(
        "SparseSoftmaxCrossEntropyWithLogits", {"T": "features", "Tlabels": "labels"}
    ),
    "InTopKV2": TableRow("InTopKV2", {"T": "targets"}),
    **_same("Atan2 BitwiseAnd BitwiseOr BitwiseXor DivNoNan Equal FloorDiv FloorMod Greater GreaterEqual Less "
            "LessEqual Maximum Minimum Mul MulNoNan NotEqual Pow RealDiv SquaredDifference Sub", "x"),
    "Conj": TableRow("Conj", {"T": "x"}),
    "Real": TableRow("Real", {"T": "input", "Tout": "=out"}),
    "Imag": TableRow("Imag", {"T": "input", "Tout": "=out"}),
    "Complex": TableRow("Complex", {"T": "x", "Tout": "=out"}),
    "CheckNumerics": TableRow("CheckNumerics", {"T": "tensor", "message": "message"}),
    "LogicalAnd": TableRow("LogicalAnd", {}),
    "LogicalNot": TableRow("LogicalNot", {}),
    "LogicalOr": TableRow("LogicalOr", {}),
    "LogicalXor": TableRow("NotEqual", {"T": "x"}),
    "AddN": TableRow("AddN", {"N": "#inputs", "T": "inputs"}),
    "Cast": TableRow("Cast", {"SrcT": "x", "DstT": "dtype"}),
    "Einsum": TableRow("Einsum", {"N": "#inputs", "T": "inputs", "equation": "equation"}),
    "Select": TableRow("Select", {"T": "t"}),
    "SelectV2": TableRow("SelectV2", {"T": "t"}),
    "AsString": TableRow("AsString", {"T": "input", "precision": "precision", "scientific": "scientific",
                                      "shortest": "shortest", "width": "width", "fill": "fill"}),
    "StringToHashBucketFast": TableRow("StringToHashBucketFast", {"num_buckets": "num_buckets"}),
    "StaticRegexFullMatch": TableRow("StaticRegexFullMatch", {"pattern": "pattern"}),
    "StringJoin": TableRow("StringJoin", {"N": "#inputs", "separator": "separator"}),
    "StringSplit": TableRow("StringSplit", {"skip_empty": "skip_empty"}),
    "StringToNumber": TableRow("StringToNumber", {"out_type": "out_type"}),
    # ---- reductions and scans --------------------------------------------------------------------
    **_reductions("Sum Prod Mean Max Min", T="input_tensor"),
    **_reductions("All Any"),
    "ArgMax": TableRow("ArgMax", {"T": "input", "Tidx": "axis", "output_type": "output_type"}),
    "ArgMin": TableRow("ArgMin", {"T": "input", "Tidx": "axis", "output_type": "output_type"}),
    "Cross": TableRow("Cross", {"T": "a"}),
    "HistogramFixedWidth": TableRow("HistogramFixedWidth", {"T": "values", "dtype": "dtype"}),
    "TopKV2": TableRow("TopKV2", {"sorted": "sorted", "T": "input", "Tk": "k"}),
    "Cumsum": TableRow("Cumsum", {"exclusive": "exclusive", "reverse": "reverse", "T": "x", "Tidx": "axis"}),
    "Cumprod": TableRow("Cumprod", {"exclusive": "exclusive", "reverse": "reverse", "T": "x", "Tidx": "axis"}),
    # ---- shapes ----------------------------------------------------------------------------------
    "Shape": TableRow("Shape", {"T": "input", "out_type": "int32"}),
    "Size": TableRow("Size", {"T": "input", "out_type": "int32"}),
    "Rank": TableRow("Rank", {"T": "input"}),
    "Reshape": TableRow("Reshape", {"T": "tensor", "Tshape": "shape"}),
    "ExpandDims": TableRow("ExpandDims", {"T": "input", "Tdim": "dim"}),
    # ---- moving ----------------------------------------------------------------------------------
    "Transpose": TableRow("Transpose", {"T": "a", "Tperm": "perm"}),
    "Reverse": TableRow("Reverse", {"T": "tensor"}),
    "ReverseSequence": TableRow(
        "ReverseSequence", {"seq_dim": "seq_dim", "batch_dim": 0, "T": "input", "Tlen": "seq_lengths"}
    ),
    "BroadcastGradientArgs": TableRow("BroadcastGradientArgs", {"T": "s0"}),
    "BroadcastTo": TableRow("BroadcastTo", {"T": "input", "Tidx": "shape"}),
    "Diag": TableRow("Diag", {"T": "diagonal"}),
    "DiagPart": TableRow("DiagPart", {"T": "input"}),
    "Roll": TableRow("Roll", {"T": "input", "Tshift": "shift", "Taxis": "axis"}),
    "Pad": TableRow("Pad", {"T": "input", "Tpaddings": "paddings"}),
    "Tile": TableRow("Tile", {"T": "input", "Tmultiples": "multiples"}),
    "Slice": TableRow("Slice", {"T": "input_", "Index": "begin"}),
    "Split": TableRow("Split", {"num_split": "num_split", "T": "value"}),
    "SplitV": TableRow("SplitV", {"num_split": "num_split", "T": "value", "Tlen": "size_splits"}),
    "Pack": TableRow("Pack", {"N": "#values", "T": "values", "axis": 0}),
    "Stack": TableRow("Pack", {"N": "#x", "T": "x", "axis": "axis"}),
    # ---- convolutions ----------------------------------------------------------------------------
    **_convolutions("Conv2D Conv2DBackpropFilter DepthwiseConv2dNative DepthwiseConv2dNativeBackpropFilter", "input",
                    **_EXPLICIT),
    **_convolutions("Conv2DBackpropInput DepthwiseConv2dNativeBackpropInput", "filter", **_EXPLICIT),
    **_convolutions("Conv3D Conv3DBackpropFilterV2", "input"),
    **_convolutions("Conv3DBackpropInputV2", "filter", Tshape="input_sizes"),
    # ---- pooling ---------------------------------------------------------------------------------
    **_pooling("MaxPool", "input", data_format="data_format", **_EXPLICIT),
    **_pooling("MaxPoolGrad", "orig_input", data_format="data_format", **_EXPLICIT),
    # TensorFlow's has no explicit paddings, and ignores attributes with such a name.
    **_pooling("MaxPoolGradGrad", "orig_input", data_format="data_format", _explicit_paddings="explicit_paddings"),
    **_pooling("MaxPool3D AvgPool3D", "input", data_format="data_format"),
    **_pooling("MaxPool3DGrad", "grad", data_format="data_format", TInput="orig_input"),
    **_pooling("MaxPool3DGradGrad", "orig_input", data_format="data_format"),
    **_pooling("AvgPool", "value", data_format="data_format"),
    **_pooling("AvgPoolGrad AvgPool3DGrad", "grad", data_format="data_format"),
    **_pooling("MaxPoolWithArgmax", "input", Targmax="Targmax", include_batch_in_index="include_batch_in_index"),
    **_pooling("MaxPoolGradWithArgmax MaxPoolGradGradWithArgmax", "input", Targmax="argmax",
               include_batch_in_index="include_batch_in_index"),
    "ExtractImagePatches": TableRow("ExtractImagePatches", {"T": "images", "ksizes": "ksizes", "strides": "strides",
                                                            "rates": "rates", "padding": "padding"}),
    "LRN": TableRow("LRN", {"T": "input", **_LRN}),
    "LRNGrad": TableRow("LRNGrad", {"T": "input_grads", **_LRN}),
    # ---- images ----------------------------------------------------------------------------------
    **{type: TableRow(type, {"T": "input", "block_size": "block_size", "data_format": "data_format"})
       for type in ("SpaceToDepth", "DepthToSpace")},
    "SpaceToBatchND": TableRow("SpaceToBatchND", {"T": "input", "Tblock_shape": "block_shape",
                                                  "Tpaddings": "paddings"}),
    "BatchToSpaceND": TableRow("BatchToSpaceND", {"T": "input", "Tblock_shape": "block_shape", "Tcrops": "crops"}),
    **_resizing("ResizeNearestNeighbor ResizeBilinear ResizeBicubic", "images"),
    **_resizing("ResizeNearestNeighborGrad", "grads"),
    **_resizing("ResizeBilinearGrad ResizeBicubicGrad", "original_image"),
    **{type: TableRow(type, {"T": "value", **{name: name for name in (
        "pooling_ratio", "pseudo_random", "overlapping", "deterministic", "seed", "seed2",
    )}}) for type in ("FractionalMaxPool", "FractionalAvgPool")},
    "FractionalMaxPoolGrad": TableRow("FractionalMaxPoolGrad", {"T": "orig_input", "overlapping": "overlapping"}),
    "FractionalAvgPoolGrad": TableRow("FractionalAvgPoolGrad", {"T": "out_backprop", "overlapping": "overlapping"}),
    "ResizeArea": TableRow("ResizeArea", {"T": "images", "align_corners": "align_corners"}),
    "CropAndResize": TableRow("CropAndResize", {"T": "image", "method": "method",
                                                "extrapolation_value": "extrapolation_value"}),
    "CropAndResizeGradImage": TableRow("CropAndResizeGradImage", {"T": "T", "method": "method"}),
    "CropAndResizeGradBoxes": TableRow("CropAndResizeGradBoxes", {"T": "image", "method": "method"}),
    "DrawBoundingBoxesV2": TableRow("DrawBoundingBoxesV2", {"T": "images"}),
    "NonMaxSuppressionV3": TableRow("NonMaxSuppressionV3", {"T": "boxes", "T_threshold": "iou_threshold"}),
    "NonMaxSuppressionV4": TableRow("NonMaxSuppressionV4", {"T": "boxes", "T_threshold": "iou_threshold",
                                                            "pad_to_max_output_size": "pad_to_max_output_size"}),
    "NonMaxSuppressionV5": TableRow("NonMaxSuppressionV5", {"T": "boxes",
                                                            "pad_to_max_output_size": "pad_to_max_output_size"}),
    "NonMaxSuppressionWithOverlaps": TableRow("NonMaxSuppressionWithOverlaps", {}),
    # ---- by index --------------------------------------------------------------------------------
    "Gather": TableRow("Gather", {"Tparams": "params", "Tindices": "indices"}),
    "GatherNd": TableRow("GatherNd", {"Tparams": "params", "Tindices": "indices"}),
    "ScatterNd": TableRow("ScatterNd", {"T": "updates", "Tindices": "indices"}),
    "TensorScatterUpdate": TableRow("TensorScatterUpdate", {"T": "tensor", "Tindices": "indices"}),
    "DynamicPartition": TableRow("DynamicPartition", {"num_partitions": "num_partitions", "T": "data"}),
    "DynamicStitch": TableRow("DynamicStitch", {"N": "#indices", "T": "data"}),
    "ParallelDynamicStitch": TableRow("ParallelDynamicStitch", {"N": "#indices", "T": "data"}),
    **_segments("SegmentSum SegmentMean SegmentProd SegmentMax SegmentMin"),
    **_segments("UnsortedSegmentSum UnsortedSegmentProd UnsortedSegmentMax UnsortedSegmentMin",
                Tnumsegments="num_segments"),
    "GatherTree": TableRow("GatherTree", {"T": "step_ids"}),
    "Where": TableRow("Where", {"T": "condition"}),
    "Unique": TableRow("Unique", {"T": "x", "out_idx": "out_idx"}),
    "Qr": TableRow("Qr", {"T": "input", "full_matrices": "full_matrices"}),
    # ---- sparse tensors --------------------------------------------------------------------------
    "CTCLoss": TableRow("CTCLoss", {"T": "inputs", "preprocess_collapse_repeated": "preprocess_collapse_repeated",
                                    "ctc_merge_repeated": "ctc_merge_repeated",
                                    "ignore_longer_outputs_than_inputs": "ignore_longer_outputs_than_inputs"}),
    "CTCBeamSearchDecoder": TableRow("CTCBeamSearchDecoder", {"T": "inputs", "beam_width": "beam_width",
                                                              "top_paths": "top_paths",
                                                              "merge_repeated": "merge_repeated"}),
    "CTCGreedyDecoder": TableRow("CTCGreedyDecoder", {"T": "inputs", "merge_repeated": "merge_repeated"}),
    "EditDistance": TableRow("EditDistance", {"T": "hypothesis_values", "normalize": "normalize"}),
    "SparseToDense": TableRow("SparseToDense", {"T": "sparse_values", "Tindices": "sparse_indices",
                                                "validate_indices": "validate_indices"}),
    "SparseTensorDenseMatMul": TableRow("SparseTensorDenseMatMul", {"T": "a_values", "Tindices": "a_indices",
                                                                    "adjoint_a": "adjoint_a",
                                                                    "adjoint_b": "adjoint_b"}),
    "SparseAdd": TableRow("SparseAdd", {"T": "a_values", "Treal": "thresh"}),
    "SparseAddGrad": TableRow("SparseAddGrad", {"T": "backprop_val_grad"}),
    "SparseTensorDenseAdd": TableRow("SparseTensorDenseAdd", {"T": "a_values", "Tindices": "a_indices"}),
    "SparseReorder": TableRow("SparseReorder", {"T": "input_values"}),
    "SparseReshape": TableRow("SparseReshape", {}),
    "SparseConcat": TableRow("SparseConcat", {"N": "#indices", "T": "values", "concat_dim": "concat_dim"}),
    "SparseSplit": TableRow("SparseSplit", {"T": "values", "num_split": "num_split"}),
    "SparseSlice": TableRow("SparseSlice", {"T": "values"}),
    "SparseSliceGrad": TableRow("SparseSliceGrad", {"T": "backprop_val_grad"}),
    "SparseFillEmptyRows": TableRow("SparseFillEmptyRows", {"T": "values"}),
    "SparseSoftmax": TableRow("SparseSoftmax", {"T": "sp_values"}),
    **{type: TableRow(type, {"T": "input_values", "keep_dims": "keep_dims"})
       for type in ("SparseReduceSum", "SparseReduceMax", "SparseReduceSumSparse", "SparseReduceMaxSparse")},
    **_same("SparseDenseCwiseMul SparseDenseCwiseDiv SparseDenseCwiseAdd", "sp_values"),
    **_same("SparseSparseMaximum SparseSparseMinimum", "a_values"),
    **{type: TableRow(type, {"T": "data", "Tidx": "indices", "Tsegmentids": "segment_ids"})
       for type in ("SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN")},
    # ---- sources, control ------------------------------------------------------------------------
    "Placeholder": TableRow("Placeholder", {"dtype": "dtype", "shape": "shape"}),
    "PlaceholderWithDefault": TableRow("PlaceholderWithDefault", {"dtype": "input", "shape": "shape"}),
    "Fill": TableRow("Fill", {"T": "value", "index_type": "dims"}),
    "LinSpace": TableRow("LinSpace", {"T": "start", "Tidx": "num"}),
    "Range": TableRow("Range", {"Tidx": "dtype"}),
    **_random("RandomUniform RandomStandardNormal TruncatedNormal", T="shape", dtype="dtype"),
    **_random("RandomUniformInt", T="shape", Tout="minval"),
    **_random("RandomShuffle", T="value"),
    **_random("Multinomial", T="logits", output_dtype="output_dtype"),
    **_samplers("UniformCandidateSampler LogUniformCandidateSampler LearnedUnigramCandidateSampler", "range_max"),
    **_samplers("FixedUnigramCandidateSampler", "range_max", "vocab_file", "distortion", "num_reserved_ids",
                "num_shards", "shard", "unigrams"),
    **_samplers("AllCandidateSampler"),
    **_random("ComputeAccidentalHits", num_true="num_true"),
    **_random("RandomGamma", S="shape", T="alpha"),
    "OnesLike": TableRow("OnesLike", {"T": "tensor"}),
    "ZerosLike": TableRow("ZerosLike", {"T": "tensor"}),
    "Identity": TableRow("Identity", {"T": "input"}),
    "IdentityN": TableRow("IdentityN", {"T": "*input"}),
    "StopGradient": TableRow("StopGradient", {"T": "input"}),
    "NoOp": TableRow("NoOp", {}),
    "Assert": TableRow("Assert", {"T": "*data", "summarize": "summarize"}),
    "Print": TableRow("Print", {"T": "input_", "U": "*data", "message": "message", "first_n": "first_n",
                                "summarize": "summarize"}),
    "StringFormat": TableRow("StringFormat", {"T": "*inputs", "template": "template", "placeholder": "placeholder",
                                              "summarize": "summarize"}),
    "PrintV2": TableRow("PrintV2", {"output_stream": "output_stream", "end": "end"}),
    "ScalarSummary": TableRow("ScalarSummary", {"T": "values"}),
    "HistogramSummary": TableRow("HistogramSummary", {"T": "values"}),
    "ImageSummary": TableRow("ImageSummary", {"T": "tensor", "max_images": "max_images"}),
    "TensorSummaryV2": TableRow("TensorSummaryV2", {"T": "tensor"}),
    "MergeSummary": TableRow("MergeSummary", {"N": "#inputs"}),
    "EnsureShape": TableRow("EnsureShape", {"T": "x", "shape": "shape"}),
    # ---- checkpoints -----------------------------------------------------------------------------
    "SaveV2": TableRow("SaveV2", {"dtypes": "*tensors"}),
    "SaveSlices": TableRow("SaveSlices", {"T": "*data"}),
    "RestoreV2": TableRow("RestoreV2", {"dtypes": "dtypes"}),
    "MergeV2Checkpoints": TableRow("MergeV2Checkpoints", {"delete_old_dirs": "delete_old_dirs"}),
    **{type: TableRow(type, {}) for type in ("DecodeGif", "MatchingFiles", "ReadFile", "WriteFile")},
    "DecodeBmp": TableRow("DecodeBmp", {"channels": "channels"}),
    "DecodeCompressed": TableRow("DecodeCompressed", {"compression_type": "compression_type"}),
    "DecodeImage": TableRow("DecodeImage", {each: each for each in ("channels", "dtype", "expand_animations")}),
    "DecodeJpeg": TableRow("DecodeJpeg", {
        each: each for each in ("channels", "ratio", "fancy_upscaling", "try_recover_truncated")
    }),
    "DecodePng": TableRow("DecodePng", {"channels": "channels", "dtype": "dtype"}),
    "DecodeRaw": TableRow("DecodeRaw", {"out_type": "out_type", "little_endian": "little_endian"}),
    "EncodeJpeg": TableRow("EncodeJpeg", {
        each: each for each in ("format", "quality", "progressive", "optimize_size", "chroma_downsampling")
    }),
    "EncodePng": TableRow("EncodePng", {"compression": "compression", "T": "image"}),
    "ExtractJpegShape": TableRow("ExtractJpegShape", {"output_type": "output_type"}),
    "SampleDistortedBoundingBoxV2": TableRow("SampleDistortedBoundingBoxV2", {"T": "image_size", **{
        each: each for each in ("aspect_ratio_range", "area_range", "max_attempts", "use_image_if_no_bounding_boxes",
                                "seed", "seed2")
    }}),
    "ParseTensor": TableRow("ParseTensor", {"out_type": "out_type"}),
    "SerializeTensor": TableRow("SerializeTensor", {"T": "tensor"}),
    "ShardedFilename": TableRow("ShardedFilename", {}),
    "ShardedFilespec": TableRow("ShardedFilespec", {}),
}  # fmt: skip
"""Our type -> TensorFlow's node."""

ALWAYS: dict[tuple[str, str], Any] = {("Shape", "out_type"): 3, ("Size", "out_type"): 3, ("TopKV2", "index_type"): 3}
"""Attributes that hold one dtype, by its number: int32."""

USUAL: dict[tuple[str, str | None], Any] = {
    **{(type, "keep_dims"): False for type in ("All", "Any", "Max", "Mean", "Min", "Prod", "Sum")},
    ("Assert", "summarize"): 3,
    ("Print", "first_n"): -1,
    ("Print", "message"): b"",
    ("Print", "summarize"): 3,
    ("Range", "Tidx"): int32,
    ("StringToNumber", "out_type"): float32,
}
"""TensorFlow's defaults of attributes that our signatures have no default, or another one, for. Files may leave such
attributes out (`strip_default_attrs`)."""
