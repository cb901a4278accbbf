"""`explain_gradient`: the paths from x to y with each local derivative, and where and why a path is cut."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..errors import GraphError
from ..graph.common.hooks import hooks
from ..graph.common.quick_dataclass import dataclass
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.op_declaration import OpDef
from ..graph.inspect.text_table import folded
from ..graph.model.default_graph import cure_for
from ..graph.model.nodes import Operation, Tensor
from ..ops.declare.elementwise_gradient import repeated_axes
from .gradient_paths import is_differentiable, own_gradient, why_no_gradient

# ---- the words of a gradient rule ----------------------------------------------------------------


# The words of a gradient rule, one clause for each operand: what `explain_gradient` and the table of ops show.
#
# A declaration says "x: g * y; y: g * x", or one sentence for all operands. A part without an operand in front of it,
# as the last of "start: ...; stop: ...; t goes from 0 to 1", belongs to every clause.


def clauses(opdef: OpDef[Any, Any]) -> Mapping[str, str]:
    """Operand -> the words for its gradient, in the order of the declaration; "" -> those for all operands.

    >>> import penstock as tf
    >>> dict(clauses(tf.multiply))
    {'x': 'g * conj(y)', 'y': 'g * conj(x)'}
    >>> dict(clauses(tf.cumprod))
    {'': 'cumsum(g * out) from the other end, / x; 0 where x is 0'}
    """
    words: str = opdef.gradient_words
    names = "|".join(re.escape(name) for _, name, _ in opdef.operands)
    by_label: dict[str, str] = {}
    common: list[str] = []
    for part in words.split("; "):
        match = re.match(rf"({names})(\[\w\])?: ", part) if names else None
        if match is None:
            common.append(part)
        else:
            by_label[match[1] + (match[2] or "")] = part[match.end() :]
    if not by_label:
        return {"": words}
    return {label: "; ".join([clause, *common]) for label, clause in by_label.items()}


def clause_of(opdef: OpDef[Any, Any], operand: str) -> str:
    """The words for the gradient of one operand."""
    found = {label.partition("[")[0]: clause for label, clause in clauses(opdef).items()}
    return found.get(operand, found.get("", opdef.gradient_words))


MOST_PATHS = 5
"""So many paths are listed; of the others there is a count."""


@dataclass(frozen=True, slots=True)
class LocalDerivative:
    """One step of a path: an operation, and the derivative of its output with respect to one of its inputs.

    Args:
        op: the operation.
        place: which of its inputs the path comes from.
        words: the gradient of that input in words; g is the gradient of the output, `out` the output.
    """

    op: Operation
    place: int
    words: str

    def __str__(self) -> str:
        origin = self.op.origin
        return f"{self.op.name}  {self.op.type}  {origin.place}  {self.words}"


@dataclass(frozen=True, slots=True)
class Cut:
    """An operation at which a path ends, so that no gradient passes it.

    Args:
        op: the operation.
        reason: why, in words.
        cure: what can be done.
    """

    op: Operation
    reason: str
    cure: str

    def __str__(self) -> str:
        origin = self.op.origin
        return f"{self.op.type} {self.op.name!r} at {origin.place}: {self.reason}. {self.cure}"


@dataclass(frozen=True, slots=True)
class GradientReport:
    """What `explain_gradient` found. It prints as text.

    Attributes:
        y, x: the tensors that were asked about.
        paths: the paths on which a gradient passes, each from x to y; at most five of them.
        count: how many such paths there are.
        cuts: where other paths end.
        sources: if y does not depend on x, what it depends on.
    """

    y: Tensor
    x: Tensor
    paths: Sequence[Sequence[LocalDerivative]]
    count: int
    cuts: Sequence[Cut]
    sources: Sequence[Operation]

    @property
    def is_connected(self) -> bool:
        """Whether `gradients(y, x)` gives a gradient and not None."""
        return self.count > 0

    def __str__(self) -> str:
        return "\n".join(folded(_lines(self)))

    __repr__ = __str__

    def _repr_html_(self) -> str | None:
        return hooks.markup(self, "html")


@hides_frames
def explain_gradient(y: Tensor, x: Tensor) -> GradientReport:
    """How `y` depends on `x`, as `gradients` sees it: the paths with their local derivatives, and where paths are cut.

    Args:
        y: a tensor.
        x: a tensor of the same graph.

    Returns:
        A `GradientReport`, which prints as text and is a table in a notebook.

    Raises:
        TypeError: one of them is no tensor.
        ValueError: they are of two graphs.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.placeholder(tf.float32, [3], name="x")
    ...     steps = tf.cast(x * 2.0, tf.int32, name="steps")
    ...     y = tf.cast(steps, tf.float32) + 1.0
    >>> print(tf.explain_gradient(y, x).cuts[0].reason)
    it gives int32, and ints have no derivative
    """
    for label, tensor in (("y", y), ("x", x)):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"explain_gradient: {label} is {tensor!r}; give a tensor of the graph")
    if x.graph is not y.graph:
        raise GraphError(f"explain_gradient: y {y.name!r} belongs to {y.graph}, x {x.name!r} to {x.graph}; both must "
                         f"be from the same graph. {cure_for(x)}")  # fmt: skip
    walk = _Walk(y, x)
    if y is not x and not walk.depends:
        return GradientReport(y, x, (), 0, (), walk.sources())
    return GradientReport(y, x, walk.paths(), walk.count(), walk.cuts(), ())


class _Walk:
    """The operations between x and y, differentiable or not."""

    def __init__(self, y: Tensor, x: Tensor) -> None:
        self._y, self._x = y, x
        self._ancestors = _ancestors(y, x.op.index)
        self._touched: set[Tensor] = {x}  # what depends on x at all
        self._reached: set[Tensor] = {x} if is_differentiable(x.dtype) else set()  # as far as gradients pass
        self._into: dict[Tensor, list[tuple[Operation, int]]] = {}  # tensor -> the steps that lead to it
        for op in self._ancestors:
            if not any(t in self._touched for t in op.inputs):
                continue
            self._touched.update(op.outputs)
            passing = [place for place, t in enumerate(op.inputs) if t in self._reached]
            if passing and _why_cut(op) is None:
                for out in op.outputs:
                    if is_differentiable(out.dtype):
                        self._reached.add(out)
                        self._into[out] = [(op, place) for place in passing]

    @property
    def depends(self) -> bool:
        """Whether y depends on x."""
        return self._y in self._touched

    def sources(self) -> list[Operation]:
        """What y is computed from in the end, constants left out."""
        ends = [op for op in _ancestors(self._y, 0) if not op.inputs and not op.opdef.facts.is_constant]
        return ends or [op for op in _ancestors(self._y, 0) if not op.inputs]

    def count(self) -> int:
        """How many paths lead from x to y on which gradients pass."""
        counts: dict[Tensor, int] = {self._x: 1} if self._x in self._reached else {}
        for op in self._ancestors:
            for out in op.outputs:
                if out is not self._x and out in self._into:
                    counts[out] = sum(counts.get(step.inputs[place], 0) for step, place in self._into[out])
        return counts.get(self._y, 0)

    def paths(self) -> list[list[LocalDerivative]]:
        """The first few of them."""
        paths: list[list[LocalDerivative]] = []
        if self._y not in self._reached:
            return paths
        waiting: list[tuple[Tensor, list[LocalDerivative]]] = [(self._y, [])]
        while waiting and len(paths) < MOST_PATHS:
            tensor, after = waiting.pop()
            if tensor is self._x:
                paths.append(after)
                continue
            for op, place in reversed(self._into.get(tensor, [])):
                waiting.append((op.inputs[place], [LocalDerivative(op, place, local_words(op, place)), *after]))
        return paths

    def cuts(self) -> list[Cut]:
        """The operations that a gradient would reach from y if they passed it on to x."""
        found = []
        for op in self._ancestors:
            if any(t in self._reached for t in op.inputs):
                cut = _why_cut(op)
                if cut is not None:
                    found.append(cut)
        if self._x not in self._reached:
            reason = f"it is {self._x.dtype}, and only floats and complex numbers have derivatives"
            found.insert(0, Cut(self._x.op, reason, "Make it a float."))
        return found


def _ancestors(y: Tensor, lowest: int) -> list[Operation]:
    """The operations that y is computed from, not older than number `lowest`, in order of creation."""
    seen: set[Operation] = set()
    waiting = [y.op]
    while waiting:
        op = waiting.pop()
        if op not in seen and op.index >= lowest:
            seen.add(op)
            waiting += [t.op for t in op.inputs]
    return sorted(seen, key=lambda op: op.index)


def _why_cut(op: Operation) -> Cut | None:
    """Why no gradient passes an operation; None if one does."""
    if own_gradient(op) is not None:
        return None
    outputs = [t.dtype for t in op.outputs]
    if op.outputs and not any(is_differentiable(dtype) for dtype in outputs):
        kind = "ints have" if outputs[0].is_integer else f"{outputs[0]}s have"
        cure = "Compute with floats up to there, or give the step a gradient with tf.custom_gradient."
        return Cut(op, f"it gives {outputs[0]}, and {kind} no derivative", cure)
    reason = why_no_gradient(op.opdef)
    if reason is None:
        return None
    usual = "Use another op, or give the step a gradient with tf.custom_gradient."
    return Cut(op, reason, op.opdef.gradient_cure or usual)


def local_words(op: Operation, place: int) -> str:
    """The gradient of input number `place` of an operation in words.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     y = tf.constant(2.0) * tf.constant(3.0)
    >>> local_words(y.op, 0)
    'g * y'
    """
    own = own_gradient(op)
    if own is not None:
        return f"the gradient {own!r}" if isinstance(own, str) else "its own gradient"
    chosen = clause_of(op.opdef, _parameter(op, place)) or "the registered gradient"
    said = chosen if op.outputs[0].dtype.is_complex else _without_conj(chosen)
    return said + _summed(op, place)


def _summed(op: Operation, place: int) -> str:
    """Over which axes the gradient of an operand that an elementwise op repeats is summed."""
    if not op.opdef.facts.elementwise or len(op.inputs) < 2 or op.opdef.fuse_rule is not None:
        return ""
    axes = repeated_axes(op.inputs[place].shape.raw, op.outputs[0].shape.raw)
    if axes is None:
        return ", summed over the axes that the run repeats"
    named = ", ".join(map(str, axes))
    return f", summed over {'axis' if len(axes) == 1 else 'axes'} {named}" if axes else ""


def _parameter(op: Operation, place: int) -> str:
    """The parameter to which input number `place` belongs."""
    number = 0
    for position, name, operand in op.opdef.operands:
        value = op.args[position]
        number += len(value) if operand.many else value is not None
        if place < number:
            return name
    return ""


def _without_conj(words: str) -> str:
    """A formula for real numbers, which are their own conjugates."""
    text = words
    while (found := re.search(r"conj\(", text)) is not None:
        depth, end = 1, found.end()
        while depth and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        inside = text[found.end() : end - 1]
        is_term = re.fullmatch(r"\w+(\(.*\))?", inside) is not None or text[: found.start()] == ""
        text = text[: found.start()] + (inside if is_term else f"({inside})") + text[end:]
    return text


def _lines(report: GradientReport) -> Iterator[str]:
    y, x = report.y, report.x
    if y is x:
        yield f"{y.name} is {x.name}: its derivative is 1"
        return
    if not report.paths and not report.cuts:
        yield f"{y.name} does not depend on {x.name}; gradients gives None"
        named = [f"{op.name} ({op.origin.place})" for op in report.sources[:8]]
        yield f"  it depends on {', '.join(named) or 'nothing'}"
        return
    if report.count:
        ways = "1 path" if report.count == 1 else f"{report.count} paths"
        yield f"{y.name} depends on {x.name} by {ways}"
        yield f"In each line out is the output of the op, and g the derivative of {y.name} by out:"
    else:
        yield f"no gradient reaches {x.name} from {y.name}; gradients gives None"
    for number, path in enumerate(report.paths, start=1):
        yield f"path {number}: {x.name} {x.dtype} {x.shape}"
        for step in path:
            yield f"  {step}"
    if report.count > len(report.paths):
        yield f"and {report.count - len(report.paths)} more paths"
    for cut in report.cuts:
        yield f"cut: {cut}"


def path_rows(report: GradientReport) -> list[list[str]]:
    """The steps of the paths as rows of a table: path, operation, line, derivative."""
    return [
        [str(number), f"{step.op.name} {step.op.type}", step.op.origin.place, step.words]
        for number, path in enumerate(report.paths, start=1)
        for step in path
    ]
