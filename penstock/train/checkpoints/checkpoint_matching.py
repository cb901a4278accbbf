"""Comparing the variables of a Saver with a checkpoint before anything is restored."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Protocol

from ...errors import InvalidArgumentError, NotFoundError
from ...interchange.checkpoints.bundle_entries import BundleEntry
from ...interchange.checkpoints.save_restore import listed
from ...interchange.tensorflow.wire.tensor_proto import DATA_TYPES, dtype_number
from ...variables.variable import Variable


class HasEntries(Protocol):
    """A file with tensors by name."""

    @property
    def prefix(self) -> str: ...
    @property
    def entries(self) -> Mapping[str, BundleEntry]: ...


def check_matches(checkpoint: HasEntries, variables: Mapping[str, Variable], reshape: bool) -> None:
    """Compare variables with the entries of a checkpoint of their names.

    Raises:
        NotFoundError: variables are not there. InvalidArgumentError: one has another dtype or shape. The message lists
            all that does not match, and what does.
    """
    entries = checkpoint.entries
    missing: list[str] = []
    others: list[str] = []
    matching: list[str] = []
    for name, variable in variables.items():
        entry = entries.get(name)
        if entry is None:
            missing.append(f"{name} {_described(variable)}")
            continue
        difference = _difference(variable, entry, reshape)
        if difference:
            others.append(f"{name}: {difference}")
        else:
            matching.append(name)
    if not missing and not others:
        return
    lines = [
        f"restore: {len(matching)} of {len(variables)} variables match the checkpoint {checkpoint.prefix!r}; no "
        "variable was changed"
    ]
    unused = sorted(set(entries) - set(variables))
    for title, names in (("not in the checkpoint", missing), ("of another dtype or shape", others),
                         ("match", matching), ("only in the checkpoint", unused)):  # fmt: skip
        if names:
            lines.append(f"  {title}: {listed(names, '; ')}")
    lines.append("  To restore those that match: tf.train.Saver(var_list) with a list or a dict of them.")
    raise (NotFoundError if missing else InvalidArgumentError)(message="\n".join(lines))


def _difference(variable: Variable, entry: BundleEntry, reshape: bool) -> str:
    """How a variable differs from an entry; "" if it does not."""
    there = f"{_dtype_name(entry)} {list(entry.shape)} there"
    if entry.dtype % 100 != dtype_number(variable.dtype):
        return f"{there}, {_described(variable)} here"
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
