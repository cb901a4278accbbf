"""Names of a module of public names whose own module the first use imports.

Type checkers and editors read import lines, so such a module has these too, under `if TYPE_CHECKING:`. A test compares
them with the table.

    import_later(__name__, {"checkpoints.saver": "Saver", "queues.batches": "batch batch_join"})
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Final

from .lazy_import import load

LATER: Final[dict[str, dict[str, str]]] = {}
"""Of each module that calls `import_later` the names, and the module of each."""


def import_later(module: str, names: Mapping[str, str]) -> None:
    """Let a module import some of its names at their first use.

    Args:
        module: the module's `__name__`.
        names: modules of the package, without the package's name, and the names of each, separated by spaces.
    """
    package = module.partition(".")[0]
    LATER[module] = {name: f"{package}.{path}" for path, each in names.items() for name in each.split()}

    def missing(name: str) -> Any:
        found = later_name(module, name)
        if found is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return found

    # Set at run time: with a function in the module's text type checkers would accept every name.
    sys.modules[module].__dict__["__getattr__"] = missing


def later_name(module: str, name: str) -> Any:
    """A name of a module, imported and made its attribute; None if it is none of those that wait.

    >>> later_name("penstock.train", "add") is None
    True
    """
    path = LATER.get(module, {}).get(name)
    if path is None:
        return None
    load(path)
    found = getattr(sys.modules[path], name)
    setattr(sys.modules[module], name, found)
    return found
