"""`MetaGraphDef`, `SavedModel` and what they are made of, with the interface of protobuf's classes.

    SavedModel         saved_model_schema_version; meta_graphs: list of MetaGraphDef
    MetaGraphDef       meta_info_def, graph_def, saver_def, asset_file_def; collection_def: names -> CollectionDef;
                       signature_def: names -> SignatureDef
    SignatureDef       inputs, outputs: names -> TensorInfo; method_name

Source: TensorFlow's meta_graph.proto, saved_model.proto, saver.proto.
"""

from __future__ import annotations

from typing import Any

from ..records.proto_fields import Messages, NamedMessages, OneMessage
from ..records.proto_message import ProtoMessage
from .graph_protos import GraphDef, TensorShapeProto
from .scalar_fields import BOOL, BYTES, ENUM, FLOAT, INT32, INT64, TEXT, ScalarField, Scalars


class _CooSparse(ProtoMessage):
    """The names of the three tensors of a SparseTensor."""

    values_tensor_name = ScalarField(1, TEXT)
    indices_tensor_name = ScalarField(2, TEXT)
    dense_shape_tensor_name = ScalarField(3, TEXT)


class TensorInfo(ProtoMessage):
    """A tensor of a signature: its name, dtype and shape. `build_tensor_info` makes one.

    Args:
        name: the name of the tensor.
        coo_sparse: instead of `name`, the names of the parts of a SparseTensor.
        dtype: the number of its dtype.
        tensor_shape: a `TensorShapeProto`.

    Raises:
        TypeError: an argument is another value.

    >>> import penstock as tf
    >>> tf.saved_model.TensorInfo(name="x:0").WhichOneof("encoding")
    'name'

    Source: TensorFlow 1.x, `tf.TensorInfo`.
    """

    ONEOF = "encoding"
    MEMBERS = frozenset({"name", "coo_sparse"})
    CooSparse = _CooSparse
    name = ScalarField(1, TEXT, is_member=True)
    coo_sparse = OneMessage(4, _CooSparse)
    dtype = ScalarField(2, ENUM)
    tensor_shape = OneMessage(3, TensorShapeProto)


class SignatureDef(ProtoMessage):
    """What a model takes and gives, by names: one way to call it.

    Args:
        inputs: a dict from names to `TensorInfo`.
        outputs: the same.
        method_name: what kind of call it is, such as "tensorflow/serving/predict".

    Raises:
        TypeError: an argument is another value.

    >>> import penstock as tf
    >>> tf.saved_model.SignatureDef(method_name="m").method_name
    'm'

    Source: TensorFlow 1.x, `tf.SignatureDef`.
    """

    inputs = NamedMessages(1, TensorInfo)
    outputs = NamedMessages(2, TensorInfo)
    method_name = ScalarField(3, TEXT)


class AssetFileDef(ProtoMessage):
    """A file that a model needs: its name in the folder of assets, and the tensor that is fed its path."""

    tensor_info = OneMessage(1, TensorInfo)
    filename = ScalarField(2, TEXT)


class SaverProto(ProtoMessage):
    """What a file says about its Saver: as `tf.train.SaverDef`, inside a MetaGraphDef."""

    filename_tensor_name = ScalarField(1, TEXT)
    save_tensor_name = ScalarField(2, TEXT)
    restore_op_name = ScalarField(3, TEXT)
    max_to_keep = ScalarField(4, INT32)
    sharded = ScalarField(5, BOOL)
    keep_checkpoint_every_n_hours = ScalarField(6, FLOAT)
    version = ScalarField(7, INT32)


class _NodeList(ProtoMessage):
    """Names of nodes or tensors."""

    value = Scalars(1, TEXT)


class _BytesList(ProtoMessage):
    """Messages, serialised."""

    value = Scalars(1, BYTES)


class _Int64List(ProtoMessage):
    """Ints."""

    value = Scalars(1, INT64)


class _FloatList(ProtoMessage):
    """Floats."""

    value = Scalars(1, FLOAT)


class _Any(ProtoMessage):
    """A message of a class that its name tells."""

    type_url = ScalarField(1, TEXT)
    value = ScalarField(2, BYTES)


class _AnyList(ProtoMessage):
    """Messages of any class."""

    value = Messages(1, _Any)


class CollectionDef(ProtoMessage):
    """A collection of a graph; one of the lists is there."""

    ONEOF = "kind"
    NodeList, BytesList, Int64List, FloatList, AnyList = _NodeList, _BytesList, _Int64List, _FloatList, _AnyList
    node_list = OneMessage(1, _NodeList)
    bytes_list = OneMessage(2, _BytesList)
    int64_list = OneMessage(3, _Int64List)
    float_list = OneMessage(4, _FloatList)
    any_list = OneMessage(5, _AnyList)


class _MetaInfoDef(ProtoMessage):
    """Facts about a MetaGraphDef."""

    meta_graph_version = ScalarField(1, TEXT)
    tags = Scalars(4, TEXT)
    tensorflow_version = ScalarField(5, TEXT)
    tensorflow_git_version = ScalarField(6, TEXT)
    stripped_default_attrs = ScalarField(7, BOOL)


class MetaGraphDef(ProtoMessage):
    """A graph with its collections, its Saver and its signatures, in TensorFlow's form.

    Args:
        meta_info_def: facts about it, such as its tags.
        graph_def: a `GraphDef`.
        saver_def: its Saver.
        collection_def: a dict from keys to collections.
        signature_def: a dict from keys to `SignatureDef`.
        asset_file_def: a list of files that it needs.

    Raises:
        TypeError: an argument is another value.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(1.0, name="v")
    ...     meta = tf.train.export_meta_graph()
    >>> meta.collections(), len(meta.graph_def.node)
    (['trainable_variables', 'variables'], 4)

    Source: TensorFlow 1.x, `tf.MetaGraphDef`.
    """

    MetaInfoDef = _MetaInfoDef
    meta_info_def = OneMessage(1, _MetaInfoDef)
    graph_def = OneMessage(2, GraphDef)
    saver_def = OneMessage(3, SaverProto)
    collection_def = NamedMessages(4, CollectionDef)
    signature_def = NamedMessages(5, SignatureDef)
    asset_file_def = Messages(6, AssetFileDef)

    def collections(self) -> list[str]:
        """The keys of its collections.

        Returns:
            A list of strings.
        """
        keys: Any = self.collection_def
        return sorted(keys)


class SavedModel(ProtoMessage):
    """The content of a file saved_model.pb: graphs with tags.

    Args:
        saved_model_schema_version: 1.
        meta_graphs: a list of `MetaGraphDef`.

    Raises:
        TypeError: an argument is another value.

    >>> import penstock as tf
    >>> len(tf.saved_model.SavedModel().meta_graphs)
    0

    Source: TensorFlow, saved_model.proto.
    """

    saved_model_schema_version = ScalarField(1, INT64)
    meta_graphs = Messages(2, MetaGraphDef)
