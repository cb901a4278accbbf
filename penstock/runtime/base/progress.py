"""Progress hooks: functions that a run calls before its first step and after each step.

A hook is called as `hook(done, steps, node)`: before the first step with 0 and that step's node, after each step with
the number of finished steps and the next node, at the end with `done == steps` and "". An exception that it raises ends
the run, so a hook can stop one. `progress_bar` is a hook that draws a bar. Without a hook nothing is called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ...graph.common.lazy_import import load
from ...graph.common.tracebacks import hides_frames

ProgressHook: TypeAlias = Callable[[int, int, str], object]


def check_hook(value: Any, where: str) -> None:
    """Raise TypeError unless `value` can be called or is None."""
    if value is not None and not callable(value):
        raise TypeError(f"{where}(progress={value!r}): a function of (done, steps, node) is expected, "
                        f"not {type(value).__name__}")  # fmt: skip


@hides_frames
def progress_bar(**options: Any) -> ProgressHook:
    """A hook that draws a progress bar with tqdm in the terminal or the notebook.

    Args:
        options: arguments for `tqdm`, such as `desc`, `leave`, `file` or `disable`.

    Returns:
        A function of (done, steps, node) for `SessionConfig(progress=...)`; it begins a new bar for each run.

    Raises:
        ImportError: tqdm is not installed; the message says how to install it.
    """
    return _Bar(options)


class _Bar:
    def __init__(self, options: dict[str, Any]) -> None:
        self._options = options
        self._open: Any = None
        _new_bar(0, {"disable": True}).close()  # raises now, not in the middle of a run, if tqdm is missing

    def __call__(self, done: int, steps: int, node: str) -> None:
        if done == 0:
            if self._open is not None:
                self._open.close()  # of a run that failed
            self._open = _new_bar(steps, self._options)
        bar = self._open
        bar.set_postfix_str(node, refresh=False)
        if done:
            bar.update(1)
        if done == steps:
            bar.close()
            self._open = None


def _new_bar(total: int, options: Mapping[str, Any]) -> Any:
    """A tqdm bar of `total` steps.

    Raises:
        ImportError: tqdm is not installed.
    """
    try:
        load("tqdm.auto")
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError(
            "progress_bar: the package tqdm is not installed; run `pip install penstock[progress]`"
        ) from None
    return tqdm(**{"total": total, "unit": "step", **options})
