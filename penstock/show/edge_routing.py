"""Edge routing through scopes: each arrow is cut into one piece per scope that it passes.

Every scope is laid out on its own and is then one node of the scope around it. So within each scope on its way an arrow
runs between two members, or between a member and a *port* on the scope's border. The pieces of all arrows that carry
the same thing from the same box form one `Net` per scope (a hub and its ends) and share their line.

Scopes that need each other make cycles even where the graph has none. Each scope puts its members into an order with
few backward arrows. A stream that runs backwards leaves its box at the top and enters from below.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .layering import flow_order
from .picture import Arrow, Path, Picture, all_groups, sorted_arrows, sorted_boxes


@dataclass(frozen=True, slots=True)
class Stream:
    """The content of a shared line that leaves one box; `copy` tells the two arrows of x + x apart."""

    source: str
    tensors: tuple[str, ...]
    label: str
    kind: str
    copy: int
    down: bool


@dataclass(frozen=True, slots=True)
class Member:
    """A node of one scope's layout: a box (`box` is its id), an inner scope (`path`), or its border."""

    box: str = ""
    path: Path = ()
    border: bool = False


BORDER = Member(border=True)


@dataclass(slots=True)
class Net:
    """One stream within one scope: from its hub to its ends, either of which may be the border."""

    stream: Stream
    hub: Member
    ends: list[Member] = field(default_factory=list)


@dataclass(slots=True)
class Scope:
    """One scope before layout: its members in stable order, and the nets among them in stable order."""

    path: Path
    members: list[Member] = field(default_factory=list)
    nets: dict[Stream, Net] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Routed:
    """An arrow and the stream that it is part of; self arrows have none."""

    arrow: Arrow
    stream: Stream | None


def scopes_of(picture: Picture) -> tuple[dict[Path, Scope], list[Routed]]:
    """The scopes by path (the root is `()`), parents first, and the stream of every arrow in stable order."""
    scopes = {path: Scope(path) for path in [(), *all_groups(picture)]}
    for box in sorted_boxes(picture):
        scopes[box.group].members.append(Member(box=box.id))
    for path in scopes:
        if path:
            scopes[path[:-1]].members.append(Member(path=path))
    groups = {box.id: box.group for box in picture.boxes}
    arrows = sorted_arrows(picture)
    ranks = _ranks(scopes, arrows, groups)
    routed = _streams(arrows, groups, ranks)
    for item in routed:
        if item.stream is not None:
            _add_to_nets(scopes, item.arrow, item.stream, groups)
    return scopes, routed


def meeting_path(one: Path, other: Path) -> Path:
    """The innermost scope that holds both."""
    length = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        length += 1
    return one[:length]


def member_within(scope: Path, box: str, group: Path) -> Member:
    """The member of `scope` that is, or holds, the box."""
    return Member(box=box) if group == scope else Member(path=group[: len(scope) + 1])


def _ranks(
    scopes: dict[Path, Scope], arrows: Sequence[Arrow], groups: dict[str, Path]
) -> dict[Path, dict[Member, int]]:
    """For each scope, the order of its members in which few arrows run backwards."""
    index = {path: {member: n for n, member in enumerate(scope.members)} for path, scope in scopes.items()}
    edges: dict[Path, list[tuple[int, int]]] = {path: [] for path in scopes}
    for arrow in arrows:
        path = meeting_path(groups[arrow.source], groups[arrow.target])
        source = member_within(path, arrow.source, groups[arrow.source])
        target = member_within(path, arrow.target, groups[arrow.target])
        edges[path].append((index[path][source], index[path][target]))
    ranks: dict[Path, dict[Member, int]] = {}
    for path, scope in scopes.items():
        ranks[path] = dict(zip(scope.members, flow_order(len(scope.members), edges[path]), strict=True))
    return ranks


def _streams(
    arrows: Iterable[Arrow], groups: dict[str, Path], ranks: dict[Path, dict[Member, int]]
) -> list[Routed]:
    copies: Counter[tuple[str, str, str, str, tuple[str, ...]]] = Counter()
    routed: list[Routed] = []
    for arrow in arrows:
        if arrow.source == arrow.target:
            routed.append(Routed(arrow, None))
            continue
        path = meeting_path(groups[arrow.source], groups[arrow.target])
        source = member_within(path, arrow.source, groups[arrow.source])
        target = member_within(path, arrow.target, groups[arrow.target])
        down = ranks[path][source] < ranks[path][target]
        same = (arrow.source, arrow.target, arrow.kind, arrow.label, arrow.tensors)
        stream = Stream(arrow.source, arrow.tensors, arrow.label, arrow.kind, copies[same], down)
        copies[same] += 1
        routed.append(Routed(arrow, stream))
    return routed


def _add_to_nets(scopes: dict[Path, Scope], arrow: Arrow, stream: Stream, groups: dict[str, Path]) -> None:
    source_group, target_group = groups[arrow.source], groups[arrow.target]
    meeting = meeting_path(source_group, target_group)
    for length in range(len(source_group), len(meeting), -1):
        path = source_group[:length]
        _join(scopes[path], stream, member_within(path, arrow.source, source_group), BORDER)
    hub = member_within(meeting, arrow.source, source_group)
    _join(scopes[meeting], stream, hub, member_within(meeting, arrow.target, target_group))
    for length in range(len(meeting) + 1, len(target_group) + 1):
        path = target_group[:length]
        _join(scopes[path], stream, BORDER, member_within(path, arrow.target, target_group))


def _join(scope: Scope, stream: Stream, hub: Member, end: Member) -> None:
    net = scope.nets.setdefault(stream, Net(stream, hub))
    if end not in net.ends:
        net.ends.append(end)


def labelled_streams(routed: Sequence[Routed]) -> set[Stream]:
    """The streams that carry a visible label: each text once per box and side, not once for every line."""
    chosen: dict[tuple[str, str, bool], Stream] = {}
    for item in routed:
        stream = item.stream
        if stream is not None and stream.label:
            chosen.setdefault((stream.source, stream.label, stream.down), stream)
    return set(chosen.values())
