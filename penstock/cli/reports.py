"""The reports that `penstock explain` and `penstock run` print on request, and their options.

They are: the origin of dimensions, the cost of a run, every value on the way, the time of each step, the first NaN, and
progress.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from ..errors import NonFiniteError
from ..graph.diagnostics.shape_provenance import explain_shape
from ..graph.model.nodes import Graph, Operation, Tensor
from ..printable_text import print_safely
from ..runtime.base.progress import progress_bar
from ..runtime.base.session_config import SessionConfig
from ..runtime.base.watch import Watch
from ..runtime.observe.cost import cost
from ..runtime.observe.cost_report import UnknownSize, cost_text
from ..runtime.observe.cost_sizes import CostError
from ..runtime.observe.value_trace import Trace
from ..runtime.session.session import Session

_MOST_SHAPES = 8


# ---- explain ------------------------------------------------------------------------------------


def explain_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `penstock explain` about shapes and costs."""
    parser.add_argument("--shape", metavar="NAME", action="append", default=[],
                        help="print only the origin of the dimensions of this tensor")  # fmt: skip
    parser.add_argument("--cost", action="store_true", help="print only the cost of a run")
    parser.add_argument("--size", metavar="NAME=SIZE", action="append", default=[],
                        help="size of a named dimension or shape of a tensor: batch=64, x:0=[64,3]")  # fmt: skip


def print_shapes(tensors: Sequence[Tensor]) -> None:
    """Print the origin of the dimensions of these tensors."""
    print_safely("\n\n".join(str(explain_shape(tensor)) for tensor in tensors[:_MOST_SHAPES]))
    if len(tensors) > _MOST_SHAPES:
        print_safely(f"\n{len(tensors) - _MOST_SHAPES} more results; --shape NAME prints one")


def print_cost(graph: Graph, fetches: Sequence[Tensor | Operation], size_options: Sequence[str]) -> None:
    """Print the cost of a run of `fetches` with the given sizes."""
    sizes: dict[str, int] = {}
    shapes: dict[str, Any] = {}
    for text in size_options:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"--size {text}: there is no `=`; write --size batch=64, or --size x:0=[64,3]")
        try:
            size_or_shape = json.loads(value)
        except (ValueError, RecursionError):
            raise ValueError(f"--size {text}: {value!r} is neither a number nor a list of numbers") from None
        if isinstance(size_or_shape, list):
            shapes[name] = size_or_shape
        else:
            sizes[name] = size_or_shape
    try:
        report = cost(graph, list(fetches), shapes=shapes, sizes=sizes)
    except (ValueError, TypeError) as error:
        reason = error.reason if isinstance(error, CostError) else str(error)
        raise ValueError(f"--size {' --size '.join(size_options)}: {reason}" if size_options else reason) from None
    print_safely(cost_text(report, _size_cure))


def _size_cure(missing: UnknownSize) -> str:
    """The option of the command line that gives a missing size."""
    if missing.is_named:
        return f"Write --size {missing.size}=64 for a size of 64."
    expected = " with the shape that you expect; only a run knows it." if missing.is_result else "."
    return f"Write --size '{missing.tensor}=[...]'{expected}"


# ---- run ----------------------------------------------------------------------------------------


def run_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `penstock run` that report on the run."""
    parser.add_argument("--trace", action="store_true",
                        help="print the value of every node; -o writes all of them to a file")  # fmt: skip
    parser.add_argument("--profile", metavar="N", type=int, help="time N runs: median, spread and share of each step")
    parser.add_argument("--watch", action="store_true",
                        help="stop at the first NaN or infinity and print its origin; exit code 1")  # fmt: skip
    parser.add_argument("--exclude", metavar="PATTERN", action="append", default=[],
                        help="nodes that --watch ignores, such as 'mask/*'")  # fmt: skip
    parser.add_argument("--progress", action="store_true", help="a bar over the steps of the run (needs tqdm)")


def config_of(arguments: argparse.Namespace) -> SessionConfig:
    """The config for the options of `penstock run`.

    Raises:
        ValueError: options that exclude each other; a progress bar without tqdm.
    """
    if arguments.exclude and not arguments.watch:
        raise ValueError("--exclude lists the nodes that --watch ignores; write --watch too")
    if arguments.profile is not None and (arguments.trace or arguments.watch):
        raise ValueError(
            "--profile times the optimised plan, --trace and --watch run the graph as it was written; use one of them"
        )
    try:
        progress = progress_bar(file=sys.stderr) if arguments.progress else None
    except ImportError as error:
        raise ValueError(str(error)) from None
    return SessionConfig(watch=Watch(exclude=arguments.exclude) if arguments.watch else None, progress=progress)


def run_with_reports(
    session: Session, fetches: Sequence[Tensor | Operation], feeds: dict[Tensor, Any], arguments: argparse.Namespace
) -> tuple[Sequence[Any], Trace | None]:
    """Run the graph and print the requested tables; return the values of the fetches, and the trace if requested.

    Raises:
        NonFiniteError: a watched run found a NaN or an infinity.
    """
    if arguments.profile is not None:
        profile = session.profile(list(fetches), feeds, runs=arguments.profile)
        print_safely(profile)
        print_safely()
    if arguments.trace:
        trace = session.trace(list(fetches), feeds)
        print_safely(trace)
        return trace.result, trace
    return session.run(list(fetches), feeds), None


def report_non_finite(error: NonFiniteError) -> int:
    """Print the error of a watched run; return the exit code."""
    if error.trace is not None:
        print_safely(error.trace)
    print_safely(error, file=sys.stderr)
    return 1
