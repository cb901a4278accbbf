"""The golden files that other programs read: an ordinary graph and one with hostile names.

`verified.json` beside them records which program read which of them, by checksum: files that changed since have to be
read again. PENSTOCK_UPDATE_GOLDEN=1 writes the files and, for the programs that are there, the records.
"""

from __future__ import annotations

import hashlib
import json
import os
from functools import cache
from pathlib import Path

from penstock.interchange.tensorflow import write_graphdef
from penstock.show.content.from_graph import picture_of
from penstock.show.content.picture import Picture
from penstock.show.formats.dot import dot_text
from penstock.show.formats.mermaid import mermaid_text
from tests.graph.serial.programs import hostile_graph, program

FOLDER = Path(__file__).resolve().parents[1] / "golden_files" / "forms"
RECORDS = FOLDER / "verified.json"
UPDATE = os.environ.get("PENSTOCK_UPDATE_GOLDEN", "") not in ("", "0")

SUFFIXES = (".dot", ".mmd", ".pb", ".pbtxt")
GRAPHS = ("program", "hostile")
FILES = tuple(graph + suffix for graph in GRAPHS for suffix in SUFFIXES)
READ_BY = {
    "graphviz": (".dot",),
    "mermaid": (".mmd",),
    "tensorboard": (".pb", ".pbtxt"),
    "netron": (".pb", ".pbtxt"),
}


@cache
def picture(graph: str) -> Picture:
    """What the pictures of a golden graph show."""
    return picture_of(program()[0], title='a "title"') if graph == "program" else picture_of(hostile_graph())


def written(file: str) -> bytes:
    """What our writer makes of the golden file's graph now."""
    graph, _, suffix = file.partition(".")
    if suffix in ("pb", "pbtxt"):
        return write_graphdef(program()[0] if graph == "program" else hostile_graph(), text=suffix == "pbtxt")
    text = dot_text(picture(graph)) if suffix == "dot" else mermaid_text(picture(graph))
    return text.encode("utf-8", "backslashreplace")


def files_for(tool: str) -> list[Path]:
    """The golden files that a program is to read."""
    return [FOLDER / file for file in FILES if Path(file).suffix in READ_BY[tool]]


def checksum(path: Path) -> str:
    """The checksum of a file as the records have it."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def record(tool: str, version: str) -> None:
    """Note that a program has read all its files, if files are being written."""
    if UPDATE:
        records = json.loads(RECORDS.read_text("utf-8")) if RECORDS.exists() else {}
        records[tool] = {"version": version, "files": {path.name: checksum(path) for path in files_for(tool)}}
        RECORDS.write_text(json.dumps(records, indent=1, sort_keys=True) + "\n", "utf-8")
