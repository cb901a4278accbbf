"""Origins of loaded nodes: the line of the program as it was saved, or the file that the node was loaded from.

A saved graph keeps file, line, function and the text of the line. TensorFlow's GraphDef has none of these; there the
origin is the file itself. The file that an origin names is never opened: a graph from elsewhere must not be able to
have files of this machine read.
"""

from __future__ import annotations

import os

from ..common.quick_dataclass import dataclass
from ..common.source_location import Origin


@dataclass(frozen=True, slots=True)
class RecordedOrigin(Origin):
    """An origin that was read from a file; `text` is its line of code."""

    text: str = ""

    @property
    def whole_code(self) -> str:
        """The text of the line as it was saved."""
        return self.text


@dataclass(frozen=True, slots=True)
class LoadedOrigin(Origin):
    """A node of a file that does not say where it was made; `line` is its number there, 0 for the graph as a whole."""

    @property
    def whole_code(self) -> str:
        """Nothing: there is no line of a program."""
        return ""

    @property
    def place(self) -> str:
        """`frozen.pb:12`; `frozen.pb` for the graph as a whole."""
        name = os.path.basename(self.file)
        return f"{name}:{self.line}" if self.line else name

    @property
    def made(self) -> str:
        """`loaded from frozen.pb:12`."""
        return f"loaded from {self.place}"

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file
