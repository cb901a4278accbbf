"""Closing scopes, so that a large picture has few enough boxes to read.

A closed scope is one box. The arrows inside it vanish, and parallel arrows at its border merge into one that says how
many tensors it carries. `fit` closes scopes by the rule of `open_at_first` until the picture has few enough boxes. A
picture that is still too large is drawn by `layering.runs_of_levels`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import prod

from ..layout.layering import runs_of_levels
from .arrow_bundles import contents_of, merge_arrows
from .open_at_first import VISIBLE_LIMIT, Openable, choose_open
from .picture import Box, BoxKind, Face, Group, Path, Picture, all_groups
from .scope_structure import structures_of

_MOST_FETCHED = 2


def collapse(picture: Picture, depth: int | None = None, closed: Iterable[Path | str] = ()) -> Picture:
    """The picture with scopes closed: those deeper than `depth`, those in `closed`, and those marked collapsed.

    Args:
        picture: the picture.
        depth: with 0 every scope is one box, with 1 top-level scopes are open, and so on; None closes none by depth.
            Scopes marked open stay open, and no scope is folded.
        closed: the paths of further scopes to close, such as ("a", "b") or "a/b".

    Returns:
        A new Picture in which each closed scope is a box.

    Raises:
        ValueError: the depth is negative.

    >>> from penstock.show import Box, Picture, collapse
    >>> picture = Picture("", (Box("a/x", "x", group=("a",)), Box("a/y", "y", group=("a",))))
    >>> [(box.id, box.detail) for box in collapse(picture, depth=0).boxes]
    [('a/', ('2 operations', 'operation x2'))]
    """
    if depth is not None and depth < 0:
        raise ValueError(
            f"collapse(depth={depth}): the depth is negative; depth must be None or at least 0. "
            f"Write depth=0 to close every scope."
        )
    if depth is not None:
        picture = unfolded(picture)
    groups = all_groups(picture)
    wanted = {tuple(path.strip("/").split("/")) if isinstance(path, str) else path for path in closed}
    open_ = kept_open(groups)
    shut = {
        path
        for path, group in groups.items()
        if group.collapsed or path in wanted or (depth is not None and len(path) > depth and path not in open_)
    }
    return _close(picture, groups, shut) if shut else picture


def unfolded(picture: Picture) -> Picture:
    """The picture without marks that a scope is folded."""
    if not any(group.folded for group in picture.groups):
        return picture
    groups = [replace(each, collapsed=False, folded=False) if each.folded else each for each in picture.groups]
    return replace(picture, groups=tuple(groups))


def fit(picture: Picture, limit: int = VISIBLE_LIMIT) -> Picture:
    """The picture with scopes closed, the inner ones first, until few enough boxes are visible.

    A picture that is too large without any open scope is drawn as runs of consecutive levels.

    Args:
        picture: the picture.
        limit: the most boxes that may be visible.

    Returns:
        A Picture.

    >>> from penstock.show import Box, Picture, fit
    >>> picture = Picture("", tuple(Box(f"a/{i}", str(i), group=("a",)) for i in range(5)))
    >>> [box.id for box in fit(picture, limit=3).boxes]
    ['a/']
    """
    picture = closed_to(picture, limit)
    return picture if len(picture.boxes) <= limit else runs_of_levels(picture)


def closed_to(picture: Picture, limit: int) -> Picture:
    """The picture with scopes closed until `limit` boxes are visible, or until all are closed."""
    picture = collapse(picture)
    groups = all_groups(picture)
    return _close(picture, groups, scopes_to_close(picture, groups, limit))


def scopes_to_close(picture: Picture, groups: Mapping[Path, Group], limit: int) -> set[Path]:
    """The scopes that `fit` closes, so that `limit` boxes are visible if that can be."""
    if len(picture.boxes) <= limit:
        return set()
    structures, marked = structures_of(picture, groups), kept_open(groups)
    sizes = Counter(box.group for box in picture.boxes)
    sizes.update(path[:-1] for path in groups)  # a closed scope is a box too
    made: dict[Path, Openable] = {(): Openable(sizes[()], -1, [])}
    for path in groups:
        scope = made[path] = Openable(sizes[path], structures[path], [], path in marked)
        made[path[:-1]].inner.append(scope)
    choose_open(made[()], limit, limit)
    return {path for path, scope in made.items() if not scope.open}


def kept_open(groups: Mapping[Path, Group]) -> set[Path]:
    """The scopes marked open and the scopes around them, which must be open too."""
    return {path[:length] for path, group in groups.items() if group.open for length in range(1, len(path) + 1)}


def _close(picture: Picture, groups: Mapping[Path, Group], shut: set[Path]) -> Picture:
    if not shut:
        return picture
    taken = {box.id for box in picture.boxes}
    home: dict[str, str] = {}
    # A closed scope stands where its first box stood.
    members: dict[Path | str, list[Box]] = {}
    for box in picture.boxes:
        members.setdefault(_outermost(box.group, shut) or box.id, []).append(box)
    boxes: list[Box] = []
    closed: dict[Path, str] = {}
    for path, inside in members.items():
        boxes.append(inside[0] if isinstance(path, str) else _box_for(groups[path], inside, groups, taken))
        if not isinstance(path, str):
            closed[path] = boxes[-1].id
        home.update((box.id, boxes[-1].id) for box in inside)
    kept = tuple(group for path, group in groups.items() if _outermost(path, shut) is None)
    faces = {shown: face for path, shown in closed.items() if (face := groups[path].face) is not None}
    arrows = merge_arrows(picture, home, faces)
    return replace(picture, boxes=tuple(boxes), arrows=arrows, groups=kept)


def _outermost(path: Path, shut: set[Path]) -> Path | None:
    return next((path[:length] for length in range(1, len(path) + 1) if path[:length] in shut), None)


def _times(path: Path, above: int, groups: Mapping[Path, Group]) -> int:
    """How many boxes one stands for, by the folded rows around it that are deeper than `above`."""
    return prod(groups[path[:length]].times for length in range(above + 1, len(path) + 1))


def _box_for(group: Group, inside: list[Box], groups: Mapping[Path, Group], taken: set[str]) -> Box:
    identity = "/".join(group.path) + "/"
    while identity in taken:  # a box may already have the scope's name
        identity += "/"
    taken.add(identity)
    told = told_of(inside, group.path, groups)
    if group.face is not None and group.face.box:  # drawn as the variable, so a scope around it counts the variable
        told = [box for box in told if box.id == group.face.box] or told
    contents = contents_of(told, [_times(box.group, len(group.path), groups) for box in told])
    each = "each " if group.times > 1 else ""
    face = group.face
    if face is None:
        only_pruned = all(box.kind is BoxKind.PRUNED for box in inside)
        detail = (f"{each}{contents.size}", contents.types)
        face = Face(group.label or group.path[-1], BoxKind.PRUNED if only_pruned else BoxKind.GROUP, "", detail)
    fetched = [box for box in inside if box.id != face.box and box.kind is BoxKind.FETCHED]
    return Box(
        id=identity,
        label=face.label,
        kind=BoxKind.FETCHED if fetched else face.kind,
        type=face.type,
        detail=(*face.detail, *fetched_inside(fetched, face.label)),
        group=group.path[:-1],
        contents=tuple((name, number * group.times) for name, number in contents.counts),
        hue=-1 if group.face else group.hue,
    )


def told_of(inside: list[Box], scope: Path, groups: Mapping[Path, Group]) -> list[Box]:
    """The boxes that a closed scope counts: of each variable in it only itself, without initial value and slots."""
    faces = {path: group.face.box for path, group in groups.items() if group.face is not None and group.face.box}
    if not faces:
        return inside

    def is_told(box: Box) -> bool:
        around = (box.group[:length] for length in range(len(scope) + 1, len(box.group) + 1))
        outermost = next((path for path in around if path in faces), None)
        return outermost is None or faces[outermost] == box.id

    return [box for box in inside if is_told(box)]


def fetched_inside(fetched: Iterable[Box], label: str) -> tuple[str, ...]:
    """What a closed scope says of the fetched boxes in it, in at most one line; none if that would be its label."""
    names = [box.label for box in fetched]
    if names == [label]:
        return ()
    if len(names) > _MOST_FETCHED:
        return (f"{len(names)} of them are fetched",)
    return (f"fetched: {', '.join(names)}",) if names else ()
