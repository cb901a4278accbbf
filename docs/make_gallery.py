"""Makes `docs/gallery.md` and its pictures from the programs in `examples/`.

python docs/make_gallery.py            says which files are out of date
python docs/make_gallery.py --write    writes them
"""

from __future__ import annotations

import contextlib
import io
import runpy
import sys
import tempfile
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
line above the picture. The pictures are SVG and follow the light or dark setting of the reader's system. Point at a
box, an arrow or a scope to see its full name. `graph.export("graph.html")` writes the same graph as a page with search,
cards and stages; `"graph.png"` and `"graph.pdf"` write an image (`pip install penstock[pictures]`).
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """One picture: its file and title, the example with the graph, the text above it, the export's options."""

    file: str
    title: str
    example: str
    words: str
    options: dict[str, Any] = field(default_factory=dict)


ENTRIES = (
    Entry(
        "standardise",
        "Rows partitioned by group and stitched back",
        "standardise_by_group",
        "Text becomes numbers, `dynamic_partition` splits the rows by group, each group is standardised in a scope of\n"
        "its own, and `dynamic_stitch` puts the rows back in place. The size `flowers` has a name; the number of rows\n"
        "of a group is not known before the run and is shown as `?`. `depth=1` opens the scopes.",
        {"fetches": "standardised", "depth": 1},
    ),
    Entry(
        "standardise-closed",
        "The same with its scopes closed",
        "standardise_by_group",
        "With `depth=0` every scope is one box with its number of operations and their types.",
        {"fetches": "standardised", "depth": 0},
    ),
    Entry(
        "layers",
        "Three layers, two of them closed",
        "layers_in_scopes",
        'The program marks scopes: `show="collapsed"` the first layers, `show="open"` the last, `show="hidden"` the\n'
        "checks. The export leaves out the regularizers with `hide`. A box that reads from a hidden node says so.",
        {"fetches": ["species", "loss"], "hide": ["*/Regularizer"]},
    ),
    Entry(
        "kmeans",
        "One round of k-means",
        "kmeans",
        "The scope `assign` finds the nearest centre of each point, `update` moves the centres. [k-means](kmeans.md)\n"
        "explains the program.",
        {"fetches": ["update/moved/truediv", "update/sizes"]},
    ),
    Entry(
        "pagerank",
        "Five equal steps",
        "pagerank",
        "A Python loop calls one function five times, each time in a scope of its own. [PageRank](pagerank.md)\n"
        "explains the program.",
        {"fetches": ["step_4/ranks", "compare/change"], "depth": 0},
    ),
    Entry(
        "masked-add",
        "An update of some elements only",
        "dynamic_stitch",
        "The program on TensorFlow's page: add 1 to the elements that are not -1. Small constants show their values.",
        {"fetches": "DynamicStitch_1", "hide": ["DynamicStitch"]},
    ),
    Entry(
        "named-sizes",
        "Named dimensions",
        "shapes_before_anything_runs",
        "`concat` of `batch` and `extra` rows has `batch+extra` rows, and a reshape to pairs has three times as many.",
        {"hide": ["zeros*", "concat*", "z", "add"]},
    ),
    Entry(
        "multiplex",
        "Rows from several tables, and stacked tensors",
        "multiplex_and_stack",
        "Parts of a graph that are not connected stand side by side.",
    ),
    Entry(
        "word2vec",
        "Vectors of words, with noise-contrastive estimation",
        "word2vec",
        "The table is a partitioned variable of two parts: `lookup` partitions the ids, gathers rows of each, and\n"
        "stitches them together. `nce` draws classes with a candidate sampler and computes only their logits.",
        {"fetches": "loss", "depth": 0, "hide": ["gradients*", "Adagrad*", "init", "l2_normalize*", "likeness"]},
    ),
    Entry(
        "not-needed",
        "Nodes that a fetch does not need",
        "tensor_scatter_nd_update",
        "With `fetches`, the fetches are green. Nodes that a run of them does not need are left out; with\n"
        '`context="dim"` they are grey and dashed.',
        {"fetches": "Sum", "context": "dim"},
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
    with tempfile.TemporaryDirectory() as folder:
        drawn: Path = graph_of(entry.example).export(Path(folder, "drawn.svg"), title=entry.title, **entry.options)
        return drawn.read_text("utf-8")


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
