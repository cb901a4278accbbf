"""Programs for the tests of `penstock debug`, and a way to run them in this process."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import pytest

import penstock as tf
from penstock import cli

LOGS = """\
import penstock as tf

x = tf.placeholder(tf.float32, ["n"], name="x")
with tf.name_scope("model"):
    scaled = tf.multiply(x, 0.5, name="scaled")
    logs = tf.log(scaled, name="logs")
    loss = tf.reduce_mean(logs, name="loss")
with tf.Session() as session:
    print("loss", session.run(loss, {x: [2.0, -4.0]}))
    print("scaled", session.run(scaled, {x: [2.0, 4.0]}))
"""


@dataclass(frozen=True, slots=True)
class Debugged:
    """What a program under the debugger left: exit code, output, errors."""

    code: int
    out: str
    err: str


@dataclass(slots=True)
class DebugRunner:
    """Runs programs under the debugger, in this process."""

    folder: Path
    capture: pytest.CaptureFixture[str]
    patch: pytest.MonkeyPatch

    def __call__(self, program: str, commands: str | None, *options: str, after: tuple[str, ...] = ()) -> Debugged:
        """Run a program text; `after` is its command line. Commands of None come from the standard input."""
        path = self.folder / "program.py"
        path.write_text(program)
        given = [] if commands is None else ["--commands", commands]
        with tf.Graph().as_default():
            code = cli.main(["debug", *given, *options, str(path), *after])
        printed = self.capture.readouterr()
        return Debugged(code, printed.out, printed.err)

    def piped(self, program: str, text: str, *options: str) -> Debugged:
        """Run it with commands on a standard input that is no terminal."""
        self.patch.setattr("sys.stdin", io.StringIO(text))
        return self(program, None, *options)
