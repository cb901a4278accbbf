"""The protobuf messages of summaries and event files: Summary, Event, SessionLog and what they hold.

Programs make and read them as they did those of TensorFlow 1.x:

    tf.Summary(value=[tf.Summary.Value(tag="loss", simple_value=0.5)])

Source: TensorFlow's summary.proto, histogram.proto, event.proto.
"""

# the calls in the classes below return dataclasses.field(...)

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar, Self

from ..errors import DTypeError
from ..graph.common.quick_dataclass import dataclass
from ..interchange.tensorflow.wire.messages import TensorProto
from ..interchange.wire.message_fields import Field, fields_of, many, member, one
from ..interchange.wire.wire_format import decode, encode


class Message:
    """What all messages can do, under protobuf's names."""

    __slots__ = ()

    def SerializeToString(self) -> bytes:
        """The message as bytes, in protobuf's wire format.

        Returns:
            The bytes.

        >>> import penstock as tf
        >>> tf.Summary(value=[tf.Summary.Value(tag="a", simple_value=1.0)]).SerializeToString().hex()
        '0a080a0161150000803f'
        """
        return encode(self)

    @classmethod
    def FromString(cls, serialized: bytes) -> Self:
        """The message that bytes hold.

        Args:
            serialized: the bytes, in protobuf's wire format.

        Returns:
            A message of this class. Fields that the class does not know are left out.

        Raises:
            TypeError: `serialized` is not bytes.
            ValueError: the bytes are no such message.

        >>> import penstock as tf
        >>> tf.Summary.FromString(bytes.fromhex("0a080a0161150000803f")).value[0].tag
        'a'
        """
        if not isinstance(serialized, bytes):
            raise DTypeError(f"{cls.__name__}.FromString takes bytes, not {type(serialized).__name__}")
        found: Self = decode(cls, serialized)
        return found

    def ParseFromString(self, serialized: bytes) -> int:
        """Reads bytes into this message; what it held before is gone.

        Args:
            serialized: the bytes, in protobuf's wire format.

        Returns:
            How many bytes there were.

        Raises:
            TypeError: `serialized` is not bytes.
            ValueError: the bytes are no such message; this one keeps what it held.

        >>> import penstock as tf
        >>> summary = tf.Summary()
        >>> summary.ParseFromString(bytes.fromhex("0a080a0161150000803f"))
        10
        >>> summary.value[0].simple_value
        1.0
        """
        content = type(self).FromString(serialized)
        for each in _fields_of(type(self)):
            setattr(self, each.name, getattr(content, each.name))
        return len(serialized)

    def HasField(self, name: str) -> bool:
        """Whether a field that may be absent is there.

        Args:
            name: the name of the field.

        Returns:
            True or False.

        Raises:
            ValueError: there is no such field.

        >>> import penstock as tf
        >>> tf.Summary.Value(simple_value=0.0).HasField("simple_value")
        True
        """
        if name not in (each.name for each in _fields_of(type(self))):
            raise ValueError(f"{type(self).__name__} has no field {name!r}")
        return getattr(self, name) is not None


def _fields_of(kind: Any) -> tuple[Field, ...]:
    return fields_of(kind)


class MessageList(list[Any]):
    """A list of messages, to which `add` appends a new one."""

    def __init__(self, kind: type[Any], items: Any = ()) -> None:
        super().__init__(items)
        self._kind = kind

    def add(self, **fields: Any) -> Any:
        """Appends a new message and returns it.

        Args:
            fields: its fields by name.

        Returns:
            The message.

        Raises:
            TypeError: there is no such field.

        >>> import penstock as tf
        >>> summary = tf.Summary()
        >>> summary.value.add(tag="loss", simple_value=0.5).tag
        'loss'
        """
        made = self._kind(**fields)
        self.append(made)
        return made


def _messages(number: int, kind: type[Any]) -> Any:
    metadata = {"number": number, "kind": kind, "name": "", "repeated": True}
    return field(default_factory=lambda: MessageList(kind), metadata=metadata)


@dataclass(slots=True)
class HistogramProto(Message):
    """The histogram of some numbers.

    Args:
        min: the smallest number.
        max: the largest number.
        num: how many there are.
        sum: their sum.
        sum_squares: the sum of their squares.
        bucket_limit: the upper limit of each bucket, which it does not hold.
        bucket: how many numbers are in each.

    >>> import penstock as tf
    >>> tf.HistogramProto(num=2.0, bucket_limit=[1.0], bucket=[2.0]).num
    2.0
    """

    min: float = one(1, "double", 0.0)
    max: float = one(2, "double", 0.0)
    num: float = one(3, "double", 0.0)
    sum: float = one(4, "double", 0.0)
    sum_squares: float = one(5, "double", 0.0)
    bucket_limit: list[float] = many(6, "double")
    bucket: list[float] = many(7, "double")


@dataclass(slots=True)
class PluginOfValue(Message):
    """Which part of TensorBoard shows a value.

    Args:
        plugin_name: such as "text".
        content: what it needs to know.

    >>> import penstock as tf
    >>> tf.SummaryMetadata.PluginData(plugin_name="text").plugin_name
    'text'
    """

    plugin_name: str = one(1, "text", "")
    content: bytes = one(2, "bytes", b"")


@dataclass(slots=True)
class SummaryMetadata(Message):
    """What a value of a summary is.

    Args:
        plugin_data: which part of TensorBoard shows it.
        display_name: what it is called there.
        summary_description: what it means, in Markdown.
        data_class: what kind of data it is, a number of TensorFlow's.

    >>> import penstock as tf
    >>> tf.SummaryMetadata(display_name="Loss").SerializeToString()
    b'\\x12\\x04Loss'
    """

    PluginData: ClassVar[type[PluginOfValue]] = PluginOfValue

    plugin_data: PluginOfValue | None = one(1, PluginOfValue, None)
    display_name: str = one(2, "text", "")
    summary_description: str = one(3, "text", "")
    data_class: int = one(4, "int", 0)


@dataclass(slots=True)
class ImageValue(Message):
    """An encoded image.

    Args:
        height: its rows.
        width: its columns.
        colorspace: 1 grey, 3 RGB, 4 RGBA.
        encoded_image_string: a PNG or JPEG file.

    >>> import penstock as tf
    >>> tf.Summary.Image(height=2, width=3, colorspace=1).width
    3
    """

    height: int = one(1, "int", 0)
    width: int = one(2, "int", 0)
    colorspace: int = one(3, "int", 0)
    encoded_image_string: bytes = one(4, "bytes", b"")


@dataclass(slots=True)
class AudioValue(Message):
    """An encoded sound.

    Args:
        sample_rate: samples in a second.
        num_channels: how many channels it has.
        length_frames: its samples in one channel.
        encoded_audio_string: a WAV file.
        content_type: such as "audio/wav".

    >>> import penstock as tf
    >>> tf.Summary.Audio(num_channels=2).num_channels
    2
    """

    sample_rate: float = one(1, "float", 0.0)
    num_channels: int = one(2, "int", 0)
    length_frames: int = one(3, "int", 0)
    encoded_audio_string: bytes = one(4, "bytes", b"")
    content_type: str = one(5, "text", "")


@dataclass(slots=True)
class SummaryValue(Message):
    """One value of a summary: a tag, and a number, an image, a histogram, a sound or a tensor.

    Args:
        tag: its name in TensorBoard.
        simple_value: a number.
        image: an image.
        histo: a histogram.
        audio: a sound.
        node_name: the node that it comes from.
        tensor: a tensor, as a message.
        metadata: what it is.

    >>> import penstock as tf
    >>> tf.Summary.Value(tag="loss", simple_value=0.5).simple_value
    0.5
    """

    tag: str = one(1, "text", "")
    simple_value: float | None = member(2, "float")
    image: ImageValue | None = member(4, ImageValue)
    histo: HistogramProto | None = member(5, HistogramProto)
    audio: AudioValue | None = member(6, AudioValue)
    node_name: str = one(7, "text", "")
    tensor: TensorProto | None = member(8, TensorProto)
    metadata: SummaryMetadata | None = one(9, SummaryMetadata, None)


@dataclass(slots=True)
class SummaryProto(Message):
    """A list of values, each with a tag.

    Args:
        value: the values.

    >>> import penstock as tf
    >>> summary = tf.Summary(value=[tf.Summary.Value(tag="loss", simple_value=0.5)])
    >>> summary.value[0].tag
    'loss'
    """

    Value: ClassVar[type[SummaryValue]] = SummaryValue
    Image: ClassVar[type[ImageValue]] = ImageValue
    Audio: ClassVar[type[AudioValue]] = AudioValue

    value: Any = _messages(1, SummaryValue)  # a `MessageList`, of any list

    def __post_init__(self) -> None:
        self.value = MessageList(SummaryValue, self.value)


Summary = SummaryProto


@dataclass(slots=True)
class SessionLog(Message):
    """That a session started, stopped or saved a checkpoint.

    Args:
        status: START, STOP or CHECKPOINT.
        checkpoint_path: the checkpoint.
        msg: a remark.

    >>> import penstock as tf
    >>> tf.SessionLog(status=tf.SessionLog.START).status
    1
    """

    STATUS_UNSPECIFIED: ClassVar[int] = 0
    START: ClassVar[int] = 1
    STOP: ClassVar[int] = 2
    CHECKPOINT: ClassVar[int] = 3

    status: int = one(1, "int", 0)
    checkpoint_path: str = one(2, "text", "")
    msg: str = one(3, "text", "")


@dataclass(slots=True)
class LogMessage(Message):
    """A line of a log.

    Args:
        level: as in Python's logging.
        message: the line.

    >>> import penstock as tf
    >>> tf.LogMessage(level=20, message="started").message
    'started'
    """

    level: int = one(1, "int", 0)
    message: str = one(2, "text", "")


@dataclass(slots=True)
class TaggedRunMetadata(Message):
    """What happened in one run.

    Args:
        tag: its name in TensorBoard.
        run_metadata: a serialised RunMetadata message.

    >>> import penstock as tf
    >>> tf.Event(tagged_run_metadata=None).tagged_run_metadata is None
    True
    """

    tag: str = one(1, "text", "")
    run_metadata: bytes = one(2, "bytes", b"")


@dataclass(slots=True)
class Event(Message):
    """One record of an event file.

    Args:
        wall_time: seconds since 1970.
        step: the step of the training.
        file_version: of the first event, "brain.Event:2".
        graph_def: a serialised GraphDef.
        summary: a summary.
        log_message: a line of a log.
        session_log: what happened to a session.
        tagged_run_metadata: what happened in a run.
        meta_graph_def: a serialised MetaGraphDef.

    >>> import penstock as tf
    >>> tf.Event(wall_time=1.0, step=3, file_version="brain.Event:2").step
    3
    """

    wall_time: float = one(1, "double", 0.0)
    step: int = one(2, "int", 0)
    file_version: str | None = member(3, "text")
    graph_def: bytes | None = member(4, "bytes")
    summary: SummaryProto | None = member(5, SummaryProto)
    log_message: LogMessage | None = member(6, LogMessage)
    session_log: SessionLog | None = member(7, SessionLog)
    tagged_run_metadata: TaggedRunMetadata | None = member(8, TaggedRunMetadata)
    meta_graph_def: bytes | None = member(9, "bytes")

    def HasField(self, name: str) -> bool:
        """Whether a field that may be absent is there; a summary without values is none.

        Args:
            name: the name of the field.

        Returns:
            True or False.

        Raises:
            ValueError: there is no such field.

        >>> import penstock as tf
        >>> tf.Event(file_version="brain.Event:2").HasField("summary")
        False
        """
        there = Message.HasField(self, name)
        return there and not (name == "summary" and self.summary is not None and not self.summary.value)
