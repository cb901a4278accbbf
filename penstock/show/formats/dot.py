"""Graphviz DOT text of a picture, safe for any name.

Every id is a quoted string, so `scope/a:0` is a name and not a port. Inside quotes only the quote itself is special to
the reader, but labels are interpreted once more (backslash escapes, character entities). Both layers are escaped here.
Scopes become `subgraph cluster_N`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..content.closed_scopes import fit
from ..content.invisible_characters import visible
from ..content.open_at_first import VISIBLE_LIMIT
from ..content.palette import LIGHT
from ..content.picture import (
    BACKWARDS,
    Arrow,
    Box,
    BoxKind,
    Group,
    Path,
    Picture,
    all_groups,
    members_in_order,
    sorted_arrows,
)
from ..layout.text_measure import constant_lines

_LONGEST = 200

_HEADER = (
    '  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11, margin="0.12,0.06"];',
    f'  edge [fontname="Helvetica", fontsize=9, color="{LIGHT.line}", arrowsize=0.7];',
)


def dot_text(picture: Picture, limit: int | None = VISIBLE_LIMIT) -> str:
    """The picture in the DOT language of Graphviz.

    Args:
        picture: the picture.
        limit: the most boxes that may be visible; scopes are closed until they are few enough. None closes none.

    Returns:
        The text of a .dot file.

    >>> from penstock.show import Box, Picture, dot_text
    >>> print(dot_text(Picture("t", (Box("a:0", "a"),))).splitlines()[-2].split(" [")[0])
      "a:0"
    """
    shown = picture if limit is None else fit(picture, limit)
    groups = all_groups(shown)
    rankdir = f"  rankdir={'LR' if shown.direction == 'right' else 'TB'};"
    lines = [f"digraph {quote(shown.title or 'graph')} {{", rankdir, *_HEADER]
    if shown.title:
        lines.append(f'  label={label(_cut(shown.title))}; labelloc=t; fontname="Helvetica";')
    numbers = {path: number for number, path in enumerate(groups)}
    lines += _Clusters(groups, numbers, members_in_order(shown)).lines(())
    lines += [_edge(arrow) for arrow in sorted_arrows(shown)]
    return "\n".join([*lines, "}"]) + "\n"


def quote(text: str) -> str:
    r"""A DOT id in quotes; different texts give different ids, and no text can end the quotes early.

    >>> print(quote('a:0'), quote('say "x"'), quote('end\\'))
    "a:0" "say \"x\"" "end\\"
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", "\\r").replace("\n", "\\n")
    # A NUL would end the text early for a reader written in C; other control characters break its output.
    return '"' + visible(escaped).replace("\t", "\\x09") + '"'


def label(text: str) -> str:
    """A DOT label that shows `text` as it is; line ends stay, invisible characters become escapes."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
    return quote(visible(lines).replace("&", "&amp;"))


def _cut(text: str) -> str:
    """The beginning of a text: Graphviz does not lay out boxes wider than 65535 points."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "\u2026"


@dataclass(frozen=True, slots=True)
class _Clusters:
    """The groups of a picture as clusters: their numbers and their members."""

    groups: dict[Path, Group]
    numbers: dict[Path, int]
    members: dict[Path, list[Box | Path]]

    def lines(self, path: Path) -> Iterator[str]:
        """The lines of all members of a group, inner groups as clusters."""
        indent = "  " * (len(path) + 1)
        for member in self.members[path]:
            if isinstance(member, Box):
                yield _node(member, indent)
            else:
                yield from self._cluster(member)

    def _cluster(self, path: Path) -> Iterator[str]:
        indent = "  " * len(path)
        text = label(_cut(self.groups[path].label or path[-1]))
        hue = self.groups[path].hue
        border, fill = (LIGHT.scope_border, LIGHT.scope) if hue < 0 else (LIGHT.shared[hue].border,) * 2
        paint = f'color="{border}"; fillcolor="{fill}12"'
        yield f"{indent}subgraph cluster_{self.numbers[path]} {{"
        yield f"{indent}  label={text}; tooltip={label('/'.join(path))};"
        yield f'{indent}  style="rounded,filled"; {paint}; fontname="Helvetica";'
        yield from self.lines(path)
        yield f"{indent}}}"


def _node(box: Box, indent: str) -> str:
    hue = LIGHT.kinds[box.kind] if box.hue < 0 else LIGHT.shared[box.hue]
    text = "\n".join(_cut(line) for line in (box.label, box.type, *constant_lines(box), *box.detail) if line)
    fill = quote(box.paint or hue.fill)
    colours = f"fillcolor={fill}, color={quote(hue.border)}"
    dashed = ', style="rounded,filled,dashed"' if box.kind.value == "pruned" else ""
    return f"{indent}{quote(box.id)} [label={label(text)}, tooltip={label(box.id)}, {colours}{dashed}];"


def _edge(arrow: Arrow) -> str:
    attributes = [f"label={label(_cut(arrow.label))}"] if arrow.label else []
    if arrow.kind == "control":
        attributes += ["style=dashed", f'color="{LIGHT.control}"']
    if arrow.kind in BACKWARDS:
        hue = LIGHT.kinds[BoxKind.VARIABLE if arrow.kind == "write" else BoxKind.LEVELS]
        attributes += ["dir=back", f'color="{hue.border}"']
    tail = f" [{', '.join(attributes)}]" if attributes else ""
    return f"  {quote(arrow.source)} -> {quote(arrow.target)}{tail};"
