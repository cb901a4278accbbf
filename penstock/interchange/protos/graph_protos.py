"""`GraphDef` and what it is made of, with the interface of protobuf's classes.

    GraphDef           node: list of NodeDef; library: FunctionDefLibrary; versions: VersionDef
    NodeDef            name, op, input, device; attr: names -> AttrValue
    AttrValue          one of s, i, f, b, type, shape, tensor, list, func, placeholder
    TensorProto        dtype, tensor_shape, and the values as bytes or in a list
    TensorShapeProto   dim: list of sizes; -1 is not known

Source: TensorFlow's graph.proto, node_def.proto, attr_value.proto, tensor.proto, tensor_shape.proto, op_def.proto,
function.proto, versions.proto.
"""

from __future__ import annotations

from typing import Any

from ..records.proto_fields import Messages, NamedMessages, OneMessage
from ..records.proto_message import ProtoMessage
from .scalar_fields import (
    BOOL,
    BYTES,
    DOUBLE,
    ENUM,
    FLOAT,
    INT32,
    INT64,
    TEXT,
    NamedTexts,
    ScalarField,
    Scalars,
)


class _Dim(ProtoMessage):
    """One dimension of a TensorShapeProto."""

    size = ScalarField(1, INT64)
    name = ScalarField(2, TEXT)


class TensorShapeProto(ProtoMessage):
    """A shape as a message.

    Args:
        dim: a list of `TensorShapeProto.Dim(size=...)`; the size -1 is not known.
        unknown_rank: whether nothing is known.

    Raises:
        TypeError: an argument is another value.

    >>> import penstock as tf
    >>> proto = tf.TensorShape([None, 3]).as_proto()
    >>> [dim.size for dim in proto.dim]
    [-1, 3]

    Source: TensorFlow 1.x, `tf.TensorShapeProto`.
    """

    Dim = _Dim
    dim = Messages(2, _Dim)
    unknown_rank = ScalarField(3, BOOL)


class VersionDef(ProtoMessage):
    """Which TensorFlow wrote a graph.

    Args:
        producer: the number of the form of graphs that wrote it.
        min_consumer: the lowest number that may read it.
        bad_consumers: numbers that may not.

    Raises:
        TypeError: an argument is another value.

    >>> import penstock as tf
    >>> tf.Graph().as_graph_def().versions.producer
    440

    Source: TensorFlow 1.x, `tf.VersionDef`.
    """

    producer = ScalarField(1, INT32)
    min_consumer = ScalarField(2, INT32)
    bad_consumers = Scalars(3, INT32)


class TensorProto(ProtoMessage):
    """An array as a message. `tf.make_tensor_proto` makes one, `tf.make_ndarray` reads it.

    Args:
        dtype: the number of the dtype.
        tensor_shape: a `TensorShapeProto`.
        tensor_content: the values as bytes; or one of the lists `float_val`, `int_val` ..., of which the last value
            repeats.

    Raises:
        TypeError: an argument is another value.

    >>> import penstock as tf
    >>> tf.make_tensor_proto(1.5).float_val
    [1.5]

    Source: TensorFlow 1.x, `tf.TensorProto`.
    """

    dtype = ScalarField(1, ENUM)
    tensor_shape = OneMessage(2, TensorShapeProto)
    version_number = ScalarField(3, INT32)
    tensor_content = ScalarField(4, BYTES)
    half_val = Scalars(13, INT32)
    float_val = Scalars(5, FLOAT)
    double_val = Scalars(6, DOUBLE)
    int_val = Scalars(7, INT32)
    string_val = Scalars(8, BYTES)
    scomplex_val = Scalars(9, FLOAT)
    int64_val = Scalars(10, INT64)
    bool_val = Scalars(11, BOOL)
    dcomplex_val = Scalars(12, DOUBLE)
    uint32_val = Scalars(16, INT64)
    uint64_val = Scalars(17, INT64)


class NameAttrList(ProtoMessage):
    """A function with attributes, as the value of an attribute.

    Args:
        name: the name of the function.
        attr: a dict from names to `AttrValue`.

    Raises:
        TypeError: an argument is another value.

    >>> import penstock as tf
    >>> tf.NameAttrList(name="f").name
    'f'

    Source: TensorFlow 1.x, `tf.NameAttrList`.
    """

    name = ScalarField(1, TEXT)
    attr: NamedMessages[Any] = NamedMessages(2, ProtoMessage)  # of AttrValue, which is below


class _ListValue(ProtoMessage):
    """A list as the value of an attribute; one of the lists is used."""

    s = Scalars(2, BYTES)
    i = Scalars(3, INT64)
    f = Scalars(4, FLOAT)
    b = Scalars(5, BOOL)
    type = Scalars(6, ENUM)
    shape = Messages(7, TensorShapeProto)
    tensor = Messages(8, TensorProto)
    func = Messages(9, NameAttrList)


class AttrValue(ProtoMessage):
    """The value of an attribute. Setting one field removes the others.

    Args:
        s: bytes.
        i: an int.
        f: a float.
        b: a bool.
        type: the number of a dtype.
        shape: a `TensorShapeProto`.
        tensor: a `TensorProto`.
        list: an `AttrValue.ListValue`.
        func: a `NameAttrList`.
        placeholder: the name of an attribute of the function around.

    Raises:
        TypeError: an argument is another value.

    >>> import penstock as tf
    >>> value = tf.AttrValue(i=3)
    >>> value.WhichOneof("value"), value.i, value.HasField("s")
    ('i', 3, False)

    Source: TensorFlow 1.x, `tf.AttrValue`.
    """

    ONEOF = "value"
    ListValue = _ListValue
    list = OneMessage(1, _ListValue)
    s = ScalarField(2, BYTES, is_member=True)
    i = ScalarField(3, INT64, is_member=True)
    f = ScalarField(4, FLOAT, is_member=True)
    b = ScalarField(5, BOOL, is_member=True)
    type = ScalarField(6, ENUM, is_member=True)
    shape = OneMessage(7, TensorShapeProto)
    tensor = OneMessage(8, TensorProto)
    placeholder = ScalarField(9, TEXT, is_member=True)
    func = OneMessage(10, NameAttrList)


vars(NameAttrList)["attr"].kind = AttrValue


class NodeDef(ProtoMessage):
    """A node of a `GraphDef`.

    Args:
        name: its name.
        op: its type.
        input: what it reads: "node", "node:1", or "^node" for a control input.
        device: the device that it asks for.
        attr: a dict from names to `AttrValue`.

    Raises:
        TypeError: an argument is another value.

    >>> import penstock as tf
    >>> node = tf.NodeDef(name="y", op="Neg", input=["x"])
    >>> node.attr["T"].type = tf.float32.as_datatype_enum
    >>> print(str(node).splitlines()[2])
    input: "x"

    Source: TensorFlow 1.x, `tf.NodeDef`.
    """

    name = ScalarField(1, TEXT)
    op = ScalarField(2, TEXT)
    input = Scalars(3, TEXT)
    device = ScalarField(4, TEXT)
    attr = NamedMessages(5, AttrValue)


class _ArgDef(ProtoMessage):
    """An argument or a result of an op."""

    name = ScalarField(1, TEXT)
    description = ScalarField(2, TEXT)
    type = ScalarField(3, ENUM)
    type_attr = ScalarField(4, TEXT)
    number_attr = ScalarField(5, TEXT)
    type_list_attr = ScalarField(6, TEXT)
    is_ref = ScalarField(16, BOOL)


class _AttrDef(ProtoMessage):
    """An attribute of an op."""

    name = ScalarField(1, TEXT)
    type = ScalarField(2, TEXT)
    default_value = OneMessage(3, AttrValue)
    description = ScalarField(4, TEXT)
    has_minimum = ScalarField(5, BOOL)
    minimum = ScalarField(6, INT64)
    allowed_values = OneMessage(7, AttrValue)


class OpDef(ProtoMessage):
    """What an op takes and gives: `op.op_def`, and the signature of a function.

    Args:
        name: its type.
        input_arg: a list of `OpDef.ArgDef`.
        output_arg: the same.
        attr: a list of `OpDef.AttrDef`.
        is_stateful: whether it has an effect.

    Raises:
        TypeError: an argument is another value.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.matmul([[1.0]], [[2.0]]).op.op_def.name)
    MatMul

    Source: TensorFlow 1.x, `tf.OpDef`.
    """

    ArgDef = _ArgDef
    AttrDef = _AttrDef
    name = ScalarField(1, TEXT)
    input_arg = Messages(2, _ArgDef)
    output_arg = Messages(3, _ArgDef)
    attr = Messages(4, _AttrDef)
    summary = ScalarField(5, TEXT)
    description = ScalarField(6, TEXT)
    is_aggregate = ScalarField(16, BOOL)
    is_stateful = ScalarField(17, BOOL)
    is_commutative = ScalarField(18, BOOL)
    allows_uninitialized_input = ScalarField(19, BOOL)
    control_output = Scalars(20, TEXT)


class FunctionDef(ProtoMessage):
    """A function of a graph's library.

    Args:
        signature: an `OpDef`.
        node_def: a list of `NodeDef`.
        ret: a dict from results to "node:result:0".

    Raises:
        TypeError: an argument is another value.

    >>> import penstock as tf
    >>> tf.FunctionDef(signature=tf.OpDef(name="f")).signature.name
    'f'

    Source: TensorFlow, function.proto.
    """

    signature = OneMessage(1, OpDef)
    attr = NamedMessages(5, AttrValue)
    node_def = Messages(3, NodeDef)
    ret = NamedTexts(4)
    control_ret = NamedTexts(6)


class FunctionDefLibrary(ProtoMessage):
    """The functions of a graph."""

    function = Messages(1, FunctionDef)


class GraphDef(ProtoMessage):
    """A graph as a message: what `graph.as_graph_def()` gives and `tf.import_graph_def` takes.

    Args:
        node: a list of `NodeDef`.
        library: the functions that nodes call.
        versions: a `VersionDef`.

    Raises:
        TypeError: an argument is another value.

    >>> import penstock as tf
    >>> with tf.Graph().as_default() as g:
    ...     x = tf.placeholder(tf.float32, [2], name="x")
    ...     y = tf.negative(x, name="y")
    >>> graph_def = g.as_graph_def()
    >>> [(node.name, node.op, list(node.input)) for node in graph_def.node]
    [('x', 'Placeholder', []), ('y', 'Neg', ['x'])]
    >>> tf.GraphDef.FromString(graph_def.SerializeToString()) == graph_def
    True

    Source: TensorFlow 1.x, `tf.GraphDef`.
    """

    node = Messages(1, NodeDef)
    versions = OneMessage(4, VersionDef)
    version = ScalarField(3, INT32)
    library = OneMessage(2, FunctionDefLibrary)
