"""A program as users write it, with the types that checkers see. `mypy` checks it; nothing imports it."""

import numpy as np

import penstock as tf
from penstock.compat import v1

with tf.Graph().as_default() as graph:
    x = tf.placeholder(tf.float32, ["batch", 3], name="x")
    with tf.name_scope("dense"):
        y = tf.relu(tf.matmul(x, np.ones((3, 2), np.float32)) + 1.0, name="y")
    total = tf.reduce_sum(y, axis=1, keepdims=True)
    parts = tf.split(1, 2, y)
    joined = v1.concat([y, v1.nn.relu(y)], 0)
    values, places = tf.top_k(total, k=1)
with tf.Session(graph=graph, config=tf.SessionConfig(threads=1)) as session:
    feeds = {x: np.ones((4, 3))}
    print(session.run(total, feeds), session.plan(total).steps[0].node, session.explain(total).why("dense/y"))
    print(session.trace(total, feeds)[y], session.memory(total, feeds).peak, session.profile(total, feeds).total.mean)
path = graph.export("graph.svg", depth=1, colour="type")
print(path.name, [(op.name, [t.shape for t in op.outputs]) for op in graph.get_operations()], parts[0].dtype, joined)
