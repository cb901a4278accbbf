"""How is a picture written for GraphML, which graph tools such as Gephi, yEd and networkx read?

networkx writes it; what it is given is made safe first: attributes are texts, numbers and truth values, and texts hold
only what XML can hold. Other characters are written as escapes (`\\x00`), in ids too, where different names stay
different ids.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..graph.networkx_view import graphml_text as write
from .picture import Picture, sorted_arrows, sorted_boxes

# What XML 1.0 cannot hold, and what its readers change: a carriage return becomes a line feed.
_CHANGED = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
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
    ids = _ids(list(nodes))
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
