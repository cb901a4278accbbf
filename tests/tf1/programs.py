"""Runs `penstock tf1` in a process of its own, on the text of a program."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from ..warm_python import ROOT, run_warm


def run_tf1(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`python -m penstock tf1 ARGUMENTS` in a folder."""
    kept = {name: value for name, value in os.environ.items() if name == "PENSTOCK_CACHE_DIR"}
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(folder), **kept}
    return run_warm(["-m", "penstock", "tf1", *arguments], cwd=folder, env=environment)
