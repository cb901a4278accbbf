"""The picture of each stage of a page: the graph as built, and what passes made of it.

Fed and fetched operations are marked. The values of variables are fed to later stages under the names of the variables,
which are still drawn as variables, in the scopes that they have in the built graph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from ..content.constant_labels import Constants, drawn_with
from ..content.from_graph import graph_picture
from ..content.nested_graphs import with_insides
from ..content.picture import Box, BoxKind, Group, Path, Picture
from ..content.training_scopes import TrainingScopes, training_scopes
from ..content.visibility import VARIABLE_TYPES, common_scope
from .page_stages import PageStage

_FED_COPY = ".fed_"


@dataclass(frozen=True, slots=True)
class KnownNames:
    """What the built graph tells of the nodes in its stages.

    names: the names of its operations, so that a box stays in its first scope.
    variables: the op types of its variables, which are fed to the later stages.
    training: the scopes of its variables and updates.
    later: the same for stages in which the updates are steps.
    """

    names: Set[str]
    variables: Mapping[str, str]
    training: TrainingScopes
    later: TrainingScopes

    @classmethod
    def of(cls, operations: Sequence[Any]) -> KnownNames:
        """What these operations tell."""
        inside = with_insides(operations)
        variables = {op.name: op.type for op in inside if op.type in VARIABLE_TYPES}
        training = training_scopes(inside)
        return cls({op.name for op in inside}, variables, training, training.of_steps())


class _Listed:
    """A list of operations as a graph."""

    def __init__(self, operations: Sequence[Any], known: KnownNames, training: TrainingScopes | None) -> None:
        self._operations = operations
        self.known_names = known.names
        self.training = training

    def get_operations(self) -> Sequence[Any]:
        return self._operations


def stage_picture(
    stage: PageStage,
    known: KnownNames,
    *,
    hide: tuple[str, ...] = (),
    title: str = "",
    constants: Constants = "labels",
    only_needed: bool = False,
) -> Picture:
    """The picture of a stage; fed and fetched operations are marked, and no box is grey.

    hide, title, constants: as in `graph_picture`. only_needed: whether what the fetches do not need is left out.
    """
    operations = stage.operations or ()
    is_later = not any(op.type in VARIABLE_TYPES for op in operations)  # the values of variables are fed
    training = known.later.writing(stage.writes) if is_later else None if only_needed else known.training
    listed = _Listed(operations, known, training)
    names = {op.name for op in operations}
    fetched = sorted({name.partition(_FED_COPY)[0] for name in stage.fetched} & names)  # a fed tensor has a copy
    asked: dict[str, Any] = {"fetches": fetched, "context": "cut"} if only_needed else {}
    picture = graph_picture(listed, hide=hide, title=title, constants="boxes", **asked)
    # A constant that is fed or fetched stays a box.
    boxes = tuple([_marked(box, stage, known) for box in picture.boxes])
    return drawn_with(_with_marked_faces(_beside_readers(replace(picture, boxes=boxes))), constants)


def _beside_readers(picture: Picture) -> Picture:
    """The picture with each constant that is read outside of its scope in the scope around its readers.

    Passes merge constants: a forward step may read one of the gradients, and these read that step.
    """
    scopes = {box.id: box.group for box in picture.boxes}
    around: dict[str, list[Path]] = {box.id: [] for box in picture.boxes if box.is_constant and box.group}
    for arrow in picture.arrows:
        if arrow.source in around:
            around[arrow.source].append(scopes[arrow.target])

    def at_home(box: Box) -> Box:
        readers = around.get(box.id)
        if not readers or all(path[: len(box.group)] == box.group for path in readers):
            return box
        return replace(box, group=common_scope(readers))

    return replace(picture, boxes=tuple(map(at_home, picture.boxes))) if around else picture


def _marked(box: Box, stage: PageStage, known: KnownNames) -> Box:
    if box.id in stage.fetched:
        return replace(box, kind=BoxKind.FETCHED)
    if box.id in known.variables and box.id not in stage.fed_by_user:
        return replace(box, kind=BoxKind.VARIABLE, type=known.variables[box.id])
    return replace(box, kind=BoxKind.FED) if box.id in stage.fed else box


def _with_marked_faces(picture: Picture) -> Picture:
    """The picture with closed variables of the kinds of their boxes."""
    by_id = {box.id: box for box in picture.boxes}

    def marked(group: Group) -> Group:
        face = group.face
        box = by_id.get(face.box) if face is not None else None
        if face is None or box is None:
            return group
        return replace(group, face=replace(face, kind=box.kind, type=box.type))

    return replace(picture, groups=tuple(map(marked, picture.groups)))
