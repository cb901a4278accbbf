"""Functions that import their module at their first call: pictures, views of a graph, cost reports.

Most programs draw nothing, and the modules of pictures take a fifth of the time to import the whole package.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from operator import attrgetter
from typing import Any

from ..graph.common.hooks import hooks
from ..graph.common.lazy_import import load


def lazy(module: str, name: str, hook: str = "") -> Callable[..., Any]:
    """The function `name` of a module of the package, which the first call imports.

    Args:
        module: the module, without the package's name.
        name: of the function, or "object.method".
        hook: the entry of the hook table where the first call puts the function itself, for those that are called
        often.

    >>> lazy("runtime.observe.cost", "longest_path")({"a": 1, "b": 2}, [("a", "b")])
    ['a', 'b']
    """
    path = f"penstock.{module}"

    def call(*args: Any, **options: Any) -> Any:
        load(path)
        function = attrgetter(name)(sys.modules[path])
        if hook:
            hooks.fill(**{hook: function})
        return function(*args, **options)

    return call


def run_if_set(variable: str, module: str, name: str) -> None:
    """Call a function of a module of the package if the environment has a variable; else the module is not imported."""
    if os.environ.get(variable):
        lazy(module, name)()
