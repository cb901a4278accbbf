"""Import rules of updates: the nodes with which TensorFlow's optimizers change variables and their slots.

    ApplyMomentum(w, a, rate, g, momentum)     a = a * momentum + g;  w = w - a * rate

Each becomes writes of ordinary values, by the formulas that `penstock.train` uses too (`ops/state/update_formulas.py`).
The nodes with `Sparse` in their name change the rows that have a gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....errors import GraphFormatError
from ....graph.building.constant_evaluation import known_value
from ....graph.common.quick_dataclass import dataclass
from ....graph.model.nodes import Operation, Tensor
from ....ops.state import update_formulas as formulas
from ..foreign_node import ForeignNode
from ..wire.tensor_proto import Unsupported

_FUNCTIONS = {
    "abs": "Abs", "maximum": "Maximum", "neg": "Neg", "pow": "Pow", "rsqrt": "Rsqrt", "sign": "Sign", "sqrt": "Sqrt",
    "square": "Square", "where": "Select",
}  # fmt: skip
_OPERATORS = {"add": "Add", "sub": "Sub", "mul": "Mul", "truediv": "RealDiv"}


class FormulaTerm:
    """A value of a formula: operators add nodes beside the node that is read."""

    __slots__ = ("_nodes", "tensor")

    def __init__(self, nodes: FormulaNodes, tensor: Tensor) -> None:
        self._nodes = nodes
        self.tensor = tensor

    def __neg__(self) -> FormulaTerm:
        return self._nodes.call("Neg", self)

    def __gt__(self, other: Any) -> FormulaTerm:
        return self._nodes.call("Greater", self, other)


def _operator(type: str, turned: bool) -> Callable[[FormulaTerm, Any], FormulaTerm]:
    def apply(self: FormulaTerm, other: Any) -> FormulaTerm:
        operands = (other, self) if turned else (self, other)
        return self._nodes.call(type, *operands)

    return apply


for _name, _type in _OPERATORS.items():
    setattr(FormulaTerm, f"__{_name}__", _operator(_type, False))
    setattr(FormulaTerm, f"__r{_name}__", _operator(_type, True))


class FormulaNodes:
    """The functions of a formula, which add nodes beside the node that is read.

    Args:
        s: the node.
        like: the gradient; numbers become constants of its dtype.
    """

    def __init__(self, s: ForeignNode, like: Tensor) -> None:
        self._s = s
        self._dtype = like.dtype

    def __getattr__(self, name: str) -> Callable[..., FormulaTerm]:
        return lambda *operands: self.call(_FUNCTIONS[name], *operands)

    def call(self, type: str, *operands: Any) -> FormulaTerm:
        """A node."""
        return FormulaTerm(self, self._s.helper(type.lower(), type, *[self.tensor(each) for each in operands])[0])

    def tensor(self, operand: Any) -> Tensor:
        """What a node takes for a value or a number."""
        if isinstance(operand, FormulaTerm):
            return operand.tensor
        return self._s.constant("number", np.array(operand, self._dtype.np))

    def zeros_like(self, x: FormulaTerm) -> FormulaTerm:
        """Zeros of the shape of x."""
        return FormulaTerm(self, self._s.helper("zeros", "ZerosLike", x.tensor, None)[0])

    def in_dtype(self, tensor: Tensor) -> FormulaTerm:
        """A number in the gradient's dtype."""
        if tensor.dtype is not self._dtype:
            (tensor,) = self._s.helper("cast", "Cast", tensor, self._dtype)
        return FormulaTerm(self, tensor)


class ImportedRows:
    """A variable of an update, or its rows that have a gradient.

    Args:
        update: the update.
        holder: the operation of the variable.
        is_slot: slots are written before the variable itself, whose write has the name of the node.
    """

    def __init__(self, update: ImportedUpdate, holder: Operation, is_slot: bool) -> None:
        self._update = update
        self._holder = holder
        self._is_slot = is_slot

    @property
    def value(self) -> FormulaTerm:
        """What the update starts from."""
        return self._update.read(self._holder)

    def set(self, value: FormulaTerm, after: Sequence[FormulaTerm] = ()) -> FormulaTerm:
        """Write new values, and give them."""
        if not self._is_slot:
            self._update.last = self._holder, value, "Assign", "ScatterUpdate"
            return value
        return self._update.write_slot(self._holder, value, after)

    def subtract(self, delta: FormulaTerm) -> None:
        """Subtract from the values of the variable itself."""
        self._update.last = self._holder, delta, "AssignSub", "ScatterSub"


class ImportedUpdate:
    """One update: its variables, its other operands, and what is written.

    Args:
        s: the node.
        variables: how many of its inputs are variables.
        names: what the others are.

    Attributes:
        last: the write of the variable itself, which comes after those of the slots.
        numbers: the other operands by name.
    """

    def __init__(self, s: ForeignNode, variables: int, names: list[str]) -> None:
        self._s = s
        if len(s.uses) != variables + len(names):
            raise GraphFormatError(f"it has {len(s.uses)} inputs, not {variables + len(names)}")
        holders = [_holder(s, place) for place in range(variables)]
        operands = dict(zip(names, [s.scope.tensor(use) for use in s.uses[variables:]], strict=True))
        self._indices = operands.pop("indices", None)
        self.nodes = FormulaNodes(s, operands["g"])
        self.g = FormulaTerm(self.nodes, operands.pop("g"))
        self.numbers = {name: self.nodes.in_dtype(tensor) for name, tensor in operands.items()}
        self.rows = [ImportedRows(self, holder, is_slot=place > 0) for place, holder in enumerate(holders)]
        self.flag = s.attr
        self.last: tuple[Operation, FormulaTerm, str, str]
        self._writes: list[Operation] = []

    def read(self, holder: Operation) -> FormulaTerm:
        """The value of a variable, or its rows."""
        args = holder.args[0], holder.outputs[0].dtype, holder.outputs[0].shape
        (value,) = self._s.helper("read", "ReadVariableOp", *args, after=self._s.controls)
        rows = value if self._indices is None else self._s.helper("rows", "Gather", value, self._indices)[0]
        return FormulaTerm(self.nodes, rows)

    def write_slot(self, holder: Operation, value: FormulaTerm, after: Sequence[FormulaTerm]) -> FormulaTerm:
        """Write a slot, and give what was written."""
        type, operands = self._write_of(holder, value, "Assign", "ScatterUpdate")
        controls = (*self._s.controls, *(each.tensor.op for each in after))
        (written,) = self._s.helper("slot", type, *operands, after=controls)
        self._writes.append(written.op)
        return value if self._indices is not None else FormulaTerm(self.nodes, written)

    def finish(self) -> Operation:
        """Write the variable itself: the node that has the name."""
        self._s.controls = tuple(dict.fromkeys([*self._s.controls, *self._writes]))
        type, operands = self._write_of(*self.last)
        return self._s.add(type, *operands)

    def _write_of(self, holder: Operation, value: FormulaTerm, plain: str, rows: str) -> tuple[str, tuple[Any, ...]]:
        resource, shape = holder.args[0], holder.outputs[0].shape
        if self._indices is None:
            return plain, (value.tensor, resource, shape)
        return rows, (self._indices, value.tensor, resource, shape)


def _holder(s: ForeignNode, place: int) -> Operation:
    """The operation of the variable that an input refers to; a write of it comes first."""
    value = s.values[place]
    op = value.op if isinstance(value, Tensor) else None
    if op is not None and op.opdef.facts.state == "writes":
        s.controls = tuple(dict.fromkeys([*s.controls, op]))
        op = s.scope.state.variables.get(op.args[op.opdef.parameters.index("resource")])
    if op is None or op.opdef.facts.state != "holds":
        raise Unsupported(f"its input {place} is no variable")
    return op


# ---- formulas -----------------------------------------------------------------------------------


def _nesterov(u: ImportedUpdate) -> bool:
    return bool(u.flag("use_nesterov", "b", False))


def _keeps(u: ImportedUpdate) -> bool:
    return bool(u.flag("update_slots", "b", True))


def _by(formula: Callable[..., None], **flags: Callable[[ImportedUpdate], bool]) -> Callable[[ImportedUpdate], None]:
    """A formula whose numbers are the operands of the node in their order."""
    return lambda u: formula(u.nodes, u.g, *u.rows, *u.numbers.values(), **{k: flag(u) for k, flag in flags.items()})


def _adam(u: ImportedUpdate) -> None:
    w, mean, squares = u.rows
    beta1_power, beta2_power, rate, beta1, beta2, epsilon = u.numbers.values()
    corrected = formulas.corrected_rate(u.nodes, rate, beta1_power, beta2_power)
    formulas.adam(u.nodes, u.g, w, mean, squares, lambda: corrected, beta1, beta2, epsilon, nesterov=_nesterov(u))


def _rms_prop(u: ImportedUpdate) -> None:
    w, *means, squares, velocity = u.rows
    formulas.rms_prop(u.nodes, u.g, w, squares, means, velocity, *u.numbers.values())


def _ftrl(u: ImportedUpdate) -> None:
    if u.flag("multiply_linear_by_lr", "b", False):
        raise Unsupported("it multiplies the linear slot by the learning rate")
    rate, l1, l2, *shrinkage, _ = u.numbers.values()
    w, squares, linear = u.rows
    formulas.ftrl(u.nodes, u.g, w, squares, linear, rate, l1, l2, root=_root(u),
                         shrinkage=shrinkage[0] if shrinkage else None)  # fmt: skip


def _root(u: ImportedUpdate) -> Callable[[FormulaTerm], FormulaTerm]:
    """`x ** -power`, the square root for the usual -0.5, as in TensorFlow's kernel."""
    power = u.numbers["power"]
    if known_value(power.tensor) == -0.5:
        return lambda x: u.nodes.sqrt(x)
    minus = -power
    return lambda x: u.nodes.pow(x, minus)


# ---- the table ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Kind:
    """An update: its formula, the number of variables before the other operands, and what these are.

    `sparse` has the operands of the form for rows, where TensorFlow has one.
    """

    formula: Callable[[ImportedUpdate], None]
    variables: int
    dense: str
    sparse: str = ""


_UPDATES = {
    "GradientDescent": _Kind(_by(formulas.descent), 1, "rate g"),
    "Momentum": _Kind(_by(formulas.momentum, nesterov=_nesterov), 2, "rate g momentum",
                      "rate g indices momentum"),
    "KerasMomentum": _Kind(_by(formulas.keras_momentum, nesterov=_nesterov), 2, "rate g momentum",
                           "rate g indices momentum"),
    "Adagrad": _Kind(_by(formulas.adagrad, keeps=_keeps), 2, "rate g", "rate g indices"),
    "AdagradV2": _Kind(_by(formulas.adagrad_v2, keeps=_keeps), 2, "rate epsilon g", "rate epsilon g indices"),
    "AdagradDA": _Kind(_by(formulas.dual_averaging), 3, "g rate l1 l2 step", "g indices rate l1 l2 step"),
    "Adadelta": _Kind(_by(formulas.adadelta), 3, "rate rho epsilon g", "rate rho epsilon g indices"),
    "Adam": _Kind(_adam, 3, "beta1_power beta2_power rate beta1 beta2 epsilon g"),
    "RMSProp": _Kind(_rms_prop, 3, "rate rho momentum epsilon g", "rate rho momentum epsilon g indices"),
    "CenteredRMSProp": _Kind(_rms_prop, 4, "rate rho momentum epsilon g",
                             "rate rho momentum epsilon g indices"),
    "Ftrl": _Kind(_ftrl, 3, "g rate l1 l2 power", "g indices rate l1 l2 power"),
    "FtrlV2": _Kind(_ftrl, 3, "g rate l1 l2 shrinkage power", "g indices rate l1 l2 shrinkage power"),
    "ProximalGradientDescent": _Kind(_by(formulas.proximal_descent), 1, "rate l1 l2 g",
                                     "rate l1 l2 g indices"),
    "ProximalAdagrad": _Kind(_by(formulas.proximal_adagrad), 2, "rate l1 l2 g", "rate l1 l2 g indices"),
}  # fmt: skip


def _rule(kind: _Kind, names: str) -> Callable[[ForeignNode], Operation]:
    def read(s: ForeignNode) -> Operation:
        update = ImportedUpdate(s, kind.variables, names.split())
        kind.formula(update)
        return update.finish()

    return read


UPDATE_NODES: dict[str, Callable[[ForeignNode], Any]] = {
    f"{kind}{form}{name}": _rule(update, names)
    for name, update in _UPDATES.items()
    for form, names in (("Apply", update.dense), ("SparseApply", update.sparse))
    for kind in ("", "Resource")
    if names
}
"""TensorFlow's node -> the rule that reads it."""
