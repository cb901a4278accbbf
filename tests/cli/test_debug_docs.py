"""The sessions in docs/debug-in-a-terminal.md are what `penstock debug` prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import penstock as tf
from penstock import cli
from penstock.cli.debug_terminal.command_table import COMMANDS

from .debugged_programs import DebugRunner

PAGE = Path(__file__).resolve().parents[2] / "docs" / "debug-in-a-terminal.md"
SESSIONS = re.findall(r"^```console\n\$ penstock (.*?)\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
_TIMES = re.compile(r"\S+ took [\d.]+ .?s.*")


@pytest.mark.parametrize("number", range(len(SESSIONS)))
def test_a_session_of_the_page_is_what_the_terminal_prints(number: int, debug: DebugRunner) -> None:
    command, session = SESSIONS[number]
    before = PAGE.read_text("utf-8").partition(session)[0]
    program = re.findall(r"^```python\n(.*?)^```", before, re.MULTILINE | re.DOTALL)[-1]
    name, *options = shlex.split(command)
    Path(options[-1]).write_text(program)
    commands = "; ".join(re.findall(r"^\(debug\) (.*)$", session, re.MULTILINE))
    with tf.Graph().as_default():
        assert cli.main([name, "--commands", commands, *options]) == 0
    assert _TIMES.sub("", debug.capture.readouterr().out) == _TIMES.sub("", session)


def test_the_page_has_every_command() -> None:
    assert len(SESSIONS) == 3
    assert [command.name for command in COMMANDS if command.usage not in SESSIONS[1][1]] == []
