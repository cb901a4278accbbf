"""`tf.train.Example` and `SequenceExample` and what they are made of: rows of data as TensorFlow's programs store them.

    Example           features: Features
    SequenceExample   context: Features, feature_lists: FeatureLists
    Features          feature: names -> Feature
    FeatureLists      feature_list: names -> FeatureList
    FeatureList       feature: list of Feature
    Feature           one of bytes_list, float_list, int64_list, each with a list `value`

Source: TensorFlow's feature.proto and example.proto.
"""

from __future__ import annotations

from .proto_fields import Messages, NamedMessages, OneMessage, contents, floats, ints
from .proto_message import ProtoMessage


class BytesList(ProtoMessage):
    """A list of bytes.

    Args:
        value: the items, each bytes.

    Raises:
        TypeError: an item is no bytes, such as a str.

    >>> import penstock as tf
    >>> tf.train.BytesList(value=[b"one", b"two"]).value
    [b'one', b'two']

    Source: TensorFlow 1.x, `tf.train.BytesList`.
    """

    value = contents()


class FloatList(ProtoMessage):
    """A list of floats of 32 bits.

    Args:
        value: the numbers, which become the nearest float32.

    Raises:
        TypeError: an item is no number.

    >>> import penstock as tf
    >>> tf.train.FloatList(value=[1.5, 2]).value
    [1.5, 2.0]

    Source: TensorFlow 1.x, `tf.train.FloatList`.
    """

    value = floats()


class Int64List(ProtoMessage):
    """A list of ints of 64 bits.

    Args:
        value: the numbers.

    Raises:
        TypeError: an item is no int.
        ValueError: an item has more than 64 bits.

    >>> import penstock as tf
    >>> tf.train.Int64List(value=[1, -2]).value
    [1, -2]

    Source: TensorFlow 1.x, `tf.train.Int64List`.
    """

    value = ints()


class Feature(ProtoMessage):
    """One feature: a list of bytes, of floats or of ints. Setting one of them removes the others.

    Args:
        bytes_list: a `BytesList`.
        float_list: a `FloatList`.
        int64_list: an `Int64List`.

    Raises:
        TypeError: an argument is another value.

    >>> import penstock as tf
    >>> feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[3]))
    >>> feature.WhichOneof("kind"), feature.int64_list.value[0]
    ('int64_list', 3)

    Source: TensorFlow 1.x, `tf.train.Feature`.
    """

    ONEOF = "kind"
    bytes_list = OneMessage(1, BytesList)
    float_list = OneMessage(2, FloatList)
    int64_list = OneMessage(3, Int64List)


class Features(ProtoMessage):
    """Features by name.

    Args:
        feature: a dict from names to `Feature`.

    Raises:
        TypeError: a name is no str, or a value no `Feature`.

    >>> import penstock as tf
    >>> features = tf.train.Features()
    >>> features.feature["age"].int64_list.value.append(29)
    >>> sorted(features.feature)
    ['age']

    Source: TensorFlow 1.x, `tf.train.Features`.
    """

    feature = NamedMessages(1, Feature)


class FeatureList(ProtoMessage):
    """The features of the steps of a sequence.

    Args:
        feature: a list of `Feature`.

    Raises:
        TypeError: an item is no `Feature`.

    >>> import penstock as tf
    >>> steps = tf.train.FeatureList()
    >>> steps.feature.add().float_list.value.extend([0.5, 1.5])
    >>> len(steps.feature)
    1

    Source: TensorFlow 1.x, `tf.train.FeatureList`.
    """

    feature = Messages(1, Feature)


class FeatureLists(ProtoMessage):
    """Lists of features by name.

    Args:
        feature_list: a dict from names to `FeatureList`.

    Raises:
        TypeError: a name is no str, or a value no `FeatureList`.

    >>> import penstock as tf
    >>> lists = tf.train.FeatureLists()
    >>> lists.feature_list["words"].feature.add().bytes_list.value.append(b"a")
    >>> list(lists.feature_list)
    ['words']

    Source: TensorFlow 1.x, `tf.train.FeatureLists`.
    """

    feature_list = NamedMessages(1, FeatureList)


class Example(ProtoMessage):
    """One row of data: features by name. `tf.parse_example` makes tensors of many of them.

    Args:
        features: a `Features`.

    Raises:
        TypeError: `features` is another value.

    >>> import penstock as tf
    >>> example = tf.train.Example()
    >>> example.features.feature["age"].int64_list.value.append(29)
    >>> example.SerializeToString()
    b'\\n\\x0e\\n\\x0c\\n\\x03age\\x12\\x05\\x1a\\x03\\n\\x01\\x1d'
    >>> tf.train.Example.FromString(example.SerializeToString()) == example
    True

    Source: TensorFlow 1.x, `tf.train.Example`.
    """

    features = OneMessage(1, Features)


class SequenceExample(ProtoMessage):
    """A sequence: features of the whole, and for each name the features of its steps.

    Args:
        context: a `Features`.
        feature_lists: a `FeatureLists`.

    Raises:
        TypeError: an argument is another value.

    >>> import penstock as tf
    >>> sequence = tf.train.SequenceExample()
    >>> sequence.context.feature["length"].int64_list.value.append(1)
    >>> sequence.feature_lists.feature_list["x"].feature.add().float_list.value.append(0.5)
    >>> sequence.HasField("feature_lists")
    True

    Source: TensorFlow 1.x, `tf.train.SequenceExample`.
    """

    context = OneMessage(1, Features)
    feature_lists = OneMessage(2, FeatureLists)
