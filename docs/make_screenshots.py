"""Writes the screenshots in the documents: PNG pictures of the pages that the documents' programs export.

`![...](pictures/tutorial/run.png)` is a screenshot of the `run.html` that the programs of the same document write. This
needs Chromium and chromedriver. The tests do not compare the pixels, because those depend on the browser and its fonts.

    python docs/make_screenshots.py             writes all screenshots
    python docs/make_screenshots.py tutorial    writes those of one document
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from run_blocks import DOCUMENTS, real  # noqa: E402  # the folders are known only now

from tests.show.browser import Browser  # noqa: E402

SHOWN = {
    "tutorial/run.png": "#step=4",
    "play/partition.png": "#at=parts&edit=rows:0[2]=7.25&cell=parts:1[0]",
    "play/training.png": "#edit=run*7&at=loss",
    "pictures-and-pages/run--card.png": "#at=setosa/scaled",
    "pictures-and-pages/run--search.png": "/mean",
    "pictures-and-pages/run--step.png": "#step=30",
}
"""The fragment of the address, or the keys to press; by the last two parts of the picture's path."""

WIDTH, HEIGHT, SETTLED = 1200, 800, 0.8


def main(names: list[str]) -> None:
    """Write the screenshots of the named documents, or of all."""
    for document in DOCUMENTS:
        if names and document.stem not in names:
            continue
        for path, page in real(document.read_text("utf-8")).pages.items():
            target = document.parent / path
            target.parent.mkdir(parents=True, exist_ok=True)
            take(page, SHOWN.get("/".join(target.parts[-2:]), ""), target)
            print(f"{target.relative_to(ROOT)}: {target.stat().st_size // 1024} KiB")


def take(page: bytes, shown: str, target: Path) -> None:
    """Open the page, go to the fragment or press the keys, and write a screenshot when the animations are over."""
    browser = Browser(WIDTH, HEIGHT)
    try:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "page.html")
            file.write_bytes(page)
            browser.open(file)
            if shown.startswith("#"):
                browser.run("location.hash = arguments[0]", shown)
            else:
                browser.keys(*shown)
            time.sleep(SETTLED)
            browser.picture(target)
    finally:
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
