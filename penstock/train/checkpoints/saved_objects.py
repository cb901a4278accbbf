"""What a Saver saves besides variables: tables that change, and positions of iterators.

Such an object says which tensors are saved, and gives an operation that restores it from their values. The values of a
checkpoint are fed in the place of what `RestoreV2` gives, so that nothing is restored before all was read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from ...errors import InvalidArgumentError, NotFoundError
from ...graph.model.nodes import Operation, Tensor
from ...interchange.checkpoints.open_checkpoint import OpenCheckpoint
from ...interchange.tensorflow.wire.tensor_proto import dtype_number


class Saveable(Protocol):
    """An object that can be saved: `variables.changing_tables.TableSaveable`, `data.saved_positions.IteratorSaveable`.

    Attributes:
        name: its name.
        op: a tensor of its graph, its handle.
    """

    name: str
    op: Tensor

    def parts(self) -> list[tuple[str, Tensor]]:
        """What is saved, by its names in a checkpoint."""

    def restore_from(self, *values: Tensor) -> Operation:
        """An operation that restores the object."""


def saved_objects(given: Any) -> tuple[list[Saveable], Any]:
    """(the objects of a `var_list`, the rest of it)."""
    if isinstance(given, Mapping):
        objects = {name: each for name, each in given.items() if _is_object(each)}
        return list(objects.values()), {name: each for name, each in given.items() if name not in objects}
    if not isinstance(given, (list, tuple, set)):
        return [], given
    return [each for each in given if _is_object(each)], [each for each in given if not _is_object(each)]


def _is_object(each: Any) -> bool:
    return hasattr(each, "restore_from") and hasattr(each, "parts")


@dataclass(frozen=True, slots=True)
class SavedObjects:
    """The nodes of a Saver for objects.

    Attributes:
        names: the names of their parts in a checkpoint.
        values: for each part what `RestoreV2` gives.
        restored: the operations that restore the objects.
    """

    names: tuple[str, ...] = ()
    values: tuple[Tensor, ...] = ()
    restored: tuple[Operation, ...] = ()

    @classmethod
    def built(
        cls, objects: Sequence[Saveable], parts: Sequence[Sequence[tuple[str, Tensor]]], values: Sequence[Tensor]
    ) -> SavedObjects:
        """The operations that restore objects from what `RestoreV2` gives for their parts.

        Raises:
            ValueError: two parts have one name.
        """
        names = [name for each in parts for name, _ in each]
        twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
        if twice is not None:
            rule = "give each table a name of its own"
            raise ValueError(f"Saver: At least two objects have the same name in a checkpoint: {twice}; {rule}")
        rest = iter(values)
        made = [each.restore_from(*islice(rest, len(own))) for each, own in zip(objects, parts, strict=True)]
        return cls(tuple(names), tuple(values), tuple(made))

    def check(self, checkpoint: OpenCheckpoint) -> None:
        """Compare the parts with a checkpoint.

        Raises:
            NotFoundError: one is not there. InvalidArgumentError: one has another dtype.
        """
        for name, value in zip(self.names, self.values, strict=True):
            entry = checkpoint.entries.get(name)
            if entry is None:
                raise NotFoundError(message=f"restore: {name!r} is not in the checkpoint {checkpoint.prefix!r}; no "
                                            "variable was changed. To restore the variables alone: "
                                            "tf.train.Saver(tf.global_variables())")  # fmt: skip
            if entry.dtype % 100 != dtype_number(value.dtype):
                found = f"{name!r} has another dtype than {value.dtype.name} in {checkpoint.prefix!r}"
                raise InvalidArgumentError(message=f"restore: {found}; no variable was changed")

    def read(self, checkpoint: OpenCheckpoint) -> dict[Tensor, Any]:
        """The values of the parts."""
        return {value: checkpoint.read(name) for name, value in zip(self.names, self.values, strict=True)}

    def restore(self, sess: Any, arrays: dict[Tensor, Any]) -> None:
        """Give the objects of a session these values."""
        if self.restored:
            sess.run(list(self.restored), arrays)
