"""Variables as operations: the value of a variable, and the ops that read and write it.

    w = VariableV2(resource="w")        the value of w at the start of the run
    ReadVariableOp(resource="w")        its value after the last write with a path to this node
    LatestValue(resource="w")           its value after the last write that was made before this node
    InitializedValue(initial, "w")      the same if it has a value then, else initial
    Assign(value, resource="w")         writes value; AssignAdd and AssignSub add to what is there

A variable is known by its *resource*, the name of its `VariableV2` operation. These nodes have no kernels: when a run
is planned, `runtime.passes.versions` puts the tensor of a version in the place of each read, and a call of an ordinary
op in the place of each write. The functions that programs call are in `penstock.variables`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Protocol

import numpy as np

from ...errors import DTypeError, ShapeError
from ...graph.declare.effects import Effects, effects_of
from ...graph.declare.op_declaration import OpDef, Samples, op, sample
from ...graph.declare.signature import NUMBERS, Attr, Bool, Operand, T, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import DType, as_dtype, bool_
from ...graph.shapes.shape import ShapeLike, TensorShape, as_shape, merge_shapes
from ..checks.assert_kinds import ensure_shape
from ..control.control import identity
from ..declare.shape_checks import scalar_of, shape_of_first, shape_of_scalar
from ..elementwise.arithmetic import add, subtract


class Emit(Protocol):
    """Adds nodes in the place of a write."""

    def __call__(self, opdef: OpDef[Any, Any], *args: Any) -> Tensor:
        """The only output of a new node."""

    def several(self, opdef: OpDef[Any, Any], *args: Any) -> tuple[Tensor, ...]:
        """The outputs of a new node."""



def _as_resource(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise DTypeError(f"must be the name of a variable's operation, not {value!r}")
    return value


Resource = Annotated[str, Attr(_as_resource)]
DTypeAttr = Annotated[DType | str | type, Attr(as_dtype)]
ShapeAttr = Annotated[ShapeLike, Attr(as_shape)]
Delta = Annotated[TensorLike, Operand("T", NUMBERS)]


_VARIABLE = "variable "


def resource_effect(resource: str) -> frozenset[str]:
    """The name of a variable among the resources of `Effects`."""
    return frozenset({_VARIABLE + resource})


def variables_among(names: Iterable[str]) -> list[str]:
    """The variables among the resources of `Effects`, sorted."""
    return sorted([name.removeprefix(_VARIABLE) for name in names if name.startswith(_VARIABLE)])


def touched_by(op: Operation) -> tuple[list[str], list[str]]:
    """The variables that an operation reads, and those that it writes, also in the graphs that it holds."""
    read, written = effects_of(op).touched
    return variables_among(read), variables_among(written)


# ---- values -------------------------------------------------------------------------------------


@op("VariableV2", out="dtype", state="holds", no_gradient="it is the value of a variable at the start of the run")
def variable(resource: Resource, dtype: DTypeAttr, shape: ShapeAttr = None, name: str | None = None) -> Tensor:
    """The value of a variable at the start of the run. Programs call `tf.Variable`."""


variable.result_names = ("read", "Read/ReadVariableOp")


@op("ReadVariableOp", out="dtype", state="reads", no_gradient="it is the value of a variable at that point of the run")
def read_variable(resource: Resource, dtype: DTypeAttr, shape: ShapeAttr = None, name: str | None = None) -> Tensor:
    """The value of a variable after the last write with a path to this node. Programs call `v.read_value()`."""


@op("LatestValue", out="dtype", state="follows", no_gradient="it is what an update starts from")
def latest_value(resource: Resource, dtype: DTypeAttr, shape: ShapeAttr = None, name: str | None = None) -> Tensor:
    """The value of a variable after the last write that was made before this node: what an update starts from."""


@op("IsVariableInitialized", out=bool_, state="asks", shape=shape_of_scalar, no_gradient="it gives bools")
def variable_is_initialized(resource: Resource, name: str | None = None) -> Tensor:
    """Whether a variable has a value. Programs call `tf.is_variable_initialized`."""


@op("InitializedValue", state="follows", shape=shape_of_first,
    no_gradient="it is the value of a variable at the start of the run")  # fmt: skip
def initialized_value(initial: T, resource: Resource, name: str | None = None) -> Tensor:
    """The value of a variable after the last write that was made before this node; if it has none, `initial`.

    Programs call `v.initialized_value()`. So the initializer of one variable follows that of another in one run.
    """


@op("ValueIfInitialized", host_only=True, no_gradient="it is part of a plan, not of a graph")
def value_if_initialized(is_initialized: Bool, value: T, initial: T, name: str | None = None) -> Tensor:
    """`value` if the scalar `is_initialized` is True, else `initial`: what `InitializedValue` becomes in a plan."""


@value_if_initialized.shape
def value_if_initialized_shape(is_initialized: Tensor, value: Tensor, initial: Tensor) -> TensorShape:
    return initial.shape


@value_if_initialized.kernel
def value_if_initialized_kernel(xp: Any, is_initialized: Any, value: Any, initial: Any) -> Any:
    return (value if scalar_of(is_initialized, "is_initialized") else initial).copy()


@value_if_initialized.samples
def value_if_initialized_samples(rng: np.random.Generator) -> Samples:
    for given in (True, False):
        yield sample(np.array(given), rng.random((2, 3)), rng.random((2, 3)))
    yield sample(np.array(True), np.zeros((0, 2)), np.zeros((0, 2)))


@variable.shape
@read_variable.shape
@latest_value.shape
def variable_shape(resource: str, dtype: DType, shape: TensorShape) -> TensorShape:
    return shape


@variable.effects_by
@read_variable.effects_by
@latest_value.effects_by
@variable_is_initialized.effects_by
def variable_effects_by(resource: str, *attrs: Any) -> Effects:
    return Effects(reads=resource_effect(resource))


@initialized_value.effects_by
def initialized_value_effects_by(initial: Tensor, resource: str) -> Effects:
    return Effects(reads=resource_effect(resource))


# ---- writes -------------------------------------------------------------------------------------


@op("Assign", called="assign", state="writes")
def assign_value(value: T, resource: Resource, shape: ShapeAttr = None, name: str | None = None) -> Tensor:
    """Writes `value` to a variable, and gives it. Programs call `v.assign(value)`."""


@op("AssignAdd", called="assign_add", state="writes")
def assign_add_value(value: Delta, resource: Resource, shape: ShapeAttr = None, name: str | None = None) -> Tensor:
    """Adds `value` to a variable, and gives the sum. Programs call `v.assign_add(value)`."""


@op("AssignSub", called="assign_sub", state="writes")
def assign_sub_value(value: Delta, resource: Resource, shape: ShapeAttr = None, name: str | None = None) -> Tensor:
    """Subtracts `value` from a variable, and gives the difference. Programs call `v.assign_sub(value)`."""


@assign_value.shape
@assign_add_value.shape
@assign_sub_value.shape
def assign_value_shape(value: Tensor, resource: str, shape: TensorShape) -> TensorShape:
    try:
        return merge_shapes(shape, value.shape)
    except ShapeError:
        raise ShapeError(
            f"the value has shape {value.shape}, but the variable {resource!r} has shape {shape}",
            operand=0,
            cure="A value that is written has the variable's own shape; it is not broadcast.",
        ) from None


@assign_value.effects_by
def assign_value_effects_by(value: Tensor, resource: str, shape: TensorShape) -> Effects:
    return Effects(writes=resource_effect(resource))


@assign_add_value.effects_by
@assign_sub_value.effects_by
def assign_add_value_effects_by(value: Tensor, resource: str, shape: TensorShape) -> Effects:
    return Effects(reads=resource_effect(resource), writes=resource_effect(resource))


def checked(emit: Emit, value: Tensor, shape: TensorShape) -> Tensor:
    """`value`, checked in the run where it is not known to have the variable's shape."""
    return value if is_ensured(value.shape, shape) else emit(ensure_shape, value, shape)


def is_ensured(shape: TensorShape, wanted: TensorShape) -> bool:
    """Whether every tensor of static shape `shape` has the shape `wanted`."""
    if wanted.raw is None:
        return True
    if shape.raw is None or len(shape.raw) != len(wanted.raw):
        return False
    return all(not isinstance(b, int) or a == b for a, b in zip(shape.raw, wanted.raw, strict=True))


@assign_value.writes(reads=False)
def assign_value_writes(emit: Emit, before: Tensor | None, value: Tensor, resource: str, shape: TensorShape) -> Tensor:
    value = checked(emit, value, shape)
    return value if value.op.opdef.facts.is_constant else emit(identity, value)  # as most initializers write


@assign_add_value.writes(reads=True)
def assign_add_value_writes(emit: Emit, before: Tensor, value: Tensor, resource: str, shape: TensorShape) -> Tensor:
    return emit(add, before, checked(emit, value, before.shape if shape.raw is None else shape))


@assign_sub_value.writes(reads=True)
def assign_sub_value_writes(emit: Emit, before: Tensor, value: Tensor, resource: str, shape: TensorShape) -> Tensor:
    return emit(subtract, before, checked(emit, value, before.shape if shape.raw is None else shape))


_USE_THE_VALUE = "Differentiate with respect to the value that is written, or to the variable."
assign_value.no_gradient("it changes a variable", _USE_THE_VALUE)
assign_add_value.no_gradient("it changes a variable", _USE_THE_VALUE)
assign_sub_value.no_gradient("it changes a variable", _USE_THE_VALUE)
