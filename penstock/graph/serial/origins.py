"""Where does a node say it comes from, once it has been in a file?

The same file, line and function as before, and the text of the line as it was when the graph was saved. The file that
is named is never opened: a graph from somewhere else must not be able to have files of this machine read.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..origin import Origin


@dataclass(frozen=True, slots=True)
class RecordedOrigin(Origin):
    """An origin that was read from a file; `text` is its line of code."""

    text: str = ""

    @property
    def code(self) -> str:
        """The text of the line as it was saved."""
        return self.text
