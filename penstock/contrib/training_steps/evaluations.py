"""Evaluations of checkpoints as `tf.contrib.training` and `tf.contrib.slim.evaluation` have them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ... import summary, train
from ...errors import ValueRuleError
from ...graph.model.default_graph import get_default_graph
from ...train.checkpoints.saver import Saver

_ALL_SUMMARIES = 0
"""`summary_op` by default: all summaries of the graph; None means none."""


def wait_for_new_checkpoint(
    checkpoint_dir: str, last_checkpoint: str | None = None, seconds_to_sleep: float = 1, timeout: float | None = None
) -> str | None:
    """Waits until a folder has another checkpoint.

    Args:
        checkpoint_dir: the folder.
        last_checkpoint: the path of the one that is known.
        seconds_to_sleep: how long it waits between two looks.
        timeout: the most seconds that it waits; None for ever.

    Returns:
        The path of the checkpoint; None where the time was over.

    Raises:
        OSError: the folder cannot be read.

    >>> import tempfile
    >>> import penstock as tf
    >>> print(tf.contrib.training.wait_for_new_checkpoint(tempfile.mkdtemp(), timeout=0.0))
    None

    Source: TensorFlow 1.x, `tf.contrib.training.wait_for_new_checkpoint`.
    """
    end = None if timeout is None else time.monotonic() + timeout
    while (path := train.latest_checkpoint(checkpoint_dir)) is None or path == last_checkpoint:
        if end is not None and time.monotonic() + seconds_to_sleep > end:
            return None
        time.sleep(seconds_to_sleep)
    return path


def checkpoints_iterator(
    checkpoint_dir: str, min_interval_secs: float = 0, timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:  # fmt: skip
    """The checkpoints of a folder as they come.

    Args:
        checkpoint_dir: the folder.
        min_interval_secs: the least time between two of them.
        timeout: the most seconds that it waits for one; None for ever.
        timeout_fn: called when that time is over; False waits again.

    Returns:
        An iterator over their paths.

    Raises:
        OSError: the folder cannot be read.

    >>> import tempfile
    >>> import penstock as tf
    >>> list(tf.contrib.training.checkpoints_iterator(tempfile.mkdtemp(), timeout=0.0))
    []

    Source: TensorFlow 1.x, `tf.contrib.training.checkpoints_iterator`.
    """
    path = None
    while True:
        new = wait_for_new_checkpoint(checkpoint_dir, path, timeout=timeout)
        if new is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        began, path = time.monotonic(), new
        yield path
        time.sleep(max(0.0, began + min_interval_secs - time.monotonic()))


class StopAfterNEvalsHook(train.SessionRunHook):
    """Ends a session after so many runs.

    Args:
        num_evals: how many; None for no end.
        log_progress: accepted for TensorFlow's sake.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     seven, hooks = tf.constant(7), [tf.contrib.training.StopAfterNEvalsHook(2)]
    ...     with tf.train.MonitoredSession(hooks=hooks) as session:
    ...         while not session.should_stop():
    ...             print(session.run(seven))
    7
    7
    """

    def __init__(self, num_evals: int | None, log_progress: bool = True) -> None:
        self._num_evals, self._done = num_evals, 0

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Counts the run."""
        self._done += 1
        if self._num_evals is not None and self._done >= self._num_evals:
            run_context.request_stop()


class SummaryAtEndHook(train.SessionRunHook):
    """Writes summaries when a session ends.

    Args:
        log_dir: the folder of the summaries.
        summary_writer: what writes them, in the place of a folder.
        summary_op: the summaries; by default all of the graph.
        feed_dict: what their run feeds.

    Raises:
        ValueError: neither folder nor writer is given.
    """

    def __init__(
        self, log_dir: str | None = None, summary_writer: Any = None, summary_op: Any = None, feed_dict: Any = None
    ) -> None:
        if summary_writer is None and not log_dir:
            raise ValueRuleError("One of log_dir or summary_writer should be used.")
        self._writer, self._log_dir = summary_writer, log_dir
        self._summary_op, self._feed_dict = summary_op, feed_dict

    def begin(self) -> None:
        """Takes the summaries of the graph."""
        if self._summary_op is None:
            self._summary_op = summary.merge_all()

    def end(self, session: Any) -> None:
        """Writes them."""
        if self._summary_op is None:
            return
        step = train.get_global_step(session.graph)
        fetches = [self._summary_op] if step is None else [self._summary_op, step]
        results = session.run(fetches, feed_dict=self._feed_dict)
        writer = summary.FileWriter(self._log_dir or "") if self._writer is None else self._writer
        writer.add_summary(results[0], int(results[1]) if step is not None else 0)
        writer.flush()


def evaluate_once(
    checkpoint_path: str | None, master: Any = "", scaffold: Any = None, eval_ops: Any = None, feed_dict: Any = None,
    final_ops: Any = None, final_ops_feed_dict: Any = None, hooks: Iterable[Any] | None = None, config: Any = None,
) -> Any:  # fmt: skip
    """Restores a checkpoint, runs `eval_ops` until a hook or the end of the data stops it, then `final_ops`.

    Args:
        checkpoint_path: the checkpoint; None for none.
        master, config: as in `tf.train.ChiefSessionCreator`.
        scaffold: a `tf.train.Scaffold`.
        eval_ops: what is run again and again, such as the updates of metrics; None for nothing.
        feed_dict: what these runs feed.
        final_ops: what is run at the end, such as the values of metrics.
        final_ops_feed_dict: what that run feeds.
        hooks: further hooks, such as `StopAfterNEvalsHook`.

    Returns:
        The values of `final_ops`; None without.

    Raises:
        ValueError: there is no such checkpoint.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     value, update = tf.metrics.mean(tf.constant([1.0, 3.0]))
    ...     hooks = [tf.contrib.training.StopAfterNEvalsHook(2)]
    ...     print(tf.contrib.training.evaluate_once(None, eval_ops=update, final_ops=value, hooks=hooks))
    2.0

    Source: TensorFlow 1.x, `tf.contrib.training.evaluate_once`.
    """
    final = train.FinalOpsHook(final_ops, final_ops_feed_dict)
    creator = train.ChiefSessionCreator(scaffold, master, config, checkpoint_filename_with_path=checkpoint_path)
    with train.MonitoredSession(creator, [*(hooks or ()), final]) as session:
        while eval_ops is not None and not session.should_stop():
            session.run(eval_ops, feed_dict)
    return final.final_ops_values


def evaluate_repeatedly(
    checkpoint_dir: str, master: Any = "", scaffold: Any = None, eval_ops: Any = None, feed_dict: Any = None,
    final_ops: Any = None, final_ops_feed_dict: Any = None, eval_interval_secs: float = 60,
    hooks: Iterable[Any] | None = None, config: Any = None, max_number_of_evaluations: int | None = None,
    timeout: float | None = None, timeout_fn: Callable[[], bool] | None = None,
) -> Any:  # fmt: skip
    """`evaluate_once` for each checkpoint that comes into a folder.

    Args:
        checkpoint_dir: the folder.
        master, scaffold, eval_ops, feed_dict, final_ops: as of `evaluate_once`.
        final_ops_feed_dict, hooks, config: as there.
        eval_interval_secs: the least time between two evaluations.
        max_number_of_evaluations: how many there are; None until the time is over.
        timeout, timeout_fn: as of `checkpoints_iterator`.

    Returns:
        The values of `final_ops` of the last one.

    Raises:
        ValueError: `max_number_of_evaluations` is not above 0.

    >>> import tempfile
    >>> import penstock as tf
    >>> print(tf.contrib.training.evaluate_repeatedly(tempfile.mkdtemp(), timeout=0.0))
    None

    Source: TensorFlow 1.x, `tf.contrib.training.evaluate_repeatedly`.
    """
    if max_number_of_evaluations is not None and max_number_of_evaluations <= 0:
        raise ValueRuleError("`max_number_of_evaluations` must be either None or a positive number.")
    every, values = list(hooks or ()), None
    paths = checkpoints_iterator(checkpoint_dir, eval_interval_secs, timeout, timeout_fn)
    for done, path in enumerate(paths, 1):
        for each in every:
            if isinstance(each, StopAfterNEvalsHook):
                each._done = 0
        values = evaluate_once(path, master, scaffold, eval_ops, feed_dict, final_ops, final_ops_feed_dict, every,
                               config)  # fmt: skip
        if done == max_number_of_evaluations:
            break
    return values


def _of_slim(
    logdir: str | None, num_evals: int, initial_op: Any, initial_op_feed_dict: Any, summary_op: Any,
    summary_op_feed_dict: Any, variables_to_restore: Any, hooks: Iterable[Any] | None,
) -> tuple[Any, list[Any]]:  # fmt: skip
    """The scaffold and the hooks of an evaluation as slim has them."""
    every = [StopAfterNEvalsHook(num_evals), *(hooks or ())]
    if summary_op is not None and logdir:
        told = None if isinstance(summary_op, int) else summary_op
        every.append(SummaryAtEndHook(logdir, summary_op=told, feed_dict=summary_op_feed_dict))
    saver = Saver(variables_to_restore) if variables_to_restore is not None or _variables() else None
    return train.Scaffold(init_op=initial_op, init_feed_dict=initial_op_feed_dict, saver=saver), every


def _variables() -> list[Any]:
    return get_default_graph().get_collection("variables")


def evaluate_once_of_slim(
    master: Any, checkpoint_path: str | None, logdir: str | None, num_evals: int = 1, initial_op: Any = None,
    initial_op_feed_dict: Any = None, eval_op: Any = None, eval_op_feed_dict: Any = None, final_op: Any = None,
    final_op_feed_dict: Any = None, summary_op: Any = _ALL_SUMMARIES, summary_op_feed_dict: Any = None,
    variables_to_restore: Any = None, session_config: Any = None, hooks: Iterable[Any] | None = None,
) -> Any:  # fmt: skip
    """Restores a checkpoint, runs `eval_op` so many times, then `final_op` and the summaries.

    Args:
        master, session_config: as in `tf.train.ChiefSessionCreator`.
        checkpoint_path: the checkpoint.
        logdir: the folder of the summaries.
        num_evals: how often `eval_op` is run.
        initial_op, initial_op_feed_dict: what is run first.
        eval_op, eval_op_feed_dict: what is run `num_evals` times, such as the updates of metrics.
        final_op, final_op_feed_dict: what is run at the end, such as the values of metrics.
        summary_op, summary_op_feed_dict: the summaries; by default all of the graph, None for none.
        variables_to_restore: the variables of the checkpoint; by default all.
        hooks: further hooks.

    Returns:
        The values of `final_op`; None without.

    Raises:
        ValueError: there is no such checkpoint.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     value, update = tf.metrics.mean(tf.constant([1.0, 3.0]))
    ...     print(tf.contrib.slim.evaluation.evaluate_once("", None, None, eval_op=update, final_op=value))
    2.0

    Source: TensorFlow 1.x, `tf.contrib.slim.evaluation.evaluate_once`.
    """
    scaffold, every = _of_slim(logdir, num_evals, initial_op, initial_op_feed_dict, summary_op, summary_op_feed_dict,
                               variables_to_restore, hooks)  # fmt: skip
    return evaluate_once(checkpoint_path, master, scaffold, eval_op, eval_op_feed_dict, final_op, final_op_feed_dict,
                         every, session_config)  # fmt: skip


def evaluation_loop(
    master: Any, checkpoint_dir: str, logdir: str | None, num_evals: int = 1, initial_op: Any = None,
    initial_op_feed_dict: Any = None, init_fn: Any = None, eval_op: Any = None, eval_op_feed_dict: Any = None,
    final_op: Any = None, final_op_feed_dict: Any = None, summary_op: Any = _ALL_SUMMARIES,
    summary_op_feed_dict: Any = None, variables_to_restore: Any = None, eval_interval_secs: float = 60,
    max_number_of_evaluations: int | None = None, session_config: Any = None, timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None, hooks: Iterable[Any] | None = None,
) -> Any:  # fmt: skip
    """`tf.contrib.slim.evaluation.evaluate_once` for each checkpoint that comes into a folder.

    Args:
        checkpoint_dir: the folder.
        master, logdir, num_evals, initial_op, initial_op_feed_dict, eval_op: as there.
        eval_op_feed_dict, final_op, final_op_feed_dict, summary_op, summary_op_feed_dict: as there.
        variables_to_restore, session_config, hooks: as there.
        init_fn: accepted for TensorFlow's sake.
        eval_interval_secs, max_number_of_evaluations: as of `tf.contrib.training.evaluate_repeatedly`.
        timeout, timeout_fn: as of `tf.contrib.training.checkpoints_iterator`.

    Returns:
        The values of `final_op` of the last one.

    Raises:
        ValueError: `max_number_of_evaluations` is not above 0.

    >>> import tempfile
    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     print(tf.contrib.slim.evaluation.evaluation_loop("", tempfile.mkdtemp(), None, timeout=0.0))
    None

    Source: TensorFlow 1.x, `tf.contrib.slim.evaluation.evaluation_loop`.
    """
    scaffold, every = _of_slim(logdir, num_evals, initial_op, initial_op_feed_dict, summary_op, summary_op_feed_dict,
                               variables_to_restore, hooks)  # fmt: skip
    return evaluate_repeatedly(
        checkpoint_dir, master, scaffold, eval_op, eval_op_feed_dict, final_op, final_op_feed_dict, eval_interval_secs,
        every, session_config, max_number_of_evaluations, timeout, timeout_fn,
    )  # fmt: skip


__all__ = [
    "StopAfterNEvalsHook", "SummaryAtEndHook", "checkpoints_iterator", "evaluate_once", "evaluate_repeatedly",
    "wait_for_new_checkpoint",
]  # fmt: skip
