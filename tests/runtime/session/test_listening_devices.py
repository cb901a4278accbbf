"""Watch and trace read values that lie on a device."""

from __future__ import annotations

import numpy as np
import pytest

import penstock as tf
from penstock.errors import NonFiniteError
from penstock.runtime.backends import register_backend

from ...helpers import own_backends
from ...standin import DeviceArray, StandIn


@pytest.fixture(autouse=True)
def standin(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in, known by its name for one test."""
    own_backends(monkeypatch)
    register_backend(StandIn())


def test_a_bad_value_on_a_device_is_found_and_told() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3], name="x")
        with tf.device("standin"):
            y = tf.log(tf.add(x, 1.0, name="more"), name="y")
    with tf.Session(graph=graph, config=tf.SessionConfig(watch=True)) as session:
        assert session.run(y, {x: [0.0, 0.0, 0.0]}).tolist() == [0.0, 0.0, 0.0]
        with pytest.raises(NonFiniteError) as error:
            session.run(y, {x: [0.0, -1.0, -2.0]})
    assert (error.value.tensor, error.value.index, error.value.inputs) == ("y:0", (1,), {"x": 0.0})


def test_a_trace_holds_host_arrays() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3], name="x")
        with tf.device("standin"):
            y = tf.square(tf.add(x, 1.0, name="more"), name="y")
    with tf.Session(graph=graph) as session:
        trace = session.trace(y, {x: [0.0, 1.0, 2.0]})
    assert type(trace["more"]) is np.ndarray
    assert trace["more"].tolist() == [1.0, 2.0, 3.0] and trace[y].tolist() == [1.0, 4.0, 9.0]


def test_a_recorded_or_watched_run_may_leave_its_results_on_the_device() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3], name="x")
        with tf.device("standin"):
            y = tf.square(x, name="y")
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        plain = session.run(y, {x: [1.0, 2.0, 3.0]}, as_device=True)
        for options in (tf.RunOptions(), tf.RunOptions(watch=True)):
            found = session.run(y, {x: [1.0, 2.0, 3.0]}, options, metadata, as_device=True)
            assert type(found) is type(plain) is DeviceArray
            assert [step.node for step in metadata.steps][-1] == "y"
