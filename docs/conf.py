"""Sphinx settings of the documentation site, and its table of contents.

    python -m pip install '.[docs]'
    python -m sphinx -W --keep-going docs build/site      and open build/site/index.html

The pages stay plain Markdown that reads well in a file viewer. So the table of contents stands here and is put into the
index when it is read. `-W` makes a broken link, a missing anchor, a page outside the table of contents, and a public
name without a place in the reference an error.
"""

from __future__ import annotations

import sys
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]  # the tree is what is documented; `api_reference` lies beside this file

CONTENTS = {
    "Begin": (),
    "Guides": (
        "shapes",
        "errors",
        "gotchas",
        "explain",
        "looking",
        "recorded-runs",
        "graph-as-data",
        "gallery",
        "compiled",
        "gpu",
        "config",
        "adding-an-op",
    ),
    "Reference": (
        "ops",
        "reference/functions",
        "reference/graph",
        "reference/session",
        "reference/plans",
        "reference/records",
        "reference/pictures",
        "reference/errors-and-settings",
        "reference/extending",
        "reference/compat-v1",
    ),
    "How it works": ("life-of-a-call", "life-of-a-run", "design", "benchmarks", "verified"),
}
"""Caption -> pages in the order in which the side bar lists them."""

project = "Penstock"
author = "The Penstock authors"
version = release = "0.1.0"
extensions = ["myst_parser", "sphinx.ext.autodoc", "api_reference"]
exclude_patterns = ["gallery", "moves", "site"]

# Markdown: anchors for headings down to ###, as file viewers make them.
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
nitpicky = True  # a reference that leads nowhere is a warning, and with -W an error

# Docstrings tell types, shapes and dtypes in words, so signatures show names and defaults only.
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
autodoc_default_options = {"members": True, "inherited-members": True}
add_module_names = False
python_display_short_literal_types = True

smartquotes = False  # quotes in docstrings are code
highlight_language = "none"
html_theme = "furo"  # system fonts, light and dark, no script or font from elsewhere
html_title = "Penstock"
html_static_path = ["site"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
pygments_style = "friendly"
pygments_dark_style = "monokai"


def add_contents(app: Sphinx, docname: str, source: list[str]) -> None:
    """Appends the table of contents to the index."""
    if docname == "index":
        for caption, pages in CONTENTS.items():
            if pages:
                lines = "\n".join(pages)
                source[0] += f"\n\n:::{{toctree}}\n:hidden:\n:caption: {caption}\n\n{lines}\n:::\n"


def setup(app: Sphinx) -> None:
    app.connect("source-read", add_contents)
