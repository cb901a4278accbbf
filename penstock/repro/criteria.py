"""What must stay while a run is made smaller: the same error, a NaN, or a difference between two configurations."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np

from ..errors import PenstockError, UseError
from ..graph.shapes.literal import Array
from ..runtime.base.session_config import SessionConfig
from ..runtime.llvm.jit_settings import SETTINGS
from ..runtime.passes.pipeline import ALL_PASSES
from ..runtime.session.failed_run import RunFailure, failure_of
from .repro_run import described, same_failure
from .saved_run import SavedRun


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run gave: its results, or its error."""

    results: Sequence[Any] = ()
    failure: RunFailure | None = None


@dataclass(frozen=True, slots=True)
class Variation:
    """A change of the configuration, as `--differs passes=none` names it."""

    words: str = "as it is"
    passes: tuple[str, ...] | None = None
    threads: int | None = None
    arena: bool | None = None
    jit: Literal["off", "on", "now"] | None = None

    def config(self, config: SessionConfig) -> SessionConfig:
        """A configuration with the change."""
        given: dict[str, Any] = {}
        for name in ("passes", "threads", "arena"):
            if getattr(self, name) is not None:
                given[name] = getattr(self, name)
        return replace(config, **given)


def variation_of(text: str) -> Variation:
    """The change that a text such as "passes=none", "threads=1", "arena=off" or "jit=now" names.

    Raises:
        ValueError: it names none.
    """
    name, _, value = text.partition("=")
    if name == "passes":
        chosen = () if value == "none" else ALL_PASSES if value == "all" else tuple(value.split(","))
        if set(chosen) <= set(ALL_PASSES):
            return Variation(text, passes=chosen)
    if name == "threads" and value.isdigit() and int(value):
        return Variation(text, threads=int(value))
    if name == "arena" and value in ("on", "off"):
        return Variation(text, arena=value == "on")
    for mode in ("off", "on", "now"):
        if (name, value) == ("jit", mode):
            return Variation(text, jit=mode)
    raise ValueError(
        f"--differs {text}: write passes=none, passes=all, passes=NAME,... (of {', '.join(ALL_PASSES)}), threads=N, "
        "arena=on, arena=off, jit=off, jit=on or jit=now"
    )


class Criterion(Protocol):
    """What must stay."""

    def holds(self, saved: SavedRun) -> bool:
        """Whether it is so of a run, which may be one that cannot be built."""

    def __str__(self) -> str: ...


def outcome(saved: SavedRun, variation: Variation | None = None) -> Outcome | None:
    """What a run gives; None if it cannot be built, or is refused."""
    variation = variation or Variation()
    config = variation.config(saved.config)
    with warnings.catch_warnings(), _jit(variation.jit):
        warnings.simplefilter("ignore")
        try:
            session = saved.session(config)
        except (PenstockError, ValueError, TypeError, LookupError):
            return None
        with session:
            try:
                return Outcome(results=saved.run(session))
            except Exception as error:
                return Outcome(failure=failure_of(error))


@contextmanager
def _jit(mode: Literal["off", "on", "now"] | None) -> Iterator[None]:
    if mode is None:
        yield
        return
    before = SETTINGS.mode
    SETTINGS.choose(mode)
    try:
        yield
    finally:
        SETTINGS.choose(before)


@dataclass(frozen=True, slots=True)
class SameFailure:
    """The run fails in the same way."""

    expected: RunFailure

    def holds(self, saved: SavedRun) -> bool:
        """As of `Criterion`."""
        found = outcome(saved)
        return found is not None and found.failure is not None and same_failure(found.failure, self.expected)

    def __str__(self) -> str:
        return described(self.expected)


@dataclass(frozen=True, slots=True)
class GivesNan:
    """A fetched value has a NaN, and everything that the run is given is finite."""

    def holds(self, saved: SavedRun) -> bool:
        """As of `Criterion`."""
        if not_finite(saved):
            return False
        found = outcome(saved)
        return found is not None and any(has_nan(value) for value in found.results)

    def __str__(self) -> str:
        return "a NaN made of finite numbers"


@dataclass(frozen=True, slots=True)
class Differs:
    """Two configurations give different results, or only one of them an error."""

    one: Variation
    other: Variation

    def holds(self, saved: SavedRun) -> bool:
        """As of `Criterion`."""
        first, second = outcome(saved, self.one), outcome(saved, self.other)
        if first is None or second is None:
            return False
        if first.failure is not None or second.failure is not None:
            return (first.failure is None) != (second.failure is None)
        return any(not same_value(a, b) for a, b in zip(first.results, second.results, strict=True))

    def __str__(self) -> str:
        return f"a difference between {self.one.words} and {self.other.words}"


def not_finite(saved: SavedRun) -> list[str]:
    """The names of the feeds and variables that hold a NaN or an infinity."""
    values = {**saved.variables, **saved.feeds}
    return [name for name, value in values.items() if _is_floating(value) and not np.isfinite(value).all()]


def has_nan(value: Any) -> bool:
    """Whether a result holds a NaN."""
    return value is not None and _is_floating(value) and bool(np.isnan(value).any())


def _is_floating(value: Any) -> bool:
    kind = np.asarray(value).dtype.kind
    return kind in "fc" or (kind == "V" and np.asarray(value).dtype.names is None)


def same_value(a: Any, b: Any) -> bool:
    """Whether two results are equal to the bit; NaNs are equal, whatever their bits."""
    if a is None or b is None:
        return a is b
    one, other = np.asarray(a), np.asarray(b)
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.dtype.kind == "O":
        return bool((one == other).all())
    if _is_floating(one):
        nan = np.isnan(one)
        return bool((nan == np.isnan(other)).all()) and _bytes(one, ~nan) == _bytes(other, ~nan)
    return one.tobytes() == other.tobytes()


def _bytes(array: Array, chosen: Array) -> bytes:
    return array[chosen].tobytes()


def criterion_of(saved: SavedRun, nan: bool, differs: Sequence[str]) -> Criterion:
    """What must stay of a run, by the options of `penstock minify`.

    Raises:
        ValueError: options that do not go together, or a run of which it is not so.
        UseError (a TypeError): a run that is not known to fail.
    """
    if nan and differs:
        raise ValueError("--nan and --differs are two things to look for; give one")
    if len(differs) > 2:
        raise ValueError("--differs names one change of the configuration, or two that are compared; there are more")
    if differs:
        other = Variation() if len(differs) == 1 else variation_of(differs[1])
        return Differs(other, variation_of(differs[0]))
    if nan:
        return GivesNan()
    if saved.expected is None:
        raise UseError("the folder holds a run that is not known to fail; say what to look for: --nan, or --differs "
                       "passes=none")  # fmt: skip
    return SameFailure(saved.expected)
