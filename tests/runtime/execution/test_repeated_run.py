"""A body that runs many times: the same results, memory that is reused, errors with their node."""

from __future__ import annotations

from weakref import ref

import numpy as np
import pytest

import penstock as tf
from penstock.errors import InvalidArgumentError
from penstock.runtime.execution.body_call import InnerCall
from penstock.runtime.execution.executor import Program
from penstock.runtime.planning.plan import Plan


def plan_of_products() -> Plan:
    with tf.Graph().as_default(), tf.Session() as session:
        x, w = (tf.placeholder("float32", [200, 200]) for _ in range(2))
        inner = tf.tanh(tf.matmul(x, w))
        return session.plan([tf.matmul(inner, w), x, tf.reduce_sum(inner)], [x, w])


def test_each_run_has_the_results_of_a_run_by_itself() -> None:
    rng = np.random.default_rng(0)
    x, w = (rng.normal(size=(200, 200)).astype("f4") for _ in range(2))
    call = InnerCall(Program(plan_of_products(), lambda name: None), is_quiet=True)
    repeated = call.repeated()
    assert repeated is not call
    kept = []
    for _ in range(4):
        found, given, total = repeated(x, w)
        for a, b in zip((found, given, total), call(x, w), strict=True):
            assert np.array_equal(a, b)
        kept.append((found, found.copy()))
        x = found
    for found, copy in kept:  # a later run does not touch what an earlier one returned
        assert np.array_equal(found, copy)


def test_other_shapes_get_memory_of_their_own() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder("float32", [None, 300])
        plan = session.plan(tf.reduce_sum(tf.exp(tf.matmul(x, tf.ones([300, 300])) * 0.01), 1), [x])
    call = InnerCall(Program(plan, lambda name: None), is_quiet=True)
    repeated = call.repeated()
    for rows in (100, 300, 1, 0, 100):
        given = np.ones((rows, 300), np.float32)
        assert np.array_equal(repeated(given)[0], call(given)[0])


def test_an_error_names_its_node() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder("int32", [])
        plan = session.plan(tf.floordiv(7, x, name="quotient") + x, [x])
        repeated = InnerCall(Program(plan, lambda name: graph.get_operation_by_name(name)), is_quiet=True).repeated()
        assert repeated(np.array(2, np.int32))[0] == 5
        with pytest.raises(InvalidArgumentError, match="quotient"):
            repeated(np.array(0, np.int32))


def test_results_are_not_kept_by_the_memory_of_runs() -> None:
    repeated = InnerCall(Program(plan_of_products(), lambda name: None), is_quiet=True).repeated()
    x = np.ones((200, 200), np.float32)
    found = repeated(x, x)
    product = ref(found[0])
    del found
    assert product() is None
