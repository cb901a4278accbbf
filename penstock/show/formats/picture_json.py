"""JSON of a picture: one object with everything that a `Picture` holds, nothing closed or cut.

    {"format": "penstock-picture", "version": 1, "title": "...",
     "boxes": [{"id": "a", "label": "a", "kind": "operation", "type": "Add", "detail": ["float32 (3,)"], "group": [],
                "paint": "", "contents": [], "constants": [], "is_constant": false, "value": ""}],
     "arrows": [{"source": "a", "target": "b", "label": "", "kind": "data", "tensors": ["a:0"], "slot": 0,
                 "operand": "x", "type": "float32 (3,)"}],
     "groups": [{"path": ["tower"], "label": "", "collapsed": false, "open": false}],
     "legend": [...]}

This is a picture, not the graph: `save_graph` writes a graph that can be loaded and run.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from ..content.picture import Arrow, Box, Picture, all_groups, legend_of, sorted_arrows

FORMAT = "penstock-picture"
VERSION = 1


def json_text(picture: Picture) -> str:
    """The picture as JSON, one box and one arrow a line, boxes in program order.

    Args:
        picture: the picture.

    Returns:
        The text of a .json file.

    >>> import json
    >>> from penstock.show import Box, Picture, json_text
    >>> json.loads(json_text(Picture("t", (Box("a", "a"),))))["boxes"][0]["id"]
    'a'
    """
    parts: list[tuple[str, list[Any]]] = [
        ("boxes", [_box(box) for box in picture.boxes]),
        ("arrows", [_arrow(arrow) for arrow in sorted_arrows(picture)]),
        ("groups", [asdict(group) for group in all_groups(picture).values()]),
        ("legend", [asdict(entry) for entry in legend_of(picture)]),
    ]
    head = f'{{"format": "{FORMAT}", "version": {VERSION}, "title": {json.dumps(picture.title)}'
    return ",\n".join([head, *(f' "{name}": {_listed(items)}' for name, items in parts)]) + "}\n"


def _box(box: Box) -> dict[str, Any]:
    # Not by `asdict`, which copies deeply and takes 20 times as long.
    return {"id": box.id, "label": box.label, "kind": box.kind.value, "type": box.type, "detail": box.detail,
            "group": box.group, "paint": box.paint, "contents": box.contents,
            "constants": [asdict(each) for each in box.constants], "is_constant": box.is_constant,
            "value": box.value}  # fmt: skip


def _arrow(arrow: Arrow) -> dict[str, Any]:
    return {"source": arrow.source, "target": arrow.target, "label": arrow.label, "kind": arrow.kind,
            "tensors": arrow.tensors, "slot": arrow.slot, "operand": arrow.operand, "type": arrow.type}  # fmt: skip


def _listed(items: list[Any]) -> str:
    return "[\n  " + ",\n  ".join(map(json.dumps, items)) + "\n ]" if items else "[]"
