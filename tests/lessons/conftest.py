"""What tests of lessons share: children of a check that need not start Python."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from penstock.lessons import checked_process

from ..warm_python import run_warm


def _forked(
    function: str, told: dict[str, object], seconds: float, environment: dict[str, str] | None = None,
    folder: str | None = None,
) -> tuple[int, str] | None:  # fmt: skip
    boot = checked_process._BOOT.format(function)
    arguments = ["-c", boot, checked_process._ROOT, json.dumps(told)]
    try:
        child = run_warm(arguments, cwd=folder or os.getcwd(), env=environment, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None
    return child.returncode, child.stdout


@pytest.fixture
def forked_children(monkeypatch: pytest.MonkeyPatch) -> None:
    """The two children of a check are forks of a Python that has loaded the package, for tests of what a check says.

    Those of confinement, of time and of what a program may do to its own process start them as a user's check does.
    """
    monkeypatch.setattr(checked_process, "_child", _forked)
