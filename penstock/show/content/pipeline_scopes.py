"""Data pipelines in a picture: all stages up to an iterator are one scope, and so is each stage with its function.

    input pipeline
        TensorSliceDataset
        MapDataset          with its function, and the element that the function sees
        BatchDatasetV2
        OneShotIterator

The scope is closed at first where there is more in the picture than the pipeline and what takes its elements. It then
tells its stages line by line, from the source to the iterator. A stage with a function is drawn as the stage. An
iterator that a program starts with other elements again and again is drawn behind what starts it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from ...graph.declare.parameters import operand_names
from ...graph.model.subgraph import bodies_of
from ...runtime.observe.data_flow import stage_word
from ...runtime.observe.value_summary import SHOWN_ELEMENTS, value_text
from ..layout.text_measure import shorten
from .nested_graphs import Input, with_insides
from .picture import Box, BoxKind, Face, Group, Path
from .visibility import common_scope, scope_path

_LABEL = "input pipeline"
_MOST_STAGES, _MOST_OPS = 12, 2
_LONGEST = 32
_USUAL = ("False", "b''")


@dataclass(slots=True)
class PipelineScopes:
    """The scopes of data pipelines in a graph.

    homes: the scope in which an operation is drawn, where it is not that of its name.
    silent: the operations whose results are datasets or handles, of which a type says nothing.
    readers: the operations that take elements.
    starts: for each operation that starts an iterator anew, the one that makes the iterator.
    """

    homes: dict[str, Path] = field(default_factory=dict)
    silent: Set[str] = frozenset()
    readers: Set[str] = frozenset()
    starts: dict[str, str] = field(default_factory=dict)
    _stages: dict[Path, Any] = field(default_factory=dict)
    _pipelines: dict[Path, list[Any]] = field(default_factory=dict)

    def groups(self, boxes: Iterable[Box]) -> Iterator[Group]:
        """The scopes among these boxes, each with what it is drawn as when it is closed."""
        by_id = {box.id: box for box in boxes}
        others = any(box.id not in self.homes and box.id not in self.readers for box in by_id.values())
        for path, stage in self._stages.items():
            box = by_id.get(stage.name)
            if box is not None:
                detail = [f"{name} = {text}" for name, text in _settings(stage)]
                detail += [f"function: {text}" for text in _work(stage)]
                yield Group(path, path[-1], collapsed=True, folded=True,
                            face=Face(box.label, box.kind, box.type, tuple(detail), box.id))  # fmt: skip
        for path, stages in self._pipelines.items():
            drawn = [by_id[stage.name] for stage in stages if stage.name in by_id]
            if drawn:
                kind = BoxKind.PRUNED if all(box.kind is BoxKind.PRUNED for box in drawn) else BoxKind.GROUP
                face = Face(path[-1], kind, "", tuple(_lines(stages)))
                yield Group(path, path[-1], collapsed=others, folded=others, face=face, opens_for_room=others)

    def started_for(self, needed: Set[str]) -> set[str]:
        """What starts the iterators among these operations: no fetch needs it, and all elements come from there."""
        return {name for name, handle in self.starts.items() if handle in needed}


def is_dataset(op: Any) -> bool:
    """Whether the result of an operation is a dataset."""
    opdef = getattr(op, "opdef", None)
    return opdef is not None and opdef.facts.makes_dataset


def pipeline_scopes(operations: Sequence[Any]) -> PipelineScopes:
    """The scopes of the pipelines of a graph with these operations, those inside of functions left out."""
    datasets = {op.name: op for op in operations if is_dataset(op)}
    if not datasets:
        return PipelineScopes()
    pipelines = PipelineScopes()
    members = dict(datasets)
    part_of: dict[str, str] = {name: name for name in datasets}  # to another member of its pipeline

    def root(name: str) -> str:
        while part_of[name] != name:
            name = part_of[name]
        return name

    def add(name: str, op: Any, beside: Iterable[str]) -> None:
        members[name] = op
        part_of.setdefault(name, name)
        for each in beside:
            part_of[root(name)] = root(each)

    for op in operations:
        before = [tensor.op.name for tensor in op.inputs if tensor.op.name in datasets]
        if op.name in datasets or (before and op.opdef.facts.of_session):
            add(op.name, op, before)
            if not op.outputs:  # it starts an iterator
                handle = next((t.op for t in op.inputs if t.op.name not in datasets), None)
                from_datasets = (t for t in op.inputs if t.op.name in datasets)
                if handle is not None and not handle.inputs and handle.name not in _needed_by(from_datasets):
                    pipelines.starts[op.name] = handle.name
                    add(handle.name, handle, [op.name])
    parts: dict[str, list[Any]] = {}
    for op in operations:
        if op.name in members:
            parts.setdefault(root(op.name), []).append(op)
    taken: Counter[Path] = Counter()
    for part in parts.values():
        if len(part) > 1 or bodies_of(part[0]):
            _add_pipeline(pipelines, part, taken)
    inside = (getattr(op, "stands_for", op) for op in with_insides(operations))
    pipelines.silent = {*members, *(op.name for op in inside if is_dataset(op))}
    handles = {name for name, op in members.items() if not is_dataset(op)}
    pipelines.readers = {op.name for op in operations if any(tensor.op.name in handles for tensor in op.inputs)}
    _add_constants(pipelines, operations)
    return pipelines


def without_superseded(operations: Sequence[Any], fetched: Set[str]) -> Sequence[Any]:
    """The operations without stages that lead nowhere, if others lead somewhere, and without what only these read.

    A `map` before `batch` leads nowhere once a function of whole batches stands in its place.
    """
    readers: dict[str, list[Any]] = {}
    for op in operations:
        for tensor in op.inputs:
            readers.setdefault(tensor.op.name, []).append(op)
    left_out: set[str] = set()
    leads = False
    for op in reversed(operations):
        sees = not is_dataset(op) and any(is_dataset(tensor.op) for tensor in op.inputs)
        after = readers.get(op.name, ())
        is_seen = sees and op.outputs and not op.opdef.facts.of_session
        may_go = is_dataset(op) or is_seen or (after and _value_of(op) is not None)
        if may_go and op.name not in fetched and all(each.name in left_out for each in after):
            left_out.add(op.name)
            continue
        leads |= sees
    return [op for op in operations if op.name not in left_out] if leads and left_out else operations


def _needed_by(tensors: Iterable[Any]) -> set[str]:
    """The names of the operations that these tensors need."""
    needed: set[str] = set()
    waiting = [tensor.op for tensor in tensors]
    while waiting:
        op = waiting.pop()
        if op.name not in needed:
            needed.add(op.name)
            waiting += [tensor.op for tensor in op.inputs]
    return needed


def _add_pipeline(pipelines: PipelineScopes, part: Sequence[Any], taken: Counter[Path]) -> None:
    scopes = [scope_path(op.name.split("/")[:-1]) for op in part]
    shared = common_scope(scopes)
    taken[shared] += 1
    label = _LABEL if taken[shared] == 1 else f"{_LABEL} {taken[shared]}"
    path = (*shared, label)
    for op, scope in zip(part, scopes, strict=True):
        home = (*path, *scope[len(shared) :])
        if bodies_of(op):
            home = (*home, op.name.rpartition("/")[2])
            pipelines._stages[home] = op
            for name, inner in _inside(op):
                pipelines.homes[name] = (*home, *inner)
        pipelines.homes[op.name] = home
    pipelines._pipelines[path] = list(_in_order(part, pipelines.starts))


def _inside(stage: Any) -> Iterator[tuple[str, Path]]:
    """What stands in the scope of a stage: its functions, and the elements that they see."""
    for (_, place), body in zip(stage.opdef.body_operands, bodies_of(stage), strict=True):
        for tensor in stage.args[place]:
            if any(is_dataset(each.op) for each in tensor.op.inputs):
                yield tensor.op.name, ()
        for tensor in body.inputs:
            yield tensor.op.name, scope_path(tensor.op.name.split("/")[:-1])
        for op in with_insides(body.operations):
            yield op.name, scope_path(op.name.split("/")[: None if hasattr(op, "stands_for") else -1])


def _in_order(part: Sequence[Any], starts: Mapping[str, str]) -> Iterator[Any]:
    """The stages that lead to an iterator, each branch from its source on; all stages where nothing iterates."""
    by_name = {op.name: op for op in part}
    told: set[str] = set()

    def before(op: Any) -> Iterator[Any]:
        if op.name in told:
            return
        told.add(op.name)
        for tensor in op.inputs:
            if tensor.op.name in by_name and is_dataset(tensor.op):
                yield from before(tensor.op)
        yield op

    ends = [op for op in part if not is_dataset(op) and op.name not in starts.values()]
    if not ends:
        read = {tensor.op.name for op in part for tensor in op.inputs}
        ends = [op for op in part if op.name not in read]
    for op in ends:
        yield from before(op)


def _add_constants(pipelines: PipelineScopes, operations: Sequence[Any]) -> None:
    """Constants that one scope of a pipeline alone reads stand in it."""
    homes: dict[str, set[Path | None]] = {}
    for op in operations:
        for tensor in op.inputs:
            if _value_of(tensor.op) is not None:
                homes.setdefault(tensor.op.name, set()).add(pipelines.homes.get(op.name))
    for name, around in homes.items():
        home = next(iter(around))
        if len(around) == 1 and home is not None:
            pipelines.homes[name] = home


# ---- texts ------------------------------------------------------------------------------------------------


def _lines(stages: Sequence[Any]) -> Iterator[str]:
    """The stages of a pipeline in words, from the source on: "shuffle: buffer_size = 100, seed2 = 7"."""
    told = [op for op in stages if is_dataset(op)]
    for op in told if len(told) <= _MOST_STAGES else told[: _MOST_STAGES - 1]:
        settings = [(name, text) for name, text in _settings(op) if text not in _USUAL]
        if any(name == "seed2" for name, _ in settings):
            settings = [each for each in settings if each[0] != "seed"]  # that of the graph
        facts = [*(_brief(name, text) for name, text in settings), *_work(op)]
        yield f"{stage_word(op)}: {', '.join(facts)}" if facts else stage_word(op)
    if len(told) > _MOST_STAGES:
        yield f"and {len(told) - _MOST_STAGES + 1} more stages"


def _brief(name: str, text: str) -> str:
    if text == "True":
        return name
    return text if "(" in text else f"{name} = {text}"


def _settings(stage: Any) -> Iterator[tuple[str, str]]:
    """What a stage was told: ("batch_size", "4"), or the type of what is large or not known."""
    of_bodies = {place for _, place in stage.opdef.body_operands}
    operands = [each for each in stage.opdef.operands if each[0] not in of_bodies]
    tensors: list[Any] = []
    for place, _, operand in operands:
        argument = stage.args[place]
        if argument is not None:
            tensors += argument if operand.many else (argument,)
    for name, tensor in zip(operand_names(operands, stage.args), tensors, strict=True):
        if not is_dataset(tensor.op):
            value = _value_of(tensor.op)
            is_small = value is not None and value.size <= SHOWN_ELEMENTS
            text = value_text(value.tolist()) if is_small else f"{tensor.dtype.name} {tensor.shape}"
            yield name.partition("[")[0], shorten(text, _LONGEST)


def _work(stage: Any) -> Iterator[str]:
    """What the functions of a stage do: "RealDiv, Sub"."""
    for body in bodies_of(stage):
        inside = [op for op in with_insides(body.operations) if not isinstance(op, Input) and _value_of(op) is None]
        types = list(dict.fromkeys(op.type for op in inside))
        if len(types) > _MOST_OPS:
            types = [*types[:_MOST_OPS], f"{len(inside)} operations"]
        yield ", ".join(types) or "its argument"


def _value_of(op: Any) -> Any:
    """The value of a constant; None for any other operation."""
    opdef = getattr(op, "opdef", None)
    return op.get_attr("value") if opdef is not None and opdef.facts.is_constant else None
