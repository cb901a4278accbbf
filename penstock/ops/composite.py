"""How is an op made of other ops?

`@composite("softmax")` turns a plain function into one call: its nodes stand in a name scope of their own, and if any
step fails, nothing of it stays in the graph. The last parameter must be `name`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from ..graph.convert import first_tensor
from ..graph.graph import get_default_graph

P = ParamSpec("P")
R = TypeVar("R")


def composite(default_name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator for functions that build several nodes; `default_name` is the scope where the call gives no name."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def build(*args: P.args, **kwargs: P.kwargs) -> R:
            given = signature.bind(*args, **kwargs).arguments
            inner = first_tensor(list(given.values()))
            graph = get_default_graph() if inner is None else inner.op.graph
            mark = graph.begin()
            try:
                with graph.as_default(), graph.name_scope(given.get("name") or default_name):
                    return function(*args, **kwargs)
            except BaseException:
                graph.rollback(mark)
                raise
            finally:
                graph.end()

        return build

    return decorate
