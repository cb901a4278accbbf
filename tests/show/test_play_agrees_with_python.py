"""Random graphs on the play page and in Python: as written, optimised, and after a cell of a feed is edited."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import OpError
from penstock.show.play.play_data import play_data

from ..helpers import nightly
from ..random_graphs import Program, elementwise_program, indexing_program, random_program, view_program
from .browser import CHROMIUM, DRIVER, Browser
from .play_pages import array_of, difference, in_page

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason="needs chromium and chromedriver")

NEAR = {"float16": 2e-2, "bfloat16": 1e-1, "float32": 1e-4, "float64": 1e-11, "complex64": 1e-4, "complex128": 1e-11}
"""What the errors of sums and functions may grow to in a graph, as a part of the largest number of a result."""


def program_of(seed: int) -> Program:
    """The program of a seed: every kind of step in turn, over small arrays."""
    kind = seed % 4
    if kind == 0:
        return random_program(seed, length=12)
    if kind == 1:
        return elementwise_program(seed, length=15)
    if kind == 2:
        return indexing_program(seed, length=12, shapes=())
    return view_program(seed, length=12)


class Case:
    """A random graph, an edit of it, and what Python computes before and after."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.program = program_of(seed)
        self.graph, self.fetches, self.feeds = self.program.build()
        self.data = play_data(self.graph, self.fetches, self.feeds)
        rng = np.random.default_rng(seed)
        values = {name: array_of(made) for name, made in self.data["feeds"]}
        able = [name for name, array in values.items() if array.size and name in [t.name for t in self.feeds]]
        self.edits = []
        if able:
            name = able[int(rng.integers(len(able)))]
            cell = int(rng.integers(values[name].size))
            text = edited_text(rng, values[name].dtype)
            self.edits = [[name, cell, text]]
            values[name] = values[name].copy()
            values[name].reshape(-1)[cell] = element_of(text, values[name].dtype)
        self.before = self.result(self.feeds)
        self.after = self.result({self.graph.get_tensor_by_name(name): array for name, array in values.items()})

    def result(self, feeds: dict[tf.Tensor, Any]) -> Any:
        """The values of the fetches, or the error of the run."""
        with tf.Session(graph=self.graph, config=tf.SessionConfig(threads=1)) as session:
            try:
                return session.run(self.fetches, feeds)
            except OpError as error:
                return error


def edited_text(rng: np.random.Generator, dtype: Any) -> str:
    """What a reader might type into a cell."""
    found = {"b": ["true", "false"], "O": ["new", ""], "c": ["1.5-2j", "nan+0j", "3"], "u": ["0", "1", "100"],
             "i": ["0", "-1", "100", "3"]}.get(dtype.kind, ["0.5", "-0", "inf", "nan", "-3", "1e-3"])  # fmt: skip
    return found[int(rng.integers(len(found)))]


def element_of(text: str, dtype: Any) -> Any:
    """The element that such a text means."""
    if dtype.kind == "O":
        return text.encode()
    return np.array(text == "true" if dtype.kind == "b" else complex(text) if dtype.kind == "c" else float(text)
                    if dtype.kind not in "iu" else int(text)).astype(dtype)  # fmt: skip


def near_of(plan: dict[str, Any], number: int) -> float:
    """The error that a fetch may have: that of the coarsest dtype among what it is computed of."""
    wanted = {plan["fetches"][number]}
    for step in reversed(plan["steps"]):
        if wanted & set(step["out"]):
            wanted |= {slot for arg in step["args"] for slot in ([arg["t"]] if "t" in arg else arg.get("ts", ()))}
    if plan["slots"][plan["fetches"][number]]["dtype"] not in NEAR:
        return 0.0
    return max(NEAR.get(plan["slots"][slot]["dtype"], 0.0) for slot in wanted)


def complaints(case: Case, made: dict[str, Any]) -> list[str]:
    """What differs between page and Python."""
    told = list(made["differences"])
    for part, want in (("written", case.before), ("optimised", case.before), ("edited", case.after),
                       ("open", case.after)):  # fmt: skip
        if isinstance(want, OpError):
            if not made[part]["errors"]:
                told.append(f"{part}: no error, but in Python {want.message}")
            continue
        if made[part]["errors"]:
            told.append(f"{part}: {made[part]['errors']}")
            continue
        rows = zip(case.program.fetched, made[part]["fetches"], want, strict=True)
        for number, (name, got, expected) in enumerate(rows):
            if got is None:
                told.append(f"{part}: {name} has no value")
                continue
            found = difference(array_of(got), expected, near=near_of(case.data["plans"]["written"], number))
            if found:
                told.append(f"{part}: {name}: {found}")
    return [f"seed {case.seed}: {each}" for each in told]


def check(page: Browser, seeds: range) -> None:
    cases = [Case(seed) for seed in seeds]
    sent = [{"data": case.data, "edits": case.edits} for case in cases]
    found = in_page(page, sent, "return arguments[0].map(playCase)")
    problems = [text for case, made in zip(cases, found, strict=True) for text in complaints(case, made)]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("seeds", [range(6), *nightly([range(6, 12)])], ids=str)
def test_some_random_graphs_agree_with_python(page: Browser, seeds: range) -> None:
    check(page, seeds)


@pytest.mark.slow
def test_many_random_graphs_agree_with_python(page: Browser) -> None:
    check(page, range(200))
