"""`Repro`: a run that a folder holds, opened: it can be run again and compared with what is expected.

`repro.py` in the folder calls `check`. Two failures are the same if the classes of the errors and the types of the
operations are, and the messages with all numbers made equal.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import Any, TextIO

import numpy as np

from ..errors import DeadlineExceededError, GraphFormatError
from ..graph.common.tracebacks import hides_frames
from ..graph.model.nodes import Graph
from ..graph.shapes.literal import Array
from ..printable_text import print_safely
from ..runtime.base.session_config import RunOptions, SessionConfig
from ..runtime.observe.value_summary import summary_of
from ..runtime.session.failed_run import RunFailure, failure_of
from ..runtime.session.session import Session
from .machine_facts import machine_facts
from .repro_folder import read_folder
from .saved_run import SavedRun

_NUMBER = re.compile(r"[-+]?\b\d+(?:\.\d*)?(?:e[-+]?\d+)?\b|\bnan\b|\binf\b")
_ROW = re.compile(r"#(?:[ ,]+#)+,?|#,")


def same_failure(one: RunFailure, other: RunFailure) -> bool:
    """Whether two failures are of one kind: class, type of the operation, and message but for its numbers.

    Where a run was when its time was over is chance.
    """
    if one.kind == other.kind == DeadlineExceededError.__name__:
        return True
    return (one.kind, one.op, without_numbers(one.message)) == (other.kind, other.op, without_numbers(other.message))


def without_numbers(message: str) -> str:
    """A message with each number, and each row of numbers, replaced by #."""
    return _ROW.sub("#", _NUMBER.sub("#", message))


@dataclass(frozen=True, slots=True, eq=False)
class Repro:
    """A run that a folder holds.

    Attributes:
        saved: the run as data.
        folder: where it was read.

    >>> import penstock as tf, tempfile
    >>> from penstock.repro import load_repro
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.placeholder(tf.int32, ["n"], name="x")
    ...     try:
    ...         session.run(tf.gather([10, 20], x, name="y"), {x: [0, 5]})
    ...     except tf.errors.OpError:
    ...         folder = session.repro(tempfile.mkdtemp())
    >>> repro = load_repro(folder)
    >>> repro.fetches, repro.feeds["x:0"].tolist(), repro.expected.kind
    (['y:0'], [0, 5], 'InvalidArgumentError')
    """

    saved: SavedRun
    folder: Path

    @property
    def graph(self) -> Graph:
        """A new graph, with what the run needs."""
        return self.saved.graph()

    @property
    def fetches(self) -> list[str]:
        """The names of the fetched tensors and operations."""
        return list(self.saved.fetches)

    @property
    def feeds(self) -> dict[str, Array]:
        """The fed values by names of tensors."""
        return dict(self.saved.feeds)

    @property
    def config(self) -> SessionConfig:
        """The choices of the session."""
        return self.saved.config

    @property
    def options(self) -> RunOptions | None:
        """The options of the run, or None."""
        return self.saved.options

    @property
    def expected(self) -> RunFailure | None:
        """The error with which the run failed; None if it did not, or that is not known."""
        return self.saved.expected

    @hides_frames
    def session(self, config: SessionConfig | None = None) -> Session:
        """A new session with the graph, the variables and the random state of the run.

        Args:
            config: choices in place of those of the session that ran it.

        Returns:
            A `Session`; `session.run(repro.fetches, repro.feeds)` runs it.

        Raises:
            ValueError: the config names a device or pass that does not exist.

        >>> import penstock as tf, tempfile
        >>> from penstock.repro import load_repro
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     repro = load_repro(session.repro(tempfile.mkdtemp(), tf.add(1.0, 2.0, name="sum")))
        >>> print(repro.session(tf.SessionConfig(passes=())).run("sum:0"))
        3.0
        """
        return self.saved.session(config)

    def check(self, out: TextIO | None = None) -> int:
        """Runs it, and prints what is expected and what is found.

        Args:
            out: where to print; None for the standard output.

        Returns:
            0 if the run does what is expected (where nothing is known to be expected: if it succeeds), otherwise 1.

        Raises:
            OSError: the output cannot be written.

        >>> import penstock as tf, tempfile
        >>> from penstock.repro import load_repro
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     repro = load_repro(session.repro(tempfile.mkdtemp(), tf.constant(3, name="three")))
        >>> repro.check()
        a run of 1 node, made with Penstock 0.1.0
          fetch three:0
        expected: not known
        found:    no error
          three:0  int32 []  3
        0
        """
        out = out or sys.stdout
        expected = self.saved.expected
        for line in self._head():
            print_safely(line, out)
        failure: RunFailure | None = None
        results: list[Any] = []
        try:
            with self.session() as session:
                results = self.saved.run(session)
        except Exception as error:
            failure = failure_of(error)
        if failure is not None:
            print_safely(f"found:    {described(failure)}", out)
            if expected is not None and same_failure(failure, expected):
                print_safely(f"The run fails as expected.\n\n{failure.text}", out)
                return 0
            print_safely(f"The run fails {'otherwise' if expected else 'now'}.\n\n{failure.text}", out)
            return 1
        print_safely("found:    no error", out)
        for name, value in zip(self.saved.fetches, results, strict=True):
            print_safely(f"  {name}  {_shown(value)}", out)
        if expected is None:
            return 0
        print_safely("The run does not fail here. " + self._differences(), out)
        return 1

    def _head(self) -> list[str]:
        saved = self.saved
        count = len(saved.document["nodes"])
        lines = [f"a run of {count} node{'' if count == 1 else 's'}, made with Penstock {saved.made.get('penstock')}"]
        lines += [f"  fetch {name}" for name in saved.fetches]
        lines += [f"  feed {name}  {_shown(value)}" for name, value in saved.feeds.items()]
        lines += [f"  variable {name}  {_shown(value)}" for name, value in saved.variables.items()]
        lines += [f"  note: {note}" for note in saved.notes]
        lines.append("expected: " + ("not known" if saved.expected is None else described(saved.expected)))
        return lines

    def _differences(self) -> str:
        now = machine_facts()
        other = [f"{key} {value} there, {now.get(key, 'missing')} here" for key, value in self.saved.made.items()
                 if now.get(key) != value]  # fmt: skip
        if not other:
            return "The versions and the machine are the same."
        return "Other than where it was made:\n  " + "\n  ".join([shorten(each, 200) for each in other])


def described(failure: RunFailure) -> str:
    """A failure in one line."""
    where = f' in "{failure.node}" ({failure.op})' if failure.node else ""
    return f"{failure.kind}{where}: {failure.message.partition(chr(10))[0]}"


def _shown(value: Any) -> str:
    if value is None:
        return "ran"
    array = np.asarray(value)
    return f"{array.dtype} {list(array.shape)}  {summary_of(value)}"


@hides_frames
def load_repro(folder: str | os.PathLike[str]) -> Repro:
    """Opens a folder that `Session.repro`, PENSTOCK_REPRO or `penstock minify` wrote. Nothing in it is run.

    Args:
        folder: the folder.

    Returns:
        A `Repro`: its `session()` has the graph, the variables and the random state, and `check()` runs it again.

    Raises:
        GraphFormatError (a ValueError): a file is damaged, or not of this form.
        OSError: one cannot be read.

    >>> import penstock as tf, tempfile
    >>> from penstock.repro import load_repro
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     folder = session.repro(tempfile.mkdtemp(), tf.add(1.0, 2.0, name="sum"))
    >>> repro = load_repro(folder)
    >>> with repro.session() as session:
    ...     print(session.run(repro.fetches, repro.feeds)[0])
    3.0
    """
    path = Path(folder)
    try:
        return Repro(read_folder(path), path)
    except GraphFormatError as error:
        raise GraphFormatError(f"load_repro({str(path)!a}): {error}", code=error.code) from None
