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
from ..graph.nodes import Graph, Operation, Tensor
from ..runtime.base.progress import progress_bar
from ..runtime.base.session_config import SessionConfig
from ..runtime.base.watch import Watch
from ..runtime.observe.cost import cost
from ..runtime.observe.cost_report import UnknownSize
from ..runtime.observe.cost_sizes import CostError
from ..runtime.observe.value_trace import Trace
from ..runtime.session.session import Session
from ..show.terminal_tree import printable

_MOST_SHAPES = 8


def print_safely(text: object, file: Any = None) -> None:
    """Print lines of which no name can move the cursor."""
    print("\n".join(printable(line) for line in str(text).split("\n")), file=file)


# ---- explain ------------------------------------------------------------------------------------


def explain_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `penstock explain` about shapes and costs."""
    parser.add_argument("--shape", metavar="NAME", action="append", default=[],
                        help="where the dimensions of this tensor come from, and nothing else")  # fmt: skip
    parser.add_argument("--cost", action="store_true", help="what a run costs, and nothing else")
    parser.add_argument("--size", metavar="NAME=SIZE", action="append", default=[],
                        help="size of a named dimension, or shape of a tensor: batch=64, x:0=[64,3]")  # fmt: skip


def shapes_told(tensors: Sequence[Tensor]) -> None:
    """Print where the dimensions of these tensors come from."""
    print_safely("\n\n".join(str(explain_shape(tensor)) for tensor in tensors[:_MOST_SHAPES]))
    if len(tensors) > _MOST_SHAPES:
        print(f"\n{len(tensors) - _MOST_SHAPES} results more; --shape NAME tells of one")


def cost_told(graph: Graph, fetches: Sequence[Tensor | Operation], given: Sequence[str]) -> None:
    """Print what a run of `fetches` costs with the sizes that were given."""
    sizes: dict[str, int] = {}
    shapes: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"--size {text}: there is no `=`; write --size batch=64, or --size x:0=[64,3]")
        try:
            found = json.loads(value)
        except (ValueError, RecursionError):
            raise ValueError(f"--size {text}: {value!r} is neither a number nor a list of numbers") from None
        if isinstance(found, list):
            shapes[name] = found
        else:
            sizes[name] = found
    try:
        found = cost(graph, list(fetches), shapes=shapes, sizes=sizes)
    except (ValueError, TypeError) as error:
        told = error.reason if isinstance(error, CostError) else str(error)
        raise ValueError(f"--size {' --size '.join(given)}: {told}" if given else told) from None
    text = str(found)
    for missing in found.unknown:
        text = text.replace(f"{missing.reason}. {missing.cure}", f"{missing.reason}. {_size_cure(missing)}")
    print_safely(text)


def _size_cure(missing: UnknownSize) -> str:
    """What to write on the command line so that a size is known."""
    if missing.is_named:
        return f"Write --size {missing.size}=64 for a size of 64."
    expected = " for what you expect; only a run knows it." if missing.is_result else "."
    return f"Write --size '{missing.tensor}=[...]'{expected}"


# ---- run ----------------------------------------------------------------------------------------


def run_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `penstock run` about what happens on the way."""
    parser.add_argument("--trace", action="store_true",
                        help="every value on the way, in the order of the run; -o writes all of them")  # fmt: skip
    parser.add_argument("--profile", metavar="N", type=int, help="time N runs: mean, p95 and share of each step")
    parser.add_argument("--watch", action="store_true",
                        help="stop at the first NaN or infinity, say where it came from; exit code 1")  # fmt: skip
    parser.add_argument("--exclude", metavar="PATTERN", action="append", default=[],
                        help="nodes that --watch lets hold them, such as 'mask/*'")  # fmt: skip
    parser.add_argument("--progress", action="store_true", help="a bar over the steps of the run (needs tqdm)")


def config_of(arguments: argparse.Namespace) -> SessionConfig:
    """The config that the options of `penstock run` ask for.

    Raises:
        ValueError: options that do not go together. ImportError: a bar without tqdm.
    """
    if arguments.exclude and not arguments.watch:
        raise ValueError("--exclude says what --watch passes over; write --watch too")
    if arguments.profile is not None and (arguments.trace or arguments.watch):
        raise ValueError(
            "--profile times the run that is planned, --trace and --watch run the graph as it was written; use one of "
            "them"
        )
    try:
        progress = progress_bar(file=sys.stderr) if arguments.progress else None
    except ImportError as error:
        raise ValueError(str(error)) from None
    return SessionConfig(watch=Watch(exclude=arguments.exclude) if arguments.watch else None, progress=progress)


def run_told(
    session: Session, fetches: Sequence[Tensor | Operation], feeds: dict[Tensor, Any], arguments: argparse.Namespace
) -> tuple[Sequence[Any], Trace | None]:
    """The values of the fetches, and every value if they were asked for; tables are printed on the way.

    Raises:
        NonFiniteError: a watched run met one.
    """
    if arguments.profile is not None:
        profile = session.profile(list(fetches), feeds, runs=arguments.profile)
        print_safely(profile)
        print()
    if arguments.trace:
        trace = session.trace(list(fetches), feeds)
        print_safely(trace)
        return trace.result, trace
    return session.run(list(fetches), feeds), None


def bad_value(error: NonFiniteError) -> int:
    """Tell what a watched run found; the exit code for something that was found."""
    if error.trace is not None:
        print_safely(error.trace)
    print_safely(error, file=sys.stderr)
    return 1
