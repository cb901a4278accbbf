"""Where does each operation run?

A node asks for a device, or takes the session's. It gets it if the backend is there and the op can run on it; with soft
placement it runs on the CPU otherwise, without it that is an error. The decision is a value, so that it can be shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...errors import InvalidArgumentError
from ...graph.nodes import Operation
from ..backends import find_backend, missing_reason, requested_device
from ..base.session_config import SessionConfig


@dataclass(frozen=True, slots=True)
class Placement:
    """What a node asked for, what it got, and why these differ ("" where they do not)."""

    asked: str
    given: str
    why: str = ""


def has_backend(kind: str) -> bool:
    """Whether that kind of device can be had on this machine."""
    return find_backend(kind) is not None


_CPU = Placement("cpu", "cpu")


def place(op: Operation, config: SessionConfig) -> Placement:
    """The backend `op` runs on.

    Raises:
        InvalidArgumentError: the device cannot be had, and the session does not allow soft placement.
    """
    asked_by_node = bool(op.device)
    if not asked_by_node and config.device == "cpu":
        return _CPU
    asked, number = requested_device(op.device, config.device)
    why = _obstacle(op, asked)
    another = "" if why else _another(asked, number)
    if not (why or another):
        return Placement(asked, asked)
    # A session's device is for those nodes that can run there; only a device that is missing leaves it unserved.
    if not config.allow_soft_placement and (another or asked_by_node or find_backend(asked) is None):
        who = f"it asks for {op.device!r}" if asked_by_node else f"the session's device is {config.device!r}"
        where = "there" if another else "on the CPU"
        raise InvalidArgumentError(
            op=op,
            message=f"Cannot assign a device for operation {op.name!r}: {who}, but {why or another}. "
            f"Allow soft placement, SessionConfig(allow_soft_placement=True), to run it {where}",
        )
    if another:
        return Placement(f"{asked}:{number}", asked, another)
    return Placement(asked, "cpu", why)


def check_devices(operations: Iterable[Operation], config: SessionConfig) -> None:
    """Raise what placing any of `operations` raises, before passes compute or merge some: a device that cannot be had
    is an error whether or not the node that asks for it is still there when the plan is made. So is what names none,
    which a file can bring in."""
    asking = (op for op in operations if op.device and op.type != "Const" and not op.opdef.must_feed)
    if config.allow_soft_placement:
        for device in {op.device for op in asking}:
            requested_device(device)
    elif config.device == "cpu":
        for op in asking:
            place(op, config)
    else:
        for op in operations:
            if op.type != "Const" and not op.opdef.must_feed:
                place(op, config)


def _another(asked: str, number: int | None) -> str:
    """Why a device with a number is not the one that the run would use, "" if it is."""
    in_force = getattr(find_backend(asked), "device", None)
    if in_force is None or number in (None, in_force()):
        return ""
    return (
        f"a run uses one GPU, the one in force, which is /{asked}:{in_force()}; for the other one, make the session "
        f"and run it inside `with cupy.cuda.Device({number}):`"
    )


def _obstacle(op: Operation, asked: str) -> str:
    if asked == "cpu":
        return ""
    if find_backend(asked) is None:
        return missing_reason(asked)
    if op.opdef.host_only or op.opdef.reads_shape_only:
        return f"{op.type} runs on the host"
    if any(t.dtype.is_string for t in (*op.inputs, *op.outputs)):
        return "strings live on the host"
    holds = getattr(find_backend(asked), "holds", None)
    if holds is not None:
        for tensor in (*op.inputs, *op.outputs):
            if not holds(tensor.dtype):
                return f"this release of CuPy has no arrays of {tensor.dtype.name}"
    return ""
