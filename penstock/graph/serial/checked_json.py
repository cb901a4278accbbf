"""JSON from files: parsed within limits, and without texts that no file can hold again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ...errors import GraphFormatError
from .error_text import short
from .limits import DEFAULT_LIMITS, Budget, Limits

_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def parsed_json(content: bytes, limits: Limits = DEFAULT_LIMITS, what: str = "the file") -> Any:
    """The value that a text of JSON in UTF-8 describes; NaN and infinities are no JSON.

    Raises:
        GraphFormatError: it is no JSON, holds more values than the limit, or is nested too deeply.
    """
    # Before anything is made of it; a comma inside a text counts too, which does not matter for a bound.
    Budget(limits).spend(sum(map(content.count, (b",", b"[", b"{"))))
    try:
        return json.loads(content.decode("utf-8"), parse_constant=_no_constant)
    except RecursionError:
        raise GraphFormatError(f"{what} is JSON that is nested too deeply") from None
    except (ValueError, MemoryError) as error:
        raise GraphFormatError(f"{what} is not JSON: {str(error)[:200]}") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def refuse_lone_surrogates(data: Any, content: bytes, what: str) -> None:
    """Refuse texts with half of a surrogate pair, which JSON can write as \\ud800 and no output can print.

    Args:
        data: what was parsed, or parts of it.
        content: of this text.
        what: the name of the file.

    Raises:
        GraphFormatError: there is such a text; the message names its place.
    """
    if _ESCAPED_SURROGATE.search(content) is None:  # the only way to write one in UTF-8
        return
    for place, text in _texts(data, ""):
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise GraphFormatError(
                f"{what}: {place or 'the document'} is {short(text)}, which is not valid Unicode: it has half of a "
                "surrogate pair"
            ) from None


def _texts(data: Any, place: str) -> Iterator[tuple[str, str]]:
    """Every text of a document with its place, such as expected.notes[2]."""
    waiting = [(place, data)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, str):
            yield place, value
        elif isinstance(value, list):
            waiting += [(f"{place}[{number}]", each) for number, each in enumerate(value)]
        elif isinstance(value, dict):
            for key, each in value.items():
                yield f"a key of {place}" if place else "a key", key
                name = key if key.isidentifier() and len(key) <= 40 else short(key)
                waiting.append((f"{place}.{name}" if place else name, each))
