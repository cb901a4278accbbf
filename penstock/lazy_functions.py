"""Functions that import their module on first use: pictures, views of a graph, cost reports.

Most programs draw nothing, and the modules of pictures take a fifth of the time to import the whole package.
"""

from __future__ import annotations

from typing import Any

from .graph.lazy_import import load


def summary(graph: Any, scope: str | None = None) -> str:
    """A table of the nodes of `graph`: `penstock.graph.inspect.graph_summary.summary`."""
    load("penstock.graph.inspect.graph_summary")
    from .graph.inspect.graph_summary import summary as table

    return table(graph, scope)


def diff(before: Any, after: Any) -> Any:
    """What became of the nodes of `before` in `after`: `penstock.graph.inspect.diff.diff`."""
    load("penstock.graph.inspect.diff")
    from .graph.inspect.diff import diff as compare

    return compare(before, after)


def to_networkx(graph: Any) -> Any:
    """`graph` as a networkx graph: `penstock.graph.inspect.networkx_view.to_networkx`."""
    load("penstock.graph.inspect.networkx_view")
    from .graph.inspect.networkx_view import to_networkx as view

    return view(graph)


def cost(graph: Any, *fetches: Any, **sizes: Any) -> Any:
    """The cost of a run of `graph`: `penstock.runtime.observe.cost.cost`."""
    load("penstock.runtime.observe.cost")
    from .runtime.observe.cost import cost as estimate

    return estimate(graph, *fetches, **sizes)


def export(graph: Any, path: Any, **options: Any) -> Any:
    """Write a picture of `graph`: `penstock.show.export`."""
    load("penstock.show.export")
    from .show import export as draw

    return draw(graph, path, **options)


def markup(*args: Any, **options: Any) -> Any:
    """The display of an object in a notebook: `penstock.show.notebook.markup`."""
    load("penstock.show.notebook")
    from .show.notebook import markup as show

    return show(*args, **options)
