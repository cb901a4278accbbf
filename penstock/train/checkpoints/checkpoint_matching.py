"""Comparing the variables of a Saver with a checkpoint before anything is restored."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Protocol

from ...errors import InvalidArgumentError, NotFoundError
from ...interchange.checkpoints.bundle_entries import BundleEntry
from ...interchange.checkpoints.save_restore import listed
from ...interchange.tensorflow.wire.tensor_proto import DATA_TYPES, dtype_number
from ...variables.variable import Variable
from .saved_tensors import SavedTensor


class HasEntries(Protocol):
    """A file with tensors by name."""

    @property
    def prefix(self) -> str: ...
    @property
    def entries(self) -> Mapping[str, BundleEntry]: ...


def check_matches(checkpoint: HasEntries, tensors: Sequence[SavedTensor], reshape: bool) -> None:
    """Compare variables with the entries of a checkpoint of their names.

    Raises:
        NotFoundError: variables are not there. InvalidArgumentError: one has another dtype or shape. The message lists
            all that does not match, and what does.
    """
    entries = checkpoint.entries
    missing: list[str] = []
    others: list[str] = []
    matching: list[str] = []
    for each in tensors:
        entry = entries.get(each.name)
        if entry is None:
            missing.append(f"{each.own_name} {_described(each.variable)}")
            continue
        difference = _difference(each, entry, reshape)
        if difference:
            others.append(f"{each.own_name}: {difference}")
        else:
            matching.append(each.own_name)
    if not missing and not others:
        return
    lines = [
        f"restore: {len(matching)} of {len(tensors)} variables match the checkpoint {checkpoint.prefix!r}; no "
        "variable was changed"
    ]
    unused = sorted(set(entries) - {each.name for each in tensors})
    for title, names in (("not in the checkpoint", missing), ("of another dtype or shape", others),
                         ("match", matching), ("only in the checkpoint", unused)):  # fmt: skip
        if names:
            lines.append(f"  {title}: {listed(names, '; ')}")
    lines.append("  To restore those that match: tf.train.Saver(var_list) with a list or a dict of them.")
    raise (NotFoundError if missing else InvalidArgumentError)(message="\n".join(lines))


def _difference(tensor: SavedTensor, entry: BundleEntry, reshape: bool) -> str:
    """How a variable differs from an entry; "" if it does not."""
    variable = tensor.variable
    there = f"{_dtype_name(entry)} {list(entry.shape)} there"
    if entry.dtype % 100 != dtype_number(variable.dtype):
        return f"{there}, {_described(variable)} here"
    if tensor.part:
        whole = list(variable.save_slice_info.full_shape)
        return "" if whole == list(entry.shape) else f"{there}, {variable.dtype.name} {whole} in parts here"
    if reshape and variable.shape.is_fully_defined():
        fits = math.prod(entry.shape) == variable.shape.num_elements()
    else:
        fits = variable.shape.is_compatible_with(list(entry.shape))
    return "" if fits else f"{there}, {_described(variable)} here"


def _described(variable: Variable) -> str:
    return f"{variable.dtype.name} {variable.shape}"


def _dtype_name(entry: BundleEntry) -> str:
    name = DATA_TYPES.get(entry.dtype, str(entry.dtype)).removeprefix("DT_").lower()
    return {"float": "float32", "double": "float64", "half": "float16"}.get(name, name)
