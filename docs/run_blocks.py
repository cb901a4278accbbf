"""Runs the programs in the documents and compares their output with the text and the pictures below them.

A block that opens with ```python is a program; if the block right after it opens with ```text, that is what it prints.
The programs of one document run in order in one namespace, as if they were one file called `model.py`, in an empty
folder and with an empty default graph. A picture in the document whose file name a program wrote there, as in
`graph.export("first.svg")`, is that file.

    python docs/run_blocks.py            says which documents and pictures are out of date
    python docs/run_blocks.py --write    writes the real output and the real pictures
"""

from __future__ import annotations

import contextlib
import io
import linecache
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
FILE = "model.py"
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PICTURE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")


@dataclass(frozen=True, slots=True)
class Real:
    """A document with the real output of its programs.

    Attributes:
        text: the document.
        pictures: the content of each picture that the programs wrote, by its path in the document.
        pages: for each `NAME.png` or `NAME--DETAIL.png` in the document the page `NAME.html` that the programs wrote,
            of which it is a screenshot (made by make_screenshots.py).
    """

    text: str
    pictures: dict[str, bytes]
    pages: dict[str, bytes]


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


def real(text: str) -> Real:
    """The document after its programs have run."""
    import penstock

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), penstock.Graph().as_default():
        shown = with_real_output(text)
        paths = [Path(path) for path in _PICTURE.findall(text)]
        pictures = {path.as_posix(): Path(path.name).read_bytes() for path in paths if Path(path.name).is_file()}
        screenshots = [path for path in paths if path.suffix == ".png"]
        shots = {path.as_posix(): Path(path.stem.partition("--")[0] + ".html") for path in screenshots}
        pages = {path: page.read_bytes() for path, page in shots.items() if page.is_file()}
    return Real(shown, pictures, pages)


def with_real_output(text: str) -> str:
    """The document with each ```text block below a program replaced by what the program prints."""
    namespace: dict[str, Any] = {"__name__": "model"}
    before, shown, end, last = "", "", 0, None
    for block in _BLOCK.finditer(text):
        language, code = block.groups()
        gap = text[end : block.start()]
        if language == "text" and last is not None and not gap.strip():
            shown += f"{gap}```text\n{last}```"
        else:
            shown += gap + block.group()
        last = None
        if language == "python":
            last = run(code, before, namespace)
            before += code
        end = block.end()
    return shown + text[end:]


def outdated_pictures(document: Path, pictures: dict[str, bytes]) -> list[Path]:
    """The pictures of a document that are not what its programs write."""
    paths = {document.parent / path: content for path, content in pictures.items()}
    return [path for path, content in paths.items() if not path.exists() or path.read_bytes() != content]


def main() -> int:
    """Compare, or write; the exit code is 1 if a document or a picture was out of date."""
    write, outdated = "--write" in sys.argv[1:], []
    for document in DOCUMENTS:
        text = document.read_text("utf-8")
        found = real(text)
        if found.text != text:
            outdated.append(document)
            if write:
                document.write_text(found.text, "utf-8")
        for path in outdated_pictures(document, found.pictures):
            outdated.append(path)
            if write:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(found.pictures[path.relative_to(document.parent).as_posix()])
    for path in outdated:
        print(f"{path.relative_to(ROOT)} is not what the programs make now")
    return 1 if outdated else 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
