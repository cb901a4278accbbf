"""Train a small network: the graph gives the loss and its gradients, NumPy changes the weights.

To show what gradients alone do, each weight is a placeholder: the program keeps the arrays, feeds them in each step,
and subtracts the gradients itself. docs/derivatives.md explains each part; docs/training.md has variables and
optimizers.
"""

from itertools import pairwise

import numpy as np

import penstock as tf

KINDS = 3
WIDTHS = [2, 16, KINDS]

# The network: two layers. Its weights are placeholders, in the order kernel, bias, kernel, bias.
graph = tf.Graph()
with graph.as_default():
    points = tf.placeholder(tf.float32, ["points", WIDTHS[0]], name="points")
    kinds = tf.placeholder(tf.int32, ["points"], name="kinds")
    weights = []
    scores = points
    for number, (width, height) in enumerate(pairwise(WIDTHS), start=1):
        with tf.name_scope(f"layer{number}"):
            kernel = tf.placeholder(tf.float32, [width, height], name="kernel")
            bias = tf.placeholder(tf.float32, [height], name="bias")
            weights += [kernel, bias]
            scores = tf.matmul(scores, kernel) + bias
            if number < len(WIDTHS) - 1:
                scores = tf.tanh(scores)

    # The loss: the mean of -log(the probability that the network gives to the right kind).
    with tf.name_scope("loss"):
        targets = tf.one_hot(kinds, KINDS, 1.0, 0.0)
        loss = -tf.reduce_mean(tf.reduce_sum(targets * tf.log_softmax(scores), 1), name="mean")
    with tf.name_scope("test"):
        is_right = tf.equal(tf.argmax(scores, 1), tf.cast(kinds, tf.int64))
        accuracy = tf.reduce_mean(tf.cast(is_right, tf.float32), name="accuracy")

    # The backward graph: one gradient for each weight, of the same shape.
    gradients = tf.gradients(loss, weights)
print("gradients", [str(gradient.shape) for gradient in gradients])
print(tf.explain_gradient(loss, weights[-1]))

# Three clouds of points: one to learn from, one to test.
rng = np.random.default_rng(0)
centres = np.array([[0, 0], [3, 3], [0, 4]])


def clouds(count: int) -> dict[tf.Tensor, np.ndarray]:
    truth = rng.integers(0, KINDS, count)
    return {points: centres[truth] + 0.5 * rng.standard_normal((count, 2)), kinds: truth}


learn, test = clouds(300), clouds(200)

# Gradient descent: 100 steps against the gradient.
values = [rng.normal(0, 0.5, [size.value or 0 for size in weight.shape]).astype("f4") for weight in weights]
with tf.Session(graph=graph) as session:
    for step in range(100):
        error, *slopes = session.run([loss, *gradients], learn | dict(zip(weights, values, strict=True)))
        values = [value - 0.5 * slope for value, slope in zip(values, slopes, strict=True)]
        if step in (0, 99):
            print(f"step {step}: the loss is {'below' if error < 0.1 else 'above'} 0.1")
    found = session.run(accuracy, test | dict(zip(weights, values, strict=True)))
print("more than 97 % of the test are right:", bool(found > 0.97))
