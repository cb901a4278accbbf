"""What follows from texts alone is worked out once: results are kept beside compiled code, by a hash of the texts.

A check that parses each module of the package costs seconds, and of a thousand modules none or a few have changed since
the run before.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import pickle
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TypeVar

from .helpers import COMPILED

R = TypeVar("R")


def kept(function: Callable[..., R]) -> Callable[..., R]:
    """A function of texts, or of tuples of texts, whose results later runs read, as long as its module is the same."""
    own_text = Path(inspect.getfile(function)).read_bytes()
    maker = hashlib.sha256(own_text + f"{function.__qualname__} {sys.version}".encode()).digest()

    @wraps(function)
    def keeping(*texts: str | tuple[str, ...]) -> R:
        folder = Path(os.environ[COMPILED]) / "results"
        file = folder / hashlib.sha256(maker + repr(texts).encode()).hexdigest()
        try:
            result: R = pickle.loads(file.read_bytes())
        except (OSError, EOFError, pickle.UnpicklingError):
            result = function(*texts)
            folder.mkdir(exist_ok=True)
            part = folder / f"{file.name}-{os.getpid()}"
            part.write_bytes(pickle.dumps(result))
            part.replace(file)
        return result

    return keeping
