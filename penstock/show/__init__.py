"""Pictures of graphs: the neutral `Picture`, its layout, and exporters to text, DOT and SVG."""

from .content.closed_scopes import collapse, fit
from .content.from_graph import picture_of
from .content.picture import Arrow, Box, BoxKind, Group, LegendEntry, Picture
from .formats.dot import dot_text
from .formats.export import export_picture
from .formats.export_graph import export
from .formats.graphml import graphml_text
from .formats.mermaid import mermaid_text
from .formats.picture_json import json_text
from .formats.svg import svg_text
from .formats.terminal_tree import text_tree
from .layout.layering import runs_of_levels
from .layout.picture_layout import Layout, lay_out
from .page.page_document import html_page

__all__ = [
    "Arrow",
    "Box",
    "BoxKind",
    "Group",
    "Layout",
    "LegendEntry",
    "Picture",
    "collapse",
    "dot_text",
    "export",
    "export_picture",
    "fit",
    "graphml_text",
    "html_page",
    "json_text",
    "lay_out",
    "mermaid_text",
    "picture_of",
    "runs_of_levels",
    "svg_text",
    "text_tree",
]
