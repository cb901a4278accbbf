"""Fixtures of the tests of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock.lessons.kept_progress import VARIABLE

from .debugged_programs import DebugRunner


@pytest.fixture
def debug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> DebugRunner:
    """Runs a program under the debugger."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return DebugRunner(tmp_path, capsys, monkeypatch)
