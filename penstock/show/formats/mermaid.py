"""Mermaid flowchart of a picture, which Markdown pages draw by themselves.

Each scope is a subgraph. Ids are numbered (`n0`, `s0`), so no name can be taken for Mermaid's syntax. Labels stand in
quotes, and every character that could have a meaning there, or in the HTML that Mermaid makes, is written as the number
of its code point.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..content.closed_scopes import fit
from ..content.invisible_characters import visible
from ..content.open_at_first import VISIBLE_LIMIT
from ..content.palette import LIGHT
from ..content.picture import Box, BoxKind, Path, Picture, all_groups, members_in_order, sorted_arrows
from ..layout.text_measure import constant_lines

# Patterns as text: `re` compiles each at its first use and keeps it, and most pictures are of another form (5 ms).
_PLAIN = r"[^A-Za-z0-9 _.,()/:+*=\-\u0080-\U0010ffff]"
_LINE_ENDS = r"\r\n|[\r\n\u2028\u2029]"
# Mermaid marks entities with these letters on its way.
_SPECIAL = "[\ufb02\u00b0\u00b6\u00df]"
_LONGEST = 200


def mermaid_text(picture: Picture, limit: int | None = VISIBLE_LIMIT) -> str:
    """The picture as a Mermaid flowchart.

    Args:
        picture: the picture.
        limit: the most boxes that may be visible; scopes are closed until they are few enough. None closes none.

    Returns:
        The text of a .mmd file.

    >>> from penstock.show import Arrow
    >>> picture = Picture("", (Box("a:0", "a"), Box("b", 'say "b"')), (Arrow("a:0", "b", "int32 ()"),))
    >>> print(mermaid_text(picture), end="")
    flowchart TB
      n0["a"]:::operation
      n1["say #34;b#34;"]:::operation
      n0 -->|"int32 ()"| n1
      classDef operation fill:#...,stroke:#...,color:#...
    """
    shown = picture if limit is None else fit(picture, limit)
    boxes = shown.boxes
    ids = {box.id: f"n{number}" for number, box in enumerate(boxes)}
    lines = ["---", f'title: "{label(shown.title)}"', "---"] if shown.title else []
    lines.append(f"flowchart {'LR' if shown.direction == 'right' else 'TB'}")
    lines += _inside(shown, ids)
    for arrow in sorted_arrows(shown):
        line = {"control": "-.->", "write": "<-->", "loop": "<-.->"}.get(arrow.kind, "-->")
        text = f'|"{label(arrow.label)}"|' if arrow.label else ""
        lines.append(f"  {ids[arrow.source]} {line}{text} {ids[arrow.target]}")
    lines += [f"  style {ids[box.id]} fill:{box.paint}" for box in boxes if box.paint]
    lines += [f"  style {ids[box.id]} {_shared(box.hue)}" for box in boxes if box.hue >= 0]
    groups = enumerate(all_groups(shown).values())
    lines += [f"  style s{number} {_shared(group.hue)}" for number, group in groups if group.hue >= 0]
    lines += [_class(kind) for kind in BoxKind if any(box.kind is kind for box in boxes)]
    return "\n".join(lines) + "\n"


def label(text: str) -> str:
    """`text` inside Mermaid's quotes, at most 200 characters of it.

    >>> label('<script>"x"')
    '#60;script#62;#34;x#34;'
    """
    cut = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "\u2026"
    lines = visible(re.sub(_LINE_ENDS, "\n", cut).replace("\t", " ")).split("\n")
    return "<br/>".join(re.sub(_SPECIAL, _number, re.sub(_PLAIN, _number, line)) for line in lines)


def _number(found: re.Match[str]) -> str:
    return f"#{ord(found[0])};"


def _inside(picture: Picture, ids: dict[str, str]) -> Iterator[str]:
    """The boxes, each inside the subgraph of its scope."""
    groups = all_groups(picture)
    numbers = {path: number for number, path in enumerate(groups)}
    members = members_in_order(picture)

    def inside(path: Path) -> Iterator[str]:
        indent = "  " * (len(path) + 1)
        for member in members[path]:
            if isinstance(member, Box):
                yield f'{indent}{ids[member.id]}["{_text(member)}"]:::{member.kind.value}'
                continue
            yield f'{indent}subgraph s{numbers[member]}["{label(groups[member].label or member[-1])}"]'
            yield from inside(member)
            yield f"{indent}end"

    yield from inside(())


def _text(box: Box) -> str:
    return "<br/>".join(label(line) for line in (box.label, box.type, *constant_lines(box), *box.detail) if line) or " "


def _shared(number: int) -> str:
    hue = LIGHT.shared[number]
    return f"fill:{hue.fill},stroke:{hue.border},color:{LIGHT.ink}"


def _class(kind: BoxKind) -> str:
    hue = LIGHT.kinds[kind]
    dashed = ",stroke-dasharray:4" if kind is BoxKind.PRUNED else ""
    return f"  classDef {kind.value} fill:{hue.fill},stroke:{hue.border},color:{LIGHT.ink}{dashed}"
