"""`tf.train.QueueRunner`: threads that fill a queue."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from logging import getLogger
from typing import Any

from ..errors import CancelledError, OutOfRangeError, SessionClosedError, UseError, ValueRuleError
from ..graph.common.locks import LockKind, new_lock
from ..graph.common.tracebacks import hides_frames
from ..graph.model.default_graph import get_default_graph
from ..graph.model.nodes import Operation
from ..runtime.session.default_session import get_default_session
from ..variables.graph_keys import GraphKeys
from .coordinator import Coordinator
from .queue_classes import QueueBase


class QueueRunner:
    """The operations that fill a queue, and threads that run them until there is nothing more to put in.

    Args:
        queue: the queue.
        enqueue_ops: an operation for each thread.
        close_op: runs when the last thread has ended; by default it closes the queue.
        cancel_op: runs when a stop is requested; by default it closes the queue, and ends the waiting of its threads.
        queue_closed_exception_types: errors that mean an end like any other; by default OutOfRangeError.

    Raises:
        TypeError: something is no queue or operation.
        ValueError: there are no operations.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     queue = tf.FIFOQueue(3, tf.float32, shapes=[])
    ...     runner = tf.train.QueueRunner(queue, [queue.enqueue(5.0)])
    ...     coordinator = tf.train.Coordinator()
    ...     threads = runner.create_threads(session, coordinator, start=True)
    ...     print(session.run(queue.dequeue_many(4)))
    ...     coordinator.request_stop()
    ...     coordinator.join(threads)
    [5. 5. 5. 5.]

    Source: TensorFlow 1.x, `tf.train.QueueRunner`.
    """

    @hides_frames
    def __init__(
        self, queue: QueueBase, enqueue_ops: Sequence[Any], close_op: Operation | None = None,
        cancel_op: Operation | None = None, queue_closed_exception_types: tuple[type[Exception], ...] | None = None,
    ) -> None:  # fmt: skip
        if not isinstance(queue, QueueBase):
            raise UseError(f"QueueRunner: {queue!r:.80} is no queue")
        if not enqueue_ops:
            raise ValueRuleError("QueueRunner: enqueue_ops is empty; give an operation for each thread, such as "
                                 "[queue.enqueue(x)] * 4")  # fmt: skip
        self._queue = queue
        self._enqueue_ops = list(enqueue_ops)
        self._close_op = close_op if close_op is not None else queue.close()
        self._cancel_op = cancel_op if cancel_op is not None else queue.close(cancel_pending_enqueues=True)
        self._closed_types = queue_closed_exception_types or (OutOfRangeError,)
        self._lock = new_lock(LockKind.OBJECTS)
        self._runs: dict[int, int] = {}
        self._errors: list[Exception] = []

    @property
    def queue(self) -> QueueBase:
        """The queue."""
        return self._queue

    @property
    def enqueue_ops(self) -> list[Any]:
        """The operations that fill it."""
        return self._enqueue_ops

    @property
    def close_op(self) -> Operation:
        """What runs when the last thread has ended."""
        return self._close_op

    @property
    def cancel_op(self) -> Operation:
        """What runs when a stop is requested."""
        return self._cancel_op

    @property
    def queue_closed_exception_types(self) -> tuple[type[Exception], ...]:
        """The errors that mean an end like any other."""
        return self._closed_types

    @property
    def name(self) -> str:
        """The name of the queue."""
        return self._queue.name

    @property
    def exceptions_raised(self) -> list[Exception]:
        """Errors of threads without a coordinator."""
        return self._errors

    @hides_frames
    def create_threads(
        self, sess: Any, coord: Coordinator | None = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """A thread for each operation, and one that ends their waiting when the coordinator stops.

        Args:
            sess: the session. The threads end with it.
            coord: the coordinator; its stop ends them, and an error of a thread stops it.
            daemon: whether they are daemon threads, which a program does not wait for at its end.
            start: whether they are started.

        Returns:
            A list of threads; an empty one if they run already.

        Raises:
            AttributeError: `sess` is no session.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     queue = tf.FIFOQueue(3, tf.float32, shapes=[])
        ...     runner = tf.train.QueueRunner(queue, [queue.enqueue(5.0)] * 2)
        ...     print(len(runner.create_threads(session)))
        2
        """
        with self._lock:
            if self._runs.get(id(sess), 0) > 0:
                return []
            self._runs[id(sess)] = len(self._enqueue_ops)
            self._errors = []
        threads = [
            threading.Thread(target=self._run, args=(sess, each, coord), daemon=True,
                             name=f"QueueRunnerThread-{self.name}-{i}")
            for i, each in enumerate(self._enqueue_ops)
        ]  # fmt: skip
        if coord is not None:
            threads.append(threading.Thread(target=self._close_on_stop, args=(sess, coord), daemon=True,
                                            name=f"QueueRunnerThread-{self.name}-close_on_stop"))  # fmt: skip
            for each in threads:
                coord.register_thread(each)
        del daemon  # a thread that fills a queue is none that a program waits for
        if start:
            for each in threads:
                each.start()
        return threads

    def _run(self, sess: Any, enqueue_op: Any, coord: Coordinator | None) -> None:
        has_ended = False
        try:
            put = sess.make_callable(enqueue_op)
            moves = sess._moves(enqueue_op)
            while coord is None or not coord.should_stop():
                try:
                    if not moves():
                        put()
                except self._closed_types:
                    has_ended = True
                    if self._has_ended(sess):
                        _run_quietly(sess, self._close_op)
                    return
        except (CancelledError, SessionClosedError):
            return  # by the coordinator, or the end of the session
        except Exception as error:
            if coord is not None:
                coord.request_stop(error)
            else:
                getLogger("penstock").error("Exception in QueueRunner: %s", error)
                self._errors.append(error)
        finally:
            if not has_ended:
                self._has_ended(sess)

    def _has_ended(self, sess: Any) -> bool:
        """Note that a thread has ended; whether it was the last."""
        with self._lock:
            left = self._runs.get(id(sess), 0) - 1
            self._runs[id(sess)] = max(left, 0)
            return left == 0

    def _close_on_stop(self, sess: Any, coord: Coordinator) -> None:
        while not coord.wait_for_stop(0.2):
            if sess.objects.is_closed:
                return
        _run_quietly(sess, self._cancel_op)


def _run_quietly(sess: Any, operation: Operation) -> None:
    """Run what closes a queue; it may be closed, or the session."""
    try:
        sess.run(operation)
    except (CancelledError, SessionClosedError):
        return
    except Exception as error:
        getLogger("penstock").info("Ignored exception: %s", error)


@hides_frames
def add_queue_runner(qr: QueueRunner, collection: str = GraphKeys.QUEUE_RUNNERS) -> None:
    """Adds a queue runner to those that `start_queue_runners` starts.

    Args:
        qr: a `QueueRunner`.
        collection: the collection of the graph.

    Raises:
        TypeError: it is no queue runner.

    >>> import penstock as tf
    >>> with tf.Graph().as_default() as graph:
    ...     queue = tf.FIFOQueue(3, tf.float32, shapes=[])
    ...     tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(5.0)]))
    ...     len(graph.get_collection(tf.GraphKeys.QUEUE_RUNNERS))
    1

    Source: TensorFlow 1.x, `tf.train.add_queue_runner`.
    """
    if not isinstance(qr, QueueRunner):
        raise UseError(f"add_queue_runner: {qr!r:.80} is no QueueRunner")
    get_default_graph().add_to_collection(collection, qr)


@hides_frames
def start_queue_runners(
    sess: Any = None, coord: Coordinator | None = None, daemon: bool = True, start: bool = True,
    collection: str = GraphKeys.QUEUE_RUNNERS,
) -> list[threading.Thread]:  # fmt: skip
    """Start the threads of all queue runners of the session's graph.

    Args:
        sess: the session; without it, the default session.
        coord: the coordinator.
        daemon: whether they are daemon threads.
        start: whether they are started.
        collection: the collection of the graph.

    Returns:
        A list of threads.

    Raises:
        ValueError: there is no session.
        TypeError: `sess` is none.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     coordinator = tf.train.Coordinator()
    ...     print(tf.train.start_queue_runners(session, coordinator))
    []

    Source: TensorFlow 1.x, `tf.train.start_queue_runners`.
    """
    if sess is None:
        sess = get_default_session()
        if sess is None:
            raise ValueRuleError(
                "Cannot start queue runners: No default session is registered. Use `with sess.as_default()` or pass an "
                "explicit session to tf.start_queue_runners(sess=sess)"
            )
    if not hasattr(sess, "graph") or not hasattr(sess, "run"):
        raise UseError(f"start_queue_runners: sess must be a tf.Session, not {sess!r:.80}")
    runners: Iterable[QueueRunner] = sess.graph.get_collection(collection)
    return [thread for each in runners for thread in each.create_threads(sess, coord, daemon, start)]
