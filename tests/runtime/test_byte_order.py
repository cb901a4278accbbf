"""Arrays whose bytes are in the other order: every way into a session, a graph or a file takes their values."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.repro import load_repro

OTHER = "<" if sys.byteorder == "big" else ">"
KINDS = ("f2", "f4", "f8", "c8", "c16", "i2", "i4", "i8", "u2", "u4", "u8")


def foreign(kind: str, shape: tuple[int, ...] = (2, 3)) -> Any:
    """Small numbers in the byte order that is not this machine's."""
    size = int(np.prod(shape))
    return (np.arange(1, size + 1).reshape(shape) * (1 + 2j if kind[0] == "c" else 1)).astype(f"{OTHER}{kind}")


def from_constant(session: tf.Session, array: Any, folder: Path) -> Any:
    return session.run(tf.constant(array) + tf.constant(np.zeros_like(array)))


def from_feed(session: tf.Session, array: Any, folder: Path) -> Any:
    x = tf.placeholder(tf.as_dtype(array.dtype), [None, None])
    return session.run(tf.transpose(tf.transpose(x)) * 1, {x: array})


def from_feed_of_a_callable(session: tf.Session, array: Any, folder: Path) -> Any:
    x = tf.placeholder(tf.as_dtype(array.dtype), [2, 3])
    call = session.make_callable(tf.identity(x), [x])
    return call(array)


def from_feed_in_the_middle(session: tf.Session, array: Any, folder: Path) -> Any:
    x = tf.zeros([2, 3], tf.as_dtype(array.dtype)) + tf.ones([2, 3], tf.as_dtype(array.dtype))
    return session.run([x * 1, x], {x: array})[0]


def from_initial_value(session: tf.Session, array: Any, folder: Path) -> Any:
    v = tf.Variable(array)
    session.run(v.initializer)
    return session.run(v)


def from_load(session: tf.Session, array: Any, folder: Path) -> Any:
    v = tf.Variable(tf.zeros([2, 3], tf.as_dtype(array.dtype)))
    v.load(array, session)
    return session.run(v)


def from_checkpoint(version: int) -> Callable[[tf.Session, Any, Path], Any]:
    def restored(session: tf.Session, array: Any, folder: Path) -> Any:
        v = tf.Variable(tf.zeros([2, 3], tf.as_dtype(array.dtype)), name="v")
        v.load(array, session)
        saver = tf.train.Saver([v], write_version=version)
        path = saver.save(session, folder / "m")
        assert path is not None
        v.load(np.zeros_like(array), session)
        saver.restore(session, path)
        assert np.array_equal(tf.train.load_variable(path, "v"), array)
        return session.run(v)

    return restored


def from_python(session: tf.Session, array: Any, folder: Path) -> Any:
    return session.run(tf.py_func(lambda: array, [], tf.as_dtype(array.dtype)) * 1)


def from_graphdef(session: tf.Session, array: Any, folder: Path) -> Any:
    tf.constant(array, name="value")
    tf.save_graph(session.graph, folder / "graph.pb")
    with tf.Session(graph=tf.load_graphdef(folder / "graph.pb").graph) as other:
        return other.run("value:0")


def from_run_folder(session: tf.Session, array: Any, folder: Path) -> Any:
    x = tf.placeholder(tf.as_dtype(array.dtype), [None, 3], name="x")
    y = x + tf.constant(np.zeros_like(array))
    saved = load_repro(session.repro(folder / "run", y, {x: array})).saved
    with saved.session() as again:
        return again.run(list(saved.fetches), dict(saved.feeds))[0]


def from_debugger(session: tf.Session, array: Any, folder: Path) -> Any:
    x = tf.placeholder(tf.as_dtype(array.dtype), [2, 3], name="x")
    dbg = session.debug(x * 1, {x: np.zeros_like(array)})
    dbg.set("x", array)
    return dbg.finish()


def from_array_of_rows(session: tf.Session, array: Any, folder: Path) -> Any:
    x = tf.placeholder(tf.as_dtype(array.dtype), [2, 3])
    return session.run(tf.map_fn(lambda row: row * 1, x), {x: array})


WAYS: dict[str, Callable[[tf.Session, Any, Path], Any]] = {
    each.__name__: each
    for each in (from_constant, from_feed, from_feed_of_a_callable, from_feed_in_the_middle, from_initial_value,
                 from_load, from_python, from_graphdef, from_run_folder, from_debugger, from_array_of_rows)
} | {"from_checkpoint_1": from_checkpoint(1), "from_checkpoint_2": from_checkpoint(2)}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_arrays_of_the_other_byte_order_have_their_values(way: str, tmp_path: Path) -> None:
    for number, kind in enumerate(KINDS):
        array = foreign(kind)
        before = array.tobytes()
        folder = tmp_path / kind
        folder.mkdir()
        with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
            found = np.asarray(WAYS[way](session, array, folder))
        assert found.dtype == array.dtype.newbyteorder("=") and found.dtype.isnative, kind
        assert found.shape == array.shape and np.array_equal(found, array), kind
        assert array.tobytes() == before, number
