"""Signatures: what a model takes and gives, by names (`SignatureDef`), and the tensors in them (`TensorInfo`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import UseError, ValueRuleError
from ...graph.common.tracebacks import hides_frames
from ...graph.model.default_graph import get_default_graph
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.model.sparse_tensor import SparseTensor
from ...graph.model.tensor_source import TensorSource
from ...interchange.protos.model_protos import SignatureDef, TensorInfo
from . import model_constants as names


@hides_frames
def build_tensor_info(tensor: Any) -> TensorInfo:
    """A tensor as a `TensorInfo`.

    Args:
        tensor: a Tensor, a Variable or a SparseTensor.

    Returns:
        A `TensorInfo`.

    Raises:
        TypeError: it is something else.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     info = tf.saved_model.utils.build_tensor_info(tf.placeholder(tf.float32, [None, 2], name="x"))
    >>> info.name, tf.as_dtype(info.dtype), tf.TensorShape(info.tensor_shape)
    ('x:0', tf.float32, TensorShape((?, 2)))

    Source: TensorFlow 1.x, `tf.saved_model.build_tensor_info`.
    """
    if isinstance(tensor, TensorSource):
        tensor = tensor.element
    if isinstance(tensor, SparseTensor):
        made = TensorInfo(dtype=tensor.dtype, tensor_shape=tensor.get_shape().as_proto())
        made.coo_sparse.values_tensor_name = tensor.values.name
        made.coo_sparse.indices_tensor_name = tensor.indices.name
        made.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
        return made
    if not isinstance(tensor, Tensor):
        raise UseError(f"build_tensor_info: {tensor!r:.60} is no tensor; signatures are made of tensors of the graph")
    return TensorInfo(name=tensor.name, dtype=tensor.dtype, tensor_shape=tensor.shape.as_proto())


@hides_frames
def build_tensor_info_from_op(op: Any) -> TensorInfo:
    """An operation as a `TensorInfo`, as the operation that starts a model has it.

    Args:
        op: an Operation.

    Returns:
        A `TensorInfo` with the name of the operation.

    Raises:
        TypeError: it is something else.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.saved_model.utils.build_tensor_info_from_op(tf.no_op(name="start")).name)
    start

    Source: TensorFlow 1.x, `tf.saved_model.utils.build_tensor_info_from_op`.
    """
    if not isinstance(op, Operation):
        raise UseError(f"build_tensor_info_from_op: {op!r:.60} is no operation")
    return TensorInfo(name=op.name, dtype=0, tensor_shape={"unknown_rank": True})


@hides_frames
def get_tensor_from_tensor_info(tensor_info: Any, graph: Graph | None = None, import_scope: str | None = None) -> Any:
    """The tensor that a `TensorInfo` names.

    Args:
        tensor_info: a `TensorInfo`.
        graph: the graph; without it the default graph.
        import_scope: the scope into which the model was loaded.

    Returns:
        A Tensor or a SparseTensor.

    Raises:
        KeyError: there is no such tensor.
        ValueError: the message names none.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.placeholder(tf.float32, [2], name="x")
    ...     info = tf.saved_model.utils.build_tensor_info(x)
    ...     print(tf.saved_model.utils.get_tensor_from_tensor_info(info) is x)
    True

    Source: TensorFlow 1.x, `tf.saved_model.get_tensor_from_tensor_info`.
    """
    graph = graph or get_default_graph()
    before = f"{import_scope.rstrip('/')}/" if import_scope else ""
    kind = tensor_info.WhichOneof("encoding")
    if kind == "name":
        return graph.get_tensor_by_name(before + tensor_info.name)
    if kind == "coo_sparse":
        sparse = tensor_info.coo_sparse
        parts = (sparse.indices_tensor_name, sparse.values_tensor_name, sparse.dense_shape_tensor_name)
        return SparseTensor(*[graph.get_tensor_by_name(before + part) for part in parts])
    raise ValueRuleError(f"get_tensor_from_tensor_info: the TensorInfo names no tensor: {tensor_info!r:.80}")


# ---- signatures ---------------------------------------------------------------------------------


@hides_frames
def build_signature_def(
    inputs: Mapping[str, Any] | None = None, outputs: Mapping[str, Any] | None = None, method_name: str | None = None
) -> SignatureDef:
    """A signature.

    Args:
        inputs: a dict from names to `TensorInfo`.
        outputs: the same.
        method_name: what kind of call it is.

    Returns:
        A `SignatureDef`.

    Raises:
        TypeError: a value is no `TensorInfo`.

    >>> import penstock as tf
    >>> tf.saved_model.signature_def_utils.build_signature_def(method_name="m").method_name
    'm'

    Source: TensorFlow 1.x, `tf.saved_model.build_signature_def`.
    """
    return SignatureDef(inputs=inputs, outputs=outputs, method_name=method_name)


@hides_frames
def predict_signature_def(inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> SignatureDef:
    """The signature of a model that computes tensors from tensors.

    Args:
        inputs: a dict from names to tensors.
        outputs: the same.

    Returns:
        A `SignatureDef`.

    Raises:
        TypeError: a value is no tensor.
        ValueError: one of the two is empty.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.placeholder(tf.float32, [2], name="x")
    ...     signature = tf.saved_model.signature_def_utils.predict_signature_def({"in": x}, {"out": x + 1.0})
    >>> signature.outputs["out"].name
    'add:0'

    Source: TensorFlow 1.x, `tf.saved_model.predict_signature_def`.
    """
    return _signature(_given("predict", inputs=inputs, outputs=outputs), names.PREDICT_METHOD_NAME)


def _given(kind: str, **parts: Any) -> tuple[Any, Any]:
    for which, value in parts.items():
        if value is not None and not isinstance(value, Mapping):
            raise UseError(f"{kind}_signature_def: {which} is {value!r:.60}; it is a dict from names to tensors: write "
                           f'{{"{which[0]}": tensor}}')  # fmt: skip
        if not value:
            raise ValueRuleError(f"{kind}_signature_def: {which} is {value!r}; it must not be empty: write "
                                 f'{{"{which[0]}": tensor}}')  # fmt: skip
    return tuple(parts.values())


def _signature(parts: tuple[Any, Any], method_name: str) -> SignatureDef:
    inputs, outputs = [{key: build_tensor_info(value) for key, value in part.items()} for part in parts]
    return build_signature_def(inputs, outputs, method_name)


@hides_frames
def regression_signature_def(examples: Any, predictions: Any) -> SignatureDef:
    """The signature of a model that computes a number for each example.

    Args:
        examples: a tensor of serialised examples.
        predictions: a tensor of float32.

    Returns:
        A `SignatureDef`.

    Raises:
        TypeError: one is no tensor.
        ValueError: it has another dtype.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.placeholder(tf.string, [None], name="x")
    ...     y = tf.string_to_number(x, name="y")
    ...     print(tf.saved_model.signature_def_utils.regression_signature_def(x, y).method_name)
    tensorflow/serving/regress

    Source: TensorFlow 1.x, `tf.saved_model.regression_signature_def`.
    """
    for which, tensor, dtype in (("examples", examples, "string"), ("predictions", predictions, "float32")):
        _check(f"regression_signature_def: {which}", tensor, dtype)
    return _signature(({names.REGRESS_INPUTS: examples}, {names.REGRESS_OUTPUTS: predictions}),
                      names.REGRESS_METHOD_NAME)  # fmt: skip


def _check(what: str, tensor: Any, dtype: str) -> None:
    if not isinstance(tensor, Tensor):
        raise UseError(f"{what} is {tensor!r:.60}; it must be a tensor of {dtype}")
    if tensor.dtype.name != dtype:
        raise ValueRuleError(f"{what} is {tensor.dtype.name}; it must be {dtype}")


@hides_frames
def classification_signature_def(examples: Any, classes: Any, scores: Any) -> SignatureDef:
    """The signature of a model that computes classes for each example.

    Args:
        examples: a tensor of serialised examples.
        classes: a tensor of strings, or None.
        scores: a tensor of float32, or None.

    Returns:
        A `SignatureDef`.

    Raises:
        TypeError: one is no tensor.
        ValueError: it has another dtype, or classes and scores are both None.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.placeholder(tf.string, [None], name="x")
    ...     print(sorted(tf.saved_model.signature_def_utils.classification_signature_def(x, x, None).outputs))
    ['classes']

    Source: TensorFlow 1.x, `tf.saved_model.classification_signature_def`.
    """
    if classes is None and scores is None:
        raise ValueRuleError("classification_signature_def: classes and scores are both None; give one of them")
    _check("classification_signature_def: examples", examples, "string")
    outputs = {}
    if classes is not None:
        _check("classification_signature_def: classes", classes, "string")
        outputs[names.CLASSIFY_OUTPUT_CLASSES] = classes
    if scores is not None:
        _check("classification_signature_def: scores", scores, "float32")
        outputs[names.CLASSIFY_OUTPUT_SCORES] = scores
    return _signature(({names.CLASSIFY_INPUTS: examples}, outputs), names.CLASSIFY_METHOD_NAME)


def is_valid_signature(signature_def: Any) -> bool:
    """Whether a signature has what its method needs.

    Args:
        signature_def: a `SignatureDef`.

    Returns:
        A bool.

    >>> import penstock as tf
    >>> tf.saved_model.signature_def_utils.is_valid_signature(None)
    False

    Source: TensorFlow 1.x, `tf.saved_model.is_valid_signature`.
    """
    if signature_def is None or not signature_def.inputs or not signature_def.outputs:
        return False
    method = signature_def.method_name
    if method == names.PREDICT_METHOD_NAME:
        return True
    outputs = set(signature_def.outputs)
    if list(signature_def.inputs) != ["inputs"]:
        return False
    if method == names.CLASSIFY_METHOD_NAME:
        return bool(outputs) and outputs <= {names.CLASSIFY_OUTPUT_CLASSES, names.CLASSIFY_OUTPUT_SCORES}
    return bool(method == names.REGRESS_METHOD_NAME) and outputs == {names.REGRESS_OUTPUTS}
