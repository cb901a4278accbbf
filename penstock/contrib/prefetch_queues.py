"""`tf.contrib.slim.prefetch_queue`: batches that are computed ahead, for several towers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import Tensor, convert_to_tensor, name_scope
from ..errors import UseError
from ..graph.common.tracebacks import hides_frames
from ..queues.queue_classes import FIFOQueue, PaddingFIFOQueue
from ..queues.queue_runner import QueueRunner, add_queue_runner

__all__ = ["prefetch_queue"]


class _PrefetchQueue:
    """A queue whose elements come as they were given: a list, a dict or one tensor."""

    def __init__(self, queue: Any, keys: Sequence[str] | None) -> None:
        self._queue, self._keys = queue, keys

    def dequeue(self, name: str | None = None) -> Any:
        """The next element: tensors in the structure that went in."""
        return self._as_given(self._queue.dequeue(name))

    def _as_given(self, parts: Any) -> Any:
        if self._keys is None:
            return parts
        return dict(zip(self._keys, parts if isinstance(parts, (list, tuple)) else [parts], strict=True))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queue, name)


@hides_frames
def prefetch_queue(
    tensors: Any,
    capacity: int = 8,
    num_threads: int = 1,
    dynamic_pad: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """A queue of batches that queue runners compute ahead.

    Args:
        tensors: a list, or a dict, of tensors whose shapes are known, such as `tf.train.batch` gives.
        capacity: how many elements the queue holds.
        num_threads: how many threads compute elements.
        dynamic_pad: whether sizes may be open: elements are then padded to the largest of what is dequeued together.
        shared_name: the name of the queue in other sessions.
        name: a name for the operations.

    Returns:
        A queue; its `dequeue()` gives a list or dict of tensors, as `tensors` is.

    Raises:
        TypeError: `tensors` is no list and no dict.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     queue = tf.contrib.slim.prefetch_queue.prefetch_queue([tf.constant([1, 2]), tf.constant([3, 4])])
    ...     images, labels = queue.dequeue()
    ...     coord = tf.train.Coordinator()
    ...     threads = tf.train.start_queue_runners(session, coord)
    ...     print(session.run([images, labels]))
    ...     coord.request_stop(); coord.join(threads)
    [array([1, 2], dtype=int32), array([3, 4], dtype=int32)]

    Source: TensorFlow 1.x, `tf.contrib.slim.prefetch_queue.prefetch_queue`.
    """
    if not isinstance(tensors, (list, tuple, Mapping)):
        raise UseError(f"prefetch_queue: tensors is {tensors!r:.60}; it must be a list or a dict of tensors; write "
                       "[images, labels]")  # fmt: skip
    keys = sorted(tensors) if isinstance(tensors, Mapping) else None
    values: list[Tensor] = [convert_to_tensor(each) for each in ([tensors[k] for k in keys] if keys else tensors)]
    with name_scope(name, "prefetch_queue", values):
        kind = PaddingFIFOQueue if dynamic_pad else FIFOQueue
        queue = kind(capacity, [t.dtype for t in values], [t.shape for t in values], shared_name=shared_name)
        add_queue_runner(QueueRunner(queue, [queue.enqueue(values)] * num_threads))
    return _PrefetchQueue(queue, keys)
