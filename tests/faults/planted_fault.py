"""What a planted fault is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Fault:
    """A small change of one file.

    Attributes:
        what: what is wrong then, in words.
        file: the file, from the root.
        old: a text that it holds once.
        new: what takes its place.
        tests: files and folders of tests that should find it.
    """

    what: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def planted(self) -> str:
        """The text of the file with the fault.

        Raises:
            ValueError: the old text is not there, or more than once.
        """
        text = (ROOT / self.file).read_text("utf-8")
        count = text.count(self.old)
        if count != 1:
            raise ValueError(f"{self.file} holds {self.old!r} {count} times; the fault is: {self.what}")
        return text.replace(self.old, self.new)


def faults(tests: str, rows: Sequence[tuple[str, str, str, str]]) -> list[Fault]:
    """Faults that the same tests should find.

    Args:
        tests: files and folders, with spaces between them.
        rows: (what, file below `penstock/`, old text, new text).
    """
    return [Fault(what, f"penstock/{file}", old, new, tuple(tests.split())) for what, file, old, new in rows]
