"""Writes `docs/onnx-operators.md`: which operators of ONNX are read, and as what operations are written.

    python docs/make_onnx_table.py            says whether the page is up to date
    python docs/make_onnx_table.py --write    writes it
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "onnx-operators.md"
TESTS = ROOT / "tests" / "interchange" / "onnx"

HEAD = """# ONNX's operators

Made by `python docs/make_onnx_table.py --write` from the tables of rules in `penstock/interchange/onnx/`.
[ONNX](onnx.md) says how models are loaded and written.

## Read

*since* is the oldest opset whose nodes are read; the newest is 28. Operators of other domains are read if the file has
their functions.

"""
WRITTEN = """
## Written

The types of operations (`op.type`) that `graph.export("model.onnx")` writes, each as one node of ONNX or as several.
*Run by* says what ran the samples of the op when they were compared last: onnxruntime 1.32, or the evaluator of the
package onnx 1.23, which has kernels for more dtypes.

"""


def page() -> str:
    """The text of the page."""
    from penstock.interchange.onnx.rules.onnx_table import KINDS
    from penstock.interchange.onnx.writing.write_table import INSTEAD
    from penstock.interchange.onnx.writing.write_table import KINDS as WRITES

    lines = [HEAD]
    for kind, rows in KINDS.items():
        lines.append(f"### {kind}\n\n| operator | since | what differs |\n|---|---|---|\n")
        for row in sorted(rows, key=lambda each: (each.domain, each.name)):
            name = f"{row.domain}.{row.name}" if row.domain else row.name
            lines.append(f"| `{name}` | {row.since} | {row.differs} |\n")
        lines.append("\n")
    lines.append(WRITTEN.lstrip("\n"))
    ran = samples()
    for kind, rules in WRITES.items():
        lines.append(f"### {kind}\n\n| type | run by |\n|---|---|\n")
        lines += [f"| `{type}` | {ran.get(type, 'programs of the fuzz')} |\n" for type in sorted(rules)]
        lines.append("\n")
    lines.append("## Not written\n\nAn error names the operation and its line, and says:\n\n")
    lines.append("| type | what to do |\n|---|---|\n")
    lines += [f"| `{type}` | {cure} |\n" for type, cure in sorted(INSTEAD.items())]
    return "".join(lines)


def samples() -> dict[str, str]:
    """For each type, what ran its samples, and how many."""
    counts: dict[str, dict[str, int]] = {}
    for name, (where, _) in json.loads((TESTS / "exported.json").read_text("utf-8")).items():
        own = counts.setdefault(name.rpartition("-")[0], {})
        own[where] = own.get(where, 0) + 1
    return {type: ", ".join(f"{where} {count}" for where, count in sorted(own.items(), reverse=True))
            for type, own in counts.items()}  # fmt: skip


def main() -> int:
    """Compare or write; 1 if the page was out of date."""
    text = page()
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(text, "utf-8")
        return 0
    if not PAGE.exists() or PAGE.read_text("utf-8") != text:
        print("docs/onnx-operators.md is out of date: run python docs/make_onnx_table.py --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
