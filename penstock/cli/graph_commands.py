"""The commands that work on saved graphs (.json, .pb, .pbtxt, .onnx).

Every graph is loaded by `graph_reading.load_saved`.
"""

from __future__ import annotations

import argparse
import json
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import FailedPreconditionError, InvalidArgumentError, NonFiniteError
from ..graph.model.nodes import Graph, Operation, Tensor
from ..graph.serial.loaded_origins import LoadedOrigin
from ..printable_text import print_safely, printable
from ..runtime.base.session_config import SessionConfig
from ..runtime.observe.cost_sizes import results_of
from ..runtime.observe.explain import explain
from ..runtime.observe.race_search import initializers
from ..runtime.session.session import Session
from ..train.checkpoints.checkpoint_reader import load_checkpoint
from . import reports
from .graph_reading import is_model, load_saved, models, read_graph


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its name, its help texts, its arguments and its function; whether it runs a program of the user."""

    name: str
    help: str
    description: str
    examples: str
    arguments: Callable[[argparse.ArgumentParser], None]
    call: Callable[[argparse.Namespace], int]
    runs_program: bool = False


def _feeds(graph: Graph) -> list[Tensor]:
    return [op.outputs[0] for op in graph.get_operations() if op.opdef.facts.must_feed]


def _typed(tensor: Tensor) -> str:
    return f"{printable(tensor.name)}  {tensor.dtype.name} {tensor.shape}"


# ---- inspect ------------------------------------------------------------------------------------


def _inspect_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a saved graph: .json, .pb, .pbtxt, .onnx; or a model: the folder "
                        "of a SavedModel, or a .meta file")  # fmt: skip
    parser.add_argument("--scope", metavar="NAME", help="only the nodes below this scope")
    parser.add_argument("--tags", metavar="TAGS", default="", help="which graph of a SavedModel, such as serve,gpu")


def _inspect(arguments: argparse.Namespace) -> int:
    if is_model(arguments.file):
        graph, report = models().read_model(arguments.file, arguments.tags)
    else:
        graph, report = read_graph(arguments.file, is_inspected=True)
    # Another program that reads the output needs whole names.
    table = graph.summary(arguments.scope, width=None if sys.stdout.isatty() else 0)
    if arguments.scope and not table.rows:
        raise ValueError(f"--scope {arguments.scope}: there is no node below that name{_scopes_of(graph)}")
    count = len(graph)
    print_safely(f"{arguments.file}: {count} operation{'' if count == 1 else 's'}{'; ' if report else ''}{report}")
    for title, tensors in (("to feed", _feeds(graph)), ("results", results_of(graph))):
        print_safely(f"\n{title}:" if tensors else f"\n{title}: none")
        for tensor in tensors:
            print_safely(f"  {_typed(tensor)}")
    print_safely()
    print_safely(table)
    return 0


def _scopes_of(graph: Graph) -> str:
    tops = sorted({name.split("/")[0] for name in (op.name for op in graph.get_operations()) if "/" in name})
    return f"; the outermost scopes are {', '.join(tops[:8])}{', ...' if len(tops) > 8 else ''}" if tops else ""


# ---- export -------------------------------------------------------------------------------------


def _export_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a saved graph: .json, .pb, .pbtxt, .onnx")
    parser.add_argument("-o", "--out", metavar="OUT", required=True, help="the file; its suffix names the form")
    parser.add_argument("--fetch", metavar="NAME", action="append", default=[], help="a result, which is marked")
    parser.add_argument("--context", choices=["cut", "dim"],
                        help="leave out what no result needs, or draw it grey")  # fmt: skip
    parser.add_argument("--depth", metavar="N", type=int, help="draw scopes nested deeper than N as one box each")
    parser.add_argument("--hide", metavar="PATTERN", action="append", default=[],
                        help="leave out nodes and scopes whose names match, such as '*/debug'")  # fmt: skip
    parser.add_argument("--title", metavar="TEXT", default="", help="the title of the picture")
    parser.add_argument("--full-names", action="store_true", help="full names in a text tree (.txt)")
    parser.add_argument("--constants", choices=["labels", "boxes"],
                        help="draw constants as lines in the boxes that read them, or as boxes")  # fmt: skip
    parser.add_argument("--direction", choices=["auto", "down", "right"], default="auto",
                        help="the way in which arrows point (default: what fits a screen better)")  # fmt: skip
    parser.add_argument("--repeats", choices=["fold", "each"],
                        help="draw one scope of each row of equal scopes, or each of them")  # fmt: skip
    parser.add_argument("--scale", metavar="N", type=float, help="for .png: the pixels per unit of the picture")


def _export(arguments: argparse.Namespace) -> int:
    graph = load_saved(arguments.file)
    options = {"fetches": arguments.fetch, "depth": arguments.depth, "hide": arguments.hide, "title": arguments.title}
    for name in ("constants", "context", "direction", "full_names", "scale"):
        options[name] = getattr(arguments, name)
    options["repeats"] = arguments.repeats
    print_safely(graph.export(arguments.out, **options))
    return 0


# ---- run ----------------------------------------------------------------------------------------


def _run_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a saved graph: .json, .pb, .pbtxt, .onnx; or a model: the "
                        "folder of a SavedModel, or a .meta file")  # fmt: skip
    parser.add_argument("--signature", metavar="NAME", default="", help="of a model: what names its inputs and results")
    parser.add_argument("--tags", metavar="TAGS", default="", help="which graph of a SavedModel, such as serve,gpu")
    parser.add_argument("--feed", metavar="NAME=VALUE", action="append", default=[],
                        help="a .npy file, or a value in JSON: 3, [1, 2], \"text\"")  # fmt: skip
    parser.add_argument("--fetch", metavar="NAME", action="append", default=[],
                        help="what to compute (default: every tensor that no operation reads)")  # fmt: skip
    starting_value_arguments(parser)
    parser.add_argument("-o", "--out", metavar="OUT.npz", help="write the results by name instead of printing them")
    reports.run_arguments(parser)


def _run(arguments: argparse.Namespace) -> int:
    if arguments.out and not arguments.out.endswith(".npz"):
        raise ValueError(f"--out {arguments.out}: results are written as .npz")
    if not is_model(arguments.file):
        graph = load_saved(arguments.file)
        with Session(graph=graph, config=reports.config_of(arguments)) as session:
            return _run_in(session, arguments, {}, {})
    whole = Graph()
    whole.origin = LoadedOrigin(arguments.file, 0, "")
    with Session(graph=whole, config=reports.config_of(arguments)) as session:
        model = models().open_model(session, arguments.file, arguments.tags)
        return _run_in(session, arguments, *models().tensors_of_signature(model, arguments.signature))


def _run_in(
    session: Session, arguments: argparse.Namespace, inputs: dict[str, str], outputs: dict[str, str]
) -> int:
    """Run a graph; `inputs`, `outputs`: the tensors of a signature by its names, which may be fed and fetched."""
    graph = session.graph
    feeds = dict(feed_of(graph, text, inputs) for text in arguments.feed)
    missing = [t.name for t in _feeds(graph) if t not in feeds]
    fetches = [element_of(graph, outputs.get(name, name)) for name in arguments.fetch or outputs.values()]
    if not fetches:
        fetches = list(results_of(graph))
        if missing:
            raise ValueError(f"{', '.join(missing)} must be fed to compute every result; write --feed NAME=FILE.npy, "
                             "or --fetch to compute only some of them")  # fmt: skip
    give_values(session, arguments)
    try:
        values, trace = reports.run_with_reports(session, fetches, feeds, arguments)
    except NonFiniteError as error:
        return reports.report_non_finite(error)
    except FailedPreconditionError as error:
        if not error.resource:
            raise
        raise ValueError(f"{error.message.splitlines()[0]}: a saved graph holds no values of variables; write "
                         "--restore CHECKPOINT, or --initialize for their initial values") from None  # fmt: skip
    except InvalidArgumentError as error:
        if error.op is None or not error.op.opdef.facts.must_feed:
            raise
        raise ValueError(f"{error.message}; write --feed {error.op.name}=FILE.npy, or --fetch results that do not need "
                         "it") from None  # fmt: skip
    named = [(f.name, v) for f, v in zip(fetches, values, strict=True) if v is not None]
    if trace is not None:
        if not arguments.out:
            return 0
        named = [(str(name), value) for name, value in trace.items()]
    if arguments.out:
        arrays = {name: _storable(value) for name, value in named}
        _write_npz(arguments.out, arrays)
        print_safely(arguments.out)
        return 0
    for name, value in named:
        array = np.asarray(value)
        print_safely(f"{printable(name)}  {array.dtype.name if array.dtype.kind != 'O' else 'string'} {array.shape}")
        print_safely(np.array2string(array, threshold=200))
    return 0


def feed_of(graph: Graph, text: str, inputs: dict[str, str] | None = None) -> tuple[Tensor, Any]:
    """The tensor and the value of `x=x.npy` or `x=[1, 2]`; `inputs`: names of a signature and their tensors."""
    name, equals, value = text.partition("=")
    name = (inputs or {}).get(name, name)
    if not equals:
        raise ValueError(f"--feed {text}: there is no `=`; write --feed x=x.npy, or --feed x=3")
    try:
        found = element_of(graph, name)
    except KeyError as error:
        needed = ", ".join(t.name for t in _feeds(graph)[:8]) or "nothing"
        raise ValueError(f"--feed {text[:80]}: {error.args[0]}; the graph must be fed {needed}") from None
    tensor = found if isinstance(found, Tensor) else found.outputs[0] if found.outputs else None
    if tensor is None:
        raise ValueError(f"--feed {text}: {name} has no output that can be fed")
    if value.endswith(".npy"):
        return tensor, _array(value)
    try:
        return tensor, json.loads(value)
    except (ValueError, RecursionError):
        raise ValueError(f"--feed {text}: {value!r} is neither a .npy file nor a value in JSON") from None


def _array(path: str) -> Any:
    try:
        return np.load(path, allow_pickle=False)
    except OSError:
        raise
    except Exception as error:  # NumPy raises errors of many classes for damaged headers
        # NumPy's own message advises to load unknown files unsafely.
        reason = "it holds Python objects, or is of another kind" if _holds_objects(path) else str(error)[:200]
        raise ValueError(f"--feed {path}: the file is not an array written by numpy.save: {reason}") from None


def _holds_objects(path: str) -> bool:
    """Whether the file holds Python objects, or was not written by NumPy."""
    with open(path, "rb") as file:
        head = file.read(256)
    return bool(head) and (not head.startswith((b"\x93NUMPY", b"PK")) or b"'|O'" in head)


def element_of(graph: Graph, name: str) -> Tensor | Operation:
    """A tensor or an operation; `y` alone is the output of an operation that has one."""
    found = graph.as_graph_element(name)
    return found.outputs[0] if isinstance(found, Operation) and len(found.outputs) == 1 else found


def _storable(value: Any) -> Any:
    array = np.asarray(value)
    if array.dtype.kind == "O":
        return array.astype(np.bytes_)
    return array.astype(np.float32) if array.dtype.kind == "V" else array


def _write_npz(path: str, arrays: dict[str, Any]) -> None:
    """Write as `numpy.savez` does, which cannot write an array called "file"."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            with archive.open(name + ".npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.asanyarray(array), allow_pickle=False)


# ---- diff ---------------------------------------------------------------------------------------


def _diff_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("before", metavar="A", help="a saved graph")
    parser.add_argument("after", metavar="B", help="another one")


def _diff(arguments: argparse.Namespace) -> int:
    found = load_saved(arguments.before).diff(load_saved(arguments.after))
    print_safely(found)
    return 1 if found else 0


# ---- explain ------------------------------------------------------------------------------------


def _explain_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a saved graph: .json, .pb, .pbtxt, .onnx")
    parser.add_argument("--fetch", metavar="NAME", action="append", default=[],
                        help="what a run would compute (default: every tensor that no operation reads)")  # fmt: skip
    parser.add_argument("--node", metavar="NAME", help="print only what became of this node")
    reports.explain_arguments(parser)


def _explain(arguments: argparse.Namespace) -> int:
    graph = load_saved(arguments.file)
    fetches = [element_of(graph, name) for name in arguments.fetch] or list(results_of(graph))
    if not fetches:
        raise ValueError(f"{arguments.file}: the graph has no results; name a tensor or operation with --fetch")
    named = [element_of(graph, name) for name in arguments.shape]
    if named or arguments.cost:
        if named:
            reports.print_shapes([t for each in named for t in ([each] if isinstance(each, Tensor) else each.outputs)])
        if named and arguments.cost:
            print_safely()
        if arguments.cost:
            reports.print_cost(graph, fetches, arguments.size)
        return 0
    found = explain(graph, fetches, tuple(_feeds(graph)), SessionConfig())
    print_safely(found.why(arguments.node) if arguments.node else found)
    if not arguments.node:
        print_safely()
        reports.print_shapes([tensor for tensor in fetches if isinstance(tensor, Tensor)])
        print_safely()
        reports.print_cost(graph, fetches, arguments.size)
    return 0


COMMANDS = (
    Command(
        "inspect",
        "list the feeds, results and nodes of a saved graph",
        "Prints the tensors that must be fed, the results, and a table of all nodes.",
        "  penstock inspect model.json\n  penstock inspect frozen.pb --scope tower\n"
        "  penstock inspect saved_model_folder --tags serve\n",
        _inspect_arguments,
        _inspect,
    ),
    Command(
        "export",
        "draw a saved graph, or write it as a GraphDef",
        "Writes the graph in the form that the suffix of OUT names: .html, .svg, .png, .pdf, .dot, .txt, .mmd, "
        ".graphml, .picture.json (the picture as data), .json (the saved graph), .pb and .pbtxt (TensorFlow's "
        "GraphDef).",
        "  penstock export model.json -o model.svg --depth 1\n  penstock export model.json -o model.pb\n",
        _export_arguments,
        _export,
    ),
    Command(
        "run",
        "compute the results of a saved graph",
        "Feeds arrays, computes the fetches, and prints them or writes them as .npz. Options show what happens during "
        "the run.",
        "  penstock run model.json --feed x=x.npy --fetch y:0\n"
        "  penstock run model.json --feed 'x=[1, 2, 3]' -o results.npz\n"
        "  penstock run saved_model_folder --feed 'x=[[1, 2, 3]]'\n"
        "  penstock run model.json --feed x=x.npy --restore checkpoints/model-100\n"
        "  penstock run model.json --feed x=x.npy --trace\n"
        "  penstock run model.json --feed x=x.npy --profile 20\n"
        "  penstock run model.json --feed x=x.npy --watch --exclude 'mask/*'\n",
        _run_arguments,
        _run,
    ),
    Command(
        "diff",
        "list the differences between two saved graphs",
        "Compares nodes by name: + only in B, - only in A, ~ changed. Exit code 1 if anything differs.",
        "  penstock diff before.json after.json\n  penstock diff model.json model.pb\n",
        _diff_arguments,
        _diff,
    ),
    Command(
        "explain",
        "show what passes change, where sizes come from, what a run costs",
        "Shows what each pass changes between the graph and the plan of a run, where the dimensions of the results "
        "come from, and the cost of a run. Nothing is run.",
        "  penstock explain model.json --fetch y:0\n"
        "  penstock explain model.json --node dense/add\n"
        "  penstock explain model.json --shape y:0\n"
        "  penstock explain model.json --cost --size batch=64\n",
        _explain_arguments,
        _explain,
    ),
)


# ---- what variables begin with in `penstock run`: the values of a checkpoint, or those of their initializers


def starting_value_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that give variables their values."""
    parser.add_argument("--restore", metavar="CHECKPOINT", help="give the variables the values that a Saver wrote")
    parser.add_argument("--initialize", action="store_true",
                        help="run the initializers of the variables that have no value yet")  # fmt: skip


def give_values(session: Session, arguments: argparse.Namespace) -> None:
    """Give the variables of the session's graph the values that the options ask for.

    Raises:
        ValueError: the checkpoint lacks a variable, or has another dtype or shape for it.
        OpError: there is no such checkpoint, or an initializer failed.
    """
    operations = session.graph.get_operations()
    if arguments.restore:
        reader = load_checkpoint(arguments.restore)
        variables = [op for op in operations if op.opdef.facts.state == "holds"]
        lacking = [op.name for op in variables if not reader.has_tensor(op.name)]
        if lacking and not arguments.initialize:
            rest = f" and {len(lacking) - 3} more" if len(lacking) > 3 else ""
            raise ValueError(f"--restore {arguments.restore}: the checkpoint has no {', '.join(lacking[:3])}{rest}; "
                             "with --initialize as well, such variables begin with their initial values")  # fmt: skip
        session.variables.put(dict(_restored(reader, variables, arguments.restore)))
    if arguments.initialize:
        valued = set(session.variables.names())
        session.run([op for op, name in initializers(operations) if name not in valued])


def _restored(reader: Any, variables: list[Operation], prefix: str) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    for op in variables:
        if not reader.has_tensor(op.name):
            continue
        value, tensor = np.asarray(reader.get_tensor(op.name)), op.outputs[0]
        if value.dtype != tensor.dtype.as_numpy_dtype or not tensor.shape.is_compatible_with(value.shape):
            raise ValueError(f"--restore {prefix}: {printable(op.name)} is {value.dtype.name} {value.shape} there, and "
                             f"{tensor.dtype.name} {tensor.shape} in the graph")  # fmt: skip
        yield op.name, value
