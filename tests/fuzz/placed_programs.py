"""Random programs whose operations have random devices, and what a cluster must give for them: what one machine gives.

- Results, the state of random numbers and variables are equal to the bit after every run.
- A run fails on both or on none, with the same class, operation and first line; where several operations fail, with the
  error of one of them.
- A failed run leaves the variables of a cluster as they were. (One machine may keep what was written before the
  failure, so it does not take part; what a failed run has drawn depends on how far it came, so it is taken back.)
- What prints or calls Python does so in the client, once, in the same order.

A program runs several times in one session: whole, with some fetches and a fed intermediate, in a run that fails in the
middle, with other feeds, and whole again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import penstock as tf
from penstock.cluster.placing.cluster_placement import belongs_to_client
from penstock.graph.model.nodes import Operation, Tensor

from .debugged_programs import KINDS, Debugged, Heard, debugged_program
from .debugger_walks import bits, drawn, first_line
from .extension import Extension

DEVICES = ("", "", "/job:worker/task:0", "/job:worker/task:0", "/job:worker/task:1", "/job:worker/task:1",
           "/job:client")  # fmt: skip
TROUBLE = 7
"""An index that is not there."""
Run = tuple[list[Any], dict[Any, Any]]


def complaint(seed: int, extension: Extension, target: str) -> str | None:
    """What a cluster gives for the program of a seed that one machine does not; None if nothing."""
    program = debugged_program(seed, extension)
    if "ops." in program.text.partition("ops = Extension()")[2] and KINDS[seed % len(KINDS)] == "plain":
        return None  # ops that note what they do in this process are nothing for another one
    rng = np.random.default_rng([seed, 23])
    config = tf.SessionConfig(passes=() if rng.random() < 0.25 else None, asynchronous=rng.random() < 0.3)
    with program.graph.as_default():
        trouble = tf.placeholder(tf.int32, [], name="trouble")
        broken = tf.gather([1, 2, 3], trouble, name="broken")
    place(program.graph, rng)
    runs = _runs(program, rng, broken, trouble)
    here = _all(lambda: program.session(config), program, [run for run in runs if not _fails(run)])
    there = _all(lambda: _session(program, target, config), program, runs)
    for number, run in enumerate(runs):
        other = there[number]
        if _fails(run):
            if other["error"] is None:
                return f"a run of {broken} gives results"
            one = {"variables": there[number - 1]["variables"]}
        else:
            one = here.pop(0)
        for part in one:
            if one[part] != other[part] and not (part == "error" and _is_another(program, config, run, one, other)):
                devices = "".join(f"{op.name}: {op.device}\n" for op in program.graph.get_operations() if op.device)
                return (
                    f"run {number}, {part}: on one machine\n{one[part]}\non a cluster\n{other[part]}\n"
                    f"run {run}\n{program.text}\n{devices}"
                )
    return None


def place(graph: tf.Graph, rng: np.random.Generator) -> None:
    """Give operations random devices; often the one of the operation before."""
    device, stays = "", float(rng.choice([0.0, 0.5, 0.9]))
    for op in graph.get_operations():
        if rng.random() >= stays:
            device = str(rng.choice(DEVICES))
        op.device = "" if device.startswith("/job:worker") and belongs_to_client(op) else device


def _session(program: Debugged, target: str, config: tf.SessionConfig | None) -> tf.Session:
    made = tf.Session(target, graph=program.graph, config=config)
    program.start(made)
    program.log.clear()
    return made


def _runs(program: Debugged, rng: np.random.Generator, broken: Tensor, trouble: Tensor) -> list[Run]:
    fetches, feeds = program.fetches, program.feeds
    some = [each for each in fetches if rng.random() < 0.6] or fetches
    return [
        (fetches, feeds),
        (some, feeds),
        ([*fetches, broken], {**feeds, trouble: TROUBLE}),
        (["fed", *some], feeds) if rng.random() < 0.5 else (some, {x: other_feeds(v, rng) for x, v in feeds.items()}),
        ([broken, *fetches], {**feeds, trouble: 1}),
    ]


def _fails(run: Run) -> bool:
    return any(x.name == "trouble:0" and v == TROUBLE for x, v in run[1].items())


def other_feeds(value: Any, rng: np.random.Generator) -> Any:
    """Another value of a placeholder, mostly of another size."""
    array = np.asarray(value)
    if array.dtype == object or not array.ndim or rng.random() < 0.3:
        return value
    return np.concatenate([array, array])[: int(rng.integers(len(array) * 2 + 1))]


def _all(session: Callable[[], tf.Session], program: Debugged, runs: list[Run]) -> list[dict[str, Any]]:
    found = []
    with Heard(program.log), session() as made:
        for fetches, feeds in runs:
            if fetches and fetches[0] == "fed":
                fetches, feeds = fetches[1:], with_fed(program, feeds)
            found.append(_run(made, program, fetches, feeds))
    return found


def _is_another(
    program: Debugged, config: tf.SessionConfig | None, run: Run, one: dict[str, Any], other: dict[str, Any]
) -> bool:
    """Whether the error on the cluster is that of another operation which fails on one machine as well."""
    if one["error"] is None or other["error"] is None or other["error"][1] is None:
        return False
    fetches, feeds = run
    if fetches and fetches[0] == "fed":
        feeds = with_fed(program, feeds)
    with Heard(program.log), program.session(config) as session:
        alone = _run(session, program, [program.graph.get_operation_by_name(other["error"][1])], feeds)
    return bool(alone["error"] == other["error"])


def with_fed(program: Debugged, feeds: dict[Any, Any]) -> dict[Any, Any]:
    """The feeds and a tensor in the middle of the program, with zeros of its static shape."""
    operations = program.graph.get_operations()
    for op in reversed(operations[: len(operations) // 2 + 1]):
        for t in op.outputs:
            plain = not t.dtype.is_variant and t.dtype != tf.string and t.shape.is_fully_defined()
            if plain and t not in feeds and op.inputs and op.opdef.is_pure:
                return {**feeds, t: np.zeros(t.shape.as_list(), t.dtype.as_numpy_dtype)}
    return feeds


def _run(session: tf.Session, program: Debugged, fetches: list[Any], feeds: dict[Any, Any]) -> dict[str, Any]:
    program.log.clear()
    error, values, random = None, None, session.random_state()
    try:
        values = session.run(fetches, feeds)
    except tf.errors.OpError as caught:
        where = caught.op.name if isinstance(caught.op, Operation) else None
        error = (type(caught).__name__, where, first_line(caught))
    except (ValueError, TypeError) as caught:
        error = (type(caught).__name__, None, first_line(caught))
    if error is not None:
        session.set_random_state(random)
    return {
        "error": error,
        "results": None if values is None else [None if v is None else (type(v).__name__, bits(v)) for v in values],
        "variables": [bits(value) for value in program.values(session)],
        "effects": list(program.log) if error is None else None,
        "random state": drawn(session),
    }
