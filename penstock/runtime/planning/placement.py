"""Placement: the device on which each operation runs.

A node requests a device, or takes the session's. It gets that device if the backend is available and the op can run on
it. Otherwise it runs on the CPU if the session allows soft placement; if not, that is an error. The decision is
returned as a `Placement`, so that it can be reported.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from ...errors import InvalidArgumentError, ValueRuleError
from ...graph.common.quick_dataclass import dataclass
from ...graph.model.nodes import Operation
from ..backends import find_backend, known_backends, missing_reason, requested_device
from ..base.session_config import SessionConfig, say_once


@dataclass(frozen=True, slots=True)
class Placement:
    """The requested device `asked`, the chosen device `given`, and why they differ ("" if they do not)."""

    asked: str
    given: str
    why: str = ""


def has_backend(kind: str) -> bool:
    """True if that kind of device is available on this machine."""
    return find_backend(kind) is not None


def tell_missing_device(config: SessionConfig) -> None:
    """Say once that the device of a session is missing, so that the session runs on the CPU.

    Raises:
        ValueRuleError: there is no such kind of device.
    """
    kind = requested_device(config.device, "cpu")[0]
    known = known_backends()
    if kind not in known:
        raise ValueRuleError(
            f"SessionConfig(device={config.device!r}): no device is called {kind!r}; there are {', '.join(known)}. "
            "Leave device= out for the CPU"
        )
    if not config.allow_soft_placement or kind == "cpu":
        return
    why = _missing(kind, config)
    if why:
        say_once("SessionConfig", f"device={config.device!r}", f"{why}; operations run on the CPU")


_CPU = Placement("cpu", "cpu")


def place(op: Operation, config: SessionConfig) -> Placement:
    """The backend `op` runs on.

    Raises:
        InvalidArgumentError: the device is not available, and the session does not allow soft placement.
    """
    asked_by_node = bool(op.device)
    if not asked_by_node and config.device == "cpu":
        return _CPU
    asked, number = requested_device(op.device, config.device)
    why = _obstacle(op, asked, config)
    another = "" if why else _another(asked, number)
    if not (why or another):
        return Placement(asked, asked)
    # The session's device applies to nodes that can run there, so only a missing device is an error for it.
    if not config.allow_soft_placement and (another or asked_by_node or _missing(asked, config)):
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


def log_devices(operations: Iterable[Operation], config: SessionConfig) -> None:
    """Print where each operation runs, to the standard error, as TensorFlow does."""
    lines = [f"{op.name}: ({op.type}): /device:{place(op, config).given.upper()}:0\n" for op in operations]
    sys.stderr.write("".join(lines))


def check_devices(operations: Iterable[Operation], config: SessionConfig) -> None:
    """Raise the error of placing any of `operations`, before passes remove some of them.

    A device that is not available is an error even if no node of the plan requests it any more. So is a device name
    from a file that names no device.
    """
    asking = (op for op in operations if op.device and not op.opdef.facts.is_constant and not op.opdef.facts.must_feed)
    if config.allow_soft_placement:
        for device in {op.device for op in asking}:
            requested_device(device)
    elif config.device == "cpu":
        for op in asking:
            place(op, config)
    else:
        for op in operations:
            if not op.opdef.facts.is_constant and not op.opdef.facts.must_feed:
                place(op, config)


def _another(asked: str, number: int | None) -> str:
    """Why the run does not use the device with that number; "" if it does."""
    in_force = getattr(find_backend(asked), "device", None)
    if in_force is None or number in (None, in_force()):
        return ""
    return (
        f"a run uses one GPU, the current one, which is /{asked}:{in_force()}; for the other one, make the session "
        f"and run it inside `with cupy.cuda.Device({number}):`"
    )


def _missing(kind: str, config: SessionConfig) -> str:
    """Why the session has no device of that kind; "" if it has."""
    if kind in config.excluded_devices:
        return f"the session's config excludes {kind}"
    return missing_reason(kind) if find_backend(kind) is None else ""


def _obstacle(op: Operation, asked: str, config: SessionConfig) -> str:
    if asked == "cpu":
        return ""
    missing = _missing(asked, config)
    if missing:
        return missing
    if op.opdef.facts.host_only or op.opdef.facts.reads_shape_only:
        return f"{op.type} runs on the host"
    for tensor in (*op.inputs, *op.outputs):
        if tensor.dtype.holds_objects:
            return f"{tensor.dtype.name}s live on the host"
    holds = getattr(find_backend(asked), "holds", None)
    if holds is not None:
        for tensor in (*op.inputs, *op.outputs):
            if not holds(tensor.dtype):
                return f"this release of CuPy has no arrays of {tensor.dtype.name}"
    return ""
