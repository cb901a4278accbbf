"""What a Saver saves: variables by their names in a checkpoint, and parts of partitioned variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import GraphError, UseError
from ...graph.model.nodes import Tensor
from ...variables.partitioned_variable import PartitionedVariable
from ...variables.variable import Variable


@dataclass(frozen=True, slots=True)
class SavedTensor:
    """A variable that is saved.

    Attributes:
        name: its name in a checkpoint; of a part that of the whole.
        variable: the variable.
        part: which part of `name` it is, as "4 3 0,2:0,3"; "" for all of it.
    """

    name: str
    variable: Variable
    part: str = ""

    @property
    def own_name(self) -> str:
        """A name that no other tensor of the list has."""
        return self.variable.op.name if self.part else self.name


def saved_tensors(var_list: Any, call: str = "Saver") -> list[SavedTensor]:
    """The variables of a list, by the names of their operations, or of a dict; sorted by name as in TensorFlow.

    Raises:
        UseError (a TypeError): something is no variable. ValueError: two have one name, or one is given twice.
    """
    if isinstance(var_list, Mapping):
        pairs = list(var_list.items())
    elif isinstance(var_list, (list, tuple, set)):
        pairs = [(None, each) for each in var_list]
    else:
        raise UseError(f"{call}: var_list is a list of variables or a dict of them, not {type(var_list).__name__}")
    tensors: list[SavedTensor] = []
    for name, variable in pairs:
        if name is not None and (not isinstance(name, str) or not name):
            raise UseError(f"{call}: a name in var_list is {name!r}; it is a string that is not empty")
        tensors += _of(name, variable, call)
    _check_names(tensors, call)
    if len({each.variable.graph for each in tensors}) > 1:
        raise GraphError(f"{call}: the variables belong to different graphs")
    if len({each.variable for each in tensors}) < len(tensors):
        raise ValueError(f"{call}: the same variable will be restored with two names; give each variable once")
    return sorted(tensors, key=lambda each: (each.name, _offset(each)))


def _of(name: str | None, variable: Any, call: str) -> list[SavedTensor]:
    if isinstance(variable, PartitionedVariable):
        return [SavedTensor(name or variable.name, part, part.save_slice_info.spec) for part in variable]
    if not isinstance(variable, Variable):
        what = f"the tensor {variable.name!r}" if isinstance(variable, Tensor) else repr(variable)
        raise UseError(f"{call}: var_list has {what}; only variables can be saved")
    info = variable.save_slice_info
    if name is None and info is not None:
        return [SavedTensor(info.full_name, variable, info.spec)]
    return [SavedTensor(name or variable.op.name, variable)]


def _offset(each: SavedTensor) -> list[int]:
    return list(each.variable.save_slice_info.var_offset) if each.part else []


def _check_names(tensors: list[SavedTensor], call: str) -> None:
    """One variable for each name, or parts of one variable."""
    first: dict[str, SavedTensor] = {}
    for each in tensors:
        other = first.setdefault(each.name, each)
        if other is not each and not (other.part and each.part):
            raise ValueError(f"{call}: At least two variables have the same name: {each.name}")
