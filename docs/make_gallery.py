"""What do graphs look like? `docs/gallery.md` and its pictures are made from the programs in `examples/`.

python docs/make_gallery.py            says which files are out of date
python docs/make_gallery.py --write    writes them
"""

from __future__ import annotations

import contextlib
import io
import runpy
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "gallery.md"
FOLDER = ROOT / "docs" / "gallery"

HEAD = """# Gallery

Made by `python docs/make_gallery.py --write`: each program in `examples/` is run, and its graph is exported with the
line above the picture. The pictures are SVG, light or dark as the reader's system is; a pointer that rests on a box, an
arrow or a scope shows its full name. `graph.export("graph.html")` writes the same as a page with search, cards and
stages.
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """One picture: its file and title, the example that makes the graph, the options of the export, what to look at."""

    file: str
    title: str
    example: str
    words: str
    options: dict[str, Any] = field(default_factory=dict)


ENTRIES = (
    Entry(
        "standardise",
        "Rows apart by group, and back in place",
        "standardise_by_group",
        "Text becomes numbers, `dynamic_partition` takes the rows apart, each group is worked on in a scope of its\n"
        "own, and `dynamic_stitch` puts the rows back. The sizes `flowers` are known by name; how many rows a group\n"
        "has is not known before the run and shown as `?`.",
        {"fetches": "standardised"},
    ),
    Entry(
        "standardise-closed",
        "The same with its scopes closed",
        "standardise_by_group",
        "With `depth=0` every scope is one box that says what it holds.",
        {"fetches": "standardised", "depth": 0},
    ),
    Entry(
        "layers",
        "Three layers, two of them closed",
        "layers_in_scopes",
        'Written in the program: `show="collapsed"` for the first layers, `show="open"` for the last,\n'
        '`show="hidden"` for the checks. Written in the export: `hide` leaves the regularizers out. A box that reads\n'
        "from what is not shown says so.",
        {"fetches": ["species", "loss"], "hide": ["*/Regularizer"]},
    ),
    Entry(
        "masked-add",
        "Work on a part of a tensor only",
        "dynamic_stitch",
        "The program of TensorFlow's page: where an element is not -1, add 1. Small constants show their values.",
        {"fetches": "DynamicStitch_1", "hide": ["DynamicStitch"]},
    ),
    Entry(
        "named-sizes",
        "Sizes with names",
        "shapes_before_anything_runs",
        "`concat` of `batch` and `extra` rows has `batch+extra` of them, and a reshape to pairs three times as many.",
        {"hide": ["zeros*", "concat*", "z", "add"]},
    ),
    Entry(
        "multiplex",
        "Rows from several tables, and tensors stacked",
        "multiplex_and_stack",
        "Parts of a graph that have nothing to do with each other stand side by side.",
    ),
    Entry(
        "not-needed",
        "What a fetch does not need",
        "tensor_scatter_nd_update",
        "With `fetches`, what is asked for is green and what a run of it would not touch is grey and dashed.",
        {"fetches": "Sum"},
    ),
)


@cache
def graph_of(example: str) -> Any:
    """The graph that an example builds; the example calls it `graph`, or makes it for its session."""
    with contextlib.redirect_stdout(io.StringIO()):
        names = runpy.run_path(str(ROOT / "examples" / f"{example}.py"), run_name="__main__")
    return names.get("graph") or names["session"].graph


def picture(entry: Entry) -> str:
    """The SVG of an entry."""
    from penstock.show import picture_of
    from penstock.show.svg import svg_text

    return svg_text(picture_of(graph_of(entry.example), title=entry.title, **entry.options))


def page() -> str:
    """The text of gallery.md."""
    return HEAD + "".join(map(_section, ENTRIES))


def _section(entry: Entry) -> str:
    options = "".join(f", {name}={value!r}".replace("'", '"') for name, value in entry.options.items())
    return (
        f'\n## {entry.title}\n\n{entry.words}\n\n    graph.export("{entry.file}.svg"{options})\n\n'
        f"`examples/{entry.example}.py`\n\n![{entry.title}](gallery/{entry.file}.svg)\n"
    )


def files() -> Iterator[tuple[Path, str]]:
    """Every file of the gallery with the text that it should have."""
    yield PAGE, page()
    for entry in ENTRIES:
        yield FOLDER / f"{entry.file}.svg", picture(entry)


def main() -> int:
    """Compare, or write; the exit code is 1 if a file was out of date, or belongs to no entry."""
    wanted = dict(files())
    outdated = [path for path, text in wanted.items() if not path.exists() or path.read_text("utf-8") != text]
    for path in outdated:
        print(f"{path.relative_to(ROOT)} is not what the examples make now")
        if "--write" in sys.argv[1:]:
            path.parent.mkdir(exist_ok=True)
            path.write_text(wanted[path], "utf-8")
    left = sorted(set(FOLDER.glob("*")) - wanted.keys())
    for path in left:
        print(f"{path.relative_to(ROOT)} belongs to no picture of the gallery")
    return 1 if outdated or left else 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
