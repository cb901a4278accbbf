"""The public names of modules: `__all__` where import lines are the names, and what `dir` and completion show."""

from __future__ import annotations

import functools
import sys
from types import ModuleType

_SUBMODULES = ("compat", "config", "errors", "extend", "nn", "show", "test", "testing", "v1")
"""The modules that users import or reach by a name."""


def list_public_names(module: str) -> None:
    """Set `__all__` of a module whose import lines are its public names; modules among them are
    `config`, `errors` and `test`.

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
        if name[0] != "_" and (not isinstance(value, ModuleType) or name in ("config", "errors", "test"))
    )


def show_public_names_only(*modules: str) -> None:
    """Let `dir` of modules, and so completion at a prompt, show public names and documented submodules only.

    >>> import penstock as tf
    >>> "add" in dir(tf), "graph" in dir(tf), "annotations" in dir(tf.errors)
    (True, False, False)
    """
    for module in modules:
        names = vars(sys.modules[module])
        names["__dir__"] = functools.partial(_public, names)


def _public(names: dict[str, object]) -> list[str]:
    listed = names.get("__all__")
    shown = listed if isinstance(listed, list) else [name for name in names if name[0] != "_"]
    modules = {name for name, value in names.items() if isinstance(value, ModuleType) and name not in _SUBMODULES}
    beside = [name for name in (*_SUBMODULES, "__doc__", "__version__") if name in names]
    return sorted({*shown, *beside} - modules)
