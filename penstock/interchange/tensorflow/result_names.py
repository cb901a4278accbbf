"""What TensorFlow's op definitions call the results of ops: references in functions are "node:result:0".

An op with one result has one name, even if the result is a list; those of `SEVERAL` have more. An op that is a node has
them in its declaration (`graphdef="... ->values"`); the tables below are of nodes that have rules of their own. Source:
TensorFlow's op definitions (core/ops/*.cc).
"""

from __future__ import annotations

from collections.abc import Sequence

from .rules.direct_rules import direct_nodes, form_of

SEVERAL: dict[str, tuple[str, ...]] = {
    "BlockLSTM": ("i", "cs", "f", "o", "ci", "co", "h"),
    "FusedBatchNorm": ("y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"),
    "FusedBatchNormGrad": ("x_backprop", "scale_backprop", "offset_backprop", "reserve_space_3", "reserve_space_4"),
    "FusedBatchNormGradV2": ("x_backprop", "scale_backprop", "offset_backprop", "reserve_space_3", "reserve_space_4"),
    "FusedBatchNormGradV3": ("x_backprop", "scale_backprop", "offset_backprop", "reserve_space_4", "reserve_space_5"),
    "FusedBatchNormV2": ("y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2"),
    "FusedBatchNormV3": ("y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2", "reserve_space_3"),
    "GRUBlockCell": ("r", "u", "c", "h"),
    "GRUBlockCellGrad": ("d_x", "d_h_prev", "d_c_bar", "d_r_bar_u_bar"),
    "LSTMBlockCell": ("i", "cs", "f", "o", "ci", "co", "h"),
    "LookupTableExport": ("keys", "values"),
    "LookupTableExportV2": ("keys", "values"),
    "Lu": ("lu", "p"),
    "Merge": ("output", "value_index"),
    "ReaderRead": ("key", "value"),
    "ReaderReadUpTo": ("keys", "values"),
    "ReaderReadUpToV2": ("keys", "values"),
    "ReaderReadV2": ("key", "value"),
    "SampleDistortedBoundingBox": ("begin", "size", "bboxes"),
    "SparseCross": ("output_indices", "output_values", "output_shape"),
    "Switch": ("output_false", "output_true"),
    "TensorArrayConcatV3": ("value", "lengths"),
    "TensorArrayGradV3": ("grad_handle", "flow_out"),
    "TensorArrayV3": ("handle", "flow"),
    "TensorListConcat": ("tensor", "lengths"),
    "TensorListConcatV2": ("tensor", "lengths"),
    "TensorListPopBack": ("output_handle", "tensor"),
    "UniqueV2": ("y", "idx"),
    "UniqueWithCounts": ("y", "idx", "count"),
    "UniqueWithCountsV2": ("y", "idx", "count"),
}
"""Ops with several results."""

_ONE = {
    "backprops": "EluGrad SeluGrad SoftplusGrad SoftsignGrad",
    "components": "DatasetToSingleElement IteratorGetNext IteratorGetNextSync OptionalGetValue QueueDequeue "
                  "QueueDequeueMany QueueDequeueManyV2 QueueDequeueUpTo QueueDequeueUpToV2 QueueDequeueV2 "
                  "ReduceDataset",
    "diagonal": "BatchMatrixDiagPart MatrixDiagPart MatrixDiagPartV2 MatrixDiagPartV3",
    "elem": "StackPop StackPopV2",
    "element_shape": "TensorListElementShape",
    "flow_out": "TensorArrayScatterV3 TensorArraySplitV3 TensorArrayWriteV3",
    "handle": "BatchDataset BatchDatasetV2 CacheDataset CacheDatasetV2 ConcatenateDataset DirectedInterleaveDataset "
              "EmptyTensorList ExperimentalDirectedInterleaveDataset ExperimentalGroupByWindowDataset "
              "ExperimentalIgnoreErrorsDataset ExperimentalMapAndBatchDataset ExperimentalMapDataset "
              "ExperimentalMatchingFilesDataset ExperimentalScanDataset ExperimentalTakeWhileDataset "
              "ExperimentalUnbatchDataset FIFOQueue FIFOQueueV2 FilterDataset FixedLengthRecordDataset "
              "FixedLengthRecordDatasetV2 FlatMapDataset GroupByWindowDataset IgnoreErrorsDataset InterleaveDataset "
              "Iterator IteratorV2 MapAndBatchDataset MapDataset MatchingFilesDataset ModelDataset OneShotIterator "
              "OptimizeDataset OptionsDataset PaddedBatchDataset PaddedBatchDatasetV2 PaddingFIFOQueue "
              "PaddingFIFOQueueV2 ParallelInterleaveDatasetV2 ParallelInterleaveDatasetV3 "
              "ParallelInterleaveDatasetV4 ParallelMapDataset ParallelMapDatasetV2 PrefetchDataset PriorityQueue "
              "PriorityQueueV2 RandomShuffleQueue RandomShuffleQueueV2 RangeDataset RepeatDataset RewriteDataset "
              "ScanDataset ShardDataset ShuffleAndRepeatDataset ShuffleDataset SkipDataset Stack StackV2 "
              "TFRecordDataset TakeDataset TakeWhileDataset TensorDataset TensorListReserve TensorSliceDataset "
              "TextLineDataset UnbatchDataset WindowDataset ZipDataset",
    "is_closed": "QueueIsClosed QueueIsClosedV2",
    "is_initialized": "IsVariableInitialized VarIsInitializedOp",
    "item": "TensorListGetItem",
    "length": "TensorListLength",
    "logsoftmax": "LogSoftmax",
    "offset": "ConcatOffset",
    "optional": "OptionalFromValue OptionalNone",
    "out": "ApplyAdadelta ApplyAdagrad ApplyAdagradDA ApplyAdagradV2 ApplyAdam ApplyCenteredRMSProp ApplyFtrl "
           "ApplyFtrlV2 ApplyGradientDescent ApplyMomentum ApplyProximalAdagrad ApplyProximalGradientDescent "
           "ApplyRMSProp SparseApplyAdadelta SparseApplyAdagrad SparseApplyAdagradDA SparseApplyAdagradV2 "
           "SparseApplyCenteredRMSProp SparseApplyFtrl SparseApplyFtrlV2 SparseApplyMomentum "
           "SparseApplyProximalAdagrad SparseApplyProximalGradientDescent SparseApplyRMSProp",
    "output_handle": "TensorListFromTensor TensorListPushBack TensorListResize TensorListScatter "
                     "TensorListScatterIntoExistingList TensorListScatterV2 TensorListSetItem TensorListSplit",
    "output_ref": "Assign AssignAdd AssignSub ScatterAdd ScatterDiv ScatterMax ScatterMin ScatterMul ScatterNdAdd "
                  "ScatterNdSub ScatterNdUpdate ScatterSub ScatterUpdate StridedSliceAssign",
    "precision": "InTopK",
    "product": "MatMul",
    "reader_handle": "FixedLengthRecordReader FixedLengthRecordReaderV2 IdentityReader IdentityReaderV2 "
                     "TFRecordReader TFRecordReaderV2 TextLineReader TextLineReaderV2 WholeFileReader "
                     "WholeFileReaderV2",
    "records_produced": "ReaderNumRecordsProduced ReaderNumRecordsProducedV2",
    "ref": "Variable VariableV2",
    "resource": "VarHandleOp",
    "resource_handle": "IteratorFromStringHandle IteratorFromStringHandleV2",
    "size": "LookupTableSize LookupTableSizeV2 QueueSize QueueSizeV2 TensorArraySizeV3",
    "softmax": "Softmax",
    "string_handle": "IteratorToStringHandle",
    "table_handle": "HashTable HashTableV2 MutableDenseHashTable MutableDenseHashTableV2 MutableHashTable "
                    "MutableHashTableOfTensors MutableHashTableOfTensorsV2 MutableHashTableV2",
    "tensor": "Restore RestoreSlice TensorListStack",
    "units_completed": "ReaderNumWorkUnitsCompleted ReaderNumWorkUnitsCompletedV2",
    "value": "ReadVariableOp TensorArrayGatherV3 TensorArrayReadV3",
    "values": "LookupTableFind LookupTableFindV2 MapPeek TensorListGather Unstage",
    "y": "Abs ComplexAbs Inv",
    "z": "Add AddV2 InvGrad ReciprocalGrad RsqrtGrad SigmoidGrad SqrtGrad TanhGrad",
}  # fmt: skip
OF_LISTS = frozenset({"CTCBeamSearchDecoder", "ParseExample", "ParseExampleV2", "ParseSingleExample", "SparseSplit"})
"""Ops with several results some of which are lists: a place in a list is no number of a result."""
NAMES = {type: name for name, types in _ONE.items() for type in types.split()}


def called_results(type: str) -> Sequence[str]:
    """What the results of a node are called."""
    if type in SEVERAL or type in NAMES:
        return SEVERAL.get(type) or (NAMES[type],)
    forms = [form_of(direct.type) for direct in direct_nodes().get(type, ())]
    return next((form.results for form in forms if form is not None and form.results), ("output",))


def reference(node: str, type: str, output: int) -> str:
    """How a function refers to an output of a node."""
    names = called_results(type)
    return f"{node}:{names[0]}:{output}" if len(names) == 1 else f"{node}:{names[output]}:0"
