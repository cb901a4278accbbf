"""The smallest graph on which each rewrite rule fires, and graphs that match its pattern and are refused."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.graph.model.nodes import Tensor
from penstock.runtime.passes.rules.rule import Rule


@dataclass(frozen=True, slots=True)
class Example:
    """A graph with its fetches and feeds; `says`: words of the refusal, for a near miss."""

    fetches: tuple[Tensor, ...]
    feeds: Mapping[Tensor, Any]
    says: str = ""


Build = Callable[[], Example]
BuildMany = Callable[[], Iterable[Example]]

EXAMPLES: dict[str, Build] = {}
"""The name of a rule -> what builds its example in the default graph."""

NEAR_MISSES: dict[str, BuildMany] = {}
"""The name of a rule -> what builds its near misses in the default graph, one after the other."""


def example(fetches: Tensor | Sequence[Tensor], feeds: Mapping[Tensor, Any], says: str = "") -> Example:
    """An `Example`; a single fetch needs no list."""
    return Example((fetches,) if isinstance(fetches, Tensor) else tuple(fetches), feeds, says)


def example_of(rule: type[Rule]) -> Callable[[Build], Build]:
    """A decorator: the function builds the smallest graph on which the rule fires."""

    def register(build: Build) -> Build:
        return EXAMPLES.setdefault(rule.__name__, build)

    return register


def near_misses_of(rule: type[Rule]) -> Callable[[BuildMany], BuildMany]:
    """A decorator: the function builds graphs that match the rule's pattern and are refused."""

    def register(build: BuildMany) -> BuildMany:
        return NEAR_MISSES.setdefault(rule.__name__, build)

    return register
