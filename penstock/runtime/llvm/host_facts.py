"""What LLVM says of this processor and of itself, kept in the object cache, so that it can be asked without LLVM.

The text of a module depends on it (vectors of 512 bits, conversions of halves), and so does the name under which its
machine code lies in the cache. So a process that has not loaded LLVM, which takes 30-60 ms, can find out that the code
it needs is there.

The note is kept under what is cheap to know: the file of llvmlite, and what the system tells of the processor. When
LLVM is loaded it is compared with what LLVM says.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from importlib.util import find_spec
from typing import Final

from ...graph.common.quick_dataclass import dataclass
from .object_cache import ObjectCache

_FIRST: Final = 1 << 13
"""The bytes of /proc/cpuinfo that are read: the first processor, on a machine with hundreds too."""
_CHANGING: Final = ("cpu MHz", "processor", "core id", "apicid", "initial apicid", "BogoMIPS", "bogomips")


@dataclass(frozen=True, slots=True)
class HostFacts:
    """What the text and the name of a module depend on.

    Attributes:
        features: the features of the processor by LLVM's names.
        fingerprint: the versions and the processor that an object file depends on.
    """

    features: frozenset[str]
    fingerprint: str


def noted_facts(cache: ObjectCache) -> HostFacts | None:
    """What an earlier process noted of this processor and this LLVM; None if none did."""
    key = processor_key()
    text = None if key is None else cache.noted(key)
    if text is None:
        return None
    try:
        found = json.loads(text)
        return HostFacts(frozenset(map(str, found["features"])), str(found["fingerprint"]))
    except (ValueError, KeyError, TypeError):
        return None


def note_facts(cache: ObjectCache, facts: HostFacts) -> None:
    """Keep the facts for later processes."""
    key = processor_key()
    if key is not None:
        cache.note(key, json.dumps({"features": sorted(facts.features), "fingerprint": facts.fingerprint}))


def processor_key() -> str | None:
    """What is known of the processor and of llvmlite without loading it; None where the system does not tell."""
    with suppress(OSError, ImportError, ValueError, AttributeError):
        spec = find_spec("llvmlite")
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            first = file.read(_FIRST).partition("\n\n")[0]
        lines = [line for line in first.splitlines() if not line.startswith(_CHANGING)]
        if spec is not None and spec.origin is not None and lines:
            status = os.stat(spec.origin)
            return "\n".join([spec.origin, str(status.st_mtime_ns), str(status.st_size), os.uname().release, *lines])
    return None
