"""Makes `docs/tutorial.ipynb` from `docs/tutorial.md`.

A ```python block becomes a code cell, the text between the blocks becomes text cells, and printed output is left out:
the reader runs the cells. `<!-- notebook: graph -->` in the page is a code cell `graph` of the notebook alone; it
displays the object.

    python docs/make_notebook.py            says whether the notebook is out of date
    python docs/make_notebook.py --write    writes it
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
PAGE, NOTEBOOK = DOCS / "tutorial.md", DOCS / "tutorial.ipynb"
_PART = re.compile(
    r"^```python\n(?P<code>.*?)^```$|^```text\n.*?^```$|^<!-- notebook: (?P<display>.*?) -->$|^!\[.*?\]\(.*?\)$",
    re.MULTILINE | re.DOTALL,
)
_ABOUT_ITSELF = "The same text is a notebook: [tutorial.ipynb](tutorial.ipynb). Run its cells in order.\n"
_IN_ITS_PLACE = "Run the cells in order. [tutorial.md](tutorial.md) is the same text with the output.\n"


def notebook(text: str) -> str:
    """The notebook of a page, as JSON."""
    cells = []
    for number, (kind, source) in enumerate(_cells(text.replace(_ABOUT_ITSELF, _IN_ITS_PLACE))):
        cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}}
        if kind == "code":
            cell |= {"execution_count": None, "outputs": []}
        cells.append(cell | {"source": source.strip("\n").splitlines(keepends=True)})
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    made = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def _cells(text: str) -> Iterator[tuple[str, str]]:
    """Kind and source of each cell. A picture of the page is left out: the notebook displays the object itself."""
    end = 0
    for part in _PART.finditer(text):
        words, end = text[end : part.start()], part.end()
        if words.strip():
            yield "markdown", words
        if part["code"] or part["display"]:
            yield "code", part["code"] or part["display"]
    if text[end:].strip():
        yield "markdown", text[end:]


def main() -> int:
    """Compare, or write; the exit code is 1 if the notebook was out of date."""
    made = notebook(PAGE.read_text("utf-8"))
    if NOTEBOOK.exists() and NOTEBOOK.read_text("utf-8") == made:
        return 0
    print(f"docs/{NOTEBOOK.name} is not what the page makes now")
    if "--write" in sys.argv[1:]:
        NOTEBOOK.write_text(made, "utf-8")
    return 1


if __name__ == "__main__":
    sys.exit(main())
