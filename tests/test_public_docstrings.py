"""Every public docstring has all its parts: a summary, Args, Returns, Raises, an example and, for ops, a source.

Public is what stands in `penstock.__all__`, `penstock.nn`, `penstock.compat.v1` and its `nn` (where they differ),
`penstock.extend`, `penstock.testing.__all__`, `penstock.config.__all__`, `penstock.interchange.tensorflow`,
`penstock.show.__all__`, `penstock.train`, `penstock.losses` and `penstock.errors`, and what public calls return
(`GIVEN` in `public_surface.py`): functions, classes and the methods of these classes. The rules:

- The summary is one paragraph that ends with a full stop. It says what the result is, or in the third person what the
  call does: "Writes ...", never "Write ...".
- Args names each parameter of the signature and nothing else, one parameter (or several: "x, y: ...") a line. `name`,
  the last parameter of every op, needs no line: docs/ops.md explains it once.
- A class that users construct has Args too; one that they are only given has Attributes. Both name every field of a
  dataclass.
- Returns is there unless the annotation says None or NoReturn. Of a function that makes tensors it tells shape and
  dtype.
- Raises names classes of errors that exist. A function or method with parameters has it, unless it stands in
  `CANNOT_FAIL`. Every op converts its arguments: the errors of that (no tensor, None, tensors of two graphs, a bad
  `name`, a finalized graph) are those of `convert_to_tensor` and are not repeated. All other errors of a call have to
  be named: test_wrong_arguments.py provokes them while building, test_fuzz_arguments.py in runs.
- An example is run as a doctest. A method may stand in the example of its class instead; one that only raises needs
  none, and a class that users are only given is shown by the calls that return it. `SHOWN_IN_DOCS` names the page with
  the example of what a doctest must not or cannot run: an op that is declared stays declared, and tqdm need not be
  installed.
- What lies in penstock/ops/ or penstock/compat/ ends with the source that it follows.
- An exception needs only its summary: its text is made where it is raised. Properties are not looked at.
- `public_surface.py` lists methods that only the package calls. Methods of `OpDef` that attach a rule need only a
  summary: each takes the rule and returns it.
"""

import dataclasses
import doctest
import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import pytest

import penstock as tf
import penstock.app
import penstock.compat
import penstock.compat.v1 as v1
import penstock.contrib.layers
import penstock.contrib.legacy_seq2seq
import penstock.contrib.rnn
import penstock.contrib.seq2seq
import penstock.contrib.training
import penstock.data
import penstock.data.experimental
import penstock.debugging
import penstock.extend
import penstock.flags
import penstock.gfile
import penstock.initializers
import penstock.logging
import penstock.python_io
import penstock.show
import penstock.summary
import penstock.test
import penstock.testing
import penstock.train
from penstock.graph.declare.op_declaration import OpDef
from penstock.interchange import tensorflow

from .docstring_parts import HEADINGS, Parts, errors_named, parts_of
from .public_surface import GIVEN, INTERNAL

ROOT = Path(__file__).resolve().parents[1]
CONSTRUCTED = ("ConfigProto", "GPUOptions", "GraphOptions", "OptimizerOptions",
               "Event", "FileWriter", "HistogramProto", "LogMessage", "SessionLog", "Summary",
               "SummaryMetadata", "TFRecordOptions", "TFRecordWriter", "Attr", "Dimension", "Graph", "Inner",
               "InteractiveSession", "Operand", "RunMetadata", "RunOptions",
               "Sample", "Session", "SessionConfig", "SparseTensor", "SparseTensorValue", "TensorShape",
               "Watch", "Optimizer", "ExponentialMovingAverage", "GradientDescentOptimizer", "MomentumOptimizer",
               "AdagradOptimizer", "AdagradDAOptimizer", "AdadeltaOptimizer", "AdamOptimizer", "RMSPropOptimizer",
               "FtrlOptimizer", "ProximalGradientDescentOptimizer", "ProximalAdagradOptimizer")  # fmt: skip
CANNOT_FAIL = {
    "is_numeric_tensor", "path_to_str", "is_gpu_available", "test_src_dir_path",
    "no_regularizer", "ConfigProto", "GPUOptions", "GraphOptions", "OptimizerOptions",
    "debug", "error", "fatal", "info", "warn", "warning", "log_every_n", "log_first_n", "log_if",
    "Event", "HistogramProto", "LogMessage", "SessionLog", "Summary", "SummaryMetadata",
    "add_loss", "get_losses", "get_regularization_losses",
    "identity", "stop_gradient", "rank", "shape", "size", "composite", "shape_of", "unknown", "unknown_dims",
    "unknown_rank", "known_int", "known_value", "known_vector", "graph_text", "why_unknown", "sample", "Sample",
    "Position", "Position.skip", "random_words", "labelled", "Along", "Partial", "Distributed", "Refused",
    "Operand", "Attr", "Inner", "SparseTensorValue", "Dimension.scaled", "Dimension.divided",
    "Graph.add_to_collection", "Graph.add_to_collections", "Graph.get_collection", "Graph.get_collection_ref",
    "Graph.clear_collection", "Graph.summary", "Graph.diff", "Jit.wait", "dot_text", "fit", "graphml_text", "json_text",
    "SecondOrStepTimer.should_trigger_for_step", "SecondOrStepTimer.update", "SessionRunHook.before_run",
    "SessionRunHook.after_run", "SessionRunHook.after_create_session", "SessionRunHook.end",
    "CheckpointSaverListener.before_save", "CheckpointSaverListener.after_save", "CheckpointSaverListener.end",
    "Optimizer.get_slot", "ExponentialMovingAverage", "ExponentialMovingAverage.average",
    "ExponentialMovingAverage.average_name", "ExponentialMovingAverage.variables_to_restore",
    "VariableScope.set_initializer", "VariableScope.set_partitioner",
    "VariableScope.set_regularizer", "VariableScope.set_custom_getter",
    "VariableScope.set_caching_device", "VariableScope.set_use_resource", "VariableScope.get_collection",
    "mermaid_text", "runs_of_levels", "svg_text", "text_tree", "lay_out",
}  # fmt: skip
SHOWN_IN_DOCS = {"op": "docs/adding-an-op.md", "progress_bar": "docs/looking.md"}
IMPERATIVES = ("Add", "Append", "Assert", "Attach", "Call", "Cast", "Close", "Compute", "Copy", "Declare", "Drop",
               "Empty", "Fill", "Give", "Keep", "Make", "Note", "Put", "Raise", "Refuse", "Remove", "Replace",
               "Reserve", "Return", "Run", "See", "Set", "Take", "Turn", "Wait", "Write")  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True)
class Public:
    """One public callable: its path for users, the object, and the class that it is a method of."""

    path: str
    object: Any
    owner: type | None = None

    @property
    def name(self) -> str:
        return self.path.rpartition(".")[2]

    @property
    def label(self) -> str:
        """The name, of a method with that of its class."""
        return self.name if self.owner is None else ".".join(self.path.split(".")[-2:])

    @property
    def is_error(self) -> bool:
        return inspect.isclass(self.object) and issubclass(self.object, BaseException)

    @property
    def is_op(self) -> bool:
        is_tool = self.path.startswith("penstock.extend.") or self.owner is not None
        return str(self.object.__module__).startswith(("penstock.ops.", "penstock.compat.")) and not is_tool

    @property
    def fields(self) -> tuple[str, ...]:
        """The names that Args or Attributes must have."""
        if inspect.isclass(self.object) and dataclasses.is_dataclass(self.object):
            return tuple(field.name for field in dataclasses.fields(self.object) if not field.name.startswith("_"))
        if inspect.isclass(self.object) and self.name not in CONSTRUCTED:
            return ()
        names = list(inspect.signature(self.object).parameters)
        if self.owner is not None and not isinstance(inspect.getattr_static(self.owner, self.name), staticmethod):
            names = names[1:]
        return tuple(name for name in names if name != "name" or not self.is_op)


def namespaces() -> Iterator[tuple[str, ModuleType, list[str]]]:
    yield "penstock", tf, tf.__all__
    yield "penstock.nn", tf.nn, tf.nn.__all__
    yield "penstock.compat.v1", v1, [name for name in vars(v1) if not name.startswith("_")]
    yield "penstock.compat.v1.nn", v1.nn, v1.nn.__all__
    yield "penstock.extend", penstock.extend, [name for name in vars(penstock.extend) if not name.startswith("_")]
    yield "penstock.testing", penstock.testing, penstock.testing.__all__
    yield "penstock.config", tf.config, tf.config.__all__
    yield "penstock.interchange.tensorflow", tensorflow, tensorflow.__all__
    for each in (penstock.data, penstock.data.experimental):
        yield each.__name__, each, each.__all__
    for each in (penstock.summary, penstock.python_io, penstock.app, penstock.flags, penstock.logging, penstock.gfile,
                 penstock.test, penstock.debugging, penstock.compat, penstock.contrib.training, tf.nn.rnn_cell,
                 penstock.contrib.rnn, penstock.contrib.seq2seq, penstock.contrib.legacy_seq2seq,
                 penstock.contrib.layers):  # fmt: skip
        shown = getattr(each, "__all__", [name for name in dir(each) if not name.startswith("_")])
        yield each.__name__, each, sorted(shown, key=lambda name: name != "RNNCell")  # the others inherit
    names = [name for name in dir(tf.train) if not name.startswith("_")]
    yield "penstock.train", penstock.train, sorted(names, key=lambda name: name != "Optimizer")  # the others inherit
    yield "penstock.initializers", penstock.initializers, penstock.initializers.__all__
    yield "penstock.random", tf.random, tf.random.__all__
    yield "penstock.losses", tf.losses, [name for name in vars(tf.losses) if not name.startswith("_")]
    yield "penstock.layers", tf.layers, [name for name in vars(tf.layers) if not name.startswith("_")]
    yield "penstock.show", penstock.show, penstock.show.__all__
    yield "penstock.errors", tf.errors, [name for name in vars(tf.errors) if name[0].isupper()]
    for module, names in GIVEN.items():
        yield f"penstock.{module}", importlib.import_module(f"penstock.{module}"), names


def public() -> Iterator[Public]:
    """Every public function, class and method, each once."""
    seen: set[int] = set()
    for path, module, names in namespaces():
        for name in sorted(names, key=lambda name: name == "InteractiveSession"):  # which inherits from Session
            found = Public(f"{path}.{name}", getattr(module, name))
            is_ours = str(getattr(found.object, "__module__", "")).startswith("penstock.")
            is_callable = (
                inspect.isclass(found.object) or inspect.isfunction(found.object) or isinstance(found.object, OpDef)
            )
            if not is_ours or not is_callable or id(found.object) in seen:
                continue
            seen.add(id(found.object))
            yield found
            if inspect.isclass(found.object):
                yield from methods(found, seen)


def methods(of: Public, seen: set[int]) -> Iterator[Public]:
    names: set[str] = set()
    for owner in of.object.__mro__:
        if not owner.__module__.startswith("penstock."):
            continue
        for name, value in vars(owner).items():
            function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
            if name.startswith("_") or not inspect.isfunction(function) or name in names:
                continue
            names.add(name)
            if is_of_a_hook(of.object, name) or id(function) in seen:
                continue
            seen.add(id(function))
            is_internal = any(name in INTERNAL.get(base.__name__, ()) for base in of.object.__mro__)
            if not is_internal and not (owner is OpDef and attaches_a_rule(function)):
                yield Public(f"{of.path}.{name}", function, of.object)


def is_of_a_hook(owner: type, name: str) -> bool:
    """Whether a class of hooks has this method for the session to call; `SessionRunHook` documents it."""
    base = tf.train.SessionRunHook
    return issubclass(owner, base) and owner is not base and name in vars(base)


def attaches_a_rule(method: Callable[..., Any]) -> bool:
    """Whether a method of `OpDef` is a decorator of a rule, or gives one."""
    signature = inspect.signature(method)
    return "rule" in signature.parameters or str(signature.return_annotation) == "Callable[[F], F]"


PUBLIC = list(public())


def complaints(what: Public) -> list[str]:
    """Which parts of a docstring are missing or wrong."""
    docstring = inspect.getdoc(what.object)
    if not what.object.__doc__ or not docstring:
        return ["there is no docstring"]
    parts = parts_of(docstring)
    found = [*about_the_summary(parts.summary), *about_the_order(parts)]
    if what.is_error:
        return found
    found += about_the_arguments(what, parts)
    found += about_the_result(what, parts)
    try:
        errors_named(docstring)
    except NameError as error:
        found.append(str(error))
    if has_parameters(what) and what.label not in CANNOT_FAIL and "Raises" not in parts.order:
        found.append("Raises is missing")
    is_shown = what.label in SHOWN_IN_DOCS or is_shown_by_its_class(what)
    if not parts.examples and not is_shown and needs_an_example(what):
        found.append("there is no example")
    if what.is_op and not parts.source:
        found.append("Source is missing")
    return found


def about_the_summary(summary: str) -> list[str]:
    found = []
    if not summary.endswith((".", ":")) or summary.startswith(tuple(f"{heading}:" for heading in HEADINGS)):
        found.append(f"the summary is no sentence: {summary[:60]!r}")
    if (first := re.split(r"\W", summary)[0]) in IMPERATIVES:
        found.append(f"the summary is an order ({first}); say what the call does, in the third person")
    return found


def about_the_order(parts: Parts) -> list[str]:
    wanted = tuple(sorted(parts.order, key=HEADINGS.index))
    return [] if parts.order == wanted else [f"the order is {', '.join(wanted)}"]


def about_the_arguments(what: Public, parts: Parts) -> list[str]:
    heading = "Attributes" if inspect.isclass(what.object) and what.name not in CONSTRUCTED else "Args"
    named = parts.entries.get(heading, ())
    missing = [name for name in what.fields if name not in named]
    extra = [name for name in named if name not in what.fields] if heading == "Args" else []
    return [f"{heading} does not name {name}" for name in missing] + [
        f"{heading} names {name}, which is none" for name in extra
    ]


def about_the_result(what: Public, parts: Parts) -> list[str]:
    result = None if inspect.isclass(what.object) else result_of(what)
    if result in (None, NoReturn, "None", "NoReturn", inspect.Parameter.empty):
        return ["Returns is there, but nothing is returned"] if parts.returns else []
    if not parts.returns:
        return ["Returns is missing"]
    if not what.is_op or "Tensor" not in str(result):
        return []
    found = []
    if not re.search(r"\b(shapes?|scalars?|vectors?)\b", parts.returns):
        found.append("Returns does not tell the shape")
    if not re.search(r"\b(dtypes?|bool|u?int\d+|float\d+|complex\d+|string)\b", parts.returns):
        found.append("Returns does not tell the dtype")
    return found


def result_of(what: Public) -> Any:
    """The annotation of what a function returns."""
    return inspect.signature(what.object).return_annotation


def has_parameters(what: Public) -> bool:
    return bool(what.fields) and not (inspect.isclass(what.object) and what.name not in CONSTRUCTED)


def needs_an_example(what: Public) -> bool:
    """False for classes that users are only given, and for methods that only raise."""
    if inspect.isclass(what.object):
        return what.name in CONSTRUCTED
    return result_of(what) not in (NoReturn, "NoReturn")


def is_shown_by_its_class(what: Public) -> bool:
    text = "\n".join(
        line for line in (inspect.getdoc(what.owner) or "").splitlines() if line.startswith((">>>", "..."))
    )
    return what.owner is not None and re.search(rf"\.{what.name}\(", text) is not None


def test_a_public_docstring_has_all_its_parts() -> None:
    lines = [f"{what.path}: {complaint}" for what in PUBLIC for complaint in complaints(what)]
    assert not lines, "\n".join(lines)


@cache  # many public names are of one module
def collected_by_doctest(module: str) -> frozenset[str | None]:
    """The docstrings with examples that doctest finds in a module."""
    return frozenset(found.docstring for found in doctest.DocTestFinder(exclude_empty=True).find(sys.modules[module]))


def test_the_examples_of_a_public_docstring_are_found_by_doctest() -> None:
    with_examples = [what for what in PUBLIC if parts_of(what.object.__doc__ or "").examples]
    assert len(with_examples) > 400
    lost = [w.path for w in with_examples if w.object.__doc__ not in collected_by_doctest(w.object.__module__)]
    assert lost == []


def test_the_lists_of_exceptions_name_what_exists() -> None:
    found = {what.label for what in PUBLIC}
    classes = {what.name: what.object for what in PUBLIC if inspect.isclass(what.object)}
    assert found >= CANNOT_FAIL
    for name, page in SHOWN_IN_DOCS.items():
        assert f"{name}(" in (ROOT / page).read_text("utf-8")
    assert classes.keys() >= {*CONSTRUCTED, *INTERNAL}
    assert [name for owner, names in INTERNAL.items() for name in names if not hasattr(classes[owner], name)] == []


# ---- the check itself ---------------------------------------------------------------------------


def whole(x: object, axis: int = 0) -> "tf.Tensor":
    """The sum of `x`.

    Args:
        x: numbers.
        axis: the axis.

    Returns:
        A scalar of dtype int32.

    Raises:
        ValueError: no such axis.

    >>> 1 + 1
    2

    Source: none.
    """
    raise NotImplementedError


whole.__module__ = "penstock.ops.whole"


def judged(old: str, new: str) -> list[str]:
    """The complaints about `whole` with a part of its docstring exchanged."""
    text = whole.__doc__ or ""
    assert old in text

    def changed(x: object, axis: int = 0) -> "tf.Tensor":
        raise NotImplementedError

    changed.__doc__ = text.replace(old, new)
    changed.__module__ = whole.__module__
    return complaints(Public("penstock.changed", changed))


def test_the_check_accepts_a_whole_docstring() -> None:
    assert complaints(Public("penstock.whole", whole)) == []


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("The sum of `x`.", "The sum of `x`", "the summary is no sentence"),
        ("The sum of `x`.", "Compute the sum.", "the summary is an order"),
        ("        axis: the axis.\n", "", "Args does not name axis"),
        ("axis: the axis", "axes: the axis", "Args does not name axis"),
        ("x: numbers.", "x: numbers. axis: the axis.\n        y: one more.", "Args names y, which is none"),
        ("    Returns:\n        A scalar of dtype int32.\n", "", "Returns is missing"),
        ("A scalar of dtype int32", "An int32", "Returns does not tell the shape"),
        ("A scalar of dtype int32", "A scalar", "Returns does not tell the dtype"),
        ("    Raises:\n        ValueError: no such axis.\n", "", "Raises is missing"),
        ("ValueError: no", "WrongAxis: no", "Raises names WrongAxis, which is no error"),
        ("    >>> 1 + 1\n    2\n", "", "there is no example"),
        ("    Source: none.\n", "", "Source is missing"),
        ("Args:", "Raises:\n        ValueError: no.\n\n    Args:", "the order is"),
    ],
)
def test_the_check_sees_a_part_that_is_missing_or_wrong(old: str, new: str, complaint: str) -> None:
    assert any(complaint in found for found in judged(old, new)), judged(old, new)
