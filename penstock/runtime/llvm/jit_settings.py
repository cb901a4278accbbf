"""Settings of the compiled tier: whether code is compiled, and where object code is kept.

The environment gives the defaults, which the program may override:

    PENSTOCK_JIT=off | on | now      interpret everything; compile what pays; compile everything at its first use
    PENSTOCK_CACHE_DIR=folder | off  the folder of object code that is shared between processes
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final, Literal

from ...graph.common.lazy_import import load

if TYPE_CHECKING:
    from pathlib import Path

Mode = Literal["off", "on", "now"]
MODE_VARIABLE: Final = "PENSTOCK_JIT"
FOLDER_VARIABLE: Final = "PENSTOCK_CACHE_DIR"
CAP: Final = 64 << 20

_WORDS: Final[dict[str, Mode]] = {
    "off": "off", "0": "off", "no": "off", "false": "off",
    "": "on", "on": "on", "1": "on", "yes": "on", "true": "on",
    "now": "now",
}  # fmt: skip


class JitSettings:
    """The current settings.

    Attributes:
        mode: "off", "on" or "now".
        why_off: why nothing is compiled; "" if code may be compiled.
        folder: the folder that the program chose; None if it chose none.
        no_folder: True if the program chose to keep nothing.
        cap: the most bytes of object code that are kept.
    """

    __slots__ = ("cap", "folder", "mode", "no_folder", "why_off")

    def __init__(self) -> None:
        self.folder: Path | None = None
        self.no_folder = False
        self.cap = CAP
        self.choose(None)

    def choose(self, mode: Mode | None) -> None:
        """Set the mode; None takes it from the environment."""
        # The environment is read here, not at each use, which took 3 us.
        text = os.environ.get(MODE_VARIABLE, "") if mode is None else mode
        found = _WORDS.get(text.lower())
        self.mode: Mode = found or "off"
        if found is None:
            self.why_off = f"{MODE_VARIABLE}={text} is not one of off, on, now"
        elif found != "off":
            self.why_off = ""
        else:
            self.why_off = f"{MODE_VARIABLE}={text}" if mode is None else "penstock.config.jit.mode is 'off'"

    def chosen_folder(self) -> Path | None:
        """The folder of object code; None if none is kept."""
        if self.no_folder:
            return None
        if self.folder is not None:
            return self.folder / "objects"
        text = os.environ.get(FOLDER_VARIABLE, "").strip()
        if text and _WORDS.get(text.lower()) == "off":
            return None
        load("pathlib")
        from pathlib import Path  # with `urllib`, 4 ms of the import

        try:
            return (Path(text).expanduser() if text else _platform_folder()).absolute() / "objects"
        except (RuntimeError, OSError):  # the user has no home, or the current folder is gone
            return None


def _platform_folder() -> Path:
    load("pathlib")
    from pathlib import Path

    given = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(given):
        return Path(given) / "penstock"
    return Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "penstock"


SETTINGS: Final = JitSettings()
