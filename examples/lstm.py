"""An LSTM that reads 28 rows, as one loop: forward, backward and ten steps of training.

The task: which half of the sequence has the larger numbers. The loop has the state of the cell as its variables and
reads row t of the sequence; the weights are captured. The gradient of a while_loop is a loop that goes backwards. The
numbers are those of TensorFlow: with `import tensorflow.compat.v1 as tf` the program prints the same lines.
"""

from typing import Any

import numpy as np

import penstock.compat.v1 as tf

STEPS, INPUTS, UNITS, BATCH = 28, 4, 8, 16

graph = tf.Graph()
with graph.as_default():
    rows = tf.placeholder(tf.float32, [STEPS, None, INPUTS], name="rows")
    wanted = tf.placeholder(tf.float32, [None], name="wanted")
    draw = tf.random_uniform_initializer(-0.3, 0.3, seed=1)
    kernel = tf.get_variable("kernel", [INPUTS + UNITS, 4 * UNITS], initializer=draw)
    bias = tf.get_variable("bias", [4 * UNITS], initializer=tf.zeros_initializer())
    weights = tf.get_variable("weights", [UNITS, 1], initializer=draw)

    def cell(t: Any, hidden: Any, memory: Any) -> Any:
        """One step of the LSTM: the gates decide what the memory keeps, takes in and shows."""
        gates = tf.matmul(tf.concat([rows[t], hidden], 1), kernel) + bias
        take, new, keep, show = tf.split(gates, 4, axis=1)
        memory = memory * tf.sigmoid(keep + 1.0) + tf.sigmoid(take) * tf.tanh(new)
        return t + 1, tf.tanh(memory) * tf.sigmoid(show), memory

    nothing = tf.zeros([tf.shape(rows)[1], UNITS])
    nothing.set_shape([None, UNITS])
    _, hidden, _ = tf.while_loop(lambda t, hidden, memory: t < STEPS, cell, [0, nothing, nothing], name="lstm")
    scores = tf.squeeze(tf.matmul(hidden, weights), [1])
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=wanted, logits=scores))
    right = tf.reduce_mean(tf.cast(tf.equal(scores > 0.0, wanted > 0.5), tf.float32))
    update = tf.train.AdamOptimizer(0.05).minimize(loss)
    start = tf.global_variables_initializer()

rng = np.random.default_rng(7)
sequences = rng.normal(size=(STEPS, BATCH, INPUTS)).astype("float32")
later = sequences[STEPS // 2 :].sum((0, 2)) > sequences[: STEPS // 2].sum((0, 2))
feeds = {rows: sequences, wanted: later.astype("float32")}
with tf.Session(graph=graph) as session:
    session.run(start)
    for number in range(10):
        error, share, _ = session.run([loss, right, update], feeds)
        if number % 3 == 0:
            print(f"step {number}: loss {error:.4f}, {share:.0%} right")
    print(f"the loop takes any number of sequences: {session.run(scores, {rows: sequences[:, :3]}).shape}")
