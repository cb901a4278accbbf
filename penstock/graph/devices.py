"""Is this text the name of a device?

TensorFlow's grammar: parts between slashes, `job:name`, `replica:1`, `task:0`, and one that says which kind of device,
`device:GPU:0` or for kinds that are known shorter `gpu:0` or `gpu`. Whether the device is there, a run finds out.
"""

from __future__ import annotations

from ..errors import GraphError
from .hooks import hooks

KNOWN = ("cpu", "gpu", "tpu")
"""The kinds whose short form needs no backend on this machine."""


def check_device(device: str) -> None:
    """Raise GraphError (a ValueError) unless `device` is the name of a device."""
    kinds: list[str] = []
    for part in device.split("/"):
        head, *rest = part.split(":")
        lower = head.lower()
        if not part or (lower == "job" and len(rest) == 1):
            continue
        if lower in ("replica", "task") and len(rest) == 1 and rest[0].isdigit():
            continue
        if lower == "device" and rest and rest[0].isidentifier():
            kind, *number = rest
        else:
            kind, number = head, rest
            if kind.lower() not in KNOWN and not (kind.isidentifier() and hooks.has_backend(kind.lower())):
                raise GraphError(_unknown(device, kind))
        if len(number) > 1 or any(not n.isdigit() and n != "*" for n in number):
            raise GraphError(f"device({device!r}): {part!r} has no number where one belongs; write '/{kind.lower()}:0'")
        kinds.append(part)
    if len(kinds) > 1:
        raise GraphError(
            f"device({device!r}): Multiple device types are not allowed: {' and '.join(kinds)}; name one of them"
        )


def _unknown(device: str, kind: str) -> str:
    import difflib  # at an error only

    near = difflib.get_close_matches(kind.lower(), KNOWN, n=1, cutoff=0.5)
    meant = f"Did you mean '/{near[0]}:0'? " if near else ""
    return (
        f"device({device!r}): Unknown attribute {kind!r} is encountered while parsing the device spec: {device!r}. "
        f"A device is called '/cpu:0', '/gpu:0' or '/job:worker/gpu:0', one of another kind '/device:KIND:0'. {meant}"
    ).rstrip()
