"""Writes `docs/tensorflow-names.md`: what to use instead of names of TensorFlow 1.15 that Penstock lacks.

    python docs/make_tensorflow_names.py            says whether the page and its table are up to date
    python docs/make_tensorflow_names.py --write    writes the page, and takes names out of the table that are here now
"""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "tensorflow-names.md"
TABLE = ROOT / "penstock" / "api" / "tensorflow_names.tsv"

HEAD = """# Names of TensorFlow 1 that are not here

Made by `python docs/make_tensorflow_names.py --write` from `penstock/api/tensorflow_names.tsv`. Every other
public name of TensorFlow 1.15 is in Penstock, and a test compares. The error of a missing name says the same as this
page, and `penstock tf1 --check program.py` lists what a program lacks: [Coming from
TensorFlow 1](from-tensorflow-1.md). A name with `.*` stands for all below it.

| names, without `tf.` | instead |
|---|---|
"""
SHOWN = 8
"""How many names of a row the page shows."""


def table() -> str:
    """The table without the names that Penstock has."""
    sys.path.insert(0, str(ROOT))
    from penstock.api.public_names import public_name
    from penstock.tf1.checked_programs import is_here

    lines = []
    for line in TABLE.read_text("utf-8").splitlines():
        names, tab, words = line.partition("\t")
        dotted = [each for each in names.split() if "." in each and not each.endswith(".*")]
        here = {each for each in dotted if is_here(each, "1")} | {each for each in names.split() if public_name(each)}
        missing = [each for each in names.split() if each not in here]
        if not tab or missing:
            lines.append(" ".join(missing) + tab + words if tab else line)
    return "\n".join(lines) + "\n"


def page(table: str) -> str:
    """The text of the page."""
    lines = table.splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    rows.sort(key=lambda row: row[0].lower())
    return HEAD + "".join(f"| {_shown(names)} | {words.replace('|', chr(92) + '|')} |\n" for names, words in rows)


def _shown(names: str) -> str:
    """The names of a row; `a` and `a.*` are one, and long rows are cut."""
    each = [next(group) for _, group in groupby(names.split(), key=lambda name: name.removesuffix(".*"))]
    more = f" and {len(each) - SHOWN} more" if len(each) > SHOWN else ""
    return ", ".join(f"`{name}`" for name in each[:SHOWN]) + more


def main() -> int:
    """Compare or write; the exit code is 1 if the page was out of date."""
    texts = {TABLE: table()}
    texts[PAGE] = page(texts[TABLE])
    old = [(path, text) for path, text in texts.items() if path.read_text("utf-8") != text]
    for path, text in old:
        print(f"{path.relative_to(ROOT)} is out of date")
        if sys.argv[1:] == ["--write"]:
            path.write_text(text, "utf-8")
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main())
