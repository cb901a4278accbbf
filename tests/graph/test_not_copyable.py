"""What refuses to be copied and pickled, and what it says instead."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import penstock as tf

THINGS: dict[str, Callable[[], Any]] = {
    "a graph": tf.Graph,
    "a tensor": lambda: tf.constant(1, name="c"),
    "an operation": lambda: tf.constant(1, name="c").op,
    "a sparse tensor": lambda: tf.SparseTensor([[0]], [1.0], [4]),
    "a session": tf.Session,
    "an interactive session": tf.InteractiveSession,
}
WAYS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "deepcopy in a list": lambda thing: copy.deepcopy([thing]),
    "pickle": pickle.dumps,
    "pickle in an old protocol": lambda thing: pickle.dumps(thing, 0),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("what", THINGS)
def test_a_copy_is_refused_with_the_way_to_save(what: str, way: str) -> None:
    with tf.Graph().as_default():
        thing = THINGS[what]()
        with pytest.raises(TypeError, match=r"cannot be copied or pickled: .*tf\.save_graph") as e:
            WAYS[way](thing)
        if isinstance(thing, tf.InteractiveSession):
            thing.close()
        assert "Surroundings" not in str(e.value)


def test_the_cure_for_a_tensor_works(tmp_path: Any) -> None:
    with tf.Graph().as_default() as graph:
        name = tf.constant([1, 2], name="c").name
    loaded = tf.load_graph(tf.save_graph(graph, tmp_path / "graph.json"))
    with tf.Session(graph=loaded) as session:
        assert session.run(loaded.get_tensor_by_name(name)).tolist() == [1, 2]


def test_a_build_error_can_be_pickled_without_its_tensors() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [3], name="x")
        with pytest.raises(tf.errors.ShapeError) as e:
            tf.add(x, [1.0, 2.0])
    again = pickle.loads(pickle.dumps(e.value))
    assert type(again) is type(e.value) and str(again) == str(e.value)
    assert (again.message, again.cure, again.dim, again.operand) == (
        e.value.message, e.value.cure, e.value.dim, e.value.operand
    )  # fmt: skip
    assert e.value.culprit is None or again.culprit is None
