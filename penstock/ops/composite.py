"""How is an op made of other ops?

`@composite("softmax")` turns a plain function into one call: its nodes stand in a name scope of their own, and if any
step fails, nothing of it stays in the graph. The last parameter must be `name`. `transaction` is the second half alone.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from ..graph.convert import check_one_graph, first_tensor
from ..graph.graph import Graph, get_default_graph

P = ParamSpec("P")
R = TypeVar("R")


@contextmanager
def transaction(*values: Any) -> Iterator[Graph]:
    """Build in the graph of the first tensor among `values`, else in the default graph: all of it or nothing."""
    inner = first_tensor(values)
    graph = get_default_graph() if inner is None else inner.op.graph
    check_one_graph(graph, values)  # what is built in another graph would not be undone
    mark = graph.begin()
    try:
        with graph.as_default():
            yield graph
    except BaseException:
        graph.rollback(mark)
        raise
    finally:
        graph.end()


def composite(default_name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator for functions that build several nodes; `default_name` is the scope where the call gives no name."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def build(*args: P.args, **kwargs: P.kwargs) -> R:
            given = signature.bind(*args, **kwargs).arguments
            with transaction(*given.values()) as graph, graph.name_scope(given.get("name") or default_name):
                return function(*args, **kwargs)

        return build

    return decorate
