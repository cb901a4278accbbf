"""Import rules of updates: the nodes with which TensorFlow's optimizers change variables and their slots.

    ApplyMomentum(w, a, rate, g, momentum)     a = a * momentum + g;  w = w - a * rate

Each becomes writes of ordinary values, made of elementwise nodes as those of `penstock.train` are. The nodes with
`Sparse` in their name change the rows that have a gradient, by the same formulas. Operations and their order are those
of TensorFlow's kernels (core/kernels/training_ops.cc).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....errors import GraphFormatError
from ....graph.model.nodes import Operation, Tensor
from ..foreign_node import ForeignNode
from ..wire.tensor_proto import Unsupported

Number = float | Tensor


class Formula:
    """The values of one update, and the nodes that compute with them.

    Attributes:
        g: the gradient.
        given: the other operands by name.
    """

    def __init__(self, s: ForeignNode, variables: int, names: list[str]) -> None:
        self._s = s
        if len(s.uses) != variables + len(names):
            raise GraphFormatError(f"it has {len(s.uses)} inputs, not {variables + len(names)}")
        self._variables = [_holder(s, place) for place in range(variables)]
        self.given = dict(zip(names, [s.scope.tensor(use) for use in s.uses[variables:]], strict=True))
        self._indices = self.given.get("indices")
        self.g = self.given["g"]
        self._writes: list[Operation] = []

    # ---- arithmetic ---------------------------------------------------------------------------

    def call(self, type: str, *args: Number) -> Tensor:
        """A node; numbers become constants of the gradient's dtype."""
        return self._s.helper(type.lower(), type, *[self.tensor(each) for each in args])[0]

    def tensor(self, value: Number) -> Tensor:
        """A number as a tensor."""
        return value if isinstance(value, Tensor) else self._s.constant("number", np.array(value, self.g.dtype.np))

    def add(self, *terms: Number) -> Tensor:
        """The sum, from left to right."""
        return self._folded("Add", terms)

    def sub(self, x: Number, y: Number) -> Tensor:
        """x - y"""
        return self.call("Sub", x, y)

    def mul(self, *factors: Number) -> Tensor:
        """The product, from left to right."""
        return self._folded("Mul", factors)

    def _folded(self, type: str, operands: tuple[Number, ...]) -> Tensor:
        total = operands[0]
        for each in operands[1:]:
            total = self.call(type, total, each)
        return self.tensor(total)

    def rest(self, part: Number) -> Tensor:
        """1 - part"""
        return self.sub(1.0, part)

    def zeros(self, x: Tensor) -> Tensor:
        """Zeros of the shape of x."""
        return self._s.helper("zeros", "ZerosLike", x, None)[0]

    def in_dtype(self, x: Tensor) -> Tensor:
        """A number in the gradient's dtype."""
        return x if x.dtype is self.g.dtype else self._s.helper("cast", "Cast", x, self.g.dtype)[0]

    def root(self, x: Number) -> Tensor:
        """The square root."""
        return self.call("Sqrt", x)

    # ---- variables ----------------------------------------------------------------------------

    def value(self, place: int) -> Tensor:
        """The value of a variable, or its rows that have a gradient."""
        holder = self._variables[place]
        args = holder.args[0], holder.outputs[0].dtype, holder.outputs[0].shape
        (found,) = self._s.helper("read", "ReadVariableOp", *args, after=self._s.controls)
        return found if self._indices is None else self._s.helper("rows", "Gather", found, self._indices)[0]

    def set(self, place: int, value: Tensor) -> Tensor:
        """Write a slot, and give what was written."""
        self._writes.append(self._write(place, value, "Assign", "ScatterUpdate", "slot"))
        return value if self._indices is not None else self._writes[-1].outputs[0]

    def finish(self, value: Tensor, subtract: bool = False) -> Operation:
        """Write the variable itself: the node that has the name."""
        plain, rows = ("AssignSub", "ScatterSub") if subtract else ("Assign", "ScatterUpdate")
        self._s.controls = tuple(dict.fromkeys([*self._s.controls, *self._writes]))
        return self._write(0, value, plain, rows, "")

    def _write(self, place: int, value: Tensor, plain: str, rows: str, label: str) -> Operation:
        holder = self._variables[place]
        resource, shape = holder.args[0], holder.outputs[0].shape
        own: tuple[Any, ...] = (value,) if self._indices is None else (self._indices, value)
        type = plain if self._indices is None else rows
        if not label:
            return self._s.add(type, *own, resource, shape)
        return self._s.helper(label, type, *own, resource, shape, after=self._s.controls)[0].op


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


def _descent(f: Formula, flag: Any) -> Operation:
    return f.finish(f.mul(f.g, f.given["rate"]), subtract=True)


def _momentum(f: Formula, flag: Any) -> Operation:
    rate, momentum = f.given["rate"], f.given["momentum"]
    total = f.set(1, f.add(f.mul(f.value(1), momentum), f.g))
    if flag("use_nesterov", "b", False):
        return f.finish(f.add(f.mul(f.g, rate), f.mul(total, momentum, rate)), subtract=True)
    return f.finish(f.mul(total, rate), subtract=True)


def _keras_momentum(f: Formula, flag: Any) -> Operation:
    step = f.mul(f.g, f.given["rate"])
    total = f.set(1, f.sub(f.mul(f.value(1), f.given["momentum"]), step))
    if flag("use_nesterov", "b", False):
        total = f.sub(f.mul(total, f.given["momentum"]), step)
    return f.finish(f.call("Neg", total), subtract=True)


def _adagrad(f: Formula, flag: Any) -> Operation:
    total = f.value(1)
    if flag("update_slots", "b", True):
        total = f.set(1, f.add(total, f.call("Square", f.g)))
    return f.finish(f.mul(f.g, f.given["rate"], f.call("Rsqrt", total)), subtract=True)


def _adagrad_v2(f: Formula, flag: Any) -> Operation:
    total = f.value(1)
    if flag("update_slots", "b", True):
        total = f.set(1, f.add(total, f.call("Square", f.g)))
    below = f.add(f.root(total), f.given["epsilon"])
    return f.finish(f.call("RealDiv", f.mul(f.g, f.given["rate"]), below), subtract=True)


def _adadelta(f: Formula, flag: Any) -> Operation:
    rate, rho, epsilon = f.given["rate"], f.given["rho"], f.given["epsilon"]
    total = f.set(1, f.add(f.mul(f.value(1), rho), f.mul(f.call("Square", f.g), f.rest(rho))))
    before = f.value(2)
    step = f.mul(f.root(f.add(before, epsilon)), f.call("Rsqrt", f.add(total, epsilon)), f.g)
    f.set(2, f.add(f.mul(before, rho), f.mul(f.call("Square", step), f.rest(rho))))
    return f.finish(f.mul(step, rate), subtract=True)


def _adam(f: Formula, flag: Any) -> Operation:
    given = f.given
    corrected = f.call("RealDiv", f.mul(given["rate"], f.root(f.rest(given["beta2_power"]))),
                       f.rest(given["beta1_power"]))  # fmt: skip
    mean, squares = f.value(1), f.value(2)
    m = f.set(1, f.add(mean, f.mul(f.sub(f.g, mean), f.rest(given["beta1"]))))
    v = f.set(2, f.add(squares, f.mul(f.sub(f.call("Square", f.g), squares), f.rest(given["beta2"]))))
    if flag("use_nesterov", "b", False):
        m = f.add(f.mul(f.g, f.rest(given["beta1"])), f.mul(given["beta1"], m))
    below = f.add(f.root(v), given["epsilon"])
    return f.finish(f.call("RealDiv", f.mul(m, corrected), below), subtract=True)


def _rms_prop(f: Formula, flag: Any) -> Operation:
    return _with_velocity(f, 2, f.set(1, _mean_square(f, 1)))


def _centered_rms_prop(f: Formula, flag: Any) -> Operation:
    squares = f.set(2, _mean_square(f, 2))
    before = f.value(1)
    mean = f.set(1, f.add(before, f.mul(f.sub(f.g, before), f.rest(f.given["rho"]))))
    return _with_velocity(f, 3, f.sub(squares, f.call("Square", mean)))


def _mean_square(f: Formula, place: int) -> Tensor:
    before = f.value(place)
    return f.add(before, f.mul(f.sub(f.call("Square", f.g), before), f.rest(f.given["rho"])))


def _with_velocity(f: Formula, place: int, spread: Tensor) -> Operation:
    step = f.mul(f.g, f.given["rate"], f.call("Rsqrt", f.add(spread, f.given["epsilon"])))
    return f.finish(f.set(place, f.add(f.mul(f.value(place), f.given["momentum"]), step)), subtract=True)


def _ftrl(f: Formula, flag: Any) -> Operation:
    """Follow the regularised leader; the power of the learning rate is usually -0.5."""
    rate, l1, l2, power = f.given["rate"], f.given["l1"], f.given["l2"], f.call("Neg", f.given["power"])
    if flag("multiply_linear_by_lr", "b", False):
        raise Unsupported("it multiplies the linear slot by the learning rate")
    w, before, linear = f.value(0), f.value(1), f.value(2)
    total = f.add(before, f.call("Square", f.g))
    root = f.call("Pow", total, power)
    change = f.call("RealDiv", f.sub(root, f.call("Pow", before, power)), rate)
    g = f.g
    if "shrinkage" in f.given:
        g = f.add(g, f.mul(2.0, f.given["shrinkage"], w))
    z = f.set(2, f.add(linear, f.sub(g, f.mul(change, w))))
    f.set(1, total)
    moved = f.sub(f.mul(f.call("Sign", z), l1), z)
    value = f.call("RealDiv", moved, f.add(f.call("RealDiv", root, rate), f.mul(2.0, l2)))
    is_large = f.call("Greater", f.call("Abs", z), l1)
    return f.finish(f.call("Select", is_large, value, f.zeros(value)))


def _dual_averaging(f: Formula, flag: Any) -> Operation:
    rate, step = f.given["rate"], f.in_dtype(f.given["step"])
    total = f.set(1, f.add(f.value(1), f.g))
    root = f.root(f.set(2, f.add(f.value(2), f.call("Square", f.g))))
    limit = f.call("Maximum", f.mul(f.given["l1"], step), 0.0)
    near = f.mul(f.call("Sign", total), f.call("Maximum", f.sub(f.call("Abs", total), limit), 0.0))
    below = f.add(f.mul(f.given["l2"], step, rate), root)
    return f.finish(f.call("RealDiv", f.mul(f.call("Neg", rate), near), below))


def _shrunk(f: Formula, w: Tensor, rate: Tensor) -> Tensor:
    """The value nearest to w under an L1 and an L2 penalty."""
    limit = f.call("Maximum", f.mul(rate, f.given["l1"]), 0.0)
    near = f.mul(f.call("Sign", w), f.call("Maximum", f.sub(f.call("Abs", w), limit), 0.0))
    return f.call("RealDiv", near, f.add(1.0, f.mul(f.given["l2"], rate)))


def _proximal_descent(f: Formula, flag: Any) -> Operation:
    rate = f.given["rate"]
    return f.finish(_shrunk(f, f.sub(f.value(0), f.mul(f.g, rate)), rate))


def _proximal_adagrad(f: Formula, flag: Any) -> Operation:
    total = f.set(1, f.add(f.value(1), f.call("Square", f.g)))
    own = f.mul(f.given["rate"], f.call("Rsqrt", total))
    return f.finish(_shrunk(f, f.sub(f.value(0), f.mul(f.g, own)), own))


# ---- the table ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Update:
    """An update: its formula, the number of variables before the other operands, and what these are.

    `sparse` has the operands of the form for rows, where TensorFlow has one.
    """

    formula: Callable[[Formula, Any], Operation]
    variables: int
    dense: str
    sparse: str = ""


_UPDATES = {
    "GradientDescent": _Update(_descent, 1, "rate g"),
    "Momentum": _Update(_momentum, 2, "rate g momentum", "rate g indices momentum"),
    "KerasMomentum": _Update(_keras_momentum, 2, "rate g momentum", "rate g indices momentum"),
    "Adagrad": _Update(_adagrad, 2, "rate g", "rate g indices"),
    "AdagradV2": _Update(_adagrad_v2, 2, "rate epsilon g", "rate epsilon g indices"),
    "AdagradDA": _Update(_dual_averaging, 3, "g rate l1 l2 step", "g indices rate l1 l2 step"),
    "Adadelta": _Update(_adadelta, 3, "rate rho epsilon g", "rate rho epsilon g indices"),
    "Adam": _Update(_adam, 3, "beta1_power beta2_power rate beta1 beta2 epsilon g"),
    "RMSProp": _Update(_rms_prop, 3, "rate rho momentum epsilon g", "rate rho momentum epsilon g indices"),
    "CenteredRMSProp": _Update(_centered_rms_prop, 4, "rate rho momentum epsilon g",
                               "rate rho momentum epsilon g indices"),
    "Ftrl": _Update(_ftrl, 3, "g rate l1 l2 power", "g indices rate l1 l2 power"),
    "FtrlV2": _Update(_ftrl, 3, "g rate l1 l2 shrinkage power", "g indices rate l1 l2 shrinkage power"),
    "ProximalGradientDescent": _Update(_proximal_descent, 1, "rate l1 l2 g", "rate l1 l2 g indices"),
    "ProximalAdagrad": _Update(_proximal_adagrad, 2, "rate l1 l2 g", "rate l1 l2 g indices"),
}  # fmt: skip


def _rule(update: _Update, names: str) -> Callable[[ForeignNode], Operation]:
    return lambda s: update.formula(Formula(s, update.variables, names.split()), s.attr)


UPDATE_NODES: dict[str, Callable[[ForeignNode], Any]] = {
    f"{kind}{form}{name}": _rule(update, names)
    for name, update in _UPDATES.items()
    for form, names in (("Apply", update.dense), ("SparseApply", update.sparse))
    for kind in ("", "Resource")
    if names
}
"""TensorFlow's node -> the rule that reads it."""

