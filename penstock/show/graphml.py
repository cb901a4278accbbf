"""How is a picture written for GraphML, which graph tools such as Gephi, yEd and networkx read?

networkx writes it; what it is given is made safe first: attributes are texts, numbers and truth values, and texts hold
only what XML can hold. Other characters are written as escapes (`\\x00`), in ids too, where a different text stays a
different id.
"""

from __future__ import annotations

import re

from ..graph.networkx_view import graphml_text as write
from .picture import Picture, sorted_arrows, sorted_boxes

# What XML 1.0 cannot hold, and what its readers change: a carriage return becomes a line feed.
_OUTSIDE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def graphml_text(picture: Picture) -> str:
    """The picture as GraphML; nothing is closed.

    >>> from penstock.show import Box
    >>> 'attr.name="type"' in graphml_text(Picture("t", (Box("a", "a", type="Add"),)))
    True
    """
    nodes = {
        box.id: {
            "label": safe(box.label),
            "kind": box.kind.value,
            "type": safe(box.type),
            "detail": safe("\n".join(box.detail)),
            "scope": safe("/".join(box.group)),
        }
        for box in sorted_boxes(picture)
    }
    ids = {name: _id(name) for name in nodes}
    edges = [
        (
            ids[arrow.source],
            ids[arrow.target],
            {
                "label": safe(arrow.label),
                "kind": arrow.kind,
                "tensors": safe(", ".join(arrow.tensors)),
                "slot": arrow.slot,
            },
        )
        for arrow in sorted_arrows(picture)
    ]
    return write({ids[name]: attributes for name, attributes in nodes.items()}, edges, safe(picture.title))


def safe(text: str) -> str:
    r"""`text` as XML can hold it.

    >>> safe("a\x00b\ud800")
    'a\\x00b\\ud800'
    """
    return _OUTSIDE.sub(_escape, text)


def _id(name: str) -> str:
    """Different names are different ids: where anything is escaped, backslashes are too, and tabs and line ends."""
    if not _OUTSIDE.search(name) and not re.search(r"[\t\n]", name):
        return name
    return safe(name.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n"))


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape", "surrogatepass").decode("ascii")
