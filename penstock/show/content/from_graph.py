"""The picture of a graph: one box per operation, one arrow per input, one group per name scope.

Only the public face of a graph is used (`get_operations`, names, types, inputs, outputs), so the same function draws
the user's graph and every stage that a pass made of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Protocol

from ...errors import ValueRuleError
from ...graph.model.subgraph import SubGraph
from ...runtime.ir.fused_ir import instructions_in
from ...runtime.observe.value_summary import SHOWN_ELEMENTS, value_text
from ..layout.text_measure import shorten
from .constant_labels import INITIALIZER, Constants, drawn_with
from .idle_patterns import warn_of_idle_patterns
from .input_names import names_of_inputs
from .kept_values import differentiated_in
from .nested_graphs import (
    BodyHolder,
    back_edges,
    ends_with_rows,
    operands_of_inputs,
    output_names,
    results_of_body,
    with_insides,
)
from .object_boxes import is_handle, object_lines
from .picture import Arrow, Box, BoxKind, Path, Picture
from .pipeline_scopes import PipelineScopes, pipeline_scopes, without_superseded
from .repeated_scopes import Repetition, with_scopes
from .touched_variables import NOTHING
from .training_scopes import TrainingScopes, names_before, training_scopes
from .type_texts import TypeTexts, outputs_text
from .visibility import DEEPEST, VARIABLE_TYPES, scope_path, visibility_of

# Control edges that other lines of a picture say already: what waits for an operation through something that it reads.
#
# A training step that waits for the updates of batch normalization waits for them with each of its operations. Of these
# edges only the first ones say something; the others would be a dashed line from every layer to every box.


Edge = tuple[str, str]
"""(the operation that is waited for, the one that waits)."""


def implied_order(operations: Sequence[Any], quiet: Collection[str]) -> frozenset[Edge]:
    """The control edges between these operations that need no line.

    Args:
        operations: those that are drawn, in an order in which inputs come first.
        quiet: constants and reads of slots. Their edges need no line where all that read them wait for the same.
    """
    waiting = [op for op in operations if op.control_inputs]
    if not waiting:
        return frozenset()
    names = {op.name for op in operations}
    waited_for = dict.fromkeys(each.name for op in waiting for each in op.control_inputs)
    bit = {name: 1 << i for i, name in enumerate(waited_for)}
    unsaid = set(_unsaid(operations, quiet))
    edges: set[Edge] = set()
    before: dict[str, int] = {}  # of each operation which of those that are waited for come before it
    for op in operations:
        inputs = {tensor.op.name for tensor in op.inputs} & names
        controls = [each.name for each in op.control_inputs
                    if each.name in names and (each.name, op.name) not in unsaid]  # fmt: skip
        implied = 0
        for name in (*inputs, *controls):
            implied |= before.get(name, 0)
        edges.update([(name, op.name) for name in controls if implied & bit[name]])
        for name in (*inputs, *controls):
            implied |= bit.get(name, 0)
        if implied:
            before[op.name] = implied
    return frozenset(edges | unsaid)


def _unsaid(operations: Sequence[Any], quiet: Collection[str]) -> Iterator[Edge]:
    """The edges of quiet operations for which all that read these wait too."""
    by_name = {op.name: op for op in operations}
    waits = {op.name: {each.name for each in op.control_inputs} for op in operations}
    readers: dict[str, list[str]] = {}
    for op in operations:
        for tensor in op.inputs:
            readers.setdefault(tensor.op.name, []).append(op.name)
    for name in quiet:
        after = readers.get(name)
        if name in by_name and after:
            yield from [(each, name) for each in waits[name] if all(each in waits[reader] for reader in after)]


_CONSTANT_TYPE = "Const"
_FUSED_TYPE = "Fused"
_EACH_ROW = "an iteration for each row"
"""What the box of such a loop says in place of its condition, which is always true."""
_KINDS = {
    **dict.fromkeys(("Placeholder", "PlaceholderWithDefault"), BoxKind.FED),
    **dict.fromkeys(VARIABLE_TYPES, BoxKind.VARIABLE),
    _FUSED_TYPE: BoxKind.FUSED,
    _CONSTANT_TYPE: BoxKind.CONSTANT,
}
_SHOWN_OPS = 4
LONGEST_VALUE = 32

Context = Literal["dim", "cut"]
"""What becomes of nodes that no fetch needs."""


class GraphLike(Protocol):
    """An object that lists its operations."""

    def get_operations(self) -> Sequence[Any]: ...


def picture_of(
    graph: GraphLike,
    *,
    fetches: object = (),
    depth: int | None = None,
    hide: Iterable[str] = (),
    title: str = "",
    constants: Constants = "labels",
    repeats: Repetition | None = None,
    context: Context = "dim",
) -> Picture:
    """The picture of a graph.

    `name_scope(..., show=)` marks scopes: "hidden" ones are left out, the others are drawn as they say. A variable is
    one closed scope with its initial value and its slots, and so is each update of an optimizer.

    Args:
        graph: a graph, or what has operations like one.
        fetches: a tensor, an operation, a name, or nested sequences of them. They are marked, and so are the nodes that
            they do not need.
        depth: scopes nested deeper than this are closed.
        hide: glob patterns of names. Operations and scopes with such a name are left out, scopes with all their
            content.
        title: the title of the picture.
        constants: "labels" writes each constant as a line in the boxes that read it, "boxes" draws it as a box.
        repeats: "fold" draws one of each row of equal scopes, "step x5", and "each" draws all of them; both give scopes
            of equal structure one colour. None does neither.
        context: what becomes of nodes that no fetch needs: "dim" draws them grey, "cut" leaves them out.

    Returns:
        A Picture.

    Raises:
        ValueError: a fetch names nothing in the graph, the depth is negative, or `constants` is neither of the two.

    Warns:
        MistakeWarning: a pattern of `hide` fits no name.

    >>> import penstock as tf
    >>> from penstock.show import picture_of
    >>> with tf.Graph().as_default() as g:
    ...     y = tf.negative(tf.constant(1, name="a"), name="b")
    >>> [box.id for box in picture_of(g, hide=["a"]).boxes]
    ['b']
    """
    if hide:
        hide = (hide,) if isinstance(hide, str) else tuple(hide)
        warn_of_idle_patterns("picture_of", [op.name for op in with_insides(graph.get_operations())], hide)
    return graph_picture(
        graph, fetches=fetches, depth=depth, hide=hide, title=title, constants=constants, repeats=repeats,
        context=context,
    )


def graph_picture(
    graph: GraphLike,
    *,
    fetches: object = (),
    depth: int | None = None,
    hide: Iterable[str] = (),
    title: str = "",
    constants: Constants = "labels",
    repeats: Repetition | None = None,
    context: Context = "dim",
) -> Picture:
    """`picture_of` without warnings, for a caller that has warned, or draws several stages of a graph."""
    outside = graph.get_operations()
    if constants == "labels" or hasattr(graph, "known_names"):  # data forms hold every node
        outside = without_superseded(outside, {name.rpartition(":")[0] or name for name in _flatten(fetches)})
    operations = _each_name_once(with_insides(outside))
    pipelines = pipeline_scopes(outside)
    fetched = _fetched_names(operations, fetches)
    needed = _needed_names(operations, fetched) if fetched else None
    training = getattr(graph, "training", None) or training_scopes(operations, fetched, needed or frozenset())
    if needed is not None:
        needed |= {name for each in needed for name in training.touch(each).writes}
        if pipelines.starts and not hasattr(graph, "known_names"):  # a stage has only what runs need
            needed |= _needed_names(operations, pipelines.started_for(needed))
    visibility = visibility_of(graph, operations, hide)
    shown: Sequence[Any] = visibility.shown(operations)
    if context == "cut" and needed is not None:
        shown = [op for op in shown if op.name in needed]
    if constants == "labels":
        shown = _without_constants_of(operations, shown, fetched)
    names = {op.name for op in shown}
    known = {op.name for op in operations}
    hidden = known - names
    known |= getattr(graph, "known_names", frozenset())
    silent = {*pipelines.silent, *(op.name for op in shown if is_handle(op))}
    types = TypeTexts(silent, operands_of_inputs(operations))
    stays = _staying(operations)
    boxes = tuple([_box(op, fetched, needed, known, hidden, types, stays) for op in shown])
    if training.has_any:
        boxes = tuple([_in_training(box, training) for box in boxes])
    if pipelines.homes:
        boxes = tuple([_at_home(box, pipelines.homes) for box in boxes])
    implied = implied_order(shown, _quiet(shown, training)) if constants == "labels" else frozenset()
    arrows = tuple([
        arrow for op in shown for arrow in _arrows(op, types, training, pipelines)
        if arrow.source in names and arrow.target in names
        and (arrow.kind != "control" or (arrow.source, arrow.target) not in implied)
    ])  # fmt: skip
    picture = drawn_with(Picture(title, boxes, arrows, ()), constants)
    picture = replace(picture, boxes=training.without_single(picture.boxes))
    groups = {group.path: group for each in (training, pipelines) for group in each.groups(picture.boxes)}
    differentiated = differentiated_in(operations, {box.id for box in picture.boxes})
    for group in visibility.groups():
        face = groups[group.path].face if group.folded and group.path in groups else None
        groups[group.path] = replace(group, face=face, of=tuple(differentiated.get(group.path, ())))
    return with_scopes(replace(picture, groups=tuple(groups.values())), repeats, depth)


def _quiet(operations: Sequence[Any], training: TrainingScopes) -> set[str]:
    """Constants, and what reads slots of optimizers: when they are computed, the operations that read them say."""
    return {op.name for op in operations if op.type == _CONSTANT_TYPE or training.is_of_slots(op.name)}


def _each_name_once(operations: Sequence[Any]) -> Sequence[Any]:
    """The first operation of each name: in a stage the value of a variable has its name inside of a loop too."""
    first: dict[str, Any] = {}
    for op in operations:
        first.setdefault(op.name, op)
    return operations if len(first) == len(operations) else list(first.values())


def _at_home(box: Box, homes: Mapping[str, Path]) -> Box:
    home = homes.get(box.id)
    return box if home is None else replace(box, group=home[:DEEPEST])


def _in_training(box: Box, training: TrainingScopes) -> Box:
    """The box in the scope of its variable or update, with what it writes."""
    box = _at_home(box, training.homes)
    told = [f"writes {', '.join(written)}"] if (written := training.touch(box.id).writes) else []
    count = training.initialize.get(box.id, 0)
    told += [f"gives {count} variable{'s' if count > 1 else ''} a first value"] if count else []
    return replace(box, detail=(*box.detail, *told)) if told else box


def _without_constants_of(operations: Sequence[Any], shown: Sequence[Any], fetched: set[str]) -> Sequence[Any]:
    """The shown operations but the constants that only hidden ones read: they would be written in those."""
    if len(shown) == len(operations):
        return shown
    kept = {op.name for op in shown}
    read_by_hidden = {tensor.op.name for op in operations if op.name not in kept for tensor in op.inputs}
    in_use = {before for op in shown for before in names_before(op)} | fetched
    return [op for op in shown if op.type != _CONSTANT_TYPE or op.name in in_use or op.name not in read_by_hidden]


def _staying(operations: Sequence[Any]) -> set[str]:
    """The constants that wait for others and that no operation with the name of their scope reads: `Adam/x`."""
    waiting = {op.name for op in operations if op.type == _CONSTANT_TYPE and op.control_inputs}
    if not waiting:
        return waiting
    return waiting - {t.op.name for op in operations for t in op.inputs if t.op.name.rpartition("/")[0] == op.name}


def _box(
    op: Any,
    fetched: set[str],
    needed: set[str] | None,
    known: set[str],
    hidden: set[str],
    types: TypeTexts,
    stays: set[str],
) -> Box:
    *scope, label = op.name.split("/")
    if isinstance(op, BodyHolder):
        scope.append(label)  # it is drawn beside its bodies
    kind = op.type
    is_constant = kind == _CONSTANT_TYPE
    # The constant of `x + 1.0` is called `add/y`. It is drawn beside `add`, not in a scope with one box.
    while is_constant and op.name not in stays and 0 < len(scope) <= DEEPEST and "/".join(scope) in known:
        scope.pop()
    value = _small_value(op) if is_constant else ""
    detail = [fused_ops(op)] if kind == _FUSED_TYPE else []
    if op.name in types.silent:
        detail += object_lines(op)
    else:
        node = getattr(op, "stands_for", op)
        detail += outputs_text([types.of(tensor) for tensor in op.outputs], output_names(node), results_of_body(node))
        detail += [_EACH_ROW] if ends_with_rows(node) else []
    if value:
        detail.append(value)
    return Box(
        id=op.name,
        label=label or op.name,
        kind=_kind(op.name, kind, fetched, needed),
        type=kind,
        detail=(*detail, *(_hidden_inputs(op, hidden) if hidden else ())),
        group=scope_path(scope),
        alike=(*detail, *(() if is_constant else _attributes(op))),
        is_constant=is_constant,
        value=value if len(value) <= LONGEST_VALUE else shorten(value, LONGEST_VALUE),
    )


def _attributes(op: Any) -> Iterable[str]:
    """The attributes that tell structures apart."""
    opdef = getattr(op, "opdef", None)
    if opdef is None:
        return ()
    if op.type == _FUSED_TYPE:
        body = instructions_in(op)
        return [] if body is None else [instruction.op for instruction in body.instructions]
    values = [(attr.name, op.args[position]) for position, attr in opdef.attrs]
    # The boxes of a graph inside an op are compared themselves.
    # Which variable it reads or writes, an arrow says.
    return [f"{name}={value}" for name, value in values if not isinstance(value, SubGraph) and name != "resource"]


def _hidden_inputs(op: Any, hidden: set[str]) -> tuple[str, ...]:
    count = sum(tensor.op.name in hidden for tensor in op.inputs)
    return (f"{count} input{'s' if count != 1 else ''} not shown",) if count else ()


def _kind(name: str, op_type: str, fetched: set[str], needed: set[str] | None) -> BoxKind:
    if name in fetched:
        return BoxKind.FETCHED
    if needed is not None and name not in needed:
        return BoxKind.PRUNED
    return _KINDS.get(op_type, BoxKind.OPERATION)


def fused_ops(op: Any) -> str:
    """The ops inside a fused one, in their order: "Sub, Mul, Tanh"."""
    body = instructions_in(op)
    ops = [] if body is None else [instruction.op for instruction in body.instructions]
    more = [f"{len(ops) - _SHOWN_OPS} more"] if len(ops) > _SHOWN_OPS else []
    return ", ".join(ops[:_SHOWN_OPS] + more)


def _small_value(op: Any) -> str:
    """The value of a constant with at most six elements, else nothing."""
    try:
        value = op.get_attr("value")
        if value.size > SHOWN_ELEMENTS:
            return ""
        return value_text(value.tolist())
    except (AttributeError, KeyError, ValueError, TypeError):
        return ""  # not every stage keeps its values as arrays


def _arrows(op: Any, types: TypeTexts, training: TrainingScopes, pipelines: PipelineScopes) -> Iterable[Arrow]:
    name = op.name
    touch = training.touch(name)
    if isinstance(op, BodyHolder):
        for variable, following in back_edges(op.stands_for):
            yield Arrow(variable.op.name, following.op.name, "", "loop", (following.name,))
    elif touch is not NOTHING:  # what is inside has its own
        yield from (Arrow(variable, name, "", "write") for variable in touch.writes)
        inputs = {tensor.op.name for tensor in op.inputs}
        yield from (Arrow(variable, name) for variable in touch.reads if variable not in inputs)
    if not op.inputs and not op.control_inputs:
        return
    names = names_of_inputs(op)
    started = pipelines.starts.get(name)
    for slot, tensor in enumerate(op.inputs):
        if started is not None and tensor.op.name == started:  # what reads the iterator comes after
            yield Arrow(name, started)
            continue
        operand = names[slot] if slot < len(names) else ""
        kind = types.of(tensor)
        yield Arrow(tensor.op.name, name, types.label(tensor), "data", (tensor.name,), slot, operand, kind)
    for other in op.control_inputs:
        yield Arrow(other.name, name, "", "control", operand=INITIALIZER if name in training.initialize else "")


def _fetched_names(operations: Sequence[Any], fetches: object) -> set[str]:
    known = {op.name for op in operations}
    found: set[str] = set()
    for name in _flatten(fetches):
        operation = name if name in known else name.rpartition(":")[0]
        if operation not in known:
            raise ValueRuleError(
                f"the fetch {name!r} is not one of the {len(known)} operations; a fetch must be a tensor or operation "
                "of the drawn graph. Draw the graph that it belongs to", attempt="picture_of(fetches)",
            )  # fmt: skip
        found.add(operation)
    return found


def _flatten(fetches: object) -> Iterable[str]:
    if isinstance(fetches, str):
        yield fetches
    elif isinstance(fetches, dict):
        yield from _flatten(list(fetches.values()))
    elif isinstance(fetches, (list, tuple, set, frozenset)):
        for item in fetches:
            yield from _flatten(item)
    else:
        yield getattr(getattr(fetches, "op", fetches), "name", repr(fetches))


def _needed_names(operations: Sequence[Any], fetched: set[str]) -> set[str]:
    by_name = {op.name: op for op in operations}
    needed: set[str] = set()
    waiting = list(fetched)
    while waiting:
        name = waiting.pop()
        if name in needed or name not in by_name:
            continue
        needed.add(name)
        op = by_name[name]
        waiting.extend(names_before(op))
    return needed
