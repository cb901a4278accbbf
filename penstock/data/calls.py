"""Calls of datasets as transactions: a call that fails adds nothing to the graph, and its error is one of the call."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

from ..graph.building.convert import first_tensor
from ..graph.common.tracebacks import cut
from ..graph.model.default_graph import target_graph
from ..ops.declare.composite import reported_as_call

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")


def dataset_call(function: Callable[P, R]) -> Callable[P, R]:
    """A decorator for functions that build the nodes of datasets and iterators."""
    reported = reported_as_call()(function)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            given: list[Any] = [getattr(each, "variant_tensor", each) for each in (*args, *kwargs.values())]
            graph = target_graph(first_tensor(given))

            def inside() -> R:
                with graph.as_default():
                    return reported(*args, **kwargs)

            return graph.journal.all_or_nothing(inside)
        except BaseException as error:
            cut(error)
            raise

    return call


def with_dataset_calls(owner: type[C]) -> type[C]:
    """A decorator for a class of datasets or queues: each of its public methods is a `dataset_call`.

    Those that have another decorator of that kind keep it.
    """
    for name, method in list(vars(owner).items()):
        function = getattr(method, "__func__", method)
        if name[0] == "_" or not isinstance(function, FunctionType) or hasattr(function, "__wrapped__"):
            continue
        kind = type(method) if isinstance(method, staticmethod | classmethod) else None
        call = dataset_call(function)
        setattr(owner, name, kind(call) if kind else call)
    return owner
