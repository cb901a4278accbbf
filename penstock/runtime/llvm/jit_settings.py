"""Whether code is compiled, and where is it kept? What the environment says, until the program says something else.

    PENSTOCK_JIT=off | on | now      interpret everything; compile what is worth it; compile everything at once
    PENSTOCK_CACHE_DIR=folder | off  where object code is kept from one process to the next
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final, Literal

from ...graph.lazy_import import load

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


class Settings:
    """What was chosen. folder: None until the program chooses one. no_folder: whether it chose to keep nothing."""

    __slots__ = ("cap", "folder", "mode", "no_folder", "why_off")

    def __init__(self) -> None:
        self.folder: Path | None = None
        self.no_folder = False
        self.cap = CAP
        self.choose(None)

    def choose(self, mode: Mode | None) -> None:
        """Let `mode` hold; None: what the environment says now. `why_off` is the reason if nothing is compiled."""
        # Looked up here, not in each call: that took 3 us.
        text = os.environ.get(MODE_VARIABLE, "") if mode is None else mode
        found = _WORDS.get(text.lower())
        self.mode: Mode = found or "off"
        if found is None:
            self.why_off = f"{MODE_VARIABLE}={text} is none of off, on, now"
        elif found != "off":
            self.why_off = ""
        else:
            self.why_off = f"{MODE_VARIABLE}={text}" if mode is None else "penstock.config.jit.mode is 'off'"

    def chosen_folder(self) -> Path | None:
        """Where object code is kept now; None if nowhere."""
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
        except (RuntimeError, OSError):  # this user has no home, or the current folder is gone
            return None


def _platform_folder() -> Path:
    load("pathlib")
    from pathlib import Path

    given = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(given):
        return Path(given) / "penstock"
    return Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "penstock"


SETTINGS: Final = Settings()
