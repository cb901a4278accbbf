"""The parts of training in a picture: each variable and each update of an optimizer is one scope, closed at first.

    w         the variable, its initial value, and the slots that optimizers keep for it
    Adam/update_w
              what Adam computes for w, up to the writes of w and its slots
    Adam/for all variables
              what the updates of several variables share, such as a step size

Names do not always say so: the initial value of `tf.Variable(tf.zeros([3]), name="w")` is called `zeros`. So the
operations that only an initializer reads are put into the scope of its variable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

from ...graph.model.nodes import Graph
from ...runtime.observe.value_summary import SHOWN_ELEMENTS, value_text
from ...train.optimizers.slot_variables import slot_labels
from .arrow_bundles import contents_of
from .picture import Box, BoxKind, Face, Group, Path
from .touched_variables import NOTHING, Touch, touches_of
from .visibility import VARIABLE_TYPES, scope_path

_UPDATE = "update_"
_SHARED = "for all variables"
_FED = ("Placeholder", "PlaceholderWithDefault")
_MOST_SLOTS = 3
_MOST_LINES = 4
_MOST_DRAWN = 5  # with more updates than that, lines back to the variables hide the rest


@dataclass(slots=True)
class TrainingScopes:
    """The scopes of variables and updates in a graph.

    homes: the scope in which an operation is drawn, where it is not that of its name.
    touches: the variables that operations read and write.
    initialize: the numbers of initializers that operations such as `init` run, which are in scopes of variables.
    labels: what optimizers call their slots.
    are_steps: whether updates are steps, and so open at first.
    """

    homes: dict[str, Path] = field(default_factory=dict)
    touches: dict[str, Touch] = field(default_factory=dict)
    initialize: dict[str, int] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    are_steps: bool = False
    _starts: dict[str, str] = field(default_factory=dict)
    _slots: dict[str, list[str]] = field(default_factory=dict)
    _updates: dict[Path, str] = field(default_factory=dict)
    _own: set[str] = field(default_factory=set)  # variables of optimizers themselves
    _all_slots: set[str] = field(default_factory=set)

    @property
    def has_any(self) -> bool:
        """Whether anything of the graph belongs to training."""
        return bool(self.homes or self.touches or self.initialize)

    def touch(self, name: str) -> Touch:
        """The variables that an operation reads and writes."""
        return self.touches.get(name, NOTHING)

    def is_of_slots(self, name: str) -> bool:
        """Whether an operation reads a slot of an optimizer and does nothing else."""
        touch = self.touch(name)
        return bool(touch.reads) and not touch.writes and all(each in self._all_slots for each in touch.reads)

    def of_steps(self) -> TrainingScopes:
        """The scopes for a stage in which what the updates compute are steps."""
        return replace(self, touches={}, initialize={}, are_steps=True)

    def writing(self, writes: Mapping[str, tuple[str, ...]]) -> TrainingScopes:
        """These scopes for a stage in which operations make new values of variables."""
        return replace(self, touches={name: Touch(writes=variables) for name, variables in writes.items()})

    def without_single(self, boxes: Sequence[Box]) -> tuple[Box, ...]:
        """The boxes, each variable that is alone in its scope as it would be drawn closed."""
        if not self._starts:
            return tuple(boxes)
        sizes = Counter(box.group[:length] for box in boxes for length in range(1, len(box.group) + 1))
        alone = {name for name in self._starts if sizes[self._scope_of(name)] == 1}
        if not alone:
            return tuple(boxes)

        def opened(box: Box) -> Box:
            at_home = box.id in alone and box.group == self._scope_of(box.id)
            return replace(box, group=box.group[:-1], detail=self._variable(box).detail) if at_home else box

        return tuple(map(opened, boxes))

    def groups(self, boxes: Sequence[Box]) -> Iterator[Group]:
        """The scopes among these boxes, each with what it is drawn as when it is closed."""
        by_id = {box.id: box for box in boxes}
        inside: dict[Path, list[Box]] = {}
        for box in boxes:
            for length in range(1, len(box.group) + 1):
                inside.setdefault(box.group[:length], []).append(box)
        for name in self._starts:
            path = self._scope_of(name)
            if name in by_id and path in inside and by_id[name].group == path:
                yield Group(path, path[-1], collapsed=True, folded=True, face=self._variable(by_id[name]))
        for path, variable in self._updates.items():
            if path in inside:
                label = f"{path[-2] if len(path) > 1 else 'update'}({variable})"
                if path[-1] == _SHARED:
                    label = f"{path[-2]}: {_SHARED}"
                face = self._update(label, variable, inside[path])
                yield Group(path, label, collapsed=not self.are_steps, folded=not self.are_steps, face=face)
        for path in dict.fromkeys(path[:-1] for path in self._updates if len(path) > 1):
            if path in inside:
                yield Group(path, path[-1], face=self._optimizer(path, inside[path]))

    def _scope_of(self, variable: str) -> Path:
        """The scope in which a variable stands with its slots and its initializer."""
        path = scope_path(variable.split("/"))
        home = self.homes.get(variable, path)
        return home if home[-len(path) :] == path else path

    def _variable(self, box: Box) -> Face:
        start, slots = self._starts[box.id], self._slots.get(box.id, [])
        detail = [*box.detail, *([f"starts as {start}"] if start else [])]
        if slots:
            more = [f"{len(slots) - _MOST_SLOTS} more"] if len(slots) > _MOST_SLOTS else []
            detail.append(f"slots {', '.join(slots[:_MOST_SLOTS] + more)}")
        return Face(box.label, box.kind, box.type, tuple(detail), box.id)

    def _update(self, label: str, variable: str, inside: Sequence[Box]) -> Face:
        slots = self._written(inside, variable)
        kind = BoxKind.PRUNED if all(box.kind is BoxKind.PRUNED for box in inside) else BoxKind.GROUP
        detail = ([f"writes {variable}"] if variable else []) + [contents_of(inside).size]
        text = f"{label}: {', '.join(slots)}" if slots else label
        return Face(text, kind, "", tuple(detail), is_quiet=len(self._updates) > _MOST_DRAWN)

    def _optimizer(self, scope: Path, inside: Sequence[Box]) -> Face:
        """What the scope around all updates is drawn as when it is closed."""
        lines: list[str] = []
        for path, variable in self._updates.items():
            if path[:-1] == scope and variable and variable not in self._own:
                within = [box for box in inside if box.group[: len(path)] == path]
                slots = self._written(within, variable)
                lines += [f"writes {variable}{' and its ' if slots else ''}{', '.join(slots)}"] if within else []
        if len(lines) > _MOST_LINES:
            lines = [*lines[: _MOST_LINES - 1], f"and {len(lines) - _MOST_LINES + 1} more variables"]
        kind = BoxKind.PRUNED if all(box.kind is BoxKind.PRUNED for box in inside) else BoxKind.GROUP
        return Face(scope[-1], kind, "", tuple(lines), is_quiet=len(self._updates) > _MOST_DRAWN)

    def _written(self, inside: Sequence[Box], variable: str) -> list[str]:
        """What the optimizer calls the slots that these boxes write."""
        written = dict.fromkeys(name for box in inside for name in self.touch(box.id).writes)
        return [self.slot_text(name, variable) for name in written if name != variable]

    def slot_text(self, slot: str, variable: str) -> str:
        """A slot as the optimizer calls it: "m" if that is known, else the rest of its name."""
        return self.labels.get(slot) or slot.removeprefix(variable + "/")


def training_scopes(
    operations: Sequence[Any], fetched: Set[str] = frozenset(), needed: Set[str] = frozenset()
) -> TrainingScopes:
    """The scopes of variables and updates among these operations.

    fetched: names of operations that stay where they are. needed: what they need; its initializers are drawn too.
    """
    variables = {op.name for op in operations if op.type in VARIABLE_TYPES}
    if not variables:
        return TrainingScopes(touches=touches_of(operations))
    graph = getattr(operations[0], "graph", None)
    labels = slot_labels(graph) if isinstance(graph, Graph) else {}
    training = TrainingScopes(touches=touches_of(operations), labels=labels)
    readers: dict[str, list[str]] = {}
    for op in operations:
        for before in names_before(op):
            readers.setdefault(before, []).append(op.name)
    by_name = {op.name: op for op in operations}
    initializers = {name: variable for name, variable in _initializers(by_name, training) if name not in needed}
    owned = _owned(operations, readers, initializers, variables | set(fetched))
    _add_variables(training, by_name, variables, owned)
    _add_initializing(training, operations, initializers)
    _add_updates(training, operations, readers, variables, fetched)
    return training


def names_before(op: Any) -> Iterator[str]:
    """The operations that an operation waits for."""
    yield from (tensor.op.name for tensor in op.inputs)
    yield from (other.name for other in op.control_inputs)


# ---- variables --------------------------------------------------------------------------------------------


def _initializers(by_name: Mapping[str, Any], found: TrainingScopes) -> Iterator[tuple[str, str]]:
    """The operations that give variables their first values: `w/Assign` of `w`."""
    for name, touch in found.touches.items():
        scope, _, last = name.rpartition("/")
        if touch.writes == (scope,) and last.startswith("Assign") and by_name[name].type == "Assign":
            yield name, scope


def _owned(
    operations: Sequence[Any], readers: Mapping[str, Sequence[str]], homes: Mapping[str, str], kept: Set[str]
) -> dict[str, str]:
    """The homes of operations, and of those that only they read: each as the first of its readers."""
    found = dict(homes)
    for op in reversed(operations):
        name = op.name
        if name in found or name in kept or op.type in _FED:
            continue
        after = readers.get(name)
        if after and all(each in found for each in after):
            found[name] = found[after[0]]
    return found


def _add_variables(
    training: TrainingScopes, by_name: Mapping[str, Any], variables: Set[str], owned: Mapping[str, str]
) -> None:
    for name, variable in owned.items():
        own = name.startswith(variable + "/")
        training.homes[name] = scope_path((name.rpartition("/")[0] if own else variable).split("/"))
    holding = set(owned.values())
    for name in sorted(variables):
        primary = _primary(name, variables)
        if primary:
            training._slots.setdefault(primary, []).append(training.slot_text(name, primary))
            training._all_slots.add(name)
            holding.add(primary)
    for name in variables & holding:
        training.homes[name] = scope_path(name.split("/"))
    training._starts.update({name: "" for name in by_name if name in variables and name in holding})
    for name, variable in owned.items():
        if name in training.touches:
            training._starts[variable] = _start_text(by_name[name])


def _primary(name: str, variables: Set[str]) -> str:
    """The variable in whose scope another one is; "" if there is none."""
    while "/" in name:
        name = name.rpartition("/")[0]
        if name in variables:
            return name
    return ""


def _start_text(initializer: Any) -> str:
    """The initial value in a word: "0.0", "zeros", "truncated_normal"."""
    if not initializer.inputs:
        return ""
    op = initializer.inputs[-1].op
    while op.type in ("Cast", "Identity") and op.inputs:
        op = op.inputs[0].op
    if op.type == "Fill":
        op = op.inputs[-1].op
    if op.type == "Const":
        value = op.get_attr("value")
        if value.size and (value == value.flat[0]).all():
            return value_text(value.flat[0].item())
        return value_text(value.tolist()) if value.size <= SHOWN_ELEMENTS else "a constant"
    word: str = op.name.rpartition("/")[2]
    stem, _, number = word.rpartition("_")
    return stem if stem and number.isdigit() else word


def _add_initializing(found: TrainingScopes, operations: Sequence[Any], initializers: Mapping[str, str]) -> None:
    """Operations such as `init`, which run initializers and do nothing else."""
    for op in operations:
        waits = op.control_inputs
        if waits and op.type == "NoOp" and all(each.name in initializers for each in waits):
            found.initialize[op.name] = len(waits)


# ---- updates ----------------------------------------------------------------------------------------------


def _add_updates(
    training: TrainingScopes,
    operations: Sequence[Any],
    readers: Mapping[str, Sequence[str]],
    variables: Set[str],
    fetched: Set[str],
) -> None:
    updates: dict[str, Path] = {}  # by operation
    groups: dict[Path, str] = {}
    for op in operations:
        place = _update_of(op.name, variables)
        if place is not None:
            scope, variable, inner = place
            path = (*scope, _UPDATE + variable)
            updates[op.name] = path
            training.homes[op.name] = (*path, *inner)
            groups[path] = variable
    if not groups:
        return
    written = {path for name, path in updates.items() if groups[path] in training.touch(name).writes}
    groups = {path: variable for path, variable in groups.items() if path in written}
    for name, path in list(updates.items()):
        if path not in groups:
            del updates[name], training.homes[name]
    _add_powers(training, operations, readers, groups, fetched)
    _add_shared(training, operations, readers, updates, groups)
    training._updates.update(groups)
    _add_own(training, operations, {path[:-1]: None for path in groups if len(path) > 1}, set(fetched))


def _add_own(
    training: TrainingScopes, operations: Sequence[Any], scopes: Mapping[Path, None], fetched: Set[str]
) -> None:
    """What belongs to one optimizer alone is in its scope: its own variables, and the operation that ends a step."""
    users: dict[str, list[str]] = {}
    for op in operations:
        touch = training.touch(op.name)
        for name in {*names_before(op), *touch.reads, *touch.writes}:
            users.setdefault(name, []).append(op.name)
    for variable in sorted(training._own - fetched):
        own = scope_path(variable.split("/"))
        homes = [training.homes.get(each, ()) for each in users.get(variable, ())]
        outside = [home for home in homes if home[: len(own)] != own]
        scope = next((each for each in scopes if outside and all(home[: len(each)] == each for home in outside)), None)
        if scope is not None:
            moved = [name for name, home in training.homes.items() if home[: len(own)] == own]
            training.homes.update({name: (*scope, *training.homes[name]) for name in moved})
            training.homes.setdefault(variable, scope)
    for op in operations:
        path = scope_path(op.name.split("/"))
        if op.type == "NoOp" and path in scopes and any(
            training.homes.get(each.name, ())[: len(path)] == path for each in op.control_inputs
        ):
            training.homes[op.name] = path


def _update_of(name: str, variables: Set[str]) -> tuple[Path, str, Path] | None:
    """The optimizer's scope, the variable and the inner scopes of an operation called "Adam/update_w/sub"."""
    parts = name.split("/")
    for at, part in enumerate(parts[:-1]):
        if part.startswith(_UPDATE):
            rest = [part.removeprefix(_UPDATE), *parts[at + 1 : -1]]
            for length in range(len(rest), 0, -1):
                variable = "/".join(rest[:length])
                if variable in variables:
                    return tuple(parts[:at]), variable, tuple(rest[length:])
    return None


def _add_powers(
    training: TrainingScopes,
    operations: Sequence[Any],
    readers: Mapping[str, Sequence[str]],
    groups: dict[Path, str],
    fetched: Set[str],
) -> None:
    """The writes of variables that belong to the optimizer itself, such as the powers of Adam."""
    trained = set(groups)
    scopes = {path[:-1] for path in groups if len(path) > 1}
    direct = {op.name for op in operations if scope_path(op.name.split("/")[:-1]) in scopes} - set(fetched)
    writes = {
        name: scope_path(name.split("/")[:-1]) for name in direct if len(training.touch(name).writes) == 1
    }
    paths: dict[str, str] = {name: "/".join(path) for name, path in writes.items()}
    homes = {name: (*path, _UPDATE + training.touch(name).writes[0]) for name, path in writes.items()}
    for op in reversed(operations):
        after = readers.get(op.name, ())
        if op.name in direct and op.name not in homes and after:
            first = homes.get(after[0])
            if first is not None and all(homes.get(each) == first for each in after):
                homes[op.name] = first
    for name in paths:
        groups[homes[name]] = written = training.touch(name).writes[0]
        if homes[name] not in trained:
            training._own.add(written)
    training.homes.update(homes)


def _add_shared(
    training: TrainingScopes,
    operations: Sequence[Any],
    readers: Mapping[str, Sequence[str]],
    updates: dict[str, Path],
    groups: dict[Path, str],
) -> None:
    """What one update computes and others read too, with what only that needs."""
    shared: dict[str, Path] = {}
    for op in reversed(operations):
        path = updates.get(op.name)
        if path is None or len(path) < 2 or training.touch(op.name).writes:
            continue
        after = [each for each in readers.get(op.name, ()) if each in updates]
        others = any(updates[each] != path and updates[each][:-1] == path[:-1] for each in after)
        if others or (after and all(each in shared for each in after)):
            shared[op.name] = (*path[:-1], _SHARED)
    for name, path in shared.items():
        training.homes[name] = path
        groups[path] = ""
