"""What variables begin with in `penstock run`: the values of a checkpoint, or those of their initializers."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..graph.model.nodes import Operation
from ..printable_text import printable
from ..runtime.observe.race_search import initializers
from ..runtime.session.session import Session
from ..train.checkpoints.checkpoint_reader import load_checkpoint


def starting_value_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that give variables their values."""
    parser.add_argument("--restore", metavar="CHECKPOINT", help="give the variables the values that a Saver wrote")
    parser.add_argument("--initialize", action="store_true",
                        help="run the initializers of the variables that have no value yet")  # fmt: skip


def give_values(session: Session, arguments: argparse.Namespace) -> None:
    """Give the variables of the session's graph the values that the options ask for.

    Raises:
        ValueError: the checkpoint lacks a variable, or has another dtype or shape for it.
        OpError: there is no such checkpoint, or an initializer failed.
    """
    operations = session.graph.get_operations()
    if arguments.restore:
        reader = load_checkpoint(arguments.restore)
        variables = [op for op in operations if op.opdef.facts.state == "holds"]
        lacking = [op.name for op in variables if not reader.has_tensor(op.name)]
        if lacking and not arguments.initialize:
            rest = f" and {len(lacking) - 3} more" if len(lacking) > 3 else ""
            raise ValueError(f"--restore {arguments.restore}: the checkpoint has no {', '.join(lacking[:3])}{rest}; "
                             "with --initialize as well, such variables begin with their initial values")  # fmt: skip
        session.variables.put(dict(_restored(reader, variables, arguments.restore)))
    if arguments.initialize:
        valued = set(session.variables.names())
        session.run([op for op, name in initializers(operations) if name not in valued])


def _restored(reader: Any, variables: list[Operation], prefix: str) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    for op in variables:
        if not reader.has_tensor(op.name):
            continue
        value, tensor = np.asarray(reader.get_tensor(op.name)), op.outputs[0]
        if value.dtype != tensor.dtype.as_numpy_dtype or not tensor.shape.is_compatible_with(value.shape):
            raise ValueError(f"--restore {prefix}: {printable(op.name)} is {value.dtype.name} {value.shape} there, and "
                             f"{tensor.dtype.name} {tensor.shape} in the graph")  # fmt: skip
        yield op.name, value
