"""Names of devices: TensorFlow's grammar.

A name has parts between slashes: `job:name`, `replica:1`, `task:0`, and one for the kind of device, `device:GPU:0`. For
known kinds `gpu:0` and `gpu` are enough. A name may leave parts open, which names of the blocks around fill in. Whether
the device is there, a run finds out.
"""

from __future__ import annotations

from functools import lru_cache

from ...errors import GraphError
from ..common.hooks import hooks
from ..common.near_names import nearest
from ..common.quick_dataclass import dataclass

KNOWN = ("cpu", "gpu", "tpu")
"""The kinds whose short form needs no backend on this machine."""


def check_device(device: str) -> None:
    """Raise GraphError (a ValueError) unless `device` is the name of a device of a kind that is known here."""
    kind, _ = kind_and_number(device)
    is_short = "device:" not in device.lower()
    if kind and is_short and kind not in KNOWN and not hooks.has_backend(kind):
        raise GraphError(_unknown(device, kind))


def kind_and_number(device: str) -> tuple[str, int | None]:
    """What a device string asks for: "/task:0/device:GPU:1" is ("gpu", 1), "gpu" is ("gpu", None), "/job:x" ("", None).

    Raises:
        GraphError (a ValueError): it is not the name of a device, whatever kinds there are.
    """
    parts = device_parts(device)
    return parts.kind.lower(), parts.number


@dataclass(frozen=True, slots=True)
class DeviceParts:
    """The parts of a device's name; what the name leaves open is None, or "" for the kind."""

    job: str | None = None
    replica: int | None = None
    task: int | None = None
    kind: str = ""
    number: int | None = None

    def over(self, outer: DeviceParts) -> DeviceParts:
        """These parts, those that are open from `outer`, each for itself as in TensorFlow."""
        return DeviceParts(
            outer.job if self.job is None else self.job,
            outer.replica if self.replica is None else self.replica,
            outer.task if self.task is None else self.task,
            self.kind or outer.kind,
            outer.number if self.number is None else self.number,
        )

    def __str__(self) -> str:
        named = (("job", self.job), ("replica", self.replica), ("task", self.task))
        text = "".join(f"/{what}:{value}" for what, value in named if value is not None)
        return f"{text}/device:{self.kind}:{'*' if self.number is None else self.number}" if self.kind else text


@lru_cache(1024)
def merged_device(inner: str, outer: str) -> str:
    """The name that an operation has in a block of `inner` inside one of `outer`, in TensorFlow's one form of it.

    Raises:
        GraphError (a ValueError): one of them is not the name of a device, whatever kinds there are.

    >>> merged_device("/gpu:0", "/job:worker/task:1/cpu:0"), merged_device("cpu:0", "")
    ('/job:worker/task:1/device:GPU:0', '/device:CPU:0')
    """
    return str(device_parts(inner).over(device_parts(outer)))


@lru_cache(1024)  # a device function names each node: that costs 7 us instead of 20
def device_parts(device: str) -> DeviceParts:
    """The parts of a device's name; of a job, replica or task that is named twice, the last.

    Raises:
        GraphError (a ValueError): it is not the name of a device, whatever kinds there are.

    >>> device_parts("/job:worker/task:1/gpu:0")
    DeviceParts(job='worker', replica=None, task=1, kind='GPU', number=0)
    """
    job: str | None = None
    numbers: dict[str, int] = {}
    device_types: list[tuple[str, str, int | None]] = []
    for part in device.split("/"):
        head, *rest = part.split(":")
        lower = head.lower()
        if not part:
            continue
        if lower == "job" and len(rest) == 1:
            job = rest[0]
            continue
        if lower in ("replica", "task") and len(rest) == 1 and rest[0].isdigit():
            numbers[lower] = int(rest[0])
            continue
        is_short = lower != "device" or not rest
        kind, *number = (head, *rest) if is_short else rest
        written, kind = kind, kind.lower()
        is_glued = kind not in KNOWN and kind.rstrip("0123456789") in KNOWN  # "/gpu0"
        if not kind.isidentifier() or is_glued or kind in ("job", "replica", "task"):
            raise GraphError(_unknown(device, kind))
        if len(number) > 1 or any(not n.isdigit() and n != "*" for n in number):
            raise GraphError(f"device({device!r}): {part!r} has no number where one belongs; write '/{kind}:0'")
        shown = kind.upper() if is_short or kind in KNOWN else written
        device_types.append((part, shown, int(number[0]) if number and number[0] != "*" else None))
    if len(device_types) > 1:
        parts = " and ".join(part for part, *_ in device_types)
        raise GraphError(f"device({device!r}): Multiple device types are not allowed: {parts}; name one of them")
    kind, index = device_types[0][1:] if device_types else ("", None)
    return DeviceParts(job, numbers.get("replica"), numbers.get("task"), kind, index)


def _unknown(device: str, kind: str) -> str:
    near = nearest(kind.lower(), KNOWN, cutoff=0.5)
    meant = f"Did you mean '/{near}:0'? " if near else ""
    return (
        f"device({device!r}): Unknown attribute {kind!r} is encountered while parsing the device spec: {device!r}. "
        f"A device is called '/cpu:0', '/gpu:0' or '/job:worker/task:1/gpu:0', one of another kind '/device:KIND:0'. "
        f"{meant}"
    ).rstrip()
