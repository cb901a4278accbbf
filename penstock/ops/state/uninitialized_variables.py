"""Variables that may have no value yet, as values of a plan: a bool beside the value says whether it is one.

A run begins with the value of each variable that it needs. Where a branch decides whether it is needed, or written
for the first time, the run begins without: `runtime.passes.versions` then puts these ops where values are used and
kept.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ...errors import FailedPreconditionError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Bool, T
from ...graph.model.nodes import Tensor
from ...graph.shapes.shape import TensorShape
from ..declare.shape_checks import scalar_of
from .variable_ops import Resource

NO_VALUE: Final = np.array(None)
"""What `KeptValue` gives for a variable that has no value; a run leaves that variable as it is."""


@op("CheckedValue", host_only=True, views="value", no_gradient="it is part of a plan, not of a graph")
def checked_value(is_initialized: Bool, value: T, resource: Resource, name: str | None = None) -> Tensor:
    """`value` if the scalar `is_initialized` is True, else an error of the run."""


@op("KeptValue", host_only=True, views="value", no_gradient="it is part of a plan, not of a graph")
def kept_value(is_initialized: Bool, value: T, name: str | None = None) -> Tensor:
    """`value` if the scalar `is_initialized` is True, else `NO_VALUE`: what a run keeps of a variable."""


@checked_value.shape
def checked_value_shape(is_initialized: Tensor, value: Tensor, resource: str) -> TensorShape:
    return value.shape


@kept_value.shape
def kept_value_shape(is_initialized: Tensor, value: Tensor) -> TensorShape:
    return value.shape


@checked_value.kernel
def checked_value_kernel(xp: Any, is_initialized: Any, value: Any, resource: str) -> Any:
    if not scalar_of(is_initialized, "is_initialized"):
        error = FailedPreconditionError(message=uninitialized(resource))
        error.resource = resource
        raise error
    return value


@kept_value.kernel
def kept_value_kernel(xp: Any, is_initialized: Any, value: Any) -> Any:
    return value if scalar_of(is_initialized, "is_initialized") else NO_VALUE


def uninitialized(resource: str) -> str:
    """The message of a run that needs the value of a variable that has none."""
    return f"Attempting to use uninitialized value {resource}"


@checked_value.samples
def checked_value_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array(True), rng.random((2, 3)), "w")
    yield sample(np.array(True), np.zeros((0, 2)), "w")


@kept_value.samples
def kept_value_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array(True), rng.random((2, 3)))
    yield sample(np.array(True), np.zeros((0, 2)))
