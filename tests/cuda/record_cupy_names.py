"""Records CuPy's names and signatures in `cupy_names.json`, which the played CuPy keeps to.

    python -m tests.cuda.record_cupy_names       # with CuPy; it needs no GPU

A name or a parameter that CuPy lacks is then an error of the tests on every machine.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any, Final

RECORD: Final = Path(__file__).with_name("cupy_names.json")


def parameters_of(function: Any) -> str | None:
    """Its parameters as a lambda has them, with None for all defaults; None where Python does not know them."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    found, star = [], False
    for each in parameters:
        if each.kind is each.POSITIONAL_ONLY:
            return None
        star |= each.kind is each.VAR_POSITIONAL
        if each.kind is each.KEYWORD_ONLY and not star:
            found.append("*")
            star = True
        prefix = "*" if each.kind is each.VAR_POSITIONAL else "**" if each.kind is each.VAR_KEYWORD else ""
        found.append(f"{prefix}{each.name}{'' if each.default is each.empty else '=None'}")
    return ", ".join(found)


def names_of(thing: Any) -> dict[str, str | None]:
    """The public names of a module or a class, and the parameters of what can be called."""
    found: dict[str, str | None] = {}
    for name in dir(thing):
        if not name.startswith("_"):
            value = getattr(thing, name, None)
            found[name] = parameters_of(value) if callable(value) and not isinstance(value, type) else None
    return found


def main() -> None:
    """Write the record."""
    import cupy

    device = cupy.cuda.Device
    record = {
        "version": cupy.__version__,
        "cupy": names_of(cupy),
        "ndarray": names_of(cupy.ndarray),
        "ufunc": names_of(cupy.ufunc),
        "cuda": names_of(cupy.cuda),
        "Stream": names_of(cupy.cuda.Stream),
        "MemoryPool": names_of(cupy.cuda.MemoryPool),
        "Graph": names_of(cupy.cuda.Graph),
        "Device": names_of(device),
        "runtime": names_of(cupy.cuda.runtime),
        "RawModule": names_of(cupy.RawModule),
    }
    RECORD.write_text(json.dumps(record, indent=0, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
