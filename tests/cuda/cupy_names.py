"""CuPy's names and parameters, as `record_cupy_names` has written them down: what the played CuPy offers."""

from __future__ import annotations

import inspect
import json
from functools import cache
from pathlib import Path
from typing import Any

RECORD: dict[str, Any] = json.loads(Path(__file__).with_name("cupy_names.json").read_text())


def check_name(owner: str, name: str) -> None:
    """Raise AttributeError if CuPy does not have a name. owner: what of CuPy's would have it."""
    if name not in RECORD[owner] and not name.startswith("_"):
        raise AttributeError(f"CuPy {RECORD['version']}: {owner} has no attribute {name!r}")


@cache
def _signature(owner: str, name: str) -> inspect.Signature | None:
    text = RECORD[owner].get(name)
    return None if text is None else inspect.signature(eval(f"lambda {text}: None"))


def check_call(owner: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise TypeError if CuPy's function does not take such arguments."""
    signature = _signature(owner, name)
    if signature is not None:
        try:
            signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"CuPy {RECORD['version']}: {owner}.{name}({signature}): {error}") from None
