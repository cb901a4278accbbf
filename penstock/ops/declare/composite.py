"""Functions that build several nodes, as one call.

`@composite("softmax")` puts the nodes of a function into a name scope. If a step fails, nothing of the call stays in
the graph, and the error names the call instead of the step. The last parameter must be `name`. `all_or_nothing` and
`reported_as_call` do one of the two.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar

from ...errors import BuildError
from ...graph.building.convert import check_one_graph, first_tensor
from ...graph.common.hooks import hooks
from ...graph.common.tracebacks import cut
from ...graph.declare.parameter_names import keyword_hint
from ...graph.declare.parameters import bare
from ...graph.diagnostics.error_report import report_on_call
from ...graph.model.default_graph import get_default_graph, target_graph
from ...graph.model.nodes import Tensor

P = ParamSpec("P")
R = TypeVar("R")


def all_or_nothing(values: Iterable[Any], build: Callable[..., R], scope: str | None = None) -> R:
    """`build()` in the graph that a call with `values` adds to, in a scope of its own if one is named."""
    given = list(values)
    graph = target_graph(first_tensor(given))
    check_one_graph(graph, given)  # nodes built in another graph would not be undone

    def inside() -> R:
        with graph.as_default():
            if scope is None:
                return build()
            with graph.name_scope(scope):
                return build()

    return graph.journal.all_or_nothing(inside)


def reflected(function: Callable[[Any, Tensor], R], left: Any, right: Tensor) -> R:
    """`function(left, right)` with a value on the left of a tensor, which decides its dtype: `1 - x`."""
    if isinstance(left, Tensor):
        return function(left, right)
    return all_or_nothing((right,), lambda: function(hooks.operators["convert"](left, right.dtype), right))


hooks.operators["reflected"] = reflected


def reported_as_call(
    default_name: str | None = None, *, one_op: bool = False, **renamed: str
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator for functions that call ops: errors of the ops are reported as errors of the function.

    Args:
        default_name: the name of the node if the call gives none; by default that of the function's parameter `name`.
        one_op: True if the function is an op under another name, so that its error need not name the step.
        renamed: a parameter of that op -> the function's name for it.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return function(*args, **kwargs)
            except BaseException as error:
                if isinstance(error, BuildError):
                    signature = inspect.signature(function)
                    given = dict(signature.bind(*args, **kwargs).arguments)
                    name = given.pop("name", None)
                    given.pop("self", None)  # of a method
                    usual = default_name or _default_of("name", signature) or function.__name__
                    label = repr(name) if isinstance(name, str) and name else usual
                    report_on_call(error, function.__name__, given, label, renamed, show_step=not (one_op or renamed))
                elif type(error) is TypeError and (words := _wrong_call(function, args, kwargs)):
                    try:
                        raise TypeError(words) from None
                    except TypeError as reworded:
                        cut(reworded)
                        raise
                cut(error)
                raise

        return call

    return decorate


def _wrong_call(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """What is wrong with the arguments of a call, "" if they fit the signature."""
    signature = inspect.signature(function)
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        name = function.__name__
        return f"{name}{bare(signature)}: {error}{keyword_hint(name, list(signature.parameters), kwargs)}"
    return ""


def _default_of(parameter: str, signature: inspect.Signature) -> str | None:
    found = signature.parameters.get(parameter)
    return found.default if found is not None and isinstance(found.default, str) else None


def composite(default_name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator for functions that build several nodes: they are in one scope, and an error is reported as one of
    the call.

    Args:
        default_name: the name of the scope where the call gives no `name`.

    Returns:
        A decorator. The function's last parameter is `name`.

    >>> import penstock as tf
    >>> from penstock.extend import composite
    >>> @composite("Halved")
    ... def halved(x, name=None):
    ...     return tf.multiply(x, 0.5, name="product")
    >>> with tf.Graph().as_default():
    ...     print(halved([1.0, 2.0]).name)
    Halved/product:0
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)

        @reported_as_call(default_name)
        @functools.wraps(function)
        def build(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                given = signature.bind(*args, **kwargs).arguments
            except TypeError:
                raise TypeError(_wrong_call(function, args, kwargs)) from None
            name = given.get("name")
            scope = default_name if name is None or (isinstance(name, str) and not name) else name
            return all_or_nothing(given.values(), lambda: function(*args, **kwargs), scope=scope)

        return build

    return decorate


def name_of_scope() -> str:
    """The name of the scope that is being filled, for the node that is its result."""
    return get_default_graph().surroundings.prefix
