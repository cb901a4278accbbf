"""The work of a student's program as files: its graph, its variables and its runs, with nothing of Python's objects.

    work.json     the program's text, its variables by name, and what each run fetched and fed
    arrays.npz    the arrays among them
    graph.json    the graph, in Penstock's own form (`graph.serial`), and graph.npz

The program's process writes them; the process of the check reads them and builds the graph anew. So the check never
meets an object, a module or a function that the program could have changed. Files are data: nothing in them is
executed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import GraphFormatError
from ..graph.model.nodes import Graph, Operation, Tensor
from ..graph.model.subgraph import bodies_of
from ..graph.serial.json_files import load_json, save_json
from ..ops.create.constant_and_placeholder import placeholder
from ..variables.graph_keys import GraphKeys
from ..variables.variable import Variable
from .program_run import Trouble
from .student_work import StudentRun, Work

MOST_BYTES = 64 << 20
"""How many bytes of arrays are handed over; what is larger is known by its type only."""
_MOST_ITEMS = 10_000
"""How many elements a list or a dictionary may have."""
PYTHON_OPS = ("PyFunc", "PyFuncStateless", "EagerPyFunc")


def write_work(work: Work, folder: Path, observed: Any = None, about_the_graph: bool = True) -> None:
    """Write the work of a program that ran in this process.

    Args:
        work: the work.
        folder: an empty folder.
        observed: plain data that the lesson's `observe` found.
        about_the_graph: whether the lesson is about the graph. If it is not, or if the program stopped, an empty graph
            stands for one that cannot be handed over.

    Raises:
        Trouble: the graph calls Python, or has an op that the program declares itself.
        OSError: the files cannot be written.
    """
    graph = work.graph
    refusal = _calls_python(graph)
    if not refusal:
        try:
            save_json(graph, folder / "graph.json")
        except GraphFormatError as error:
            refusal = f"the check cannot take your graph to its own process: {error}"
    if refusal:
        if about_the_graph and not work.stopped:
            raise Trouble(refusal)
        graph = Graph()
        save_json(graph, folder / "graph.json")
    values = _Writer(graph)
    data = {
        "source": work.source,
        "file": work.file,
        "note": work.note,
        "stopped": work.stopped,
        "run_count": work.run_count,
        "initializers": [[each.op.name, each.initializer.name] for each in _variables(graph)],
        "variables": [[name, values.data(value)] for name, value in work.variables.items() if _is_told(name, value)],
        "runs": [_run_data(run, values) for run in work.runs],
        "observed": values.data(observed),
    }  # fmt: skip
    np.savez(folder / "arrays.npz", **values.arrays)
    (folder / "work.json").write_text(json.dumps(data), "utf-8")


def read_work(folder: Path, seed: int) -> Work:
    """The work in the files of a folder; its graph is a new one.

    Args:
        folder: the folder.
        seed: that of the data which the check draws.

    Raises:
        GraphFormatError, ValueError, KeyError, OSError: the files are damaged.
    """
    data = json.loads((folder / "work.json").read_text("utf-8"))
    graph = load_json(folder / "graph.json")
    for node, initializer in data["initializers"]:
        operation, first = graph.get_operation_by_name(node), graph.get_operation_by_name(initializer)
        graph.add_to_collection(GraphKeys.GLOBAL_VARIABLES, Variable._standing_for(operation, first))
    with np.load(folder / "arrays.npz", allow_pickle=False) as archive:
        values = _ValueReader(graph, {key: archive[key] for key in archive.files})
    runs = tuple(_run_of(graph, each, values) for each in data["runs"])
    variables = {name: values.value(each) for name, each in data["variables"]}
    return Work(variables, runs, data["run_count"], data["file"], data["source"], data["note"],
                data["stopped"], graph, values.value(data["observed"]), seed)  # fmt: skip


def _calls_python(graph: Graph) -> str:
    """Why a check does not take this graph: it calls code of the program; "" if it does not."""
    about = "This lesson is about the graph: build the value with Penstock's own operations"
    waiting = list(graph.get_operations())
    while waiting:
        op = waiting.pop()
        if op.type in PYTHON_OPS:
            return (f"`{op.name}` calls a function of Python (tf.py_func) in the middle of the run, and the graph "
                    f"cannot see what that does. {about}")  # fmt: skip
        if op.opdef.is_from_outside:
            return f"`{op.name}` is made by the op {op.type!r}, which your program declares. {about}"
        for body in bodies_of(op):
            waiting += body.operations
    return ""


def _variables(graph: Graph) -> list[Variable]:
    found = [each for each in graph.get_collection(GraphKeys.GLOBAL_VARIABLES) if isinstance(each, Variable)]
    return [each for each in found if each.initializer is not None and each.graph is graph]


def _is_told(name: str, value: Any) -> bool:
    return isinstance(name, str) and not name.startswith("__") and type(value).__name__ != "module"


def _run_data(run: StudentRun, values: _Writer) -> dict[str, Any]:
    feeds = [[name, values.data(value)] for name, value in run.feeds.items()]
    return {"fetches": values.data(run.fetches), "feeds": feeds, "line": run.line, "failed": run.failed,
            "here": run.graph is values.graph}  # fmt: skip


def _run_of(graph: Graph, data: Mapping[str, Any], values: _ValueReader) -> StudentRun:
    feeds = {name: values.value(value) for name, value in data["feeds"]}
    return StudentRun(graph if data["here"] else Graph(), values.value(data["fetches"]), feeds, data["line"],
                      data["failed"])  # fmt: skip


class _Writer:
    """Values as JSON and arrays."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.arrays: dict[str, Any] = {}
        self._bytes = 0

    def data(self, value: Any, depth: int = 0) -> list[Any]:
        """A value as a list that begins with its kind."""
        if isinstance(value, (Tensor, Operation, Variable)):
            return self._element(value)
        if value is ...:
            return ["dots"]
        if value is None or type(value) in (bool, int, float, str):
            return ["plain", value]
        if isinstance(value, (np.ndarray, np.generic)):
            return self._array(value)
        if type(value) in (list, tuple) and len(value) <= _MOST_ITEMS and depth < 20:
            return [type(value).__name__, [self.data(each, depth + 1) for each in value]]
        if isinstance(value, Mapping) and len(value) <= _MOST_ITEMS and depth < 20:
            return ["dict", [[self.data(key, 20), self.data(each, depth + 1)] for key, each in value.items()]]
        return ["other", type(value).__name__, callable(value)]

    def _element(self, element: Any) -> list[Any]:
        kind = "variable" if isinstance(element, Variable) else "tensor" if isinstance(element, Tensor) else "operation"
        if element.graph is not self.graph:
            return ["elsewhere"]
        name = element.op.name if kind == "variable" else element.name
        inside = element if kind == "operation" else element.op
        try:  # a tensor inside a body has no name that a run may use
            known = self.graph.get_operation_by_name(inside.name) is inside
        except (KeyError, ValueError):
            known = False
        return [kind, name] if known else ["elsewhere"]

    def _array(self, value: Any) -> list[Any]:
        array = np.asarray(value)
        if array.dtype.kind not in "biufcSU" or self._bytes + array.nbytes > MOST_BYTES:
            return ["other", type(value).__name__, False]
        self._bytes += array.nbytes
        key = f"a{len(self.arrays)}"
        self.arrays[key] = array
        return ["scalar" if isinstance(value, np.generic) else "array", key]


class _ValueReader:
    """Values from JSON and arrays."""

    def __init__(self, graph: Graph, arrays: Mapping[str, Any]) -> None:
        known = {each.op.name: each for each in graph.get_collection(GraphKeys.GLOBAL_VARIABLES)}
        read: dict[str, Callable[..., Any]] = {
            "plain": lambda value: value,
            "dots": lambda: ...,
            "array": lambda key: arrays[key],
            "scalar": lambda key: arrays[key][()],
            "list": lambda items: [self.value(each) for each in items],
            "tuple": lambda items: tuple([self.value(each) for each in items]),
            "dict": lambda items: {self.value(key): self.value(each) for key, each in items},
            "tensor": graph.get_tensor_by_name,
            "operation": graph.get_operation_by_name,
            "variable": lambda name: known[name] if name in known else graph.get_tensor_by_name(f"{name}:0"),
            "elsewhere": _of_another_graph,
            "other": lambda kind, called: type(kind, (_Called if called else object,), {})(),
        }  # fmt: skip
        self._read = read

    def value(self, data: list[Any]) -> Any:
        """The value that data describes."""
        return self._read[data[0]](*data[1:])


class _Called:
    """What stands for a function or a class of the program."""

    def __call__(self) -> None:
        """Nothing: the check has no code of the program."""


def _of_another_graph() -> Tensor:
    with Graph().as_default():
        return placeholder("float32")
