"""One program in one way, compared with the reference: values, errors, effects, and whose memory the results are."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

import penstock as tf
from penstock.graph.model.nodes import Operation, Tensor

from ..feed_ways import WAYS as FEED_WAYS
from ..feed_ways import Fed
from ..op_samples import same
from ..reference import Run, TooLarge, reference
from .extension import Entry, Extension
from .programs import Built, FuzzProgram
from .ways import Way


class Differs(Exception):
    """A run gave something else than the reference, or touched memory that it must not."""


LARGEST = 1 << 26
"""Bytes of a value; a program with a larger one is left out."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What runs of some fetches must give for some feeds."""

    fetches: list[Tensor | Operation]
    feeds: Fed
    run: Run
    log: list[Entry]
    shelf: list[Entry]
    calls: int


@dataclass(frozen=True, slots=True)
class Prepared:
    """A program as a graph, and what the runs of a session must give."""

    built: Built
    runs: list[Expected]


def prepare(program: FuzzProgram, feed_way: int, extension: Extension) -> Prepared:
    """Build the program and run the reference.

    The runs: all fetches; if some fail, those that do not; if it is resizable, other sizes; the last or first again.
    None where a value would be larger than LARGEST.
    """
    try:
        return _prepared(program, feed_way, extension)
    except TooLarge:  # sizes that multiply now and then
        return Prepared(program.made(extension), [])


def _prepared(program: FuzzProgram, feed_way: int, extension: Extension) -> Prepared:
    built = program.made(extension)
    everything: list[Tensor | Operation] = [*built.fetches, *built.targets]
    feeds = FEED_WAYS[feed_way](built.feeds)
    found = [_expected(everything, feeds, extension)]
    if found[0].run.failures:
        healthy = [f for f in everything if _is_healthy(f, found[0].run)]
        if healthy:
            found.append(_expected(healthy, feeds, extension))
        return Prepared(built, [*found, found[-1]])
    if program.resizable:
        found += [_expected(everything, _resized(program, built, rows), extension) for rows in (3, 0, 200)]
    return Prepared(built, [*found, found[0]])


def complaint(prepared: Prepared, way: Way, extension: Extension, limit: float = 20.0) -> str | None:
    """None if the program gives in this way what the reference gives, else what is different.

    limit: seconds of processor time that the runs may take, on the main thread.
    """
    try:
        with _at_most(limit), way.settings(), tf.Session(graph=prepared.built.graph, config=way.config) as session:
            _compare(session, prepared.runs * way.rounds, way, extension)
    except Differs as error:
        return str(error)
    return None


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Time of the processor, not of the clock: a loaded machine changes nothing."""

    def give_up(*_: object) -> None:
        raise Differs(f"it did not end in {seconds} s of processor time")

    former = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, former)


def _resized(program: FuzzProgram, built: Built, rows: int) -> Fed:
    names = [value.name for value in program.values if value.name.startswith("x")]
    arrays = dict(zip(names, program.resized(rows), strict=True))
    return {tensor: arrays[name] for name, tensor in built.fed.items()}


def _is_healthy(fetch: Tensor | Operation, run: Run) -> bool:
    outputs = fetch.outputs if isinstance(fetch, Operation) else [fetch]
    return all(t in run.values for t in outputs)


def _expected(fetches: list[Tensor | Operation], feeds: Fed, extension: Extension) -> Expected:
    extension.reset()
    run = reference(fetches, feeds, LARGEST)
    return Expected(fetches, feeds, run, list(extension.log), list(extension.shelf), extension.calls)


# ---- comparing ----------------------------------------------------------------------------------


def _compare(session: tf.Session, wanted: Sequence[Expected], way: Way, extension: Extension) -> None:
    extension.reset()
    held: list[tuple[str, Any, Any]] = []
    for number, want in enumerate(wanted):
        extension.begin()
        before = {tensor: _contents(array) for tensor, array in want.feeds.items()}
        try:
            got = _call(session, want, way)
        except tf.errors.OpError as error:
            _compare_error(error, want, extension, number)
        except Differs:
            raise
        except ValueError as error:  # the feeds contradict what the static shapes hold for
            if not (want.run.failures and session.graph.equations and "Dimension" in str(error)):
                raise Differs(f"run {number}: no error of a run: {type(error).__name__}: {error}") from error
        except Exception as error:
            raise Differs(f"run {number}: no error of a run: {type(error).__name__}: {error}") from error
        else:
            _compare_values(got, want, extension, number)
            _compare_memory(got, want, held, extension, number)
        for tensor, was in before.items():
            if _contents(want.feeds[tensor]) != was:
                raise Differs(f"run {number}: the feed of {tensor.name} was written")
        for name, array, was in held:
            if _contents(array) != was:
                raise Differs(f"run {number} changed {name}")


def _call(session: tf.Session, want: Expected, way: Way) -> list[Any]:
    if way.call == "callable":
        call = session.make_callable(want.fetches, list(want.feeds))
        return list(call(*want.feeds.values()))
    if way.call == "recorded":
        return list(session.run(want.fetches, want.feeds, run_metadata=tf.RunMetadata()))
    return list(session.run(want.fetches, want.feeds))


def _compare_error(error: tf.errors.OpError, want: Expected, extension: Extension, number: int) -> None:
    failures = want.run.failures
    told = f"{type(error).__name__} at {error.op.name if error.op is not None else None}: {str(error).splitlines()[0]}"
    if not failures:
        raise Differs(f"run {number}: {told}; nothing fails")
    if type(error) not in {f.kind for f in failures}:
        raise Differs(f"run {number}: {told}; expected {failures}")
    if error.op is None or error.op.name not in {f.node for f in failures}:
        raise Differs(f"run {number}: {told}; what fails is {[f.node for f in failures]}")
    for seen, wanted in ((extension.log, want.log), (extension.shelf, want.shelf)):
        if seen != wanted[: len(seen)]:
            raise Differs(f"run {number}: effects {_tags(seen)}, which do not begin {_tags(wanted)}")


def _compare_values(got: list[Any], want: Expected, extension: Extension, number: int) -> None:
    if want.run.failures:
        raise Differs(f"run {number}: no error; the reference has {want.run.failures}")
    for fetch, value in zip(want.fetches, got, strict=True):
        if isinstance(fetch, Operation):
            if value is not None:
                raise Differs(f"run {number}: the operation {fetch.name} gave {value!r}")
            continue
        wanted = want.run.values[fetch]
        wanted = np.asarray(wanted) if fetch in want.feeds else wanted[()]  # a number that is fed stays an array
        if type(value) is not type(wanted) or not (_quick(value, wanted) or same(value, wanted)):
            raise Differs(f"run {number}: other values of {fetch.name}:\n{_shown(value)}\n{_shown(wanted)}")
    for seen, noted in ((extension.log, want.log), (extension.shelf, want.shelf)):
        if seen != noted:
            raise Differs(f"run {number}: effects {_tags(seen)}, expected {_tags(noted)}")
    if extension.changed():
        raise Differs(f"run {number} changed an array that an op holds on to")
    if extension.calls != want.calls:
        raise Differs(f"run {number}: {extension.calls} calls of an op that is not pure, expected {want.calls}")


def _compare_memory(
    got: list[Any], want: Expected, held: list[tuple[str, Any, Any]], extension: Extension, number: int
) -> None:
    """Results are row-major, writable and share memory with nothing; then they are written over."""
    others = [(f"the feed of {t.name}", a) for t, a in want.feeds.items()]
    others += [("what an op keeps", a) for a in extension.kept.values()]
    others += [("what an op holds on to", a) for a, _ in extension.taken]
    others += [(name, array) for name, array, _ in held]
    arrays = [
        (f"{f.name} of run {number}", v) for f, v in zip(want.fetches, got, strict=True) if isinstance(v, np.ndarray)
    ]
    for name, array in arrays:
        if not (array.flags.c_contiguous and array.flags.writeable):
            raise Differs(f"{name} is not row-major and writable")
        for other, known in others:
            if np.may_share_memory(array, known) and np.shares_memory(array, known):
                raise Differs(f"{name} shares memory with {other}")
        others.append((name, array))
    for name, array in arrays:
        array[...] = b"changed" if array.dtype == object else ~array if array.dtype == bool else 42
        held.append((name, array, _contents(array)))


def _contents(array: Any) -> Any:
    return list(array.reshape(-1)) if array.dtype == object else array.tobytes()


def _quick(value: Any, wanted: Any) -> bool:
    """Whether the bytes are equal, which needs no closer look."""
    if not isinstance(value, np.ndarray) or value.dtype != wanted.dtype or value.shape != wanted.shape:
        return False
    return bool(value.dtype != object and value.tobytes() == wanted.tobytes())


def _tags(log: Sequence[Entry]) -> list[Any]:
    return [(tag, dtype, shape, hash(str(bits)) % 10_000) for tag, dtype, shape, bits in log]


def _shown(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return repr(value)
    return f"{value.dtype} {value.shape} {np.array2string(value, threshold=40)}"
