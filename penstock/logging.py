"""Messages of a program: the names of `tf.logging`, on Python's logging, as in TensorFlow 1.15.

The logger is called "penstock". Messages go to the standard error, as `WARNING:penstock:...`, unless the program has
given the logger, or the root logger, a handler of its own. `tf.app.run` gives the root logger that of absl, whose
options `--verbosity` and `--alsologtostderr` then count.
"""

from __future__ import annotations

import logging as _logging
import sys as _sys
from collections import Counter as _Counter
from typing import Any, Final

DEBUG: Final = _logging.DEBUG
INFO: Final = _logging.INFO
WARN: Final = _logging.WARNING
WARNING: Final = _logging.WARNING
ERROR: Final = _logging.ERROR
FATAL: Final = _logging.CRITICAL

_logger = _logging.getLogger("penstock")
_counts: _Counter[tuple[str, int]] = _Counter()


class _ErrorStream(_logging.StreamHandler[Any]):
    """Writes to what is the standard error at that moment."""

    def emit(self, record: _logging.LogRecord) -> None:
        if not _logging.getLogger().handlers:  # or the record is printed by them
            self.stream = _sys.stderr
            super().emit(record)


def _prepare() -> None:
    if not _logger.handlers:
        handler = _ErrorStream()
        handler.setFormatter(_logging.Formatter(_logging.BASIC_FORMAT))
        _logger.addHandler(handler)


_prepare()


def set_verbosity(v: int) -> None:
    """Sets the level below which messages are not shown.

    Initially it is the root logger's: `WARN`, and in a program that `tf.app.run` starts `INFO`, or what the option
    `--verbosity` says.

    Args:
        v: `DEBUG`, `INFO`, `WARN`, `ERROR` or `FATAL`.

    Raises:
        TypeError, ValueError: it is no level.

    >>> import penstock as tf
    >>> tf.logging.set_verbosity(tf.logging.ERROR)
    >>> tf.logging.get_verbosity() == tf.logging.ERROR
    True
    >>> tf.logging.set_verbosity(tf.logging.WARN)
    """
    _logger.setLevel(v)


def get_verbosity() -> int:
    """The level below which messages are not shown.

    Returns:
        `DEBUG`, `INFO`, `WARN`, `ERROR` or `FATAL`.

    >>> import penstock as tf
    >>> tf.logging.set_verbosity(tf.logging.WARN)
    >>> tf.logging.get_verbosity()
    30
    """
    return _logger.getEffectiveLevel()


def log(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Shows a message of some level.

    Args:
        level: `DEBUG`, `INFO`, `WARN`, `ERROR` or `FATAL`.
        msg: the message, with places such as %s for `args`.
        args: what stands in these places.
        kwargs: as in `logging.log` of Python.

    Raises:
        TypeError: `level` is not an int.

    >>> import penstock as tf
    >>> tf.logging.log(tf.logging.DEBUG, "step %d", 3)
    """
    _logger.log(level, msg, *args, stacklevel=2, **kwargs)


def vlog(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Shows a message of some level: `log` under another name.

    Args:
        level: as in `log`.
        msg: as in `log`.
        args: as in `log`.
        kwargs: as in `log`.

    Raises:
        TypeError: `level` is not an int.

    >>> import penstock as tf
    >>> tf.logging.vlog(1, "step %d", 3)
    """
    _logger.log(level, msg, *args, stacklevel=2, **kwargs)


def debug(msg: str, *args: Any, **kwargs: Any) -> None:
    """Shows a message of level `DEBUG`.

    Args:
        msg: the message, with places such as %s for `args`.
        args: what stands in these places.
        kwargs: as in `logging.debug` of Python.

    >>> import penstock as tf
    >>> tf.logging.debug("step %d", 3)
    """
    _logger.debug(msg, *args, stacklevel=2, **kwargs)


def info(msg: str, *args: Any, **kwargs: Any) -> None:
    """Shows a message of level `INFO`.

    Args:
        msg: the message, with places such as %s for `args`.
        args: what stands in these places.
        kwargs: as in `logging.info` of Python.

    >>> import penstock as tf
    >>> tf.logging.info("loss %.2f", 0.5)
    """
    _logger.info(msg, *args, stacklevel=2, **kwargs)


def warn(msg: str, *args: Any, **kwargs: Any) -> None:
    """Shows a message of level `WARN`.

    Args:
        msg: the message, with places such as %s for `args`.
        args: what stands in these places.
        kwargs: as in `logging.warning` of Python.

    >>> import penstock as tf
    >>> tf.logging.warn("%d rows are empty", 3)
    """
    _logger.warning(msg, *args, stacklevel=2, **kwargs)


def warning(msg: str, *args: Any, **kwargs: Any) -> None:
    """Shows a message of level `WARN`.

    Args:
        msg: as in `warn`.
        args: as in `warn`.
        kwargs: as in `warn`.

    >>> import penstock as tf
    >>> tf.logging.warning("no rows")
    """
    _logger.warning(msg, *args, stacklevel=2, **kwargs)


def error(msg: str, *args: Any, **kwargs: Any) -> None:
    """Shows a message of level `ERROR`.

    Args:
        msg: the message, with places such as %s for `args`.
        args: what stands in these places.
        kwargs: as in `logging.error` of Python.

    >>> import penstock as tf
    >>> tf.logging.error("no file %r", "a.csv")
    """
    _logger.error(msg, *args, stacklevel=2, **kwargs)


def fatal(msg: str, *args: Any, **kwargs: Any) -> None:
    """Shows a message of level `FATAL`. The program goes on, as with TensorFlow 1.x.

    Args:
        msg: the message, with places such as %s for `args`.
        args: what stands in these places.
        kwargs: as in `logging.critical` of Python.

    >>> import penstock as tf
    >>> tf.logging.fatal("no data")
    """
    _logger.critical(msg, *args, stacklevel=2, **kwargs)


def log_if(level: int, msg: str, condition: bool, *args: Any) -> None:
    """Shows a message if a condition holds.

    Args:
        level: `DEBUG`, `INFO`, `WARN`, `ERROR` or `FATAL`.
        msg: the message, with places such as %s for `args`.
        condition: whether to show it.
        args: what stands in these places.

    >>> import penstock as tf
    >>> tf.logging.log_if(tf.logging.WARN, "no rows", False)
    """
    if condition:
        _logger.log(level, msg, *args, stacklevel=2)


def log_first_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Shows a message the first `n` times that this line of the program calls it.

    Args:
        level: `DEBUG`, `INFO`, `WARN`, `ERROR` or `FATAL`.
        msg: the message, with places such as %s for `args`.
        n: how often.
        args: what stands in these places.

    >>> import penstock as tf
    >>> for step in range(5):
    ...     tf.logging.log_first_n(tf.logging.WARN, "step %d", 2, step)
    """
    if _count_of_caller() < n:
        _logger.log(level, msg, *args, stacklevel=2)


def log_every_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Shows a message each `n`-th time that this line of the program calls it, beginning with the first.

    Args:
        level: `DEBUG`, `INFO`, `WARN`, `ERROR` or `FATAL`.
        msg: the message, with places such as %s for `args`.
        n: how often.
        args: what stands in these places.

    >>> import penstock as tf
    >>> for step in range(5):
    ...     tf.logging.log_every_n(tf.logging.WARN, "step %d", 3, step)
    """
    if _count_of_caller() % n == 0:
        _logger.log(level, msg, *args, stacklevel=2)


def _count_of_caller() -> int:
    """How often the line that called a function of this module has done so before."""
    frame = _sys._getframe(2)
    place = (frame.f_code.co_filename, frame.f_lineno)
    _counts[place] += 1
    return _counts[place] - 1


def flush() -> None:
    """Writes messages that are still in memory.

    >>> import penstock as tf
    >>> tf.logging.flush()
    """
    for handler in _logger.handlers:
        handler.flush()
