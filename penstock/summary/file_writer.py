"""`FileWriter`: writes summaries, graphs and records of runs as event files, which TensorBoard shows.

An event is added to the file when it comes; it is on disk after at most `max_queue` events, `flush_secs` seconds (seen
when the next one comes), a `flush` or a `close`.
"""

from __future__ import annotations

import os
import socket
import time
from typing import IO, Any

from ..errors import DTypeError, SessionClosedError, UseError
from ..graph.common.closing import ClosedByWith
from ..graph.common.tracebacks import hides_frames, hides_frames_of_methods
from ..graph.model.nodes import Graph, Tensor
from ..graph.model.tensor_source import TensorSource
from ..interchange.records.record_files import framed
from ..interchange.tensorflow.graphdef_writer import graphdef_to_look_at
from ..runtime.observe.run_metadata import RunMetadata
from .run_stats import run_metadata_bytes
from .summary_messages import Event, SessionLog, SummaryProto, TaggedRunMetadata

VERSION = "brain.Event:2"


@hides_frames_of_methods
class FileWriter(ClosedByWith):
    """Writes an event file into a folder, for TensorBoard: `tensorboard --logdir FOLDER`.

    Args:
        logdir: the folder, which is made if it is missing.
        graph: a graph, which is written at once.
        max_queue: after how many events the file is flushed.
        flush_secs: after how many seconds it is flushed.
        graph_def: a GraphDef instead of `graph`: bytes, or a message.
        filename_suffix: the end of the file's name.
        session: a session whose graph is meant.

    Raises:
        TypeError: an argument is of another type.
        OSError: the folder cannot be written to.

    >>> import glob, tempfile
    >>> import penstock as tf
    >>> with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default() as graph, tf.Session() as session:
    ...     loss = tf.placeholder(tf.float32, [], name="value")
    ...     summary = tf.summary.scalar("loss", loss)
    ...     with tf.summary.FileWriter(folder, graph) as writer:
    ...         for step in range(3):
    ...             writer.add_summary(session.run(summary, {loss: 1.0 / (step + 1)}), step)
    ...     path = glob.glob(f"{folder}/events*")[0]
    ...     print([event.step for event in tf.train.summary_iterator(path) if event.summary.value])
    [0, 1, 2]
    >>> with tempfile.TemporaryDirectory() as folder, tf.Session(graph=graph) as session:
    ...     writer = tf.summary.FileWriter(folder)
    ...     metadata = tf.RunMetadata()
    ...     _ = session.run(summary, {loss: 0.5}, run_metadata=metadata)
    ...     writer.add_graph(graph)
    ...     writer.add_run_metadata(metadata, "first run", 1)
    ...     writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), 1)
    ...     writer.add_meta_graph(b"", 1)
    ...     writer.add_event(tf.Event(wall_time=1.0, step=2, summary=tf.Summary()))
    ...     writer.flush()
    ...     writer.close()
    ...     writer.reopen()
    ...     print(writer.get_logdir() == folder, len(glob.glob(f"{folder}/*")))
    ...     writer.close()
    True 2

    Source: TensorFlow 1.x, `tf.summary.FileWriter`.
    """

    def __init__(
        self,
        logdir: str | bytes | os.PathLike[str],
        graph: Graph | None = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        graph_def: Any = None,
        filename_suffix: str | None = None,
        session: Any = None,
    ) -> None:
        if not isinstance(logdir, (str, bytes, os.PathLike)):
            raise UseError(f"FileWriter: logdir must be the path of a folder, not {logdir!r:.60}")
        for label, number in (("max_queue", max_queue), ("flush_secs", flush_secs)):
            if number is not None and (isinstance(number, bool) or not isinstance(number, (int, float))):
                raise UseError(f"FileWriter: {label} must be a number, not {number!r:.60}")
        self._folder = os.fsdecode(logdir)
        self._most = 10 if max_queue is None else max_queue
        self._seconds = 120 if flush_secs is None else flush_secs
        self._suffix = filename_suffix or ""
        self._told: set[str] = set()  # tags whose metadata is in the file
        self._waiting = 0
        self._file: IO[bytes] | None = None
        self._flush_at = 0.0
        os.makedirs(self._folder, exist_ok=True)
        self.reopen()
        if session is not None and graph is None:
            graph = session.graph
        if graph is not None or graph_def is not None:
            self.add_graph(graph, graph_def=graph_def)

    # ---- the file -----------------------------------------------------------------------------

    def reopen(self) -> None:
        """Opens a new file in the same folder, after `close`; it does nothing if one is open.

        Raises:
            OSError: the folder cannot be written to.
        """
        if self._file is None:
            self._told.clear()
            self._file = self._new_file()
            self._add(Event(file_version=VERSION))
            self.flush()

    def _new_file(self) -> IO[bytes]:
        base = os.path.join(self._folder, f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}")
        count = 0
        while True:
            try:
                return open(f"{base}{f'.{os.getpid()}.{count}' if count else ''}{self._suffix}", "xb")
            except FileExistsError:
                count += 1

    def flush(self) -> None:
        """Writes the events to disk.

        Raises:
            OSError: the disk is full.
        """
        if self._file is not None:
            self._file.flush()
        self._waiting = 0
        self._flush_at = time.monotonic() + self._seconds

    def close(self) -> None:
        """Flushes and closes the file. `reopen` opens another one; a second call does nothing.

        Raises:
            OSError: the disk is full.
        """
        if self._file is not None:
            file, self._file = self._file, None
            file.close()

    def get_logdir(self) -> str:
        """The folder.

        Returns:
            Its path.
        """
        return self._folder

    # ---- events -------------------------------------------------------------------------------

    def add_event(self, event: Any) -> None:
        """Writes an event.

        Args:
            event: a `tf.Event`, or one of another protobuf library.

        Raises:
            TypeError: it is no event.
            RuntimeError: the writer is closed.
        """
        own = event if isinstance(event, Event) else Event.FromString(_serialised(event, "add_event", "a tf.Event"))
        self._append(own.SerializeToString())

    def _add(self, event: Event, step: Any = None) -> None:
        event.wall_time = time.time()
        if step is not None:
            try:
                event.step = int(step)
            except (TypeError, ValueError):
                raise UseError(f"FileWriter: global_step must be an int, not {step!r:.60}") from None
        self._append(event.SerializeToString())

    def _append(self, record: bytes) -> None:
        if self._file is None:
            raise SessionClosedError("FileWriter: the writer is closed; call reopen(), which begins a new file")
        self._file.write(framed(record))
        self._waiting += 1
        if self._waiting >= self._most or time.monotonic() >= self._flush_at:
            self.flush()

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Writes a summary.

        Args:
            summary: a serialised summary, as a run gives it, or a `tf.Summary`.
            global_step: the step of the training that it belongs to.

        Raises:
            TypeError: it is no summary, or `global_step` is not an int.
            ValueError: the bytes are no summary.
            RuntimeError: the writer is closed.
        """
        given = _serialised(summary, "add_summary", "a serialised summary or a tf.Summary")
        own = SummaryProto.FromString(given)
        for value in own.value:  # TensorBoard needs the metadata of a tag once
            if value.metadata is not None:
                if value.tag in self._told:
                    value.metadata = None
                self._told.add(value.tag)
        self._add(Event(summary=own), global_step)

    def add_graph(self, graph: Any = None, global_step: Any = None, graph_def: Any = None) -> None:
        """Writes a graph.

        Args:
            graph: the graph.
            global_step: the step of the training that it belongs to.
            graph_def: a GraphDef instead: bytes, or a message.

        Raises:
            TypeError: it is no graph.
            ValueError: both are given, or neither.
            RuntimeError: the writer is closed.
        """
        if (graph is None) == (graph_def is None):
            raise ValueError("FileWriter.add_graph: give either graph or graph_def")
        if graph is not None and not isinstance(graph, Graph):
            graph, graph_def = None, graph
        if graph is not None:
            content = graphdef_to_look_at(graph)
        else:
            content = _serialised(graph_def, "add_graph", "a tf.Graph or a GraphDef")
        self._add(Event(graph_def=content), global_step)

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Writes a MetaGraphDef.

        Args:
            meta_graph_def: its bytes, or a message.
            global_step: the step of the training that it belongs to.

        Raises:
            TypeError: it is neither.
            RuntimeError: the writer is closed.
        """
        content = _serialised(meta_graph_def, "add_meta_graph", "a MetaGraphDef")
        self._add(Event(meta_graph_def=content), global_step)

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Writes that a session started, stopped or saved a checkpoint.

        Args:
            session_log: a `tf.SessionLog`.
            global_step: the step of the training that it belongs to.

        Raises:
            TypeError: it is none.
            RuntimeError: the writer is closed.
        """
        content = _serialised(session_log, "add_session_log", "a tf.SessionLog")
        self._add(Event(session_log=SessionLog.FromString(content)), global_step)

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: Any = None) -> None:
        """Writes the times and memory of a run, which TensorBoard shows beside the graph.

        Args:
            run_metadata: the `tf.RunMetadata` of the run.
            tag: its name in TensorBoard, another one for each run.
            global_step: the step of the training that it belongs to.

        Raises:
            TypeError: it is none, or has no record of a run.
            ValueError: the tag was used before.
            RuntimeError: the writer is closed.
        """
        if f"run {tag}" in self._told:
            raise ValueError("The provided tag was already used for this event type")
        if isinstance(run_metadata, RunMetadata):
            if run_metadata.record is None:
                raise UseError("FileWriter.add_run_metadata: run_metadata is empty; pass it to a Session.run first")
            content = run_metadata_bytes(run_metadata.record)
        else:
            content = _serialised(run_metadata, "add_run_metadata", "a tf.RunMetadata")
        self._told.add(f"run {tag}")
        self._add(Event(tagged_run_metadata=TaggedRunMetadata(tag, content)), global_step)


SummaryWriter = FileWriter


def _serialised(message: Any, call: str, wanted: str) -> bytes:
    """The bytes of a message of any library, or bytes themselves."""
    if isinstance(message, (Tensor, TensorSource)):
        raise DTypeError(f"FileWriter.{call} takes {wanted}, not {message!r:.80}, which has no value before a run: "
                         f"write writer.{call}(session.run(summary), step)")  # fmt: skip
    if hasattr(message, "SerializeToString"):
        message = message.SerializeToString()
    item = getattr(message, "item", None)
    if item is not None and not isinstance(message, bytes):
        message = item()
    if not isinstance(message, bytes):
        raise DTypeError(f"FileWriter.{call} takes {wanted}, not {message!r:.60}")
    return message


_writers: dict[str, FileWriter] = {}


class FileWriterCache:
    """The writers of a program, one for each folder.

    >>> import tempfile
    >>> import penstock as tf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     same = tf.summary.FileWriterCache.get(folder) is tf.summary.FileWriterCache.get(folder)
    ...     tf.summary.FileWriterCache.clear()
    >>> same
    True

    Source: TensorFlow 1.x, `tf.summary.FileWriterCache`.
    """

    @staticmethod
    @hides_frames
    def get(logdir: str | bytes | os.PathLike[str]) -> FileWriter:
        """The writer of the folder `logdir`.

        Args:
            logdir: the path of the folder.

        Returns:
            A `FileWriter`, the same one for each call.

        Raises:
            TypeError: it is no path.
        """
        if not isinstance(logdir, (str, bytes, os.PathLike)):
            raise UseError(f"FileWriterCache.get: logdir must be the path of a folder, not {logdir!r:.60}")
        key = os.fsdecode(logdir)
        return _writers.get(key) or _writers.setdefault(key, FileWriter(key))

    @staticmethod
    @hides_frames
    def clear() -> None:
        """Closes all writers and forgets them."""
        while _writers:
            _writers.popitem()[1].close()
