"""GraphML text of a picture, for graph tools such as Gephi, yEd and networkx.

Attributes are texts and numbers, and texts hold only what XML can hold. Other characters are written as escapes
(`\\x00`), in ids too, where different names stay different ids. The text is written line by line: the writer of
networkx takes six times as long for a graph of 100,000 nodes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..content.closed_scopes import collapse
from ..content.picture import Picture, sorted_arrows

# What XML 1.0 cannot hold, and what its readers change: a carriage return becomes a line feed.
_CHANGED = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_HEAD = """<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">"""
_OF_NODES = ("label", "kind", "type", "detail", "scope", "constants")
_OF_EDGES = ("label_of_edge", "kind_of_edge", "tensors", "slot", "operand", "type_of_edge")
_KEYS = (
    ("title", "graph", "title", "string"),
    *((name, "node", name, "string") for name in _OF_NODES),
    *((name, "edge", name.removesuffix("_of_edge"), "int" if name == "slot" else "string") for name in _OF_EDGES),
)
_OUTSIDE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def graphml_text(picture: Picture) -> str:
    """The picture as GraphML. Only scopes that are marked collapsed are closed.

    Args:
        picture: the picture.

    Returns:
        The text of a .graphml file.

    >>> from penstock.show import Box, Picture, graphml_text
    >>> 'attr.name="type"' in graphml_text(Picture("t", (Box("a", "a", type="Add"),)))
    True
    """
    picture = collapse(picture)
    boxes = picture.boxes
    ids = {name: _quoted(each) for name, each in _ids([box.id for box in boxes]).items()}
    lines = [_HEAD, *(_key(*key) for key in _KEYS), '<graph edgedefault="directed">']
    if picture.title:
        lines.append(f'<data key="title">{_text(picture.title)}</data>')
    for box in boxes:
        constants = "\n".join(each.line for each in box.constants)
        facts = (box.label, box.kind.value, box.type, "\n".join(box.detail), "/".join(box.group), constants)
        lines.append(f'<node id="{ids[box.id]}">{_data(_OF_NODES, facts)}</node>')
    for number, arrow in enumerate(sorted_arrows(picture)):
        told = (arrow.label, arrow.kind, ", ".join(arrow.tensors), str(arrow.slot), arrow.operand, arrow.type)
        ends = f'source="{ids[arrow.source]}" target="{ids[arrow.target]}"'
        lines.append(f'<edge id="{number}" {ends}>{_data(_OF_EDGES, told)}</edge>')
    return "\n".join([*lines, "</graph>", "</graphml>"]) + "\n"


def _key(identity: str, end: str, name: str, kind: str) -> str:
    return f'<key id="{identity}" for="{end}" attr.name="{name}" attr.type="{kind}"/>'


def _data(keys: Sequence[str], facts: Sequence[str]) -> str:
    return "".join([f'<data key="{key}">{_text(fact)}</data>' for key, fact in zip(keys, facts, strict=True)])


def _text(text: str) -> str:
    return safe(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _quoted(text: str) -> str:
    return _text(text).replace('"', "&quot;")


def safe(text: str) -> str:
    r"""`text` as XML can hold it.

    >>> safe("a\x00b\ud800")
    'a\\x00b\\ud800'
    """
    return _OUTSIDE.sub(_escape, text)


def _ids(names: Sequence[str]) -> dict[str, str]:
    """An id for each name: itself where XML can hold it, else its escaped form with a number where that is taken."""
    plain = {name: name for name in names if not _CHANGED.search(name)}
    taken = set(plain)
    ids = dict(plain)
    for name in names:
        if name in plain:
            continue
        free = escaped = safe(name.replace("\t", "\\t").replace("\n", "\\n"))
        count = 1
        while free in taken:
            free, count = f"{escaped}~{count}", count + 1
        taken.add(free)
        ids[name] = free
    return ids


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape", "surrogatepass").decode("ascii")
