"""`__all__` of a module whose import lines are its public names."""

from __future__ import annotations

import sys
from types import ModuleType


def list_public_names(module: str) -> None:
    """Set `__all__` of a module whose import lines are its public names; modules among them are `config` and `errors`.

    Written out, it would repeat each line. Computed in the module, it would hide the names from type checkers, which
    take the import lines where they see no `__all__`.

    >>> import penstock as tf
    >>> "add" in tf.__all__, "graph" in tf.__all__
    (True, False)
    """
    names = vars(sys.modules[module])
    names["__all__"] = sorted(
        name
        for name, value in names.items()
        if name[0] != "_" and (not isinstance(value, ModuleType) or name in ("config", "errors"))
    )
