"""Functions that import their module at their first call: pictures, views of a graph, cost reports.

Most programs draw nothing, and the modules of pictures take a fifth of the time to import the whole package.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from .graph.lazy_import import load


def lazy(module: str, name: str) -> Callable[..., Any]:
    """The function `name` of a module of the package, which the first call imports.

    >>> lazy("runtime.observe.critical_path", "longest_path")({"a": 1, "b": 2}, [("a", "b")])
    ['a', 'b']
    """
    path = f"{__package__}.{module}"

    def call(*args: Any, **options: Any) -> Any:
        load(path)
        return getattr(sys.modules[path], name)(*args, **options)

    return call
