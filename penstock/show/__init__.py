"""Pictures of graphs: the neutral `Picture`, its layout, and exporters to text, DOT and SVG."""

from .closed_scopes import collapse, fit
from .dot import dot_text
from .export import export_picture
from .export_graph import export
from .from_graph import picture_of
from .graphml import graphml_text
from .layering import runs_of_levels
from .mermaid import mermaid_text
from .page_document import html_page
from .picture import Arrow, Box, BoxKind, Group, LegendEntry, Picture
from .picture_json import json_text
from .picture_layout import Layout, lay_out
from .svg import svg_text
from .terminal_tree import text_tree

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
