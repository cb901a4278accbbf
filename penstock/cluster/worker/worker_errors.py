"""Errors of a worker as data, and back: the user sees the error that one machine would have raised."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import errors
from ...errors import InternalError, NonFiniteError, OpError, PenstockError
from ...graph.model.nodes import Operation
from ..access.cluster_worker import PeerLost
from ..client.record_data import number_from, plain_number


def error_data(error: BaseException) -> dict[str, Any]:
    """What is sent of an error."""
    data: dict[str, Any] = {"class": type(error).__name__, "text": str(error)}
    if isinstance(error, OpError):
        data |= {"message": error.message, "node": getattr(error.op, "name", "") or "", "where": error.where}
        data["found"] = repr(error.found) if error.found is not None else ""
    if isinstance(error, PeerLost):
        data["peer"] = error.place
    if isinstance(error, NonFiniteError):
        inputs = {name: None if value is None else plain_number(value) for name, value in error.inputs.items()}
        data["bad"] = [error.tensor, [int(i) for i in error.index], plain_number(error.value), inputs]
    data["notes"] = list(getattr(error, "__notes__", ()))
    return data


def error_from(data: dict[str, Any], find_op: Callable[[str], Operation | None], place: str) -> Exception:
    """The error that `error_data` described, about the user's operation; a note says where it happened."""
    kind = getattr(errors, str(data.get("class")), None)
    text = str(data.get("text", ""))
    error: Exception
    if "peer" in data:
        return PeerLost(int(data["peer"]), f"{place}: {text}")
    if isinstance(kind, type) and issubclass(kind, OpError):
        error = _op_error(kind, data, find_op)
        error.replace_text(text)
    elif isinstance(kind, type) and issubclass(kind, PenstockError):
        error = _plain(kind, text)
    elif data.get("class") == "MemoryError":
        error = errors.ResourceExhaustedError(message=f"{place} has no memory left: {text}")
    else:
        error = InternalError(message=f"{data.get('class')} at {place}: {text}")
    for note in data.get("notes", ()):
        error.add_note(str(note))
    error.add_note(f"It happened on {place}.")
    return error


def _op_error(kind: type[OpError], data: dict[str, Any], find_op: Callable[[str], Operation | None]) -> OpError:
    message = str(data.get("message", ""))
    try:
        error = kind(message=message)
    except TypeError:  # a class that is made of other parts
        error = (
            InternalError(message=message) if kind.__mro__[1] is OpError else _op_error(kind.__mro__[1], data, find_op)
        )
    name = str(data.get("node", ""))
    op = (find_op(name) or find_op(name.rpartition(".")[0])) if name else None
    error.op = error.node_def = op
    error.where = str(data.get("where", ""))
    if isinstance(error, NonFiniteError) and "bad" in data:
        error.tensor, index, value, inputs = data["bad"]
        error.index, error.value = tuple(index), number_from(value)
        error.inputs = {name: number_from(each) for name, each in inputs.items()}
    return error


def _plain(kind: type[PenstockError], text: str) -> Exception:
    try:
        return kind(text)
    except TypeError:
        return InternalError(message=text)
