"""Fetches nest to any depth, in any container, and may not contain themselves."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, namedtuple
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf

DEEP = 5_000
Pair = namedtuple("Pair", "first second")


@pytest.fixture
def session() -> Iterator[tf.Session]:
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as made:
        yield made


@pytest.mark.parametrize("kind", ["list", "tuple", "dict", "named", "mixed"])
def test_five_thousand_containers_in_one_another_come_back(kind: str, session: tf.Session) -> None:
    x = tf.constant([1.0, 2.0])
    wraps: dict[str, Any] = {"list": lambda p: [p], "tuple": lambda p: (p,), "dict": lambda p: {"k": p},
                             "named": lambda p: Pair(p, x)}  # fmt: skip
    kinds = list(wraps) if kind == "mixed" else [kind]
    structure: Any = x
    for i in range(DEEP):
        structure = wraps[kinds[i % len(kinds)]](structure)
    found: Any = session.run(structure)
    for i in reversed(range(DEEP)):
        this = kinds[i % len(kinds)]
        assert type(found).__name__ == {"named": "Pair"}.get(this, this)
        found = found["k"] if this == "dict" else found[0]
    assert found.tolist() == [1.0, 2.0]


def test_every_container_comes_back_as_it_was_with_its_parts_in_order(session: tf.Session) -> None:
    a, b, c = (tf.constant(float(i), name=name) for i, name in enumerate("abc"))
    default: defaultdict[str, Any] = defaultdict(list, {"z": [a, (b,)], "y": c.op})
    structure = [(), [], {}, Pair([c], a), OrderedDict(z=b, a=[a, b]), default, "b:0", a.op, [[c], [(a,), b]]]
    found: Any = session.run(structure)
    zero, one, two = map(np.float32, range(3))
    assert repr(found) == repr(
        [(), [], {}, Pair([two], zero), OrderedDict(z=one, a=[zero, one]),
         defaultdict(list, {"z": [zero, (one,)], "y": None}), one, None, [[two], [(zero,), one]]]
    )  # fmt: skip
    found[5]["new"].append(1)


def test_what_is_fetched_twice_in_one_structure_is_no_circle(session: tf.Session) -> None:
    x = tf.constant(1.0)
    part = [x]
    assert session.run([part, part, {"again": part}]) == [[1.0], [1.0], {"again": [1.0]}]


@pytest.mark.parametrize("kind", ["list", "dict", "inner"])
def test_a_structure_that_contains_itself_is_refused_in_words(kind: str, session: tf.Session) -> None:
    x = tf.constant(1.0)
    circle: Any = {} if kind == "dict" else [x]
    if kind == "dict":
        circle["me"] = [x, circle]
    elif kind == "list":
        circle.append(circle)
    else:
        circle.append((x, {"k": circle}))
    word = "dict" if kind == "dict" else "list"
    for ask in (session.run, session.plan, session.make_callable, session.trace, session.explain):
        with pytest.raises(ValueError, match=f"the fetches hold a {word} that contains itself"):
            ask(circle)
    assert session.run(x) == 1.0


def test_a_fetched_none_says_where_it_comes_from(session: tf.Session) -> None:
    x, y = tf.placeholder(tf.float32, [2], name="x"), tf.placeholder(tf.float32, [2], name="y")
    with pytest.raises(TypeError, match=r"Session\.run: .* NoneType; tf\.gradients\(\) gave None at .* on xs\[1\]"):
        session.run(tf.gradients(tf.square(x), [x, y]), {x: [1.0, 2.0]})


@pytest.mark.parametrize("call", ["plan", "explain", "memory", "placement"])
def test_a_fetch_that_is_not_in_the_graph_names_the_call_that_was_written(call: str, session: tf.Session) -> None:
    with pytest.raises(tf.errors.FetchError, match=rf"Session\.{call}: the fetch 'los' cannot be run"):
        getattr(session, call)("los")
