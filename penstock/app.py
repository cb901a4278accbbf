"""Starting a program: `tf.app.run`, and its options, `tf.app.flags`."""

from __future__ import annotations

import sys as _sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from . import flags as flags

__all__ = ["flags", "run"]


def run(main: Callable[..., Any] | None = None, argv: Sequence[str] | None = None) -> NoReturn:
    """Reads the options of the command line, calls `main`, and ends the program with what it returns.

    Args:
        main: a function that takes the list of what is left of the command line, the program's name first. None (the
            default) means the function `main` of the program.
        argv: the command line; None (the default) means `sys.argv`.

    Raises:
        SystemExit: always, with what `main` returns.

    >>> import penstock as tf
    >>> def main(argv):
    ...     print(argv[1:])
    >>> try:
    ...     tf.app.run(main, ["program", "input.csv"])
    ... except SystemExit as end:
    ...     print(end.code)
    ['input.csv']
    None

    Source: TensorFlow 1.x, `tf.app.run`.
    """
    called = main or vars(_sys.modules["__main__"])["main"]
    flags._run(called, argv)
