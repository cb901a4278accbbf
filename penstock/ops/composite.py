"""How is an op made of other ops?

`@composite("softmax")` turns a plain function into one call: its nodes stand in a name scope of their own, and if any
step fails, nothing of it stays in the graph, and the error speaks of the call, not of the step. The last parameter must
be `name`. `transaction` and `told_as_called` are the halves alone.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from ..errors import BuildError
from ..graph.convert import check_one_graph, first_tensor
from ..graph.graph import Graph, get_default_graph
from ..graph.opdef import bare
from ..graph.story import tell_call

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


def told_as_called(
    default_name: str | None = None, *, one_op: bool = False, **renamed: str
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator for functions that call ops: errors of these are told as errors of the function, with its arguments.

    Args:
        default_name: of the node, where the call gives no name; that of the function's parameter `name` unless given.
        one_op: the function is an op under another name, so that nobody need know which step it was.
        renamed: a parameter of that op -> what the function calls it.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return function(*args, **kwargs)
            except BuildError as error:
                signature = inspect.signature(function)
                given = dict(signature.bind(*args, **kwargs).arguments)
                name = given.pop("name", None)
                usual = default_name or _default_of("name", signature) or function.__name__
                label = repr(name) if isinstance(name, str) and name else usual
                tell_call(error, function.__name__, given, label, renamed, show_step=not (one_op or renamed))
                raise

        return call

    return decorate


def _default_of(parameter: str, signature: inspect.Signature) -> str | None:
    found = signature.parameters.get(parameter)
    return found.default if found is not None and isinstance(found.default, str) else None


def composite(default_name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator for functions that build several nodes; `default_name` is the scope where the call gives no name."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)

        @told_as_called(default_name)
        @functools.wraps(function)
        def build(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                given = signature.bind(*args, **kwargs).arguments
            except TypeError as error:
                raise TypeError(f"{function.__name__}{bare(signature)}: {error}") from None
            with transaction(*given.values()) as graph, graph.name_scope(given.get("name") or default_name):
                return function(*args, **kwargs)

        return build

    return decorate
