"""The table of the operations that are written, and what to write instead of the others."""

from __future__ import annotations

from functools import cache

from ....graph.model.nodes import Operation
from .array_writes import ARRAY_WRITES
from .convolution_writes import CONVOLUTION_WRITES
from .elementwise_writes import ELEMENTWISE_WRITES, WriteRule
from .flow_writes import FLOW_WRITES
from .image_writes import IMAGE_WRITES
from .index_writes import INDEX_WRITES
from .move_writes import MOVE_WRITES
from .network_writes import NETWORK_WRITES
from .pooling_writes import POOLING_WRITES
from .reduction_writes import REDUCTION_WRITES

KINDS: dict[str, dict[str, WriteRule]] = {
    "Element by element": ELEMENTWISE_WRITES,
    "Moves and shapes": MOVE_WRITES,
    "Reductions": REDUCTION_WRITES,
    "Indexing": INDEX_WRITES,
    "Networks": NETWORK_WRITES,
    "Convolutions": CONVOLUTION_WRITES,
    "Pooling": POOLING_WRITES,
    "Images, texts, diagonals": IMAGE_WRITES,
    "Control flow and variables": FLOW_WRITES,
    "TensorArrays": ARRAY_WRITES,
}

INSTEAD = {
    "AsString": "ONNX says no format for numbers as text; fetch the numbers",
    "AllCandidateSampler": "draw the candidates outside and feed them",
    "CTCBeamSearchDecoder": "fetch the logits and decode them in the program that runs the model",
    "CTCGreedyDecoder": "fetch the logits and decode them in the program that runs the model",
    "CTCLoss": "fetch the logits; the loss is needed for training only",
    "Complex": "ONNX's operators take no complex numbers; write the real and imaginary parts",
    "DecodeCSV": "read the file in the program that runs the model, and feed numbers",
    "EditDistance": "fetch the texts' numbers and compare them in the program that runs the model",
    "HistogramFixedWidth": "count with tf.unsorted_segment_sum of ones",
    "Imag": "ONNX's operators take no complex numbers; write the real and imaginary parts",
    "Qr": "ONNX has no factorisations; compute it before, and feed the factors",
    "RandomShuffle": "draw an order in the program that runs the model, feed it, and gather",
    "StringFormat": "fetch the values, and write the text in the program that runs the model",
    "StringSplit": "split in the program that runs the model, and feed the words",
    **dict.fromkeys(
        ("RandomGamma", "RandomPoissonV2", "StatelessMultinomial", "StatelessRandomNormal", "StatelessRandomUniform",
         "StatelessRandomUniformInt", "StatelessTruncatedNormal", "TruncatedNormal"),
        "draw the numbers in the program that runs the model, and feed them",
    ),
}
"""What to write where an operation has no ONNX form."""

_BY_MODULE = {
    "ops.tensor_array": "read and write arrays at the counter of their loop, or write it with tf.scan or tf.map_fn: "
                        "its stacks are those of ONNX's Loop",
    "ops.sparse": "ONNX has no sparse tensors in nodes; write tf.sparse_tensor_to_dense before it",
    "ops.records": "read files in the program that runs the model, and feed arrays",
    "ops.datasets": "read data in the program that runs the model, and feed arrays",
    "ops.queues": "read data in the program that runs the model, and feed arrays",
    "ops.images.image_files": "read images in the program that runs the model, and feed arrays",
    "ops.candidates": "draw the candidates in the program that runs the model, and feed them",
    "ops.state": "a model of ONNX has no state; fetch what it would write",
    "ops.control.python_function": "a model of ONNX holds no Python function; write it with ops, or feed its result",
    "ops.create.constant_and_placeholder": "it is not among the feeds; name it there, or leave feeds out",
}


@cache
def write_rules() -> dict[str, WriteRule]:
    """The rules by the types of operations."""
    return {type: rule for kind in KINDS.values() for type, rule in kind.items()}


def write_rule(type: str) -> WriteRule | None:
    """The rule that writes operations of a type."""
    return write_rules().get(type)


def instead_of(op: Operation) -> str:
    """What to write instead of an operation that has no ONNX form."""
    if op.type in INSTEAD:
        return INSTEAD[op.type]
    for module, cure in _BY_MODULE.items():
        if module in op.opdef.__module__:
            return cure
    return "ONNX has no operator for it; compute it outside, and feed the result"
