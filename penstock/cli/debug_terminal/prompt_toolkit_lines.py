"""Lines edited by prompt_toolkit, the extra `penstock[debug]`: it is imported here only, on first use."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ...graph.common.lazy_import import load


def has_prompt_toolkit() -> bool:
    """Whether the package is installed."""
    try:
        return find_spec("prompt_toolkit") is not None
    except ValueError:  # something stands in its place
        return False


class ToolkitLines:
    """Lines that a user types and prompt_toolkit edits."""

    is_typed = True

    def __init__(self, prompt: str, history: Path | None, **terminal: Any) -> None:
        """`terminal`: `input` and `output` of prompt_toolkit; those of the process if they are not given."""
        load("prompt_toolkit")
        load("prompt_toolkit.history")
        from prompt_toolkit import PromptSession
        from prompt_toolkit.history import FileHistory, InMemoryHistory

        kept = InMemoryHistory() if history is None else FileHistory(str(history.with_suffix(".toolkit")))
        self._session: Any = PromptSession(prompt, history=kept, complete_while_typing=False, **terminal)

    def read(self, complete: Callable[[str], Sequence[str]]) -> str:
        """The next line.

        Raises:
            EOFError: Ctrl-D was pressed.
            KeyboardInterrupt: Ctrl-C was pressed.
        """
        load("prompt_toolkit.completion")
        from prompt_toolkit.completion import Completer, Completion

        class Completed(Completer):  # type: ignore[misc]  # the package may not be there
            def get_completions(self, document: Any, event: Any) -> Iterator[Any]:
                before = document.text_before_cursor
                word = before[max(before.rfind(mark) for mark in " \t;") + 1 :]
                yield from [Completion(each, -len(word)) for each in complete(before)]

        line: str = self._session.prompt(completer=Completed(), in_thread=_is_in_event_loop())
        return line


def _is_in_event_loop() -> bool:
    """Whether the program's event loop is running in this thread: prompt_toolkit then needs another thread."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return False
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
