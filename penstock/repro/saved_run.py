"""`SavedRun`: one run as data, as a folder holds it, made of a session's last failed run or of fetches and feeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import Any, Final, TypeVar

from ..errors import GraphFormatError, UseError
from ..graph.common.weak_table import WeakTable
from ..graph.declare.op_declaration import find_op
from ..graph.model.missing_function import MissingFunction
from ..graph.model.nodes import Graph, Operation, Tensor
from ..graph.serial.document_reader import DocumentReader
from ..graph.serial.limits import DEFAULT_LIMITS
from ..graph.shapes.literal import Array
from ..runtime.arguments.feeds import check_feeds, split_feed_dict
from ..runtime.arguments.fetches import Fetches
from ..runtime.base.random_counters import RandomState
from ..runtime.base.session_config import RunOptions, SessionConfig
from ..runtime.base.watch import Watch
from ..runtime.observe.nan_watch import on_host
from ..runtime.session.failed_run import FailedRun, RunFailure
from ..runtime.session.session import Session
from .graph_part import Document, Node, all_inside, archive_of, part_of
from .machine_facts import machine_facts

REPEATING: Final[WeakTable[Session, None]] = WeakTable()
"""The sessions that repeat a run: what fails in them is in a folder already."""


@dataclass(frozen=True, slots=True)
class SavedRun:
    """A run as data.

    Attributes:
        document: the graph, in the form of `graph.serial`, without its entry on constants.
        archive: the npz file of its large constants, or None.
        fetches: names of tensors and operations.
        feeds: values by names of tensors.
        variables: values by variable.
        random: the random streams before the run; None if that does not matter.
        config: the choices of the session.
        options: the options of the run, or None.
        as_device: whether results stay on their device.
        expected: the error with which it failed; None if it did not, or that is not known.
        made: versions and facts of the machine.
        notes: what could not travel.
    """

    document: Document
    archive: bytes | None
    fetches: tuple[str, ...]
    feeds: Mapping[str, Array]
    variables: Mapping[str, Array]
    random: RandomState | None
    config: SessionConfig
    options: RunOptions | None
    as_device: bool
    expected: RunFailure | None
    made: Mapping[str, str]
    notes: tuple[str, ...] = ()

    def graph(self) -> Graph:
        """The graph, built from the document.

        Raises:
            GraphFormatError: the document describes none.
        """
        return DocumentReader(self.document, self.archive, DEFAULT_LIMITS, "graph.json").graph()

    def session(self, config: SessionConfig | None = None) -> Session:
        """A new session with the graph, the variables and the random state; `config` in place of its own choices."""
        session = Session(graph=self.graph(), config=config or self.config)
        REPEATING[session] = None
        session.variables.load({name: array.copy() for name, array in self.variables.items()})
        if self.random is not None:
            session.set_random_state(self.random)
        return session

    def run(self, session: Session) -> list[Any]:
        """The results of a run in a session that `session` made.

        Raises:
            OpError: the run failed.
        """
        found: list[Any] = session.run(list(self.fetches), dict(self.feeds), options=self.options,
                                       as_device=self.as_device)  # fmt: skip
        return found


def saved_failure(session: Session, run: FailedRun, whole: bool) -> SavedRun:
    """A failed run of a session as data.

    Args:
        session: the session.
        run: its record.
        whole: whether to keep the whole graph.

    Raises:
        GraphFormatError: a node has no written form.
        UseError: a value is gone.
    """
    graph = session.graph
    feeds = {graph.get_tensor_by_name(name): array for name, array in run.feed_dict().items()}
    missing = MissingFunction("", run.failure.kind, run.failure.message)
    names, failed = list(run.names), {run.failure.node: missing}
    saved = _saved(session, names, feeds, run.state(), run.options, whole, failed)
    results = _results(graph, saved, run)
    if results:
        saved = _saved(session, names, {**results, **feeds}, run.state(), run.options, whole, failed)
    notes = [*run.doubts, *saved.notes]
    notes += [f"{tensor.name} is the result of a Python function, which cannot travel; it is fed" for tensor in results]
    return replace(saved, random=run.random, as_device=run.as_device, expected=run.failure, notes=tuple(notes))


def _results(graph: Graph, saved: SavedRun, run: FailedRun) -> dict[Tensor, Array]:
    """The results of Python functions that the run needs, as far as they are known."""
    found: dict[Tensor, Array] = {}
    for node in saved.document["nodes"]:
        results = run.results.get(node["name"], ()) if node["name"] != run.failure.node else ()
        for index, array in enumerate(results):
            found[graph.get_tensor_by_name(f"{node['name']}:{index}")] = array
    return found


def saved_call(session: Session, fetches: Any, feed_dict: Mapping[Any, Any] | None, whole: bool) -> SavedRun:
    """A run with these fetches and feeds as data; it is not run. Variables and random state are those of now.

    Raises:
        GraphFormatError: a node has no written form.
        FetchError, FeedError, TypeError: a fetch or feed does not fit.
    """
    asked = Fetches(session.graph, fetches, "Session.repro")
    tensors, values = split_feed_dict(session.graph, feed_dict or {})
    arrays = [on_host(array) for array in check_feeds(tensors, values)[0]]
    feeds = dict(zip(tensors, arrays, strict=True))
    names = [*[t.name for t in asked.tensors], *[op.name for op in asked.operations]]
    variables = {name: array.copy() for name in session.variables.names()
                 if (array := session.variables.get(name)) is not None}  # fmt: skip
    return _saved(session, names, feeds, variables, None, whole, {})


def _saved(
    session: Session,
    names: list[str],
    feeds: Mapping[Tensor, Array],
    variables: Mapping[str, Array],
    options: RunOptions | None,
    whole: bool,
    failed: Mapping[str, MissingFunction],
) -> SavedRun:
    graph = session.graph
    elements = [graph.as_graph_element(name) for name in names]
    tensors = [each for each in elements if isinstance(each, Tensor)]
    operations = [each for each in elements if isinstance(each, Operation)]
    part = part_of(graph, tensors, operations, list(feeds), whole, failed)
    there = {node["name"] for node in part.document["nodes"]}
    used = {name: array for name, array in variables.items() if whole or name in there}
    notes = [f"the node {name!r} calls a Python function, which cannot travel; in the folder it "
             + ("raises the same error" if name in failed else "raises an UnimplementedError")
             for name in part.functions]  # fmt: skip
    notes += _foreign_ops(part.document["nodes"])
    fed = {part.renamed.get(t.name, t.name): array for t, array in feeds.items()}
    random = session.random_state()
    drawn = RandomState({name: each for name, each in random.items() if _is_there(name, there)})
    config, options, lost = _without_hooks(session.config, options)
    return SavedRun(
        part.document, archive_of(part.constants), tuple([part.renamed.get(name, name) for name in names]), fed, used,
        drawn if drawn else None, config, options, False, None, machine_facts(), tuple(notes + lost),
    )  # fmt: skip


def _foreign_ops(nodes: list[Node]) -> Iterator[str]:
    """A note on each op that a program declares: that program must be imported before the folder is opened."""
    for kind in sorted({node["op"] for outer in nodes for node in (outer, *all_inside(outer))}):
        opdef = find_op(kind)
        if opdef.is_from_outside:
            modules = sorted({rule.__module__ for rule in opdef.kernels.values()})
            yield f"the op {kind!r} is declared in {', '.join(modules)}; import that before the folder is opened"


def _is_there(name: str, there: set[str]) -> bool:
    """Whether an operation, which may be in a body, is among those of the folder or in one of them."""
    return name in there or any(name[:end] in there for end, letter in enumerate(name) if letter == "/")


def _without_hooks(
    config: SessionConfig, options: RunOptions | None
) -> tuple[SessionConfig, RunOptions | None, list[str]]:
    notes = []
    if config.progress is not None or (options is not None and options.progress is not None):
        notes.append("the progress function cannot travel; the run in the folder has none")
    return replace(config, progress=None), None if options is None else replace(options, progress=None), notes


# ---- configurations as data ---------------------------------------------------------------------


def choices_as_data(choices: SessionConfig | RunOptions) -> dict[str, Any]:
    """The choices that are not the defaults, as JSON has them."""
    found: dict[str, Any] = {}
    plain = type(choices)()
    for field in fields(choices):
        value = getattr(choices, field.name)
        if value == getattr(plain, field.name) or callable(value):
            continue
        if isinstance(value, Watch):
            value = {"nan": value.nan, "inf": value.inf, "exclude": list(value.exclude)}
        found[field.name] = list(value) if isinstance(value, tuple) else value
    return found


_Choices = TypeVar("_Choices", SessionConfig, RunOptions)


def choices_of_data(kind: type[_Choices], data: Any) -> _Choices:
    """The choices that data describes.

    Raises:
        GraphFormatError: it describes none.
    """
    names = {field.name for field in fields(kind)} - {"progress"}
    if not isinstance(data, dict) or not data.keys() <= names:
        raise GraphFormatError(f"the choices of a {kind.__name__} must be an object with keys among its parameters")
    given: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}
    with suppress(TypeError, ValueError):
        if isinstance(data.get("watch"), dict):
            given["watch"] = Watch(**data["watch"])
        return kind(**given)
    raise GraphFormatError(f"the choices of a {kind.__name__} do not fit it: {str(data)[:200]}")


def last_failure(session: Session) -> FailedRun:
    """The last failed run of a session.

    Raises:
        UseError (a TypeError): there is none.
    """
    found: FailedRun | None = session._failed
    if found is None:
        raise UseError(
            "Session.repro: no run of this session has failed since it was opened. Name a run: "
            "session.repro(folder, fetches, feed_dict)"
        )
    return found
