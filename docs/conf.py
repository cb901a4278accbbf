"""Sphinx settings of the documentation site.

    python -m pip install '.[docs]'
    python -m sphinx -W --keep-going docs build/site      and open build/site/index.html

The side bar lists what `index.md` links to. `-W` makes an error of a broken link, a missing anchor, and a page that the
index does not link to; a test asks that the reference describes every public name. The site needs no network: fonts are
the system's, and the search is a script beside the pages.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]  # the tree is what is documented; `api_reference` is beside this file

from front_page import with_front, write_front  # noqa: E402

from penstock.lessons.lesson_folders import course  # noqa: E402  # the folder is known only now
from penstock.lessons.play_page import write_play_page  # noqa: E402

project = "Penstock"
author = "The Penstock authors"
version = release = "0.1.0"
extensions = ["myst_parser", "sphinx.ext.autodoc", "api_reference"]
exclude_patterns = ["gallery", "moves", "site"]

# Markdown: anchors for headings down to ###, as file viewers make them.
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
nitpicky = True  # a reference that leads nowhere is a warning, and with -W an error
# Classes that stand in the reference under TensorFlow's names only, such as tf.zeros_initializer.
nitpick_ignore_regex = [("py:class", r"penstock\.(variables\.\w+_initializers|summary\.summary_messages)\.\w+"),
                        ("py:class", r"penstock\.variables\.changing_tables\.\w+"),
                        ("py:class", r"penstock\.interchange\.protos\.\w+\._\w+")]  # messages within messages

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

SEARCH_WORDS = {
    "play": ("play page",),
    "debug-in-a-terminal": ("debugger in a terminal", "penstock debug"),
    "debugger": ("debugger",),
    "gotchas": ("broadcast trap",),
    "teaching": ("exercises",),
}
"""Page -> what a reader may search for."""


def add_contents(app: Sphinx, docname: str, source: list[str]) -> None:
    """Makes the side bar's table of contents of the lists of links in the index, one for each heading; and puts what
    the site opens with above them."""
    if docname == "index":
        source[0] = with_front(source[0])
        for section in source[0].split("\n## ")[1:]:
            caption, _, text = section.partition("\n")
            pages = "\n".join(re.findall(r"^(?:-|\d+\.) \[[^]]*\]\(([\w/-]+)\.(?:md|rst)\)", text, re.MULTILINE))
            source[0] += f"\n\n:::{{toctree}}\n:hidden:\n:caption: {caption}\n\n{pages}\n:::\n"


def add_play_pages(app: Sphinx, error: Exception | None) -> None:
    """Writes the play page of each lesson beside the page of the lesson, which links to it."""
    if error is None and app.builder.format == "html":
        write_front(Path(app.outdir, "front"))
        folder = Path(app.outdir, "lessons", "play")
        folder.mkdir(parents=True, exist_ok=True)
        for lesson in course():
            write_play_page(lesson, folder / f"{lesson.number}.html")


def add_search_words(app: Sphinx, docname: str, source: list[str]) -> None:
    """Lets the search find a page first by words that its title does not have."""
    for words in SEARCH_WORDS.get(docname, ()):
        source[0] = f"```{{index}} ! {words}\n```\n\n{source[0]}"


def setup(app: Sphinx) -> None:
    app.connect("source-read", add_contents)
    app.connect("source-read", add_search_words)
    app.connect("build-finished", add_play_pages)
