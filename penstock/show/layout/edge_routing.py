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

from ..content.picture import Arrow, Box, Path, Picture, all_groups, members_in_order, sorted_arrows
from .layering import flow_order


@dataclass(frozen=True, slots=True, eq=False)  # there is one of each, and hashing its fields took a tenth of a layout
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
    """One scope before layout: its members in program order, and the nets among them in stable order."""

    path: Path
    members: list[Member] = field(default_factory=list)
    nets: dict[Stream, Net] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Piece:
    """The part of an arrow within one scope: from a member, or the border, to another."""

    path: Path
    hub: Member
    end: Member


@dataclass(frozen=True, slots=True)
class Routed:
    """An arrow in pieces from source to target; `meeting` is the piece in the innermost scope that holds both.

    stream: the stream that the arrow is part of; None for a self arrow.
    """

    arrow: Arrow
    pieces: tuple[Piece, ...]
    meeting: Piece
    stream: Stream | None


def scopes_of(picture: Picture) -> tuple[dict[Path, Scope], list[Routed]]:
    """The scopes by path (the root is `()`), parents first, and every arrow in stable order."""
    members = members_in_order(picture)
    scopes = {path: Scope(path, list(map(_member, members[path]))) for path in [(), *all_groups(picture)]}
    groups = {box.id: box.group for box in picture.boxes}
    cut = [(arrow, *_pieces(arrow, groups[arrow.source], groups[arrow.target])) for arrow in sorted_arrows(picture)]
    ranks = _ranks(scopes, [meeting for _, _, meeting in cut])
    copies: Counter[tuple[str, str, str, str, tuple[str, ...]]] = Counter()
    routed: list[Routed] = []
    streams: dict[tuple[str, tuple[str, ...], str, str, int, bool], Stream] = {}
    for arrow, pieces, meeting in cut:
        stream = None
        if arrow.source != arrow.target:
            rank = ranks[meeting.path]
            same = (arrow.source, arrow.target, arrow.kind, arrow.label, arrow.tensors)
            down = rank[meeting.hub] < rank[meeting.end]
            content = (arrow.source, arrow.tensors, arrow.label, arrow.kind, copies[same], down)
            copies[same] += 1
            stream = streams.get(content)
            if stream is None:
                stream = streams[content] = Stream(*content)
            for piece in pieces:
                net = scopes[piece.path].nets.setdefault(stream, Net(stream, piece.hub))
                if piece.end not in net.ends:
                    net.ends.append(piece.end)
        routed.append(Routed(arrow, pieces, meeting, stream))
    return scopes, routed


def meeting_path(one: Path, other: Path) -> Path:
    """The innermost scope that holds both."""
    length = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        length += 1
    return one[:length]


def _member(of_scope: Box | Path) -> Member:
    return Member(box=of_scope.id) if isinstance(of_scope, Box) else Member(path=of_scope)


def _pieces(arrow: Arrow, source: Path, target: Path) -> tuple[tuple[Piece, ...], Piece]:
    """The pieces of an arrow between boxes in these scopes, and the piece where both sides meet."""
    path = meeting_path(source, target)
    meeting = Piece(path, _within(path, arrow.source, source), _within(path, arrow.target, target))
    up, down = range(len(source), len(path), -1), range(len(path) + 1, len(target) + 1)
    leaving = [Piece(source[:n], _within(source[:n], arrow.source, source), BORDER) for n in up]
    entering = [Piece(target[:n], BORDER, _within(target[:n], arrow.target, target)) for n in down]
    return (*leaving, meeting, *entering), meeting


def _within(scope: Path, box: str, group: Path) -> Member:
    """The member of `scope` that is, or holds, the box."""
    return Member(box=box) if group == scope else Member(path=group[: len(scope) + 1])


def _ranks(scopes: dict[Path, Scope], meetings: Iterable[Piece]) -> dict[Path, dict[Member, int]]:
    """For each scope, the order of its members in which few arrows run backwards."""
    index = {path: {member: n for n, member in enumerate(scope.members)} for path, scope in scopes.items()}
    edges: dict[Path, list[tuple[int, int]]] = {path: [] for path in scopes}
    for piece in meetings:
        edges[piece.path].append((index[piece.path][piece.hub], index[piece.path][piece.end]))
    return {
        path: dict(zip(scope.members, flow_order(len(scope.members), edges[path]), strict=True))
        for path, scope in scopes.items()
    }


def labelled_streams(routed: Sequence[Routed]) -> set[Stream]:
    """The streams that carry a visible label: each text once per line that leaves a box."""
    return {item.stream for item in routed if item.stream is not None and item.stream.label}
