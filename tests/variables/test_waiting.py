"""Runs that use one variable wait for each other, in the order in which they came."""

from __future__ import annotations

import threading

import numpy as np

import penstock as tf


def test_a_reader_gets_its_turn_beside_a_thread_that_writes_in_a_loop() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable(np.zeros(1000, np.float32))
        step = v.assign_sub(0.5 * (v - 1.0)).op
        session = tf.Session(graph=graph)
        session.run(v.initializer)
        write, stop = session.make_callable(step), threading.Event()

        def loop() -> None:
            while not stop.is_set():
                write()

        thread = threading.Thread(target=loop)
        thread.start()
        try:
            for _ in range(20):
                value = session.run(v)
                assert np.all(value == value[0])
        finally:
            stop.set()
            thread.join()
