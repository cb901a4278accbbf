"""Plants faults one by one in a copy of the tree and runs the tests that should find them."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .every_fault import FAULTS
from .planted_fault import ROOT, Fault

NOT_COPIED = shutil.ignore_patterns(".git", ".*_cache", "__pycache__", "_build", "build", "dist", "*.egg-info")

FAILED = re.compile(r"(?:FAILED|ERROR) (\S+?(?:\[.*?\])?)(?: - .*)?$").match
"""A line of pytest's summary; the parameters of a test may hold blanks."""
FOUND, MISSED, BROKEN = "found", "MISSED", "BROKEN"


@contextmanager
def scratch_tree() -> Iterator[Path]:
    """A copy of the tree, which is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="penstock-faults-") as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(ROOT, tree, symlinks=True, ignore=NOT_COPIED)
        yield tree


def tests_of(tree: Path, paths: Sequence[str], seconds: float) -> tuple[int | None, str]:
    """Run tests up to the first failure.

    Returns:
        pytest's exit code, None if it did not end in time; the test that failed, or the last line.
    """
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "--tb=no", "-rfE", *paths]
    environment = os.environ | {"CI": "1", "PYTHONPATH": str(tree)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # the copy keeps what it has compiled
    try:
        done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None, f"the tests took more than {seconds:.0f} s"
    lines = done.stdout.strip().splitlines() or done.stderr.strip().splitlines() or [""]
    failed = [match[1] for match in map(FAILED, lines) if match]
    return done.returncode, failed[0] if failed else lines[-1]


def doctests(fault: Fault) -> list[str]:
    """What holds the doctests of its file."""
    return [fault.file] if fault.file.endswith(".py") else []


def judged(tree: Path, fault: Fault, tests: Sequence[str], seconds: float) -> tuple[str, str]:
    """Whether tests find a fault, and which one does."""
    target = tree / fault.file
    before = target.read_bytes()
    fails_anyway: list[str] = []
    while True:
        target.write_text(fault.planted(), "utf-8")
        try:
            code, words = tests_of(tree, [*tests, *[f"--deselect={each}" for each in fails_anyway]], seconds)
            again = tests_of(tree, [words], seconds)[0] if code == 1 and "::" in words else 1
        finally:
            target.write_bytes(before)
        if code == 0:
            return MISSED, words
        if code is None:
            return FOUND, words
        if code != 1 or "::" not in words:
            return BROKEN, words
        if again == 1 and tests_of(tree, [words], seconds)[0] == 0:
            return FOUND, words
        fails_anyway.append(words)  # by chance, or without the fault too


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults")
    parser.add_argument("--only", default="", help="of the list, the file or the words of a fault")
    parser.add_argument("--part", default="1/1", help="2/3 is the second of three parts")
    parser.add_argument("--tests", nargs="+", help="run these instead of those that are listed")
    parser.add_argument("--seconds", type=float, default=900.0, help="the most that the tests of a fault may take")
    options = parser.parse_args()
    number, parts = map(int, options.part.split("/"))
    chosen = [
        (name, fault) for name, each in FAULTS.items() for fault in each
        if options.only in f"{name} {fault.file} {fault.what}"
    ][number - 1 :: parts]  # fmt: skip
    counts = dict.fromkeys((FOUND, MISSED, BROKEN), 0)
    with scratch_tree() as tree:
        for name, fault in chosen:
            began = time.perf_counter()
            chosen_tests = tuple(options.tests or [*fault.tests, *doctests(fault)])
            verdict, words = judged(tree, fault, chosen_tests, options.seconds)
            counts[verdict] += 1
            print(f"{verdict:6} {name}: {fault.what} ({fault.file}): {words}, {time.perf_counter() - began:.0f} s",
                  flush=True)  # fmt: skip
    print(", ".join(f"{count} {verdict.lower()}" for verdict, count in counts.items()), "of", len(chosen))
    return 1 if counts[MISSED] or counts[BROKEN] else 0


if __name__ == "__main__":
    sys.exit(main())
