"""Source locations: the line of the user's program that made a node.

It is the first frame outside the package. Looking is two attribute reads a frame and one dictionary lookup. The line
number is worked out once per call site, because every node made there shares one `Origin`.
"""

from __future__ import annotations

import linecache
import os
import sys
from types import CodeType

from .quick_dataclass import dataclass

_PACKAGE = os.sep.join(os.path.abspath(__file__).split(os.sep)[:-3]) + os.sep
# The command line with its demo and the lessons build graphs as users do; the debugger's terminal steps through theirs.
_LIKE_USERS = tuple(_PACKAGE + folder + os.sep for folder in ("cli", "lessons"))
_DEBUGGER = _PACKAGE + os.path.join("cli", "debug_terminal") + os.sep
_CACHE_LIMIT = 200_000
_WIDEST = 100


@dataclass(frozen=True, slots=True)
class Origin:
    """A line of a program: file, line number, and the function it stands in."""

    file: str
    line: int
    function: str

    @property
    def whole_code(self) -> str:
        """The text of the line, stripped; empty where there is no source."""
        return linecache.getline(self.file, self.line).strip()

    @property
    def code(self) -> str:
        """The text of the line, stripped and cut at 100 characters; empty where there is no source."""
        text = self.whole_code
        return text if len(text) <= _WIDEST else text[: _WIDEST - 3] + "..."

    @property
    def place(self) -> str:
        """`model.py:12`, in a notebook `In[3]:12`: enough to find the line, short enough for a table."""
        return f"{_cell(self.file) or os.path.basename(self.file)}:{self.line}"

    @property
    def made(self) -> str:
        """`made at model.py:12`, as errors put it."""
        return f"made at {self.place}"

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class GradientOrigin(Origin):
    """The line of the node that is differentiated, on a node of its gradient; `of` is the name of the former."""

    of: str

    @property
    def made(self) -> str:
        """`made at model.py:12 for the gradient of 'dense/MatMul'`."""
        return f"made at {self.place} for the gradient of {self.of!r}"


def _cell(file: str) -> str | None:
    """`In[3]` for the code of a cell in IPython or Jupyter, whose file name is a number; None for other files."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    name_of = getattr(getattr(shell, "compile", None), "format_code_name", None)
    found = name_of(file) if name_of is not None else None  # ("Cell", "In[3]")
    return found[1] if found else None


# Keyed by id, because hashing a code object walks its constants (0.3 us); the value keeps the code, so the id, alive.
_inside: dict[int, tuple[CodeType, bool]] = {}
_seen: dict[tuple[int, int], tuple[Origin]] = {}


def user_origin() -> Origin:
    """The innermost line of the running program that does not belong to Penstock's layers."""
    return user_origins()[0]


def is_inside(code: CodeType) -> bool:
    """Whether a function belongs to Penstock's layers."""
    file = code.co_filename
    return file.startswith(_PACKAGE) and (not file.startswith(_LIKE_USERS) or file.startswith(_DEBUGGER))


def user_stacklevel() -> int:
    """What `warnings.warn(stacklevel=)`, in the caller of this, has to be for a warning to name the user's line."""
    level = 1
    frame = sys._getframe(1)
    while is_inside(frame.f_code) and frame.f_back is not None:
        level += 1
        frame = frame.f_back
    return level


def user_origins() -> tuple[Origin]:
    """The same as the tuple a node keeps: all nodes made at one call site share it."""
    frame = sys._getframe(1)
    while True:
        code = frame.f_code
        known = _inside.get(id(code))
        if known is None:
            if len(_seen) > _CACHE_LIMIT:  # programs that generate code without end must not fill the memory
                _seen.clear()
                _inside.clear()
            known = _inside[id(code)] = (code, is_inside(code))
        if not known[1] or frame.f_back is None:
            break
        frame = frame.f_back
    key = (id(code), frame.f_lasti)
    found = _seen.get(key)
    if found is None:
        found = _seen[key] = (Origin(code.co_filename, frame.f_lineno, code.co_name),)
    return found
