"""Each op that says how it works on shards gives the whole when shards are joined as it says."""

from typing import Any

import pytest

import penstock as tf
from penstock.graph.declare.distributing import how_combined, says_how
from penstock.graph.declare.distribution import Along, Distributed
from penstock.graph.declare.op_declaration import OpDef, find_op

from ..helpers import at_most, every_case, shares
from ..op_samples import OF_VARIANTS, USERS_OPS, calls
from .shard_cases import Static, cases, differs, ways_to_cut

ROUNDED = {"MatMul", "Einsum", *(type for type in USERS_OPS if type.startswith(("Conv2D", "Conv3D", "DepthwiseConv")))}
"""Ops that sum in an order that depends on how many rows there are."""

NOT_SAMPLED = {"Pad", "If", "While"}
"""Ops whose samples need every axis, or that have none: test_distributing.py, test_bodies_in_shards.py."""

SILENT = {
    "EncodeJpeg", "EncodePng", "EncodeJpegVariableQuality", "SerializeTensor", "SerializeSparse",
    "CombinedNonMaxSuppression", "ImageProjectiveTransformV2",
    "Const", "NoOp", "Range", "LinSpace", "BroadcastGradientArgs", "ShardedFilename", "ShardedFilespec",
    "Diag", "DiagPart", "Qr", "Unique", "Where", "TensorScatterUpdate", "StringSplit",
    "Assert", "StringFormat", "BroadcastArgs", "Betainc", "Bitcast", "InvertPermutation", "ListDiff", "ReduceJoin",
    "Substr", "TensorScatterAdd", "TensorScatterMax", "TensorScatterMin", "TensorScatterSub", "UnravelIndex",
    "Cholesky", "FFT", "FFT2D", "FFT3D", "IFFT", "IFFT2D", "IFFT3D", "IRFFT", "LogMatrixDeterminant", "MatrixBandPart",
    "MatrixDeterminant", "MatrixDiagPartV3", "MatrixDiagV3", "MatrixInverse", "MatrixSetDiagV3", "MatrixSolve",
    "MatrixTriangularSolve", "RFFT", "SelfAdjointEigV2", "Svd",
    "StatelessMultinomial", "StatelessRandomGetKeyCounter", "StatelessRandomNormal", "StatelessRandomNormalV2",
    "StatelessRandomUniform", "StatelessRandomUniformInt", "StatelessRandomUniformIntV2", "StatelessRandomUniformV2",
    "StatelessTruncatedNormal", "StatelessTruncatedNormalV2",
    "CheckedValue", "KeptValue", "ValueIfInitialized", "CombineRows", "ReplaceSlice", "NextCount", "StackedRows",
    "BatchToSpaceND", "CTCGreedyDecoder", "CTCLoss", "CheckedTableKeys", "ComputeAccidentalHits", "EditDistance",
    "SpaceToBatchND", "SparseAdd", "SparseAddGrad", "SparseConcat", "SparseDenseCwiseAdd", "SparseDenseCwiseDiv",
    "SparseDenseCwiseMul", "SparseReduceMax", "SparseReduceMaxSparse", "SparseReduceSum", "SparseReduceSumSparse",
    "SparseReorder", "SparseReshape", "SparseSegmentMean", "SparseSegmentSqrtN", "SparseSegmentSum", "SparseSlice",
    "SparseSliceGrad", "SparseSoftmax", "SparseSparseMaximum", "SparseSparseMinimum", "SparseSplit",
    "SparseTensorDenseAdd", "SparseTensorDenseMatMul", "SparseToDense", "TableEntries",
    "CTCBeamSearchDecoder", "GatherTree",
    "FractionalAvgPoolGrad", "FractionalMaxPoolGrad",
    "CropAndResize", "CropAndResizeGradBoxes", "CropAndResizeGradImage", "DrawBoundingBoxesV2",
    "NonMaxSuppressionV3", "NonMaxSuppressionV4", "NonMaxSuppressionV5", "NonMaxSuppressionWithOverlaps",
}  # fmt: skip
"""Ops without effects that run once, on the whole: small ones that take numbers, ones that need all rows or count
places, ones that write all values into a text, and parts of plans that update variables or stack rows."""

ELSEWHERE = {"penstock.ops.sharding.shards", "penstock.ops.state.summary_nodes"}
"""The modules of ops that join shards, and of those that are declared when the first summary is made."""

may_be_a_trap = pytest.mark.filterwarnings("ignore::penstock.MistakeWarning")
"""A sample with named sizes is a broadcast trap."""

SAYING = [op for type, op in USERS_OPS.items() if says_how(op) and type not in OF_VARIANTS]


@may_be_a_trap
@shares(4)
@every_case("op", SAYING, parts=2, by_day=1)
def test_joined_shards_are_the_whole(op: OpDef[Any, Any], most: int) -> None:
    with tf.Graph().as_default():
        answers = [(case, case.answer()) for call in calls(op) for case in cases(call)]
        distributed = [(case, answer) for case, answer in answers if isinstance(answer, Distributed)]
        for case, answer in at_most(distributed, most):
            for ends in ways_to_cut(case.size):
                found = differs(case, answer, ends, op.type in ROUNDED)
                assert found is None, f"{case}, cut at {ends}: {found}"
    assert distributed or op.type in NOT_SAMPLED, f"none of the samples of {op.type} is distributed"


LESS_KNOWN: dict[str, Static] = {
    "sizes of other axes": lambda a, cut: ["batch" if cut == Along(i) else None for i in range(a.ndim)],
    "sizes of half of the axes": lambda a, cut: [
        "batch" if cut == Along(i) else size if i % 2 else None for i, size in enumerate(a.shape)
    ],
    "ranks of what is whole": lambda a, cut: (
        ["batch" if cut == Along(i) else None for i in range(a.ndim)] if cut is not None else None
    ),
    "names": lambda a, cut: [None] * a.ndim,
    "other axes of the name": lambda a, cut: [
        "batch" if cut is not None and size == a.shape[cut.axis] else size for size in a.shape
    ],
}


@may_be_a_trap
@pytest.mark.slow
@pytest.mark.parametrize("static", LESS_KNOWN.values(), ids=LESS_KNOWN)
def test_joined_shards_are_the_whole_where_less_is_known(static: Static) -> None:
    distributed = 0
    for op in SAYING:
        with tf.Graph().as_default():
            for case in (case for call in calls(op) for case in cases(call, static)):
                answer = case.answer()
                if isinstance(answer, Distributed):
                    distributed += 1
                    for ends in ways_to_cut(case.size):
                        found = differs(case, answer, ends, op.type in ROUNDED)
                        assert found is None, f"{case}, cut at {ends}: {found}"
    assert distributed > 500


def test_ops_of_the_usual_families_say_how() -> None:
    silent = [op.type for op in USERS_OPS.values() if (op.facts.elementwise or op.reduction) and not says_how(op)]
    assert not silent
    assert {type for type, op in USERS_OPS.items() if op.facts.moves and not says_how(op)} <= {"DiagPart", "ShardOf"}


def test_most_ops_say_how() -> None:
    """What is left needs all rows, has effects, looks for places, or is a part of plans."""
    silent = {type for type, op in USERS_OPS.items() if op.is_pure and not says_how(op) and type not in OF_VARIANTS}
    assert len(SAYING) >= 150
    assert {type for type in silent if USERS_OPS[type].__module__ not in ELSEWHERE} == SILENT


def test_the_table_of_ops_says_what_the_rules_say() -> None:
    assert how_combined(find_op("Mean")) == "mean"
    assert how_combined(find_op("MatMul")) == "sum"
    assert how_combined(find_op("Exp")) is how_combined(find_op("Qr")) is None
