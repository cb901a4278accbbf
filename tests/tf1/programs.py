"""Runs `penstock tf1` in a process of its own, on the text of a program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run_tf1(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`python -m penstock tf1 ARGUMENTS` in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "penstock", "tf1", *arguments], cwd=folder, text=True, capture_output=True, check=False,
        timeout=120, env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(folder)},
    )  # fmt: skip
