"""`penstock minify`: a smaller run that does the same.

    1. fetch what failed alone; what fails inside a loop or branch is taken out of it, with the values that it had
    2. feed recorded values in place of computed ones: as near to the fetches as it goes, then node by node
    3. leave out nodes: an operand stands for the result; inside loops and branches too
    4. shrink fed arrays, along all dimensions of one name together, by halves and then one by one
    5. replace elements by 0 and 1, and round

Each form is tried: it stays if the criterion still holds of it. 2 to 5 are repeated until nothing changes, the time is
over, or Ctrl-C; the best form so far is the result.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

import numpy as np

from ..errors import OpError, PenstockError, UseError
from ..graph.shapes.dtypes import of_numpy
from ..graph.shapes.literal import Array
from .criteria import Criterion, GivesNan, SameFailure, has_nan
from .graph_part import Node, all_inside, bodies_of_node, placeholder_node
from .lifted_node import operands_at_failure, place_of
from .run_parts import (
    axes_together,
    bypassing,
    feeding,
    inputs_of,
    is_constant,
    is_placeholder,
    nodes_of,
    pruned,
    simpler_values,
    size_of_run,
    taking,
    with_nodes,
    with_shapes_unsaid,
    with_smaller_bodies,
)
from .saved_run import SavedRun


@dataclass(frozen=True, slots=True)
class Minified:
    """The result of a search.

    Attributes:
        saved: the smallest run found.
        trials: how many runs were tried.
        seconds: how long it took.
        ended: why the search ended: "done", "time" or "Ctrl-C".
    """

    saved: SavedRun
    trials: int
    seconds: float
    ended: str


class _TimeIsOver(Exception):
    """The search ends."""


def minified(
    saved: SavedRun, criterion: Criterion, seconds: float, tell: Callable[[str], None] = lambda text: None
) -> Minified:
    """A smaller run of which the criterion holds.

    Args:
        saved: the run.
        criterion: what must stay.
        seconds: how long to search.
        tell: is told of progress, a line each.

    Raises:
        UseError (a TypeError): it does not hold of the run itself.
    """
    start = monotonic()
    if not criterion.holds(saved):
        raise UseError(f"the run in the folder does not show what is looked for ({criterion}); run its repro.py, which "
                       "says what it does here")  # fmt: skip
    search = _SmallerRuns(saved, criterion, seconds, tell)
    search.limit_trials(int(1000 * (monotonic() - start)))
    try:
        search.go()
        ended = "done"
    except _TimeIsOver:
        ended = "time"
    except KeyboardInterrupt:
        ended = "Ctrl-C"
    return Minified(search.best, search.trials, monotonic() - search.start, ended)


class _SmallerRuns:
    def __init__(self, saved: SavedRun, criterion: Criterion, seconds: float, tell: Callable[[str], None]) -> None:
        self.best = saved
        self.trials = 0
        self.start = monotonic()
        self._end = self.start + seconds
        self._criterion = criterion
        self._tell = tell
        self._shapes: dict[str, Any] = {}
        self._limit_ms = 1000

    def limit_trials(self, milliseconds: int) -> None:
        """Give a trial the time of the whole run several times over."""
        self._limit_ms = 200 + 4 * milliseconds

    def go(self) -> None:
        """Search until nothing changes."""
        self._try(pruned(self.best))
        self._shapes = {
            f"{node['name']}:{i}": shape for node in nodes_of(self.best)
            for i, (_, shape) in enumerate(node.get("outputs", [])) if shape is not None
        }  # fmt: skip
        self._try(with_shapes_unsaid(self.best))
        self._fetch_less()
        self._lift()
        while True:
            before = size_of_run(self.best), _weight(self.best)
            for phase in (self._feed, self._leave_out, self._shrink, self._simplify):
                phase()
            count, elements = size_of_run(self.best)
            if ((count, elements), _weight(self.best)) == before:
                return
            self._tell(f"{count} nodes with {elements} elements after {self.trials} trials")

    def _try(self, candidate: SavedRun) -> bool:
        """Try a form; it is the best one from now on if it does what it must."""
        if monotonic() > self._end:
            raise _TimeIsOver
        self.trials += 1
        config = candidate.config
        limit = min(self._limit_ms, int(1000 * (self._end - monotonic())) + 1)
        tried = replace(config, timeout_in_ms=config.timeout_in_ms or limit)  # a smaller loop may have no end
        try:
            holds = self._criterion.holds(replace(candidate, config=tried))
        except (ArithmeticError, LookupError, MemoryError, RecursionError, TypeError, ValueError):
            return False  # a form that is no run
        if holds:
            self.best = candidate
        return holds

    def _first(self, candidates: Iterable[SavedRun]) -> bool:
        return any(self._try(candidate) for candidate in candidates)

    # ---- 1. fetches -----------------------------------------------------------------------------

    def _fetch_less(self) -> None:
        for name in self._culprits():
            if (name,) != self.best.fetches and self._try(pruned(replace(self.best, fetches=(name,)))):
                return
        for name in self.best.fetches:
            if len(self.best.fetches) > 1 and self._try(pruned(replace(self.best, fetches=(name,)))):
                return
        for name in self.best.fetches:
            left = tuple([each for each in self.best.fetches if each != name])
            if left:
                self._try(pruned(replace(self.best, fetches=left)))

    def _culprits(self) -> Iterator[str]:
        """Tensors and operations that show alone what is looked for, most likely."""
        if isinstance(self._criterion, SameFailure):
            failed = self._criterion.expected.node
            for node in nodes_of(self.best):
                if node["name"] == failed or _holds(node, failed):
                    yield f"{node['name']}:0" if node.get("outputs") else node["name"]
        if isinstance(self._criterion, GivesNan):
            values = self._recorded()
            for node in nodes_of(self.best):
                for i in range(len(node.get("outputs", []))):
                    if has_nan(values.get(f"{node['name']}:{i}")):
                        yield f"{node['name']}:{i}"

    def _lift(self) -> None:
        """Take a node that failed inside a loop or branch out of it, with the values that it had."""
        nodes = nodes_of(self.best)
        inside = {node["name"]: node for each in nodes for node in all_inside(each)}
        if not inside:
            return
        recorded = self._recorded()
        suspects: list[tuple[str, int | None]] = []
        if isinstance(self._criterion, SameFailure):
            suspects = [(self._criterion.expected.node, None)]
        if isinstance(self._criterion, GivesNan):
            bad = [name for name, value in recorded.items() if has_nan(value)]
            suspects = [place for name in bad for place in [place_of(name, nodes)] if place[0] in inside]
        for name, number in suspects[:20]:
            inner = inside.get(name)
            if inner is not None and not bodies_of_node(inner):
                for constants, values in operands_at_failure(nodes, inner, recorded, number):
                    if self._try(self._alone(inner, constants, values)):
                        return

    def _alone(self, inner: Node, constants: list[Node], values: Mapping[str, Array]) -> SavedRun:
        """A node outside of its loop or branch, with fed operands."""
        fed = [placeholder_node(name.rpartition(":")[0], of_numpy(array.dtype).name, list(array.shape))
               for name, array in values.items()]  # fmt: skip
        alone = {key: value for key, value in inner.items() if key not in ("after", "pinned")}
        fetch = f"{inner['name']}:0" if inner.get("outputs") else inner["name"]
        return with_nodes(self.best, [*fed, *constants, alone], feeds=dict(values), fetches=(fetch,))

    # ---- 2. fed values --------------------------------------------------------------------------

    def _recorded(self) -> Mapping[str, Array]:
        """Values of tensors, as far as the run gets."""
        saved = self.best
        values: dict[str, Any] = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                with saved.session() as session:
                    values.update(_values(session.trace(list(saved.fetches), dict(saved.feeds))))
            except OpError as error:
                values.update(_values(error.trace or {}))
            except (PenstockError, ValueError, TypeError):
                pass
        for node in nodes_of(saved):
            if node["name"] in saved.variables:
                values[f"{node['name']}:0"] = saved.variables[node["name"]]
        arrays = {name: np.asarray(value) for name, value in values.items()}
        return {name: _as_array(array) for name, array in arrays.items() if not _is_variant(array)}

    def _feed(self) -> None:
        values = self._recorded()
        fed = set(self.best.feeds)
        computed = [node for node in nodes_of(self.best) if not is_placeholder(node)]
        targets = {name.partition(":")[0] for name in self.best.fetches}
        asked = [node for node in computed if node["name"] in targets]

        def these(nodes: Iterable[Node]) -> dict[str, Array]:
            names = [f"{node['name']}:{i}" for node in nodes for i in range(len(node.get("outputs", [])))]
            return {name: values[name] for name in names if name in values and name not in fed}

        near = {name: values[name] for node in asked for name in inputs_of(node) if name in values and name not in fed}
        if near and self._try(self._fed(near)):
            return
        others = [node for node in computed if node["name"] not in targets and not is_constant(node)]
        low, high = 0, len(others)
        while low < high:  # how many of the first nodes may be fed together
            middle = (low + high + 1) // 2
            chosen = these(others[:middle])
            if chosen and self._try(self._fed(chosen)):
                low = middle
            else:
                high = middle - 1
        left = {node["name"] for node in nodes_of(self.best)}
        for node in reversed(others[low:]):
            chosen = these([node]) if node["name"] in left else {}
            if chosen and self._try(self._fed(chosen)):
                left = {each["name"] for each in nodes_of(self.best)}
        for node in nodes_of(self.best):  # large constants, so that they shrink
            chosen = these([node]) if is_constant(node) else {}
            if any(array.size > 1 for array in chosen.values()):
                self._try(self._fed(chosen))

    def _fed(self, values: Mapping[str, Array]) -> SavedRun:
        return feeding(self.best, values, self._shapes)

    # ---- 3. nodes -------------------------------------------------------------------------------

    def _leave_out(self) -> None:
        progress = True
        while progress:
            progress = False
            for node in reversed(nodes_of(self.best)):
                if any(node is each for each in nodes_of(self.best)) and self._first(bypassing(self.best, node)):
                    progress = True
        while self._first(with_smaller_bodies(self.best)):
            pass

    # ---- 4. sizes -------------------------------------------------------------------------------

    def _shrink(self) -> None:
        progress = True
        while progress:
            progress = False
            for axes, size in axes_together(self.best):
                if self._shrink_along(axes, size):
                    progress = True
                    break

    def _shrink_along(self, axes: list[tuple[str, int]], size: int) -> bool:
        """Keep fewer elements along some dimensions: delta debugging."""
        kept = np.arange(size)
        parts = 2
        changed = False
        base = self.best
        while True:
            for dropped in np.array_split(np.arange(len(kept)), min(parts, max(len(kept), 1))):
                left = np.delete(kept, dropped)
                if len(dropped) and len(left) and self._try(taking(base, axes, left)):
                    kept, changed = left, True
                    parts = max(parts - 1, 2)
                    break
            else:
                if parts >= len(kept):
                    return changed
                parts = min(parts * 2, len(kept))

    # ---- 5. values ------------------------------------------------------------------------------

    def _simplify(self) -> None:
        for name in [*self.best.feeds, *self.best.variables]:
            for _ in range(64):
                if not self._first(self._simpler(name)):
                    break

    def _simpler(self, name: str) -> Iterator[SavedRun]:
        """Forms in which one fed value, or that of a variable, is simpler."""
        best = self.best
        for held, is_fed in ((best.feeds, True), (best.variables, False)):
            if name in held:
                for array in simpler_values(held[name]):
                    if _distance(array) < _distance(held[name]):
                        new = {**held, name: array}
                        yield replace(best, feeds=new) if is_fed else replace(best, variables=new)


def _values(trace: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(name): trace[name] for name in trace}


def _weight(saved: SavedRun) -> float:
    """How far the fed numbers are from 0 and 1, so that a round that only simplifies is progress."""
    return sum([_distance(array) for array in (*saved.feeds.values(), *saved.variables.values())])


def _distance(array: Array) -> float:
    if array.dtype.kind == "O":
        return float(sum([len(each) for each in array.reshape(-1).tolist()]))
    values = np.abs(array.astype(np.complex128 if array.dtype.kind == "c" else np.float64))
    finite = np.where(np.isfinite(values), values, 1e300)
    with np.errstate(over="ignore"):
        digits = sum([len(repr(each)) for each in finite.reshape(-1)[:64].tolist()])
        return float(np.log1p(finite).sum()) + 1e-3 * digits


def _is_variant(array: Array) -> bool:
    return array.dtype.names is not None


def _as_array(array: Array) -> Array:
    if array.dtype.kind == "S":  # a single string
        made = np.empty(array.shape, object)
        made[...] = array.item() if not array.ndim else array.tolist()
        return made
    return array


def _holds(node: Node, name: str) -> bool:
    return any(inner["name"] == name for inner in all_inside(node))
