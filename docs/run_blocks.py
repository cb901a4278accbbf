"""Runs the programs in the documents and compares their output with the text below them.

A block that opens with ```python is a program; if the block right after it opens with ```text, that is what it prints.
The programs of one document run in order in one namespace, as if they were one file called `model.py`.

    python docs/run_blocks.py            says which documents are out of date
    python docs/run_blocks.py --write    writes the real output into them
"""

from __future__ import annotations

import contextlib
import io
import linecache
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
FILE = "model.py"
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def programs(text: str) -> list[str]:
    """The ```python blocks of a document, in order."""
    return [code for language, code in _BLOCK.findall(text) if language == "python"]


def run(code: str, before: str, namespace: dict[str, Any]) -> str:
    """What `code` prints in `namespace`, as the lines of model.py that follow `before`."""
    lines = (before + code).splitlines(keepends=True)
    linecache.cache[FILE] = (len(before + code), None, lines, FILE)  # so that messages can quote the line
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile("\n" * before.count("\n") + code, FILE, "exec"), namespace)
    return printed.getvalue()


def with_real_output(text: str) -> str:
    """The document with each ```text block below a program replaced by what the program prints."""
    namespace: dict[str, Any] = {"__name__": "model"}
    before, real, end, last = "", "", 0, None
    for block in _BLOCK.finditer(text):
        language, code = block.groups()
        gap = text[end : block.start()]
        if language == "text" and last is not None and not gap.strip():
            real += f"{gap}```text\n{last}```"
        else:
            real += gap + block.group()
        last = None
        if language == "python":
            last = run(code, before, namespace)
            before += code
        end = block.end()
    return real + text[end:]


def main() -> int:
    """Compare, or write; the exit code is 1 if a document was out of date."""
    outdated = []
    for path in DOCUMENTS:
        text = path.read_text("utf-8")
        real = with_real_output(text)
        if real != text:
            outdated.append(path)
            if "--write" in sys.argv[1:]:
                path.write_text(real, "utf-8")
    for path in outdated:
        print(f"{path.relative_to(ROOT)}: the printed output differs from the real one")
    return 1 if outdated else 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
