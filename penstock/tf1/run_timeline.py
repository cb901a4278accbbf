"""`tensorflow.python.client.timeline`: a recorded run as a trace for chrome://tracing."""

from __future__ import annotations

from typing import Any

from ..graph.common.lazy_import import load
from ..runtime.observe.run_record import RunRecord

__all__ = ["Timeline"]


class Timeline:
    """The steps of a run, of the `step_stats` of its `RunMetadata`.

    >>> import penstock as tf
    >>> metadata = tf.RunMetadata()
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     _ = session.run(tf.zeros([2]) + 1.0, None, tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), metadata)
    >>> '"traceEvents"' in Timeline(metadata.step_stats).generate_chrome_trace_format()
    True

    Source: TensorFlow 1.x, `tensorflow.python.client.timeline.Timeline`.
    """

    def __init__(self, step_stats: RunRecord, graph: Any = None) -> None:
        self._record = step_stats

    def generate_chrome_trace_format(self, show_dataflow: bool = True, show_memory: bool = False) -> str:
        """The trace as JSON.

        Args:
            show_dataflow: taken for programs that give it; arrows are drawn where values cross machines.
            show_memory: taken too; the trace always has the bytes that were held.
        """
        load("penstock.show.formats.timeline")
        from ..show.formats.timeline import timeline_text

        return timeline_text(self._record)
