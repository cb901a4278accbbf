"""`tf.train.Coordinator`: how several threads stop together."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..errors import CancelledError, OutOfRangeError
from ..graph.common.tracebacks import cut

_AGAIN = 0.05


class Coordinator:
    """Lets threads stop together: each asks `should_stop()`, any may `request_stop()`, one waits in `join`.

    Args:
        clean_stop_exception_types: exceptions that `request_stop` and `stop_on_exception` take as a stop without an
            error; by default OutOfRangeError and CancelledError.

    >>> import threading
    >>> import penstock as tf
    >>> coordinator, seen = tf.train.Coordinator(), []
    >>> def work():
    ...     while not coordinator.should_stop():
    ...         seen.append(len(seen))
    ...         if len(seen) == 3:
    ...             coordinator.request_stop()
    >>> thread = threading.Thread(target=work)
    >>> coordinator.register_thread(thread)
    >>> thread.start()
    >>> coordinator.wait_for_stop(timeout=60)
    True
    >>> coordinator.join()
    >>> seen, coordinator.raise_requested_exception()
    ([0, 1, 2], None)

    Source: TensorFlow 1.x, `tf.train.Coordinator`.
    """

    def __init__(self, clean_stop_exception_types: tuple[type[BaseException], ...] | None = None) -> None:
        self._clean = (OutOfRangeError, CancelledError) if clean_stop_exception_types is None else tuple(
            clean_stop_exception_types
        )
        self._is_stopping = False
        self._error: BaseException | None = None
        self._is_raised = False
        self._threads: set[threading.Thread] = set()
        self._waiting: list[Any] = []
        self.joined = False
        """Whether `join` has ended."""

    def request_stop(self, ex: Any = None) -> None:
        """Ask all threads to stop.

        Args:
            ex: an exception, or what `sys.exc_info()` gives: `join` raises it, unless it is a clean stop. The first
                one counts.

        Raises:
            Exception: `ex`, if `join` has ended, which would have told it.

        >>> import penstock as tf
        >>> coordinator = tf.train.Coordinator()
        >>> coordinator.request_stop(ValueError("no more"))
        >>> try:
        ...     coordinator.join([])
        ... except ValueError as error:
        ...     print(error)
        no more
        """
        if isinstance(ex, tuple):
            ex = ex[1]
        is_first = not self._is_stopping
        if ex is not None and self.joined:
            raise ex
        if is_first and isinstance(ex, BaseException) and not isinstance(ex, self._clean):
            self._error = ex
        self._is_stopping = True

    def clear_stop(self) -> None:
        """Forget that a stop was requested, so that new threads may begin.

        >>> import penstock as tf
        >>> coordinator = tf.train.Coordinator()
        >>> coordinator.request_stop()
        >>> coordinator.clear_stop()
        >>> coordinator.should_stop()
        False
        """
        self.joined = False
        self._error = None
        self._is_stopping = False

    def should_stop(self) -> bool:
        """Whether a stop was requested.

        Returns:
            A bool.
        """
        return self._is_stopping

    @contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """A `with` block in which an exception requests a stop, and is raised by `join`.

        Returns:
            A context manager.

        >>> import penstock as tf
        >>> coordinator = tf.train.Coordinator()
        >>> with coordinator.stop_on_exception():
        ...     1 // 0
        >>> coordinator.should_stop()
        True
        """
        try:
            yield
        except Exception as error:
            self.request_stop(error)

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Returns when a stop is requested.

        Args:
            timeout: the most seconds; None for no limit.

        Returns:
            Whether it was requested.

        Raises:
            KeyboardInterrupt: Ctrl-C.
        """
        until = None if timeout is None else time.monotonic() + timeout
        while not self._is_stopping:
            left = _AGAIN if until is None else min(_AGAIN, until - time.monotonic())
            if left <= 0:
                return False
            time.sleep(left)
        return True

    def register_thread(self, thread: threading.Thread) -> None:
        """Let `join` wait for a thread too.

        Args:
            thread: a `threading.Thread`.

        Raises:
            TypeError: it cannot be hashed.
        """
        self._threads.add(thread)

    def raise_requested_exception(self) -> None:
        """Raises the exception with which a stop was requested, if there is one."""
        if self._error is not None:
            raise self._error

    def join(
        self, threads: Iterable[threading.Thread] | None = None, stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:  # fmt: skip
        """Returns when threads have ended.

        Args:
            threads: these and the registered ones.
            stop_grace_period_secs: how long they have after a stop was requested.
            ignore_live_threads: whether threads that go on after that are no error.

        Raises:
            RuntimeError: a thread goes on.
            Exception: that with which a stop was requested.
        """
        every = self._threads.union(threads or ())
        while any(each.is_alive() for each in every) and not self.wait_for_stop(_AGAIN):
            pass
        until = time.monotonic() + stop_grace_period_secs
        while any(each.is_alive() for each in every) and time.monotonic() < until:
            for each in every:
                each.join(_AGAIN)
        alive = [each.name for each in every if each.is_alive()]
        self.joined = True
        self._threads = set()
        error = self._error
        try:
            if error is not None:
                raise error
            if alive and not ignore_live_threads:
                raise RuntimeError(
                    f"Coordinator stopped with threads still running: {' '.join(alive)}. They had "
                    f"{stop_grace_period_secs} s (stop_grace_period_secs); let them ask coordinator.should_stop()"
                )
        except BaseException as raised:
            cut(raised)
            raise


class LooperThread(threading.Thread):
    """A thread that calls a function again and again, until its coordinator stops.

    Args:
        coord: a `Coordinator`.
        timer_interval_secs: seconds from one call to the next; None calls without a pause.
        target: the function; without it, override `run_loop`.
        args: its arguments.
        kwargs: its arguments by name.

    >>> import penstock as tf
    >>> coordinator, calls = tf.train.Coordinator(), []
    >>> def once():
    ...     calls.append("target")
    ...     coordinator.request_stop()
    >>> looper = tf.train.LooperThread.loop(coordinator, None, once)
    >>> coordinator.join([looper])
    >>> class Looper(tf.train.LooperThread):
    ...     def start_loop(self): calls.append("start_loop")
    ...     def run_loop(self): once()
    ...     def stop_loop(self): calls.append("stop_loop")
    >>> looper = Looper(coordinator, None)
    >>> looper.start_loop(), looper.run_loop(), looper.stop_loop(), looper.run()
    (None, None, None, None)
    >>> calls
    ['target', 'start_loop', 'target', 'stop_loop', 'start_loop', 'stop_loop']

    Source: TensorFlow 1.x, `tf.train.LooperThread`.
    """

    def __init__(
        self, coord: Coordinator, timer_interval_secs: float | None, target: Callable[..., Any] | None = None,
        args: Sequence[Any] | None = None, kwargs: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        super().__init__(daemon=True)
        self._coord, self._interval = coord, timer_interval_secs
        self._looped, self._looped_args, self._looped_kwargs = target, tuple(args or ()), dict(kwargs or {})
        coord.register_thread(self)

    @classmethod
    def loop(
        cls, coord: Coordinator, timer_interval_secs: float | None, target: Callable[..., Any],
        args: Sequence[Any] | None = None, kwargs: dict[str, Any] | None = None,
    ) -> LooperThread:  # fmt: skip
        """A thread that is started.

        Args:
            coord: a `Coordinator`.
            timer_interval_secs: seconds from one call to the next; None calls without a pause.
            target: the function.
            args: its arguments.
            kwargs: its arguments by name.

        Returns:
            A `LooperThread`.

        Raises:
            ValueError: `coord` is no coordinator.
        """
        looper = cls(coord, timer_interval_secs, target, args, kwargs)
        looper.start()
        return looper

    def run(self) -> None:
        """Is what the thread does."""
        with self._coord.stop_on_exception():
            self.start_loop()
            due = time.monotonic()  # the first call is at once
            while not self._coord.should_stop():
                if self._interval is not None:
                    if self._coord.wait_for_stop(max(0.0, due - time.monotonic())):
                        break
                    due += self._interval
                self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """Is called when the thread starts."""

    def stop_loop(self) -> None:
        """Is called when the thread stops."""

    def run_loop(self) -> None:
        """Is called again and again; by default it calls the target."""
        if self._looped is not None:
            self._looped(*self._looped_args, **self._looped_kwargs)


